/** Random histories: two people, two questions, lost calls, restarts, kills, expiry. 20,000 of them: test/torture/story.torture.ts. */
import { describe, expect, it } from "vitest";
import { playHistories } from "./story-run.js";

const SEED = 20_261_201;

describe("random histories of one bridge", () => {
  it("R1 R2 R4 R7 R12 R21 R23 R24 R25 R26 hold over 2,000 histories", async () => {
    const { played, failure } = await playHistories({ seed: SEED, runs: 2000, withinMs: 60_000 });
    expect(failure).toBeUndefined();
    // A starved machine plays fewer rather than failing.
    expect(played).toBeGreaterThan(0);
  }, 300_000);
});
