/**
 * The fate of a call, told as it is (C2, C3): what Telegram refused, what may or may not have been carried out, what never left.
 * Knows the SDK's errors only by their shape; `client.ts` makes a `Failure` out of them.
 */
import type { Later, Moved, Refused, Unknown } from "../../../src/ports/channel.js";
import { type RefusalKind, refusalKind } from "./limits.js";

/** A call that did not succeed. Texts are free of secrets. */
export type Failure =
  /** Telegram answered `ok: false`. */
  | {
      readonly kind: "refused";
      readonly code: number;
      readonly description: string;
      readonly retryAfterS?: number;
      readonly migratedTo?: number;
    }
  /** No answer, or none that can be read: carried out or not. */
  | { readonly kind: "lost"; readonly description: string }
  /** No connection was made: surely not carried out. */
  | { readonly kind: "unsent"; readonly description: string }
  /** Given up by us (close). */
  | { readonly kind: "aborted"; readonly description: string };

/** How a call ended. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** Pause before a call that could not leave is tried again, in milliseconds. */
const UNSENT_RETRY_MS = 2_000;

/** What a failed call means, before the caller decides what it does about it. */
export type Fate =
  | { readonly kind: "refusal"; readonly why: RefusalKind; readonly message: string }
  | { readonly kind: "result"; readonly result: Later | Unknown | Moved };

/** Judges a failed call about a conversation. `direct`: the conversation is a private chat. */
export function fateOf(failure: Failure, direct: boolean): Fate {
  switch (failure.kind) {
    case "lost":
    case "aborted":
      return { kind: "result", result: { status: "unknown", message: failure.description } };
    case "unsent":
      return {
        kind: "result",
        result: { status: "later", afterMs: UNSENT_RETRY_MS, scope: "account", code: "unreachable", message: failure.description },
      };
    case "refused":
      return refusedFate(failure, direct);
  }
}

function refusedFate(failure: Extract<Failure, { kind: "refused" }>, direct: boolean): Fate {
  const { code, description, retryAfterS, migratedTo } = failure;
  if (migratedTo !== undefined) return { kind: "result", result: { status: "moved", conversation: String(migratedTo) } };
  const why = refusalKind(failure, direct);
  if (why === "rate_limited") {
    // Telegram does not say whether a limit is the chat's or the bot's; the chat's is by far the commoner one.
    const afterMs = Math.max(1, retryAfterS ?? 1) * 1_000;
    return { kind: "result", result: { status: "later", afterMs, scope: "conversation", code: "rate_limited", message: description } };
  }
  // A 5xx comes from the edge, perhaps after the call was handed on.
  if (code >= 500) return { kind: "result", result: { status: "unknown", message: description } };
  return { kind: "refusal", why, message: description };
}

/** A final refusal in the port's words. */
export function refusedResult(why: RefusalKind, message: string): Refused {
  switch (why) {
    case "not_modified":
    case "no_message":
    case "not_editable":
    case "too_old":
    case "bad_entities":
    case "bad_keyboard":
    case "no_reply_target":
      return { status: "refused", code: "rejected", message };
    default:
      return { status: "refused", code: why, message };
  }
}
