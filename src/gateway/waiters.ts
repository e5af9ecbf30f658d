/**
 * Waiters: who waits in this process for a question's end. Nothing but one entry per wait: no timer, no controller, no question
 * body (100,000 idle waits are normal). The stored row is the wait (R1); this only says when to look again.
 */
import type { QuestionId, ResolutionId } from "../core/ids.js";
import type { StoredOutcome } from "../core/outcome.js";

/** How a question ended, as it was just committed. */
export type EndedNow = { readonly outcome: StoredOutcome; readonly settledBy: ResolutionId | null };
/** Somebody who waits. An object, not a closure: at 100,000 waits each closure shows. */
export interface Waiter {
  /** Called once: with the end as committed, or without it when the store must be read again. */
  wake(ended?: EndedNow): void;
}

/** The waits of one process by question. An entry is taken out before it is called, so none is called twice. */
export class Waiters {
  readonly #waiting = new Map<QuestionId, Waiter | Set<Waiter>>();

  /** Number of questions with somebody waiting. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Wakes `waiter` once when the question may have ended. */
  add(id: QuestionId, waiter: Waiter): void {
    const before = this.#waiting.get(id);
    if (before === undefined) this.#waiting.set(id, waiter);
    else if (before instanceof Set) before.add(waiter);
    else this.#waiting.set(id, new Set([before, waiter]));
  }

  /** Takes the entry back. */
  remove(id: QuestionId, waiter: Waiter): void {
    const waiting = this.#waiting.get(id);
    if (waiting === waiter) this.#waiting.delete(id);
    else if (waiting instanceof Set) {
      waiting.delete(waiter);
      if (waiting.size === 0) this.#waiting.delete(id);
    }
  }

  /** Wakes whoever waits for this question, once. */
  wake(id: QuestionId, ended?: EndedNow): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    if (!(waiting instanceof Set)) waiting.wake(ended);
    else for (const waiter of waiting) waiter.wake(ended);
  }

  /** Wakes everybody: the gateway is closing, or another process may have settled anything. */
  wakeAll(): void {
    for (const id of [...this.#waiting.keys()]) this.wake(id);
  }
}
