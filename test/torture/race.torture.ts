/** Must show 4 at length: 10,000 rounds of two people, and 10,000 of an answer against the end of the time. Prints sums and times. */
import { afterEach, describe, expect, it } from "vitest";
import { type Moment, RaceRoom } from "../race/race-room.js";

const ROUNDS = Number(process.env["HANDRAISE_RACE_ROUNDS"] ?? "10000");
const SEED = Number(process.env["HANDRAISE_SEED"] ?? Date.now() % 2 ** 31);
const HOUR = 3_600_000;

let room: RaceRoom | undefined;
afterEach(async () => {
  await room?.close();
  room = undefined;
});

async function raced(moments: readonly Moment[]): Promise<RaceRoom["tally"]> {
  const startedAt = performance.now();
  room = await RaceRoom.open(SEED);
  await room.run(ROUNDS, moments);
  const { faults, ...sums } = room.tally;
  process.stdout.write(
    `seed ${SEED}, ${moments.join(" ")}: ${JSON.stringify(sums)}, ${Math.round((performance.now() - startedAt) / 1_000)} s\n`,
  );
  return { ...sums, faults };
}

describe("races at length", () => {
  it(
    "H17 R2 R4 two people on different options",
    async () => {
      const { faults, answered, recorded, late } = await raced(["with_another"]);
      expect(faults).toEqual([]);
      expect([answered, recorded, late]).toEqual([ROUNDS, ROUNDS, ROUNDS]);
    },
    HOUR,
  );

  it(
    "X01 A!1 R2 R4 an answer against the deadline",
    async () => {
      const { faults, answered, expired, recorded, late, presses } = await raced(["just_before", "at_the_end", "while_it_ends"]);
      expect(faults).toEqual([]);
      expect(answered + expired).toBe(ROUNDS);
      expect([recorded, recorded + late]).toEqual([answered, presses]);
    },
    HOUR,
  );
});
