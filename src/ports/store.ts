/**
 * The store port: one durable memory behind the gateway and the host. One contract suite (src/testing/contract/store.ts), run by
 * every store against its real engine.
 *
 * ST1  `commit` takes a list of changes computed by `core` and applies all or none. It resolves only after the batch that holds it
 *      is durable (group commit: requests that arrive while one commit is syncing share the next one, each in its own savepoint).
 * ST2  Conditions stand in the statements themselves (R2): a change whose condition does not hold fails its whole list with the
 *      index and reason, and touches nothing. The caller reads again and decides anew.
 * ST3  `commit` rejects with `store_unavailable` when it cannot tell whether the list was applied and could not read it back.
 * ST4  Reads see everything that was committed before they were called.
 */
import type { CopyState, CopyTodo } from "../core/delivery.js";
import type { CopyId, QuestionId, ResolutionId } from "../core/ids.js";
import type { Input } from "../core/input.js";
import type { OutcomeStatus, StoredOutcome } from "../core/outcome.js";
import type { QuestionBody } from "../core/question.js";
import type { AuthorityChange, AuthorityReads } from "./authority.js";
import type { NoticeOrder } from "./channel.js";

/** Instants are milliseconds since 1970, UTC. */
export type QuestionRow = {
  readonly id: QuestionId;
  /** Short code people type; unique among the open questions of a conversation as far as chance allows. */
  readonly code: string;
  readonly principal: string;
  readonly session: string | null;
  readonly key: string | null;
  /** SHA-256 over what is asked and who may answer (R7). */
  readonly digest: string;
  readonly run: string | null;
  readonly parentRun: string | null;
  readonly policyDigest: string | null;
  readonly group: string | null;
  readonly body: QuestionBody;
  readonly askedAtMs: number;
  /** Counts from the first copy shown (R8); null with an absolute end or none. */
  readonly timeoutMs: number | null;
  readonly expiresAtMs: number | null;
  /** Until when undelivered copies are tried (R10); null once one was shown. */
  readonly deliverByMs: number | null;
  readonly status: "open" | OutcomeStatus;
  /** From 1; grows by one with every event of the question. */
  readonly version: number;
  readonly endedAtMs: number | null;
  readonly outcome: StoredOutcome | null;
  readonly settledBy: ResolutionId | null;
  readonly collectedAtMs: number | null;
};

/** How a question stands, without what was asked: what waiters and acknowledgements read. */
export type Standing = Pick<QuestionRow, "id" | "principal" | "status" | "outcome" | "settledBy" | "collectedAtMs">;

/** One prompt in one place: a delivery. What may happen to it is decided by core/delivery.ts. */
export type CopyRow = {
  readonly id: CopyId;
  readonly question: QuestionId;
  /** As asked: "alice", "slack:#releases". */
  readonly target: string;
  /** The person whose direct chat it is; null in a shared place. */
  readonly person: string | null;
  readonly account: string;
  readonly userId: string | null;
  /** Null until located. */
  readonly conversation: string | null;
  readonly thread: string | null;
  readonly direct: boolean;
  readonly state: CopyState;
  readonly todo: CopyTodo | null;
  readonly dueAtMs: number | null;
  /** Grows with every change of the row; a change names the one it was computed from. */
  readonly revision: number;
  /** The message of the prompt being sent, or to be sent next, from 0. */
  readonly part: number;
  readonly nonce: string | null;
  readonly attemptedAtMs: number | null;
  /** Tries in a row that did not succeed. */
  readonly attempts: number;
  /** Messages shown so far, in order; the last one has the controls once all parts are out. */
  readonly messageIds: readonly string[];
  readonly messageId: string | null;
  readonly messageOrder: string | null;
  /** The copy whose send stayed unknown and of which this one is the labelled repeat (R23). */
  readonly repeatOf: CopyId | null;
  readonly page: number;
  readonly shownAtMs: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
};

