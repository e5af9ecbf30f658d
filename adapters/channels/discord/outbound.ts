/**
 * Prompts, forms and notices as Discord messages. Pure.
 *
 *   > **Release 42**                        the agent's: title, text, subject in a box, options with their numbers
 *   > Where does this release go?
 *   > 1 staging: ten per cent of traffic
 *   Press, or reply to this: a name, 1 or 2         ours: help (or the closing line), then the frame
 *   ci asks Alice, Bob · until 16:03 · K7QM
 *   [staging] [prod] [Other…] [Decline]
 *
 * U1  Plain `content`, no embeds: those vanish in silence where the bot lacks "Embed Links", or the reader switched them off, and
 *     a button would stand under nothing.
 * U2  `allowed_mentions` is empty on every message, edit and answer (B070); link previews are off (B010).
 * U3  Up to 5 options are buttons; more are menus of 25, several in one message as "1-25", "26-50" (B062). All are in the text.
 */
import type {
  APIActionRowComponent,
  APIButtonComponentWithCustomId,
  APIModalInteractionResponseCallbackData,
  APIStringSelectComponent,
} from "discord-api-types/v10";
import { cut, distinctLabels } from "../../../src/core/cut.js";
import type { ControlView, FormFieldView, FormView, OptionView, PromptView } from "../../../src/core/prompt.js";
import { packed, quotedLines } from "./layout.js";
import {
  BUTTON_LABEL_MAX,
  BUTTON_OPTIONS_MAX,
  CONTENT_MAX,
  FIELD_DESCRIPTION_MAX,
  FIELD_LABEL_MAX,
  FIELD_PLACEHOLDER_MAX,
  FIELD_VALUE_MAX,
  FLAG_SUPPRESS_EMBEDS,
  MODAL_FIELDS_MAX,
  MODAL_TITLE_MAX,
  ROW_BUTTONS_MAX,
  SELECT_OPTIONS_MAX,
  SELECT_TEXT_MAX,
} from "./limits.js";
import { boxedLines, escapeText, type Line, richLines } from "./markdown.js";

type Row = APIActionRowComponent<APIButtonComponentWithCustomId | APIStringSelectComponent>;
/** What a message shows; sends, edits and answers add their own keys. */
export type Shown = {
  readonly content: string;
  readonly components: readonly Row[];
  readonly flags: number;
  readonly allowed_mentions: { readonly parse: [] };
};

const UNIT = "utf16";
/** Room kept for the help or the closing line, escapes included; it takes what the body leaves besides. */
const STATE_ROOM = 340;
/** Longest frame and repeat line as sent: their plain limit is 300 (core/words), escapes may add. */
const FRAME_ROOM = 420;
const FRAME_TOTAL = 900;

/** U2. */
const NO_MENTIONS: Shown["allowed_mentions"] = { parse: [] };

function shown(content: string, components: readonly Row[] = []): Shown {
  return { content, components, flags: FLAG_SUPPRESS_EMBEDS, allowed_mentions: NO_MENTIONS };
}

/** All messages of a prompt in order. Only the last has controls, the help (or the closing line) and the frame. */
export function promptMessages(view: PromptView, { direct }: { readonly direct: boolean }): readonly Shown[] {
  const { pages, frame, repeat } = laidOut(view);
  return pages.map((lines, index) => {
    if (index < pages.length - 1) {
      const count = escaped(`${view.code} · ${index + 1}/${pages.length}`, FRAME_ROOM);
      return shown(`${index === 0 ? repeat : ""}${quotedLines(lines)}${count}`);
    }
    const rows = view.state.kind === "open" ? promptRows(view) : [];
    const body = repeat + quotedLines(lines);
    const room = CONTENT_MAX - body.length - frame.length - 1;
    const state = view.state.kind === "open" ? helpLine(view.state.help, view, direct) : view.state.line;
    return shown([body + escaped(state, Math.max(room, STATE_ROOM)), frame].filter((part) => part !== "").join("\n"), rows);
  });
}

/**
 * The same prompt for a bot without the message content intent: in a shared place it reads only what mentions it, so the help asks for
 * that (platforms.md, 4.2, "message content").
 */
