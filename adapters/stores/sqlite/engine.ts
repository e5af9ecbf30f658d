/**
 * The synchronous engine: one connection, one writer. Runs in a worker thread (worker.ts) or, for tests and benchmarks, inline.
 *
 *   commit(lists): BEGIN IMMEDIATE, each list all or nothing, COMMIT; results only after it returned
 *
 * E1  A list whose condition does not hold, or that breaks the schema, fails alone; the others of the batch are committed. Savepoints
 *     are taken only once a list has failed in the middle.
 * E2  A batch is bounded by time, so that nobody waits long for those behind; what is left over is the next batch.
 * E3  When COMMIT errors nobody is told anything yet: the connection is opened anew and asked for something only this batch wrote. Found:
 *     stored. Not found: the batch runs once more. Unreadable: the instance is broken (H!9, X03).
 * E4  A lock held by another process is told as `busy`: the caller runs the whole batch again (B181).
 */
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { Connection, errorName, isBusy, WAL_LIMIT_BYTES } from "./connection.js";
import { DATABASE_FILE, prepareFolder } from "./folder.js";
import { Housekeeper } from "./housekeeper.js";
import { migrate } from "./migrate.js";
import { type Owner, takeOwnership } from "./owner.js";
import type { EngineSettings, ListResult, Order, Query, Row, TidySlice, WireError } from "./protocol.js";
import { Reader } from "./reader.js";
import { type Witness, witnessOf } from "./witness.js";
import { failsClean, Writer } from "./writer.js";

/** Time after which a batch is committed with what it has, in milliseconds (E2). */
const BATCH_MS = 8;
/** The log's size is looked at once in so many batches. */
const WAL_LOOK_EVERY = 16;

/** What became of a list: the port's result, or an error for its caller alone. */
export type Answer = ListResult | WireError;
/** Wraps the COMMIT of a batch; a seam for tests (lost replies, slow disks). */
export type CommitGate = (commit: () => void) => void;

type Batch = { readonly answers: Answer[]; readonly witness: Witness };

/** The SQLite store without its async side. */
export class Engine {
  readonly tightened: readonly string[];
  readonly schema: number;
  readonly #path: string;
  readonly #owner: Owner;
  readonly #gate: CommitGate;
  /** Names this opened store: its row of `writers`, its chain of the audit. */
  readonly instance = randomBytes(8).toString("hex");
  #connection: Connection;
  #writer: Writer;
  #housekeeper: Housekeeper;
  #reader: Reader;
  #transaction: Transaction;
  #batches = 0;
  #broken = false;

