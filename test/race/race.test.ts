/** X01, H17: races of two people, and of an answer against the end of the time. 10,000 rounds: test/torture/race.torture.ts. */
import { afterEach, describe, expect, it } from "vitest";
import { RaceRoom } from "./race-room.js";

const SEED = 20_261_201;
let room: RaceRoom | undefined;
afterEach(async () => {
  await room?.close();
  room = undefined;
});

describe("races", () => {
  it("H17 B007 B126 R2 R4 300 rounds of two people on different options: one outcome each, the other one is told", async () => {
    room = await RaceRoom.open(SEED);
    await room.run(300, ["with_another"]);
    const { faults, ...sums } = room.tally;
    expect(faults).toEqual([]);
    expect(sums).toEqual({ rounds: 300, presses: 600, answered: 300, expired: 0, recorded: 300, late: 300 });
  });

  it("X01 A!1 R2 R4 300 rounds of an answer against the deadline: before it counts, at it does not, in the same instant one of both", async () => {
    room = await RaceRoom.open(SEED);
    await room.run(300, ["just_before", "at_the_end", "while_it_ends"]);
    const { faults, rounds, presses, answered, expired, recorded, late } = room.tally;
    expect(faults).toEqual([]);
    expect(answered + expired).toBe(rounds);
    expect(recorded).toBe(answered);
    expect(recorded + late).toBe(presses);
    expect(answered).toBeGreaterThanOrEqual(100);
    expect(expired).toBeGreaterThanOrEqual(100);
  });
});
