/**
 * The Discord simulator's memory: one server (guild), its channels and threads, the direct chats, users and messages. It knows what
 * is allowed to whom; the wire forms stand in `payloads.ts`, the routes in `routes.ts`, the live events in `gateway.ts`.
 */
import { type AllowedMentions, ANY, type EmbedBody, type RowBody } from "./bodies.js";
import { DiscordRefusal } from "./errors.js";
import { mentionsIn } from "./mentions.js";
import type { WorldSnapshot } from "./snapshot.js";
import { Snowflakes } from "./snowflake.js";

/** A person or bot. */
export type SimUser = {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  /** The direct chat between this user and the bot. */
  readonly direct: string;
  /** Closed direct messages: sends there fail with 50007. */
  blocked: boolean;
  /** Shares no server with the bot: sends there fail with 50278. */
  stranger: boolean;
};

/** A channel, thread or direct chat. */
export type SimChannel = {
  readonly id: string;
  readonly kind: "text" | "thread" | "direct";
  readonly name: string;
  readonly parent?: string;
  /** User ids that may see it; absent: every member of the server. */
  readonly members?: ReadonlySet<string>;
  /** The bot's own permissions here. */
  readonly bot: { view: boolean; send: boolean; history: boolean };
  archived: boolean;
  locked: boolean;
  deleted: boolean;
};

/** A file of a message. */
export type Attachment = { readonly id: string; readonly filename: string; readonly content_type: string; readonly voice: boolean };

/** A message as stored; it changes by edits. */
export type SimMessageState = {
  readonly id: string;
  readonly channel: string;
  readonly author: string;
  readonly atMs: number;
  /** 0: plain, 19: reply. */
  readonly type: 0 | 19;
  readonly forwarded: boolean;
  readonly replyTo?: string;
  readonly nonce?: string;
  readonly attachments: readonly Attachment[];
  readonly sticker: boolean;
  readonly poll: boolean;
  readonly onlyTo?: string;
  /** The interaction it answered, if any: deleting and editing by its token is bound to it. */
  readonly interaction?: string;
  content: string;
  embeds: readonly EmbedBody[];
  rows: readonly RowBody[];
  flags: number;
  editedAtMs?: number;
  /** Ids, "everyone", "here" that this message notified. */
  mentions: readonly string[];
  deleted: boolean;
};

/** A message to be stored; what is left out is empty. */
export type NewMessage = Partial<Omit<SimMessageState, "id" | "atMs" | "mentions" | "deleted" | "channel" | "author">> & {
  readonly channel: string;
  readonly author: string;
  readonly allowed?: AllowedMentions | null | undefined;
};

/** How long a nonce is remembered ("in the past few minutes"; the true span is not stated, platforms.md section 7). */
const NONCE_MS = 180_000;

/** Everything the simulated platform knows. */
export class World {
  readonly guild: { readonly id: string; readonly name: string };
  readonly bot: SimUser;
  readonly applicationId: string;
  readonly users = new Map<string, SimUser>();
  readonly channels = new Map<string, SimChannel>();
  readonly messages: SimMessageState[] = [];
  readonly ids: Snowflakes;
  readonly now: () => number;
  readonly #watchers = new Set<() => void>();
  readonly #nonces = new Map<string, { readonly id: string; readonly atMs: number }>();

  /** @param earlier what another world's `snapshot` gave. */
  constructor(now: () => number, earlier?: WorldSnapshot) {
    this.now = now;
    this.ids = new Snowflakes(now, earlier?.lastId);
    this.guild = earlier?.guild ?? { id: this.ids.next(), name: "Acme" };
    this.applicationId = earlier?.applicationId ?? this.ids.next();
    this.bot = earlier?.users.find(({ id }) => id === earlier.botId) ?? {
      ...{ id: this.ids.next(), name: "acme", bot: true, direct: "", blocked: false, stranger: false },
    };
    for (const user of earlier?.users ?? [this.bot]) this.users.set(user.id, user);
    for (const { members, ...channel } of earlier?.channels ?? []) {
      this.channels.set(channel.id, members === undefined ? channel : { ...channel, members: new Set(members) });
    }
    this.messages.push(...(earlier?.messages ?? []));
  }

  /** What can be started again from; the last `messages` of all that are still there. */
  snapshot(messages: number): WorldSnapshot {
    return {
      guild: this.guild,
      applicationId: this.applicationId,
      botId: this.bot.id,
      lastId: this.ids.last,
      users: [...this.users.values()],
      channels: [...this.channels.values()].map(({ members, ...channel }) =>
        members === undefined ? channel : { ...channel, members: [...members] },
      ),
      messages: this.messages.filter(({ deleted }) => !deleted).slice(-messages),
    };
  }

