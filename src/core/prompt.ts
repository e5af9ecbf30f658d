/**
 * The prompt as every channel gets it: what to show, in words already chosen, without a word of any platform.
 * Adapters turn it into messages (their pure `outbound`); they decide only between buttons, menu, pages and numbers.
 *
 * P1  All text here is already made visible (R28: `visible`), so an adapter only escapes its own mark-up, once.
 * P2  `frame` lines are ours; `text`, `subject`, option labels are the agent's: an adapter quotes or boxes the agent's text so
 *     that it cannot imitate the frame.
 * P3  The subject is never cut (R27): what does not fit goes to further messages before the one with the controls.
 */
import type { SubjectType } from "./question.js";

/** A run of text in one style. Line breaks are "\n" inside `text`. `link` is an https address. */
export type RichSpan = {
  readonly text: string;
  readonly bold?: true;
  readonly italic?: true;
  /** `inline`: within a line; `block`: a fenced block of its own. */
  readonly code?: "inline" | "block";
  readonly link?: string;
};
/** Text as runs in reading order; joined, their texts are the whole. Already visible (P1), not yet escaped for any platform. */
export type RichText = readonly RichSpan[];

/** One option as a person picks it, by its button, menu entry or number. `label` is the agent's text (P2). */
export type OptionView = {
  /** From 1, global over pages (B062). */
  readonly ordinal: number;
  readonly label: string;
  readonly description?: string;
  readonly token: string;
};

/** A button beside the options. `opensForm`: pressing it opens a modal (Telegram: a forced reply). */
export type ControlView = {
  readonly token: string;
  readonly label: string;
  readonly style: "default" | "primary" | "danger";
  readonly opensForm: boolean;
};

/** One prompt, open or ended, in full: an adapter needs nothing else to draw it, and a view always makes the same messages. */
export type PromptView = {
  /** The question's id, for metadata and logs; people read `code`. */
  readonly question: string;
  readonly code: string;
  readonly title?: string;
  readonly text: RichText;
  readonly subject?: { readonly type: SubjectType; readonly body: string };
  readonly options: readonly OptionView[];
  /** Which page of the options a paging adapter draws, from 0. */
  readonly page: number;
  /** Tokens for turning pages, by page number; empty when there are no options. */
  readonly pageTokens: readonly string[];
  /** The token of a menu that holds the options. */
  readonly menuToken: string;
  readonly controls: readonly ControlView[];
  /** May a typed reply answer it? `open`: one open text field, so Telegram opens the reply box at once. */
  readonly typed: "no" | "yes" | "open";
  /** Ready lines above the controls, ours: who asks whom until when (first), votes so far. */
  readonly frame: readonly string[];
  /** First line of a repeated prompt ("Shown again …"), when this copy is one. */
  readonly repeat?: string;
  /** Open: `help` builds the help line from what was really rendered. Ended: the closing line; no controls. */
  readonly state:
    | { readonly kind: "open"; readonly help: (rendered: Rendered) => string }
    | { readonly kind: "ended"; readonly line: string };
};

/** What an adapter rendered, so that the help never speaks of buttons that are not there (O11). */
export type Rendered = {
  readonly controls: "buttons" | "menu" | "none";
  /** How a typed reply is bound here: in a thread under the prompt, by replying to it, by a reply
   * that mentions the bot (Discord without the message content intent), by just writing (direct chat), in the box that is open. */
  readonly reply: "thread" | "reply" | "mention" | "write" | "box";
};

/** A form to open at once: a modal, or a forced reply where there are none. */
export type FormView = {
  /** Goes back with the submission: the token of the control that opened it. */
  readonly token: string;
  readonly title: string;
  readonly submitLabel: string;
  readonly fields: readonly FormFieldView[];
};

/** One text input of a form. Lengths in UTF-16 units; `prefill` stands in it when it opens. */
export type FormFieldView = {
  readonly key: string;
  readonly label: string;
  readonly help?: string;
  readonly multiline: boolean;
  readonly required: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly prefill?: string;
};
