/**
 * Deadlines: one timer for the nearest stored instant, whatever the number of questions (B156, B166). Deadlines are data; the timer
 * only says when to look. It looks at least every 30 s, so that a host that slept or a clock that jumped is noticed.
 *
 * Two instants of an open question are kept here: the end of its time (expiry, R2) and the end of the tries to show it (R10). When those
 * tries end while a host elsewhere has a copy and its lease ran out unreported, the copy may be out there: it counts as shown from when it
 * was handed out (R8).
 */

import { DELIVERY_CODES } from "../ports/channel.js";
import type { CopyRow, QuestionRow } from "../ports/store.js";
import type { GatewayParts } from "./parts.js";
import { placeOfCopy } from "./record.js";
import { endedBase, settle } from "./settle.js";

/** Longest sleep between two looks, in milliseconds (B166). */
export const LOOK_EVERY_MS = 30_000;
/** Pause before looking again when an older input or a running send holds an end up. */
const HELD_UP_MS = 200;
const SLICE = 100;

/** Ends questions whose time has come; a look that fails is logged and repeated after a second. */
export class Deadlines {
  readonly #parts: GatewayParts;
  #cancel: (() => void) | undefined;
  #armedAtMs = Number.POSITIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #stopped = true;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /** Ends what ran out while nobody looked, then keeps looking until `stop` (R33: inbox rows must be settled before). */
  async start(): Promise<void> {
    this.#stopped = false;
    await this.look();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#looking;
  }

  /** An instant was stored that may be nearer than the one waited for. */
  poke(atMs: number): void {
    if (!this.#stopped && atMs < this.#armedAtMs) this.#arm(atMs);
  }

  /** Looks now, one look at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  #arm(atMs: number): void {
    this.#cancel?.();
    if (this.#stopped) return;
    const delayMs = Math.min(Math.max(atMs - this.#parts.clock.now(), 0), LOOK_EVERY_MS);
    this.#armedAtMs = atMs;
    this.#cancel = this.#parts.clock.after(delayMs, () => {
      this.#armedAtMs = Number.POSITIVE_INFINITY;
      void this.look();
    });
  }

  async #lookOnce(): Promise<void> {
    const { store, clock, log } = this.#parts;
    let nextMs = clock.now() + LOOK_EVERY_MS;
    try {
      let heldUp = false;
      for (;;) {
        const due = await store.dueQuestions({ nowMs: clock.now(), limit: SLICE });
        const ended = await Promise.all(due.map((row) => this.#end(row)));
        if (ended.includes(false)) heldUp = true;
        if (due.length < SLICE || !ended.includes(true)) break;
      }
      const next = (await store.nextDue()).questionMs;
      nextMs = heldUp ? clock.now() + HELD_UP_MS : Math.min(next ?? nextMs, nextMs);
    } catch (error) {
      // The store is out of reach: the instants are still there, look again soon.
      log.error({ error: String(error) }, "deadlines: could not look");
      nextMs = clock.now() + 1_000;
    }
    this.#arm(nextMs);
  }

  /** True when the row needs no further look now. */
  async #end(row: QuestionRow): Promise<boolean> {
    const nowMs = this.#parts.clock.now();
    if (row.expiresAtMs !== null && row.expiresAtMs <= nowMs) return this.#expire(row, nowMs);
    return endUndelivered(this.#parts, row, nowMs);
  }

  async #expire(row: QuestionRow, nowMs: number): Promise<boolean> {
    const { fallback } = row.body;
    // Whether an older input is unsettled is the store's condition, not a reading of ours.
    const result = await settle(this.#parts, row, {
      event: { kind: "clock_checked", nowMs, olderInputUnsettled: false },
      outcome: { ...endedBase(row, nowMs), status: "expired", ...(fallback === undefined ? {} : { fallback }) },
      atMs: nowMs,
      settledBy: null,
      when: { dueAtMs: nowMs },
    });
    return result.status === "applied" || result.why === "settled";
  }
}

/**
 * Ends a question as undelivered when its tries are over and nothing was shown. A copy being sent, or whose fate is unknown, holds it
 * up: it counts as shown until the contrary is known (R8). True when no further look is needed now.
 */
export async function endUndelivered(parts: GatewayParts, row: QuestionRow, nowMs: number): Promise<boolean> {
  const copies = await parts.store.copiesOf(row.id);
  const seen = copies.find(({ state }) => state === "shown" || state === "unknown" || state === "closed");
  if (seen !== undefined) {
    await parts.store.commit([{ do: "start_clock", id: row.id, atMs: nowMs }]);
    return true;
  }
  const overdue = row.deliverByMs !== null && row.deliverByMs <= nowMs;
  const sending = copies.filter(({ state }) => state === "sending");
  const unreported = sending.find(({ dueAtMs }) => dueAtMs !== null && dueAtMs <= nowMs);
  if (unreported !== undefined && overdue) return countAsShown(parts, unreported, nowMs);
  if (sending.length > 0) return false;
  const waiting = copies.filter(({ state }) => state === "pending");
  if (waiting.length > 0 && !overdue) return true;
  const failures = copies.map((copy) => ({
    place: placeOfCopy(copy),
    code: copy.errorCode ?? "unreachable",
    message: copy.errorMessage ?? "It could not be shown in time.",
  }));
  const given = waiting.map((copy) => ({ do: "update_copy" as const, id: copy.id, revision: copy.revision, set: givenUp(copy) }));
  const failed = await parts.store.commit(given);
  if (!failed.ok) return false;
  const result = await settle(parts, row, {
    event: { kind: "nothing_shown" },
    outcome: { ...endedBase(row, nowMs), status: "undelivered", failures },
    atMs: nowMs,
    settledBy: null,
    when: { onlyIfAllFailed: true },
  });
  return result.status === "applied" || result.why === "settled";
}

/** Only a copy that was handed out has an instant while it is `sending`. */
async function countAsShown({ store }: GatewayParts, copy: CopyRow, nowMs: number): Promise<boolean> {
  const set = { state: "unknown", todo: "find", dueAtMs: null, errorMessage: "The host did not report it." } as const;
  const { ok } = await store.commit([
    { do: "update_copy", id: copy.id, revision: copy.revision, set },
    { do: "start_clock", id: copy.question, atMs: copy.attemptedAtMs ?? nowMs },
  ]);
  return ok;
}

function givenUp(copy: CopyRow): { readonly state: "failed"; readonly todo: null; readonly dueAtMs: null; readonly errorCode: string } {
  const known: readonly string[] = DELIVERY_CODES;
  const errorCode = copy.errorCode !== null && known.includes(copy.errorCode) ? copy.errorCode : "unreachable";
  return { state: "failed", todo: null, dueAtMs: null, errorCode };
}
