/**
 * From an ask to a stored question: parse with the one schema, fill in defaults, resolve targets, fix the digest. Pure but for
 * the clock and chance that are passed in; nothing is stored here.
 */
import { z } from "zod";
import { checkAnswer, SINGLE_KEY } from "../core/answer.js";
import { type CopyId, newCode, newCopyId, newQuestionId, type RandomBytes } from "../core/ids.js";
import {
  type ApprovalAsk,
  type AskShape,
  approvalAskSchema,
  type Decision,
  type OptionShape,
  parseDurationMs,
  type QuestionAsk,
  type QuestionBody,
  questionAskSchema,
  type StoredField,
  SUBJECT_MAX_CHARACTERS,
  type Subject,
  TEXT_ANSWER_MAX,
} from "../core/question.js";
import { HandraiseError, type Issue } from "../errors.js";
import type { AskPlan, AskToPlan, Directory, Parties, PlannedCopy } from "../ports/directory.js";
import type { CopyRow, QuestionRow } from "../ports/store.js";
import { questionDigest, subjectHash } from "./digest.js";

/** How long delivery is tried when the ask does not say (R10). */
export const DELIVER_WITHIN_MAX_MS = 600_000;

/** What the config says where an ask does not: `to` is one target, `timeout` a duration or "none". */
export type AskDefaults = { readonly to?: string; readonly timeout?: string };
/** A question ready to be stored, with its pending copies. */
export type BuiltQuestion = { readonly row: QuestionRow; readonly copies: readonly CopyRow[] };

type Surroundings = {
  readonly directory: Directory;
  readonly defaults: AskDefaults;
  readonly principal: string;
  readonly nowMs: number;
  readonly random: RandomBytes;
  /** People of the run an ask belongs to. Default: none. */
  readonly parties?: Parties;
};

/** @throws `input_invalid` with one issue per fault, `unsupported`, `target_unknown`, `not_allowed`. */
export function buildQuestion(input: unknown, surroundings: Surroundings): BuiltQuestion {
  const { directory, defaults, principal, nowMs, random, parties = {} } = surroundings;
  const ask = parseAsk(directory.applyRoutes(plainObject(input)));
  const to = listOf(ask.to ?? defaults.to);
  if (to.length === 0) throw invalid("to", "missing", "missing. Name a person, role, route or place, or set defaults.to.");
  const plan = directory.plan({ to, ...audienceParts(ask.audience), kind: ask.kind ?? "question", parties });
  const body = bodyOf(ask, { plan, principal, to });
  const time = timesOf(ask, { defaults, nowMs });
  const id = newQuestionId(random);
  const row: QuestionRow = {
    id,
    code: newCode(random),
    principal,
    session: ask.session ?? null,
    key: ask.key ?? null,
    digest: questionDigest(body),
    run: null,
    parentRun: null,
    policyDigest: null,
    group: null,
    body,
    askedAtMs: nowMs,
    timeoutMs: time.timeoutMs,
    expiresAtMs: time.expiresAtMs,
    deliverByMs: time.deliverByMs,
    status: "open",
    version: 1,
    endedAtMs: null,
    outcome: null,
    settledBy: null,
    collectedAtMs: null,
  };
  const copies = plan.copies.map((planned) => copyRow({ id: newCopyId(random), question: row.id, planned, nowMs }));
  return { row, copies };
}

function plainObject(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw invalid("", "wrong_type", "an ask is an object such as { to, text, timeout }.");
  // An explicit `undefined` counts as absent (api.md, section 2).
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function parseAsk(input: Readonly<Record<string, unknown>>): AskShape {
  const kind = input["kind"] ?? "question";
  if (kind === "url" || kind === "handoff")
    throw new HandraiseError("unsupported", `kind: "${kind}" is not available yet. Ask a question or an approval.`);
  if (kind !== "question" && kind !== "approval") throw invalid("kind", "unknown_kind", 'write "question" or "approval".');
  for (const later of ["quorum", "remindAfter", "escalate", "callbackUrl", "group", "run", "url"] as const) {
    if (input[later] !== undefined) throw new HandraiseError("unsupported", `${later}: not available yet.`);
  }
  refuseLaterFields(input);
  const parsed = (kind === "approval" ? approvalAskSchema : questionAskSchema).safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error);
  const [first] = issues;
  throw new HandraiseError("input_invalid", `${first?.path ?? ""}: ${first?.message ?? "invalid"}`, { issues });
}

