/**
 * Prompts to Telegram messages. Pure.
 *
 *   [repeat]            a repeated prompt says so first
 *   **title**
 *   | text              the agent's words stand in a quote, the subject in a box: neither can imitate the lines below (P2)
 *   ‖ subject ‖
 *   | 1 staging: …      the options of this page, whole
 *   help or outcome     ours
 *   frame               ours
 *   [buttons]
 *
 * OU1  The layout depends on title, text, subject and options only, never on the state: what was sent whole is edited whole.
 * OU2  What does not fit goes first: the subject in messages of its own, then the text too; the last message has the controls (P3).
 *      Open, neither is ever cut; after the end the text may be.
 * OU3  Room for our own lines is kept back, so that the closing line always fits (B055).
 */
import type { ForceReply, InlineKeyboardMarkup } from "@grammyjs/types";
import { cut, splitText } from "../../../src/core/cut.js";
import type { FormFieldView, OptionView, PromptView, Rendered, RichText } from "../../../src/core/prompt.js";
import { keyboardRows, type Page, type Rows } from "./keyboard.js";
import { PAGE_OPTIONS_MAX, PLACEHOLDER_MAX, TEXT_MAX } from "./limits.js";
import { boxed, EMPTY, guarded, joined, linked, mentioned, type Styled, slice, styled, within } from "./styled.js";

/** A message as it goes to Telegram. */
export type Message = Styled & { readonly markup?: InlineKeyboardMarkup | ForceReply };

/** UTF-16 units kept back for our own lines (OU3). */
const REPEAT_MAX = 120;
const FRAME_MAX = 600;
const LINE_MAX = 600;
const TITLE_MAX = 256;
/** Line ends between the parts. */
const GAPS = 16;
/** What is left of a message for the agent's words. */
const BODY_MAX = TEXT_MAX - REPEAT_MAX - FRAME_MAX - LINE_MAX - TITLE_MAX - GAPS;
/** The least room for a page of options: the longest label with its description. */
const OPTIONS_MIN = 1_100;
/** One further message: its text without the counting line. */
const PIECE_MAX = TEXT_MAX - REPEAT_MAX - TITLE_MAX - 64;

/** Boxes drawn in one text; with more of them the message would run out of entities (ST3), and they are drawn as plain lines. */
const BOXES_MAX = 40;

const LANGUAGE = { command: "bash", diff: "diff", json: "json", text: undefined } as const;

type Layout = {
  readonly leading: readonly Styled[];
  readonly text: Styled;
  readonly subject: Styled;
  readonly pages: readonly Page[];
  readonly room: number;
};
/** Where a prompt is drawn. `bare`: without buttons, after Telegram refused them; the help then speaks of none (O11). */
export type Where = { readonly direct: boolean; readonly bare?: boolean };

/** How many messages a prompt needs. */
export function partCount(view: PromptView): number {
  return layout(view).leading.length + 1;
}

/** Pages of a prompt's options, at least one. */
export function pageCount(view: PromptView): number {
  return Math.max(1, layout(view).pages.length);
}

/** Message `part` of an open prompt, from 0; the last one has the controls. */
export function promptMessage(view: PromptView, part: number, where: Where): Message {
  const made = layout(view);
  const piece = made.leading[part];
  return piece === undefined ? lastMessage(view, made, where) : leadingMessage(view, piece, { part, count: made.leading.length + 1 });
}

/** The message with the controls, open or ended: what a redraw shows. */
export function drawnMessage(view: PromptView, where: Where): Message {
  return lastMessage(view, layout(view), where);
}

/** The shortest form of an ended prompt, for when the full one was refused as too long (B055). */
export function shortMessage(view: PromptView): Message {
  const line = view.state.kind === "ended" ? view.state.line : "";
  return guarded(joined([titleOf(view), styled(cut(line === "" ? view.code : line, { max: LINE_MAX, unit: "utf16" }))], "\n"));
}