export function askingForMention(view: PromptView): PromptView {
  const { state } = view;
  if (state.kind !== "open") return view;
  return {
    ...view,
    state: { ...state, help: (rendered) => state.help(rendered.reply === "reply" ? { ...rendered, reply: "mention" } : rendered) },
  };
}

/** How many messages a prompt needs. */
export function promptParts(view: PromptView): number {
  return laidOut(view).pages.length;
}

/** After a closing edit was refused: nothing but the line, and no controls (B055). */
export function shortMessage(view: PromptView): Shown {
  const line = view.state.kind === "ended" ? view.state.line : view.code;
  return shown(escaped(line, CONTENT_MAX));
}

function laidOut(view: PromptView): { readonly pages: readonly (readonly Line[])[]; readonly frame: string; readonly repeat: string } {
  const frame = framed(view.frame);
  const repeat = view.repeat === undefined ? "" : `${escaped(view.repeat, FRAME_ROOM)}\n`;
  const last = CONTENT_MAX - repeat.length - frame.length - 1 - STATE_ROOM;
  const other = CONTENT_MAX - repeat.length - FRAME_ROOM;
  return { pages: packed(bodyLines(view), { last, other }), frame, repeat };
}

function framed(lines: readonly string[]): string {
  const each = lines.map((line) => escaped(line, FRAME_ROOM));
  const whole = each.join("\n");
  return whole.length <= FRAME_TOTAL ? whole : lines.map((line) => escaped(line, Math.floor(FRAME_TOTAL / lines.length) - 1)).join("\n");
}

function bodyLines({ title, text, subject, options }: PromptView): readonly Line[] {
  return [
    ...(title === undefined ? [] : richLines([{ text: title, bold: true }])),
    ...richLines(text),
    ...(subject === undefined ? [] : boxedLines(subject.body)),
    ...options.flatMap(optionLines),
  ];
}

function optionLines({ ordinal, label, description }: OptionView): readonly Line[] {
  return richLines([{ text: `${ordinal} ${label}${description === undefined || description === "" ? "" : `: ${description}`}` }]);
}

function helpLine(
  help: (rendered: { controls: "buttons" | "menu" | "none"; reply: "write" | "reply" }) => string,
  view: PromptView,
  direct: boolean,
): string {
  const { options, controls } = view;
  const drawn = options.length > BUTTON_OPTIONS_MAX ? "menu" : options.length + controls.length > 0 ? "buttons" : "none";
  return help({ controls: drawn, reply: direct ? "write" : "reply" });
}

/** Escapes our own line with untrusted values in it, shortened until it fits `room` as sent. */
function escaped(text: string, room: number): string {
  let max = Math.min(text.length, room);
  for (;;) {
    const sent = escapeText(cut(text, { max, unit: UNIT }));
    if (sent.length <= room || max <= 1) return sent;
    max -= Math.max(1, Math.ceil((sent.length - room) / 2));
  }
}

// Controls

function promptRows({ options, menuToken, controls }: PromptView): readonly Row[] {
  if (options.length > BUTTON_OPTIONS_MAX) return [...menuRows(options, menuToken), ...buttonRows(controls.map(controlButton))];
  const labels = distinctLabels(
    options.map(({ label }) => oneLine(label)),
    { max: BUTTON_LABEL_MAX, unit: UNIT },
  );
  const picks = options.map(({ token }, index) => button(token, labels[index] ?? "", "default"));
  const others = controls.map(controlButton);
  return picks.length + others.length <= ROW_BUTTONS_MAX
    ? buttonRows([...picks, ...others])
    : [...buttonRows(picks), ...buttonRows(others)];
}

function buttonRows(buttons: readonly APIButtonComponentWithCustomId[]): readonly Row[] {
  return chunks(buttons, ROW_BUTTONS_MAX).map((components) => ({ type: 1, components }));
}

/** Button styles. Source: Components Reference, "Button Styles". */
const STYLES = { primary: 1, default: 2, danger: 4 } as const;

