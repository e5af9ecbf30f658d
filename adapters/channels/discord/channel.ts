/**
 * The Discord channel: puts the parts together behind the channel port. Knows no SDK; `client.ts` hands in the calls and the link.
 */

import type { Input } from "../../../src/core/input.js";
import type { PromptView } from "../../../src/core/prompt.js";
import { HandraiseError } from "../../../src/errors.js";
import type {
  Channel,
  ChannelContext,
  ChannelHealth,
  Check,
  Destination,
  FindOrder,
  FindResult,
  Intake,
  Located,
  NoticeOrder,
  NoticeResult,
  ReadBackOrder,
  RedrawOrder,
  RedrawResult,
  SendOrder,
  SendResult,
} from "../../../src/ports/channel.js";
import { type Api, describeFault } from "./api.js";
import { checkAccount } from "./checks.js";
import { GatewayConnection, type Link, type LinkHooks } from "./gateway.js";
import type { Reader } from "./inbound.js";
import { INTENTS } from "./limits.js";
import { askingForMention, promptParts } from "./outbound.js";
import { userPayload } from "./payloads.js";
import { Places } from "./places.js";
import { findPart, readBackFrom, redrawPart, sendPart, tell } from "./prompts.js";
import { EventReader } from "./reader.js";
import type { DiscordSettings } from "./settings.js";

/** Longest wait at `close` for what is still in work. */
const CLOSE_WAIT_MS = 5_000;
const CONTENT_OFF = "message content is off: typed replies in servers are read only when they mention the bot";

/** What `client.ts` hands in: the calls and the way to make a gateway link. */
export type Wires = {
  readonly api: Api;
  /** Makes the calls usable (again): the token is forgotten by the library once it was refused. */
  readonly reset: () => void;
  readonly openLink: (intents: number, hooks: LinkHooks) => Link;
  /** Told when a call was refused for its token. */
  readonly onUnauthenticated: (told: () => void) => void;
};

type Run = { readonly reader: EventReader; readonly gateway: GatewayConnection };

/** One Discord bot as a `Channel`. */
export class DiscordChannel implements Channel {
  readonly kind = "discord" as const;
  readonly supports = { find: true, readBack: true, fieldErrors: false, modals: true } as const;
  readonly account: string;
  readonly #context: ChannelContext<DiscordSettings>;
  readonly #wires: Wires;
  readonly #places: Places;
  #health: ChannelHealth;
  #me: { readonly id: string; readonly name: string } | undefined;
  #run: Run | undefined;
  #intake: Intake | undefined;
  #refused = false;
  #cancelRetry: (() => void) | undefined;
  readonly #sending = new Set<Promise<unknown>>();
  readonly #lanes = new Map<string, Promise<unknown>>();

  constructor(context: ChannelContext<DiscordSettings>, wires: Wires) {
    this.#context = context;
    this.#wires = wires;
    this.account = context.account;
    this.#places = new Places(wires.api, { server: context.settings.server });
    this.#health = { state: "starting", sinceMs: context.clock.now() };
    wires.onUnauthenticated(() => {
      this.#refused = true;
      this.#tellHealth("down", "the bot token was refused");
    });
  }

  get botName(): string {
    return this.#me?.name ?? this.account;
  }

  health(): ChannelHealth {
    return this.#health;
  }

