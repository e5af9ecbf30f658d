/**
 * Runs the named reads over one connection. The engine has one, and so has the thread that asks: a look-up by id takes some ten
 * microseconds, less than sending the question to the worker, and in WAL a reader waits for no commit.
 */
import { HandraiseError } from "../../../src/errors.js";
import { type Connection, errorName, isBusy, type Statement } from "./connection.js";
import type { Query, Row } from "./protocol.js";
import { QUERIES, type QueryName } from "./queries.js";

/** Reads that are small whatever is stored: these may run in the thread that asks. The others go to the worker. */
const SMALL: ReadonlySet<QueryName> = new Set([
  "question",
  "standing",
  "key_held",
  "key_free",
  "open_by_code",
  "open_count",
  "copy",
  "copies_of",
  "copy_by_message",
  "last_end",
  "next_copy",
  "next_question",
  "next_notice",
  "input",
  "receipt",
  "aside",
  "events_oldest",
  "newest",
  "memory",
  "tombstone",
  "tombstone_copy",
  "next_check",
  "run",
  "next_lease",
  "session",
  "key_by_hash",
  "instances",
  "audit_tail",
]);
/** Reads whose last value is their limit: small while that is. */
const LIMITED: ReadonlySet<QueryName> = new Set([
  "due_copies",
  "due_questions",
  "due_notices",
  "events",
  "events_session",
  "open_principal",
  "due_copies_of",
  "due_checks",
  "open_of_closed_runs",
  "open_of_run",
  "open_of_principal",
]);
/** Up to this many rows a limited read is small. */
const SMALL_LIMIT = 200;

/** May these run in the thread that asks without holding it (B189)? */
export function areSmall(queries: readonly Query[]): boolean {
  return queries.every(([name, ...values]) => SMALL.has(name) || (LIMITED.has(name) && Number(values.at(-1)) <= SMALL_LIMIT));
}

/** Reads in the thread that asks; undefined when a lock stands in the way, then the engine is asked. */
export type ReadHere = (queries: readonly Query[]) => readonly (readonly Row[])[] | undefined;

/** Reading here by `read`. @throws `store_unavailable` when the file cannot be read. */
export function readHere(read: (queries: readonly Query[]) => readonly (readonly Row[])[]): ReadHere {
  return (queries) => {
    try {
      return read(queries);
    } catch (cause) {
      if (isBusy(cause)) return undefined;
      const message = `The store could not be read (${errorName(cause)}). Try again; if it stays, look at the disk.`;
      throw new HandraiseError("store_unavailable", message, { cause });
    }
  };
}

/** Prepared reads of one connection. */
export class Reader {
  readonly #connection: Connection;
  readonly #walBytes: () => number;
  readonly #statements = new Map<QueryName, Statement>();

  constructor(connection: Connection, walBytes: () => number) {
    this.#connection = connection;
    this.#walBytes = walBytes;
  }

  /** @throws SqliteError; `isBusy` tells whether to try again. */
  read(queries: readonly Query[]): readonly Row[][] {
    return queries.map(([name, ...values]) => (name === "wal_bytes" ? [[this.#walBytes()]] : this.#statement(name).all(values)));
  }

  #statement(name: Exclude<QueryName, "wal_bytes">): Statement {
    let statement = this.#statements.get(name);
    if (statement === undefined) {
      statement = this.#connection.prepare(QUERIES[name]);
      this.#statements.set(name, statement);
    }
    return statement;
  }
}
