/**
 * The one place that knows in which order a row's columns stand: port rows to values and back. A row read here is trusted; one that
 * does not fit its column is a broken file and throws.
 */
import type { CopyId, QuestionId, ResolutionId } from "../../../src/core/ids.js";
import type {
  AsideRow,
  CopyOf,
  CopyRow,
  EventRow,
  InputRow,
  QuestionRow,
  ReceiptRow,
  Standing,
  Tombstone,
} from "../../../src/ports/store.js";
import { Columns, parsedOrNull, textOf } from "./columns.js";
import type { Row, Value } from "./values.js";

/** Columns of a question that change, or that it is found by. */
export const QUESTION_COLUMNS = [
  "id",
  "code",
  "principal",
  "session",
  "key",
  "audience",
  "asked_at",
  "timeout",
  "expires_at",
  "deliver_by",
  "status",
  "version",
  "ended_at",
  "settled_by",
  "collected_at",
] as const;
/** Columns that never change, in a table of their own. */
export const QUESTION_TEXT_COLUMNS = ["digest", "run", "parent_run", "policy_digest", "question_group", "body", "call", "turn"] as const;
/** Where some columns stand among the values of an insert: the two lists above, then the outcome. */
export const QUESTION_PLACES = {
  id: QUESTION_COLUMNS.indexOf("id"),
  principal: QUESTION_COLUMNS.indexOf("principal"),
  audience: QUESTION_COLUMNS.indexOf("audience"),
  status: QUESTION_COLUMNS.indexOf("status"),
  run: QUESTION_COLUMNS.length + QUESTION_TEXT_COLUMNS.indexOf("run"),
  texts: QUESTION_COLUMNS.length,
  outcome: QUESTION_COLUMNS.length + QUESTION_TEXT_COLUMNS.length,
} as const;
/** What a question is read from, beside its own table `q`. */
export const QUESTION_SOURCE = "cross join question_texts t on t.n = q.n left join outcomes o on o.n = q.n";
/** Columns of a question in the order of `questionOf`. */
export const QUESTION_READ = `q.id, q.code, q.principal, q.session, q.key, t.digest, t.run, t.parent_run, t.policy_digest, t.question_group, t.body,
  q.asked_at, q.timeout, q.expires_at, q.deliver_by, q.status, q.version, q.ended_at, o.outcome, q.settled_by, q.collected_at`;

/** Keys of a copy that a change may set, with their columns, in the order they are read. */
export const COPY_SETTABLE = {
  target: "target",
  person: "person",
  account: "account",
  userId: "user_id",
  conversation: "conversation",
  thread: "thread",
  direct: "direct",
  state: "state",
  todo: "todo",
  dueAtMs: "due_at",
  part: "part",
  nonce: "nonce",
  attemptedAtMs: "attempted_at",
  attempts: "attempts",
  messageIds: "message_ids",
  messageId: "message_id",
  messageOrder: "message_order",
  repeatOf: "repeat_of",
  page: "page",
  shownAtMs: "shown_at",
  errorCode: "error_code",
  errorMessage: "error_message",
} as const satisfies Record<keyof Omit<CopyRow, "id" | "question" | "revision">, string>;
/** A property of a copy that a change may set. */
export type CopySettable = keyof typeof COPY_SETTABLE;
/** The settable keys in the order of their columns. */
export const COPY_KEYS: readonly CopySettable[] = [
  "target",
  "person",
  "account",
  "userId",
  "conversation",
  "thread",
  "direct",
  "state",
  "todo",
  "dueAtMs",
  "part",
  "nonce",
  "attemptedAtMs",
  "attempts",
  "messageIds",
  "messageId",
  "messageOrder",
  "repeatOf",
  "page",
  "shownAtMs",
  "errorCode",
  "errorMessage",
];
/** Columns of a copy without its question: whose id stands first when it is read, and whose number stands last when it is written. */
export const COPY_COLUMNS: readonly string[] = ["id", "revision", ...COPY_KEYS.map((key) => COPY_SETTABLE[key])];

