/**
 * The channel port: what a platform's adapter does for the host. One contract suite (src/testing/contract/channel.ts) is run
 * by every adapter against its simulator.
 *
 * C1  Persist, then confirm: the adapter acknowledges an input to its platform only after `intake.take` resolved; where the
 *     reply only stops a spinner it may acknowledge first (Discord defers; Telegram answers empty after 2 s).
 * C2  No SDK retry on a send: every call is tried once and its fate told as it is; `unknown` when it may have been done.
 * C3  Errors of the platform are classified by code, never by text, into the results below; nothing here throws for a refusal.
 * C4  `open` may be called again after `close`; handlers are registered once (B042). A lost connection is the adapter's to mend,
 *     with growing pauses, and shown in `health` (B038, B048). One bad event never ends the intake (B191, B192).
 * C5  Calls about one message are made in the order they were asked for (B024).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ZodType } from "zod";
import type { Input } from "../core/input.js";
import type { ChannelKind } from "../core/place.js";
import type { FormView, PromptView } from "../core/prompt.js";
import type { Clock } from "./clock.js";
import type { Log } from "./log.js";

/** What the host says to an input, once it is stored. */
export type Taken =
  /** Stored, or a known repeat, or of no interest: acknowledge. A private word, if any, comes by `notify`. */
  | { readonly kind: "taken" }
  /** Open this form as the response to the press. Nothing was stored. */
  | { readonly kind: "form"; readonly form: FormView }
  /** A modal's values that cannot be taken: show `message` beside each field where the platform can, else as a private word. */
  | { readonly kind: "invalid"; readonly fields: readonly { readonly key: string; readonly message: string }[] }
  /** Say this in private as the response (a press that is refused before anything is stored). */
  | { readonly kind: "word"; readonly text: string };

/** The host as an adapter sees it: where every input goes, one call per event, in the order of the platform where it has one. */
export interface Intake {
  /** Stores the input durably. Rejects when it could not be stored: then the platform must not be told that it arrived. */
  take(input: Input): Promise<Taken>;
  /** A conversation got a new id (Telegram: group to supergroup). Resolves when everything stored is re-keyed (B092). */
  moved(change: { readonly account: string; readonly from: string; readonly to: string }): Promise<void>;
}

/** Where to write: a conversation by id, by name (`#releases`), or the direct chat with a user. */
export type Destination =
  | { readonly kind: "place"; readonly conversation: string; readonly thread?: string }
  | { readonly kind: "user"; readonly userId: string };

/** Where a destination is, by the platform's own ids. `direct`: a conversation of one person with the bot. */
export type Located =
  | { readonly status: "found"; readonly conversation: string; readonly thread?: string; readonly direct: boolean }
  | Refused
  | Later;

/** Final for this destination: nothing was and will be shown there. `code` is ours: see `DELIVERY_CODES`. */
export type Refused = { readonly status: "refused"; readonly code: DeliveryCode; readonly message: string };
/** Not carried out; try again after this many milliseconds at the earliest. The pause holds for the conversation or the whole account (B100). */
export type Later = {
  readonly status: "later";
  readonly afterMs: number;
  readonly scope: "conversation" | "account";
  readonly code: DeliveryCode;
  readonly message: string;
};
/** It may have been carried out or not (lost response, reset, time-out, 5xx). */
export type Unknown = { readonly status: "unknown"; readonly message: string };
/** The conversation has a new id: use it, store it, repeat once (B092). */
export type Moved = { readonly status: "moved"; readonly conversation: string };

/** Why a copy was not delivered, on every platform the same words. */
export const DELIVERY_CODES = [
  "blocked",
  "not_found",
  "not_member",
  "archived",
  "forbidden",
  "unauthenticated",
  "too_long",
  "rate_limited",
  "unreachable",
  "account_removed",
  "rejected",
] as const;
/** One of `DELIVERY_CODES`; docs/errors.md says what each means and how to mend it. */
export type DeliveryCode = (typeof DELIVERY_CODES)[number];

/** One message of a prompt to be sent now, to a place already located. */
export type SendOrder = {
  readonly view: PromptView;
  /** Which message of `parts(view)` this is, from 0; the last one has the controls. */
  readonly part: number;
  /** At most 25 ASCII characters, fresh per copy and part, the same when this very send is looked for or tried again. */
  readonly nonce: string;
  readonly conversation: string;
  readonly thread?: string;
  readonly direct: boolean;
};
/** The fate of one send, tried once (C2). `shown`: the platform confirmed it; `order` compares as text within the conversation. */
export type SendResult =
  | { readonly status: "shown"; readonly message: { readonly id: string; readonly order: string } }
  | Refused
  | Later
  | Unknown
  | Moved;

/** A send whose fate is unknown, to be looked for by its nonce; `attemptedAtMs`, UTC ms, is when it was tried. */
export type FindOrder = SendOrder & { readonly attemptedAtMs: number };
/** `cannot`: the platform has no way to tell (Telegram). */
export type FindResult =
  | { readonly status: "found"; readonly message: { readonly id: string; readonly order: string } }
  | { readonly status: "absent" | "cannot" }
  | Later;