/** Field types and shapes of a later issue are `unsupported`, told apart from typing errors. */
function refuseLaterFields(input: Readonly<Record<string, unknown>>): void {
  if (input["multi"] === true) throw new HandraiseError("unsupported", "multi: not available yet. Ask for one choice.");
  const fields: readonly unknown[] = Array.isArray(input["fields"]) ? input["fields"] : [];
  if (input["kind"] === "approval" && fields.length > 0)
    throw new HandraiseError("unsupported", "fields: an approval with fields is not available yet.");
  if (fields.length > 1) throw new HandraiseError("unsupported", "fields: more than one field is not available yet.");
  const type = fields.length === 1 ? z.object({ type: z.string() }).safeParse(fields[0]).data?.type : undefined;
  if (type !== undefined && ["multi", "rank", "dropdown", "number", "confirm", "date", "secret"].includes(type)) {
    throw new HandraiseError("unsupported", `fields.0.type: "${type}" is not available yet. Use "choice" or "text".`);
  }
}

function issuesOf(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.join(".");
    if (issue.code !== "unrecognized_keys") return [{ path, code: issue.code, message: issue.message }];
    return issue.keys.map((key) => ({ path: path === "" ? key : `${path}.${key}`, code: "unknown_key", message: "no such property." }));
  });
}

function invalid(path: string, code: string, message: string): HandraiseError {
  return new HandraiseError("input_invalid", path === "" ? message : `${path}: ${message}`, { issues: [{ path, code, message }] });
}

function listOf(names: string | readonly string[] | undefined): readonly string[] {
  if (names === undefined) return [];
  return typeof names === "string" ? [names] : [...new Set(names)];
}

/** R13: the names of an audience, and who is taken out of it. */
function audienceParts(audience: AskShape["audience"]): Pick<AskToPlan, "audience" | "exclude"> {
  if (audience === undefined) return { audience: undefined };
  if (typeof audience === "string" || Array.isArray(audience)) return { audience: listOf(audience) };
  return { audience: audience.of === undefined ? undefined : listOf(audience.of), exclude: listOf(audience.exclude) };
}

function bodyOf(
  ask: AskShape,
  { plan, principal, to }: { readonly plan: AskPlan; readonly principal: string; readonly to: readonly string[] },
): QuestionBody {
  const special = ask.kind === "approval" ? approvalParts(ask) : questionParts(ask);
  const body: QuestionBody = {
    ...special,
    agent: ask.agent ?? (principal === "" ? "an agent" : principal),
    ...(ask.title === undefined ? {} : { title: ask.title }),
    text: ask.text,
    audience: plan.audience,
    to,
    visibility: ask.visibility ?? "shared",
    ownThread: ask.ownThread ?? false,
    ...(ask.call === undefined ? {} : { call: ask.call }),
    ...(ask.metadata === undefined ? {} : { metadata: ask.metadata }),
  };
  if (ask.visibility === "private" && plan.copies.some((copy) => copy.person === null)) {
    throw new HandraiseError(
      "unsupported",
      'visibility: "private" needs a direct chat, and a shared place is among the targets. Name people in `to`.',
    );
  }
  checkFallback(body);
  return body;
}

type Special = Pick<QuestionBody, "kind" | "fields" | "shape" | "decisions" | "subject" | "fallback">;

function questionParts(ask: QuestionAsk): Special {
  if (ask.options !== undefined && ask.fields !== undefined) throw invalid("options", "conflict", "give options or fields, not both.");
  if (ask.other !== undefined && ask.options === undefined) throw invalid("other", "conflict", "other goes with options.");
  const decisions: readonly Decision[] = ask.decisions ?? ["answer", "decline"];
  if (!decisions.includes("answer")) throw invalid("decisions", "conflict", '"answer" must be among the decisions of a question.');
  const fallback = ask.fallback === undefined ? {} : { fallback: ask.fallback as NonNullable<QuestionBody["fallback"]> };
  const shared = { kind: "question" as const, decisions, ...fallback };
  if (ask.options !== undefined) {
    const field: StoredField = {
      type: "choice",
      key: SINGLE_KEY,
      optional: false,
      options: optionsOf(ask.options, "options"),
      other: ask.other ?? false,
    };
    return { ...shared, fields: [field], shape: "value" };
  }
  if (ask.fields !== undefined) return { ...shared, fields: ask.fields.map(storedField), shape: "values" };
  const field: StoredField = { type: "text", key: SINGLE_KEY, optional: false, multiline: true, minLength: 0, maxLength: TEXT_ANSWER_MAX };
  return { ...shared, fields: [field], shape: "value" };
}

function storedField(field: NonNullable<QuestionAsk["fields"]>[number], index: number): StoredField {
  const shared = {
    key: field.key,
    optional: field.optional ?? false,
    ...(field.label === undefined ? {} : { label: field.label }),
    ...(field.help === undefined ? {} : { help: field.help }),
  };
  if (field.type === "choice") {
    return { ...shared, type: "choice", options: optionsOf(field.options, `fields.${index}.options`), other: field.other ?? false };
  }
  const { minLength = 0, maxLength = TEXT_ANSWER_MAX, multiline = false, placeholder } = field;
  if (minLength > maxLength) throw invalid(`fields.${index}.minLength`, "conflict", "minLength is above maxLength.");
  return { ...shared, type: "text", multiline, minLength, maxLength, ...(placeholder === undefined ? {} : { placeholder }) };
}

