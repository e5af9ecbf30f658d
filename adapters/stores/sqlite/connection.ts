/**
 * One connection to the file, as every connection must be set, and prepared statements over plain rows. better-sqlite3
 * stands here and in the lock (owner.ts), nowhere else.
 *
 * N1  `synchronous = FULL` is set after WAL, on every connection: better-sqlite3 is compiled so that WAL alone means NORMAL, which
 *     loses acknowledged answers when power fails.
 * N2  Lock waits here are 5 ms at most; whoever meets a lock tries again later without holding a thread (pump.ts).
 */
import Database from "better-sqlite3";
import type { Row, Value } from "./values.js";

/** Longest wait for another process's lock inside one call, in milliseconds; while opening, when nobody waits for an answer yet. */
const BUSY_TIMEOUT_MS = 5;
const OPENING_TIMEOUT_MS = 5_000;
/** A write-ahead log is cut down to this when it starts over; beyond it a checkpoint is tried at once (B184: never over 64 MiB). */
export const WAL_LIMIT_BYTES = 16 * 1024 * 1024;

const WRITER_SETTINGS = [
  "journal_mode = WAL",
  "synchronous = FULL", // N1
  "secure_delete = ON",
  "foreign_keys = ON",
  "temp_store = MEMORY", // savepoint journals with people's text never reach a temporary file
  `journal_size_limit = ${WAL_LIMIT_BYTES}`,
];
/** A reader never writes, sorts in memory, and keeps half of the usual 16 MB of pages. */
const READER_SETTINGS = ["synchronous = FULL", "temp_store = MEMORY", "cache_size = -8000"];

/** A prepared statement. Values stand in the order of its places; `?1` in SQL may be used more than once. */
export type Statement = {
  /** Runs it; tells how many rows changed and the last row id given. */
  run(values: readonly Value[]): { readonly changes: number; readonly lastId: number };
  get(values: readonly Value[]): Row | undefined;
  all(values: readonly Value[]): Row[];
};

/** An open connection. */
export class Connection {
  readonly db: Database.Database;

  /**
   * `readonly`: for reading beside the engine.
   * @throws SqliteError when the file is missing (a lost file is never replaced by an empty one), cannot be opened, or is no database.
   */
  constructor(path: string, { readonly = false }: { readonly readonly?: boolean } = {}) {
    this.db = new Database(path, { timeout: OPENING_TIMEOUT_MS, fileMustExist: true, readonly });
    try {
      for (const setting of readonly ? READER_SETTINGS : WRITER_SETTINGS) this.db.pragma(setting);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** From now on a lock is waited for 5 ms at most (N2). */
  shortWaits(): void {
    this.db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }

  prepare(sql: string): Statement {
    // better-sqlite3 takes `?1` for a name; numbered places are written out as bare ones, and the values put in their order.
    const order: number[] = [];
    const bare = sql.replaceAll(/\?(\d+)/g, (_, place: string) => {
      order.push(Number(place) - 1);
      return "?";
    });
    const arrange = order.length === 0 ? (values: readonly Value[]) => values : (values: readonly Value[]) => picked(values, order);
    const statement = this.db.prepare<Value[], Row>(bare);
    const reader = statement.reader ? statement.raw() : statement;
    return {
      run: (values) => {
        const { changes, lastInsertRowid } = statement.run(...arrange(values));
        return { changes, lastId: Number(lastInsertRowid) };
      },
      get: (values) => reader.get(...arrange(values)),
      all: (values) => reader.all(...arrange(values)),
    };
  }

  /** Moves the log into the file and truncates it. False when a reader or writer stood in the way. */
  checkpoint(): boolean {
    const rows = this.db.prepare<[], Row>("pragma wal_checkpoint(TRUNCATE)").raw().all();
    return rows[0]?.[0] === 0;
  }

  close(): void {
    this.db.close();
  }
}

function picked(values: readonly Value[], order: readonly number[]): Value[] {
  return order.map((place) => values[place] ?? null);
}

/** Is this error a lock held by another connection? Then the whole transaction is to be tried again (B181). */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && (error.code.startsWith("SQLITE_BUSY") || error.code === "SQLITE_LOCKED");
}

/** The short name of a store error, for messages: never the statement's values. */
export function errorName(error: unknown): string {
  if (error instanceof Database.SqliteError) return error.code;
  return error instanceof Error ? error.message : "unknown error";
}