function controlButton({ token, label, style }: ControlView): APIButtonComponentWithCustomId {
  return button(token, cut(oneLine(label), { max: BUTTON_LABEL_MAX, unit: UNIT }), style);
}

function button(token: string, label: string, style: ControlView["style"]): APIButtonComponentWithCustomId {
  return { type: 2, style: STYLES[style], label, custom_id: token };
}

/** U3: ordinals are global; a menu's own id only has to differ within the message, its entries carry the tokens. */
function menuRows(options: readonly OptionView[], menuToken: string): readonly Row[] {
  const labels = distinctLabels(
    options.map(({ label }) => oneLine(label)),
    { max: SELECT_TEXT_MAX, unit: UNIT },
  );
  return chunks(options, SELECT_OPTIONS_MAX).map((page, index) => ({
    type: 1,
    components: [
      {
        type: 3,
        custom_id: index === 0 ? menuToken : `${menuToken}-${index + 1}`,
        placeholder: `${page[0]?.ordinal ?? 1}-${page.at(-1)?.ordinal ?? 1}`,
        min_values: 1,
        max_values: 1,
        options: page.map(({ token, description }, place) => ({
          label: labels[index * SELECT_OPTIONS_MAX + place] ?? "",
          value: token,
          ...(description === undefined || description === ""
            ? {}
            : { description: cut(oneLine(description), { max: SELECT_TEXT_MAX, unit: UNIT }) }),
        })),
      },
    ],
  }));
}

/** Every `custom_id` and menu entry of a prompt: what tells its message from others. */
export function controlTokens({ options, controls, menuToken }: PromptView): ReadonlySet<string> {
  return new Set([...options.map(({ token }) => token), ...controls.map(({ token }) => token), menuToken]);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const rows: T[][] = [];
  for (let from = 0; from < items.length; from += size) rows.push(items.slice(from, from + size));
  return rows;
}

// Forms and notices

/** A modal of at most 5 fields; longer forms come as several (design, section 9). */
export function formModal({ token, title, fields }: FormView): APIModalInteractionResponseCallbackData {
  const components = fields.slice(0, MODAL_FIELDS_MAX).map(fieldLabel);
  return { custom_id: token, title: cut(oneLine(title), { max: MODAL_TITLE_MAX, unit: UNIT }) || "?", components };
}

type Components = APIModalInteractionResponseCallbackData["components"];

/** A label that had to be cut is whole in the description below it, as far as that goes (B058). */
function fieldLabel({
  key,
  label,
  help,
  multiline,
  required,
  minLength,
  maxLength,
  placeholder,
  prefill,
}: FormFieldView): Components[number] {
  const whole = oneLine(label);
  const description = oneLine(help ?? "") || (whole.length > FIELD_LABEL_MAX ? whole : "");
  return {
    type: 18,
    label: cut(whole, { max: FIELD_LABEL_MAX, unit: UNIT }) || key,
    ...(description === "" ? {} : { description: cut(description, { max: FIELD_DESCRIPTION_MAX, unit: UNIT }) }),
    component: {
      type: 4,
      custom_id: key,
      style: multiline ? 2 : 1,
      required,
      max_length: Math.min(maxLength ?? FIELD_VALUE_MAX, FIELD_VALUE_MAX),
      ...(minLength === undefined ? {} : { min_length: Math.min(minLength, FIELD_VALUE_MAX) }),
      ...(placeholder === undefined ? {} : { placeholder: cut(oneLine(placeholder), { max: FIELD_PLACEHOLDER_MAX, unit: UNIT }) }),
      ...(prefill === undefined ? {} : { value: cut(prefill, { max: FIELD_VALUE_MAX, unit: UNIT }) }),
    },
  };
}

/** A short private or quoted word, with the choices under it, if any. */
export function noticeMessage(text: string, buttons: readonly { readonly token: string; readonly label: string }[] = []): Shown {
  const labels = distinctLabels(
    buttons.map(({ label }) => oneLine(label)),
    { max: BUTTON_LABEL_MAX, unit: UNIT },
  );
  return shown(escaped(text, CONTENT_MAX), buttonRows(buttons.map(({ token }, index) => button(token, labels[index] ?? "", "default"))));
}
