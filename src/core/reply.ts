/**
 * Typed replies: what a person's message means for one question (design, section 8). Pure; the only reader of typed answers.
 *
 *   text ──code off──► blank? ──► labels ──► position ──► value ──► command word ──► Other, or a hint
 *
 * Y1  Only a whole message is read. Prose is never guessed into a choice or into consent: it is Other where that is offered, else a hint.
 * Y2  Labels as written first, then folded (fold.ts), then without bracketed suffix. A label beats a position; two that fit: hint.
 * Y3  A number that also stands in another option's label, or is another option's value, is ambiguous.
 * Y4  Approvals take the exact words of their labels and of the table, nothing longer.
 * Y5  A bare number, a position, a command word or a code is never Other.
 * Y6  An open text field has no positions: its text is taken as written, outer spaces off. There a command is the bare word alone.
 *
 * Which question a text belongs to is not decided here (src/host); whether a loosely bound Other is shown back first is the host's.
 */
import { foldLabel, foldReply, foldWithoutSuffix, isBareNumber, isBlank, numbersIn, positionIn } from "./fold.js";
import { CODE_ALPHABET, CODE_LENGTH } from "./ids.js";
import { TEXT_ANSWER_MAX } from "./question.js";

/** The decisions of an approval; `decline` stands beside them on every kind of question. */
export type ApprovalDecision = "approve" | "approve_always" | "deny";

/** The words of one language that are read, in lower case. `option` may stand before a position. */
export type TypedWords = Readonly<Record<"approve" | "deny" | "skip" | "decline" | "help" | "back" | "option", readonly string[]>>;

type Common = {
  /** May the person refuse the question as a whole (the decision `decline`)? */
  readonly declinable: boolean;
  /** The question's short code, taken off the text before it is read. */
  readonly code?: string;
};

/** What one question, or one field of it, can be answered with. Lengths are UTF-16 units. */
export type Expectation =
  | (Common & {
      readonly kind: "choice";
      readonly options: readonly { readonly value: string; readonly label: string }[];
      readonly other: boolean;
      readonly optional: boolean;
    })
  | (Common & { readonly kind: "text"; readonly minLength: number; readonly maxLength: number; readonly optional: boolean })
  | (Common & {
      readonly kind: "approval";
      readonly decisions: readonly ApprovalDecision[];
      readonly labels: Readonly<Record<ApprovalDecision, string>>;
    });

/**
 * Why a reply was not taken. `ambiguous`: these options (by index) fit; `ask` is what would tell them apart, the number where
 * labels are alike, the name where the number is doubtful.
 */
export type Hint = { readonly kind: "hint" } & (
  | { readonly code: "ambiguous"; readonly facts: { readonly options: readonly number[]; readonly ask: "number" | "name" } }
  | { readonly code: "out_of_range"; readonly facts: { readonly max: number } }
  | { readonly code: "too_long"; readonly facts: { readonly length: number; readonly max: number } }
  | { readonly code: "too_short"; readonly facts: { readonly length: number; readonly min: number } }
  | { readonly code: "blank" | "not_understood" | "not_optional" | "not_declinable"; readonly facts: Readonly<Record<never, never>> }
);

/** The person's own words, checked: the field's text, or a hint. */
export type Written = { readonly kind: "text"; readonly text: string } | Hint;

/** What a reply means. `option`: by index in the stored order. `other`: the person's own words in place of an option (O85). `skip`: leave an optional field out. */
export type Reading =
  | { readonly kind: "option"; readonly index: number }
  | { readonly kind: "other"; readonly text: string }
  | { readonly kind: "decision"; readonly decision: ApprovalDecision | "decline" }
  | { readonly kind: "skip" }
  | { readonly kind: "help" }
  | Written;

type Choice = Extract<Expectation, { kind: "choice" }>;
type OpenText = Extract<Expectation, { kind: "text" }>;
type Approval = Extract<Expectation, { kind: "approval" }>;

const simpleHint = (code: "blank" | "not_understood" | "not_optional" | "not_declinable"): Hint => ({ kind: "hint", code, facts: {} });

