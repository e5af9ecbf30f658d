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
import type { EndedNow } from "./waiters.js";

/** Longest delay of one timer in milliseconds; a longer limit ends the wait there, and the caller waits again. */
const TIMER_MAX_MS = 2_147_483_647;

type BareWait = { readonly promise: Promise<Waited>; readonly forget: () => void };

/** The waits of one gateway. */
export class Waits {
  readonly #parts: GatewayParts;
  #closed = false;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /** Ends every wait: the bridge stops, the questions stay. */
  close(): void {
    this.#closed = true;
    this.#parts.signals.waiters.wakeAll();
  }

  /** @throws `question_unknown`, `bridge_unreachable` when the bridge stops, the signal's reason. */
  wait(id: QuestionId, creator: Creator, options: WaitOptions): Promise<Waited> {
    const { withinMs, signal, includeResolutionId = false } = options;
    const bare = this.#bare(id, creator, includeResolutionId);
    return withinMs === undefined && signal === undefined ? bare.promise : this.#limited(bare, { id, withinMs, signal });
  }

  #bare(id: QuestionId, creator: Creator, withId: boolean): BareWait {
    let forget = (): void => undefined;
    const promise = new Promise<Waited>((resolve, reject) => {
      let visible = false;
      let heard: EndedNow | undefined;
      const look = (): void => {
        forget = this.#parts.signals.waiters.add(id, wake); // W1
        this.#parts.store.standing(id).then(read, reject);
      };
      const wake = (ended?: EndedNow): void => {
        if (ended === undefined && this.#closed) reject(stopped(id));
        else if (ended === undefined) look();
        else if (visible) resolve(waited(ended, withId));
        else heard = ended;
      };
      const read = (row: Standing | undefined): void => {
        visible = row !== undefined && row.principal === creator.principal;
        const ended = row === undefined || row.outcome === null ? heard : { outcome: row.outcome, settledBy: row.settledBy };
        if (visible && ended === undefined) return;
        forget();
        if (visible && ended !== undefined) resolve(waited(ended, withId));
        else reject(unknownQuestion(id));
      };
      look();
    });
    return { promise, forget: () => forget() };
  }

  /** W2. */
  #limited(
    bare: BareWait,
    { id, withinMs, signal }: { readonly id: QuestionId; readonly withinMs: number | undefined; readonly signal: AbortSignal | undefined },
  ): Promise<Waited> {
    return new Promise((resolve, reject) => {
      const abort = (): void => end(() => reject(signal?.reason));
      const limit = (): void => end(() => resolve({ status: "open", id }));
      const cancel = withinMs === undefined ? undefined : this.#parts.clock.after(Math.min(Math.max(withinMs, 0), TIMER_MAX_MS), limit);
      const end = (say: () => void): void => {
        cancel?.();
        signal?.removeEventListener("abort", abort);
        bare.forget();
        say();
      };
      signal?.addEventListener("abort", abort, { once: true });
      bare.promise.then(
        (outcome) => end(() => resolve(outcome)),
        (error: unknown) => end(() => reject(error)),
      );
      if (signal?.aborted === true) abort();
    });
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