function optionsOf(options: NonNullable<QuestionAsk["options"]>, path: string): readonly OptionShape[] {
  const shaped = options.map((option) =>
    typeof option === "string"
      ? { value: option, label: option }
      : {
          value: option.value,
          label: option.label ?? option.value,
          ...(option.description === undefined ? {} : { description: option.description }),
        },
  );
  const values = new Set(shaped.map(({ value }) => value));
  if (values.size < shaped.length) throw invalid(path, "repeated", "two options have the same value.");
  const labels = new Set(shaped.map(({ label }) => label));
  if (labels.size < shaped.length) throw invalid(path, "repeated", "two options have the same label.");
  return shaped;
}

function approvalParts(ask: ApprovalAsk): Special {
  const decisions: readonly Decision[] = ask.decisions ?? ["approve", "deny"];
  if (!decisions.some((decision) => decision !== "deny"))
    throw invalid("decisions", "conflict", '"approve" must be among the decisions of an approval.');
  const subject = ask.subject === undefined ? undefined : subjectOf(ask.subject);
  return {
    kind: "approval",
    fields: [],
    shape: "none",
    decisions,
    ...(subject === undefined ? {} : { subject }),
    ...(ask.fallback === undefined ? {} : { fallback: ask.fallback }),
  };
}

function subjectOf({ type, body }: NonNullable<ApprovalAsk["subject"]>): Subject {
  if ([...body].length > SUBJECT_MAX_CHARACTERS) {
    throw new HandraiseError(
      "unsupported",
      `subject.body: longer than ${SUBJECT_MAX_CHARACTERS} characters, which needs a file; that is not available yet.`,
    );
  }
  return { type, body, hash: subjectHash(type, body) };
}

/** R9: a declared fallback is validated at ask. */
function checkFallback(body: QuestionBody): void {
  if (body.fallback === undefined || body.kind === "approval") return;
  const checked = checkAnswer(body, { decision: "answer", ...body.fallback });
  if (checked.ok) return;
  const issues = checked.issues.map((issue) => ({ ...issue, path: `fallback.${issue.path}` }));
  throw new HandraiseError("input_invalid", `fallback: ${issues[0]?.message ?? "invalid"}`, { issues });
}

type Times = { readonly timeoutMs: number | null; readonly expiresAtMs: number | null; readonly deliverByMs: number };

function timesOf(ask: AskShape, { defaults, nowMs }: { readonly defaults: AskDefaults; readonly nowMs: number }): Times {
  if (ask.timeout !== undefined && ask.expiresAt !== undefined)
    throw invalid("timeout", "conflict", "give timeout or expiresAt, not both.");
  const expiresAtMs = ask.expiresAt === undefined ? null : Date.parse(ask.expiresAt);
  if (expiresAtMs !== null && expiresAtMs <= nowMs) throw invalid("expiresAt", "past", "lies in the past.");
  const timeout = ask.timeout ?? (expiresAtMs === null ? defaults.timeout : undefined);
  if (timeout === undefined && expiresAtMs === null)
    throw invalid("timeout", "missing", 'missing. Write "2h", or "none" to wait for ever, or set defaults.timeout.');
  const timeoutMs = timeout === undefined || timeout === "none" ? null : (parseDurationMs(timeout) ?? null);
  if (timeout !== undefined && timeout !== "none" && timeoutMs === null) throw invalid("timeout", "invalid", "must be longer than zero.");
  const limit =
    ask.deliverWithin === undefined
      ? Math.min(timeoutMs ?? DELIVER_WITHIN_MAX_MS, DELIVER_WITHIN_MAX_MS)
      : (parseDurationMs(ask.deliverWithin) ?? DELIVER_WITHIN_MAX_MS);
  return { timeoutMs, expiresAtMs, deliverByMs: Math.min(nowMs + limit, expiresAtMs ?? Number.MAX_SAFE_INTEGER) };
}

/** A fresh row for one copy; `repeatOf` marks the labelled repeat of a lost one. */
export function copyRow(from: {
  readonly id: CopyId;
  readonly question: QuestionRow["id"];
  readonly planned: PlannedCopy;
  readonly nowMs: number;
  readonly repeatOf?: CopyId;
}): CopyRow {
  const { planned } = from;
  return {
    id: from.id,
    question: from.question,
    target: planned.target,
    person: planned.person,
    account: planned.account,
    userId: planned.userId,
    conversation: planned.conversation,
    thread: planned.thread,
    direct: planned.person !== null,
    state: "pending",
    todo: "send",
    dueAtMs: from.nowMs,
    revision: 1,
    part: 0,
    nonce: null,
    attemptedAtMs: null,
    attempts: 0,
    messageIds: [],
    messageId: null,
    messageOrder: null,
    repeatOf: from.repeatOf ?? null,
    page: 0,
    shownAtMs: null,
    errorCode: null,
    errorMessage: null,
  };
}