/** The message with the controls, to be drawn anew as `view` says: another page, or the closing line without controls. */
export type RedrawOrder = {
  readonly view: PromptView;
  readonly messageId: string;
  readonly conversation: string;
  readonly thread?: string;
  readonly direct: boolean;
};
/** `gone`: the message or its place no longer exists or can no longer be edited: nothing is left to draw. "Not modified" counts as `done`. */
export type RedrawResult = { readonly status: "done" } | { readonly status: "gone"; readonly message: string } | Later | Unknown | Moved;

/** A short visible message about an input, at most 200 characters, to the one who pressed or typed. */
export type NoticeOrder = {
  readonly text: string;
  /** The input's own handle, when it was a press or a submission: the private answer to it. May be dead by now. */
  readonly handle?: string;
  readonly conversation: string;
  readonly thread?: string;
  readonly direct: boolean;
  readonly userId: string;
  /** The message it is about: the typed reply, or the prompt that was pressed. */
  readonly aboutMessageId?: string;
  /** `alert`: wants to be noticed (a refusal); `calm`: a confirmation. */
  readonly tone: "alert" | "calm";
  /** Choices under it ("which one?", Send / No). */
  readonly buttons?: readonly { readonly token: string; readonly label: string }[];
};
/** `gone`: nobody can be told there any more. The host tries `Later` and `Unknown` again, so a notice may be read twice. */
export type NoticeResult = { readonly status: "done" } | { readonly status: "gone" } | Later | Unknown;

/** A copy whose typed replies may have been missed while the bridge was down. */
export type ReadBackOrder = {
  readonly conversation: string;
  readonly thread?: string;
  readonly direct: boolean;
  readonly messageIds: readonly string[];
};

/** One account's connection: its state since `sinceMs` (UTC ms), and why when it is not up. `degraded`: inputs may come late or in part. */
export type ChannelHealth = {
  readonly state: "starting" | "up" | "degraded" | "down";
  readonly sinceMs: number;
  readonly reason?: string;
};

/** One line of `handraise doctor`. `remedy` says how to mend it. */
export type Check = { readonly check: string; readonly ok: boolean; readonly detail?: string; readonly remedy?: string };

/** One bot account on one platform, made by its `ChannelModule`. Rules C1 to C5 above hold for every method. */
export interface Channel {
  readonly account: string;
  readonly kind: ChannelKind;
  /** The name people know the bot by, once `open` has resolved: "@acme_bot", "acme". */
  readonly botName: string;
  readonly supports: {
    /** Can a send whose response was lost be looked for? */
    readonly find: boolean;
    /** Can missed typed replies be read back? */
    readonly readBack: boolean;
    /** Does the platform show errors beside a modal's fields? */
    readonly fieldErrors: boolean;
    readonly modals: boolean;
  };
  /**
   * Connects and takes inputs from now on. Resolves when live. Rejects with `config_invalid` when the platform refuses the
   * credentials for good; when the platform is only out of reach it resolves, `health` says down, and it goes on trying.
   */
  open(intake: Intake): Promise<void>;
  /** Stops taking inputs, confirms what was stored, lets running sends end (up to 5 s), closes so that a restart can resume. */
  close(): Promise<void>;
  health(): ChannelHealth;
  locate(to: Destination): Promise<Located>;
  /** How many messages this view needs; pure. */
  parts(view: PromptView): number;
  send(order: SendOrder): Promise<SendResult>;
  find(order: FindOrder): Promise<FindResult>;
  redraw(order: RedrawOrder): Promise<RedrawResult>;
  notify(order: NoticeOrder): Promise<NoticeResult>;
  /** Typed replies since the prompt, oldest first, as `open`'s intake would have got them; [] where the platform has none. */
  readBack(order: ReadBackOrder): Promise<readonly Input[]>;
  check(): Promise<readonly Check[]>;
  /** In HTTP modes: takes requests for this account, mounted by the app under `/channels/<account>`. */
  readonly http?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Small durable memory of one account (Discord: gateway session and sequence). */
export interface ChannelMemory {
  get(key: string): Promise<string | undefined>;
  put(key: string, value: string): Promise<void>;
}

/** What an adapter is made from. `settings` is the account's config, parsed by the adapter's own schema. */
export type ChannelContext<Settings> = {
  readonly account: string;
  readonly settings: Settings;
  readonly memory: ChannelMemory;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * An adapter's public door (adapters/channels/<kind>/index.ts). Light to import: the SDK is loaded by `create` (through `client.ts`),
 * so a program that configures no account of this kind never loads it.
 */
export type ChannelModule<Settings> = {
  readonly kind: ChannelKind;
  /** The account's part of the config, unknown keys refused; the messages name the setting and the remedy. */
  readonly settings: ZodType<Settings>;
  /** Why this id can never be a person who answers (malformed, or a pseudo account shared by many: B120); undefined when it can. */
  userIdProblem(id: string): string | undefined;
  create(context: ChannelContext<Settings>): Promise<Channel>;
};
