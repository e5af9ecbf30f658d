/**
 * The same store with its engine in the calling thread: for the benchmark that compares the two, and for tests that put a fault into
 * COMMIT. Not for the product: a slow disk holds the event loop.
 */
import { HandraiseError } from "../../../src/errors.js";
import type { Clock } from "../../../src/ports/clock.js";
import { type CommitGate, Engine } from "./engine.js";
import { Executor } from "./executor.js";
import { Pump } from "./pump.js";
import { readHere } from "./reader.js";
import { SqliteStore } from "./store.js";

/** The open store, and the engine under it. */
export type InlineSqliteStore = { readonly store: SqliteStore; readonly engine: Engine };

/** Opens the folder in this thread. @throws as `Engine`: `store_busy`, `config_invalid`, SqliteError. */
export function openInlineSqliteStore({
  folder,
  clock,
  shared = false,
  gate,
}: {
  readonly folder: string;
  readonly clock: Clock;
  readonly shared?: boolean;
  /** Wraps every COMMIT. */
  readonly gate?: CommitGate;
}): InlineSqliteStore {
  const engine = new Engine({ folder, shared, command: "inline" }, gate);
  const executor: Executor = new Executor({ send: (message) => pump.push(message), hold: () => undefined });
  const pump = new Pump(engine, (answers) => executor.take(answers));
  const ended = async (): Promise<void> => void executor.lose(new HandraiseError("store_unavailable", "The store is closed."));
  return {
    store: new SqliteStore(executor, { instance: engine.instance, clock, here: readHere((queries) => engine.read(queries)), ended }),
    engine,
  };
}
