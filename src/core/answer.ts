/**
 * Answers: what a person gave, checked against the stored question (R3). The only check there is; it runs inside every path to
 * a commit, and a channel's own form may run it earlier only to show the error beside its field.
 *
 * A1  Decision and values stand apart; values sent with decline or deny are dropped.
 * A2  One issue per fault, by path, with a stable code. Refused values are never echoed.
 * A3  Other is `{ other: text }` in the value's own place, only where the field says so; a text that equals an offered value or
 *     label is that option.
 */
import type { Issue } from "../errors.js";
import { unreachable } from "../errors.js";
import type { Value } from "./outcome.js";
import type { ChoiceField, Decision, QuestionBody, StoredField, TextField } from "./question.js";

/** What a submitter gives; `value` is short for the one field of a question asked with options or plain text. */
export type Given = {
  readonly decision?: string;
  readonly value?: unknown;
  readonly values?: unknown;
  readonly note?: unknown;
};

/** What a check found: the decision with its values and trimmed note, ready to store, or one issue per fault (A2). */
export type Checked =
  | { readonly ok: true; readonly decision: Decision; readonly values: Readonly<Record<string, Value>>; readonly note?: string }
  | { readonly ok: false; readonly code: "answer_invalid" | "decision_invalid"; readonly issues: readonly Issue[] };

/** Longest reason beside a decision, in characters. */
export const NOTE_MAX = 1_000;
/** The key of the one field of a question asked with `options` or plain text. */
export const SINGLE_KEY = "answer";

/** Checks decision and values against the stored question. Pure; throws nothing. */
export function checkAnswer(body: QuestionBody, given: Given): Checked {
  const decision = given.decision ?? (body.kind === "question" ? "answer" : undefined);
  const offered: readonly string[] = body.decisions;
  if (decision === undefined || !offered.includes(decision)) {
    const message = `Decide by one of: ${body.decisions.join(", ")}.`;
    return { ok: false, code: "decision_invalid", issues: [{ path: "decision", code: "not_offered", message }] };
  }
  const issues: Issue[] = [];
  const note = checkNote(given.note, issues);
  const takesValues = decision === "answer";
  const values = takesValues ? checkValues(body, given, issues) : {}; // A1
  if (issues.length > 0) return { ok: false, code: "answer_invalid", issues };
  return { ok: true, decision: decision as Decision, values, ...(note === undefined ? {} : { note }) };
}

function checkNote(note: unknown, issues: Issue[]): string | undefined {
  if (note === undefined || note === null) return undefined;
  if (typeof note !== "string") {
    issues.push({ path: "note", code: "wrong_type", message: "note must be text." });
    return undefined;
  }
  if (note.length > NOTE_MAX) issues.push({ path: "note", code: "too_long", message: `note must have at most ${NOTE_MAX} characters.` });
  const trimmed = note.trim();
  return trimmed === "" ? undefined : trimmed;
}

function checkValues(body: QuestionBody, given: Given, issues: Issue[]): Record<string, Value> {
  const raw = rawValues(body, given, issues);
  if (raw === undefined) return {};
  const values: Record<string, Value> = {};
  const pathOf = (key: string): string => (body.shape === "value" ? "value" : `values.${key}`);
  const known = new Set(body.fields.map(({ key }) => key));
  for (const key of Object.keys(raw)) {
    if (!known.has(key))
      issues.push({
        path: `values.${key}`,
        code: "unknown_key",
        message: `There is no field of this name. Fields: ${[...known].join(", ")}.`,
      });
  }
  for (const field of body.fields) {
    const value = Object.hasOwn(raw, field.key) ? raw[field.key] : undefined;
    if (value === undefined) {
      if (!field.optional) issues.push({ path: pathOf(field.key), code: "required", message: `${labelOf(field)} is missing.` });
      continue;
    }
    const checked = checkField(field, value);
    if ("fault" in checked) issues.push({ path: pathOf(field.key), ...checked.fault });
    else values[field.key] = checked.value;
  }
  return values;
}

function rawValues(body: QuestionBody, given: Given, issues: Issue[]): Readonly<Record<string, unknown>> | undefined {
  if (given.values !== undefined) {
    if (given.value !== undefined) {
      issues.push({ path: "value", code: "unknown_key", message: "Give value or values, not both." });
      return undefined;
    }
    if (isRecord(given.values)) return given.values;
    issues.push({ path: "values", code: "wrong_type", message: "values must be an object of field keys and values." });
    return undefined;
  }
  if (given.value === undefined) return {};
  const only = body.fields.length === 1 ? body.fields[0] : undefined;
  if (only !== undefined) return { [only.key]: given.value };
  issues.push({ path: "value", code: "wrong_type", message: "This question has several fields: give values." });
  return undefined;
}

type Fault = { readonly code: string; readonly message: string };
type FieldChecked = { readonly value: Value } | { readonly fault: Fault };

/** Checks one value of one field; also used where a field is answered alone. */
export function checkField(field: StoredField, value: unknown): FieldChecked {
  if (value === null) return { fault: { code: "required", message: `${labelOf(field)} must not be null.` } };
  switch (field.type) {
    case "choice":
      return checkChoice(field, value);
    case "text":
      return checkText(field, value);
    default:
      return unreachable(field);
  }
}

function checkChoice(field: ChoiceField, value: unknown): FieldChecked {
  if (typeof value === "string") {
    if (value.trim() === "") return { fault: { code: "blank", message: `${labelOf(field)} is blank.` } };
    const option = field.options.find((candidate) => candidate.value === value);
    return option === undefined ? { fault: notOffered(field) } : { value: option.value };
  }
  const other = isRecord(value) && Object.keys(value).length === 1 ? value["other"] : undefined;
  if (typeof other !== "string") return { fault: { code: "wrong_type", message: `${labelOf(field)} must be one of the offered values.` } };
  const text = other.trim();
  if (text === "") return { fault: { code: "blank", message: `${labelOf(field)} is blank.` } };
  const same = field.options.find((candidate) => candidate.value === text || candidate.label === text);
  if (same !== undefined) return { value: same.value }; // A3
  if (!field.other) return { fault: notOffered(field) };
  if (text.length > OTHER_MAX) return { fault: { code: "too_long", message: `At most ${OTHER_MAX} characters.` } };
  return { value: { other: text } };
}

/** Longest Other text, in UTF-16 units: what one text input takes on every platform. */
export const OTHER_MAX = 3_000;

function checkText(field: TextField, value: unknown): FieldChecked {
  if (typeof value !== "string") return { fault: { code: "wrong_type", message: `${labelOf(field)} must be text.` } };
  const text = value.trim();
  if (text === "") return { fault: { code: "blank", message: `${labelOf(field)} is blank.` } };
  if (text.length < field.minLength) return { fault: { code: "too_short", message: `At least ${field.minLength} characters.` } };
  if (text.length > field.maxLength) return { fault: { code: "too_long", message: `At most ${field.maxLength} characters.` } };
  return { value: text };
}

function notOffered(field: ChoiceField): Fault {
  const values = field.options.map((option) => option.value);
  const shown = values.slice(0, 10).join(", ");
  return { code: "not_offered", message: `Pick one of: ${shown}${values.length > 10 ? `, … (${values.length} in all)` : ""}.` };
}

function labelOf(field: StoredField): string {
  return field.label ?? (field.key === SINGLE_KEY ? "The answer" : field.key);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
