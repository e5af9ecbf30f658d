/** Rows for tests of stores: whole and plain, each part overridable. */
import type { CopyId, QuestionId, ResolutionId } from "../../core/ids.js";
import { newCopyId, newQuestionId, newResolutionId, type RandomBytes } from "../../core/ids.js";
import type { Input } from "../../core/input.js";
import type { StoredOutcome } from "../../core/outcome.js";
import type { NoticeOrder } from "../../ports/channel.js";
import type { AsideRow, Change, CopyRow, InputRow, QuestionRow, ReceiptRow } from "../../ports/store.js";

/** A start of time for tests: 2027-01-15T08:00:00.000Z, in milliseconds. */
export const START_MS = 1_800_000_000_000;

/** Repeatable bytes from a seed (a linear congruential generator of 31 bits). */
export function seededBytes(seed: number): RandomBytes {
  let state = seed;
  return (count) => {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      bytes[at] = state >>> 16;
    }
    return bytes;
  };
}

let drawn = 0;
/** Bytes for ids that no other test of this process draws. */
function fresh(): RandomBytes {
  drawn += 1;
  return seededBytes(drawn * 7_919 + process.pid);
}

/** An open question of principal `ci` to `alice`, asked at `START_MS`, with a timeout of a minute that has not begun. */
export function questionRow(set: Partial<QuestionRow> = {}): QuestionRow {
  return {
    id: newQuestionId(fresh()),
    code: "K7QM",
    principal: "ci",
    session: null,
    key: null,
    digest: "0".repeat(64),
    run: null,
    parentRun: null,
    policyDigest: null,
    group: null,
    body: {
      kind: "question",
      agent: "release bot",
      text: "Where does release 42 go?",
      fields: [
        {
          type: "choice",
          key: "answer",
          optional: false,
          options: [
            { value: "staging", label: "Staging" },
            { value: "prod", label: "Production" },
          ],
          other: false,
        },
      ],
      shape: "value",
      decisions: ["answer", "decline"],
      audience: { kind: "people", people: ["alice"] },
      to: ["alice"],
      visibility: "shared",
      ownThread: false,
    },
    askedAtMs: START_MS,
    timeoutMs: 60_000,
    expiresAtMs: null,
    deliverByMs: START_MS + 600_000,
    status: "open",
    version: 0,
    endedAtMs: null,
    outcome: null,
    settledBy: null,
    collectedAtMs: null,
    ...set,
  };
}

/** A pending copy in alice's direct chat on `slack`, to be sent at `START_MS`. */
export function copyRow(question: QuestionId, set: Partial<CopyRow> = {}): CopyRow {
  return {
    id: newCopyId(fresh()),
    question,
    target: "alice",
    person: "alice",
    account: "slack",
    userId: "U02ALICE",
    conversation: "D024BE91L",
    thread: null,
    direct: true,
    state: "pending",
    todo: "send",
    dueAtMs: START_MS,
    revision: 0,
    part: 0,
    nonce: null,
    attemptedAtMs: null,
    attempts: 0,
    messageIds: [],
    messageId: null,
    messageOrder: null,
    repeatOf: null,
    page: 0,
    shownAtMs: null,
    errorCode: null,
    errorMessage: null,
    ...set,
  };
}

/** A copy as it stands once shown as message `messageId`. */
export function shownCopyRow(question: QuestionId, messageId: string, set: Partial<CopyRow> = {}): CopyRow {
  const shown = { messageIds: [messageId], messageId, messageOrder: messageId, shownAtMs: START_MS + 1_000 };
  return copyRow(question, { state: "shown", todo: null, dueAtMs: null, ...shown, ...set });
}

/** A press by alice on `slack`. */
export function pressInput(id: string, { conversation = "D024BE91L" }: { readonly conversation?: string } = {}): Input {
  const message = { id: "1800000000.000100", order: "1800000000.000100" };
  const common = { account: "slack", channel: "slack", conversation, direct: true } as const;
  return { ...common, kind: "press", id, sender: { userId: "U02ALICE", name: "Alice" }, token: "t", message };
}

