/**
 * The engine's queue: what arrives while a batch is committing shares the next one (group commit, ST1).
 *
 *   push ──► reads at once, each round ──► answers of the round
 *        └─► commits, then tasks, when no earlier commit waits
 *
 * P1  Reads run before the commits of their round: they see every commit that was answered before they were asked (ST4).
 * P2  A lock held by another process is waited for by a timer, never by the thread; reads go on meanwhile (B181).
 * P3  Nothing is left without an answer: what cannot be done is answered with an error.
 */
import { errorName, isBusy } from "./connection.js";
import type { Answer, Engine } from "./engine.js";
import type { FromEngine, ListResult, Order, Query, Row, Task, TaskResult, ToEngine, WireError } from "./protocol.js";

/** Longest wait for another process's lock, in milliseconds; then the call fails with `store_unavailable`. */
export const LOCK_WAIT_MS = 30_000;
/** Pause before a lock is tried again, in milliseconds: drawn anew each time, so that two processes do not keep meeting. */
const RETRY_MIN_MS = 1;
const RETRY_SPREAD_MS = 4;

type Queued<T> = [seq: number, body: T];
type Round = {
  readonly commits: Queued<ListResult>[];
  readonly reads: Queued<readonly (readonly Row[])[]>[];
  readonly tasks: Queued<TaskResult>[];
  readonly errors: Queued<WireError>[];
};

/** Runs one engine for requests that come in messages. */
export class Pump {
  readonly #engine: Engine;
  readonly #answer: (answers: FromEngine) => void;
  #commits: Queued<readonly Order[]>[] = [];
  #reads: Queued<readonly Query[]>[] = [];
  #tasks: Queued<Task>[] = [];
  #scheduled = false;
  /** Since when something waits for a lock; undefined when none does. */
  #lockedSince: number | undefined;

  constructor(engine: Engine, answer: (answers: FromEngine) => void) {
    this.#engine = engine;
    this.#answer = answer;
  }

  /** Takes a message; its answers come by `answer`, together with those of others. */
  push({ commits, reads, tasks }: ToEngine): void {
    for (const [seq, body] of commits) this.#commits.push([seq, body]);
    for (const [seq, body] of reads) this.#reads.push([seq, body]);
    for (const [seq, body] of tasks) this.#tasks.push([seq, body]);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    this.#scheduled = false;
    const round: Round = { commits: [], reads: [], tasks: [], errors: [] };
    const reads = this.#reads;
    this.#reads = [];
    for (const read of reads) this.#read(read, round);
    const locked = this.#commits.length > 0 ? this.#commit(round) : this.#task(round);
    this.#send(round);
    if (locked || this.#reads.length > 0) {
      this.#waitForLock();
      return;
    }
    this.#lockedSince = undefined;
    if (this.#commits.length > 0 || this.#tasks.length > 0) this.#schedule();
  }

  #send(round: Round): void {
    const count = round.commits.length + round.reads.length + round.tasks.length + round.errors.length;
    if (count > 0 || this.#engine.broken) this.#answer({ ...round, broken: this.#engine.broken });
  }

  #read([seq, queries]: Queued<readonly Query[]>, round: Round): void {
    try {
      round.reads.push([seq, this.#engine.read(queries)]);
    } catch (error) {
      if (isBusy(error)) this.#reads.push([seq, queries]);
      else round.errors.push([seq, unreadable(error)]);
    }
  }

  /** One batch. True when another process holds the lock. */
  #commit(round: Round): boolean {
    const answers = this.#engine.commit(this.#commits.map(([, orders]) => orders));
    if (answers === "busy") return true;
    const done = this.#commits.slice(0, answers.length);
    this.#commits = this.#commits.slice(answers.length);
    for (const [index, [seq]] of done.entries()) {
      const answer: Answer | undefined = answers[index];
      if (answer === undefined) continue;
      if ("ok" in answer) round.commits.push([seq, answer]);
      else round.errors.push([seq, answer]);
    }
    return false;
  }

  /** One task, once no commit waits. True when another process holds the lock. */
  #task(round: Round): boolean {
    const [first] = this.#tasks;
    if (first === undefined) return false;
    const [seq, task] = first;
    try {
      round.tasks.push([seq, { again: this.#run(task) }]);
    } catch (error) {
      if (isBusy(error)) return true;
      round.errors.push([seq, unreadable(error)]);
    }
    this.#tasks.shift();
    return false;
  }

  #run(task: Task): boolean {
    switch (task.kind) {
      case "tidy":
        return this.#engine.tidy(task.at);
      case "checkpoint":
        return !this.#engine.checkpoint();
      case "close":
        this.#engine.close();
        return false;
    }
  }

  #waitForLock(): void {
    const now = performance.now();
    this.#lockedSince ??= now;
    if (now - this.#lockedSince > LOCK_WAIT_MS) {
      this.#giveUp();
      return;
    }
    setTimeout(() => this.#schedule(), RETRY_MIN_MS + Math.random() * RETRY_SPREAD_MS);
  }

  #giveUp(): void {
    const message = `Another process has held the store's lock for ${LOCK_WAIT_MS / 1_000} s: nothing of this call was stored. Find and stop it.`;
    const errors: Queued<WireError>[] = [...this.#commits, ...this.#reads, ...this.#tasks].map(([seq]) => [
      seq,
      { code: "store_unavailable", message },
    ]);
    this.#commits = [];
    this.#reads = [];
    this.#tasks = [];
    this.#lockedSince = undefined;
    this.#send({ commits: [], reads: [], tasks: [], errors });
  }
}

function unreadable(error: unknown): WireError {
  return {
    code: "store_unavailable",
    message: `The store could not be read (${errorName(error)}). Try again; if it stays, look at the disk.`,
  };
}
