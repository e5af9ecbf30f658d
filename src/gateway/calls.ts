/**
 * The gateway's methods as doors call them (design, section 6). Every call names its creator: what it may see and change
 * follows from that, and a question of somebody else is `question_unknown`, whether it exists or not.
 */

import type { StoredOutcome } from "../core/outcome.js";
import type { BridgeEvent, QuestionRecord } from "../core/record.js";

/**
 * Under whose authority a call is made. `principal`: the key's or OS user's name; "" when nobody is named (R15). `run`: only from the run
 * desk, which verified who holds it; the gateway compares it with the stored run again.
 */
export type Creator = { readonly principal: string; readonly run?: { readonly id: string; readonly policyDigest: string } };

/** A question by id, by the caller's key, or by the short code of an open one. */
export type QuestionRef = string | { readonly key: string; readonly session?: string };

/** Limits of one wait and what it returns; none of them touches the question. */
export type WaitOptions = {
  /** Ends this wait only (R: waits have limits, questions have deadlines). Milliseconds; absent: until it ends. */
  readonly withinMs?: number;
  /** Ends this wait only, by rejecting with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Adds the resolution id of the submission that settled it (R6). Default false. */
  readonly includeResolutionId?: boolean;
};

/** What a wait brought: the stored outcome, or `open` when the wait's own limit came first. */
export type Waited =
  | { readonly status: "ended"; readonly outcome: StoredOutcome; readonly resolutionId?: string }
  | { readonly status: "open"; readonly id: string };

/** What an asker can do, the same on every door; all of it may be repeated after a lost response (an ask by its key). */
export interface GatewayCalls {
  /**
   * Stores a question, or finds the one its key names (R7); resolves once it is durable.
   * @throws `input_invalid`, `target_unknown`, `unsupported`, `not_allowed`, `key_conflict`, `capacity`, `store_unavailable`.
   */
  request(input: unknown, creator: Creator): Promise<{ readonly record: QuestionRecord; readonly created: boolean }>;
  /** Withdraws an open question; resolves with whatever won. @throws `question_unknown`, `store_unavailable`. */
  cancel(ref: QuestionRef, creator: Creator, options?: { readonly reason?: string }): Promise<StoredOutcome>;
  /** Waits for the stored outcome. @throws `question_unknown`; the signal's reason. */
  waitAnswer(ref: QuestionRef, creator: Creator, options?: WaitOptions): Promise<Waited>;
  /** Marks the outcome as handed to the asker's code (R4); repeating it changes nothing. */
  acknowledge(ref: QuestionRef, creator: Creator): Promise<void>;
  get(ref: QuestionRef, creator: Creator): Promise<QuestionRecord>;
  /** Open questions of this creator, oldest first, id as tie-break; at most 1,000. */
  list(creator: Creator, filter?: { readonly session?: string }): Promise<readonly QuestionRecord[]>;
  /** Events of this creator's questions in commit order; `after`: the cursor of the last one seen, default: from now on. */
  events(
    creator: Creator,
    from?: { readonly session?: string; readonly after?: string; readonly signal?: AbortSignal },
  ): AsyncIterable<BridgeEvent>;
}
