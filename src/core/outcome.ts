/**
 * How a question ended, as the asker reads it on every door (api.md, section 2): a union on `status`. `answered` is the only
 * status on which an asker goes on. The stored outcome is the delivery of the answer (R4).
 */
import type { Decision } from "./question.js";

/** How a question can end; none of these ever changes again (L1). An open question has no outcome. */
export const OUTCOME_STATUSES = ["answered", "declined", "cancelled", "expired", "undelivered"] as const;
/** One way of ending, as every door names it. `answered` is the only one on which an asker goes on. */
export type OutcomeStatus = (typeof OUTCOME_STATUSES)[number];

/** The person behind an answer: an entry of the directory, or null where `anyone` was allowed and nobody is known by this id. */
export type Person = {
  readonly person: string | null;
  readonly name: string;
  readonly channel: "slack" | "discord" | "telegram" | "web" | "terminal" | "api";
  readonly account: string;
  readonly userId: string;
};

/** How the answer was given. `modal`: in a form that a button opened, on Telegram a forced reply. */
export type Via = "button" | "menu" | "modal" | "text" | "web" | "terminal" | "api";

/** Typed by the person in place of an option, only where the field says `other: true`. */
export type Other = { readonly other: string };
/**
 * One field's value: a `choice` gives the offered value or `Other`, a `text` gives text without outer spaces. Numbers, booleans and lists
 * belong to field types that are refused with `unsupported` so far.
 */
export type Value = string | number | boolean | readonly string[] | Other;

type Ended = { readonly id: string; readonly at: string; readonly key?: string; readonly session?: string };
type Said = Ended & {
  readonly by: Person;
  readonly place: string | null;
  readonly note?: string;
  readonly via: Via;
  /** Signed statement about exactly this outcome (RFC 7515), checkable offline. Absent only where nothing signs: tests, older rows. */
  readonly proof?: string;
};

/**
 * The person gave what was asked. `value` where it was asked with options or plain text, `values` by field key where with fields, neither
 * for an approval; `subjectHash` is what was approved (`sha256:` and hex).
 */
export type AnsweredOutcome = Said & {
  readonly status: "answered";
  readonly decision: "answer" | "approve" | "approve_always";
  readonly value?: Value;
  readonly values?: Readonly<Record<string, Value>>;
  readonly subjectHash?: string;
};
/** The person said no: decision and note are kept, values are dropped (A1). */
export type DeclinedOutcome = Said & { readonly status: "declined"; readonly decision: "decline" | "deny" | "dismiss" };
/** The asker's side ended it: `withdrawn` by a cancel, the others with its run or its principal (R15). `reason`: at most 500 characters. */
export type CancelledOutcome = Ended & {
  readonly status: "cancelled";
  readonly code: "withdrawn" | "creator_closed" | "creator_revoked";
  readonly reason?: string;
};
/** Nobody answered in time. `fallback` is what the ask declared and no person chose (R9). */
export type ExpiredOutcome = Ended & {
  readonly status: "expired";
  readonly fallback?: { readonly value: unknown } | { readonly values: Readonly<Record<string, unknown>> };
};
/** No copy was ever shown and the tries are over (R10): one failure per copy, its code from `DELIVERY_CODES` (ports/channel.ts). */
export type UndeliveredOutcome = Ended & {
  readonly status: "undelivered";
  readonly failures: readonly { readonly place: string; readonly code: string; readonly message: string }[];
};
/** The outcome as stored and handed out, told apart by `status`. `at` (ISO 8601, UTC): when it ended, an answer when it was received. */
export type StoredOutcome = AnsweredOutcome | DeclinedOutcome | CancelledOutcome | ExpiredOutcome | UndeliveredOutcome;

/** What a decision means for the question's status (design, section 2). */
export function statusOfDecision(decision: Decision): "answered" | "declined" {
  return decision === "answer" || decision === "approve" || decision === "approve_always" ? "answered" : "declined";
}
