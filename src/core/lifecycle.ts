/**
 * Question lifecycle: the only place that decides what may happen to a question.
 *
 *            ┌──accepted──────────► answered | declined
 *   open ────┼──withdrawn─────────► cancelled   (also creator_closed, creator_revoked)
 *            ├──clock_checked─────► expired     (deadline reached, no unsettled input older than it)
 *            └──nothing_shown─────► undelivered
 *
 * Pure: the gateway passes the time, writes the step by one compare-and-set whose condition says the same (ports/store.ts,
 * `settle_question`), and runs the effects.
 * L1  An ended question never changes again.
 * L2  An answer counts only when it was received strictly before the deadline, even if no timer fired yet.
 * L3  Expiry waits for inputs that were received before the deadline and are not settled, at most EXPIRY_GRACE_MS.
 * L4  The deadline of a question asked with a timeout starts with the first copy shown, once.
 * L5  A clock that jumps back never reopens and never shortens: the deadline is a stored instant.
 */
import { unreachable } from "../errors.js";
import type { OutcomeStatus } from "./outcome.js";
import { statusOfDecision } from "./outcome.js";
import type { Decision } from "./question.js";

/** How long expiry waits for inputs that came before the deadline (R2). */
export const EXPIRY_GRACE_MS = 5_000;

/** A question's state. `deadlineMs`: UTC ms, null while no end is fixed; `timeoutMs`: counts from the first copy shown, or null (R8). */
export type Lifecycle =
  | { readonly kind: "open"; readonly deadlineMs: number | null; readonly timeoutMs: number | null }
  | { readonly kind: OutcomeStatus };

/** What can happen to a question. Instants are UTC ms of the gateway's clock, never of the caller or the platform (R2). */
export type LifecycleEvent =
  | { readonly kind: "accepted"; readonly decision: Decision; readonly receivedAtMs: number }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "clock_checked"; readonly nowMs: number; readonly olderInputUnsettled: boolean }
  | { readonly kind: "nothing_shown" }
  | { readonly kind: "copy_shown"; readonly atMs: number };

/** `wake`: tell waiters; `close_copies`: every copy is to be closed. */
export type LifecycleEffect = "wake" | "close_copies";
/** The state after one event, and what to run after the commit that stores it. No effects: nothing has ended. */
export type LifecycleStep = { readonly next: Lifecycle; readonly effects: readonly LifecycleEffect[] };

const END: readonly LifecycleEffect[] = ["wake", "close_copies"];

/** One event on one question; what is not allowed leaves it as it is, without effects. */
export function stepQuestion(question: Lifecycle, event: LifecycleEvent): LifecycleStep {
  const same: LifecycleStep = { next: question, effects: [] };
  if (question.kind !== "open") return same; // L1
  switch (event.kind) {
    case "accepted":
      if (!receivedInTime(question.deadlineMs, event.receivedAtMs)) return same; // L2
      return { next: { kind: statusOfDecision(event.decision) }, effects: END };
    case "withdrawn":
      return { next: { kind: "cancelled" }, effects: END };
    case "clock_checked":
      return mayExpire(question.deadlineMs, event) ? { next: { kind: "expired" }, effects: END } : same;
    case "nothing_shown":
      return { next: { kind: "undelivered" }, effects: END };
    case "copy_shown": {
      if (question.deadlineMs !== null || question.timeoutMs === null) return same; // L4
      return { next: { ...question, deadlineMs: event.atMs + question.timeoutMs }, effects: [] };
    }
    default:
      return unreachable(event);
  }
}

/** Strictly before the deadline counts (R2). */
export function receivedInTime(deadlineMs: number | null, receivedAtMs: number): boolean {
  return deadlineMs === null || receivedAtMs < deadlineMs;
}

function mayExpire(
  deadlineMs: number | null,
  { nowMs, olderInputUnsettled }: { readonly nowMs: number; readonly olderInputUnsettled: boolean },
): boolean {
  if (deadlineMs === null || nowMs < deadlineMs) return false;
  return !olderInputUnsettled || nowMs >= deadlineMs + EXPIRY_GRACE_MS; // L3
}
