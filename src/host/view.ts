/**
 * From a stored question and one of its copies to the prompt that a channel draws (core/prompt.ts): words chosen, text made visible,
 * tokens made. Nothing here knows a platform.
 */

import type { CopyId } from "../core/ids.js";
import type { ControlView, FormView, OptionView, PromptView, Rendered } from "../core/prompt.js";
import type { QuestionBody } from "../core/question.js";
import { type Control, formatControlToken, opensForm } from "../core/token.js";
import { visible, visibleLine } from "../core/visible.js";
import type { CopyOf } from "../ports/store.js";
import { richText } from "./markdown.js";
import type { HostParts } from "./parts.js";
import type { Phrases } from "./phrases.js";
import { expectationOf } from "./reading.js";

/** Pages a paging adapter may ask for: the smallest page it draws has 10 options. */
const PAGES_MAX = 10;

type Env = Pick<HostParts, "phrases">;

/** The prompt of one copy, open or ended. */
export function promptView({ copy, question }: CopyOf, { phrases }: Env): PromptView {
  const { body } = question;
  const ended = question.outcome !== null;
  const title = titleOf(body, phrases);
  return {
    question: question.id,
    code: question.code,
    ...(title === undefined ? {} : { title }),
    text: richText(body.text),
    ...(body.subject === undefined ? {} : { subject: { type: body.subject.type, body: visible(body.subject.body, { subject: true }) } }),
    options: optionViews(body, copy.id),
    page: copy.page,
    pageTokens: body.fields.some(({ type }) => type === "choice")
      ? Array.from({ length: PAGES_MAX }, (_, page) => formatControlToken(copy.id, { kind: "page", page }))
      : [],
    menuToken: formatControlToken(copy.id, { kind: "menu" }),
    controls: ended ? [] : controlViews(body, copy.id, phrases),
    typed: typedOf(body, question.principal),
    frame: [phrases.frame(question)],
    ...(copy.repeatOf === null ? {} : { repeat: phrases.words.prompt.repeat }),
    state: ended ? { kind: "ended", line: phrases.closing(question) } : { kind: "open", help: helpOf(question, phrases) },
  };
}

function titleOf(body: QuestionBody, phrases: Phrases): string | undefined {
  const title = body.title === undefined ? undefined : visibleLine(body.title);
  if (body.kind !== "approval") return title;
  return title === undefined ? phrases.words.prompt.approve : `${phrases.words.prompt.approve} ${title}`;
}

function optionViews(body: QuestionBody, copy: CopyId): readonly OptionView[] {
  const [field] = body.fields;
  if (field?.type !== "choice") return [];
  return field.options.map(({ label, description }, index) => ({
    ordinal: index + 1,
    label: visibleLine(label),
    ...(description === undefined ? {} : { description: visibleLine(description) }),
    token: formatControlToken(copy, { kind: "option", index }),
  }));
}

function controlViews(body: QuestionBody, copy: CopyId, { words }: Phrases): readonly ControlView[] {
  const view = (control: Control, label: string, style: ControlView["style"] = "default"): ControlView => ({
    token: formatControlToken(copy, control),
    label,
    style,
    opensForm: opensForm(control),
  });
  const { controls } = words;
  const [field] = body.fields;
  const own: readonly ControlView[] = [
    ...(field?.type === "choice" && field.other ? [view({ kind: "other" }, controls.other)] : []),
    ...(field?.type === "text" ? [view({ kind: "write" }, controls.write)] : []),
    ...(body.decisions.includes("decline") ? [view({ kind: "decline" }, controls.decline)] : []),
    ...(body.decisions.includes("approve") ? [view({ kind: "approve" }, controls.approvals.approve, "primary")] : []),
    ...(body.decisions.includes("approve_always") ? [view({ kind: "approve_always" }, controls.approvals.approve_always)] : []),
  ];
  if (!body.decisions.includes("deny")) return own;
  return [...own, view({ kind: "deny" }, controls.approvals.deny, "danger"), view({ kind: "deny_why" }, controls.denyWhy)];
}

/** R15: a question without a named principal takes controls only. */
function typedOf(body: QuestionBody, principal: string): PromptView["typed"] {
  if (principal === "") return "no";
  return body.fields[0]?.type === "text" ? "open" : "yes";
}

function helpOf({ body, principal }: CopyOf["question"], { words }: Phrases): (rendered: Rendered) => string {
  const about = { expectation: expectationOf(body, words), typed: typedOf(body, principal) !== "no" };
  return (rendered) => words.prompt.help(rendered, about);
}

/** The form that a control opens: the typed answer, or the reason beside a deny. */
export function formView(
  { question, token, control }: { readonly question: CopyOf["question"]; readonly token: string; readonly control: Control },
  { words }: Phrases,
): FormView {
  const { forms } = words.controls;
  const [field] = question.body.fields;
  if (control.kind === "deny_why" || field === undefined) {
    const why = { key: REASON_KEY, label: forms.whyLabel, multiline: true, required: true, minLength: 1, maxLength: 1_000 };
    return { token, title: forms.whyTitle, submitLabel: forms.submit, fields: [why] };
  }
  const text = field.type === "text" ? field : undefined;
  return {
    token,
    title: control.kind === "other" ? forms.otherTitle : forms.writeTitle,
    submitLabel: forms.submit,
    fields: [
      {
        key: field.key,
        label: visibleLine(field.label ?? question.body.title ?? forms.answerLabel),
        ...(field.help === undefined ? {} : { help: visibleLine(field.help) }),
        multiline: text?.multiline ?? false,
        required: true,
        minLength: Math.max(text?.minLength ?? 1, 1),
        maxLength: text?.maxLength ?? 3_000,
        ...(text?.placeholder === undefined ? {} : { placeholder: visibleLine(text.placeholder) }),
      },
    ],
  };
}

/** The key of the reason in the form that goes with a deny. */
export const REASON_KEY = "reason";
