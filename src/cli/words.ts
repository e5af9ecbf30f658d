/**
 * The command line's sentences. What people and agents wrote is shown on one line with control characters visible, so that it
 * cannot move the cursor or imitate a line of ours (R28).
 */
import type { Outcome, QuestionRecord } from "../client/types.js";
import { visible, visibleLine } from "../core/visible.js";
import { paint, type Terminal } from "./terminal.js";

type Ended = Outcome;
type Zone = { readonly now: Date };

/** "16:03", or "16:03 on 2026-12-02" when that is another day; local time. */
export function clockText(at: string | Date, { now }: Zone): string {
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const day = dayText(date);
  return day === dayText(now) ? time : `${time} on ${day}`;
}

function dayText(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** "open until 16:03"; an end that is not fixed yet is not claimed. */
export function untilText(expiresAt: string | null, zone: Zone): string {
  return expiresAt === null ? "open" : `open until ${clockText(expiresAt, zone)}`;
}

/** "K7QM shown to alice on telegram, open until 16:03". */
export function shownLine(record: QuestionRecord, from: Zone & { readonly to: readonly string[] }): string {
  const shown = record.deliveries.filter(({ status }) => status === "shown" || status === "closed");
  const accounts = unique(shown.map(({ place }) => accountOf(place)));
  const names = unique(record.to ?? from.to);
  const to = names.length === 0 ? "" : ` to ${names.map(visibleLine).join(", ")}`;
  return `${record.code} shown${to} on ${accounts.join(", ")}, ${untilText(record.expiresAt, from)}`;
}

/** How it ended, for people: "approved by Alice Wong, 14:03". */
export function endedLine(outcome: Ended, terminal: Terminal): string {
  const now = terminal.now();
  const at = clockText(outcome.at, { now });
  switch (outcome.status) {
    case "answered": {
      const word = { answer: "answered", approve: "approved", approve_always: "approved for always" }[outcome.decision];
      return `${paint(terminal, "good", word)} by ${visibleLine(outcome.by.name)}, ${at}${quoted(outcome.note)}`;
    }
    case "declined": {
      const word = outcome.decision === "deny" ? "denied" : "declined";
      return `${paint(terminal, "bad", word)} by ${visibleLine(outcome.by.name)}, ${at}${quoted(outcome.note)}`;
    }
    case "cancelled":
      return outcome.code === "withdrawn" ? `withdrawn${quoted(outcome.reason)}` : `cancelled: the asker's ${endOf(outcome.code)}`;
    case "expired":
      return `${paint(terminal, "bad", "expired")}: nobody answered by ${at}${fallbackText(outcome)}`;
    case "undelivered": {
      const failures = outcome.failures.map(({ place, message }) => `${visibleLine(place)}: ${visibleLine(message)}`);
      return `${paint(terminal, "bad", "undelivered")}: nobody has seen it. ${failures.join("; ")}`;
    }
  }
}

function endOf(code: "creator_closed" | "creator_revoked"): string {
  return code === "creator_closed" ? "run has ended" : "right to ask was taken away";
}

function fallbackText(outcome: Extract<Ended, { status: "expired" }>): string {
  const fallback: unknown = outcome.fallback;
  return fallback === undefined ? "" : `. Fallback declared by the asker, chosen by no person: ${visibleLine(JSON.stringify(fallback))}`;
}

function quoted(text: string | undefined): string {
  return text === undefined ? "" : `: "${visibleLine(text)}"`;
}

/**
 * What was answered, for stdout: the value; several values one to a line; a form as one line of JSON; nothing for an approval.
 * In a pipe exactly as it was given, on a screen with control characters visible.
 */
export function valueText(
  outcome: Extract<Ended, { status: "answered" }>,
  { outIsScreen }: Pick<Terminal, "outIsScreen">,
): string | undefined {
  const text = plainValue(outcome);
  return text === undefined || !outIsScreen ? text : visible(text);
}

function plainValue({ value, values }: Extract<Ended, { status: "answered" }>): string | undefined {
  if (values !== undefined) return JSON.stringify(values);
  if (value === undefined) return undefined;
  if (typeof value !== "object") return String(value);
  if ("other" in value) return value.other;
  return "secret" in value ? value.secret : value.join("\n");
}

/** "K7QM  2 min  alice  Where does release 42 go?", aligned. */
export function listLines(records: readonly QuestionRecord[], { now }: Zone): readonly string[] {
  const rows = records.map((record) => [record.code, ageText(record.askedAt, now), whoText(record), visibleLine(record.text)]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

function whoText({ to, deliveries }: QuestionRecord): string {
  const names = to === undefined || to.length === 0 ? unique(deliveries.map(({ place }) => accountOf(place))) : to;
  return names.map(visibleLine).join(", ");
}

/** "20 s", "2 min", "3 h", "4 d". */
export function ageText(at: string, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

function accountOf(place: string): string {
  return place.split(":", 1)[0] ?? place;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
