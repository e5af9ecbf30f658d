/**
 * What stands still: heap per idle wait, and the way back after a restart with many questions open. Each runs in a process of its
 * own (`node --expose-gc`), started by main.ts, and prints one JSON line.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchBridge, openBenchBridge, type Pressable, pressFirst, watchPrompts } from "./cycles.js";
import { span } from "./span.js";

const AT_ONCE = 500;

async function askMany(bench: BenchBridge, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - ids.length) }, (_, index) =>
      bench.bridge.ask({ to: `p${index}`, text: "Where does release 42 go?", options: ["staging", "prod"], timeout: "20d" }),
    );
    ids.push(...(await Promise.all(some)).map(({ id }) => id));
  }
  return ids;
}

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await span(100);
  }
  return process.memoryUsage().heapUsed;
}

export type IdleFigures = { readonly heapPerWait: number; readonly heapPerOpen: number; readonly cpuShare: number };

/** Heap in bytes per open question that a local promise awaits, and per one that nobody here awaits; CPU share while all are idle. */
export async function measureIdle(count: number): Promise<IdleFigures> {
  const bench = await openBenchBridge({ people: AT_ONCE });
  await askMany(bench, 1_000);
  const before = await settledHeap();
  const ids = await askMany(bench, count);
  await untilShown(bench);
  const asked = await settledHeap();
  const questions = await Promise.all(ids.map((id) => bench.bridge.question(id)));
  const held = await settledHeap();
  const waits = questions.map((question) => question.outcome());
  const waiting = await settledHeap();
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await span(3_000);
  const used = process.cpuUsage(cpu);
  const cpuShare = (used.user + used.system) / 1_000 / (performance.now() - startMs);
  // What the caller hangs on its promise is the caller's: only now, so that it is not measured.
  const ended = Promise.allSettled(waits);
  await bench.end();
  await ended;
  return { heapPerWait: (waiting - held) / count, heapPerOpen: (asked - before) / count, cpuShare };
}

/** Resolves when no copy is left to be sent. */
async function untilShown(bench: BenchBridge): Promise<void> {
  while ((await bench.store.nextDue()).copyMs !== null) await span(50);
}

export type RestartFigures = { readonly openMs: number; readonly firstAnswerMs: number };

/** From the start of a bridge over `count` open questions to ready, and to the first answer committed and handed over. */
export async function measureRestart(count: number): Promise<RestartFigures> {
  const folder = await mkdtemp(join(tmpdir(), "handraise-bench-restart-"));
  try {
    const first = await openBenchBridge({ folder, people: AT_ONCE });
    const shown: Pressable[] = [];
    watchPrompts(first, (prompt) => {
      shown[0] = prompt;
    });
    await askMany(first, count);
    await untilShown(first);
    await first.end();
    const startMs = performance.now();
    const second = await openBenchBridge({ folder, people: AT_ONCE });
    const openMs = performance.now() - startMs;
    const [last] = shown;
    if (last === undefined) throw new Error("nothing was shown");
    const question = await second.bridge.question(last.question);
    await pressFirst(second, last, "after-restart");
    await question.outcome();
    const firstAnswerMs = performance.now() - startMs;
    await second.end();
    return { openMs, firstAnswerMs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
