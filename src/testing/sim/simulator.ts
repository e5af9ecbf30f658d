/**
 * What every platform simulator offers to tests, the demo and the local page, whatever its wire looks like.
 *
 * A simulator is a strict stand-in for one platform on loopback: the real SDK talks to it over HTTP and WebSocket,
 * it refuses what the platform refuses, and a scripted person acts on the other side of it.
 *
 * S1  Nothing here reaches into the product: what a person reads is what the product sent over the wire.
 * S2  Every limit or error code that a simulator enforces names its source beside it.
 * S3  Its state survives the product's restarts; `stop()` ends it.
 */
import type { Faults } from "./faults.js";

/** The platforms there is a simulator for. */
export type ChatKind = "slack" | "discord" | "telegram";

/** One call the product made: the platform's method name (see `Faults`, F2), its parsed body and how it ended. */
export type SimCall = {
  readonly method: string;
  readonly atMs: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The bot token (or app token) it came with: tests check that the right account was used. */
  readonly token: string | undefined;
  /** "ok", the platform's error code, or "dropped". Set when the call has ended. */
  outcome: string;
};

/** A control as a person sees it: its label as shown, and the text (`data`) that pressing it sends to the product. */
export type SeenButton = {
  readonly label: string;
  readonly style?: "primary" | "danger" | "success" | "default";
  readonly data: string;
  readonly disabled?: boolean;
};

/** A message as a person sees it in one conversation. Buttons and menu entries are listed in reading order. */
export type SeenMessage = {
  readonly id: string;
  readonly conversation: string;
  readonly thread?: string;
  /** "bot" for the product's own messages, else the person's name. */
  readonly from: string;
  /** All readable text, blocks and embeds included, mark-up removed, one line per visible line. */
  readonly text: string;
  readonly buttons: readonly SeenButton[];
  /** Entries of select menus, if any. */
  readonly menu: readonly SeenButton[];
  readonly replyTo?: string;
  /** Only this person can see it (Slack ephemeral, Discord flags 64, Telegram callback alert or toast). */
  readonly onlyTo?: string;
  readonly editedAtMs?: number;
  readonly atMs: number;
  /** Who or what a mention in it would notify: empty when mentions are off or absent. */
  readonly mentions: readonly string[];
  /** The reply box is already open (Telegram force_reply). */
  readonly forceReply?: boolean;
};

/** An open form; where a platform has none (Telegram) a forced reply stands in, with one field. Submits or is dismissed once. */
export type SeenModal = {
  readonly title: string;
  readonly fields: readonly { readonly key: string; readonly label: string; readonly multiline: boolean; readonly value?: string }[];
  /** Submits; resolves with the errors beside the fields (Slack), or an empty record when it was taken or the platform has none. */
  submit(values: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  dismiss(): void;
};

/** Where a person acts: a conversation id of the platform, with a thread or topic. Left out: the direct chat with the bot. */
export type SimPlace = { readonly conversation: string; readonly thread?: string };

/** A scripted person: acts as the platform's own client would, and sees what it would show. */
export interface SimPerson {
  readonly name: string;
  readonly userId: string;
  /** The conversation id of this person's direct chat with the bot. */
  readonly direct: string;
  /** Messages visible to this person in a place, oldest first, those only to this person included. */
  reads(place?: SimPlace): readonly SeenMessage[];
  /** Waits, up to `withinMs` (default 5,000), for a message (new or edited) that `match` accepts; the error shows what was there. */
  waitsFor(
    match: (message: SeenMessage) => boolean,
    options?: { readonly in?: SimPlace; readonly withinMs?: number },
  ): Promise<SeenMessage>;
  /** Presses the button with this exact label, on the newest message that has it or on `on`. Resolves when the platform's reply arrived or its deadline passed. */
  press(label: string, options?: { readonly on?: SeenMessage; readonly in?: SimPlace }): Promise<PressResult>;
  /** Chooses entries of a menu by label. */
  picks(labels: readonly string[], options?: { readonly on?: SeenMessage; readonly in?: SimPlace }): Promise<PressResult>;
  /** Writes a message; resolves with it as stored by the platform. */
  types(text: string, options?: { readonly replyTo?: SeenMessage; readonly in?: SimPlace }): Promise<SeenMessage>;
  /** Presses the button `label`, which must open a modal (on Telegram: a forced reply), and hands it over. */
  opensModal(label: string, options?: { readonly on?: SeenMessage; readonly in?: SimPlace }): Promise<SeenModal>;
  edits(message: SeenMessage, text: string): Promise<SeenMessage>;
  forwards(message: SeenMessage, to: SimPlace): Promise<SeenMessage>;
  /** Sends something without text: voice, sticker, photo, poll, location, contact, file. */
  sendsMedia(
    what: "voice" | "sticker" | "photo" | "poll" | "location" | "contact" | "file",
    options?: { readonly replyTo?: SeenMessage; readonly in?: SimPlace },
  ): Promise<SeenMessage>;
}

/** `acknowledged`: the platform got its reply in time (and after how long). `word`: private text shown with it, if any. */
export type PressResult = { readonly acknowledged: boolean; readonly afterMs: number; readonly word?: string };

/** One platform on 127.0.0.1 at a port of its own, with one workspace or server, one bot, and as many people as a test names. */
export interface ChatSimulator {
  readonly channel: ChatKind;
  readonly faults: Faults;
  /** Every call of the product since the start, oldest first. */
  readonly calls: readonly SimCall[];
  /** What goes under `accounts.<name>` of the product's config so that the real SDK talks to this simulator. */
  account(): SimAccount;
  /** The person of this name; made on first use with a stable id. */
  person(name: string): SimPerson;
  /** Makes (or finds) a shared conversation with these members; the bot is a member unless `botIsMember` is false. */
  channelNamed(
    name: string,
    options?: { readonly members?: readonly string[]; readonly botIsMember?: boolean; readonly topics?: boolean },
  ): SimPlace;
  /** Calls `seen` after anything visible changed: for the local page. Returns the undo. */
  onChange(seen: () => void): () => void;
  /** Repeats the last delivery (event, envelope, update, interaction) byte for byte, as the platform does on a lost reply. */
  redeliverLast(): Promise<void>;
  /** Cuts every open socket and held poll at once, without a farewell. */
  resetConnections(): void;
  /** From now on the platform says that this person has blocked the bot (closed DMs on Discord and Slack: the nearest the platform has). */
  blockBot(person: string): void;
  /** From now on the bot's token is refused. */
  revokeToken(): void;
  /** Removes a message as a person or admin would. */
  deleteMessage(message: SeenMessage): void;
  stop(): Promise<void>;
}

/** What the product needs to reach the simulator, with made-up credentials. `appToken` and `signingSecret`: Slack only. */
export type SimAccount = {
  readonly kind: ChatKind;
  readonly token: string;
  readonly appToken?: string;
  readonly signingSecret?: string;
  /** Root of the platform's API on loopback, in the form the adapter passes to its SDK. */
  readonly apiUrl: string;
};