  /**
   * Opens the folder: permissions, ownership, schema.
   * @throws `store_busy`, `config_invalid`; SqliteError when the file is no database.
   */
  constructor(settings: Omit<EngineSettings, "faults">, gate: CommitGate = (commit) => commit()) {
    this.tightened = prepareFolder(settings.folder);
    this.#owner = takeOwnership(settings);
    this.#path = join(settings.folder, DATABASE_FILE);
    this.#gate = gate;
    try {
      this.#connection = new Connection(this.#path);
      this.schema = migrate(this.#connection);
      this.#connection.shortWaits();
    } catch (error) {
      this.#owner.release();
      throw error;
    }
    this.#writer = new Writer(this.#connection, this.instance);
    this.#housekeeper = new Housekeeper(this.#connection);
    this.#transaction = new Transaction(this.#connection);
    this.#reader = this.#newReader();
  }

  /** True once the file could not be read after a failed COMMIT; every call fails from then on. */
  get broken(): boolean {
    return this.#broken;
  }

  /**
   * Commits lists in their order, as many as fit the time of one batch; the answers are those of the first `answers.length` lists.
   * `busy`: another process holds the lock, nothing was done.
   */
  commit(lists: readonly (readonly Order[])[]): readonly Answer[] | "busy" {
    if (this.#broken) return lists.map(() => UNREADABLE);
    for (let attempt = 1; ; attempt += 1) {
      const batch = this.#fill(lists);
      if (batch === "busy") return batch;
      const failure = batch instanceof Failure ? batch : this.#seal(batch);
      if (failure === undefined) return this.#done(batch instanceof Failure ? [] : batch.answers);
      if (!this.#reopen()) return lists.map(() => UNREADABLE);
      if (!(batch instanceof Failure) && this.#stored(batch.witness)) return this.#done(batch.answers);
      if (attempt === 2) return failed(lists, failure);
    }
  }

  /** Reads by named statements. @throws SqliteError; `isBusy` tells whether to try again. */
  read(queries: readonly Query[]): readonly Row[][] {
    return this.#reader.read(queries);
  }

  /** One slice of housekeeping; true when more is left. @throws SqliteError, busy included. */
  tidy(at: TidySlice): boolean {
    return this.#housekeeper.tidy(at);
  }

  /** Truncates the log; false when somebody stood in the way. */
  checkpoint(): boolean {
    return this.#connection.checkpoint();
  }

  walBytes(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Truncates the log, closes the file, gives the folder free. */
  close(): void {
    try {
      if (!this.#broken) this.checkpoint();
      this.#connection.close();
    } finally {
      this.#owner.release();
    }
  }

  #newReader(): Reader {
    return new Reader(this.#connection, () => this.walBytes());
  }

  #done(answers: readonly Answer[]): readonly Answer[] {
    this.#batches += 1;
    if (this.#batches % WAL_LOOK_EVERY === 0 && this.walBytes() > WAL_LIMIT_BYTES) this.checkpoint();
    return answers;
  }

  /** Opens the transaction and applies what fits: lightly, or, where that does not do, with a savepoint for each list (E1). */
  #fill(lists: readonly (readonly Order[])[]): Batch | "busy" | Failure {
    for (const alone of [false, true]) {
      try {
        this.#transaction.begin();
      } catch (error) {
        return isBusy(error) ? "busy" : new Failure(error);
      }
      const answers = this.#applyLists(lists, alone ? (list) => this.#applyAlone(list) : (list) => this.#applyLightly(list));
      if (answers instanceof Failure) return answers;
      if (answers !== "stained") return this.#ready(lists, answers);
      this.#transaction.rollback();
    }
    return new Failure(new Error("a list could not be kept apart"));
  }

  #applyLists(
    lists: readonly (readonly Order[])[],
    apply: (list: readonly Order[]) => Answer | "stained" | Failure,
  ): Answer[] | "stained" | Failure {
    const answers: Answer[] = [];
    const until = performance.now() + BATCH_MS;
    for (const list of lists) {
      const answer = apply(list);
      if (answer instanceof Failure || answer === "stained") return answer;
      answers.push(answer);
      if (performance.now() >= until) break;
    }
    return answers;
  }

  /** Writes what the batch as a whole has to write. */
  #ready(lists: readonly (readonly Order[])[], answers: Answer[]): Batch | Failure {
    const done = lists.slice(0, answers.length).filter((_, index) => succeeded(answers[index]));
    const witness = witnessOf(done, { name: this.instance });
    try {
      this.#writer.endBatch();
      if (witness.kind === "batch") this.#writer.run("note_batch", [this.instance, witness.batch]);
    } catch (error) {
      return this.#abandoned(error);
    }
    return { answers, witness };
  }

  /**
   * One list without a savepoint, which would cost as much as two changes: most lists that fail do so at their first change, which
   * then has changed nothing. "stained": the list failed later on, and the whole batch is to be applied anew with savepoints.
   */
  #applyLightly(list: readonly Order[]): Answer | "stained" | Failure {
    try {
      const answer = this.#applyAll(list);
      this.#writer.endList(answer.ok);
      const [first] = list;
      return answer.ok || (answer.at === 0 && first !== undefined && failsClean(first)) ? answer : this.#stained();
    } catch (error) {
      if (!this.#connection.db.inTransaction) return new Failure(error);
      return this.#stained();
    }
  }

  #stained(): "stained" {
    this.#writer.forget();
    return "stained";
  }

  /** One list in its own savepoint. A `Failure` is one of the whole transaction, which SQLite then has rolled back. */
  #applyAlone(list: readonly Order[]): Answer | Failure {
    try {
      this.#transaction.save();
      const answer = this.#applyAll(list);
      (answer.ok ? this.#transaction.keep : this.#transaction.undo)();
      this.#writer.endList(answer.ok);
      return answer;
    } catch (error) {
      this.#writer.endList(false);
      if (!this.#connection.db.inTransaction) return new Failure(error);
      try {
        this.#transaction.undo();
      } catch (second) {
        return this.#abandoned(second);
      }
      return refusedByFile(error);
    }
  }

  #applyAll(list: readonly Order[]): ListResult {
    const events: number[] = [];
    for (const [at, order] of list.entries()) {
      const why = this.#writer.apply(order, events);
      if (why !== undefined) return { ok: false, at, why };
    }
    return { ok: true, events };
  }

  #abandoned(error: unknown): Failure {
    if (this.#connection.db.inTransaction) this.#connection.db.exec("rollback");
    return new Failure(error);
  }

  #seal(batch: Batch): Failure | undefined {
    try {
      if (batch.witness.kind === "nothing") this.#transaction.rollback();
      else this.#gate(() => this.#transaction.commit());
      return undefined;
    } catch (error) {
      return new Failure(error);
    }
  }

  /** A fresh connection reads what is in the file, not what the old one believes (E3). False: broken from now on. */
  #reopen(): boolean {
    try {
      if (this.#connection.db.inTransaction) this.#connection.db.exec("rollback");
      this.#connection.close();
    } catch {
      // The old connection is given up whatever it says.
    }
    try {
      this.#connection = new Connection(this.#path);
      this.#connection.shortWaits();
      this.#writer = new Writer(this.#connection, this.instance);
      this.#housekeeper = new Housekeeper(this.#connection);
      this.#transaction = new Transaction(this.#connection);
      this.#reader = this.#newReader();
      this.#connection.db.prepare("select count(*) from writers").get();
      return true;
    } catch {
      this.#broken = true;
      return false;
    }
  }

  #stored(witness: Witness): boolean {
    if (witness.kind === "nothing") return false;
    const { sql, values } = witness;
    return this.#connection.prepare(sql).get(values) !== undefined;
  }
}

