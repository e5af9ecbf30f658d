/** The question as doors show it (api.md, section 2, `QuestionRecord`), and events and receipts in the same plain words. */
import type { ErrorCode, Issue } from "../errors.js";
import type { CopyState } from "./delivery.js";
import type { OutcomeStatus, StoredOutcome } from "./outcome.js";
import type { StoredField } from "./question.js";

/** A question as its creator may read it. Times are ISO 8601 UTC; resolution ids are never in it (R6). */
export type QuestionRecord = {
  readonly id: string;
  readonly code: string;
  readonly kind: "question" | "approval" | "url" | "handoff";
  readonly text: string;
  readonly title?: string;
  readonly key?: string;
  readonly session?: string;
  /** Where it was asked to be shown: names and places as written. */
  readonly to: readonly string[];
  readonly fields: readonly StoredField[];
  readonly status: "open" | OutcomeStatus;
  readonly version: number;
  readonly askedAt: string;
  /** Null while no end is fixed: asked with "none", or with a timeout and not shown yet (R8). */
  readonly expiresAt: string | null;
  readonly outcome: StoredOutcome | null;
  readonly deliveries: readonly { readonly place: string; readonly status: CopyState; readonly code?: string; readonly message?: string }[];
};

/**
 * One stored event of a question, `type` such as `question.asked` or `input.refused`; `version` is the question's after it. Type `reset`
 * (version 0, no question) comes first when the cursor asked for is older than what is kept.
 */
export type BridgeEvent = {
  /** Opaque cursor; events come in the order of their commits. */
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly question: string;
  readonly version: number;
  readonly session?: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** What a submitter learns; repeatable (R5). */
export type Receipt = { readonly question: string } & (
  | { readonly status: "committed" | "already_yours"; readonly outcome: StoredOutcome | null }
  | { readonly status: "already_answered" | "closed"; readonly ended: { readonly status: OutcomeStatus; readonly at: string } }
  | { readonly status: "refused"; readonly code: ErrorCode; readonly issues: readonly Issue[] }
  | { readonly status: "unconfirmed" }
);
