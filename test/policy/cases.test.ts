import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CaseIds, type CasesLeft, caseFaults, casesDocument, namedCases } from "./rules/cases.js";
import { ROOT, repository, sample } from "./rules/tree.js";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const IDS: CaseIds = JSON.parse(read("test/fixtures/case-ids.json"));
const LEFT: CasesLeft = JSON.parse(read("test/fixtures/cases-left.json"));

describe("cases", () => {
  it("each is named by a test, or left to a later issue with a reason", () => {
    expect(Object.keys(IDS).length).toBe(194);
    expect(caseFaults(repository(), IDS, LEFT)).toEqual([]);
  });

  it("test/cases.md is as `npx tsx config/cases.ts` writes it", () => {
    expect(read("test/cases.md") === casesDocument(repository(), IDS, LEFT)).toBe(true);
  });

  it("can fail: not tested, tested and left, no issue, no reason, no such case", () => {
    const tree = sample({ "test/a.test.ts": 'it("B001 works", () => {}); // B002\n/* B003 */' });
    const reason = { to: "issue B", why: "needs the authority of a run" };
    expect([...namedCases(tree).keys()]).toEqual(["B001"]);
    expect(caseFaults(tree, { B001: "x" }, {})).toEqual([]);
    expect(caseFaults(tree, { B001: "x", B002: "y" }, {})).toHaveLength(1);
    expect(caseFaults(tree, { B001: "x", B002: "y" }, { B002: reason })).toEqual([]);
    expect(caseFaults(tree, { B001: "x" }, { B001: reason })).toHaveLength(1);
    expect(caseFaults(tree, { B001: "x", B002: "y" }, { B002: { ...reason, to: "issue Z" } })).toHaveLength(1);
    expect(caseFaults(tree, { B001: "x", B002: "y" }, { B002: { ...reason, why: "no" } })).toHaveLength(1);
    expect(caseFaults(tree, {}, {})).toHaveLength(1);
    expect(caseFaults(sample({}), {}, { B009: reason })).toHaveLength(1);
  });
});