/** One inbound event, stored before its platform is told that it arrived (R22); settled once, an identity alone from the start. */
export type InputRow = {
  /** `account` and the platform's own identity: `${account}|${input.id}` (R21). */
  readonly id: string;
  readonly alias: string | null;
  /** The question it may settle, found before it was stored (R22); null: identity only. */
  readonly question: QuestionId | null;
  readonly copy: CopyId | null;
  readonly resolutionId: ResolutionId;
  /** Blanked (null) in the transaction that settles the input; null from the start for identities only. */
  readonly input: Input | null;
  readonly receivedAtMs: number;
  readonly state: "new" | "settled";
  /** How it ended: a receipt's status or a refusal's code. */
  readonly verdict: string | null;
  /** A private word still to be said; null when there is none or it was said. */
  readonly notice: NoticeOrder | null;
  readonly noticeAccount: string;
  readonly noticeDueAtMs: number | null;
  readonly noticeAttempts: number;
  /**
   * How far its submission to a gateway in another process has come (R17); null where host and gateway share the store. `checks`: times its
   * receipt was asked for; `checkAtMs`: when it is asked for next.
   */
  readonly submission: {
    readonly state: "reserved" | "dispatching";
    readonly atMs: number;
    readonly checks: number;
    readonly checkAtMs: number | null;
  } | null;
};

/** A text shown back (Send / No) or waiting for "which one?": kept for 10 minutes, answerable by one person. */
export type AsideRow = {
  readonly id: string;
  readonly account: string;
  readonly conversation: string;
  readonly userId: string;
  readonly text: string;
  readonly kind: "which" | "confirm";
  readonly copies: readonly CopyId[];
  readonly expiresAtMs: number;
};

/** The mark of a submission that committed, in the same transaction as the outcome (R5). */
export type ReceiptRow = {
  readonly resolutionId: ResolutionId;
  readonly question: QuestionId;
  /** `account:userId` of the one who submitted. */
  readonly actor: string;
  /** SHA-256 of decision and values: the same id with another one is a `resolution_conflict` (R5). */
  readonly payloadDigest: string;
  readonly atMs: number;
};

/** One event as listeners read it. `version` is the question's after it. */
export type EventRow = {
  /** Given in commit order; the cursor of listeners. */
  readonly id: number;
  readonly question: QuestionId;
  readonly session: string | null;
  readonly version: number;
  readonly type: string;
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
};

