/**
 * The workspace behind the Slack simulator: people, conversations, messages and their times.
 *
 * W1  A message's `ts` is unique and grows within the workspace, whatever the clock does.
 * W2  Nothing is forgotten when the product goes away (S3 of the simulator port).
 */
import type { Json } from "./json.js";
import type { SlackSnapshot } from "./snapshot.js";

/** One message; `onlyTo` for an ephemeral one. */
export type StoredMessage = {
  readonly ts: string;
  readonly conversation: string;
  /** Sender's user id; the bot's own is `botUserId`. */
  readonly user: string;
  readonly threadTs?: string;
  readonly onlyTo?: string;
  readonly subtype?: string;
  readonly metadata?: Json;
  readonly attachments?: readonly Json[];
  readonly files?: readonly Json[];
  readonly atMs: number;
  text: string;
  blocks: readonly Json[];
  /** What `blocks` was before its edits: a screen that was not redrawn yet still shows them. */
  former?: readonly Json[];
  editedAtMs?: number;
};

/** A channel or direct chat. */
export type StoredConversation = {
  readonly id: string;
  readonly name: string;
  readonly direct: boolean;
  readonly members: Set<string>;
  archived: boolean;
  readonly messages: StoredMessage[];
};

/** A person of the workspace. */
export type StoredUser = { readonly id: string; readonly name: string; readonly direct: string; blocksBot: boolean };

/** A modal that is open in front of a person. */
export type StoredView = {
  readonly id: string;
  readonly hash: string;
  readonly view: Json;
  readonly triggerId: string;
  readonly user: string;
};

/** Trigger ids live 3 s and open one modal. Source: docs.slack.dev "Handling user interaction". */
type Trigger = { readonly id: string; readonly user: string; readonly madeAtMs: number; used: boolean };

/** A response_url: 5 uses within 30 minutes. Source: docs.slack.dev "Handling user interaction". */
type ResponseUrl = {
  readonly id: string;
  readonly conversation: string;
  readonly user: string;
  readonly messageTs: string;
  readonly threadTs?: string;
  readonly madeAtMs: number;
  uses: number;
};

/** A name as part of an id: letters and digits stay, all else becomes its code. */
function slugOf(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/gu, (other) => (other.codePointAt(0) ?? 0).toString(16).toUpperCase());
}

/** All state of one simulated workspace. */
export class SlackWorkspace {
  readonly teamId: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly users = new Map<string, StoredUser>();
  readonly conversations = new Map<string, StoredConversation>();
  readonly views: StoredView[] = [];
  readonly triggers = new Map<string, Trigger>();
  readonly responseUrls = new Map<string, ResponseUrl>();
  readonly now: () => number;
  readonly #watchers = new Set<() => void>();
  #lastMicros = 0;
  #serial = 0;

  constructor({ team, now }: { readonly team: string; readonly now: () => number }) {
    this.teamId = `T0${team.toUpperCase()}`;
    this.botUserId = `U0BOT${team.toUpperCase()}`;
    this.botId = `B0BOT${team.toUpperCase()}`;
    this.now = now;
  }

  /** A new `ts`: seconds and six digits (W1). */
  nextTs(): string {
    this.#lastMicros = Math.max(this.#lastMicros + 1, this.now() * 1_000);
    const text = String(this.#lastMicros).padStart(16, "0");
    return `${text.slice(0, -6)}.${text.slice(-6)}`;
  }

  /** A number that no other id of this workspace has. */
  serial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  /** The person of this name; made with a direct chat on first use. The id depends on the name alone. */
  userNamed(name: string): StoredUser {
    const slug = slugOf(name);
    const id = `U0${slug}`;
    const known = this.users.get(id);
    if (known !== undefined) return known;
    const user: StoredUser = { id, name, direct: `D0${slug}`, blocksBot: false };
    this.users.set(id, user);
    this.#addConversation({ id: user.direct, name: "directmessage", direct: true, members: [id, this.botUserId] });
    return user;
  }

  /** Makes or finds a channel; its id depends on the name alone. */
  channelNamed(name: string): StoredConversation {
    const slug = slugOf(name);
    const id = `C0${slug}`;
    return this.conversations.get(id) ?? this.#addConversation({ id, name, direct: false, members: [] });
  }

  #addConversation(made: { readonly id: string; readonly name: string; readonly direct: boolean; readonly members: readonly string[] }) {
    const conversation: StoredConversation = { ...made, members: new Set(made.members), archived: false, messages: [] };
    this.conversations.set(made.id, conversation);
    return conversation;
  }

  /** A message that is still there. */
  message(conversation: string, ts: string): StoredMessage | undefined {
    return this.conversations.get(conversation)?.messages.find((message) => message.ts === ts);
  }

  /** Stores a message and tells the watchers. */
  add(message: Omit<StoredMessage, "ts" | "atMs">): StoredMessage {
    const stored: StoredMessage = { ...message, ts: this.nextTs(), atMs: this.now() };
    this.conversations.get(message.conversation)?.messages.push(stored);
    this.changed();
    return stored;
  }

  /** Removes a message for good. */
  remove(conversation: string, ts: string): StoredMessage | undefined {
    const messages = this.conversations.get(conversation)?.messages ?? [];
    const at = messages.findIndex((message) => message.ts === ts);
    const removed = at < 0 ? undefined : messages.splice(at, 1)[0];
    this.changed();
    return removed;
  }

  /** What can be started again from; of each conversation the last `messages`. */
  snapshot(messages: number): Omit<SlackSnapshot, "envelopes"> {
    return {
      users: [...this.users.values()],
      conversations: [...this.conversations.values()].map((conversation) => ({
        ...conversation,
        members: [...conversation.members],
        messages: conversation.messages.slice(-messages),
      })),
      lastMicros: this.#lastMicros,
      serial: this.#serial,
    };
  }

  /** Takes over a snapshot. Only in a workspace that is still empty. */
  restore({ users, conversations, lastMicros, serial }: Omit<SlackSnapshot, "envelopes">): void {
    for (const user of users) this.users.set(user.id, user);
    for (const conversation of conversations) {
      this.conversations.set(conversation.id, { ...conversation, members: new Set(conversation.members) });
    }
    this.#lastMicros = lastMicros;
    this.#serial = serial;
  }

  /** Calls `seen` after every visible change; gives the undo. */
  onChange(seen: () => void): () => void {
    this.#watchers.add(seen);
    return () => this.#watchers.delete(seen);
  }

  /** Something visible changed. */
  changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}
