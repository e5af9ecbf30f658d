/**
 * Outbound, pure: a prompt, a form, a notice as Slack's messages and views.
 *
 * O1  The last message of a prompt has the tail: help, frame, controls; or, after the end, the closing line and no controls (B055).
 * O2  `text` is only for notifications and screen readers: mrkdwn, escaped exactly once (B066, B068). All else is rich or plain text,
 *     where nothing is parsed.
 * O3  Action ids are the tokens themselves: distinct within a message (O68), at most 40 characters.
 */
import { cut, distinctLabels } from "../../../src/core/cut.js";
import type { FormFieldView, FormView, PromptView } from "../../../src/core/prompt.js";
import { wordsFor } from "../../../src/core/words/index.js";
import { type Block, type ButtonElement, layout, menuLabels, optionControls, plain, type SelectElement, weight } from "./layout.js";
import {
  ACTIONS_MAX,
  FALLBACK_MAX,
  INPUT_LABEL_MAX,
  INPUT_MAX,
  LABEL_MAX,
  MARKER_EVENT,
  MESSAGE_WEIGHT_MAX,
  MODAL_TITLE_MAX,
  PLACEHOLDER_MAX,
  SECTION_MAX,
} from "./limits.js";

const words = wordsFor("en");

/** What goes into chat.postMessage, chat.update, chat.postEphemeral or a response_url. */
export type MessageBody = { readonly text: string; readonly blocks: readonly Block[] };

/** Escapes text for a mrkdwn field: `&`, `<`, `>` and nothing else. Source: docs.slack.dev "Escaping text". */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Escaped text of at most `FALLBACK_MAX`; cut before it is escaped, so that no entity is torn. */
function fallback(text: string): string {
  for (let max = FALLBACK_MAX; ; max = Math.floor(max / 2)) {
    const escaped = escapeMrkdwn(cut(text, { max, unit: "utf16" }));
    if (escaped.length <= FALLBACK_MAX) return escaped;
  }
}

/** How many messages this prompt needs. */
export function promptParts(view: PromptView): number {
  return layout(view).length;
}

/** Message `part` of a prompt, from 0. */
export function promptMessage(view: PromptView, { part, direct }: { readonly part: number; readonly direct: boolean }): MessageBody {
  const laid = layout(view);
  const { blocks, last } = laid[part] ?? { blocks: [], last: true };
  if (!last) return { text: fallback(`${headline(view)} (${part + 1}/${laid.length})`), blocks };
  return lastMessage(view, blocks, direct);
}

/** The message that is drawn over the one with the controls. */
export function redrawnMessage(view: PromptView, { direct }: { readonly direct: boolean }): MessageBody {
  return promptMessage(view, { part: promptParts(view) - 1, direct });
}

/**
 * The same, as short as can be, for when Slack refuses the full one (B055): the title, a cut of the text, the tail. The controls of
 * an open prompt stay (B105); those of an ended one are gone.
 */
export function shortMessage(view: PromptView, { direct }: { readonly direct: boolean }): MessageBody {
  const said = cut(view.text.map(({ text }) => text).join(""), { max: 600, unit: "utf16" });
  const short: PromptView = { ...view, text: said === "" ? [] : [{ text: said }], frame: view.frame.slice(0, 1).map(shortLine) };
  const { subject: _, ...bare } = short;
  const state = view.state.kind === "ended" ? ({ kind: "ended", line: shortLine(view.state.line) } as const) : view.state;
  const head = layout({ ...bare, options: [] }).at(-1)?.blocks ?? [];
  return lastMessage({ ...bare, state }, head, direct);
}

function shortLine(line: string): string {
  return cut(line, { max: 300, unit: "utf16" });
}

function headline({ title, text }: PromptView): string {
  return title ?? text.map((span) => span.text).join("");
}

function lastMessage(view: PromptView, head: readonly Block[], direct: boolean): MessageBody {
  const first = view.repeat === undefined ? [] : [section(view.repeat)];
  const said = [view.repeat, view.title, view.text.map(({ text }) => text).join("")].filter((line) => line !== undefined && line !== "");
  if (view.state.kind === "ended") {
    const { line } = view.state;
    return { text: fallback([line, ...said].join("\n")), blocks: fitted([...first, ...head], [section(line), ...frame(view)]) };
  }
  const rendered = { controls: renderedControls(view), reply: direct ? "write" : "thread" } as const;
  const help = view.state.help(rendered);
  const tail = [...(help === "" ? [] : [context(help)]), ...frame(view), ...actions(view)];
  return { text: fallback([...said, help].join("\n")), blocks: fitted([...first, ...head], tail) };
}

/** Head and tail; were the tail ever heavier than its reserve, the head's end gives way, never the controls. */
function fitted(head: readonly Block[], tail: readonly Block[]): readonly Block[] {
  const kept = [...head];
  const room = MESSAGE_WEIGHT_MAX + 1_000 - weight(tail);
  while (kept.length > 1 && weight(kept) > room) kept.pop();
  return [...kept, ...tail];
}

