/**
 * How a prompt is laid out over Slack messages: pieces in reading order, packed so that nothing is cut and the controls come last.
 *
 *   one message     title · text · subject · options · [tail]
 *   several         title · text · subject …  |  … subject  |  title · options · [tail]
 *
 * LY1  The split depends only on what never changes of a question (title, text, subject, options), so a later drawing of the last
 *      message shows the same pieces whatever its frame, help or closing line (R27).
 * LY2  Pieces are packed from the end: the options stand beside their controls as far as they fit.
 * LY3  The agent's text is rich text: literal, without mark-up to escape, mentions impossible, quoted or boxed (R28, P2).
 */
import { distinctLabels, splitText } from "../../../src/core/cut.js";
import type { OptionView, PromptView, RichSpan, RichText } from "../../../src/core/prompt.js";
import {
  LABEL_MAX,
  MENU_MAX,
  MENU_WEIGHT_MAX,
  MESSAGE_BLOCKS_MAX,
  MESSAGE_WEIGHT_MAX,
  OBJECT_WEIGHT,
  OPTION_BUTTONS_MAX,
  SECTION_MAX,
} from "./limits.js";

/** A plain_text object; colons stay colons. */
type PlainText = { readonly type: "plain_text"; readonly text: string; readonly emoji: false };

type RichStyle = { readonly bold?: true; readonly italic?: true; readonly code?: true };
type RichElement =
  | { readonly type: "text"; readonly text: string; readonly style?: RichStyle }
  | { readonly type: "link"; readonly url: string; readonly text: string; readonly style?: RichStyle };
type RichContainer = {
  readonly type: "rich_text_section" | "rich_text_quote" | "rich_text_preformatted";
  readonly elements: readonly RichElement[];
};

/** A button; `value` and `action_id` are its token. */
export type ButtonElement = {
  readonly type: "button";
  readonly action_id: string;
  readonly value: string;
  readonly text: PlainText;
  readonly style?: "primary" | "danger";
};
/** A menu; the values of its options are their tokens. */
export type SelectElement = {
  readonly type: "static_select";
  readonly action_id: string;
  readonly placeholder: PlainText;
  readonly options: readonly { readonly text: PlainText; readonly value: string }[];
};

/** The blocks we send. */
export type Block =
  | { readonly type: "rich_text"; readonly elements: readonly RichContainer[] }
  | { readonly type: "section"; readonly text: PlainText }
  | { readonly type: "context"; readonly elements: readonly PlainText[] }
  | { readonly type: "actions"; readonly elements: readonly (ButtonElement | SelectElement)[] };

/** A plain text object. */
export function plain(text: string): PlainText {
  return { type: "plain_text", text, emoji: false };
}

/** Room for one piece's text, so that its block stays below `SECTION_MAX`. */
const PIECE_MAX = SECTION_MAX - 100;
/** Room kept for help, frame, closing line and the controls beside a menu. */
const TAIL_WEIGHT = 2_600;
/** Blocks kept for the tail. */
const TAIL_BLOCKS = 12;

/** What a block weighs against `MESSAGE_WEIGHT_MAX`. */
export function weight(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + weight(entry), 0);
  if (typeof value !== "object" || value === null) return 0;
  const text = "text" in value && typeof value.text === "string" ? value.text.length : 0;
  return Object.values(value).reduce<number>((sum, entry) => sum + weight(entry), OBJECT_WEIGHT + text);
}

/** The title's block: bold, a line of its own. */
function titleBlock(title: string): Block {
  const elements = [{ type: "text", text: title, style: { bold: true } }] as const;
  return { type: "rich_text", elements: [{ type: "rich_text_section", elements }] };
}

function richBlock(container: RichContainer["type"], elements: readonly RichElement[]): Block {
  return { type: "rich_text", elements: [{ type: container, elements }] };
}

/** Text without a line end at the side where a box begins or ends: the box brings its own. */
function trimmedRun(spans: readonly RichSpan[], { first, last }: { readonly first: boolean; readonly last: boolean }): readonly RichSpan[] {
  return spans
    .map((span, index) => {
      let { text } = span;
      if (index === 0 && !first) text = text.replace(/^\n/, "");
      if (index === spans.length - 1 && !last) text = text.replace(/\n$/, "");
      return { ...span, text };
    })
    .filter(({ text }) => text !== "");
}

/** Runs of quoted text and boxes, in order. */
function runs(text: RichText): readonly { readonly boxed: boolean; readonly spans: readonly RichSpan[] }[] {
  const found: { readonly boxed: boolean; readonly spans: RichSpan[] }[] = [];
  for (const span of text) {
    const boxed = span.code === "block";
    const current = found.at(-1);
    if (current === undefined || current.boxed || boxed) found.push({ boxed, spans: [span] });
    else current.spans.push(span);
  }
  return found
    .map((run, index) =>
      run.boxed ? run : { boxed: false, spans: trimmedRun(run.spans, { first: index === 0, last: index === found.length - 1 }) },
    )
    .filter(({ spans }) => spans.length > 0);
}