/** The statements of a transaction, prepared once. */
class Transaction {
  readonly begin: () => void;
  readonly save: () => void;
  readonly keep: () => void;
  readonly undo: () => void;
  readonly commit: () => void;
  readonly rollback: () => void;

  constructor(connection: Connection) {
    const runner = (sql: string): (() => void) => {
      const statement = connection.prepare(sql);
      return () => void statement.run([]);
    };
    const [toSavepoint, release] = [runner("rollback to list"), runner("release list")];
    this.begin = runner("begin immediate");
    this.save = runner("savepoint list");
    this.keep = release;
    this.undo = () => {
      toSavepoint();
      release();
    };
    this.commit = runner("commit");
    this.rollback = runner("rollback");
  }
}

class Failure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

function succeeded(answer: Answer | undefined): boolean {
  return answer !== undefined && "ok" in answer && answer.ok;
}

const UNREADABLE: WireError = {
  code: "store_unavailable",
  message: "The store could not be read after a failed commit: whether this was stored is not known. Start the bridge anew, then look.",
};

function failed(lists: readonly (readonly Order[])[], { error }: Failure): WireError[] {
  const message = `The store could not commit (${errorName(error)}): nothing of this call was stored. Make the same call again later.`;
  return lists.map(() => ({ code: "store_unavailable", message }));
}

function refusedByFile(error: unknown): WireError {
  return { code: "store_unavailable", message: `The store refused this list (${errorName(error)}): nothing of it was stored.` };
}
