import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { caseFaults, caseLists, casesDocument, namedCases } from "./rules/cases.js";
import { ROOT, repository, sample } from "./rules/tree.js";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const LISTS = caseLists(repository());

describe("cases", () => {
  it("each is named by a test, or left to a later issue with a reason", () => {
    expect(Object.keys(LISTS.ids).length).toBe(194 + 157);
    expect(caseFaults(repository(), LISTS)).toEqual([]);
  });

  it("test/cases.md is as `npx tsx config/cases.ts` writes it", () => {
    expect(read("test/cases.md") === casesDocument(repository(), LISTS)).toBe(true);
  });

  it("can fail: not tested, tested and left, no issue, no reason, no such case, no word on a changed value", () => {
    const tree = sample({ "test/a.test.ts": 'it("B001 works", () => {}); // B002\n/* B003 */' });
    const why = "needs the authority of a run";
    const reason = { to: "issue B", why };
    const faults = (ids: Record<string, string>, left = {}, changed = {}) => caseFaults(tree, { ids, left, changed });
    expect([...namedCases(tree).keys()]).toEqual(["B001"]);
    expect(faults({ B001: "x" })).toEqual([]);
    expect(faults({ B001: "x", B002: "y" })).toHaveLength(1);
    expect(faults({ B001: "x", B002: "y" }, { B002: reason })).toEqual([]);
    expect(faults({ B001: "x" }, { B001: reason })).toHaveLength(1);
    expect(faults({ B001: "x", B002: "y" }, { B002: { ...reason, to: "issue Z" } })).toHaveLength(1);
    expect(faults({ B001: "x", B002: "y" }, { B002: { ...reason, why: "no" } })).toHaveLength(1);
    expect(faults({})).toHaveLength(1);
    expect(caseFaults(sample({}), { ids: {}, left: { B009: reason }, changed: {} })).toHaveLength(1);
    expect(faults({ B001: "x" }, {}, { B001: why })).toEqual([]);
    expect(faults({ B001: "x" }, {}, { B001: "no" })).toHaveLength(1);
    expect(faults({ B001: "x" }, {}, { B002: why })).toHaveLength(1);
  });

  it("knows the names of cases apart from other words", () => {
    const text = "H01 H!1 A!17 X12 T35 O02 B123; not T1, A123, Y01, !1";
    const tree = sample({ "test/a.test.ts": `it("${text}", () => {});` });
    expect([...namedCases(tree).keys()].sort()).toEqual(["A!17", "B123", "H!1", "H01", "O02", "T35", "X12"]);
  });
});
