/**
 * The world of the Telegram simulator: users, chats, topics, messages. Knows nothing of HTTP or of updates.
 *
 * Message ids count per supergroup; private chats and basic groups share one counter, as with a real bot.
 */
import type { SeenButton, SeenMessage } from "../simulator.js";
import { mentionsIn } from "./markup.js";
import type { WorldSnapshot } from "./snapshot.js";
import type { Button, Entity, Json, Keyboard, ReplyBox, User } from "./wire.js";

/** A topic of a forum. */
export type Topic = { readonly id: number; readonly name: string; closed: boolean };

/** A chat, with everything that was written in it. */
export type Chat = {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup";
  readonly title: string;
  readonly username?: string;
  readonly forum: boolean;
  readonly members: Set<number>;
  /** Why the bot cannot write here, in the server's words after "Forbidden: "; undefined when it can. */
  shut: string | undefined;
  migratedTo: number | undefined;
  readonly topics: Map<number, Topic>;
  readonly messages: Message[];
  /** The id of the next message, where the chat counts its own. */
  nextId: number;
};

/** A message as the server keeps it. */
export type Message = {
  readonly id: number;
  readonly chat: Chat;
  readonly from: User;
  /** In whose name it was sent (anonymous admins, linked channels). */
  readonly senderChat?: Json;
  readonly atMs: number;
  text: string;
  entities: readonly Entity[];
  keyboard: Keyboard | undefined;
  readonly box?: ReplyBox;
  readonly topic?: number;
  readonly replyTo?: number;
  /** Fields without text: voice, sticker, forward_origin, media_group_id, service fields. */
  readonly extra: Json;
  editedAtMs?: number;
};

/** A private word: the answer to a callback, seen by one person only. */
export type Word = {
  readonly id: string;
  readonly chat: Chat;
  readonly topic?: number;
  readonly userId: number;
  readonly text: string;
  readonly atMs: number;
};

/** A stable id for a name, far from the pseudo accounts. */
function idOf(name: string, base: number): number {
  let hash = 2_166_136_261;
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return base + (hash % 900_000_000);
}

/** Everything the server knows. */
export class World {
  readonly bot: User;
  readonly users = new Map<number, User>();
  readonly chats = new Map<number, Chat>();
  readonly words: Word[] = [];
  #nextShared = 100;

  constructor(bot: User) {
    this.bot = bot;
  }

  /** What can be started again from; of each chat the last `messages`. */
  snapshot(messages: number): WorldSnapshot {
    return {
      users: [...this.users.values()],
      chats: [...this.chats.values()].map((chat) => ({
        ...chat,
        members: [...chat.members],
        topics: [...chat.topics.values()],
        messages: chat.messages.slice(-messages).map(({ chat: _, entities, ...message }) => ({ ...message, entities: [...entities] })),
      })),
      words: this.words.slice(-messages).map((word) => ({ ...word, chat: word.chat.id })),
      nextShared: this.#nextShared,
    };
  }

  /** Takes over a snapshot. Only in a world that is still empty. */
  restore({ users, chats, words, nextShared }: WorldSnapshot): void {
    for (const user of users) this.users.set(user.id, user);
    for (const { members, topics, messages, shut, migratedTo, ...rest } of chats) {
      const fixed = { shut, migratedTo, members: new Set(members), topics: new Map(topics.map((topic) => [topic.id, topic])) };
      const chat: Chat = { ...rest, ...fixed, messages: [] };
      chat.messages.push(...messages.map(({ keyboard, ...message }) => ({ ...message, keyboard, chat })));
      this.chats.set(chat.id, chat);
    }
    for (const { chat: id, ...word } of words) {
      const chat = this.chats.get(id);
      if (chat !== undefined) this.words.push({ ...word, chat });
    }
    this.#nextShared = nextShared;
  }

  user(name: string): User {
    const id = idOf(name, 5_000_000);
    const known = this.users.get(id);
    if (known !== undefined) return known;
    const user: User = { id, is_bot: false, first_name: name, username: `${name.toLowerCase().replaceAll(/[^a-z0-9]/g, "_")}_person` };
    this.users.set(id, user);
    return user;
  }

  /** The private chat with a user; the user has pressed Start. */
  direct(user: User): Chat {
    return this.chats.get(user.id) ?? this.#add({ id: user.id, type: "private", title: user.first_name, forum: false, members: [user.id] });
  }

  group(
    name: string,
    { type, forum, members }: { readonly type: "group" | "supergroup"; readonly forum: boolean; readonly members: readonly User[] },
  ): Chat {
    const id = type === "group" ? -idOf(name, 4_000_000) : -(1_000_000_000_000 + idOf(name, 1_000_000_000));
    const chat = this.chats.get(id) ?? this.#add({ id, type, title: name, forum, members: [] });
    for (const member of members) chat.members.add(member.id);
    return chat;
  }