function richElement({ text, bold, italic, code, link }: RichSpan): RichElement {
  const marks: RichStyle = { ...(bold && { bold }), ...(italic && { italic }), ...(code === "inline" && { code: true as const }) };
  const style = Object.keys(marks).length > 0 ? { style: marks } : {};
  return link === undefined ? { type: "text", text, ...style } : { type: "link", url: link, text, ...style };
}

/** The question's text: quoted, its fenced blocks boxed. */
function textBlocks(text: RichText): readonly Block[] {
  return runs(text).flatMap(({ boxed, spans }) => {
    const container = boxed ? "rich_text_preformatted" : "rich_text_quote";
    const pieces = spans.flatMap((span) =>
      splitText(span.text, { max: PIECE_MAX, unit: "utf16" }).map((piece) => ({ ...span, text: piece })),
    );
    return chunks(pieces.map((span) => (boxed ? richElement({ text: span.text }) : richElement(span)))).map((chunk) =>
      richBlock(container, chunk),
    );
  });
}

/** Elements in groups that each fit one block. */
function chunks(elements: readonly RichElement[]): readonly (readonly RichElement[])[] {
  const groups: RichElement[][] = [];
  let room = 0;
  for (const element of elements) {
    const size = weight(element);
    const current = groups.at(-1);
    if (current === undefined || size > room) {
      groups.push([element]);
      room = SECTION_MAX - size;
    } else {
      current.push(element);
      room -= size;
    }
  }
  return groups;
}

/** What is approved, boxed, whole. The line end where it was split is the new box's own. */
function subjectBlocks({ subject }: PromptView): readonly Block[] {
  if (subject === undefined) return [];
  return splitText(subject.body, { max: PIECE_MAX, unit: "utf16" }).map((piece) =>
    richBlock("rich_text_preformatted", [{ type: "text", text: piece }]),
  );
}

function optionLine({ ordinal, label, description }: OptionView): string {
  return description === undefined ? `${ordinal} ${label}` : `${ordinal} ${label}: ${description}`;
}

/** All options in full, numbered. */
function listBlocks({ options }: PromptView): readonly Block[] {
  if (options.length === 0) return [];
  return splitText(options.map(optionLine).join("\n"), { max: PIECE_MAX, unit: "utf16" }).map((piece) =>
    richBlock("rich_text_quote", [{ type: "text", text: piece.replace(/\n$/, "") }]),
  );
}

/** Are the options buttons, a menu, or are there none? */
export function optionControls({ options }: PromptView): "buttons" | "menu" | "none" {
  if (options.length === 0) return "none";
  return options.length <= OPTION_BUTTONS_MAX && options.every(({ label }) => label.length <= LABEL_MAX) ? "buttons" : "menu";
}

/** Labels of a menu's entries: whole where they fit, else cut and numbered; all of them together stay within their weight. */
export function menuLabels(options: readonly OptionView[]): readonly string[] {
  const share = Math.floor(MENU_WEIGHT_MAX / Math.min(MENU_MAX, Math.max(1, options.length))) - 2 * OBJECT_WEIGHT;
  const labels = options.map(({ label }) => label);
  return distinctLabels(labels, { max: Math.min(LABEL_MAX, share), unit: "utf16" });
}

/** Everything above the tail, in reading order; never changes for a question. */
function pieces(view: PromptView): { readonly title: readonly Block[]; readonly body: readonly Block[] } {
  return {
    title: view.title === undefined ? [] : [titleBlock(view.title)],
    body: [...textBlocks(view.text), ...subjectBlocks(view), ...listBlocks(view)],
  };
}

/** One message of a prompt, without its tail: `last` is the one that gets it. */
type Laid = { readonly blocks: readonly Block[]; readonly last: boolean };

/** The messages of a prompt, in order; always at least one (LY1, LY2). */
export function layout(view: PromptView): readonly Laid[] {
  const { title, body } = pieces(view);
  const menu =
    optionControls(view) === "menu"
      ? Math.min(MENU_WEIGHT_MAX, weight(menuLabels(view.options).map(plain)) + view.options.length * OBJECT_WEIGHT)
      : 0;
  const lastRoom = MESSAGE_WEIGHT_MAX - TAIL_WEIGHT - menu - weight(title);
  const last: Block[] = [];
  const rest = [...body];
  take(rest, last, { room: lastRoom, blocks: MESSAGE_BLOCKS_MAX - TAIL_BLOCKS });
  const earlier: Block[][] = [];
  while (rest.length > 0) {
    const message: Block[] = [];
    take(rest, message, { room: MESSAGE_WEIGHT_MAX - weight(title) - OBJECT_WEIGHT * 4, blocks: MESSAGE_BLOCKS_MAX - 4 });
    earlier.unshift(message);
  }
  return [...earlier.map((blocks) => ({ blocks: [...title, ...blocks], last: false })), { blocks: [...title, ...last], last: true }];
}

/** Moves blocks from the end of `from` to the front of `to` while they fit; an earlier message takes at least one. */
function take(from: Block[], to: Block[], { room, blocks }: { readonly room: number; readonly blocks: number }): void {
  let left = room;
  for (;;) {
    const block = from.at(-1);
    if (block === undefined || to.length >= blocks) return;
    left -= weight(block);
    if (left < 0) return;
    from.pop();
    to.unshift(block);
  }
}
