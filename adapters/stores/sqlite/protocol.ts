/**
 * What the async side of the SQLite store and its engine say to each other: rows of plain values only, so that a message between
 * threads is cloned cheaply (a flat row costs about a sixth of an object with names, measured 2026-12-01).
 *
 * Decides nothing; see rows.ts for what stands in which place, engine.ts for what is done with it.
 */
import type { Change } from "../../../src/ports/store.js";
import type { QueryName } from "./queries.js";
import type { Row, Value } from "./values.js";

export type { Row, Value } from "./values.js";

/** One change: its name, then its values in the order of its statement. */
export type Order = readonly [kind: Change["do"], ...values: Value[]];
/** One named statement of queries.ts with its values. */
export type Query = readonly [name: QueryName, ...values: Value[]];
/** Why a list of changes was not applied, as the port names it. */
export type Why = "exists" | "settled" | "late" | "early" | "stale" | "run_over";
/** How one list ended; `events` holds id and version of each event in turn. */
export type ListResult =
  | { readonly ok: true; readonly events: readonly number[] }
  | { readonly ok: false; readonly at: number; readonly why: Why };

/** One slice of housekeeping, in the port's terms. */
export type TidySlice = { readonly nowMs: number; readonly endedBeforeMs: number; readonly limit: number };
/** Work that is neither a commit nor a read. `close` is the last one. */
export type Task = { readonly kind: "tidy"; readonly at: TidySlice } | { readonly kind: "checkpoint" } | { readonly kind: "close" };
/** `tidy`: more is left. `checkpoint`: a reader stood in the way, try again. */
export type TaskResult = { readonly again: boolean };

/** An error as it travels: its code and text, never what a person wrote. */
export type WireError = {
  readonly code: "store_unavailable" | "store_busy" | "config_invalid";
  readonly message: string;
  readonly facts?: Readonly<Record<string, unknown>>;
};

type Numbered<T> = readonly (readonly [seq: number, body: T])[];
/** One tick's worth of requests. */
export type ToEngine = {
  readonly commits: Numbered<readonly Order[]>;
  readonly reads: Numbered<readonly Query[]>;
  readonly tasks: Numbered<Task>;
};
/** One round's worth of answers. */
export type FromEngine = {
  readonly commits: Numbered<ListResult>;
  readonly reads: Numbered<readonly (readonly Row[])[]>;
  readonly tasks: Numbered<TaskResult>;
  readonly errors: Numbered<WireError>;
  /** Set when the store can no longer be read: the instance is not ready until it is opened anew. */
  readonly broken: boolean;
};

/** What a test may make go wrong in COMMIT, in order, one per commit; `ok` afterwards. */
export type CommitFault = "ok" | "fail_before" | "fail_after" | "crash";
/** Faults of a test or a benchmark: a slower disk, commits that fail. `unreadable`: after a failed commit the file cannot be opened. */
export type SqliteFaults = {
  readonly commitDelayMs?: number;
  readonly commits?: readonly CommitFault[];
  readonly unreadable?: boolean;
};

/** What the engine needs to open. */
export type EngineSettings = {
  readonly folder: string;
  readonly shared: boolean;
  /** The command named to whoever finds the folder taken. */
  readonly command: string;
  readonly faults: SqliteFaults;
};
/** What the worker says first: open, or why not. `tightened` names files whose permissions were wrong. */
export type Greeting =
  | { readonly kind: "open"; readonly tightened: readonly string[]; readonly schema: number; readonly instance: string }
  | { readonly kind: "failed"; readonly error: WireError };