function section(text: string): Block {
  return { type: "section", text: plain(cut(text, { max: SECTION_MAX, unit: "utf16" })) };
}

function context(text: string): Block {
  return { type: "context", elements: [plain(cut(text, { max: SECTION_MAX, unit: "utf16" }))] };
}

function frame(view: PromptView): readonly Block[] {
  return view.frame.filter((line) => line !== "").map(context);
}

function renderedControls(view: PromptView): "buttons" | "menu" | "none" {
  const options = optionControls(view);
  return options === "none" && view.controls.length > 0 ? "buttons" : options;
}

function actions(view: PromptView): readonly Block[] {
  const elements = [...optionElements(view), ...view.controls.map(controlButton)];
  const blocks: Block[] = [];
  for (let at = 0; at < elements.length; at += ACTIONS_MAX)
    blocks.push({ type: "actions", elements: elements.slice(at, at + ACTIONS_MAX) });
  return blocks;
}

function optionElements(view: PromptView): readonly (ButtonElement | SelectElement)[] {
  if (optionControls(view) === "none") return [];
  if (optionControls(view) === "menu") return [menu(view)];
  const labels = distinctLabels(
    view.options.map(({ label }) => label),
    { max: LABEL_MAX, unit: "utf16" },
  );
  return view.options.map(({ token, label }, index) => button(token, labels[index] ?? label));
}

function menu({ options, menuToken }: PromptView): SelectElement {
  const labels = menuLabels(options);
  return {
    type: "static_select",
    action_id: menuToken,
    placeholder: plain(cut(words.controls.choose, { max: PLACEHOLDER_MAX, unit: "utf16" })),
    options: options.map(({ token, label }, index) => ({ text: plain(labels[index] ?? label), value: token })),
  };
}

function button(token: string, label: string, style?: "primary" | "danger"): ButtonElement {
  return { type: "button", action_id: token, value: token, text: plain(label), ...(style === undefined ? {} : { style }) };
}

function controlButton({ token, label, style }: PromptView["controls"][number]): ButtonElement {
  return button(token, cut(label, { max: LABEL_MAX, unit: "utf16" }), style === "default" ? undefined : style);
}

/** Metadata that marks message `part` of a copy. Source: docs.slack.dev "Message metadata". */
export function marker({ question }: PromptView, nonce: string): unknown {
  return { event_type: MARKER_EVENT, event_payload: { nonce, question } };
}

/** A private word: one plain paragraph, with buttons under it when there is a choice to make. */
export function noticeMessage(text: string, buttons: readonly { readonly token: string; readonly label: string }[] = []): MessageBody {
  const labels = distinctLabels(
    buttons.map(({ label }) => label),
    { max: LABEL_MAX, unit: "utf16" },
  );
  const elements = buttons.slice(0, ACTIONS_MAX).map(({ token, label }, index) => button(token, labels[index] ?? label));
  return { text: fallback(text), blocks: [section(text), ...(elements.length > 0 ? [{ type: "actions", elements } as const] : [])] };
}

/** A modal. `metadata` comes back with its submission (`private_metadata`, at most 3,000 characters). */
export function formModal(form: FormView, metadata: string): unknown {
  const title = cut(form.title, { max: MODAL_TITLE_MAX, unit: "utf16" });
  return {
    type: "modal",
    callback_id: form.token,
    private_metadata: metadata,
    title: plain(title),
    submit: plain(cut(form.submitLabel, { max: MODAL_TITLE_MAX, unit: "utf16" })),
    // A cut title stands in full inside the modal (B058).
    blocks: [...(title === form.title ? [] : [section(form.title)]), ...form.fields.map(inputBlock)],
  };
}

function inputBlock(field: FormFieldView): unknown {
  const max = Math.min(INPUT_MAX, field.maxLength ?? INPUT_MAX);
  const element = {
    type: "plain_text_input",
    action_id: field.key,
    multiline: field.multiline,
    max_length: max,
    ...(field.minLength !== undefined && field.minLength > 0 ? { min_length: Math.min(field.minLength, max) } : {}),
    ...(field.placeholder ? { placeholder: plain(cut(field.placeholder, { max: PLACEHOLDER_MAX, unit: "utf16" })) } : {}),
    ...(field.prefill ? { initial_value: cut(field.prefill, { max, unit: "utf16", mark: "" }) } : {}),
  };
  return {
    type: "input",
    block_id: field.key,
    optional: !field.required,
    label: plain(cut(field.label, { max: INPUT_LABEL_MAX, unit: "utf16" })),
    ...(field.help ? { hint: plain(cut(field.help, { max: INPUT_LABEL_MAX, unit: "utf16" })) } : {}),
    element,
  };
}
