/**
 * Telegram's numbers and what its refusals mean. Checked 2026-12-01 against Bot API 10.3 (core.telegram.org/bots/api, "Bot API") and
 * the server's source (tdlib/telegram-bot-api, "server").
 */
import type { DeliveryCode } from "../../../src/ports/channel.js";

/** UTF-16 units of a message's text after parsing. Source: Bot API, sendMessage.text. */
export const TEXT_MAX = 4_096;
/** Entities the server keeps per message; those beyond are dropped without a word. Undocumented, seen by library authors. */
export const ENTITIES_MAX = 100;
/** Characters of a callback's answer. Source: Bot API, answerCallbackQuery.text. */
export const CALLBACK_TEXT_MAX = 200;
/** Characters of a reply box's placeholder. Source: Bot API, ForceReply.input_field_placeholder. */
export const PLACEHOLDER_MAX = 64;
/** UTF-16 units of a button's label as we draw it. Telegram states no limit; the apps show about this much on two lines. */
export const LABEL_MAX = 64;
/** Options drawn as buttons of one page. Keyboards hold about 100 buttons (undocumented); this leaves room and stays readable. */
export const PAGE_OPTIONS_MAX = 40;
/** Updates taken by one poll. Source: Bot API, getUpdates.limit. */
export const UPDATES_MAX = 100;
/** The updates we ask for; all others are none of our business (B192). Source: Bot API, getUpdates.allowed_updates. */
export const ALLOWED_UPDATES = ["message", "callback_query"] as const;
/** The topic every forum has. A send addresses it by leaving the thread out (B080; server: "message thread not found" for 1). */
export const GENERAL_TOPIC = "1";
/** Form of a webhook's secret. Source: Bot API, setWebhook.secret_token. */
export const SECRET_TOKEN_PATTERN = /^[A-Za-z0-9_-]{1,256}$/;

/**
 * Accounts behind which stand many people (B120): anonymous group admins, linked channels, the service account.
 * Source: Bot API, Message.sender_chat ("GroupAnonymousBot", "Channel_Bot") and Telegram's service id.
 */
export const SHARED_ACCOUNTS: ReadonlyMap<number, string> = new Map([
  [1_087_968_824, "every anonymous group admin"],
  [136_817_688, "every channel that writes in a group"],
  [777_000, "Telegram's own service messages and linked channels"],
]);

/** What a refused call means for its message or place. `not_modified`, `no_message`, … are worked off by the caller. */
export type RefusalKind =
  | DeliveryCode
  | "not_modified"
  | "no_message"
  | "not_editable"
  | "too_old"
  | "bad_entities"
  | "bad_keyboard"
  | "no_reply_target";

/**
 * Telegram gives 400 for many things and no finer code, so a 400 is told apart by the server's constant words. What is not listed is
 * `rejected`; all other codes are judged by the code alone (B095). Source: server, Client.cpp and tdlib, as seen 2026-12-01.
 */
const WORDS_OF_400: readonly (readonly [RegExp, RefusalKind])[] = [
  [/message is not modified/i, "not_modified"],
  [/message to edit not found|MESSAGE_ID_INVALID/i, "no_message"],
  [/message can't be edited|MESSAGE_EDIT_TIME_EXPIRED/i, "not_editable"],
  [/query is too old|query ID is invalid|QUERY_ID_INVALID/i, "too_old"],
  [/message is too long|MESSAGE_TOO_LONG/i, "too_long"],
  [/parse entities|parse MessageEntity|\bentity\b|ENTITY_/i, "bad_entities"],
  [/BUTTON_|keyboard|reply markup|REPLY_MARKUP/i, "bad_keyboard"],
  [/message to be replied not found|replied message not found/i, "no_reply_target"],
  [/message thread not found|TOPIC_DELETED|chat not found|user not found|PEER_ID_INVALID|CHAT_ID_INVALID|USERNAME_/i, "not_found"],
  [/TOPIC_CLOSED/i, "archived"],
  [/not enough rights|no rights|CHAT_WRITE_FORBIDDEN|CHAT_ADMIN_REQUIRED|CHAT_RESTRICTED|CHAT_SEND_PLAIN_FORBIDDEN/i, "forbidden"],
];

/** What a refusal means. `direct`: it came from a private chat, where a 403 says that this person does not want the bot (B094). */
export function refusalKind({ code, description }: { readonly code: number; readonly description: string }, direct: boolean): RefusalKind {
  switch (code) {
    case 400:
      return WORDS_OF_400.find(([words]) => words.test(description))?.[1] ?? "rejected";
    case 401:
    case 404: // the token is not one: the method's path does not exist
      return "unauthenticated";
    case 403:
      return direct ? "blocked" : "not_member";
    case 429:
      return "rate_limited";
    default:
      return code >= 500 ? "unreachable" : "rejected";
  }
}
