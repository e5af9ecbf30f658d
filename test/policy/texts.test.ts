import { describe, expect, it } from "vitest";
import { lockFaults, sleepFaults, textFaults } from "./rules/texts.js";
import { repository, sample } from "./rules/tree.js";

/** Joins two halves, so that this file holds none of the banned texts itself. */
const join = (...halves: readonly string[]): string => halves.join("");

describe("banned texts", () => {
  it("are in no file", () => {
    expect(textFaults(repository())).toEqual([]);
  });

  it.each([
    ["a path of one machine", "docs/a.md", join("see /wo", "rk/main/x")],
    ["a home folder", "src/core/a.ts", join('const a = "/ho', 'me/me/x";')],
    ["a temporary folder by name", "test/a.test.ts", join('const a = "/tm', 'p/x";')],
    ["a registry's host", "README.md", join("https://registry.npm", "js.org/x")],
    ["a registry's host in the lock file", "package-lock.json", join('"https://registry.npm', 'js.org/x"')],
    ["put-off work", "src/core/a.ts", join("// TO", "DO later")],
    ["a muted linter", "src/core/a.ts", join("// biome-ig", "nore lint: no")],
    ["a muted compiler", "test/a.test.ts", join("// @ts-ig", "nore")],
    ["an expected type error in the product", "src/core/a.ts", "// @ts-expect-error it is fine"],
    ["a test alone", "test/a.test.ts", join("it.on", 'ly("x", () => {});')],
    ["a test left out", "src/testing/contract/a.ts", join("describe.sk", 'ip("x", () => {});')],
    ["a default export", "src/core/a.ts", "export default 1;"],
  ])("can fail: %s", (_what, path, text) => {
    expect(textFaults(sample({ [path]: `first line\n${text}\n` }))).toHaveLength(1);
  });

  it("lets through what only looks alike", () => {
    const good = {
      "src/http/server.ts": 'const route = "/v1/questions"; // in /work-like folders',
      "test/a.test.ts": 'it.skipIf(noBrowser)("x", () => {}); // @ts-expect-error a typo must not compile',
      "docs/a.md": "`./data`, `~/.config/handraise`, hacks, https://example.com/home/page",
    };
    expect(textFaults(sample(good))).toEqual([]);
  });
});

describe("the lock file", () => {
  it("names no registry", () => {
    expect(lockFaults(repository())).toEqual([]);
  });

  it("can fail: an address", () => {
    expect(lockFaults(sample({ "package-lock.json": '{\n  "resolved": "https://example.com/a.tgz"\n}' }))).toHaveLength(1);
  });
});

describe("tests wait for events", () => {
  it("none sleeps", () => {
    expect(sleepFaults(repository())).toEqual([]);
  });

  it.each(["await sleep(100);", "await new Promise((done) => setTimeout(done, 50));", "await setTimeout(20);"])("can fail: %s", (text) => {
    expect(sleepFaults(sample({ "test/a.test.ts": text }))).toHaveLength(1);
  });

  it("lets a test give way to others", () => {
    expect(sleepFaults(sample({ "test/a.test.ts": "await new Promise((done) => setTimeout(done, 0));" }))).toEqual([]);
  });
});
