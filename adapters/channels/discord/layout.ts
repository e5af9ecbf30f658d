/**
 * Spreads the agent's text over messages. All of it is quoted, so that it cannot imitate the frame, which never is.
 *
 * L1  Nothing is cut: what does not fit one message goes to further ones before it (R27). The last has the controls.
 * L2  Lines stay whole unless one alone is longer than a message; then it breaks between graphemes.
 * L3  The room for the last message does not depend on its state, so that the closing edit has the same text above its line.
 */

import { splitText } from "../../../src/core/cut.js";
import type { RichSpan } from "../../../src/core/prompt.js";
import { type Line, renderLine } from "./markdown.js";

const QUOTE = "> ";
const FENCE = `${QUOTE}\`\`\`\n`;
/** A line is not broken to fill a message that has less room than this. */
const BREAK_ROOM_MIN = 200;
/** A break goes back to a word's end, if it is not further away than this. */
const WORD_MAX = 80;
/** Smallest piece that `splitText` takes. */
const PIECE_MIN = 4;

/** UTF-16 units of quoted text in the last message and in each one before it. */
export type Rooms = { readonly last: number; readonly other: number };

/** Lines as one quoted block. */
export function quotedLines(lines: readonly Line[]): string {
  let text = "";
  for (const [index, line] of lines.entries()) {
    if (line.kind === "code" && lines[index - 1]?.kind !== "code") text += FENCE;
    text += `${QUOTE}${renderLine(line)}\n`;
    if (line.kind === "code" && lines[index + 1]?.kind !== "code") text += FENCE;
  }
  return text;
}

/** The lines of each message, in order; at least one message. */
export function packed(lines: readonly Line[], rooms: Rooms): readonly (readonly Line[])[] {
  const messages: (readonly Line[])[] = [];
  let rest = lines;
  while (sizeOf(rest) > rooms.last) {
    const { taken, left } = take(rest, rooms.other);
    messages.push(taken);
    rest = left;
  }
  return [...messages, rest];
}

function sizeOf(lines: readonly Line[]): number {
  let size = 0;
  for (const [index, line] of lines.entries()) size += costOf(line, lines[index - 1]);
  return size;
}

/** A fence costs its both ends when it begins. */
function costOf(line: Line, before: Line | undefined): number {
  const fence = line.kind === "code" && before?.kind !== "code" ? 2 * FENCE.length : 0;
  return QUOTE.length + renderLine(line).length + 1 + fence;
}

function take(lines: readonly Line[], room: number): { readonly taken: readonly Line[]; readonly left: readonly Line[] } {
  const taken: Line[] = [];
  let left = room;
  for (const [index, line] of lines.entries()) {
    const cost = costOf(line, taken.at(-1));
    if (cost <= left) {
      taken.push(line);
      left -= cost;
      continue;
    }
    const rest = lines.slice(index);
    const alone = costOf(line, undefined) <= room;
    if (taken.length > 0 && (alone || left < BREAK_ROOM_MIN)) return { taken, left: rest }; // L2
    const [head, tail] = broken(line, left - (cost - renderLine(line).length));
    return { taken: [...taken, head], left: [tail, ...rest.slice(1)] };
  }
  return { taken, left: [] };
}

/** The longest beginning of a line that renders within `room`, and what is left of it. */
function broken(line: Line, room: number): readonly [Line, Line] {
  let low = PIECE_MIN;
  let high = lengthOf(line);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (renderLine(splitAt(line, middle)[0]).length <= room) low = middle;
    else high = middle - 1;
  }
  return splitAt(line, atSpace(line, low));
}

/** The end of the last word before `end`, unless that is far away. */
function atSpace(line: Line, end: number): number {
  if (line.kind === "code") return end;
  const text = line.spans.map((span) => span.text).join("");
  const space = text.lastIndexOf(" ", end - 1) + 1;
  return end - space < WORD_MAX && space > PIECE_MIN ? space : end;
}

function lengthOf(line: Line): number {
  return line.kind === "code" ? line.text.length : line.spans.reduce((sum, { text }) => sum + text.length, 0);
}

/** At most `max` UTF-16 units in the first part, at a grapheme's edge. */
function splitAt(line: Line, max: number): readonly [Line, Line] {
  if (line.kind === "code") {
    const head = splitText(line.text, { max, unit: "utf16" })[0] ?? "";
    return [
      { kind: "code", text: head },
      { kind: "code", text: line.text.slice(head.length) },
    ];
  }
  const head: RichSpan[] = [];
  const tail: RichSpan[] = [];
  let left = max;
  for (const span of line.spans) {
    if (tail.length > 0 || left < PIECE_MIN) {
      tail.push(span);
      continue;
    }
    const piece = splitText(span.text, { max: left, unit: "utf16" })[0] ?? "";
    head.push({ ...span, text: piece });
    left -= piece.length;
    if (piece.length < span.text.length) tail.push({ ...span, text: span.text.slice(piece.length) });
  }
  return [
    { kind: "text", spans: head },
    { kind: "text", spans: tail },
  ];
}
