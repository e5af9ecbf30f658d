/**
 * The part of the bench that looks at the SQLite store alone (`npm run bench -- store`). Prints commits and cycles beside the floor of the same run, and
 * the delay of the event loop with the engine in a worker thread and inline, on this disk and on one 5 ms slower a commit.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openSqliteStore } from "../../adapters/stores/sqlite/index.js";
import { openInlineSqliteStore } from "../../adapters/stores/sqlite/inline.js";
import type { Clock } from "../../src/ports/clock.js";
import type { Log } from "../../src/ports/log.js";
import type { Change, CopyRow, InputRow, QuestionRow, Store } from "../../src/ports/store.js";
import { answerChanges, askChanges, copyRow, inputRow, questionRow, START_MS } from "../../src/testing/contract/store-rows.js";
import { fdatasyncPerSecond, plainCyclesPerSecond, plainRowsPerSecond } from "./floor.js";
import { span } from "./span.js";

const CLOCK: Clock = { now: () => Date.now(), after: () => () => undefined };
const QUIET = (): void => undefined;
const LOG: Log = { debug: QUIET, info: QUIET, warn: QUIET, error: QUIET };
const SPAN_MS = 2_000;
/** Rounds of floor and store, of which the middle one is shown. */
const ROUNDS = 5;

/** Where the engine runs. */
export type Thread = "worker" | "inline";