function leadingMessage(view: PromptView, piece: Styled, { part, count }: { readonly part: number; readonly count: number }): Message {
  const head = part === 0 ? [repeatOf(view), titleOf(view)] : [];
  // The count stands below the box: Telegram strips spaces and line ends off the end of a message.
  return guarded(joined([...head, piece, styled(`${part + 1}/${count} · ${view.code}`)], "\n"));
}

function lastMessage(view: PromptView, made: Layout, { direct, bare = false }: Where): Message {
  const page = Math.min(Math.max(0, view.page), Math.max(0, made.pages.length - 1));
  const open = view.state.kind === "open";
  const boxWanted = open && !bare && view.typed === "open";
  const rows = open && !bare ? promptRows(view, { pages: made.pages, page, boxOpen: boxWanted && direct }) : [];
  // The box comes with the keyboard: a message with nothing but a reply box could never be edited (server, can_edit_message).
  const boxOpen = boxWanted && rows.length > 0;
  const reply = !direct ? "reply" : boxOpen ? "box" : "write";
  const line = ownLine(view, { controls: rows.length > 0 ? "buttons" : "none", reply });
  const options = optionList(view.options, made.pages[page], made.room);
  const message = guarded(joined([repeatOf(view), titleOf(view), made.text, made.subject, options, line, frameOf(view)], "\n"));
  if (rows.length === 0) return message;
  return { ...message, markup: { inline_keyboard: rows, ...(boxOpen ? { force_reply: true } : {}) } };
}

/** The keyboard; where the open box would leave no button at all, the one that opens it again stays. */
function promptRows(view: PromptView, at: Parameters<typeof keyboardRows>[1]): Rows {
  const rows = keyboardRows(view, at);
  return rows.length > 0 ? rows : keyboardRows(view, { ...at, boxOpen: false });
}

function ownLine(view: PromptView, rendered: Rendered): Styled {
  if (view.state.kind === "open") return styled(cut(view.state.help(rendered), { max: LINE_MAX, unit: "utf16" }));
  return styled(cut(view.state.line, { max: LINE_MAX, unit: "utf16" }), "bold");
}

function repeatOf({ repeat }: PromptView): Styled {
  return repeat === undefined ? EMPTY : styled(cut(repeat, { max: REPEAT_MAX, unit: "utf16" }), "italic");
}

function titleOf({ title }: PromptView): Styled {
  return title === undefined ? EMPTY : styled(cut(title.replaceAll(/\s*\n\s*/g, " "), { max: TITLE_MAX, unit: "utf16" }), "bold");
}

function frameOf({ frame }: PromptView): Styled {
  return styled(cut(frame.join("\n"), { max: FRAME_MAX, unit: "utf16" }));
}

/** Decides what stands in the last message and what goes before it (OU1, OU2). */
function layout(view: PromptView): Layout {
  const text = within(richText(view.text), "blockquote");
  const { body = "", type = "text" } = view.subject ?? {};
  const subject = boxed(body, LANGUAGE[type]);
  const lines = view.options.map(optionLine);
  const wanted = lines.reduce((sum, line) => sum + line.length + 1, 0);
  const least = Math.min(wanted, OPTIONS_MIN);
  const textAndGap = text.text.length + 1;
  const placed = (leading: readonly Styled[], parts: { readonly text: Styled; readonly subject: Styled }, used: number): Layout => {
    const room = BODY_MAX - used;
    return { leading, ...parts, room, pages: pagesOf(lines, { room, most: view.pageTokens.length }) };
  };
  if (textAndGap + body.length + 1 + least <= BODY_MAX) return placed([], { text, subject }, textAndGap + body.length + 1);
  if (textAndGap + least <= BODY_MAX) return placed(pieces(subject), { text, subject: EMPTY }, textAndGap);
  return placed([...pieces(text), ...pieces(subject)], { text: EMPTY, subject: EMPTY }, 0);
}

/** A long text in pieces of one message each; every character is in one of them. */
function pieces(whole: Styled): readonly Styled[] {
  let start = 0;
  return splitText(whole.text, { max: PIECE_MAX, unit: "utf16" }).map((piece) => {
    const from = start;
    start += piece.length;
    return slice(whole, from, start);
  });
}

