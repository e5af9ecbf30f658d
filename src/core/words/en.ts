/**
 * English: every word people read or type. The examples of api.md, section 7, are this table's.
 */
import type { Rendered } from "../prompt.js";
import type { Expectation } from "../reply.js";
import { LINE_MAX, NOTICE_MAX, sentence } from "./sentence.js";
import type { AnswerWords, Controls, Ending, HelpAbout, Misread, Notices, People, Words } from "./shape.js";

const notice = sentence(NOTICE_MAX);
const line = sentence(LINE_MAX);

/** Names in a row before "and 3 more". */
const NAMES_MAX = 4;
/** Labels in a hint before it speaks of "a name" only. */
const LABELS_MAX = 6;
const LABELS_TOGETHER_MAX = 90;

const quote = ({ typed }: AnswerWords): string => (typed ? '"' : "");
/** A reason or note in quotes, in three values, so that a cut never takes the closing quote. */
const open = (text: string | undefined): string => (text === undefined ? "" : ': "');
const close = (text: string | undefined): string => (text === undefined ? "" : '"');
const digits = (count: number): string => count.toLocaleString("en-US");
const countWord = (count: number): string => (count === 2 ? "two" : digits(count));

function and(names: readonly string[]): string {
  const first = names.length > NAMES_MAX ? names.slice(0, NAMES_MAX - 1) : names;
  const rest = names.length - first.length;
  const parts = rest > 0 ? [...first, `${rest} more`] : first;
  return parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

function or(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;
}

function asked(people: People): string {
  if (people === "anyone") return "anyone";
  return people.length > NAMES_MAX ? and(people) : people.join(", ");
}

/** `1`, `1 or 2`, or `1 to 7`. */
function positions(count: number): string {
  if (count <= 2) return count === 1 ? "1" : "1 or 2";
  return `1 to ${count}`;
}

/** What may be typed, in general: `a name, 1 or 2`. */
function typable(expectation: Expectation): string {
  switch (expectation.kind) {
    case "choice": {
      const count = expectation.options.length;
      return count === 2 ? "a name, 1 or 2" : `a name or ${positions(count)}`;
    }
    case "text":
      return "";
    case "approval":
      return or(approvalReplies(expectation.decisions, expectation.labels));
  }
}

type Approval = Extract<Expectation, { kind: "approval" }>;

function approvalReplies(decisions: Approval["decisions"], labels: Approval["labels"]): readonly string[] {
  return decisions.map((decision) => (decision === "approve" ? "yes" : decision === "deny" ? "no" : labels[decision].toLowerCase()));
}

/** How to answer, in a sentence: `Reply staging, prod, 1 or 2.` */
function howTo(expectation: Expectation): string {
  if (expectation.kind === "text") return "Reply with your text.";
  if (expectation.kind === "approval") return `Reply ${typable(expectation)}.`;
  const labels = expectation.options.map(({ label }) => label);
  const own = expectation.other ? ", or in your own words" : "";
  if (labels.length > LABELS_MAX || labels.join(", ").length > LABELS_TOGETHER_MAX) {
    return `Reply with a name or a number from 1 to ${labels.length}${own}.`;
  }
  return labels.length === 2
    ? `Reply ${labels.join(", ")}, 1 or 2${own}.`
    : `Reply ${labels.join(", ")} or ${positions(labels.length)}${own}.`;
}

function hint({ hint, reply, expectation, controls }: Misread): string {
  const how = howTo(expectation);
  switch (hint.code) {
    case "not_understood":
      return notice`I can't read that as an answer, so nothing was recorded. ${how}`;
    case "ambiguous": {
      const way = hint.facts.ask === "name" ? "Reply with its whole name." : "Reply with its number.";
      const pick =
        controls === "buttons" ? "Press the one you mean." : controls === "menu" ? "Choose the one you mean from the menu." : way;
      return notice`"${reply}" fits ${countWord(hint.facts.options.length)} options. ${pick}`;
    }
    case "out_of_range":
      return notice`There is no such option, so nothing was recorded. ${how}`;
    case "too_long":
      return notice`That is ${digits(hint.facts.length)} characters; at most ${digits(hint.facts.max)} fit. Nothing was recorded.`;
    case "too_short":
      return notice`That is too short: at least ${digits(hint.facts.min)} characters are needed. Nothing was recorded.`;
    case "blank":
      return notice`That reply is empty, so nothing was recorded. ${how}`;
    case "not_optional":
      return notice`This can't be skipped, so nothing was recorded. ${how}`;
    case "not_declinable":
      return notice`This can't be declined, so nothing was recorded. ${how}`;
  }
}

function help(expectation: Expectation): string {
  const skip = expectation.kind !== "approval" && expectation.optional ? ['"skip" leaves it out.'] : [];
  const decline = expectation.declinable ? ['"decline" says that you will not answer.'] : [];
  return notice`${[howTo(expectation), ...skip, ...decline].join(" ")}`;
}

function late(ending: Ending): string {
  switch (ending.kind) {
    case "answered":
      if (ending.answer === undefined) return notice`Too late: ${and(ending.by)} answered at ${ending.at}.`;
      return notice`Too late: ${and(ending.by)} answered "${ending.answer.text}" at ${ending.at}.`;
    case "approved":
    case "denied":
    case "declined":
      return notice`Too late: ${and(ending.by)} ${ending.kind} at ${ending.at}.`;
    case "expired":
      return notice`Too late: time ran out at ${ending.at} and nobody answered.`;
    case "undelivered":
      return notice`Too late: this question was given up at ${ending.at}. Nothing was recorded.`;
    case "withdrawn":
      return notice`Withdrawn by ${ending.agent} at ${ending.at}${open(ending.reason)}${ending.reason ?? ""}${close(ending.reason)}.`;
    case "run_ended":
      return runOver(ending);
  }
}

function runOver({ agent }: { readonly agent: string }): string {
  return notice`${agent}'s run has ended, so this can't be answered any more. Nothing was recorded.`;
}

function closing(ending: Ending): string {
  switch (ending.kind) {
    case "answered":
      if (ending.answer === undefined) return line`Answered · ${and(ending.by)}, ${ending.at}`;
      return line`${quote(ending.answer)}${ending.answer.text}${quote(ending.answer)} · ${and(ending.by)}, ${ending.at}`;
    case "approved":
      return line`${ending.always ? "Approved (always)" : "Approved"} · ${and(ending.by)}, ${ending.at}`;
    case "denied":
    case "declined":
      return line`${ending.kind === "denied" ? "Denied" : "Declined"} · ${and(ending.by)}, ${ending.at}${open(ending.note)}${ending.note ?? ""}${close(ending.note)}`;
    case "expired":
      return line`Nobody answered by ${ending.at}`;
    case "undelivered":
      return line`Given up, ${ending.at}: it could not be shown`;
    case "withdrawn":
      return line`Withdrawn by ${ending.agent}, ${ending.at}${open(ending.reason)}${ending.reason ?? ""}${close(ending.reason)}`;
    case "run_ended":
      return line`Ended with ${ending.agent}'s run, ${ending.at}`;
  }
}

const REPLIES: Readonly<Record<Rendered["reply"], string>> = {
  thread: "reply in this thread",
  reply: "reply to this",
  mention: "reply to this and mention me",
  write: "just write",
  box: "write in the reply box",
};

function promptHelp(rendered: Rendered, { expectation, typed }: HelpAbout): string {
  const press = pressWords(rendered, expectation);
  const reply = typed ? replyWords(rendered, expectation) : "";
  const both = [press, reply].filter((part) => part !== "").join(", or ");
  return line`${both.charAt(0).toUpperCase()}${both.slice(1)}`;
}

/** Empty where there is nothing to press. */
function pressWords({ controls, reply }: Rendered, { kind }: Expectation): string {
  if (controls === "none") return "";
  if (controls === "menu") return "choose from the menu";
  // Where the reply box is open an open text field has no Write button (Telegram).
  if (kind === "text") return reply === "box" ? "" : `press ${controlWords.write}`;
  return "press";
}

function replyWords({ controls, reply }: Rendered, expectation: Expectation): string {
  const words = typable(expectation);
  // Controls carry Other…, Skip and Decline themselves; without them the words must be named.
  const alone = controls === "none" ? aloneWords(expectation) : "";
  return `${REPLIES[reply]}${words === "" ? "" : `: ${words}`}${alone}`;
}

function aloneWords(expectation: Expectation): string {
  const own = expectation.kind === "choice" && expectation.other ? ", or your own words" : "";
  const skip = expectation.kind !== "approval" && expectation.optional ? '; "skip" leaves it out' : "";
  const decline = expectation.declinable ? '; "decline" if you will not answer' : "";
  return `${own}${skip}${decline}`;
}

const notices: Notices = {
  taken: (answer) => notice`Recorded: ${quote(answer)}${answer.text}${quote(answer)}.`,
  counted: ({ decision, given, needed }) => notice`Recorded: ${decision}. ${digits(given)} of ${digits(needed)}.`,
  alreadyYours: (answer) => notice`You already answered: ${quote(answer)}${answer.text}${quote(answer)}.`,
  late,
  unknown: () => "I don't know this question any more.",
  notYou: ({ people }) => notice`This is for ${people === "anyone" ? "others" : and(people)}. Nothing was changed.`,
  whichQuestion: ({ count, reply }) =>
    count === 1
      ? notice`Another question here has just ended. Is "${reply}" for this one?`
      : notice`${countWord(count)} questions are open for you. Which one is "${reply}" for?`.replace(/^two/, "Two"),
  hint,
  help,
  shownBack: ({ reply }) => notice`Send "${reply}" as your answer?`,
  notSent: () => "Not sent. The question is still open.",
  cannotSave: () => "I couldn't save that, so it does not count. Please try again in a moment.",
  cannotCheck: () => "I can't check right now whether you may answer, so nothing was recorded. Please try again in a moment.",
  checking: ({ answer }) => notice`"${answer}" is being checked: I can't tell yet whether it was recorded. You need do nothing.`,
  unconfirmed: ({ answer }) =>
    notice`I can't tell yet whether "${answer}" was recorded, and I won't send it again. The question above will show what counted. Pressing again is safe.`,
  runOver,
  controlsOnly: () => "Typed text can't answer this question, so nothing was recorded. Please use the buttons under it.",
  media: () => "I can only read text, so nothing was recorded. Please answer in words, or with what stands under the question.",
  emptyMessage: ({ bot }) =>
    notice`I can't see what you wrote here, so nothing was recorded. Mention ${bot} in your reply, or use the buttons.`,
  anonymous: () => "I can't see who wrote that, so it does not count. Please answer as yourself, not as the group or a channel.",
  forwarded: () => "A forwarded message is not an answer, so nothing was recorded. Please write it yourself.",
  formFailed: () => "I couldn't open the form, so nothing was recorded. Please press again, or reply in words.",
  pressAgain: () => "I was restarted before I could carry that out, so nothing was recorded. Please press again.",
  wrongPlace: () => "That button belongs to another message, so nothing was recorded. Please use the question's own buttons.",
  secretTyped: () => "Please delete that message. Secrets go through the one-time page only.",
};

const controlWords: Controls = {
  approvals: { approve: "Approve", approve_always: "Always approve", deny: "Deny" },
  denyWhy: "Deny, say why…",
  other: "Other…",
  write: "Write…",
  decline: "Decline",
  send: "Send",
  no: "No",
  choose: "Choose…",
  page: ({ page, pages }) => `Page ${page} of ${pages}`,
  question: ({ code, title }) => line`${code} ${title}`,
  forms: {
    otherTitle: "Your own answer",
    whyTitle: "Deny, and say why",
    writeTitle: "Your answer",
    answerLabel: "Answer",
    whyLabel: "Reason",
    submit: "Send",
  },
};

/** The English table. */
export const en: Words = {
  language: "en",
  typed: {
    approve: ["yes", "y", "approve", "allow", "ok"],
    deny: ["no", "n", "deny", "reject"],
    skip: ["skip"],
    decline: ["cancel", "decline"],
    help: ["help"],
    back: ["back"],
    option: ["option"],
  },
  notices,
  controls: controlWords,
  decisions: { approve: "approve", approve_always: "always approve", deny: "deny", decline: "decline" },
  prompt: {
    frame: ({ agent, people, until, code }) =>
      until === undefined
        ? line`${agent} asks ${asked(people)} · ${code}`
        : line`${agent} asks ${asked(people)} · until ${until} · ${code}`,
    votes: ({ given, needed, by }) =>
      by.length === 0
        ? line`${digits(given)} of ${digits(needed)} approvals`
        : line`${digits(given)} of ${digits(needed)} approvals: ${by.length > NAMES_MAX ? and(by) : by.join(", ")}`,
    repeat: "Shown again (the first may not have arrived)",
    approve: "Approve?",
    help: promptHelp,
  },
  closing,
};
