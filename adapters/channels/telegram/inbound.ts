/**
 * Telegram's updates to inputs. Pure: the payload is parsed with zod where it is read, anything else in it is ignored.
 *
 * IN1  What a bot wrote is nothing (B151); what stands for many people is unreadable `anonymous` (B120).
 * IN2  Edits are nothing: the text at first delivery counts (B149).
 * IN3  A thread id is a topic only with `is_topic_message`; others come from replies (B079, O27).
 * IN4  In a topic, the message that opened it is no reply target although Telegram sends it as one.
 */
import { z } from "zod";
import type { Input, MessageRef, Press, Typed, Unreadable } from "../../../src/core/input.js";
import { SHARED_ACCOUNTS } from "./limits.js";

const user = z.object({
  id: z.int(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(""),
  last_name: z.string().optional(),
  username: z.string().optional(),
});
const chat = z.object({ id: z.int(), type: z.string() });
const present = z.unknown().optional();

const repliedTo = z.object({ message_id: z.int(), from: user.optional(), forum_topic_created: present, reply_markup: present });
/** The first button's data of a message that is replied to: it comes with its keyboard (platforms.md 4.3, "reply"). */
const keyboard = z.object({ inline_keyboard: z.array(z.array(z.object({ callback_data: z.string().optional() }))) });
const message = z.object({
  message_id: z.int(),
  chat,
  from: user.optional(),
  sender_chat: present,
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  reply_to_message: repliedTo.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  media_group_id: z.string().optional(),
  forward_origin: present,
  forward_date: present,
  is_automatic_forward: z.boolean().optional(),
  via_bot: present,
  migrate_to_chat_id: z.int().optional(),
  migrate_from_chat_id: z.int().optional(),
});
type Message = z.output<typeof message>;

const callbackQuery = z.object({
  id: z.string(),
  from: user,
  data: z.string().optional(),
  // An old message comes without its content (Bot API, InaccessibleMessage): everything we need is in `data`.
  message: z
    .object({ message_id: z.int(), chat, message_thread_id: z.int().optional(), is_topic_message: z.boolean().optional() })
    .optional(),
});
const updateSchema = z.object({ update_id: z.int(), message: present, callback_query: present });

/** Kinds of content without text that may stand where an answer was expected (B148). Source: Bot API, fields of Message. */
const MEDIA = [
  "voice audio video video_note animation photo live_photo sticker document poll location venue contact dice story checklist",
  "paid_media game giveaway",
].flatMap((line) => line.split(" "));

/** What one update means to us. */
export type Inbound =
  | { readonly kind: "input"; readonly input: Press | Typed | Unreadable; readonly repliesToBot: boolean }
  | { readonly kind: "moved"; readonly from: string; readonly to: string }
  | { readonly kind: "nothing" };

const NOTHING: Inbound = { kind: "nothing" };

/** The id of an update: everything below the next poll's offset counts as received. Undefined when it is no update at all. */
export function updateId(payload: unknown): number | undefined {
  const parsed = updateSchema.safeParse(payload);
  return parsed.success ? parsed.data.update_id : undefined;
}

/** The chat an update belongs to: updates of one chat keep their order. "" when it has none. */
export function updateChat(payload: unknown): string {
  const place = z.object({ chat });
  const parsed = updateSchema.safeParse(payload);
  if (!parsed.success) return "";
  const found = place.safeParse(parsed.data.message);
  if (found.success) return String(found.data.chat.id);
  const pressed = callbackQuery.safeParse(parsed.data.callback_query);
  return pressed.success && pressed.data.message !== undefined ? String(pressed.data.message.chat.id) : "";
}

/** Order of messages within a chat: ids only grow, so padded they compare as text. */
export function messageOrder(messageId: number): string {
  return String(messageId).padStart(16, "0");
}

/** Reads one update. Kinds and shapes that are not ours give `nothing` (B192). */
export function inbound(payload: unknown, { account, botId }: { readonly account: string; readonly botId: number }): Inbound {
  const update = updateSchema.safeParse(payload);
  if (!update.success) return NOTHING;
  if (update.data.callback_query !== undefined) return pressOf(update.data.callback_query, account);
  if (update.data.message === undefined) return NOTHING; // IN2: edited_message is another field
  const parsed = message.safeParse(update.data.message);
  if (!parsed.success) return NOTHING;
  const moved = movedBy(parsed.data);
  return moved ?? inputOf(parsed.data, update.data.message, { account, botId });
}

function movedBy({ chat: { id }, migrate_to_chat_id, migrate_from_chat_id }: Message): Inbound | undefined {
  if (migrate_to_chat_id !== undefined) return { kind: "moved", from: String(id), to: String(migrate_to_chat_id) };
  if (migrate_from_chat_id !== undefined) return { kind: "moved", from: String(migrate_from_chat_id), to: String(id) };
  return undefined;
}

function pressOf(payload: unknown, account: string): Inbound {
  const parsed = callbackQuery.safeParse(payload);
  if (!parsed.success) return NOTHING;
  const { id, from, data, message: pressed } = parsed.data;
  if (data === undefined || pressed === undefined || from.is_bot || SHARED_ACCOUNTS.has(from.id)) return NOTHING;
  const input: Press = {
    kind: "press",
    id,
    // A repeated tap may come with a new query id: same person, message and data (R21).
    alias: `${pressed.chat.id}/${pressed.message_id}/${from.id}/${data}`,
    handle: id,
    token: data,
    message: { id: String(pressed.message_id), order: messageOrder(pressed.message_id) },
    ...placeOf(pressed, account),
    sender: { userId: String(from.id), name: nameOf(from) },
  };
  return { kind: "input", input, repliesToBot: false };
}

function inputOf(sent: Message, raw: unknown, { account, botId }: { readonly account: string; readonly botId: number }): Inbound {
  const { from, message_id } = sent;
  const why = unreadableBecause(sent, raw);
  if (from === undefined || why === "nothing") return NOTHING;
  const replied = repliedIn(sent);
  const common = {
    id: `${sent.chat.id}/${message_id}`,
    message: { id: String(message_id), order: messageOrder(message_id) },
    ...placeOf(sent, account),
    sender: { userId: String(from.id), name: nameOf(from) },
    ...(replied === undefined ? {} : { replyTo: String(replied.message_id) }),
  };
  const repliesToBot = replied?.from?.id === botId;
  if (why !== undefined) {
    const input: Unreadable = {
      ...common,
      kind: "unreadable",
      why,
      ...(sent.media_group_id === undefined ? {} : { album: sent.media_group_id }),
    };
    return { kind: "input", input, repliesToBot };
  }
  const token = repliesToBot ? tokenOn(replied) : undefined;
  const answers = replied === undefined || token === undefined ? {} : { answers: { message: messageRef(replied.message_id), token } };
  const input: Typed = { ...common, ...answers, kind: "text", text: sent.text ?? sent.caption ?? "" };
  return { kind: "input", input, repliesToBot };
}

function messageRef(id: number): MessageRef {
  return { id: String(id), order: messageOrder(id) };
}

function tokenOn(replied: z.output<typeof repliedTo> | undefined): string | undefined {
  const parsed = keyboard.safeParse(replied?.reply_markup);
  return parsed.success
    ? parsed.data.inline_keyboard.flat().find(({ callback_data: data }) => data !== undefined)?.callback_data
    : undefined;
}

/** Why a message can never be an answer; undefined when it can, `nothing` when it is none of our business. */
function unreadableBecause(sent: Message, raw: unknown): Unreadable["why"] | "nothing" | undefined {
  const { from, sender_chat, text, caption } = sent;
  if (from === undefined) return "nothing";
  if (sender_chat !== undefined || SHARED_ACCOUNTS.has(from.id)) return "anonymous";
  if (from.is_bot) return "nothing";
  if (sent.forward_origin !== undefined || sent.forward_date !== undefined || sent.is_automatic_forward === true) return "forwarded";
  if (sent.via_bot !== undefined) return "forwarded"; // another bot's words, sent by a person
  const words = text ?? caption;
  if (words !== undefined) return words.trim() === "" ? "empty" : undefined;
  const fields = typeof raw === "object" && raw !== null ? Object.keys(raw) : [];
  return fields.some((field) => MEDIA.includes(field)) ? "media" : "nothing";
}

/** IN4: the message that opened a topic is no reply target. */
function repliedIn({ reply_to_message, is_topic_message, message_thread_id }: Message): z.output<typeof repliedTo> | undefined {
  if (reply_to_message === undefined || reply_to_message.forum_topic_created !== undefined) return undefined;
  if (is_topic_message === true && reply_to_message.message_id === message_thread_id) return undefined;
  return reply_to_message;
}

type Placed = Pick<Message, "chat" | "message_thread_id" | "is_topic_message">;

function placeOf(
  { chat: { id, type }, message_thread_id, is_topic_message }: Placed,
  account: string,
): Pick<Input, "account" | "channel" | "conversation" | "direct"> & { readonly thread?: string } {
  const topic = is_topic_message === true && message_thread_id !== undefined ? { thread: String(message_thread_id) } : {}; // IN3
  return { account, channel: "telegram", conversation: String(id), ...topic, direct: type === "private" };
}

function nameOf({ first_name, last_name, username, id }: z.output<typeof user>): string {
  const name = [first_name, last_name].filter((part) => part !== undefined && part !== "").join(" ");
  return name === "" ? (username ?? String(id)) : name;
}
