import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/app/clock.js";
import { type ConfigWatch, watchConfig } from "../../src/app/config-watch.js";
import { eventually } from "../fixtures/eventually.js";

describe("watching a config", () => {
  let folder = "";
  let watching: ConfigWatch | undefined;
  let reads = 0;
  const file = (): string => join(folder, "handraise.yaml");
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "handraise-watch-"));
    await writeFile(file(), "one");
    reads = 0;
    const reload = async (): Promise<void> => {
      reads += 1;
    };
    watching = await watchConfig({ file: file(), clock: systemClock, reload });
  });
  afterEach(async () => {
    await watching?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const seen = (count: number): Promise<void> => eventually(() => expect(reads).toBe(count), 10_000);

  it("Z1 sees a file written in place, one renamed over it, and .env; not what else happens in the folder", async () => {
    await writeFile(join(folder, "other.txt"), "x");
    await writeFile(file(), "two and more");
    await seen(1);
    await writeFile(join(folder, "next.yaml"), "three, by an editor that renames");
    await rename(join(folder, "next.yaml"), file());
    await seen(2);
    await writeFile(join(folder, ".env"), "TOKEN=x");
    await seen(3);
  });
  it("Z2 several writes that follow each other are one read", async () => {
    for (const text of ["a", "ab", "abc", "abcd"]) await writeFile(file(), text);
    await seen(1);
    await writeFile(file(), "and one that is seen as well");
    await seen(2);
  });
  it("reads when it is told to, changed or not, and not after it was closed", async () => {
    await watching?.reload();
    expect(reads).toBe(1);
    await watching?.close();
    await watching?.reload();
    expect(reads).toBe(1);
  });
});
