/**
 * Signals inside one process: who is told after a commit. Nothing is decided by them; whoever is woken reads the store again.
 */
import type { Work, WorkSignals } from "../ports/gateway.js";
import type { QuestionRow } from "../ports/store.js";
import { type EndedNow, Waiters } from "./waiters.js";

/** Who listens in this process. Listeners are called in the tick of the commit's return and must not throw. */
export class Signals implements WorkSignals {
  readonly waiters = new Waiters();
  readonly #work = new Set<(work: Work) => void>();
  readonly #events = new Set<() => void>();

  onWork(run: (work: Work) => void): () => void {
    this.#work.add(run);
    return () => this.#work.delete(run);
  }

  /** `run` is called whenever events were stored. Returns the undo. */
  onEvents(run: () => void): () => void {
    this.#events.add(run);
    return () => this.#events.delete(run);
  }

  /** A commit left this to the host. */
  work(work: Work): void {
    for (const run of this.#work) run(work);
    this.events();
  }

  events(): void {
    for (const run of this.#events) run();
  }

  /** A question has ended: its waiters are woken and its copies closed. */
  ended(question: QuestionRow, ended: EndedNow): void {
    this.waiters.wake(question.id, ended);
    this.work({ kind: "ended", question });
  }
}
