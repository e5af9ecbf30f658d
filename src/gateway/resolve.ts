/**
 * Resolving: one submission against one question (R2, R3, R5, R12). Everything is judged against stored rows; the answer, its receipt,
 * the event and (where the host shares the store) the input's row are one transaction (R17).
 */
import { type Checked, checkAnswer } from "../core/answer.js";
import { type AnsweredOutcome, type DeclinedOutcome, type StoredOutcome, statusOfDecision } from "../core/outcome.js";
import type { Receipt } from "../core/record.js";
import { type SubmissionState, stepSubmission } from "../core/submission.js";
import type { ErrorCode, Issue } from "../errors.js";
import type { Judged } from "../ports/directory.js";
import type { Submission } from "../ports/gateway.js";
import type { Change, QuestionRow } from "../ports/store.js";
import { payloadDigest } from "./digest.js";
import type { GatewayParts } from "./parts.js";
import { endedBase, settle } from "./settle.js";

type Valid = Extract<Checked, { ok: true }>;

/** How often a submission is judged anew because the question changed under it; each round sees newer rows. */
const ROUNDS_MAX = 5;
const NO_GUARD = (): void => undefined;

/**
 * Judges and commits one submission. Never throws for a refusal: the receipt says it. @throws `store_unavailable`; what `guard` throws.
 * @param guard the authority behind it (R16), asserted in the tick of every commit; absent where it was asserted at the call's dispatch.
 */
export async function resolveSubmission(parts: GatewayParts, submission: Submission, guard: () => void = NO_GUARD): Promise<Receipt> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const receipt = await judgeOnce(parts, submission, { known: round === 0 ? submission.known : undefined, guard });
    if (receipt !== undefined) return receipt;
  }
  return refused(submission, "store_unavailable", []);
}

type Round = { readonly known: QuestionRow | undefined; readonly guard: () => void };

async function judgeOnce(parts: GatewayParts, submission: Submission, { known, guard }: Round): Promise<Receipt | undefined> {
  const row = known ?? (await parts.store.question(submission.question));
  if (row === undefined) return ofTombstone(parts, submission);
  const { account, userId } = submission.actor;
  const judged = parts.directory.judge(row.body.audience, { account, userId });
  if (!judged.allowed) return refuse(parts, submission, "not_allowed", []); // R26: others read the same, whatever the state
  if (row.status !== "open") return ofEnded(parts, row, submission);
  const checked = checkAnswer(row.body, submission);
  if (!checked.ok) return refuse(parts, submission, checked.code, checked.issues);
  guard();
  return commitAnswer(parts, { row, submission, checked, judged });
}

type Accepted = { readonly row: QuestionRow; readonly submission: Submission; readonly checked: Valid; readonly judged: Judged };

async function commitAnswer(parts: GatewayParts, accepted: Accepted): Promise<Receipt | undefined> {
  const { row, submission, checked } = accepted;
  const outcome = provenOutcome(parts, accepted);
  const { receivedAtMs, resolutionId } = submission;
  const settled = await settle(parts, row, {
    event: { kind: "accepted", decision: checked.decision, receivedAtMs },
    outcome,
    atMs: receivedAtMs,
    settledBy: resolutionId,
    when: { receivedAtMs },
    alongside: alongsideOf(submission, checked, receivedAtMs),
  });
  if (settled.status === "applied") return { question: row.id, status: "committed", outcome };
  if (settled.why === "late")
    return {
      question: row.id,
      status: "closed",
      ended: { status: "expired", at: new Date(row.expiresAtMs ?? receivedAtMs).toISOString() },
    };
  // A receipt with this id exists: the submitter repeats itself, or uses one id for two things (R5).
  if (settled.why === "exists") return repeated(parts, row, submission);
  // The inbox row or a shown-back text was taken by somebody faster (a second worker, recovery): nothing is left to do here.
  if (settled.at >= 0) return { question: row.id, status: "already_yours", outcome: (await parts.store.question(row.id))?.outcome ?? null };
  return undefined;
}

function alongsideOf(submission: Submission, checked: Valid, atMs: number): readonly Change[] {
  const { input, resolutionId, question, actor, alongside = [] } = submission;
  const receipt: Change = {
    do: "insert_receipt",
    row: {
      resolutionId,
      question,
      actor: `${actor.account}:${actor.userId}`,
      atMs,
      payloadDigest: payloadDigest({ decision: checked.decision, values: checked.values, note: checked.note }),
    },
  };
  if (input === undefined) return [receipt, ...alongside];
  const noticeDueAtMs = input.notice === null ? null : atMs;
  return [receipt, { do: "settle_input", id: input.id, verdict: "committed", notice: input.notice, noticeDueAtMs }, ...alongside];
}