  #tellHealth(state: ChannelHealth["state"], reason?: string): void {
    const why = reason ?? (state === "up" && !this.#context.settings.messageContent ? CONTENT_OFF : undefined);
    // A refused token stays refused until the next start, whatever the gateway says.
    if (this.#refused && state !== "down") return;
    if (state === this.#health.state && why === this.#health.reason) return;
    this.#health = { state, sinceMs: this.#context.clock.now(), ...(why === undefined ? {} : { reason: why }) };
    this.#context.log.info({ account: this.account, state }, "Discord channel state");
  }

  async open(intake: Intake): Promise<void> {
    if (this.#intake !== undefined) return;
    this.#intake = intake;
    this.#refused = false;
    this.#wires.reset();
    this.#tellHealth("starting");
    try {
      await this.#signIn(0);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Reads who the bot is, then connects. When Discord is out of reach it resolves and goes on trying with growing pauses. */
  async #signIn(failures: number): Promise<void> {
    const asked = await this.#wires.api.me();
    if (this.#intake === undefined) return;
    const me = asked.ok ? userPayload.safeParse(asked.data) : undefined;
    if (me?.success === true) {
      this.#me = { id: me.data.id, name: me.data.username };
      return this.#connect(this.#intake, { botId: me.data.id, account: this.account });
    }
    if (!asked.ok && asked.fault.kind === "unauthenticated") {
      const remedy = "copy the bot token again from the Developer Portal (Bot, Reset Token)";
      throw new HandraiseError("config_invalid", `accounts.${this.account}.token: Discord refused the token. Remedy: ${remedy}.`, {
        facts: { account: this.account },
      });
    }
    this.#tellHealth("down", asked.ok ? "Discord did not say who the bot is" : describeFault(asked.fault));
    const { reconnectMinMs, reconnectMaxMs } = this.#context.settings;
    this.#cancelRetry = this.#context.clock.after(Math.min(reconnectMinMs * 2 ** Math.min(failures, 30), reconnectMaxMs), () => {
      this.#signIn(failures + 1).catch((error: unknown) => {
        // `open` is long over: only health can tell.
        this.#tellHealth("down", error instanceof HandraiseError ? error.detail : "the start failed");
      });
    });
  }

  async #connect(intake: Intake, reader: Reader): Promise<void> {
    const { settings, memory, clock, log } = this.#context;
    const events = new EventReader({
      ...{ api: this.#wires.api, places: this.#places, reader, intake, clock, log },
      retry: { minMs: settings.storeRetryMinMs, maxMs: settings.storeRetryMaxMs },
    });
    const intents =
      INTENTS.guilds | INTENTS.guildMessages | INTENTS.directMessages | (settings.messageContent ? INTENTS.messageContent : 0);
    const gateway = new GatewayConnection({
      ...{ account: this.account, settings, intents, memory, clock, log },
      openLink: (hooks) => this.#wires.openLink(intents, hooks),
      read: (payload, done) => events.read(payload, done),
      health: (state, reason) => this.#tellHealth(state, reason),
    });
    this.#run = { reader: events, gateway };
    let cancel = (): void => undefined;
    const limit = new Promise<void>((resolve) => {
      cancel = clock.after(settings.openTimeoutMs, () => {
        if (this.#health.state === "starting") this.#tellHealth("down", "Discord's gateway does not answer");
        resolve();
      });
    });
    try {
      const live = gateway.start();
      // When it fails only after the limit, health has said so already.
      live.catch(() => undefined);
      await Promise.race([live, limit]);
    } finally {
      cancel();
    }
  }

  async close(): Promise<void> {
    this.#intake = undefined;
    this.#cancelRetry?.();
    const run = this.#run;
    this.#run = undefined;
    if (run !== undefined) {
      run.gateway.halt();
      await this.#atMost(Promise.all([run.reader.stop(), ...this.#sending]));
      await run.gateway.stop();
    } else {
      await this.#atMost(Promise.all([...this.#sending]));
    }
    this.#tellHealth("down", "closed");
  }

  async #atMost(work: Promise<unknown>): Promise<void> {
    let cancel = (): void => undefined;
    const limit = new Promise<void>((resolve) => {
      cancel = this.#context.clock.after(CLOSE_WAIT_MS, resolve);
    });
    await Promise.race([work.catch(() => undefined), limit]);
    cancel();
  }

  // Calls

  locate(to: Destination): Promise<Located> {
    return this.#places.locate(to);
  }

  parts(view: PromptView): number {
    return promptParts(view);
  }

  /** The order in words that fit what this bot can read. */
  #worded<Order extends Pick<SendOrder, "view" | "direct">>(order: Order): Order {
    const hears = this.#context.settings.messageContent || order.direct;
    return hears ? order : { ...order, view: askingForMention(order.view) };
  }

  send(order: SendOrder): Promise<SendResult> {
    return this.#tracked(sendPart(this.#wires.api, this.#worded(order)));
  }

  async find(order: FindOrder): Promise<FindResult> {
    const me = await this.#whoAmI();
    return findPart(this.#wires.api, this.#worded(order), me);
  }

  /** C5: drawings of one message one after another, the shorter second try of one included. */
  redraw(order: RedrawOrder): Promise<RedrawResult> {
    const before = this.#lanes.get(order.messageId) ?? Promise.resolve();
    const work = before.then(() => redrawPart(this.#wires.api, this.#worded(order)));
    this.#lanes.set(order.messageId, work);
    const leave = (): void => {
      if (this.#lanes.get(order.messageId) === work) this.#lanes.delete(order.messageId);
    };
    work.then(leave, leave);
    return this.#tracked(work);
  }

  notify(order: NoticeOrder): Promise<NoticeResult> {
    return this.#tracked(tell(this.#wires.api, order, this.#context.clock.now()));
  }

  async readBack(order: ReadBackOrder): Promise<readonly Input[]> {
    return readBackFrom(this.#wires.api, order, { account: this.account, botId: await this.#whoAmI() });
  }

  async check(): Promise<readonly Check[]> {
    const { messageContent } = this.#context.settings;
    return checkAccount({ api: this.#wires.api, botId: await this.#whoAmI(), messageContent, places: this.#places.asked });
  }

  /** The bot's id, asked for when the channel is not open; "" when Discord does not say. */
  async #whoAmI(): Promise<string> {
    if (this.#me !== undefined) return this.#me.id;
    const asked = await this.#wires.api.me();
    const me = asked.ok ? userPayload.safeParse(asked.data).data : undefined;
    if (me !== undefined) this.#me = { id: me.id, name: me.username };
    return me?.id ?? "";
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#sending.add(work);
    const leave = (): void => {
      this.#sending.delete(work);
    };
    work.then(leave, leave);
    return work;
  }
}
