/**
 * Shows that the torture can fail: each fault of mutations.ts is put into a copy of the product, and random histories and races must find
 * it within a minute. Prints what each was found by.
 */
import { execFile } from "node:child_process";
import { cp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quickFolder } from "../fixtures/quick-folder.js";
import { MUTATIONS, type Mutation } from "./mutations.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COPIED = ["src", "adapters", "test", "package.json", "tsconfig.json", "vitest.config.ts"];
const FINDERS = ["test/race/race.test.ts", "test/race/story.test.ts"];
const MINUTE_MS = 60_000;
const run = promisify(execFile);

type Found = { readonly passed: boolean; readonly said: string };

describe("each fault is found within a minute", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await quickFolder("handraise-mutant-");
    for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function played(): Promise<Found> {
    const args = [join(folder, "node_modules/vitest/vitest.mjs"), "run", "--bail", "1", "--no-color", ...FINDERS];
    try {
      await run(process.execPath, args, { cwd: folder, timeout: MINUTE_MS, maxBuffer: 1 << 26 });
      return { passed: true, said: "" };
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      return { passed: false, said: `${stdout}${stderr}` };
    }
  }

  async function withFault<T>({ file, from, to }: Mutation, play: () => Promise<T>): Promise<T> {
    const path = join(folder, file);
    const whole = await readFile(path, "utf8");
    expect(whole.split(from).length - 1, `"${from}" stands once in ${file}`).toBe(1);
    await writeFile(
      path,
      whole.replace(from, () => to),
    );
    try {
      return await play();
    } finally {
      await writeFile(path, whole);
    }
  }

  it("the product as it is passes", async () => {
    expect(await played()).toEqual({ passed: true, said: "" });
  }, 120_000);

  it.each(MUTATIONS)(
    "$rule: $what",
    async (mutation) => {
      const startedAt = performance.now();
      const { passed, said } = await withFault(mutation, played);
      const fault = /R\d+: [^\n"]{0,120}|round \d+ [^\n"]{0,120}|Assertion[^\n]{0,160}/.exec(said)?.[0];
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      process.stdout.write(`${mutation.rule}, ${mutation.what}: ${passed ? "NOT FOUND" : (fault ?? "?")} (${seconds} s)\n`);
      expect(passed).toBe(false);
      // A mutant that does not even load proves nothing.
      expect(said).toMatch(/AssertionError/);
    },
    120_000,
  );
});
