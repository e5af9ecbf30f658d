import { chmod, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSigningKey, readPublicKeys } from "../../src/audit/key-file.js";
import { quickFolder } from "../fixtures/quick-folder.js";

let folder = "";
beforeEach(async () => {
  folder = await quickFolder("handraise-key-");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the signing key", () => {
  it("K1 is made once, private, with its public key beside it; wider modes are taken away", async () => {
    const { kid } = await openSigningKey(folder);
    await chmod(join(folder, "proof.key"), 0o644);
    expect((await openSigningKey(folder)).kid).toBe(kid);
    expect((await stat(join(folder, "proof.key"))).mode & 0o777).toBe(0o600);
    expect([...(await readPublicKeys(join(folder, "proof.pub"))).keys()]).toEqual([kid]);
    expect(await readFile(join(folder, "proof.pub"), "utf8")).not.toContain("PRIVATE");
    expect((await readdir(folder)).sort()).toEqual(["proof.key", "proof.pub"]);
  });

  it("K1 after a rotation the public keys of both are kept, newest last", async () => {
    const first = await openSigningKey(folder);
    await rename(join(folder, "proof.key"), join(folder, "old.key"));
    const second = await openSigningKey(folder);
    expect([...(await readPublicKeys(join(folder, "proof.pub"))).keys()]).toEqual([first.kid, second.kid]);
  });

  it("K2 bridges that start at once agree on one key", async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => openSigningKey(folder)));
    expect(new Set(opened.map(({ kid }) => kid)).size).toBe(1);
    expect((await readdir(folder)).sort()).toEqual(["proof.key", "proof.pub"]);
  });

  it("K1 a broken key stops the start and says what to do; a file without keys is no key", async () => {
    await writeFile(join(folder, "proof.key"), "broken");
    await expect(openSigningKey(folder)).rejects.toMatchObject({ code: "config_invalid", detail: expect.stringContaining("move it away") });
    await expect(readPublicKeys(join(folder, "none"))).rejects.toMatchObject({ code: "input_invalid" });
  });
});
