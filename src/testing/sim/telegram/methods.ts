/** The Bot API's methods as the product uses them. Each refusal is in the server's own words; a comment names the source where not the Bot API. */
import { CALLBACK_TEXT_MAX, GENERAL_TOPIC, SECRET_TOKEN_PATTERN } from "./limits.js";
import { type Content, type Markup, parseContent, parseMarkup } from "./markup.js";
import { type Chat, type Message, type World, wireChat, wireMessage } from "./state.js";
import type { Updates } from "./updates.js";
import { badRequest, forbidden, type Json, tooManyRequests } from "./wire.js";

/** A press that waits for its answer. */
export type Callback = {
  readonly id: string;
  readonly message: Message;
  readonly userId: number;
  readonly atMs: number;
  /** Set once: a second answer is refused. */
  answered: boolean;
  readonly done: (word: string | undefined) => void;
};

/** What a method may use. */
export type MethodContext = {
  readonly world: World;
  readonly updates: Updates;
  readonly callbacks: Map<string, Callback>;
  readonly now: () => number;
  readonly callbackAnswerMs: number;
  readonly privacyMode: boolean;
  readonly groupPerMinute: number;
  readonly changed: () => void;
  /** Resolves when the caller's connection has closed. */
  readonly gone: Promise<void>;
};

type Method = (context: MethodContext, body: Json) => unknown;

