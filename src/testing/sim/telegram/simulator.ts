/**
 * The Telegram simulator: a strict Bot API server on loopback with scripted people on its other side.
 *
 *   const telegram = await TelegramSimulator.start();
 *   const alice = telegram.person("alice");              // has pressed Start: the bot may write to her
 *   telegram.account()                                   // { kind, token, apiUrl } for the product's config
 *
 * Rules and limits stand, with their sources, in limits.ts, markup.ts, updates.ts and methods.ts.
 */
import { Faults } from "../faults.js";
import type { ChatSimulator, PressResult, SeenMessage, SimAccount, SimCall, SimPlace } from "../simulator.js";
import { CALLBACK_ANSWER_MS, WEBHOOK_RETRY_MS } from "./limits.js";
import { type Callback, METHODS } from "./methods.js";
import { type Placed, TelegramPerson } from "./person.js";
import { ApiServer } from "./server.js";
import type { TelegramSnapshot } from "./snapshot.js";
import { type Chat, type Message, World, wireChat, wireMessage } from "./state.js";
import { Updates } from "./updates.js";
import { type Json, Refusal, type User } from "./wire.js";

/** How a simulator is started. */
export type TelegramSimulatorOptions = {
  /** Default 0: any free port. */
  readonly port?: number;
  /** The server's clock, for the life of updates and callbacks. Default: the machine's. */
  readonly now?: () => number;
  /** Bots see only commands and replies to themselves in groups. Default true, as for a new bot. */
  readonly privacyMode?: boolean;
  /** How long a press waits for its answer. Default `CALLBACK_ANSWER_MS`. */
  readonly callbackAnswerMs?: number;
  /** First pause before a webhook is tried again; doubles. Default `WEBHOOK_RETRY_MS`. */
  readonly webhookRetryMs?: number;
  /** Own messages per group and minute; 20 is the FAQ's advice. Default: not enforced. */
  readonly groupPerMinute?: number;
  /** What an earlier simulator's `snapshot` gave. Default: an empty world. */
  readonly restore?: TelegramSnapshot;
};

