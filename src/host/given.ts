/** What a press or a form gives to the gateway, from the stored question: tokens name controls, the values are ours. */
import { type Given, SINGLE_KEY } from "../core/answer.js";
import type { Submit } from "../core/input.js";
import { parseToken } from "../core/token.js";
import { unreachable } from "../errors.js";
import type { QuestionRow } from "../ports/store.js";
import { REASON_KEY } from "./view.js";

/** What pressing a control gives; undefined for a control that this question does not have. */
export function givenByPress(tokenText: string, { body }: QuestionRow): Given | undefined {
  const token = parseToken(tokenText);
  if (token?.kind !== "copy") return undefined;
  const { control } = token;
  const [field] = body.fields;
  switch (control.kind) {
    case "option": {
      const option = field?.type === "choice" ? field.options[control.index] : undefined;
      return option === undefined ? undefined : { decision: "answer", value: option.value };
    }
    case "decline":
    case "approve":
    case "approve_always":
    case "deny":
      return { decision: control.kind };
    case "other":
    case "write":
    case "deny_why":
    case "menu":
    case "page":
      return undefined;
    default:
      return unreachable(control);
  }
}

/** What a form's submission gives: the text of its field, or the reason beside a deny. */
export function givenByForm({ token: tokenText, values }: Submit, { body }: QuestionRow): Given {
  const token = parseToken(tokenText);
  if (token?.kind === "copy" && token.control.kind === "deny_why") return { decision: "deny", note: values[REASON_KEY] };
  const [field] = body.fields;
  const text = values[field?.key ?? SINGLE_KEY] ?? "";
  return { decision: "answer", value: field?.type === "choice" ? { other: text } : text };
}

/** The value as it will be said back, before the gateway has checked it; nothing is said unless it commits. */
export function spokenValues({ body }: QuestionRow, { value }: Given): Readonly<Record<string, string | { readonly other: string }>> {
  const [field] = body.fields;
  if (field === undefined) return {};
  if (typeof value === "string") return { [field.key]: value };
  if (typeof value === "object" && value !== null && "other" in value && typeof value.other === "string")
    return { [field.key]: { other: value.other } };
  return {};
}
