/** Prompts for adapters' tests: built by hand here so that an adapter is tested without the gateway. */
import { type CopyId, parseCopyId } from "../../core/ids.js";
import type { FormView, PromptView, Rendered } from "../../core/prompt.js";
import { type Control, formatControlToken } from "../../core/token.js";

function copyOf(seed: string): CopyId {
  const text = seed
    .toLowerCase()
    .replaceAll(/[^0-9a-hjkmnp-tv-z]/g, "z")
    .padEnd(26, "0")
    .slice(0, 26);
  const copy = parseCopyId(text);
  if (copy === undefined) throw new Error(`not a copy id: ${text}`);
  return copy;
}

const HELP = ({ controls, reply }: Rendered): string => `${controls === "none" ? "Reply" : "Press, or reply"}: ${reply}`;

type Overrides = Partial<PromptView> & { readonly copy?: string };

/** The token of a control on the copy named by `seed`, as the views below use it. */
export function tokenOn(seed: string, control: Control): string {
  return formatControlToken(copyOf(seed), control);
}

function base(seed: string): PromptView {
  const copy = copyOf(seed);
  return {
    question: "q_00000000000000000000000000",
    code: "K7QM",
    title: "Release 42",
    text: [{ text: "Where does this release go?" }],
    options: [],
    page: 0,
    pageTokens: [],
    menuToken: formatControlToken(copy, { kind: "menu" }),
    controls: [{ token: formatControlToken(copy, { kind: "decline" }), label: "Decline", style: "default", opensForm: false }],
    typed: "yes",
    frame: ["ci asks Alice · until 16:03 · K7QM"],
    state: { kind: "open", help: HELP },
  };
}

/** A choice between `labels`, with Decline; `other` adds Other…. */
export function choiceView(labels: readonly string[], { copy = "choice", ...over }: Overrides = {}, { other = false } = {}): PromptView {
  const id = copyOf(copy);
  const decline = base(copy).controls;
  return {
    ...base(copy),
    options: labels.map((label, index) => ({ ordinal: index + 1, label, token: formatControlToken(id, { kind: "option", index }) })),
    pageTokens: labels.map((_, page) => formatControlToken(id, { kind: "page", page })).slice(0, 10),
    controls: other
      ? [{ token: formatControlToken(id, { kind: "other" }), label: "Other…", style: "default", opensForm: true }, ...decline]
      : decline,
    ...over,
  };
}

/** One open text field: Write… and Decline. */
export function textView({ copy = "text", ...over }: Overrides = {}): PromptView {
  const write = { token: formatControlToken(copyOf(copy), { kind: "write" }), label: "Write…", style: "default", opensForm: true } as const;
  return { ...base(copy), typed: "open", controls: [write, ...base(copy).controls], ...over };
}

/** An approval of a command: Approve, Deny, Deny say why…. */
export function approvalView({ copy = "approval", ...over }: Overrides = {}): PromptView {
  const id = copyOf(copy);
  return {
    ...base(copy),
    title: "Approve?",
    text: [{ text: "Apply the plan" }],
    subject: { type: "command", body: "terraform apply plan.out" },
    controls: [
      { token: formatControlToken(id, { kind: "approve" }), label: "Approve", style: "primary", opensForm: false },
      { token: formatControlToken(id, { kind: "deny" }), label: "Deny", style: "danger", opensForm: false },
      { token: formatControlToken(id, { kind: "deny_why" }), label: "Deny, say why…", style: "default", opensForm: true },
    ],
    ...over,
  };
}

/** The same prompt after its end: no controls, the closing line. */
export function endedView(view: PromptView, line: string): PromptView {
  return { ...view, controls: [], state: { kind: "ended", line } };
}

/** A form of one multi-line text field, as Write… and Other… open it. */
export function formView(token: string, over: Partial<FormView> = {}): FormView {
  return {
    token,
    title: "Release 42",
    submitLabel: "Send",
    fields: [{ key: "answer", label: "Your answer", multiline: true, required: true, maxLength: 3_000 }],
    ...over,
  };
}
