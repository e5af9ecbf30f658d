/**
 * The channel contract: every adapter, ours or a stranger's, runs this suite against its platform's simulator.
 *
 *   describeChannelContract("telegram", openBench)      // in the adapter's test folder
 *
 * Clauses are numbered CH1, CH2, … over three files: what comes in (`channel-inputs.ts`), what goes out (`channel-sends.ts`),
 * how it looks (`channel-drawings.ts`). What a platform cannot do is declared by the adapter in `supports`, never by a clause.
 */
import { afterEach, describe } from "vitest";
import type { ChannelBench } from "./bench.js";
import { drawingClauses } from "./channel-drawings.js";
import { inputClauses } from "./channel-inputs.js";
import { sendClauses } from "./channel-sends.js";

/**
 * Runs all clauses. `open` is called anew for each clause and gives an open channel on a fresh simulator; the bench is stopped
 * after the clause, also when it failed. Settings of time (pings, pauses, poll length) are to be set small by `open`.
 */
export function describeChannelContract(name: string, open: () => Promise<ChannelBench>): void {
  describe(`channel contract: ${name}`, () => {
    const benches: ChannelBench[] = [];
    const bench = async (): Promise<ChannelBench> => {
      const made = await open();
      benches.push(made);
      return made;
    };
    afterEach(async () => {
      await Promise.all(benches.splice(0).map((made) => made.stop()));
    });
    inputClauses(bench);
    sendClauses(bench);
    drawingClauses(bench);
  });
}