function optionLine({ ordinal, label, description }: OptionView): string {
  return description === undefined || description === "" ? `${ordinal} ${label}` : `${ordinal} ${label}: ${description}`;
}

/** Cuts the options into pages by count and by room; as many pages at most as there are tokens to turn to them. */
function pagesOf(lines: readonly string[], { room, most }: { readonly room: number; readonly most: number }): readonly Page[] {
  const packed = packedPages(lines, room);
  if (packed.length <= Math.max(1, most)) return packed;
  const perPage = Math.ceil(lines.length / Math.max(1, most));
  return Array.from({ length: Math.ceil(lines.length / perPage) }, (_, page) => ({
    start: page * perPage,
    end: Math.min(lines.length, (page + 1) * perPage),
  }));
}

function packedPages(lines: readonly string[], room: number): readonly Page[] {
  const pages: Page[] = [];
  let start = 0;
  let used = 0;
  lines.forEach((line, index) => {
    const length = Math.min(line.length, OPTIONS_MIN) + 1;
    if (index > start && (index - start >= PAGE_OPTIONS_MAX || used + length > room)) {
      pages.push({ start, end: index });
      start = index;
      used = 0;
    }
    used += length;
  });
  if (lines.length > 0) pages.push({ start, end: lines.length });
  return pages;
}

/** The options of one page in full, in the agent's quote. Only where there are too many long ones for all pages are lines cut. */
function optionList(options: readonly OptionView[], page: Page | undefined, room: number): Styled {
  if (page === undefined) return EMPTY;
  const shown = options.slice(page.start, page.end).map(optionLine);
  const fits = shown.reduce((sum, line) => sum + line.length + 1, 0) <= room;
  const most = Math.floor(room / shown.length) - 1;
  const lines = fits ? shown : shown.map((line) => cut(line, { max: most, unit: "utf16" }));
  return styled(lines.join("\n"), "blockquote");
}

function richText(spans: RichText): Styled {
  const boxes = spans.filter(({ code }) => code === "block").length <= BOXES_MAX;
  const parts = spans.map((span, index): Styled => {
    if (span.code !== "block") return inlineSpan(span);
    // A block stands on lines of its own, whatever is beside it.
    const before = spans[index - 1]?.text.endsWith("\n") === false ? "\n" : "";
    const after = spans[index + 1]?.text.startsWith("\n") === false ? "\n" : "";
    return joined([styled(before), boxes ? boxed(span.text) : styled(span.text), styled(after)]);
  });
  return joined(parts);
}

function inlineSpan({ text, bold, italic, code, link }: RichText[number]): Styled {
  if (code === "inline") return styled(text, "code");
  const plain = link === undefined ? styled(text) : linked(text, link);
  const styles = styled(text, ...(bold === true ? (["bold"] as const) : []), ...(italic === true ? (["italic"] as const) : []));
  return { text, entities: [...plain.entities, ...styles.entities] };
}

/** The question a form asks, as a message with the reply box open. In a group it is meant for one person, who is named. */
export function formMessage(
  { title, field, said }: { readonly title: string; readonly field: FormFieldView; readonly said?: string },
  { direct, sender }: { readonly direct: boolean; readonly sender: { readonly userId: string; readonly name: string } },
): Message {
  const words = [field.label, field.help ?? ""].filter((part) => part !== "");
  const body = [
    ...(direct ? [] : [mentioned(sender.name, Number(sender.userId))]),
    styled(said ?? ""),
    styled(cut(title, { max: TITLE_MAX, unit: "utf16" }), "bold"),
    styled(cut(words.join("\n"), { max: 1_000, unit: "utf16" }), "blockquote"),
  ];
  const placeholder = cut(field.placeholder ?? field.label, { max: PLACEHOLDER_MAX, unit: "utf16" }).trim();
  const markup: ForceReply = {
    force_reply: true,
    ...(placeholder === "" ? {} : { input_field_placeholder: placeholder }),
    ...(direct ? {} : { selective: true }),
  };
  return { ...guarded(joined(body, "\n")), markup };
}