  /** Calls `seen` after anything visible changed. Returns the undo. */
  watch(seen: () => void): () => void {
    this.#watchers.add(seen);
    return () => this.#watchers.delete(seen);
  }

  changed(): void {
    for (const seen of [...this.#watchers]) seen();
  }

  user(name: string, bot = false): SimUser {
    const known = [...this.users.values()].find((user) => user.name === name);
    if (known !== undefined) return known;
    const user: SimUser = { id: this.ids.next(), name, bot, direct: this.ids.next(), blocked: false, stranger: false };
    this.users.set(user.id, user);
    const members = new Set([user.id, this.bot.id]);
    this.#add({ id: user.direct, kind: "direct", name, members });
    return user;
  }

  channelNamed(name: string, options: { readonly members?: ReadonlySet<string>; readonly botIsMember: boolean }): SimChannel {
    const known = [...this.channels.values()].find((channel) => channel.kind === "text" && channel.name === name && !channel.deleted);
    if (known !== undefined) return known;
    const members = options.members === undefined ? {} : { members: options.members };
    const channel = this.#add({ id: this.ids.next(), kind: "text", name, ...members });
    channel.bot.view = options.botIsMember;
    return channel;
  }

  addChannel(name: string): SimChannel {
    return this.#add({ id: this.ids.next(), kind: "text", name });
  }

  /** A thread under a channel; `from`: started from this message, whose id it then has (Channel Resource, "Start Thread from Message"). */
  thread(parent: SimChannel, name: string, from?: string): SimChannel {
    return this.#add({ id: from ?? this.ids.next(), kind: "thread", name, parent: parent.id });
  }

  #add(channel: Pick<SimChannel, "id" | "kind" | "name" | "parent" | "members">): SimChannel {
    const added: SimChannel = {
      ...channel,
      bot: { view: true, send: true, history: true },
      archived: false,
      locked: false,
      deleted: false,
    };
    this.channels.set(added.id, added);
    return added;
  }

  channel(id: string): SimChannel | undefined {
    const found = this.channels.get(id);
    return found === undefined || found.deleted ? undefined : found;
  }

  /** The channel as the bot may use it: 10003 when unknown, 50001 when hidden from it. */
  channelForBot(id: string): SimChannel {
    const channel = this.channel(id);
    if (channel === undefined) throw new DiscordRefusal(10003);
    const holder = channel.parent === undefined ? channel : this.channel(channel.parent);
    if (holder?.bot.view !== true) throw new DiscordRefusal(50001);
    return channel;
  }

  isMember(channel: SimChannel, userId: string): boolean {
    const holder = channel.parent === undefined ? channel : this.channel(channel.parent);
    return holder?.members?.has(userId) ?? true;
  }

  message(channel: string, id: string): SimMessageState | undefined {
    return this.messages.find((message) => message.id === id && message.channel === channel && !message.deleted);
  }

  in(channel: string): readonly SimMessageState[] {
    return this.messages.filter((message) => message.channel === channel && !message.deleted);
  }

  /** Stores a message of anybody. */
  post({ allowed, ...given }: NewMessage): SimMessageState {
    const replied = given.replyTo === undefined ? undefined : this.message(given.channel, given.replyTo)?.author;
    const content = given.content ?? "";
    const message: SimMessageState = {
      ...{ type: given.replyTo === undefined ? 0 : 19, forwarded: false, attachments: [], sticker: false, poll: false },
      ...{ embeds: [], rows: [], flags: 0, deleted: false },
      ...given,
      content,
      id: this.ids.next(),
      atMs: this.now(),
      mentions: mentionsIn(content, { allowed: allowed ?? ANY, ...(replied === undefined ? {} : { replied }) }),
    };
    this.messages.push(message);
    this.changed();
    return message;
  }

  /** The message sent with this nonce in this channel within the last minutes, if any. */
  byNonce(channel: string, nonce: string): SimMessageState | undefined {
    const known = this.#nonces.get(`${channel} ${nonce}`);
    if (known === undefined || this.now() - known.atMs > NONCE_MS) return undefined;
    return this.messages.find(({ id }) => id === known.id);
  }

  rememberNonce(channel: string, nonce: string, id: string): void {
    this.#nonces.set(`${channel} ${nonce}`, { id, atMs: this.now() });
  }

  edit(
    message: SimMessageState,
    change: Partial<Pick<SimMessageState, "content" | "embeds" | "rows" | "flags">>,
    allowed?: AllowedMentions | null,
  ): void {
    Object.assign(message, change);
    message.editedAtMs = this.now();
    message.mentions = mentionsIn(message.content, { allowed: allowed ?? ANY });
    this.changed();
  }

  remove(message: SimMessageState): void {
    message.deleted = true;
    this.changed();
  }
}