/**
 * Reads a typed reply. The same text, question and words always give the same reading; nothing here throws.
 * @param text   As the platform gave it, its mark-up already undone.
 * @param words  The words of the person's language (`wordsFor(...).typed`).
 */
export function readReply(text: string, expectation: Expectation, words: TypedWords): Reading {
  const reply = expectation.code === undefined ? text : (splitCode(text, expectation.code) ?? text);
  // A label that begins or ends with the very code is still that label.
  const whole = reply !== text && expectation.kind === "choice" ? byLabel(text, expectation) : undefined;
  if (whole !== undefined) return whole;
  if (isBlank(reply)) return simpleHint("blank");
  switch (expectation.kind) {
    case "choice":
      return readChoice(reply, expectation, words);
    case "text":
      return readOpenText(reply, expectation, words);
    case "approval":
      return readApproval(reply, expectation, words);
  }
}

/**
 * Checks text that was typed where only text can be meant: a form's field, the words after Other…, the reason of a denial. It is
 * never a pick, whatever label or number it equals.
 * @param limits  UTF-16 units after outer spaces are off; `TEXT_ANSWER_MAX` is what every platform's form takes.
 */
export function readWritten(text: string, { minLength, maxLength }: { readonly minLength: number; readonly maxLength: number }): Written {
  const written = text.trim();
  if (isBlank(written)) return simpleHint("blank");
  const { length } = written;
  if (length > maxLength) return { kind: "hint", code: "too_long", facts: { length, max: maxLength } };
  if (length < minLength) return { kind: "hint", code: "too_short", facts: { length, min: minLength } };
  return { kind: "text", text: written };
}

function readChoice(reply: string, choice: Choice, words: TypedWords): Reading {
  const labelled = byLabel(reply, choice);
  if (labelled !== undefined) return labelled;
  const valued = matching(choice, reply);
  const position = positionIn(reply, words.option);
  if (position !== undefined) return readPosition(position, choice, valued);
  if (valued.length > 0) return picked(valued, "number");
  const command = readCommand(foldReply(reply), choice, words);
  if (command !== undefined) return command;
  if (!choice.other || isBareNumber(reply)) return simpleHint("not_understood");
  const written = readWritten(reply, { minLength: 1, maxLength: TEXT_ANSWER_MAX });
  return written.kind === "text" ? { kind: "other", text: written.text } : written;
}

/** Y2: as written, folded, without suffix; the first of these that fits anything decides. */
function byLabel(reply: string, { options }: Choice): Reading | undefined {
  const raw = reply.trim();
  const folded = foldReply(reply);
  const tiers: readonly ((label: string) => boolean)[] = [
    (label) => label.trim() === raw,
    (label) => foldLabel(label).has(folded),
    (label) => foldWithoutSuffix(label).has(folded),
  ];
  for (const fits of tiers) {
    const found = options.flatMap(({ label }, index) => (fits(label) ? [index] : []));
    if (found.length > 0) return picked(found, "number");
  }
  return undefined;
}

/** Options whose value is meant: as written, else folded. */
function matching({ options }: Choice, reply: string): readonly number[] {
  const raw = options.flatMap(({ value }, index) => (value.trim() === reply.trim() ? [index] : []));
  if (raw.length > 0) return raw;
  const folded = foldReply(reply);
  return options.flatMap(({ value }, index) => (foldLabel(value).has(folded) ? [index] : []));
}

function readPosition(position: number, { options }: Choice, valued: readonly number[]): Reading {
  const index = position - 1;
  const inRange = index >= 0 && index < options.length;
  const meant = new Set([...(inRange ? [index] : []), ...valued]);
  if (meant.size === 0) return { kind: "hint", code: "out_of_range", facts: { max: options.length } };
  if (inRange) {
    for (const [other, { label }] of options.entries()) if (other !== index && numbersIn(label).has(position)) meant.add(other);
  }
  return picked([...meant], "name");
}

function picked(indexes: readonly number[], ask: "number" | "name"): Reading {
  const [index] = indexes;
  if (indexes.length === 1 && index !== undefined) return { kind: "option", index };
  return { kind: "hint", code: "ambiguous", facts: { options: indexes.toSorted((a, b) => a - b), ask } };
}