const SNAPSHOT_MESSAGES = 200;
const TOKEN = "7000001:simulated-token-of-a-bot-in-tests";
/** Accounts shared by many people. Source: Bot API, Message.from and Message.sender_chat. */
const ANONYMOUS_ADMIN: User = { id: 1_087_968_824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" };
const CHANNEL_BOT: User = { id: 136_817_688, is_bot: true, first_name: "Channel", username: "Channel_Bot" };
const SERVICE: User = { id: 777_000, is_bot: false, first_name: "Telegram" };

/** A Telegram of its own, for one bot. */
export class TelegramSimulator implements ChatSimulator {
  readonly channel = "telegram";
  readonly faults = new Faults();
  readonly #world = new World({ id: 7_000_001, is_bot: true, first_name: "Handraise", username: "handraise_test_bot" });
  readonly #people = new Map<string, TelegramPerson>();
  readonly #callbacks = new Map<string, Callback>();
  readonly #watchers = new Set<() => void>();
  readonly #updates: Updates;
  readonly #server: ApiServer;
  readonly #now: () => number;
  readonly #options: TelegramSimulatorOptions;
  #token: string | undefined = TOKEN;
  #nextCallback = 1;
  #contentForgotten = false;

  private constructor(options: TelegramSimulatorOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#updates = new Updates({ now: this.#now, retryMs: options.webhookRetryMs ?? WEBHOOK_RETRY_MS });
    if (options.restore !== undefined) {
      this.#world.restore(options.restore.world);
      this.#updates.restore(options.restore.updates);
      this.#nextCallback = options.restore.nextCallback;
    }
    this.#server = new ApiServer({
      faults: this.faults,
      now: this.#now,
      token: () => this.#token,
      handle: async ({ method, body, gone }) => {
        const run = METHODS.get(method);
        if (run === undefined) throw new Refusal(404, "Not Found: method not found");
        return run({ ...this.#context(), gone }, body);
      },
    });
  }

  static async start(options: TelegramSimulatorOptions = {}): Promise<TelegramSimulator> {
    const simulator = new TelegramSimulator(options);
    await simulator.#server.start(options.port ?? 0);
    return simulator;
  }

  #context(): Omit<Parameters<NonNullable<ReturnType<typeof METHODS.get>>>[0], "gone"> {
    return {
      world: this.#world,
      updates: this.#updates,
      callbacks: this.#callbacks,
      now: this.#now,
      callbackAnswerMs: this.#options.callbackAnswerMs ?? CALLBACK_ANSWER_MS,
      privacyMode: this.#options.privacyMode ?? true,
      groupPerMinute: this.#options.groupPerMinute ?? Number.POSITIVE_INFINITY,
      changed: () => this.#changed(),
    };
  }

  get calls(): readonly SimCall[] {
    return this.#server.calls;
  }

  /** Updates nobody has confirmed yet, as they would be delivered. */
  get pendingUpdates(): readonly Json[] {
    return this.#updates.pending;
  }

  /** True while a poll is held open. */
  get polled(): boolean {
    return this.#updates.polled;
  }

  account(): SimAccount {
    return { kind: "telegram", token: TOKEN, apiUrl: `http://127.0.0.1:${this.#server.port}` };
  }

  person(name: string): TelegramPerson {
    const known = this.#people.get(name);
    if (known !== undefined) return known;
    const user = this.#world.user(name);
    this.#world.direct(user);
    const person = new TelegramPerson(user, {
      placed: (who, place) => this.#placed(who, place),
      seen: (who, { chat, topic }) => this.#world.seenBy(who.id, chat, topic),
      write: (who, sent) => this.#write(who, sent),
      show: (message) => this.#world.seen(message),
      press: (who, place, messageId, data) => this.#press(who, place, { messageId, data }),
      edit: (who, place, messageId, text) => this.#edit(who, place, { messageId, text }),
      onChange: (seen) => this.onChange(seen),
    });
    this.#people.set(name, person);
    return person;
  }

  channelNamed(
    name: string,
    {
      members = [],
      botIsMember = true,
      topics = false,
    }: { readonly members?: readonly string[]; readonly botIsMember?: boolean; readonly topics?: boolean } = {},
  ): SimPlace {
    return this.#group(name, { type: "supergroup", forum: topics, members, botIsMember });
  }

  /** A basic group, which can still become a supergroup. */
  basicGroup(name: string, members: readonly string[] = []): SimPlace {
    return this.#group(name, { type: "group", forum: false, members, botIsMember: true });
  }

  #group(
    name: string,
    {
      members,
      botIsMember,
      ...kind
    }: {
      readonly type: "group" | "supergroup";
      readonly forum: boolean;
      readonly members: readonly string[];
      readonly botIsMember: boolean;
    },
  ): SimPlace {
    const users = members.map((member) => this.#world.user(member));
    for (const member of members) this.person(member);
    const chat = this.#world.group(name, { ...kind, members: users });
    chat.shut = botIsMember ? undefined : `bot is not a member of the ${chat.type === "group" ? "group" : "supergroup"} chat`;
    return { conversation: String(chat.id) };
  }

  /** Makes (or finds) a topic of a forum. */
  topicNamed(place: SimPlace, name: string): SimPlace {
    return { conversation: place.conversation, thread: String(this.#world.topic(this.#chat(place.conversation), name).id) };
  }

  /** Closes a topic, or removes it with its messages. */
  endTopic(place: SimPlace, how: "closed" | "deleted"): void {
    const chat = this.#chat(place.conversation);
    const topic = chat.topics.get(Number(place.thread));
    if (topic === undefined) throw new Error(`no topic ${place.thread}`);
    if (how === "closed") topic.closed = true;
    else chat.topics.delete(topic.id);
  }

  /** A basic group becomes a supergroup with a new id: service messages on both sides, the old id refuses with the new one (Bot API, migrate_to_chat_id). */
  migrate(place: SimPlace): SimPlace {
    const old = this.#chat(place.conversation);
    const members = [...old.members].flatMap((id) => this.#world.users.get(id) ?? []);
    const fresh = this.#world.group(old.title, { type: "supergroup", forum: false, members });
    const from = members[0] ?? SERVICE;
    this.#deliver(this.#put({ chat: old }, from, { migrate_to_chat_id: fresh.id }));
    this.#deliver(this.#put({ chat: fresh }, from, { migrate_from_chat_id: old.id }));
    old.migratedTo = fresh.id;
    return { conversation: String(fresh.id) };
  }

  /** The bot is thrown out of a shared place; the server's words differ between kinds of places. */
  kickBot(place: SimPlace, words = "bot was kicked from the supergroup chat"): void {
    this.#chat(place.conversation).shut = words;
  }

  /** A text from an account that is no person: an anonymous admin, a linked channel, the service account, another bot. */
  writesAs(
    who: "anonymous_admin" | "channel" | "service" | "bot",
    text: string,
    { in: place, replyTo }: { readonly in: SimPlace; readonly replyTo?: SeenMessage },
  ): void {
    const chat = this.#chat(place.conversation);
    const from = {
      anonymous_admin: ANONYMOUS_ADMIN,
      channel: CHANNEL_BOT,
      service: SERVICE,
      bot: { ...CHANNEL_BOT, id: 7_000_002, first_name: "Other bot" },
    }[who];
    const senderChat = {
      anonymous_admin: wireChat(chat),
      channel: { id: -1_009_999, type: "channel", title: "News" },
      service: undefined,
      bot: undefined,
    }[who];
    const extra = who === "service" ? { is_automatic_forward: true } : {};
    const message = this.#world.put({
      chat,
      from,
      ...(senderChat === undefined ? {} : { senderChat }),
      atMs: this.#now(),
      text,
      entities: [],
      keyboard: undefined,
      ...(place.thread === undefined ? {} : { topic: Number(place.thread) }),
      ...(replyTo === undefined ? {} : { replyTo: Number(replyTo.id) }),
      extra,
    });
    this.#deliver(message);
    this.#changed();
  }

  /** Any update of any kind, queued as it is, asked for or not. */
  deliverRaw(kind: string, payload: Json): void {
    this.#updates.force(kind, payload, 0);
  }

  /** From now on presses carry the message without its content, as for old messages (Bot API, InaccessibleMessage). */
  forgetContent(): void {
    this.#contentForgotten = true;
  }

  onChange(seen: () => void): () => void {
    this.#watchers.add(seen);
    return () => this.#watchers.delete(seen);
  }

  /** What a later simulator can be started from, as plain JSON: of each chat the last 200 messages, and what nobody has confirmed. */
  snapshot(): TelegramSnapshot {
    return { world: this.#world.snapshot(SNAPSHOT_MESSAGES), updates: this.#updates.snapshot(), nextCallback: this.#nextCallback };
  }

  redeliverLast(): Promise<void> {
    return this.#updates.redeliverLast();
  }

  resetConnections(): void {
    this.#server.resetConnections();
  }

  blockBot(person: string): void {
    this.#world.direct(this.#world.user(person)).shut = "bot was blocked by the user";
  }

  revokeToken(): void {
    this.#token = undefined;
  }

  deleteMessage(message: SeenMessage): void {
    const chat = this.#chat(message.conversation);
    const index = chat.messages.findIndex(({ id }) => String(id) === message.id);
    if (index >= 0) chat.messages.splice(index, 1);
    this.#changed();
  }

  async stop(): Promise<void> {
    this.#updates.stop();
    await this.#server.stop();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #chat(conversation: string): Chat {
    const chat = this.#world.chats.get(Number(conversation));
    if (chat === undefined) throw new Error(`no chat ${conversation}`);
    return chat;
  }

  #placed(user: User, place: SimPlace | undefined): Placed {
    if (place === undefined) return { chat: this.#world.direct(user) };
    const chat = this.#chat(place.conversation);
    if (!chat.members.has(user.id)) throw new Error(`${user.first_name} is not a member of ${chat.title}`);
    return place.thread === undefined ? { chat } : { chat, topic: Number(place.thread) };
  }

  #put({ chat, topic }: Placed, from: User, extra: Json): Message {
    return this.#world.put({
      chat,
      from,
      atMs: this.#now(),
      text: "",
      entities: [],
      keyboard: undefined,
      ...(topic === undefined ? {} : { topic }),
      extra,
    });
  }

  #write(
    user: User,
    sent: { readonly text: string; readonly extra: Json; readonly replyTo: number | undefined; readonly place: Placed },
  ): Message {
    const { text, extra, replyTo, place } = sent;
    const command = /^\/[A-Za-z0-9_]+/.exec(text)?.[0];
    const message = this.#world.put({
      chat: place.chat,
      from: user,
      atMs: this.#now(),
      text,
      entities: command === undefined ? [] : [{ type: "bot_command", offset: 0, length: command.length }],
      keyboard: undefined,
      ...(place.topic === undefined ? {} : { topic: place.topic }),
      ...(replyTo === undefined ? {} : { replyTo }),
      extra,
    });
    this.#deliver(message);
    this.#changed();
    return message;
  }

  /** Gives a new message to the bot, if the bot may see it (privacy mode: Bot features, "Privacy mode"). */
  #deliver(message: Message): void {
    const { chat, replyTo, text } = message;
    if (chat.shut !== undefined && chat.type !== "private") return;
    if (chat.type === "private") chat.shut = undefined; // who writes to the bot has unblocked it
    const service = "migrate_to_chat_id" in message.extra || "migrate_from_chat_id" in message.extra;
    const answersBot = replyTo !== undefined && this.#world.message(chat, replyTo)?.from.id === this.#world.bot.id;
    const visible = chat.type === "private" || this.#options.privacyMode === false || service || answersBot || text.startsWith("/");
    if (visible) this.#updates.add("message", wireMessage(this.#world, message), chat.id);
  }

  #edit(user: User, { chat }: Placed, { messageId, text }: { readonly messageId: string; readonly text: string }): Message {
    const message = this.#world.message(chat, Number(messageId));
    if (message === undefined || message.from.id !== user.id) throw new Error(`${user.first_name} cannot edit message ${messageId}`);
    message.text = text;
    message.editedAtMs = this.#now();
    this.#updates.add("edited_message", wireMessage(this.#world, message), chat.id);
    this.#changed();
    return message;
  }

  #press(user: User, { chat }: Placed, { messageId, data }: { readonly messageId: string; readonly data: string }): Promise<PressResult> {
    const message = this.#world.message(chat, Number(messageId));
    if (message === undefined) throw new Error(`message ${messageId} is not there`);
    const id = String(4_000_000_000_000_000_000n + BigInt(this.#nextCallback++));
    const startedAt = performance.now();
    const wire = this.#contentForgotten ? { chat: wireChat(chat), message_id: message.id, date: 0 } : wireMessage(this.#world, message);
    return new Promise((resolve) => {
      const end = (acknowledged: boolean, word: string | undefined): void => {
        clearTimeout(timer);
        resolve({ acknowledged, afterMs: performance.now() - startedAt, ...(word === undefined ? {} : { word }) });
      };
      const timer = setTimeout(() => end(false, undefined), this.#options.callbackAnswerMs ?? CALLBACK_ANSWER_MS);
      this.#callbacks.set(id, { id, message, userId: user.id, atMs: this.#now(), answered: false, done: (word) => end(true, word) });
      this.#updates.add("callback_query", { id, from: user, message: wire, chat_instance: "-1", data }, chat.id);
    });
  }
}
