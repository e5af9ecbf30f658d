/**
 * Keyboards: a button per option, rows by the length of the labels, pages where there are many, controls below.
 *
 * KB1  Data is the token as it is: ASCII, 40 bytes at most, of 64 allowed (B051, B052, B061). All options or none (O62).
 * KB2  Labels are cut to fit and stay distinct; the whole label is in the text. Ordinals are global over pages (B062).
 */
import type { InlineKeyboardButton } from "@grammyjs/types";
import { distinctLabels } from "../../../src/core/cut.js";
import type { ControlView, OptionView, PromptView } from "../../../src/core/prompt.js";
import { LABEL_MAX } from "./limits.js";

/** Rows of buttons, as the Bot API takes them. */
export type Rows = InlineKeyboardButton[][];
/** Options `start` up to `end` (exclusive) are on one page. */
export type Page = { readonly start: number; readonly end: number };

/** The labels of one row together show on a phone's width up to about this many characters. */
const ROW_CHARACTERS = 30;
const ROW_BUTTONS_MAX = 3;

/** Labels of all options as drawn, in order: short, on one line, no two alike. */
export function optionLabels(options: readonly OptionView[]): readonly string[] {
  if (options.length === 0) return [];
  return distinctLabels(
    options.map(({ label }) => oneLine(label)),
    { max: LABEL_MAX, unit: "utf16" },
  );
}

/** The keyboard of one page of an open prompt. `boxOpen`: the reply box is open, so no button needs to open one. */
export function keyboardRows(
  view: PromptView,
  { pages, page, boxOpen }: { readonly pages: readonly Page[]; readonly page: number; readonly boxOpen: boolean },
): Rows {
  const labels = optionLabels(view.options);
  const { start, end } = pages[page] ?? { start: 0, end: view.options.length };
  const buttons = view.options.slice(start, end).map(({ token }, index) => button(labels[start + index] ?? token, token));
  return [...inRows(buttons, ROW_BUTTONS_MAX), ...turns(view, pages.length, page), ...inRows(controls(view, boxOpen), 2)];
}

/** The choices under a notice, one a row. */
export function noticeRows(buttons: readonly { readonly token: string; readonly label: string }[]): Rows {
  if (buttons.length === 0) return [];
  const labels = distinctLabels(
    buttons.map(({ label }) => oneLine(label)),
    { max: LABEL_MAX, unit: "utf16" },
  );
  return buttons.map(({ token }, index) => [button(labels[index] ?? token, token)]);
}

function controls(view: PromptView, boxOpen: boolean): InlineKeyboardButton[] {
  return view.controls.filter(({ opensForm }) => !(boxOpen && opensForm)).map(controlButton);
}

function controlButton({ token, label, style }: ControlView): InlineKeyboardButton {
  return style === "default" ? button(oneLine(label), token) : { ...button(oneLine(label), token), style };
}

function button(text: string, token: string): InlineKeyboardButton.CallbackButton {
  return { text, callback_data: token };
}

/** "‹ 1" and "3 ›": the pages beside this one. */
function turns({ pageTokens }: PromptView, count: number, page: number): Rows {
  const back = page > 0 ? pageTokens[page - 1] : undefined;
  const on = page + 1 < count ? pageTokens[page + 1] : undefined;
  const row = [...(back === undefined ? [] : [button(`‹ ${page}`, back)]), ...(on === undefined ? [] : [button(`${page + 2} ›`, on)])];
  return row.length === 0 ? [] : [row];
}

/** Buttons in rows of equal width, as many a row as the longest label allows. */
function inRows(buttons: readonly InlineKeyboardButton[], most: number): Rows {
  const longest = Math.max(1, ...buttons.map(({ text }) => text.length));
  const perRow = Math.max(1, Math.min(most, Math.floor(ROW_CHARACTERS / longest)));
  const rows: Rows = [];
  for (let index = 0; index < buttons.length; index += perRow) rows.push(buttons.slice(index, index + perRow));
  return rows;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ");
}
