/**
 * What a language has to say: the shape of a message table (design, section 9; api.md, section 7). One file per language fills it.
 *
 * Values are raw text; the table makes them visible and cuts them (sentence.ts). Times come ready from `formatTime`. Notices are at
 * most 200 UTF-16 units for any value; lines of prompts at most 300. No sentence says "press" where there is nothing to press.
 */
import type { Rendered } from "../prompt.js";
import type { ApprovalDecision, Expectation, Hint, TypedWords } from "../reply.js";

/** Who a sentence is about: names as people read them, or everybody. */
export type People = readonly string[] | "anyone";

/** What was answered. `typed`: the person's own words, shown in quotes; otherwise an option's label or a decision's word. */
export type AnswerWords = { readonly text: string; readonly typed: boolean };

/** How a question ended, for closing lines and late notices. `answer` is left out where it is private or secret, `by` never is. */
export type Ending =
  | { readonly kind: "answered"; readonly by: readonly string[]; readonly at: string; readonly answer?: AnswerWords }
  | { readonly kind: "approved"; readonly by: readonly string[]; readonly at: string; readonly always: boolean }
  | { readonly kind: "denied" | "declined"; readonly by: readonly string[]; readonly at: string; readonly note?: string }
  | { readonly kind: "expired" | "undelivered"; readonly at: string }
  | { readonly kind: "withdrawn"; readonly agent: string; readonly at: string; readonly reason?: string }
  | { readonly kind: "run_ended"; readonly agent: string; readonly at: string };

/** A reply that could not be taken, and what was asked. `controls`: what stands under the prompt, so that the hint fits it. */
export type Misread = {
  readonly hint: Hint;
  readonly reply: string;
  readonly expectation: Expectation;
  readonly controls: Rendered["controls"];
};

/** What a prompt's help line must know besides what was rendered. `typed`: may a typed reply answer it? */
export type HelpAbout = { readonly expectation: Expectation; readonly typed: boolean };

/** Short messages about one input, to the one who pressed or typed. */
export type Notices = {
  readonly taken: (answer: AnswerWords) => string;
  readonly counted: (vote: { readonly decision: string; readonly given: number; readonly needed: number }) => string;
  readonly alreadyYours: (answer: AnswerWords) => string;
  /** To a person of the audience, after the end. */
  readonly late: (ending: Ending) => string;
  readonly unknown: () => string;
  readonly notYou: (about: { readonly people: People }) => string;
  readonly whichQuestion: (about: { readonly count: number; readonly reply: string }) => string;
  readonly hint: (misread: Misread) => string;
  /** The answer to a typed `help`. */
  readonly help: (expectation: Expectation) => string;
  /** A loosely bound reply before it counts; below it stand Send and No. */
  readonly shownBack: (about: { readonly reply: string }) => string;
  /** After No. */
  readonly notSent: () => string;
  readonly cannotSave: () => string;
  /** Membership could not be read again (R13). */
  readonly cannotCheck: () => string;
  readonly checking: (about: { readonly answer: string }) => string;
  readonly unconfirmed: (about: { readonly answer: string }) => string;
  readonly runOver: (about: { readonly agent: string }) => string;
  /** Typed text for a question that takes controls only (R15). */
  readonly controlsOnly: () => string;
  readonly media: () => string;
  /** A message whose text the platform does not give us (Discord without the message content intent). */
  readonly emptyMessage: (about: { readonly bot: string }) => string;
  readonly anonymous: () => string;
  readonly forwarded: () => string;
  readonly formFailed: () => string;
  /** The press was stored but its handle died before it could be carried on (R33). */
  readonly pressAgain: () => string;
  /** A press on a message that its token was not made for (R24). */
  readonly wrongPlace: () => string;
  readonly secretTyped: () => string;
};

/** Words on and around controls. Form titles are at most 24 characters (Slack's modal title is the tightest). */
export type Controls = {
  readonly approvals: Readonly<Record<ApprovalDecision, string>>;
  readonly denyWhy: string;
  readonly other: string;
  readonly write: string;
  readonly decline: string;
  readonly send: string;
  readonly no: string;
  /** The placeholder of a menu. */
  readonly choose: string;
  readonly page: (about: { readonly page: number; readonly pages: number }) => string;
  /** One of the choices under `whichQuestion`. */
  readonly question: (about: { readonly code: string; readonly title: string }) => string;
  readonly forms: {
    readonly otherTitle: string;
    readonly whyTitle: string;
    readonly writeTitle: string;
    readonly answerLabel: string;
    readonly whyLabel: string;
    readonly submit: string;
  };
};

/** One language's table. */
export type Words = {
  /** BCP 47, as in the config and in `formatTime`. */
  readonly language: string;
  readonly typed: TypedWords;
  readonly notices: Notices;
  readonly controls: Controls;
  /** Decisions in the middle of a sentence: `Recorded: approve.` */
  readonly decisions: Readonly<Record<ApprovalDecision | "decline", string>>;
  readonly prompt: {
    /** `ci asks Alice, Bob · until 16:03 CET · K7QM`. `until` is left out where there is no deadline. */
    readonly frame: (about: { readonly agent: string; readonly people: People; readonly until?: string; readonly code: string }) => string;
    readonly votes: (about: { readonly given: number; readonly needed: number; readonly by: readonly string[] }) => string;
    readonly repeat: string;
    /** What stands before an approval's text. */
    readonly approve: string;
    /** Empty where there is neither something to press nor a typed reply. */
    readonly help: (rendered: Rendered, about: HelpAbout) => string;
  };
  readonly closing: (ending: Ending) => string;
};
