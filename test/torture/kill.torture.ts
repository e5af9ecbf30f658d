/**
 * Must show 3 at length: every named point on every chat, `HANDRAISE_KILL_ROUNDS` (default 20) rounds each, the chats side by side.
 * Prints the table and the time.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundle, bundleChild } from "../kill/bundle.js";
import { CHATS, POINTS } from "../kill/points.js";
import { addRound, type Cells, formatTable } from "../kill/report.js";
import { Rig, type Round } from "../kill/rig.js";

const ROUNDS = Number(process.env["HANDRAISE_KILL_ROUNDS"] ?? "20");
const HOURS_3 = 10_800_000;

/** A round that broke off: its point was not reached, or the child ended otherwise. */
function failedRound(error: unknown): Round {
  return { lost: 0, doubled: 0, leftOpen: 0, extra: 0, ms: 0, faults: [String(error)] };
}

function sweepOf(number: number, points: number): number {
  return Math.floor(number / points) + 1;
}

describe("killed at every point, many times", () => {
  const cells: Cells = new Map();
  const startedAt = performance.now();
  let bundle: Bundle | undefined;
  beforeAll(async () => {
    bundle = await bundleChild();
  });
  afterAll(async () => {
    await bundle?.remove();
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stdout.write(`${formatTable(cells, POINTS)}\n${seconds} s\n`);
  });

  it.concurrent.each(CHATS)(
    "R17 R22 R23 R26 on %s no acknowledged answer is lost, none doubled, no prompt left open",
    async (chat) => {
      const rig = await Rig.open(chat, bundle?.entry ?? "");
      const points = POINTS.filter(({ chats }) => chats.includes(chat));
      const faults: string[] = [];
      try {
        for (let number = 0; number < ROUNDS * points.length; number += 1) {
          const point = points[number % points.length];
          if (point === undefined) break;
          // A whole sweep later the same point meets another mode and place.
          const round = await rig.round(point, number + Math.floor(number / points.length)).catch(failedRound);
          addRound(cells, { point: point.name, chat, round });
          const named = round.faults.map((fault) => `${chat}, ${point.name}, round ${number}: ${fault}`);
          faults.push(...named);
          for (const fault of named) process.stdout.write(`${fault}\n`);
          if (number % points.length === points.length - 1)
            process.stdout.write(`${chat}: sweep ${sweepOf(number, points.length)} of ${ROUNDS}, ${faults.length} faults\n`);
        }
      } finally {
        await rig.close();
      }
      expect(faults).toEqual([]);
    },
    HOURS_3,
  );
});