/** Columns of an input, in the order they are written and read. */
export const INPUT_COLUMNS =
  "id, alias, question, copy, resolution_id, input, received_at, state, verdict, notice, notice_account, notice_due_at, notice_attempts, submission, submission_at, checks, check_at";
/** Columns of a receipt, in the order they are written and read. */
export const RECEIPT_COLUMNS = "resolution_id, question, actor, payload_digest, at";
/** Columns of an aside, in the order they are written and read. */
export const ASIDE_COLUMNS = "id, account, conversation, user_id, text, kind, copies, expires_at";

/** Values of an insert: `QUESTION_COLUMNS`, `QUESTION_TEXT_COLUMNS`, outcome. */
export function questionValues(row: QuestionRow): Value[] {
  const { audience, call } = row.body;
  return [
    row.id,
    row.code,
    row.principal,
    row.session,
    row.key,
    audience.kind === "people" ? JSON.stringify([...new Set(audience.people)]) : null,
    row.askedAtMs,
    row.timeoutMs,
    row.expiresAtMs,
    row.deliverByMs,
    row.status,
    row.version,
    row.endedAtMs,
    row.settledBy,
    row.collectedAtMs,
    row.digest,
    row.run,
    row.parentRun,
    row.policyDigest,
    row.group,
    JSON.stringify(row.body),
    call === undefined ? null : JSON.stringify(call),
    call?.turn ?? null,
    textOf(row.outcome),
  ];
}