/** One change of a commit. Each says when it fails; a failure undoes the whole list (ST2). */
export type Change =
  | AuthorityChange
  /** Fails `exists` when (principal, session, key) is taken by a question that did not end undelivered; one that did hands its key over. */
  | { readonly do: "insert_question"; readonly row: QuestionRow }
  /**
   * The one compare-and-set of R2. Applies only while the question is open and
   * - `receivedAtMs` (answers): lies strictly before its deadline, else fails `late`;
   * - `dueAtMs` (expiry): its deadline is at or before it, and no unsettled input of this question is older than the deadline unless
   *   `dueAtMs` is 5 s past it; else fails `early`;
   * - `onlyIfAllFailed` (undelivered): every copy has failed or was closed and none was ever shown; else fails `stale`;
   * - `runLive` (answers to a run's question): its run is live, its lease ends after `receivedAtMs`, and its policy is the one the question
   *   was asked under; else fails `run_over` (R15).
   * A question that is not open fails `settled`.
   */
  | {
      readonly do: "settle_question";
      readonly id: QuestionId;
      readonly outcome: StoredOutcome;
      readonly endedAtMs: number;
      readonly settledBy: ResolutionId | null;
      readonly receivedAtMs?: number;
      readonly dueAtMs?: number;
      readonly onlyIfAllFailed?: true;
      readonly runLive?: true;
    }
  /** Starts the time of an open question at its first copy shown: sets `expiresAtMs` from `timeoutMs` if it has none, clears `deliverByMs`. Never fails. */
  | { readonly do: "start_clock"; readonly id: QuestionId; readonly atMs: number }
  /** Sets `collectedAtMs` once; never fails. */
  | { readonly do: "mark_collected"; readonly id: QuestionId; readonly atMs: number }
  | { readonly do: "insert_copy"; readonly row: CopyRow }
  /** Fails `stale` when the row's revision is not `revision`. */
  | {
      readonly do: "update_copy";
      readonly id: CopyId;
      readonly revision: number;
      readonly set: Partial<Omit<CopyRow, "id" | "question" | "revision">>;
    }
  /** Applies `COPY_AT_END` (core/delivery.ts) to every copy of a question that has just ended. Never fails. */
  | { readonly do: "end_copies"; readonly question: QuestionId; readonly atMs: number }
  /** Fails `exists` when the id is known, or its alias was stored less than 60 s before. */
  | { readonly do: "insert_input"; readonly row: InputRow }
  /** Settles and blanks it; fails `settled` when it is no longer new. */
  | {
      readonly do: "settle_input";
      readonly id: string;
      readonly verdict: string;
      readonly notice: NoticeOrder | null;
      readonly noticeDueAtMs: number | null;
    }
  /** A remote host's submission moves on; fails `settled` when the input is no longer new. */
  | { readonly do: "mark_input"; readonly id: string; readonly submission: NonNullable<InputRow["submission"]> }
  | {
      readonly do: "update_notice";
      readonly id: string;
      readonly notice: NoticeOrder | null;
      readonly noticeDueAtMs: number | null;
      readonly noticeAttempts: number;
    }
  | { readonly do: "insert_receipt"; readonly row: ReceiptRow }
  /** Id and version are the store's: version is the question's, raised by one. */
  | {
      readonly do: "insert_event";
      readonly question: QuestionId;
      readonly type: string;
      readonly atMs: number;
      readonly data: Readonly<Record<string, unknown>>;
    }
  | { readonly do: "insert_aside"; readonly row: AsideRow }
  /** Takes it once; fails `settled` when it is gone. */
  | { readonly do: "take_aside"; readonly id: string }
  | { readonly do: "put_memory"; readonly account: string; readonly key: string; readonly value: string }
  /** Re-keys copies and unsettled inputs of a conversation that got a new id. Never fails. */
  | { readonly do: "move_conversation"; readonly account: string; readonly from: string; readonly to: string };

/** What became of a list: all applied, or nothing, with the index and reason of the first change whose condition did not hold. */
export type CommitResult =
  /** `events` in the order of their changes. */
  | { readonly ok: true; readonly events: readonly { readonly id: number; readonly version: number }[] }
  | { readonly ok: false; readonly at: number; readonly why: "exists" | "settled" | "late" | "early" | "stale" | "run_over" };

/** A copy with the question it shows. */
export type CopyOf = { readonly copy: CopyRow; readonly question: QuestionRow };
/** What is left of a question after retention. */
export type Tombstone = {
  readonly question: QuestionId;
  readonly status: OutcomeStatus;
  readonly askedAtMs: number;
  readonly endedAtMs: number;
};

