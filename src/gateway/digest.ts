/**
 * Digests: what "the same question" and "exactly what was approved" mean, as SHA-256.
 *
 * G1  A question's digest covers what is asked and who may answer, not when and where (R7).
 * G2  A subject's hash is over its type, LF and the exact UTF-8 bytes; JSON in its RFC 8785 form, so that white space and key order
 *     do not change what was approved.
 */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { digestOf } from "../audit/canonical.js";
import type { QuestionBody, SubjectType } from "../core/question.js";
import { HandraiseError } from "../errors.js";

/** SHA-256 (hex) of a text as UTF-8. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** RFC 8785 text of plain data. */
export function canonicalJson(data: unknown): string {
  const text = canonicalize(data);
  if (text === undefined) throw new HandraiseError("input_invalid", "This value has no JSON form.");
  return text;
}

/** What of G1 two questions differ in, in the words of an ask: "options differ", "text and audience differ". */
export function differences(one: QuestionBody, other: QuestionBody): string {
  const [before, after] = [askedParts(one), askedParts(other)];
  const differing = Object.keys(after).filter(
    (part) => canonicalJson(Reflect.get(before, part)) !== canonicalJson(Reflect.get(after, part)),
  );
  const names = differing.map((part) => (part === "fields" && one.shape === "value" && other.shape === "value" ? "options" : part));
  const all = [...names.slice(0, -2), names.slice(-2).join(" and ")].join(", ");
  return `${all} ${names.length === 1 && !all.endsWith("s") ? "differs" : "differ"}`;
}

/** SHA-256 (hex) over what is asked and who may answer (G1). */
export function questionDigest(body: QuestionBody): string {
  return digestOf(askedParts(body));
}

function askedParts(body: QuestionBody): Readonly<Record<string, unknown>> {
  const { kind, title, text, subject, fields, shape, decisions, audience, fallback } = body;
  // By which role somebody is in it may change with the config; who is in it may not.
  const people = audience.kind === "people" ? { kind: "people", people: [...audience.people].sort() } : audience;
  return {
    kind,
    title: title ?? null,
    text,
    subject: subject?.hash ?? null,
    fields,
    shape,
    decisions: [...decisions].sort(),
    audience: people,
    fallback: fallback ?? null,
  };
}

/** SHA-256 (hex) of a submission's decision and values (R5). */
export function payloadDigest(payload: { readonly decision: string; readonly values: unknown; readonly note: string | undefined }): string {
  return digestOf({ decision: payload.decision, values: payload.values, note: payload.note ?? null });
}

/** `sha256:` and hex of a subject (G2). @throws `input_invalid` when a `json` subject is not JSON. */
export function subjectHash(type: SubjectType, body: string): string {
  return `sha256:${sha256Hex(`${type}\n${type === "json" ? canonicalJson(parseJson(body)) : body}`)}`;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    const issues = [{ path: "subject.body", code: "not_json", message: "A subject of type json must be JSON." }];
    throw new HandraiseError("input_invalid", "subject.body: not JSON. Give JSON text, or another subject type.", { cause, issues });
  }
}