const text = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** Finds the chat of a call and whether the bot may act in it. */
function chatOf({ world }: MethodContext, body: Json, { write }: { readonly write: boolean }): Chat {
  const wanted = text(body["chat_id"]);
  if (wanted === "") throw badRequest("chat_id is empty");
  const chat = wanted.startsWith("@")
    ? [...world.chats.values()].find(({ username }) => username !== undefined && `@${username}` === wanted)
    : world.chats.get(Number(wanted));
  if (chat === undefined) throw badRequest("chat not found");
  if (chat.migratedTo !== undefined) {
    throw badRequest("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: chat.migratedTo });
  }
  if (write && chat.shut !== undefined) throw forbidden(chat.shut);
  return chat;
}

/** The topic of a send. The General topic is addressed without the parameter (tdlib/telegram-bot-api: thread 1 is not found). */
function topicOf(chat: Chat, body: Json): number | undefined {
  const id = body["message_thread_id"];
  if (id === undefined) return undefined;
  const topic = chat.topics.get(Number(id));
  if (topic === undefined || Number(id) === GENERAL_TOPIC) throw badRequest("message thread not found");
  if (topic.closed) throw badRequest("TOPIC_CLOSED");
  return topic.id;
}

function replyTo({ world }: MethodContext, chat: Chat, body: Json): number | undefined {
  const { message_id, allow_sending_without_reply } = (body["reply_parameters"] ?? {}) as Json;
  if (message_id === undefined) return undefined;
  if (world.message(chat, Number(message_id)) !== undefined) return Number(message_id);
  if (allow_sending_without_reply === true) return undefined;
  throw badRequest("message to be replied not found");
}

/** Advice of the FAQ (20 a minute in a group); enforced only when the test sets it, as the real limits are unstated. */
function countRate({ world, now, groupPerMinute }: MethodContext, chat: Chat): void {
  if (chat.type === "private") return;
  const own = chat.messages.filter(({ from, atMs }) => from.id === world.bot.id && atMs > now() - 60_000);
  const oldest = own[0];
  if (oldest !== undefined && own.length >= groupPerMinute) throw tooManyRequests(Math.ceil((oldest.atMs + 60_000 - now()) / 1_000));
}

function sendMessage(context: MethodContext, body: Json): unknown {
  const { world, now, changed } = context;
  const chat = chatOf(context, body, { write: true });
  const topic = topicOf(chat, body);
  const content = parseContent(body, "message is too long");
  const { keyboard, box } = parseMarkup(body["reply_markup"]);
  const replied = replyTo(context, chat, body);
  countRate(context, chat);
  const message = world.put({
    chat,
    from: world.bot,
    atMs: now(),
    ...content,
    keyboard,
    ...(box === undefined ? {} : { box }),
    ...(topic === undefined ? {} : { topic }),
    ...(replied === undefined ? {} : { replyTo: replied }),
    extra: {},
  });
  changed();
  return wireMessage(world, message);
}

/** The bot's own message of an edit. A message with a reply box can't be edited (tdlib, can_edit_message). */
function editable(context: MethodContext, body: Json): Message {
  const chat = chatOf(context, body, { write: true });
  const message = context.world.message(chat, Number(body["message_id"]));
  if (message === undefined) throw badRequest("message to edit not found");
  if (message.from.id !== context.world.bot.id || message.box !== undefined) throw badRequest("message can't be edited");
  return message;
}

function edit(
  context: MethodContext,
  message: Message,
  { content, markup }: { readonly content: Content; readonly markup: Markup },
): unknown {
  if (markup.box !== undefined) throw badRequest("inline keyboard expected");
  const { keyboard } = markup;
  const forced = message.keyboard?.force_reply === true;
  const same =
    JSON.stringify([content, keyboard?.inline_keyboard]) === JSON.stringify([contentOf(message), message.keyboard?.inline_keyboard]);
  if (same) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  message.text = content.text;
  message.entities = content.entities;
  // Bot API 10.3: the value of force_reply can't be changed by an edit.
  message.keyboard =
    keyboard === undefined ? undefined : { inline_keyboard: keyboard.inline_keyboard, ...(forced ? { force_reply: true } : {}) };
  message.editedAtMs = context.now();
  context.changed();
  return wireMessage(context.world, message);
}

const contentOf = ({ text: shown, entities }: Message): Content => ({ text: shown, entities });

function editMessageText(context: MethodContext, body: Json): unknown {
  const message = editable(context, body);
  return edit(context, message, { content: parseContent(body, "MESSAGE_TOO_LONG"), markup: parseMarkup(body["reply_markup"]) });
}

function editMessageReplyMarkup(context: MethodContext, body: Json): unknown {
  const message = editable(context, body);
  return edit(context, message, { content: contentOf(message), markup: parseMarkup(body["reply_markup"]) });
}

function deleteMessage(context: MethodContext, body: Json): unknown {
  const chat = chatOf(context, body, { write: true });
  const index = chat.messages.findIndex(({ id }) => id === Number(body["message_id"]));
  const message = chat.messages[index];
  if (message === undefined) throw badRequest("message to delete not found");
  // Bot API, deleteMessage: within 48 hours; others' messages only in private chats (or as admin).
  const own = message.from.id === context.world.bot.id;
  if ((!own && chat.type !== "private") || context.now() - message.atMs > 172_800_000) throw badRequest("message can't be deleted");
  chat.messages.splice(index, 1);
  context.changed();
  return true;
}

function answerCallbackQuery({ callbacks, now, callbackAnswerMs, world, changed }: MethodContext, body: Json): unknown {
  const callback = callbacks.get(text(body["callback_query_id"]));
  if (callback === undefined || callback.answered || now() - callback.atMs > callbackAnswerMs) {
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  }
  const word = body["text"] === undefined ? undefined : text(body["text"]);
  if ((word?.length ?? 0) > CALLBACK_TEXT_MAX) throw badRequest("MESSAGE_TOO_LONG");
  callback.answered = true;
  if (word !== undefined && word !== "") {
    const { chat, topic } = callback.message;
    const place = topic === undefined ? {} : { topic };
    world.words.push({ id: `callback:${callback.id}`, chat, ...place, userId: callback.userId, text: word, atMs: now() });
  }
  callback.done(word === "" ? undefined : word);
  changed();
  return true;
}

function getChat(context: MethodContext, body: Json): unknown {
  const chat = chatOf(context, body, { write: false });
  if (chat.type !== "private" && chat.shut !== undefined) throw forbidden(chat.shut);
  return { ...wireChat(chat), accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: {} };
}

function getChatMember(context: MethodContext, body: Json): unknown {
  const { world } = context;
  const chat = chatOf(context, body, { write: false });
  const userId = Number(body["user_id"]);
  if (chat.shut !== undefined) throw forbidden(chat.shut);
  if (userId === world.bot.id) return { status: "member", user: world.bot };
  const user = world.users.get(userId);
  if (user === undefined) throw badRequest("user not found");
  return { status: chat.members.has(userId) ? "member" : "left", user };
}

function setWebhook({ updates }: MethodContext, body: Json): unknown {
  const url = text(body["url"]);
  const secret = body["secret_token"];
  // Deviation: the real one takes HTTPS only; the simulator also takes plain HTTP on loopback.
  if (url !== "" && !/^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/.test(url))
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  if (secret !== undefined && !SECRET_TOKEN_PATTERN.test(text(secret))) throw badRequest("secret token contains unallowed characters");
  updates.allow(body["allowed_updates"]);
  const webhook = url === "" ? undefined : { url, secret: secret === undefined ? undefined : text(secret) };
  updates.setWebhook(webhook, { drop: body["drop_pending_updates"] === true });
  return true;
}

/** All methods by name; any other is 404 as on the real server. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "getMe",
    ({ world, privacyMode }) => ({
      ...world.bot,
      can_join_groups: true,
      can_read_all_group_messages: !privacyMode,
      supports_inline_queries: false,
    }),
  ],
  ["getUpdates", ({ updates, gone }, body) => updates.poll(body, gone)],
  ["setWebhook", setWebhook],
  [
    "deleteWebhook",
    ({ updates }, body) => {
      updates.setWebhook(undefined, { drop: body["drop_pending_updates"] === true });
      return true;
    },
  ],
  [
    "getWebhookInfo",
    ({ updates }) => ({
      url: updates.webhook?.url ?? "",
      has_custom_certificate: false,
      pending_update_count: updates.pending.length,
      ...(updates.lastError === undefined ? {} : { last_error_message: updates.lastError }),
    }),
  ],
  ["sendMessage", sendMessage],
  ["editMessageText", editMessageText],
  ["editMessageReplyMarkup", editMessageReplyMarkup],
  ["deleteMessage", deleteMessage],
  ["answerCallbackQuery", answerCallbackQuery],
  ["getChat", getChat],
  ["getChatMember", getChatMember],
]);
