/** What a typed reply means for a stored question: the expectation it is read against, and what the reading gives the gateway. */
import type { Given } from "../core/answer.js";
import type { QuestionBody } from "../core/question.js";
import { type ApprovalDecision, type Expectation, type Reading, readReply } from "../core/reply.js";
import type { Words } from "../core/words/index.js";
import { unreachable } from "../errors.js";
import type { QuestionRow } from "../ports/store.js";

/** What one question can be answered with by typing (section 8). */
export function expectationOf(body: QuestionBody, words: Words, code?: string): Expectation {
  const declinable = body.decisions.includes("decline");
  const coded = code === undefined ? {} : { code };
  const [field] = body.fields;
  if (field === undefined) {
    const offered: readonly string[] = body.decisions;
    const decisions = (["approve", "approve_always", "deny"] as const).filter((decision: ApprovalDecision) => offered.includes(decision));
    return { kind: "approval", decisions, labels: words.controls.approvals, declinable, ...coded };
  }
  switch (field.type) {
    case "choice":
      return { kind: "choice", options: field.options, other: field.other, optional: field.optional, declinable, ...coded };
    case "text":
      return { kind: "text", minLength: field.minLength, maxLength: field.maxLength, optional: field.optional, declinable, ...coded };
    default:
      return unreachable(field);
  }
}

/** `give`: submit it. `show_back`: the person's own words, too loosely bound to count at once. `help`, `hint`: nothing to submit. */
export type ReplyMeaning =
  | { readonly kind: "give"; readonly given: Given }
  | { readonly kind: "show_back"; readonly text: string }
  | { readonly kind: "help" }
  | { readonly kind: "hint"; readonly hint: Extract<Reading, { kind: "hint" }> };

/** Reads a reply. `loose`: bound only by being the one open question of a direct chat (section 8, rule 7). */
export function readFor(
  { body, code }: QuestionRow,
  { text, loose }: { readonly text: string; readonly loose: boolean },
  words: Words,
): ReplyMeaning {
  const reading = readReply(text, expectationOf(body, words, code), words.typed);
  const [field] = body.fields;
  switch (reading.kind) {
    case "option": {
      const option = field?.type === "choice" ? field.options[reading.index] : undefined;
      if (option === undefined) throw new Error("a reading named an option that is not there");
      return { kind: "give", given: { decision: "answer", value: option.value } };
    }
    case "other":
      return loose
        ? { kind: "show_back", text: reading.text }
        : { kind: "give", given: { decision: "answer", value: { other: reading.text } } };
    case "text":
      return { kind: "give", given: { decision: "answer", value: reading.text } };
    case "decision":
      return { kind: "give", given: { decision: reading.decision } };
    case "skip":
      return { kind: "give", given: { decision: "answer", values: {} } };
    case "help":
      return { kind: "help" };
    case "hint":
      return { kind: "hint", hint: reading };
    default:
      return unreachable(reading);
  }
}
