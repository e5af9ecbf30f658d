/**
 * What the Telegram simulator enforces, each with its source. Checked 2026-12-01.
 * Sources: Bot API = core.telegram.org/bots/api (10.3, 24 August 2026); server = tdlib/telegram-bot-api; platforms.md = section 4.3 there.
 */

/** UTF-16 units of a message's text after parsing. Source: Bot API, sendMessage.text. */
export const TEXT_MAX = 4_096;
/** Bytes of a button's data, at least 1. Source: Bot API, InlineKeyboardButton.callback_data. */
export const CALLBACK_DATA_MAX_BYTES = 64;
/** Characters of a callback's answer. Source: Bot API, answerCallbackQuery.text. */
export const CALLBACK_TEXT_MAX = 200;
/** Characters of a reply box's placeholder. Source: Bot API, ForceReply.input_field_placeholder. */
export const PLACEHOLDER_MAX = 64;
/** Buttons of one keyboard and of one row; undocumented, source: platforms.md ("about 100 buttons, 8 a row"). */
export const KEYBOARD_BUTTONS_MAX = 100;
/** Buttons of one row; same source. */
export const KEYBOARD_ROW_MAX = 8;
/** Entities of one message; the server drops what is beyond. Undocumented, seen by library authors. */
export const ENTITIES_MAX = 100;
/** How long an update is kept. Source: server (callback query 150 s, message 86,400 s; platforms.md, "click lifetime"). */
export const CALLBACK_KEPT_MS = 150_000;
/** How long any other update is kept; same source. */
export const UPDATE_KEPT_MS = 86_400_000;
/** How long a callback may be answered. The server says only "too old"; the apps stop waiting after about this long. */
export const CALLBACK_ANSWER_MS = 15_000;
/** Updates of one getUpdates call, and the longest hold in seconds. Source: Bot API, getUpdates.limit and server (50 s). */
export const UPDATES_LIMIT_MAX = 100;
/** Longest hold of a poll in seconds. Source: server. */
export const POLL_HOLD_MAX_S = 50;
/** Pauses between tries of a webhook grow from the first to the second. Source: server; platforms.md ("60..120 s"). */
export const WEBHOOK_RETRY_MS = 1_000;
/** Longest pause before a webhook is tried again; same source. */
export const WEBHOOK_RETRY_MAX_MS = 60_000;
/** Form of a webhook's secret. Source: Bot API, setWebhook.secret_token. */
export const SECRET_TOKEN_PATTERN = /^[A-Za-z0-9_-]{1,256}$/;
/** Kinds that are delivered only when they are asked for. Source: Bot API, getUpdates.allowed_updates. */
export const ON_REQUEST_KINDS: readonly string[] = ["chat_member", "message_reaction", "message_reaction_count"];
/** The topic every forum has; it is addressed by no thread id (tdlib/telegram-bot-api issues: thread 1 gives "message thread not found"). */
export const GENERAL_TOPIC = 1;
/** Calls kept in `calls`; older ones are dropped. */
export const CALLS_KEPT = 10_000;
