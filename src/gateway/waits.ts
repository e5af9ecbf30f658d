/**
 * Waits for an outcome in this process. The stored row is the wait (R1); a wait here is one entry and one promise: nothing per wait
 * but what tells it apart, because 100,000 idle waits are normal.
 *
 * W1  The entry is made before the row is read, so that an end between the two is not missed.
 * W2  A wait's own limit or signal ends that wait alone.
 */
import type { QuestionId } from "../core/ids.js";
import { HandraiseError } from "../errors.js";
import type { Standing } from "../ports/store.js";
import type { Creator, Waited, WaitOptions } from "./calls.js";
import type { GatewayParts } from "./parts.js";
import type { EndedNow, Waiter } from "./waiters.js";

/** Longest delay of one timer in milliseconds; a longer limit ends the wait there, and the caller waits again. */
const TIMER_MAX_MS = 2_147_483_647;

/** The waits of one gateway. */
export class Waits {
  readonly parts: GatewayParts;
  #closed = false;

  constructor(parts: GatewayParts) {
    this.parts = parts;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Ends every wait: the bridge stops, the questions stay. */
  close(): void {
    this.#closed = true;
    this.parts.signals.waiters.wakeAll();
  }

  /** @throws `question_unknown`, `bridge_unreachable` when the bridge stops, the signal's reason. */
  wait(id: QuestionId, creator: Creator, options: WaitOptions): Promise<Waited> {
    return new Promise((resolve, reject) => {
      const wait = new Wait(this, { id, principal: creator.principal, withId: options.includeResolutionId === true, resolve, reject });
      wait.look();
      if (options.withinMs !== undefined || options.signal !== undefined) this.#limit(wait, options);
    });
  }

  /** W2. */
  #limit(wait: Wait, { withinMs, signal }: WaitOptions): void {
    const abort = (): void => wait.fail(signal?.reason);
    const limit = (): void => wait.give({ status: "open", id: wait.id });
    const cancel = withinMs === undefined ? undefined : this.parts.clock.after(Math.min(Math.max(withinMs, 0), TIMER_MAX_MS), limit);
    wait.atEnd = () => {
      cancel?.();
      signal?.removeEventListener("abort", abort);
    };
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
  }
}

type Asked = {
  readonly id: QuestionId;
  readonly principal: string;
  readonly withId: boolean;
  readonly resolve: (waited: Waited) => void;
  readonly reject: (error: unknown) => void;
};

/** One wait: an object without closures of its own, so that an idle one costs little (docs/performance.md). */
class Wait implements Waiter {
  readonly id: QuestionId;
  /** Takes back what a limit has set up. */
  atEnd: (() => void) | undefined;
  readonly #waits: Waits;
  readonly #principal: string;
  readonly #withId: boolean;
  readonly #resolve: (waited: Waited) => void;
  readonly #reject: (error: unknown) => void;
  #visible = false;
  #over = false;
  #heard: EndedNow | undefined;

  constructor(waits: Waits, { id, principal, withId, resolve, reject }: Asked) {
    this.#waits = waits;
    this.id = id;
    this.#principal = principal;
    this.#withId = withId;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** W1. */
  look(): void {
    const { store, signals } = this.#waits.parts;
    signals.waiters.add(this.id, this);
    store.standing(this.id).then(
      (row) => this.#read(row),
      (error: unknown) => this.fail(error),
    );
  }

  wake(ended?: EndedNow): void {
    if (this.#over) return;
    if (ended === undefined && this.#waits.closed) this.fail(stopped(this.id));
    else if (ended === undefined) this.look();
    else if (this.#visible) this.give(waited(ended, this.#withId));
    else this.#heard = ended;
  }

  /** Ends it with what it brought. */
  give(brought: Waited): void {
    if (this.#end()) this.#resolve(brought);
  }

  /** Ends it with why it brought nothing. */
  fail(error: unknown): void {
    if (this.#end()) this.#reject(error);
  }

  #read(row: Standing | undefined): void {
    this.#visible = row !== undefined && row.principal === this.#principal;
    const ended = row === undefined || row.outcome === null ? this.#heard : { outcome: row.outcome, settledBy: row.settledBy };
    if (!this.#visible) this.fail(unknownQuestion(this.id));
    else if (ended !== undefined) this.give(waited(ended, this.#withId));
  }

  #end(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.atEnd?.();
    this.#waits.parts.signals.waiters.remove(this.id, this);
    return true;
  }
}

function waited({ outcome, settledBy }: EndedNow, withId: boolean): Waited {
  return { status: "ended", outcome, ...(withId && settledBy !== null ? { resolutionId: settledBy } : {}) };
}

function stopped(id: QuestionId): HandraiseError {
  const message = `The bridge stopped while question ${id} was open. It stays open: wait for it again by id or key.`;
  return new HandraiseError("bridge_unreachable", message, { facts: { question: id } });
}

/** The same words whether the question does not exist or belongs to somebody else. */
export function unknownQuestion(id: string): HandraiseError {
  return new HandraiseError("question_unknown", `No question of yours has the id ${id}.`, { facts: { question: id } });
}