/** Words typed by alice on `slack`. */
export function typedInput(id: string, text: string): Input {
  const message = { id: "1800000000.000100", order: "1800000000.000100" };
  const common = { account: "slack", channel: "slack", conversation: "D024BE91L", direct: true } as const;
  return { ...common, kind: "text", id, sender: { userId: "U02ALICE", name: "Alice" }, text, message };
}

/** A new input for a question (or, with null, an identity only), received two seconds after `START_MS`. */
export function inputRow(id: string, question: QuestionId | null, set: Partial<InputRow> = {}): InputRow {
  return {
    id: `slack|${id}`,
    alias: null,
    question,
    copy: null,
    resolutionId: newResolutionId(fresh()),
    input: question === null ? null : pressInput(id),
    receivedAtMs: START_MS + 2_000,
    state: "new",
    verdict: null,
    notice: null,
    noticeAccount: "slack",
    noticeDueAtMs: null,
    noticeAttempts: 0,
    submission: null,
    ...set,
  };
}

/** A private word to alice. */
export function noticeOrder(text: string): NoticeOrder {
  return { text, conversation: "D024BE91L", direct: true, userId: "U02ALICE", tone: "calm" };
}

/** A receipt of alice for a question. */
export function receiptRow(question: QuestionId, set: Partial<ReceiptRow> = {}): ReceiptRow {
  const resolutionId: ResolutionId = newResolutionId(fresh());
  return { resolutionId, question, actor: "slack:U02ALICE", payloadDigest: "1".repeat(64), atMs: START_MS + 2_000, ...set };
}

/** A text shown back to alice. */
export function asideRow(id: string, set: Partial<AsideRow> = {}): AsideRow {
  const copies: readonly CopyId[] = [newCopyId(fresh())];
  const where = { account: "slack", conversation: "D024BE91L", userId: "U02ALICE" };
  return { id, ...where, text: "to production please", kind: "confirm", copies, expiresAtMs: START_MS + 600_000, ...set };
}

/** Alice's answer to a question, as it is stored. */
export function answeredOutcome(id: QuestionId, value = "prod"): StoredOutcome {
  return {
    id,
    at: new Date(START_MS + 2_000).toISOString(),
    status: "answered",
    decision: "answer",
    value,
    by: { person: "alice", name: "Alice", channel: "slack", account: "slack", userId: "U02ALICE" },
    place: "slack:D024BE91L",
    via: "button",
  };
}

/** An end without an answer. */
export function endedOutcome(id: QuestionId, status: "cancelled" | "expired" | "undelivered"): StoredOutcome {
  const ended = { id, at: new Date(START_MS + 60_000).toISOString() };
  if (status === "cancelled") return { ...ended, status, code: "withdrawn" };
  return status === "expired" ? { ...ended, status } : { ...ended, status, failures: [] };
}

/** The changes of one ask: question, copies, event. */
export function askChanges(row: QuestionRow, copies: readonly CopyRow[] = []): Change[] {
  const event = { do: "insert_event", question: row.id, type: "question.asked", atMs: row.askedAtMs, data: {} } as const;
  return [{ do: "insert_question", row }, ...copies.map((copy) => ({ do: "insert_copy", row: copy }) as const), event];
}

/** The changes of one accepted answer, as the gateway makes them. */
export function answerChanges(row: QuestionRow, input: InputRow, { value = "prod" }: { readonly value?: string } = {}): Change[] {
  const atMs = input.receivedAtMs;
  const outcome = answeredOutcome(row.id, value);
  return [
    { do: "settle_question", id: row.id, outcome, endedAtMs: atMs, settledBy: input.resolutionId, receivedAtMs: atMs },
    { do: "insert_receipt", row: receiptRow(row.id, { resolutionId: input.resolutionId, atMs }) },
    { do: "settle_input", id: input.id, verdict: "committed", notice: null, noticeDueAtMs: null },
    { do: "insert_event", question: row.id, type: "question.answered", atMs, data: { value } },
    { do: "end_copies", question: row.id, atMs },
  ];
}