/** Runs `use` with a store in a folder of its own. `commitDelayMs`: how much slower the disk is made, for each commit. */
export async function withStore<T>(
  { thread, commitDelayMs = 0 }: { readonly thread: Thread; readonly commitDelayMs?: number },
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "handraise-bench-"));
  const store = await opened(thread, { folder, commitDelayMs });
  try {
    return await use(store);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function opened(
  thread: Thread,
  { folder, commitDelayMs }: { readonly folder: string; readonly commitDelayMs: number },
): Promise<Store> {
  if (thread === "worker")
    return openSqliteStore({ folder, clock: CLOCK, log: LOG, ...(commitDelayMs === 0 ? {} : { faults: { commitDelayMs } }) });
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const gate = (commit: () => void): void => {
    if (commitDelayMs > 0) Atomics.wait(sleeper, 0, 0, commitDelayMs);
    commit();
  };
  return openInlineSqliteStore({ folder, clock: CLOCK, gate }).store;
}

async function applied(store: Store, changes: readonly Change[]): Promise<void> {
  const result = await store.commit(changes);
  if (!result.ok) throw new Error(`${changes[result.at]?.do}: ${result.why}`);
}

/** Commits of one whole cycle, as gateway and host make them: ask, claim, shown, input, answer, closed, collected. */
export const COMMITS_PER_CYCLE = 7;

/** One question from ask to collected, each commit awaited before the next. */
export async function cycle(store: Store): Promise<void> {
  const row = questionRow();
  const copy = copyRow(row.id);
  await applied(store, askChanges(row, [copy]));
  await applied(store, [
    {
      do: "update_copy",
      id: copy.id,
      revision: 0,
      set: { state: "sending", todo: "send", dueAtMs: null, nonce: "nonce", attemptedAtMs: START_MS },
    },
  ]);
  await applied(store, shownChanges(row, copy));
  const input = inputRow(row.id, row.id);
  await applied(store, [{ do: "insert_input", row: input }]);
  await answered(store, { row, copy, input });
}

function shownChanges(row: QuestionRow, copy: CopyRow): Change[] {
  const message = `1800000000.${row.id.slice(-6)}`;
  const set = {
    state: "shown",
    todo: null,
    messageIds: [message],
    messageId: message,
    messageOrder: message,
    shownAtMs: START_MS,
  } as const;
  return [
    { do: "update_copy", id: copy.id, revision: 1, set },
    { do: "start_clock", id: row.id, atMs: START_MS },
    { do: "insert_event", question: row.id, type: "question.shown", atMs: START_MS, data: {} },
  ];
}

async function answered(
  store: Store,
  { row, copy, input }: { readonly row: QuestionRow; readonly copy: CopyRow; readonly input: InputRow },
): Promise<void> {
  await applied(store, answerChanges(row, input));
  await store.question(row.id); // the waiter reads the outcome
  await applied(store, [{ do: "update_copy", id: copy.id, revision: 3, set: { state: "closed", todo: null, dueAtMs: null } }]);
  await applied(store, [
    { do: "mark_collected", id: row.id, atMs: START_MS },
    { do: "insert_event", question: row.id, type: "question.collected", atMs: START_MS, data: {} },
  ]);
}

/** Keeps `lanes` of `run` going for the span; how many ended a second. */
export async function perSecond(lanes: number, run: () => Promise<void>, spanMs = SPAN_MS): Promise<number> {
  let done = 0;
  let start = performance.now();
  let over = false;
  const lane = async (): Promise<void> => {
    while (!over) {
      await run();
      done += 1;
    }
  };
  const warm = setTimeout(() => {
    done = 0;
    start = performance.now();
  }, spanMs / 4);
  const stop = setTimeout(() => {
    over = true;
  }, spanMs * 1.25);
  await Promise.all(Array.from({ length: lanes }, lane));
  clearTimeout(warm);
  clearTimeout(stop);
  return (done * 1_000) / (performance.now() - start);
}

/** Delay of the event loop in milliseconds while 1,000 questions a second are asked and answered. */
export async function loopDelay(
  store: Store,
  { ratePerSecond = 1_000, spanMs = SPAN_MS }: { readonly ratePerSecond?: number; readonly spanMs?: number } = {},
) {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  const running = new Set<Promise<void>>();
  const start = performance.now();
  let begun = 0;
  const rowsOf = (): Promise<void> => askAndAnswer(store);
  await rowsOf();
  histogram.enable();
  while (performance.now() - start < spanMs) {
    const due = Math.floor(((performance.now() - start) * ratePerSecond) / 1_000);
    for (; begun < due; begun += 1) {
      const run = rowsOf().finally(() => running.delete(run));
      running.add(run);
    }
    await span(2);
  }
  const backlog = running.size;
  histogram.disable();
  await Promise.all(running);
  const ms = (nanoseconds: number): number => Math.round(nanoseconds / 1e4) / 100;
  return { p50: ms(histogram.percentile(50)), p99: ms(histogram.percentile(99)), max: ms(histogram.max), backlog };
}

async function askAndAnswer(store: Store): Promise<void> {
  const row = questionRow();
  await applied(store, askChanges(row, [copyRow(row.id)]));
  const input = inputRow(row.id, row.id);
  await applied(store, [{ do: "insert_input", row: input }]);
  await applied(store, answerChanges(row, input));
  await store.question(row.id);
}

function line(name: string, ...figures: readonly (string | number)[]): void {
  const shown = figures.map((figure) => (typeof figure === "number" ? Math.round(figure).toLocaleString("en") : figure).padStart(12));
  process.stdout.write(`${name.padEnd(46)}${shown.join("")}\n`);
}

type Figures = { readonly floorAsks: number; readonly floorCycles: number; readonly asks: number; readonly cycles: number };

/** One round: floor and store right after each other, so that both meet the same neighbours. */
async function round(thread: Thread, lanes: number): Promise<Figures> {
  const spanMs = SPAN_MS / 2;
  const floorAsks = plainCyclesPerSecond({ group: lanes, askOnly: true, spanMs });
  const asks = await withStore({ thread }, (store) =>
    perSecond(
      lanes,
      () => {
        const row = questionRow();
        return applied(store, askChanges(row, [copyRow(row.id)]));
      },
      spanMs,
    ),
  );
  const floorCycles = plainCyclesPerSecond({ group: lanes, spanMs });
  const cycles = await withStore({ thread }, (store) => perSecond(lanes, () => cycle(store), spanMs));
  return { floorAsks, floorCycles, asks, cycles };
}

async function throughput(thread: Thread, lanes: number): Promise<void> {
  const rounds: Figures[] = [];
  for (let done = 0; done < ROUNDS; done += 1) rounds.push(await round(thread, lanes));
  const middle = (figure: (round: Figures) => number): number => rounds.map(figure).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  // Alone, a cycle is as many commits as it has steps: its floor is single commits divided by them.
  const cycleFloor = (each: Figures): number => (lanes === 1 ? each.floorAsks / COMMITS_PER_CYCLE : each.floorCycles);
  line(
    `${thread}, ${lanes} at once`,
    middle(({ asks }) => asks),
    `${middle(({ asks, floorAsks }) => asks / floorAsks).toFixed(2)} of floor`,
    middle(({ cycles }) => cycles),
    `${middle((each) => each.cycles / cycleFloor(each)).toFixed(2)} of floor`,
  );
}

/** Commits and cycles through the store, by worker and in this thread, beside the floor of the same run. */
export async function benchStore(): Promise<void> {
  line("fdatasync of 4 KiB a second", fdatasyncPerSecond());
  for (const group of [1, 64, 1_024]) line(`plain rows a second, ${group} a commit`, plainRowsPerSecond({ group }));
  line("medians", "asks/s", "", "cycles/s", "");
  for (const lanes of [1, 64, 1_024]) for (const thread of ["worker", "inline"] as const) await throughput(thread, lanes);
  line("event loop at 1,000 answers a second, ms", "p50", "p99", "max", "backlog");
  for (const commitDelayMs of [0, 5]) {
    for (const thread of ["worker", "inline"] as const) {
      const { p50, p99, max, backlog } = await withStore({ thread, commitDelayMs }, (store) => loopDelay(store));
      line(`  ${thread}, disk ${commitDelayMs} ms slower`, `${p50}`, `${p99}`, `${max}`, backlog);
    }
  }
}