/** A command word, or the hint that it does not apply here. */
function readCommand(
  word: string,
  { optional, declinable }: { optional: boolean; declinable: boolean },
  words: TypedWords,
): Reading | undefined {
  if (words.help.includes(word)) return { kind: "help" };
  if (words.skip.includes(word)) return optional ? { kind: "skip" } : simpleHint("not_optional");
  if (words.decline.includes(word)) return declinable ? { kind: "decision", decision: "decline" } : simpleHint("not_declinable");
  return words.back.includes(word) ? simpleHint("not_understood") : undefined;
}

/** Y6: a word that does not apply here is text like any other. */
function readOpenText(reply: string, field: OpenText, words: TypedWords): Reading {
  const command = readCommand(reply.trim().normalize("NFKC").toLowerCase(), field, words);
  return command === undefined || command.kind === "hint" ? readWritten(reply, field) : command;
}

function readApproval(reply: string, { decisions, labels, declinable }: Approval, words: TypedWords): Reading {
  const word = foldReply(reply);
  const said: readonly [ApprovalDecision, readonly string[]][] = [
    ["approve", words.approve],
    ["approve_always", []],
    ["deny", words.deny],
  ];
  const meant = said.filter(
    ([decision, own]) => decisions.includes(decision) && (own.includes(word) || foldLabel(labels[decision]).has(word)),
  );
  const [only] = meant;
  if (meant.length === 1 && only !== undefined) return { kind: "decision", decision: only[0] };
  if (meant.length > 1) return simpleHint("not_understood");
  return readCommand(word, { optional: false, declinable }, words) ?? simpleHint("not_understood");
}

const CODE = new RegExp(`^[${CODE_ALPHABET}]{${CODE_LENGTH}}$`);

/** The code a word is, in upper case: case, width and the punctuation around it do not count. */
function codeOf(word: string): string | undefined {
  const bare = word
    .normalize("NFKC")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")
    .toUpperCase();
  return CODE.test(bare) ? bare : undefined;
}

/** The longest word that may be a code with its punctuation: nothing longer is looked at. */
const CODE_WORD_MAX = 40;

function firstWord(text: string): string {
  return /^\S{1,40}(?!\S)/.exec(text.trimStart())?.[0] ?? "";
}

/** Found from the end, so that a long text costs no more than a short one. */
function lastWord(text: string): string {
  const end = text.trimEnd().slice(-CODE_WORD_MAX);
  let start = end.length;
  while (start > 0 && !/\s/.test(end.charAt(start - 1))) start -= 1;
  return end.slice(start);
}

/**
 * The short codes a text may name: its first and its last word, where they have a code's shape (4 of the 31 characters, in either
 * case: people type on telephones). Many an ordinary word has that shape ("next", "test"): only one that is open in this very
 * conversation is a code, and a code is never permission (R24).
 * @returns In upper case, at most two, the first word's first.
 */
export function findCodes(text: string): readonly string[] {
  const codes = [firstWord(text), lastWord(text)].map(codeOf);
  return [...new Set(codes.filter((code) => code !== undefined))];
}

/**
 * The text without this code as its first or else its last word, and without the colon or dash that set it off; undefined when it is
 * neither. The rest keeps its inner spaces and lines, and is empty when the code is all there is.
 */
export function splitCode(text: string, code: string): string | undefined {
  const wanted = code.toUpperCase();
  const trimmed = text.trim();
  const first = firstWord(trimmed);
  if (codeOf(first) === wanted) return withoutSign(trimmed.slice(first.length).trimStart(), /^[-–—:,]\s/);
  const last = lastWord(trimmed);
  if (codeOf(last) !== wanted) return undefined;
  return withoutSign(trimmed.slice(0, trimmed.length - last.length).trimEnd(), /\s[-–—:,]$/);
}

/** Takes off the sign that stood between code and reply; `-1` and `yes,` keep theirs. */
function withoutSign(rest: string, sign: RegExp): string {
  return rest.replace(sign, "").trim();
}