/** One settable property of a copy as its column keeps it. */
export function copyValue(value: CopyRow[CopySettable]): Value {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** Values of an insert: `COPY_COLUMNS`, then the question's id. */
export function copyValues(row: CopyRow): Value[] {
  const values: Value[] = [row.id, row.revision];
  for (const key of COPY_KEYS) values.push(copyValue(row[key]));
  values.push(row.question);
  return values;
}

/** Values of an insert, in the order of `INPUT_COLUMNS`. */
export function inputValues(row: InputRow): Value[] {
  return [
    row.id,
    row.alias,
    row.question,
    row.copy,
    row.resolutionId,
    textOf(row.input),
    row.receivedAtMs,
    row.state,
    row.verdict,
    textOf(row.notice),
    row.noticeAccount,
    row.noticeDueAtMs,
    row.noticeAttempts,
    ...submissionValues(row.submission),
  ];
}

/** How far a remote host's submission has come: state, since when, checks made, next check. */
export function submissionValues(submission: InputRow["submission"]): Value[] {
  if (submission === null) return [null, null, 0, null];
  return [submission.state, submission.atMs, submission.checks, submission.checkAtMs];
}

function submissionOf(c: Columns): InputRow["submission"] {
  const [state, atMs, checks, checkAtMs] = [c.textOrNull(), c.intOrNull(), c.int(), c.intOrNull()];
  if (state === null || atMs === null) return null;
  return { state: state as NonNullable<InputRow["submission"]>["state"], atMs, checks, checkAtMs };
}

/** A question from `QUESTION_READ`, whose columns begin at place `at`. */
export function questionOf(row: Row, at = 0): QuestionRow {
  const c = new Columns(row, at);
  return {
    id: c.text() as QuestionId,
    code: c.text(),
    principal: c.text(),
    session: c.textOrNull(),
    key: c.textOrNull(),
    digest: c.text(),
    run: c.textOrNull(),
    parentRun: c.textOrNull(),
    policyDigest: c.textOrNull(),
    group: c.textOrNull(),
    body: JSON.parse(c.text()),
    askedAtMs: c.int(),
    timeoutMs: c.intOrNull(),
    expiresAtMs: c.intOrNull(),
    deliverByMs: c.intOrNull(),
    status: c.text() as QuestionRow["status"],
    version: c.int(),
    endedAtMs: c.intOrNull(),
    outcome: parsedOrNull(c.textOrNull()),
    settledBy: c.textOrNull() as ResolutionId | null,
    collectedAtMs: c.intOrNull(),
  };
}

/** A question's standing from the query of that name. */
export function standingOf(row: Row): Standing {
  const c = new Columns(row);
  return {
    id: c.text() as QuestionId,
    principal: c.text(),
    status: c.text() as Standing["status"],
    outcome: parsedOrNull(c.textOrNull()),
    settledBy: c.textOrNull() as ResolutionId | null,
    collectedAtMs: c.intOrNull(),
  };
}

/** A copy from its question's id and `COPY_COLUMNS`. */
export function copyOf(row: Row): CopyRow {
  const c = new Columns(row);
  return {
    question: c.text() as QuestionId,
    id: c.text() as CopyId,
    revision: c.int(),
    target: c.text(),
    person: c.textOrNull(),
    account: c.text(),
    userId: c.textOrNull(),
    conversation: c.textOrNull(),
    thread: c.textOrNull(),
    direct: c.int() === 1,
    state: c.text() as CopyRow["state"],
    todo: c.textOrNull() as CopyRow["todo"],
    dueAtMs: c.intOrNull(),
    part: c.int(),
    nonce: c.textOrNull(),
    attemptedAtMs: c.intOrNull(),
    attempts: c.int(),
    messageIds: JSON.parse(c.text()),
    messageId: c.textOrNull(),
    messageOrder: c.textOrNull(),
    repeatOf: c.textOrNull() as CopyId | null,
    page: c.int(),
    shownAtMs: c.intOrNull(),
    errorCode: c.textOrNull(),
    errorMessage: c.textOrNull(),
  };
}

/** A copy and the question it shows, from one joined row. */
export function pairOf(row: Row): CopyOf {
  return { copy: copyOf(row), question: questionOf(row, COPY_COLUMNS.length + 1) };
}

/** An input from `INPUT_COLUMNS`. */
export function inputOf(row: Row): InputRow {
  const c = new Columns(row);
  return {
    id: c.text(),
    alias: c.textOrNull(),
    question: c.textOrNull() as QuestionId | null,
    copy: c.textOrNull() as CopyId | null,
    resolutionId: c.text() as ResolutionId,
    input: parsedOrNull(c.textOrNull()),
    receivedAtMs: c.int(),
    state: c.text() as InputRow["state"],
    verdict: c.textOrNull(),
    notice: parsedOrNull(c.textOrNull()),
    noticeAccount: c.text(),
    noticeDueAtMs: c.intOrNull(),
    noticeAttempts: c.int(),
    submission: submissionOf(c),
  };
}

/** A receipt from `RECEIPT_COLUMNS`. */
export function receiptOf(row: Row): ReceiptRow {
  const c = new Columns(row);
  return {
    resolutionId: c.text() as ResolutionId,
    question: c.text() as QuestionId,
    actor: c.text(),
    payloadDigest: c.text(),
    atMs: c.int(),
  };
}

/** An aside from `ASIDE_COLUMNS`. */
export function asideOf(row: Row): AsideRow {
  const c = new Columns(row);
  return {
    id: c.text(),
    account: c.text(),
    conversation: c.text(),
    userId: c.text(),
    text: c.text(),
    kind: c.text() as AsideRow["kind"],
    copies: JSON.parse(c.text()),
    expiresAtMs: c.int(),
  };
}

/** An event: id, question's id, session, version, type, time, data. */
export function eventOf(row: Row): EventRow {
  const c = new Columns(row);
  return {
    id: c.int(),
    question: c.text() as QuestionId,
    session: c.textOrNull(),
    version: c.int(),
    type: c.text(),
    atMs: c.int(),
    data: JSON.parse(c.text()),
  };
}

/** A tombstone: question's id, status, times. */
export function tombstoneOf(row: Row): Tombstone {
  const c = new Columns(row);
  return { question: c.text() as QuestionId, status: c.text() as Tombstone["status"], askedAtMs: c.int(), endedAtMs: c.int() };
}

/** The only number of the only row; null when there is none. */
export function numberOf(rows: readonly Row[] | undefined): number | null {
  const row = rows?.[0];
  return row === undefined ? null : new Columns(row).intOrNull();
}
