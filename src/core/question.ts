/**
 * What is asked: the one zod schema of an ask, and the question as it is stored.
 *
 * Every door (library, HTTP, MCP, socket, command line) parses with `askSchema`; the type is derived from it. Sizes and defaults
 * stand here and nowhere else. Kinds beyond `question` and `approval`, and field types beyond `choice` and `text`, are refused
 * with `unsupported` until they exist; unknown keys are refused with their path.
 */
import { z } from "zod";

/** A duration as askers write it: 1 to 6 digits and `s`, `m`, `h` or `d`. Zero fits the pattern and is refused by `parseDurationMs`. */
export const DURATION_PATTERN = /^(\d{1,6})(s|m|h|d)$/;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of "90s", "15m", "2h", "3d"; undefined for any other text and for zero. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit] = DURATION_PATTERN.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms > 0 ? ms : undefined;
}

/** Characters of a subject shown by further messages; longer ones need a file, which comes with a later issue. */
export const SUBJECT_MAX_CHARACTERS = 12_000;
/** Most options of one choice field. Adapters show them all by buttons, menus or pages (R27). */
export const OPTIONS_MAX = 100;
/** UTF-16 units of one option's value or label. */
export const OPTION_TEXT_MAX = 500;
/** Longest typed answer to an open text field; what one modal takes on every platform (Slack's plain_text_input: 3,000). */
export const TEXT_ANSWER_MAX = 3_000;

const duration = z.string().regex(DURATION_PATTERN, 'write a duration like "90s", "15m", "2h" or "3d"');
const name = z.string().min(1).max(200);
const names = z.union([name, z.array(name).min(1).max(50)]);

/** Words in `exclude` that stand for a person of the run: its starter, its session's owner. No person, role or route may bear them. */
export const EXCLUDED_PARTIES = ["requester", "owner"] as const;
const audience = z.union([names, z.strictObject({ of: names.optional(), exclude: names })]);

const option = z.union([
  z.string().trim().min(1).max(OPTION_TEXT_MAX),
  z.strictObject({
    value: z.string().min(1).max(OPTION_TEXT_MAX),
    label: z.string().trim().min(1).max(OPTION_TEXT_MAX).optional(),
    description: z.string().max(500).optional(),
  }),
]);
const options = z.array(option).min(1, "give at least one option").max(OPTIONS_MAX, `at most ${OPTIONS_MAX} options`);

const fieldCommon = {
  key: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, "a key is a letter, then letters, digits and _, 64 at most"),
  label: z.string().min(1).max(200).optional(),
  help: z.string().max(500).optional(),
  optional: z.boolean().optional(),
};
const choiceField = z.strictObject({ ...fieldCommon, type: z.literal("choice"), options, other: z.boolean().optional() });
const textField = z.strictObject({
  ...fieldCommon,
  type: z.literal("text"),
  multiline: z.boolean().optional(),
  minLength: z.int().min(0).max(TEXT_ANSWER_MAX).optional(),
  maxLength: z.int().min(1).max(TEXT_ANSWER_MAX).optional(),
  placeholder: z.string().max(100).optional(),
});
/** One field of an ask, by `type`. Other types are `unsupported` until they exist; unknown keys are refused. */
export const fieldSchema = z.discriminatedUnion("type", [choiceField, textField]);

/** What an approval may be about. The type goes into the subject's hash and decides how the body is drawn. */
export const SUBJECT_TYPES = ["command", "diff", "json", "text"] as const;
/** One of `SUBJECT_TYPES`. */
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** Every decision there is. A question offers `answer` and `decline`, an approval `approve`, `approve_always` and `deny`. */
export const DECISIONS = ["answer", "decline", "dismiss", "approve", "deny", "approve_always"] as const;
/** What a person did with the whole question, beside its values; `statusOfDecision` (core/outcome.ts) says what it means for the end. */
export type Decision = (typeof DECISIONS)[number];

const call = z.strictObject({ loop: name.optional(), toolExecution: name.optional(), turn: name.optional(), step: name.optional() });

/** Keys every kind of question takes. */
const common = {
  key: z.string().min(1).max(200).optional(),
  session: z.string().min(1).max(200).optional(),
  agent: z.string().min(1).max(60).optional(),
  call: call.optional(),
  title: z.string().min(1).max(60).optional(),
  text: z.string().min(1).max(4_000),
  to: names.optional(),
  audience: audience.optional(),
  visibility: z.enum(["shared", "private"]).optional(),
  ownThread: z.boolean().optional(),
  timeout: z.union([duration, z.literal("none")]).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  deliverWithin: duration.optional(),
  metadata: z
    .record(z.string().min(1).max(64), z.string().max(512))
    .refine((pairs) => Object.keys(pairs).length <= 16, "at most 16 pairs")
    .optional(),
};

