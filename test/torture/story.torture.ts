/**
 * Random histories at length: `HANDRAISE_STORIES` (default 20,000). A failure prints its seed and path; `HANDRAISE_SEED=… HANDRAISE_PATH=…`
 * plays that history again.
 */
import { describe, expect, it } from "vitest";
import { playHistories } from "../race/story-run.js";

const RUNS = Number(process.env["HANDRAISE_STORIES"] ?? "20000");
const SEED = Number(process.env["HANDRAISE_SEED"] ?? Date.now() % 2 ** 31);
const HOURS_2 = 7_200_000;

describe("random histories of one bridge, at length", () => {
  it(
    "R1 R2 R4 R21 R23 R24 R26 hold",
    async () => {
      const startedAt = performance.now();
      const { played, failure } = await playHistories({ seed: SEED, runs: RUNS, path: process.env["HANDRAISE_PATH"] });
      process.stdout.write(`seed ${SEED}: ${played} histories, ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
      expect(failure).toBeUndefined();
    },
    HOURS_2,
  );
});