  #add({ members, ...chat }: Pick<Chat, "id" | "type" | "title" | "forum"> & { readonly members: readonly number[] }): Chat {
    const made: Chat = {
      ...chat,
      members: new Set(members),
      shut: undefined,
      migratedTo: undefined,
      topics: new Map(),
      messages: [],
      nextId: 2,
    };
    this.chats.set(made.id, made);
    return made;
  }

  /** Stores a message under the chat's next id. */
  put(message: Omit<Message, "id">): Message {
    const { chat } = message;
    const id = chat.type === "supergroup" ? chat.nextId++ : this.#nextShared++;
    const stored = { ...message, id };
    chat.messages.push(stored);
    return stored;
  }

  /** Opens a topic; its id is that of the service message which opens it. */
  topic(chat: Chat, name: string): Topic {
    const known = [...chat.topics.values()].find((topic) => topic.name === name);
    if (known !== undefined) return known;
    const opening = this.put({
      chat,
      from: this.bot,
      atMs: 0,
      text: "",
      entities: [],
      keyboard: undefined,
      extra: { forum_topic_created: { name } },
    });
    const topic = { id: opening.id, name, closed: false };
    chat.topics.set(topic.id, topic);
    return topic;
  }

  message(chat: Chat, id: number): Message | undefined {
    return chat.messages.find((message) => message.id === id);
  }

  /** What one person sees in a chat (or one topic of it), oldest first, private words included. */
  seenBy(userId: number, chat: Chat, topic: number | undefined): readonly SeenMessage[] {
    if (!chat.members.has(userId)) return [];
    const messages = chat.messages.filter((message) => message.topic === topic && !("forum_topic_created" in message.extra));
    const words = this.words.filter((word) => word.chat === chat && word.topic === topic && word.userId === userId);
    return [...messages.map((message) => this.seen(message)), ...words.map((word) => this.#seenWord(word))].sort((a, b) => a.atMs - b.atMs);
  }

  seen(message: Message): SeenMessage {
    const rows = message.keyboard?.inline_keyboard ?? [];
    return {
      id: String(message.id),
      conversation: String(message.chat.id),
      ...(message.topic === undefined ? {} : { thread: String(message.topic) }),
      from: message.from.id === this.bot.id ? "bot" : message.from.first_name,
      text: message.text,
      buttons: rows.flat().map(seenButton),
      menu: [],
      ...(message.replyTo === undefined ? {} : { replyTo: String(message.replyTo) }),
      ...(message.editedAtMs === undefined ? {} : { editedAtMs: message.editedAtMs }),
      atMs: message.atMs,
      mentions: message.from.id === this.bot.id ? mentionsIn(message) : [],
      ...(message.box !== undefined || message.keyboard?.force_reply === true ? { forceReply: true } : {}),
    };
  }

  #seenWord({ id, chat, topic, userId, text, atMs }: Word): SeenMessage {
    return {
      id,
      conversation: String(chat.id),
      ...(topic === undefined ? {} : { thread: String(topic) }),
      from: "bot",
      text,
      buttons: [],
      menu: [],
      onlyTo: this.users.get(userId)?.first_name ?? String(userId),
      atMs,
      mentions: [],
    };
  }
}

function seenButton(button: Button): SeenButton {
  return {
    label: button.text,
    style: button.style ?? "default",
    data: button.callback_data ?? button.url ?? "",
    ...(button.disabled === undefined ? {} : { disabled: true }),
  };
}

/** A chat as the Bot API writes it inside messages. */
export function wireChat(chat: Chat): Json {
  if (chat.type === "private") return { id: chat.id, type: "private", first_name: chat.title };
  return { id: chat.id, type: chat.type, title: chat.title, ...(chat.forum ? { is_forum: true } : {}) };
}

/**
 * A message as the Bot API writes it. `nested`: the message inside `reply_to_message`, which carries no further reply.
 * In a topic a message that answers nothing "replies" to the service message which opened the topic (seen in tdlib and clients).
 */
export function wireMessage(world: World, message: Message, nested = false): Json {
  const repliedId = message.replyTo ?? message.topic;
  const replied = nested || repliedId === undefined ? undefined : world.message(message.chat, repliedId);
  return {
    message_id: message.id,
    ...wireThread(world, message),
    from: message.from,
    ...(message.senderChat === undefined ? {} : { sender_chat: message.senderChat }),
    chat: wireChat(message.chat),
    date: Math.floor(message.atMs / 1_000),
    ...(message.editedAtMs === undefined ? {} : { edit_date: Math.floor(message.editedAtMs / 1_000) }),
    ...(replied === undefined ? {} : { reply_to_message: wireMessage(world, replied, true) }),
    ...(message.text === "" ? {} : { text: message.text }),
    ...(message.entities.length === 0 ? {} : { entities: message.entities }),
    ...(message.keyboard === undefined ? {} : { reply_markup: message.keyboard }),
    ...message.extra,
  };
}

/**
 * In a topic: its id with `is_topic_message`. Elsewhere in a supergroup a reply carries the id of the message that began the
 * thread of replies, without the mark: it is no topic (B079, O27).
 */
function wireThread(world: World, message: Message): Json {
  if (message.topic !== undefined) return { message_thread_id: message.topic, is_topic_message: true };
  if (message.chat.type !== "supergroup" || message.replyTo === undefined) return {};
  let root = world.message(message.chat, message.replyTo);
  while (root?.replyTo !== undefined) root = world.message(message.chat, root.replyTo);
  return { message_thread_id: root?.id ?? message.replyTo };
}
