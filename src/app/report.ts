/**
 * What the terminal says about questions: one line per event, for people. Used by the simulated bridge and the demo.
 *
 *   asked      K7QM  slack     Where does release 42 go?
 *   answered   K7QM  slack     prod · you, 14:03
 *
 * What a person or an agent wrote is shown on one line, control characters as visible escapes, so that it cannot imitate a line of ours.
 */
import type { AskInput, Outcome, QuestionRecord } from "../client/types.js";
import { visibleLine } from "../core/visible.js";

/** The facts of a record that a line needs. */
export type Told = Pick<QuestionRecord, "code" | "text" | "deliveries">;

/** "asked …" or, for one from an earlier life, "still open …". */
export function askedLine(word: "asked" | "still open", record: Told): string {
  return line(word, record, record.text);
}

/** How a question ended: "answered … prod · you, 14:03". */
export function endedLine(record: Told, outcome: Outcome): string {
  return line(outcome.status, record, endedText(outcome));
}

function line(word: string, { code, deliveries }: Told, text: string): string {
  const accounts = [...new Set(deliveries.map(({ place }) => place.split(":")[0] ?? ""))].join(", ");
  return `${word.padEnd(11)}${code}  ${accounts.padEnd(9)} ${visibleLine(text)}`;
}

function endedText(outcome: Outcome): string {
  switch (outcome.status) {
    case "answered":
      return `${givenText(outcome)} · ${outcome.by.name}, by ${outcome.via}, ${clockText(outcome.at)}`;
    case "declined":
      return `${outcome.decision === "deny" ? "denied" : "declined"}${noteText(outcome.note)} · ${outcome.by.name}, ${clockText(outcome.at)}`;
    case "cancelled":
      return `withdrawn, ${clockText(outcome.at)}`;
    case "expired":
      return `nobody answered by ${clockText(outcome.at)}`;
    case "undelivered":
      return outcome.failures.map(({ place, message }) => `${place}: ${message}`).join("; ");
  }
}

/** What was given: the value, the values as JSON, or the decision. */
export function givenText(outcome: Extract<Outcome<AskInput>, { status: "answered" }>): string {
  const given = outcome.value ?? outcome.values;
  if (given === undefined) return `${outcome.decision === "approve" ? "approved" : outcome.decision}${noteText(outcome.note)}`;
  if (typeof given === "string") return given;
  if (typeof given === "object" && "other" in given && typeof given.other === "string") return `${given.other} (typed)`;
  return JSON.stringify(given);
}

function noteText(note: string | undefined): string {
  return note === undefined ? "" : `: "${note}"`;
}

/** The local time of day: 14:03. */
function clockText(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}
