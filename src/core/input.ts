/**
 * Inputs: one inbound event of a platform in our words. Made by an adapter's pure `inbound`, stored by the host
 * before the platform is told that it arrived (R22), known by the platform's own identity (R21).
 */
import type { ChannelKind } from "./place.js";

/** Who pressed or typed, from the verified platform payload only (R12). */
export type Sender = {
  readonly userId: string;
  /** The name the platform shows; untrusted text. */
  readonly name: string;
};

/** A message on the platform. `order` compares as text: a later message of one conversation has the greater one. */
export type MessageRef = { readonly id: string; readonly order: string };

type Common = {
  /**
   * The platform's own identity of this event, unique within the account (R21): Slack message `team/channel/ts`, press
   * `team/user/message ts/action_id/action_ts`, modal `view id/hash`; Discord message id or interaction id; Telegram `chat/message id`
   * or callback query id.
   */
  readonly id: string;
  /**
   * Further identity under which a repeat may come (Telegram: same person, message and data within a minute, even with a new
   * callback id). Two inputs with one `alias` are one when they arrive within 60 s.
   */
  readonly alias?: string;
  readonly account: string;
  readonly channel: ChannelKind;
  readonly conversation: string;
  readonly thread?: string;
  /** A conversation of this one person with the bot. */
  readonly direct: boolean;
  readonly sender: Sender;
  /** Opaque, at most 2,000 characters: what the adapter needs to answer this very event in private (response_url, interaction token, callback id). */
  readonly handle?: string;
};

/** A button pressed or a menu entry chosen. `token` is what the control carried; `message` is where it stood. */
export type Press = Common & {
  readonly kind: "press";
  readonly token: string;
  readonly message: MessageRef;
  /** Chosen from a menu; absent: a button. */
  readonly from?: "menu";
  /** Set by the host alone: the press settles a text that was shown back or waited for "which one?". */
  readonly confirms?: { readonly aside: string; readonly text: string };
};
/** A modal sent. `token` is that of the control which opened it; `values` by field key, as typed. */
export type Submit = Common & { readonly kind: "submit"; readonly token: string; readonly values: Readonly<Record<string, string>> };
/**
 * A typed message. `replyTo`: the message it answers, where the platform says so. `answers`: the same message with a control's token
 * that stands on it, where the platform shows that: it proves whose prompt it is even when the send's response was lost (R24).
 */
export type Typed = Common & {
  readonly kind: "text";
  readonly text: string;
  readonly message: MessageRef;
  readonly replyTo?: string;
  readonly answers?: { readonly message: MessageRef; readonly token: string };
};
/** A message that can never be an answer (section 8): it may earn one hint when it replies to a prompt, and changes nothing. */
export type Unreadable = Common & {
  readonly kind: "unreadable";
  readonly why: "media" | "forwarded" | "anonymous" | "empty";
  readonly message: MessageRef;
  readonly replyTo?: string;
  /** Several messages of one album share it: one hint for all. */
  readonly album?: string;
};

/** One inbound event, told apart by `kind`. Kept with its text until it is settled, then by its identity alone (R22). */
export type Input = Press | Submit | Typed | Unreadable;
