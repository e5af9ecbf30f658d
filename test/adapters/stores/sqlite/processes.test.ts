import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, describe, expect, it } from "vitest";
import type { Change } from "../../../../src/ports/store.js";
import { applied } from "../../../../src/testing/contract/store-bench.js";
import {
  answerChanges,
  answeredOutcome,
  askChanges,
  copyRow,
  inputRow,
  questionRow,
  START_MS,
} from "../../../../src/testing/contract/store-rows.js";
import { ended, linesOf, openByWorker, startProcess, temporaryFolder } from "./bench.js";
import { RAISES, raise } from "./raise.js";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function newFolder(): string {
  const { folder, remove } = temporaryFolder();
  undo.push(remove);
  return folder;
}

describe("two processes on one folder", () => {
  it("B181 make 200 read-then-write transactions each: no error, all 400 applied", { timeout: 60_000 }, async () => {
    const folder = newFolder();
    const store = await openByWorker(folder, { shared: true });
    undo.push(() => store.close());
    const row = questionRow();
    const copy = copyRow(row.id);
    await applied(store, askChanges(row, [copy]));
    const child = startProcess("raiser", [folder, copy.id]);
    undo.push(() => child.kill("SIGKILL"));
    const lines: string[] = [];
    let mine: Promise<number> | undefined;
    for await (const line of linesOf(child)) {
      lines.push(line);
      if (line === "ready") mine = raise(store, copy.id);
    }
    await mine;
    expect(await ended(child)).toBe(0);
    expect(lines).toEqual(["ready", expect.stringMatching(/^again \d+$/)]);
    expect((await store.copy(copy.id))?.copy).toMatchObject({ attempts: 2 * RAISES, revision: 2 * RAISES });
  });
});

describe("housekeeping beside the work", () => {
  it("B189 100,000 stored questions are swept while presses come: each counts within a second, the loop never waits", {
    timeout: 180_000,
  }, async () => {
    const folder = newFolder();
    const store = await openByWorker(folder);
    undo.push(() => store.close());
    for (let done = 0; done < 100_000; done += 5_000)
      await Promise.all(Array.from({ length: 50 }, () => applied(store, endedLongAgo(100))));
    const at = { nowMs: START_MS + 100 * 86_400_000, endedBeforeMs: START_MS + 86_400_000, limit: 500 };
    const histogram = monitorEventLoopDelay({ resolution: 1 });
    const sweep = (async () => {
      let slices = 1;
      while ((await store.tidy(at)).more) slices += 1;
      return slices;
    })();
    let over = false;
    void sweep.finally(() => {
      over = true;
    });
    const waits: number[] = [];
    histogram.enable();
    while (!over) {
      const row = questionRow({ askedAtMs: at.nowMs });
      const input = inputRow(row.id, row.id, { receivedAtMs: at.nowMs });
      const start = performance.now();
      await applied(store, askChanges(row));
      await applied(store, [{ do: "insert_input", row: input }]);
      await applied(store, answerChanges(row, input));
      waits.push(performance.now() - start);
    }
    histogram.disable();
    expect(await sweep).toBeGreaterThan(50);
    expect(waits.length).toBeGreaterThan(20);
    expect(Math.max(...waits)).toBeLessThan(1_000);
    expect(await store.counts()).toMatchObject({ open: 0, asked: 100_000 + waits.length });
    // 50 ms is the product's goal on a machine of its own; a shared test machine is given more.
    expect(histogram.max / 1e6).toBeLessThan(250);
  });
});

function endedLongAgo(count: number): Change[] {
  return Array.from({ length: count }, () => questionRow()).flatMap((row): Change[] => [
    { do: "insert_question", row },
    { do: "settle_question", id: row.id, outcome: answeredOutcome(row.id), endedAtMs: START_MS, settledBy: null },
  ]);
}
