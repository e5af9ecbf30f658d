/** What the SQLite store's tests share: folders, a clock, a log that keeps its lines, other processes. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openSqliteStore, type SqliteStoreOptions } from "../../../../adapters/stores/sqlite/index.js";
import { openInlineSqliteStore } from "../../../../adapters/stores/sqlite/inline.js";
import { parseQuestionId, type QuestionId } from "../../../../src/core/ids.js";
import type { Clock } from "../../../../src/ports/clock.js";
import type { Log } from "../../../../src/ports/log.js";
import type { Store } from "../../../../src/ports/store.js";
import type { StoreBench } from "../../../../src/testing/contract/store-bench.js";

/** Real time, without holding the process. */
export const REAL_CLOCK: Clock = {
  now: () => Date.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A clock whose timers run when the test says so. */
export class HandClock implements Clock {
  readonly armed: { readonly delayMs: number; readonly run: () => void }[] = [];

  now(): number {
    return 0;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { delayMs, run };
    this.armed.push(timer);
    return () => void this.armed.splice(this.armed.indexOf(timer), 1);
  }

  /** Runs what is armed now. */
  fire(): void {
    for (const { run } of this.armed.splice(0)) run();
  }
}

/** Keeps every line that warns or worse. */
export class LineLog implements Log {
  readonly lines: { readonly facts: Readonly<Record<string, unknown>>; readonly message: string }[] = [];
  debug(): void {}
  info(): void {}
  warn(facts: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ facts, message });
  }
  error(facts: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ facts, message });
  }
}

/** A fresh folder and its removal. */
export function temporaryFolder(): { readonly folder: string; readonly remove: () => void } {
  const parent = mkdtempSync(join(tmpdir(), "handraise-store-"));
  return { folder: join(parent, "data"), remove: () => rmSync(parent, { recursive: true, force: true }) };
}

/** Opens by worker thread, as the product does. */
export function openByWorker(folder: string, options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  return openSqliteStore({ folder, clock: REAL_CLOCK, log: new LineLog(), ...options });
}

/** Opens in this thread. */
export async function openInline(folder: string, options: { readonly shared?: boolean } = {}): Promise<Store> {
  return openInlineSqliteStore({ folder, clock: REAL_CLOCK, ...options }).store;
}

/** A bench of the store contract over one way of opening; all its instances share the folder. */
export function storeBench(open: (folder: string, options: { readonly shared: boolean }) => Promise<Store>): () => Promise<StoreBench> {
  return async () => {
    const { folder, remove } = temporaryFolder();
    const stores: Store[] = [];
    const opened = async (): Promise<Store> => {
      const store = await open(folder, { shared: true });
      stores.push(store);
      return store;
    };
    const closeAll = async (): Promise<void> => {
      await Promise.all(stores.splice(0).map((store) => store.close()));
    };
    return {
      store: await opened(),
      second: opened,
      reopen: async () => {
        await closeAll();
        return opened();
      },
      askUntilKilled: async () => {
        await closeAll();
        return askedUntilKilled(folder);
      },
      stop: async () => {
        await closeAll();
        remove();
      },
    };
  };
}

/** Another process of this test suite, from its TypeScript source. */
export function startProcess(name: string, args: readonly string[]): ChildProcess {
  const script = fileURLToPath(new URL(`./processes/${name}.ts`, import.meta.url));
  return spawn(process.execPath, ["--import", "tsx", script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** The lines a process prints. */
export function linesOf(child: ChildProcess): AsyncIterable<string> {
  if (child.stdout === null) throw new Error("no output");
  return createInterface(child.stdout);
}

/** Resolves with the exit code; null after a signal. */
export function ended(child: ChildProcess): Promise<number | null> {
  return child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once("exit", resolve));
}

/** Kills the asking process once it was told of 200 questions; gives all it printed. */
async function askedUntilKilled(folder: string): Promise<readonly QuestionId[]> {
  const child = startProcess("asker", [folder]);
  const told: QuestionId[] = [];
  for await (const line of linesOf(child)) {
    const id = parseQuestionId(line);
    if (id !== undefined) told.push(id);
    if (told.length === 200) child.kill("SIGKILL");
  }
  await ended(child);
  return told;
}
