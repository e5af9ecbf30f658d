/**
 * What Discord takes and how it refuses: the numbers and error codes this adapter goes by.
 *
 * Source unless said otherwise: discord-api-docs (Message Resource, Components Reference, Receiving and Responding, Opcodes and
 * Status Codes), checked 2026-12-01. The platform counts code points; everything here is kept within the limit in UTF-16 units,
 * which are never fewer, because discord.js's own validators count those.
 */
import type { DeliveryCode } from "../../../src/ports/channel.js";

/** Characters of a message's `content`. */
export const CONTENT_MAX = 2_000;
/** Buttons in one row. */
export const ROW_BUTTONS_MAX = 5;
/** Entries of one select menu. */
export const SELECT_OPTIONS_MAX = 25;
/** Options up to this many are buttons, more are select menus: a row of five reads well on a phone. */
export const BUTTON_OPTIONS_MAX = 5;
/** Characters of a button's label. */
export const BUTTON_LABEL_MAX = 80;
/** Characters of a menu entry's label and of its description. */
export const SELECT_TEXT_MAX = 100;
/** Characters of a modal's title. */
export const MODAL_TITLE_MAX = 45;
/** Characters of a field's label. */
export const FIELD_LABEL_MAX = 45;
/** Characters of the words below a field's label. */
export const FIELD_DESCRIPTION_MAX = 100;
/** Characters of a field's placeholder. */
export const FIELD_PLACEHOLDER_MAX = 100;
/** Characters of a field's value. */
export const FIELD_VALUE_MAX = 4_000;
/** Fields of one modal. */
export const MODAL_FIELDS_MAX = 5;

/** Message flag: no link previews. Source: Message Resource, "Message Flags". */
export const FLAG_SUPPRESS_EMBEDS = 1 << 2;
/** Message flag: seen only by the one who pressed. */
export const FLAG_EPHEMERAL = 1 << 6;
/** A message from which a thread was started. */
export const FLAG_HAS_THREAD = 1 << 5;

/** Life of an interaction token, minus half a minute for the way. Source: Receiving and Responding. */
export const HANDLE_LIFE_MS = 15 * 60_000 - 30_000;
/** A form must be the first answer, within 3 s; what takes longer than this is put off with a bare acknowledgement (cases/platforms.md, rule 1). */
export const FORM_WAIT_MS = 2_000;
/** Milliseconds of the year 2015, from which snowflakes count. Source: Reference, "Snowflakes". */
export const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** Gateway intents. Source: Gateway, "List of Intents". */
export const INTENTS = { guilds: 1, guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 } as const;
/** The application's flags that say the message content intent is on: for verified bots, and for those below the review limit. */
export const FLAGS_MESSAGE_CONTENT = (1 << 18) | (1 << 19);

/** Close codes after which the gateway will not have us, whatever we do. Source: "Gateway Close Event Codes". */
export const FATAL_CLOSES: ReadonlyMap<number, { readonly reason: string; readonly remedy: string }> = new Map([
  [4004, { reason: "the token was refused", remedy: "copy the bot token again from the Developer Portal (Bot, Reset Token)" }],
  [4010, { reason: "the shard was refused", remedy: "report this" }],
  [
    4011,
    { reason: "the bot is in too many servers for one connection", remedy: "remove it from servers, or run one bot per group of servers" },
  ],
  [4012, { reason: "the gateway version was refused", remedy: "update handraise" }],
  [4013, { reason: "the intents were refused as invalid", remedy: "update handraise" }],
  [
    4014,
    {
      reason: "the message content intent is not switched on",
      remedy: "switch on Message Content Intent in the Developer Portal (Bot), or set messageContent: false",
    },
  ],
]);
/** Close codes after which the session cannot be resumed; after all others it may. 1000 and 1001 end it on either side. */
export const SESSION_ENDING_CLOSES: ReadonlySet<number> = new Set([1000, 1001, 4003, 4005, 4007]);

/** Refusals of a place or person for good, by JSON error code. Source: "JSON Error Codes". */
export const REFUSALS: ReadonlyMap<number, { readonly code: DeliveryCode; readonly message: string }> = new Map([
  [10003, { code: "not_found", message: "the channel does not exist" }],
  [10004, { code: "not_found", message: "the server does not exist" }],
  [10008, { code: "not_found", message: "the message does not exist" }],
  [10013, { code: "not_found", message: "the user does not exist" }],
  [40333, { code: "rejected", message: "the request was blocked on its way" }],
  [50001, { code: "not_member", message: "the bot cannot see the channel" }],
  [50007, { code: "blocked", message: "the person does not take direct messages from the bot" }],
  [50278, { code: "blocked", message: "the person shares no server with the bot" }],
  [50013, { code: "forbidden", message: "the bot's role may not do this here" }],
  [50033, { code: "not_found", message: "the user cannot be written to" }],
  [50083, { code: "archived", message: "the thread is archived" }],
  [160005, { code: "archived", message: "the thread is locked" }],
  [200000, { code: "rejected", message: "the server's automatic moderation blocked it" }],
]);

/** Of a form refused with 50035: this leaf code says that something was too long. */
export const TOO_LONG_LEAVES: ReadonlySet<string> = new Set(["BASE_TYPE_MAX_LENGTH", "BASE_TYPE_BAD_LENGTH", "MAX_EMBED_SIZE_EXCEEDED"]);
/** The interaction is over, or was answered already: its token gives nothing more. */
export const DEAD_HANDLES: ReadonlySet<number> = new Set([10015, 10062, 40060, 40094, 50027]);
/** What a drawing has left to draw on: nothing. */
export const GONE: ReadonlySet<number> = new Set([10003, 10008, 50001, 50005, 50083, 160005]);
/** Too many edits of a message older than an hour: wait this long. The platform states no time. */
export const EDIT_PAUSE_MS = 60_000;
