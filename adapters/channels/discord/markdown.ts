/**
 * Text in Discord's markdown: escaped once, so that people read what was written (B066, B067) and nothing in it is a mention,
 * a link with another face, a heading, a quote or a box (R28).
 *
 * M1  A backslash before a character that is no letter, digit or white space shows that character. Source: Discord Support,
 *     "Markdown Text 101", checked 2026-12-01.
 * M2  The client takes a bare web address as one link, backslashes included, before it looks for marks: an escape inside or right
 *     after it would show, and what it guarded would come alive. So an address goes between `<` and `>`, where its end is plain
 *     (they are not shown), and anything else with `://` is kept from being a link.
 * M3  A labelled link always shows where it goes: `label (address)`.
 */
import type { RichSpan, RichText } from "../../../src/core/prompt.js";

/** One line of a text; `code` lines belong in a fenced block, which knows no escapes. */
export type Line = { readonly kind: "text"; readonly spans: readonly RichSpan[] } | { readonly kind: "code"; readonly text: string };

/** M2. Ends before closing punctuation, as the client does. */
const ADDRESS = /https?:\/\/[A-Za-z0-9.-]+(?::\d+)?(?:[/?#][^\s<>]*)?(?<![.,:;"')\]])/g;
/** Everything that may begin a mark, a mention, a custom emoji, a link or a time. */
const MARKS = /[\\*_~|`<>@#[\]]/g;
/** `:smile:` is drawn as a picture; `://` makes a link. */
const COLONS = /:(?=[A-Za-z0-9_+-]+:|\/\/)/g;
/** Heading, subtext, quote, list: only at the beginning of a line. `#` and `>` are among the marks already. */
const LINE_START = /^(\s*)([-+]|\d+(?=[.)]))/;

/** Escapes one line of untrusted text; `atLineStart`: nothing stands before it on its line. */
export function escapeLine(text: string, { atLineStart = true } = {}): string {
  let escaped = "";
  let from = 0;
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    // Marks inside would end a bold around it.
    if (/[*`\\]/.test(address) || !URL.canParse(address)) continue;
    escaped += `${escapeMarks(text.slice(from, index))}<${address}>`;
    from = index + address.length;
  }
  escaped += escapeMarks(text.slice(from));
  return atLineStart ? escaped.replace(LINE_START, (_, space: string, mark: string) => space + escapeListMark(mark)) : escaped;
}

/** Escapes a text of several lines. */
export function escapeText(text: string): string {
  return text
    .split("\n")
    .map((line) => escapeLine(line))
    .join("\n");
}

function escapeMarks(text: string): string {
  return text.replaceAll(MARKS, "\\$&").replaceAll(COLONS, "\\:");
}

/** `-` becomes `\-`; of `12.` only the point is special, and it follows the digits. */
function escapeListMark(mark: string): string {
  return /^\d+$/.test(mark) ? `${mark}\\` : `\\${mark}`;
}

/** A line as it is sent, without quote or fence. */
export function renderLine(line: Line): string {
  if (line.kind === "code") return line.text;
  return line.spans
    .map((span, index) =>
      renderSpan(
        span,
        line.spans.slice(0, index).every(({ text }) => text === ""),
      ),
    )
    .join("");
}

function renderSpan(span: RichSpan, atLineStart: boolean): string {
  const { text, bold, italic, code, link } = span;
  if (text === "") return "";
  // Inside backticks nothing can be escaped, so text with backticks is shown as text.
  if (code !== undefined && !text.includes("`")) return `\`${text}\``;
  let shown = escapeLine(text, { atLineStart });
  // Marks do not hold around outer spaces, so those stay outside.
  if (italic === true) shown = wrapped(shown, "*");
  if (bold === true) shown = wrapped(shown, "**");
  if (link === undefined) return shown;
  const address = `<${link.replaceAll(/[\s<>]/g, encodeURIComponent)}>`;
  return text === link ? address : `${shown} (${address})`; // M3
}

function wrapped(text: string, mark: string): string {
  const [, before = "", inner = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return inner === "" ? text : `${before}${mark}${inner}${mark}${after}`;
}

/** Rich text as lines. A fenced block stands on lines of its own. */
export function richLines(rich: RichText): readonly Line[] {
  const lines: Line[] = [];
  let current: RichSpan[] = [];
  let afterBlock = false;
  const end = (): void => {
    lines.push({ kind: "text", spans: current });
    current = [];
  };
  for (const span of rich) {
    if (span.code === "block" && canFence(span.text)) {
      if (current.some(({ text }) => text !== "")) end();
      current = [];
      lines.push(...codeLines(span.text));
      afterBlock = true;
      continue;
    }
    // The line end right after a fence only ends the fence.
    const text = afterBlock ? span.text.replace(/^\n/, "") : span.text;
    if (text !== "") afterBlock = false;
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) end();
      current.push({ ...span, text: part });
    }
  }
  if (current.some(({ text }) => text !== "")) end();
  return lines;
}

/** A subject, boxed and to the character; text that a box cannot hold is shown line by line, escaped. */
export function boxedLines(body: string): readonly Line[] {
  return canFence(body) ? codeLines(body) : body.split("\n").map((text) => ({ kind: "text", spans: [{ text }] }));
}

/** Three backticks would end the box, and an empty one is not drawn. */
function canFence(body: string): boolean {
  return !body.includes("```") && body.trim() !== "";
}

function codeLines(body: string): readonly Line[] {
  return body.split("\n").map((text) => ({ kind: "code", text }));
}