function provenOutcome(parts: GatewayParts, accepted: Accepted): StoredOutcome {
  const outcome = outcomeOf(parts, accepted);
  const { row, submission, judged } = accepted;
  if (parts.prover === undefined) return outcome;
  const proof = parts.prover({ questionDigest: row.digest, outcome, event: submission.event ?? null, rule: judged.rule ?? "" });
  return { ...outcome, proof };
}

function outcomeOf(parts: GatewayParts, { row, submission, checked, judged }: Accepted): AnsweredOutcome | DeclinedOutcome {
  const { actor, via, place, receivedAtMs } = submission;
  const { person } = judged;
  const name = person === null ? actor.name : parts.directory.displayName(person);
  const said = {
    ...endedBase(row, receivedAtMs),
    by: { person, name, channel: actor.channel, account: actor.account, userId: actor.userId },
    place,
    via,
    ...(checked.note === undefined ? {} : { note: checked.note }),
  };
  if (statusOfDecision(checked.decision) === "declined") {
    return { ...said, status: "declined", decision: checked.decision as DeclinedOutcome["decision"] };
  }
  return {
    ...said,
    status: "answered",
    decision: checked.decision as AnsweredOutcome["decision"],
    ...valuesOf(row, checked),
    ...(row.body.subject === undefined ? {} : { subjectHash: row.body.subject.hash }),
  };
}

function valuesOf(row: QuestionRow, checked: Valid): Pick<AnsweredOutcome, "value" | "values"> {
  const [only] = row.body.fields;
  if (row.body.shape === "none") return {};
  if (row.body.shape === "values" || only === undefined) return { values: checked.values };
  const value = checked.values[only.key];
  return value === undefined ? {} : { value };
}

async function ofEnded(parts: GatewayParts, row: QuestionRow, submission: Submission): Promise<Receipt> {
  if (row.settledBy === submission.resolutionId) return repeated(parts, row, submission);
  const status = row.status === "open" ? "expired" : row.status;
  const ended = { status, at: new Date(row.endedAtMs ?? submission.receivedAtMs).toISOString() };
  const state: SubmissionState = stepSubmission("received", {
    kind: "judged",
    verdict: status === "answered" || status === "declined" ? "already_answered" : "closed",
  });
  return { question: row.id, status: state === "already_answered" ? "already_answered" : "closed", ended };
}

async function repeated(parts: GatewayParts, row: QuestionRow, submission: Submission): Promise<Receipt> {
  const receipt = await parts.store.receipt(submission.resolutionId);
  const checked = checkAnswer(row.body, submission);
  const same =
    receipt !== undefined &&
    receipt.question === row.id &&
    receipt.actor === `${submission.actor.account}:${submission.actor.userId}` &&
    checked.ok &&
    receipt.payloadDigest === payloadDigest({ decision: checked.decision, values: checked.values, note: checked.note });
  if (!same) return refused(submission, "resolution_conflict", []);
  return { question: row.id, status: "already_yours", outcome: (await parts.store.question(row.id))?.outcome ?? null };
}

async function ofTombstone(parts: GatewayParts, submission: Submission): Promise<Receipt> {
  const stone = await parts.store.tombstone(submission.question);
  if (stone === undefined) return refused(submission, "question_unknown", []);
  return { question: stone.question, status: "closed", ended: { status: stone.status, at: new Date(stone.endedAtMs).toISOString() } };
}

async function refuse(parts: GatewayParts, submission: Submission, code: ErrorCode, issues: readonly Issue[]): Promise<Receipt> {
  const { question, actor, receivedAtMs } = submission;
  // Who was refused and why is part of the record; what they gave is not (R3).
  const data = { by: { account: actor.account, userId: actor.userId, channel: actor.channel }, code };
  await parts.store.commit([{ do: "insert_event", question, type: "input.refused", atMs: receivedAtMs, data }]);
  parts.signals.events();
  return refused(submission, code, issues);
}

function refused(submission: Submission, code: ErrorCode, issues: readonly Issue[]): Receipt {
  return { question: submission.question, status: "refused", code, issues };
}
