/**
 * Places: the address of a conversation, written `account:conversation[/thread]`.
 *
 * An account's name holds no colon; a conversation's id holds no slash (true of all three platforms).
 * `slack:#releases` names a channel before it is looked up; adapters turn it into an id at start or at ask.
 */
export type ChannelKind = "slack" | "discord" | "telegram";

/** Where a conversation is. Parts as text, never parsed further outside the platform's adapter. */
export type Place = {
  /** The bot's account in the config. */
  readonly account: string;
  /** The platform's id of the channel or chat, as text; or `#name` before it is looked up. */
  readonly conversation: string;
  /** Slack: `thread_ts` of the parent. Discord: the thread's channel id (conversation = its parent). Telegram: the topic's id. */
  readonly thread?: string;
};

const PLACE = /^([A-Za-z][A-Za-z0-9_-]*):([^\s/]+)(?:\/([^\s/]+))?$/;

/** Reads `account:conversation[/thread]`; undefined when the text is not a place (it may then be a name). */
export function parsePlace(text: string): Place | undefined {
  const [, account, conversation, thread] = PLACE.exec(text) ?? [];
  if (account === undefined || conversation === undefined) return undefined;
  return thread === undefined ? { account, conversation } : { account, conversation, thread };
}

/** Writes `account:conversation[/thread]`; `parsePlace` reads it back. */
export function formatPlace({ account, conversation, thread }: Place): string {
  return `${account}:${conversation}${thread === undefined ? "" : `/${thread}`}`;
}