const questionAsk = z.strictObject({
  ...common,
  kind: z.literal("question").optional(),
  options: options.optional(),
  other: z.boolean().optional(),
  fields: z.array(fieldSchema).min(1).max(20).optional(),
  decisions: z
    .array(z.enum(["answer", "decline"]))
    .min(1)
    .optional(),
  fallback: z.union([z.strictObject({ value: z.unknown() }), z.strictObject({ values: z.record(z.string(), z.unknown()) })]).optional(),
});

const approvalAsk = z.strictObject({
  ...common,
  kind: z.literal("approval"),
  subject: z.strictObject({ type: z.enum(SUBJECT_TYPES), body: z.string().min(1) }).optional(),
  decisions: z
    .array(z.enum(["approve", "approve_always", "deny"]))
    .min(1)
    .optional(),
  fallback: z.strictObject({ value: z.literal("deny") }).optional(),
});

/** An ask as it comes over any door. */
export const askSchema = z.union([questionAsk, approvalAsk]);
/** An ask that passed `askSchema`: limits hold, but defaults, targets and times are not filled in yet (gateway/question-builder.ts). */
export type AskShape = z.output<typeof askSchema>;
/** An ask for values: by `options`, by `fields`, or by neither for one open text. */
export type QuestionAsk = z.output<typeof questionAsk>;
/** An ask for a decision alone, about a `subject` if given. Its fallback can only be `deny` (R9). */
export type ApprovalAsk = z.output<typeof approvalAsk>;
export { approvalAsk as approvalAskSchema, questionAsk as questionAskSchema };

/** An option as stored. Values and labels are each distinct within a field; a label not given is the value. */
export type OptionShape = { readonly value: string; readonly label: string; readonly description?: string };
/** One pick of 1 to `OPTIONS_MAX` options; with `other`, the person may type something else instead. */
export type ChoiceField = {
  readonly type: "choice";
  readonly key: string;
  readonly label?: string;
  readonly help?: string;
  readonly optional: boolean;
  readonly options: readonly OptionShape[];
  readonly other: boolean;
};
/** Typed text of `minLength` (default 0) to `maxLength` (default `TEXT_ANSWER_MAX`) UTF-16 units; blank never counts. */
export type TextField = {
  readonly type: "text";
  readonly key: string;
  readonly label?: string;
  readonly help?: string;
  readonly optional: boolean;
  readonly multiline: boolean;
  readonly minLength: number;
  readonly maxLength: number;
  readonly placeholder?: string;
};
/** A field with its defaults filled in, as answers are checked against it (core/answer.ts). */
export type StoredField = ChoiceField | TextField;

/** What is approved: at most `SUBJECT_MAX_CHARACTERS` code points, shown whole or not at all (R27). */
export type Subject = {
  readonly type: SubjectType;
  readonly body: string;
  /** `sha256:` and hex over type, LF, the exact bytes (json: its RFC 8785 form). */
  readonly hash: string;
};

/**
 * Who may answer, captured at ask (R13): names of people; `anyone` only where written out and allowed. `through`: the roles that let a person
 * in who was not named, of which one must still do so. `except`: people excluded, sorted.
 */
export type Audience =
  | { readonly kind: "people"; readonly people: readonly string[]; readonly through?: Readonly<Record<string, readonly string[]>> }
  | { readonly kind: "anyone"; readonly except?: readonly string[] };

/** The unchanging part of a stored question, kept as one JSON text. Options and fields are in one form: `fields`. */
export type QuestionBody = {
  readonly kind: "question" | "approval";
  readonly agent: string;
  readonly title?: string;
  readonly text: string;
  readonly subject?: Subject;
  readonly fields: readonly StoredField[];
  /** `value`: asked with options or plain text, the answer stands under `value`; `values`: asked with fields; `none`: decisions only. */
  readonly shape: "value" | "values" | "none";
  readonly decisions: readonly Decision[];
  readonly audience: Audience;
  readonly to: readonly string[];
  readonly visibility: "shared" | "private";
  readonly ownThread: boolean;
  readonly fallback?: { readonly value: unknown } | { readonly values: Readonly<Record<string, unknown>> };
  readonly call?: z.output<typeof call>;
  readonly metadata?: Readonly<Record<string, string>>;
};
