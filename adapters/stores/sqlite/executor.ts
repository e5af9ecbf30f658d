/**
 * The async side of an engine: numbers each request, gathers those of one turn of the event loop into one message, and settles each
 * when its answer comes.
 *
 * X1  Nothing hangs: when the engine is gone, everything pending and everything later is rejected with `store_unavailable`.
 * X2  Requests leave at the end of the turn of the event loop, all in one message: those that one batch woke share the next one.
 * X3  A batch may answer a thousand requests; each wakes work of its own, so they are handed out in slices and the event loop is never
 *     held by all of them together.
 */
import { HandraiseError } from "../../../src/errors.js";
import type { FromEngine, ListResult, Order, Query, Row, Task, TaskResult, ToEngine, WireError } from "./protocol.js";

/** Most answers handed out in one turn of the event loop: about 0.2 ms of work each wakes (bench, 1,024 waits). */
const HANDED_AT_ONCE = 48;

/** Where messages go: a worker thread, or an engine in this thread. */
export type Link = {
  send(message: ToEngine): void;
  /** Something waits for an answer, or nothing does any more: a waiting process stays alive, an idle one may end. */
  hold(waiting: boolean): void;
};

type Pending<T> = Map<number, { readonly resolve: (value: T) => void; readonly reject: (error: unknown) => void }>;

/** Requests and answers over one link. */
export class Executor {
  readonly #link: Link;
  readonly #commits: Pending<ListResult> = new Map();
  readonly #reads: Pending<readonly (readonly Row[])[]> = new Map();
  readonly #tasks: Pending<TaskResult> = new Map();
  #outgoing = emptyMessage();
  #leaving = false;
  /** Answers not handed out yet, in their order. */
  readonly #arrived: (() => void)[] = [];
  #handing = false;
  #seq = 0;
  #inFlight = 0;
  #gone: HandraiseError | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** @throws `store_unavailable` when the engine is gone. */
  assertThere(): void {
    if (this.#gone !== undefined) throw this.#gone;
  }

  commit(orders: readonly Order[]): Promise<ListResult> {
    return new Promise((resolve, reject) => {
      if (!this.#admit(reject)) return;
      this.#commits.set(this.#seq, { resolve, reject });
      this.#outgoing.commits.push([this.#seq, orders]);
    });
  }

  read(queries: readonly Query[]): Promise<readonly (readonly Row[])[]> {
    return new Promise((resolve, reject) => {
      if (!this.#admit(reject)) return;
      this.#reads.set(this.#seq, { resolve, reject });
      this.#outgoing.reads.push([this.#seq, queries]);
    });
  }

  task(task: Task): Promise<TaskResult> {
    return new Promise((resolve, reject) => {
      if (!this.#admit(reject)) return;
      this.#tasks.set(this.#seq, { resolve, reject });
      this.#outgoing.tasks.push([this.#seq, task]);
    });
  }

  /** Answers of the engine. The first are handed out at once, the others in further turns (X3). */
  take({ commits, reads, tasks, errors }: FromEngine): void {
    for (const [seq, result] of commits) this.#arrived.push(() => this.#ended(this.#commits, seq)?.resolve(result));
    for (const [seq, rows] of reads) this.#arrived.push(() => this.#ended(this.#reads, seq)?.resolve(rows));
    for (const [seq, result] of tasks) this.#arrived.push(() => this.#ended(this.#tasks, seq)?.resolve(result));
    for (const [seq, error] of errors) {
      this.#arrived.push(() => {
        const pending = this.#ended(this.#commits, seq) ?? this.#ended(this.#reads, seq) ?? this.#ended(this.#tasks, seq);
        pending?.reject(errorOf(error));
      });
    }
    if (!this.#handing) this.#handOut(HANDED_AT_ONCE);
  }

  #handOut(most: number): void {
    const before = this.#inFlight;
    for (const give of this.#arrived.splice(0, most)) give();
    if (before > 0 && this.#inFlight === 0) this.#link.hold(false);
    this.#handing = this.#arrived.length > 0;
    if (this.#handing) setImmediate(() => this.#handOut(HANDED_AT_ONCE));
  }

  /** No answer will come any more (X1). False when that was known. */
  lose(error: HandraiseError): boolean {
    if (this.#gone !== undefined) return false;
    // What was answered stands, whatever became of the engine since.
    this.#handOut(this.#arrived.length);
    this.#gone = error;
    const waiting = [...this.#commits.values(), ...this.#reads.values(), ...this.#tasks.values()];
    for (const map of [this.#commits, this.#reads, this.#tasks]) map.clear();
    this.#outgoing = emptyMessage();
    this.#inFlight = 0;
    for (const { reject } of waiting) reject(error);
    return true;
  }

  #admit(reject: (error: unknown) => void): boolean {
    if (this.#gone !== undefined) {
      reject(this.#gone);
      return false;
    }
    this.#seq += 1;
    if (this.#inFlight === 0) this.#link.hold(true);
    this.#inFlight += 1;
    this.#leaveSoon();
    return true;
  }

  #ended<T>(
    pending: Pending<T>,
    seq: number,
  ): { readonly resolve: (value: T) => void; readonly reject: (error: unknown) => void } | undefined {
    const found = pending.get(seq);
    if (found === undefined) return undefined;
    pending.delete(seq);
    this.#inFlight -= 1;
    return found;
  }

  #leaveSoon(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    setImmediate(() => this.#leave());
  }

  #leave(): void {
    this.#leaving = false;
    const message = this.#outgoing;
    this.#outgoing = emptyMessage();
    if (this.#gone === undefined) this.#link.send(message);
  }
}

type Outgoing = {
  readonly commits: [number, readonly Order[]][];
  readonly reads: [number, readonly Query[]][];
  readonly tasks: [number, Task][];
};

function emptyMessage(): Outgoing {
  return { commits: [], reads: [], tasks: [] };
}

/** The error of a message as callers know it. */
export function errorOf({ code, message, facts = {} }: WireError): HandraiseError {
  return new HandraiseError(code, message, { facts });
}
