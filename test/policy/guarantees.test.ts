import { describe, expect, it } from "vitest";
import { guaranteeFaults } from "./rules/guarantees.js";
import { repository, sample } from "./rules/tree.js";

describe("docs/guarantees.md", () => {
  it("each promise names tests that exist and name its rule; every rule is spoken of", () => {
    expect(guaranteeFaults(repository())).toEqual([]);
  });

  it("can fail: no page, no test, no such file, another rule, a rule passed over", () => {
    const row = (cell: string): string => `| R1 | Stored first. | ${cell} |\n\nLater: R2 to R3.`;
    const faults = (cell: string, title: string, rules = 3) =>
      guaranteeFaults(sample({ "docs/guarantees.md": row(cell), "test/a.test.ts": `it("${title}", () => {}); // R1` }), rules);
    expect(guaranteeFaults(sample({}))).toHaveLength(1);
    expect(faults("`test/a.test.ts`", "R1 stored first")).toEqual([]);
    expect(faults("", "R1 stored first")).toHaveLength(1);
    expect(faults("`test/b.test.ts`", "R1 stored first")).toHaveLength(1);
    expect(faults("`test/a.test.ts`", "R11 caps")).toHaveLength(1);
    expect(faults("`test/a.test.ts`", "R1 stored first", 4)).toHaveLength(1);
  });
});
