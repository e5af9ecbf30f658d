/**
 * The SQLite store's door: one data folder, one file, one engine in a worker thread behind the async port.
 *
 * Next to read: store.ts (the port), executor.ts (messages), pump.ts (group commit), engine.ts (transactions), writer.ts (changes).
 *
 * Where it runs (test/bench/store.ts, 2026-12-01, 2 shared cores; load average 3, then 11; event loop at 1,000 answers a second):
 *
 *                           engine in a worker thread           engine in this thread
 *   load 3                  p99 3.9 ms, max 10.7 ms             p99 11.0 ms, max 16.4 ms
 *   load 3, disk 5 ms slow  p99 4.6 ms, max 9.5 ms              p99 18.9 ms, max 33.9 ms
 *   load 11                 p99 9.7 ms, max 19.0 ms             p99 18.5 ms, max 28.4 ms
 *   load 11, disk 5 ms slow p99 8.1 ms, max 24.1 ms             p99 36.2 ms, max 38.7 ms
 *
 *   of the plain loop       asks 64 / 1,024   cycles 64 / 1,024
 *   worker, load 3          0.63 / 0.45       0.39 / 0.63
 *   inline, load 3          0.65 / 0.53       0.32 / 0.46
 *   worker, load 11         0.58 / 0.35       0.22 / 0.29
 *   inline, load 11         0.74 / 0.54       0.35 / 0.47
 *
 * (Load 3 was measured before lists went without savepoints, load 11 after; a quiet machine is still to be measured.) So commits run in
 * a worker: no disk holds the loop. Where no core is free it costs throughput, 0.29 against 0.47 of the loop's cycles: the price of a
 * loop that stays free. Reads of a few rows run here, over a connection of their own: no message, and in WAL they wait for no commit.
 */

import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { HandraiseError } from "../../../src/errors.js";
import type { Clock } from "../../../src/ports/clock.js";
import type { Log } from "../../../src/ports/log.js";
import type { Store } from "../../../src/ports/store.js";
import { Connection, errorName } from "./connection.js";
import { Executor, errorOf } from "./executor.js";
import { DATABASE_FILE } from "./folder.js";
import type { EngineSettings, FromEngine, Greeting, SqliteFaults } from "./protocol.js";
import { readHere } from "./reader.js";
import { SqliteStore } from "./store.js";
import { TurnReader } from "./turn-reader.js";

/** How to open a data folder; only `folder`, `clock` and `log` are needed. */
export type SqliteStoreOptions = {
  /** The data folder; made with 0700 when it is missing. On a local disk. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Lets several instances own the folder at once (rolling restart, tests). Default false. */
  readonly shared?: boolean;
  /** The command named to a second bridge that finds the folder taken. Default: this program's name and first argument. */
  readonly command?: string;
  /** Called once when the store is gone for good (its thread ended, or the file cannot be read): the instance is not ready any more. */
  readonly onUnhealthy?: (error: HandraiseError) => void;
  /** For tests and benchmarks: commits that fail, a slower disk. */
  readonly faults?: SqliteFaults;
};

/**
 * Opens the store of a data folder.
 * @throws {HandraiseError} `store_busy`: another bridge owns the folder, named by process and command. `config_invalid`: the folder is
 *   on a network file system, not ours, or written by a newer version. `store_unavailable`: the file cannot be opened.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { folder, clock, log, shared = false, command = ownCommand(), faults = {}, onUnhealthy } = options;
  const worker = startWorker({ folder, shared, command, faults });
  const { tightened, schema, instance } = await greeted(worker);
  const connection = await openedBeside(worker, join(folder, DATABASE_FILE));
  const reader = new TurnReader(connection);
  for (const file of tightened) log.warn({ file }, "The store's folder or file could be read by others; its permissions were tightened.");
  log.debug({ schema }, "The store is open.");
  const executor = new Executor({
    send: (message) => worker.postMessage(message),
    hold: (waiting) => (waiting ? worker.ref() : worker.unref()),
  });
  const lost = (message: string, cause?: unknown): void => {
    const error = new HandraiseError("store_unavailable", message, { cause });
    if (!executor.lose(error)) return;
    log.error({ reason: cause instanceof Error ? cause.message : null }, message);
    onUnhealthy?.(error);
  };
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.on("message", (answers: FromEngine) => {
    reader.end();
    executor.take(answers);
    if (!answers.broken) return;
    lost("The store can no longer be read. Start the bridge anew.");
    void worker.terminate();
  });
  worker.on("error", (cause) => lost("The store's thread failed. Start the bridge anew.", cause));
  worker.on("exit", () => lost("The store's thread ended. Start the bridge anew."));
  worker.unref();
  const ended = async (): Promise<void> => {
    reader.close();
    executor.lose(new HandraiseError("store_unavailable", "The store is closed."));
    worker.ref();
    await worker.terminate();
    await exited;
  };
  return new SqliteStore(executor, { instance, clock, here: readHere((queries) => reader.read(queries)), ended });
}

/** A connection to read by, beside the worker's; the worker ends when there is none. */
async function openedBeside(worker: Worker, path: string): Promise<Connection> {
  try {
    const connection = new Connection(path, { readonly: true });
    connection.shortWaits();
    return connection;
  } catch (cause) {
    await worker.terminate();
    const message = `The store could not be opened (${errorName(cause)}). Look at the data folder and its disk, then start again.`;
    throw new HandraiseError("store_unavailable", message, { cause });
  }
}

/** Runs as plain JavaScript when installed, and from sources, through tsx, in tests. */
function startWorker(settings: EngineSettings): Worker {
  const options = { workerData: settings, name: "handraise-store", execArgv: [] };
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./worker.js", import.meta.url), options);
  // `--import tsx` is not enough here: Node 20 does not run it for the entry of a thread. The thread registers it itself.
  const tsx = pathToFileURL(
    createRequire(import.meta.url)
      .resolve("tsx/esm/api")
      .replace(/\.cjs$/, ".mjs"),
  );
  const entry = new URL("./worker.ts", import.meta.url);
  const start = `import { register } from ${JSON.stringify(tsx.href)}; register(); await import(${JSON.stringify(entry.href)});`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(start)}`), options);
}

function greeted(worker: Worker): Promise<Extract<Greeting, { readonly kind: "open" }>> {
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown): void => {
      const message = "The store's thread could not start. Look at the data folder and the installation, then start again.";
      reject(new HandraiseError("store_unavailable", message, { cause }));
    };
    worker.once("message", (greeting: Greeting) => {
      for (const name of ["message", "error", "exit"]) worker.removeAllListeners(name);
      if (greeting.kind === "open") resolve(greeting);
      else void worker.terminate().then(() => reject(errorOf(greeting.error)), failed);
    });
    worker.once("error", failed);
    worker.once("exit", (code) => failed(new Error(`exit ${code}`)));
  });
}

/** "handraise start": never further arguments, which may hold what is nobody's business. */
function ownCommand(): string {
  const [, program = "node", verb = ""] = process.argv;
  return /^[a-z][a-z-]*$/.test(verb) ? `${basename(program)} ${verb}` : basename(program);
}