/** The durable memory: writes by `commit`, `tidy` and `close` alone. Methods reject with `store_unavailable` when it cannot be reached. */
export interface Store extends AuthorityReads {
  /** Names this open store: its chain of the audit, its life among those that share the file. Fresh at every opening. */
  readonly instance: string;
  commit(changes: readonly Change[]): Promise<CommitResult>;
  question(id: QuestionId): Promise<QuestionRow | undefined>;
  /** The same row's standing alone, which is read far more often than what was asked. */
  standing(id: QuestionId): Promise<Standing | undefined>;
  questionByKey(by: {
    readonly principal: string;
    readonly session: string | null;
    readonly key: string;
  }): Promise<QuestionRow | undefined>;
  /** Open questions that bear this short code, oldest first, at most 10. */
  openByCode(code: string): Promise<readonly QuestionRow[]>;
  /** Open questions, oldest first, id as tie-break. */
  listOpen(filter: { readonly principal?: string; readonly session?: string; readonly limit: number }): Promise<readonly QuestionRow[]>;
  /** Open questions of a principal whose audience names this person (R11), and of the principal in all. */
  openCounts(by: {
    readonly principal: string;
    readonly person?: string;
  }): Promise<{ readonly principal: number; readonly person: number }>;
  copy(id: CopyId): Promise<CopyOf | undefined>;
  copiesOf(question: QuestionId): Promise<readonly CopyRow[]>;
  /** The copy that has this message among its own. */
  copyByMessage(at: { readonly account: string; readonly conversation: string; readonly messageId: string }): Promise<CopyOf | undefined>;
  /** Copies of open questions in a conversation whose send was at least begun, oldest first. */
  openCopiesIn(at: { readonly account: string; readonly conversation: string }): Promise<readonly CopyOf[]>;
  /** Did a question with a copy in this conversation end at or after `sinceMs`? */
  endedSince(at: { readonly account: string; readonly conversation: string; readonly sinceMs: number }): Promise<boolean>;
  /** Copies with something to do at `nowMs`, longest due first; `accounts`: of these alone. */
  dueCopies(at: { readonly nowMs: number; readonly limit: number; readonly accounts?: readonly string[] }): Promise<readonly CopyOf[]>;
  /** Copies left in `sending`, for reconciling at start. */
  copiesSending(): Promise<readonly CopyOf[]>;
  /** Copies shown of open questions, newest first, for reading missed replies back. */
  copiesShown(limit: number): Promise<readonly CopyOf[]>;
  /** Open questions whose deadline or delivery end has come, soonest first. */
  dueQuestions(at: { readonly nowMs: number; readonly limit: number }): Promise<readonly QuestionRow[]>;
  dueNotices(at: { readonly nowMs: number; readonly limit: number }): Promise<readonly InputRow[]>;
  /** Unsettled inputs whose receipt is to be asked for by `nowMs`, longest due first. */
  dueChecks(at: { readonly nowMs: number; readonly limit: number }): Promise<readonly InputRow[]>;
  /** The nearest instants of the four above; null when nothing waits. Reads indexes only. `accounts`: copies of these alone. */
  nextDue(of?: { readonly accounts?: readonly string[] }): Promise<{
    readonly copyMs: number | null;
    readonly questionMs: number | null;
    readonly noticeMs: number | null;
    readonly checkMs: number | null;
  }>;
  /** Inputs not settled, oldest first. */
  unsettledInputs(limit: number): Promise<readonly InputRow[]>;
  input(id: string): Promise<InputRow | undefined>;
  receipt(id: ResolutionId): Promise<ReceiptRow | undefined>;
  aside(id: string): Promise<AsideRow | undefined>;
  /** Events after a cursor, in order. `oldest` is the first id still kept, for `reset`. */
  events(after: {
    readonly id: number;
    readonly session?: string;
    readonly limit: number;
  }): Promise<{ readonly events: readonly EventRow[]; readonly oldest: number | null; readonly newest: number }>;
  memory(at: { readonly account: string; readonly key: string }): Promise<string | undefined>;
  tombstoneOfCopy(copy: CopyId): Promise<Tombstone | undefined>;
  tombstone(question: QuestionId): Promise<Tombstone | undefined>;
  counts(): Promise<{
    readonly open: number;
    readonly asked: number;
    readonly shown: number;
    readonly undelivered: number;
    readonly pending: number;
    readonly walBytes: number;
  }>;
  /**
   * One slice of housekeeping: turns at most `limit` questions that ended and were collected (or ended) before `endedBeforeMs` into
   * tombstones, drops identities, asides and events that are no longer needed, checkpoints when text was blanked. Says whether more is left.
   */
  tidy(at: { readonly nowMs: number; readonly endedBeforeMs: number; readonly limit: number }): Promise<{ readonly more: boolean }>;
  /** Everything pending is committed first; files are checkpointed. */
  close(): Promise<void>;
}
