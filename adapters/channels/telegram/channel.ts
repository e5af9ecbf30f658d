/**
 * The Telegram channel: receiver, sender and private words put together. The SDK is behind `BotApi`.
 *
 *   update ─► Arrivals (inbound, forms, words) ─► intake.take ─► confirmed
 *   send, redraw, notify ─► Sender ─► Telegram
 *
 * TG1  `open` rejects only for what no waiting mends: a refused token or webhook. Out of reach: it resolves, health says down, it goes on.
 * TG2  `close` ends the intake first, then waits up to 5 s for running sends.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Input } from "../../../src/core/input.js";
import type { PromptView } from "../../../src/core/prompt.js";
import { HandraiseError } from "../../../src/errors.js";
import type {
  Channel,
  ChannelContext,
  ChannelHealth,
  Check,
  Destination,
  FindResult,
  Intake,
  Located,
  NoticeOrder,
  NoticeResult,
  RedrawOrder,
  RedrawResult,
  SendOrder,
  SendResult,
} from "../../../src/ports/channel.js";
import { Arrivals } from "./arrivals.js";
import type { BotApi, Me } from "./bot-api.js";
import { CallbackWords } from "./callback-words.js";
import { checks } from "./checks.js";
import type { Failure } from "./fate.js";
import { locate } from "./locate.js";
import { partCount } from "./outbound.js";
import { inTime, Poller } from "./receiver.js";
import { Sender } from "./sender.js";
import type { TelegramSettings } from "./settings.js";
import { webhookListener } from "./webhook.js";

/** How long `close` waits for inputs that are being stored, and then for running sends (port). */
const LAST_WORK_MS = 5_000;

/** The reason in `health` after an orderly stop. */
const CLOSED = "closed";

/** One opening: everything that ends with `close`. */
type Session = { readonly arrivals: Arrivals; poller: Poller | undefined; retry: (() => void) | undefined; closing: boolean };

/** One bot on Telegram. */
export class TelegramChannel implements Channel {
  readonly account: string;
  readonly kind = "telegram";
  readonly supports = { find: false, readBack: false, fieldErrors: false, modals: false } as const;
  readonly http?: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #context: ChannelContext<TelegramSettings>;
  readonly #api: BotApi;
  readonly #words: CallbackWords;
  readonly #sender: Sender;
  readonly #groups = new Set<string>();
  #session: Session | undefined;
  #me: Me | undefined;
  #health: ChannelHealth;

  constructor(context: ChannelContext<TelegramSettings>, api: BotApi) {
    const { account, settings, clock } = context;
    this.account = account;
    this.#context = context;
    this.#api = api;
    this.#health = { state: "down", sinceMs: clock.now(), reason: "not opened" };
    this.#words = new CallbackWords({
      clock,
      waitMs: settings.callbackWordMs,
      answer: async (answer) => (await api.answerCallbackQuery(answer)).ok,
    });
    this.#sender = new Sender({ api, clock, log: context.log, account, words: this.#words, onRefusedToken: () => this.#tokenRefused() });
    if (settings.webhook !== undefined) {
      this.http = webhookListener({
        secretToken: settings.webhook.secretToken,
        handle: () => {
          const session = this.#session;
          return session === undefined || session.closing ? undefined : (update) => session.arrivals.handle(update);
        },
        clock,
        storeTimeoutMs: settings.storeTimeoutMs,
      });
    }
  }

  get botName(): string {
    return this.#me === undefined ? this.account : `@${this.#me.username}`;
  }

  health(): ChannelHealth {
    return this.#health;
  }

  #state(state: ChannelHealth["state"], reason?: string): void {
    if (this.#health.state === state && this.#health.reason === reason) return;
    this.#health = { state, sinceMs: this.#context.clock.now(), ...(reason === undefined ? {} : { reason }) };
    const facts = { account: this.account, state };
    const expected = state === "up" || state === "starting" || reason === CLOSED;
    if (expected) this.#context.log.info(facts, `telegram: ${reason ?? state}`);
    else this.#context.log.warn(facts, `telegram: ${state}: ${reason ?? ""}`);
  }

  #tokenRefused(): void {
    this.#state("down", "Telegram refuses the token: get a new one from @BotFather");
  }

  async open(intake: Intake): Promise<void> {
    if (this.#session !== undefined) throw new HandraiseError("config_invalid", `account ${this.account} is open already; close it first`);
    const arrivals = new Arrivals({
      intake,
      account: this.account,
      memory: this.#context.memory,
      log: this.#context.log,
      words: this.#words,
      sender: this.#sender,
      botId: () => this.#me?.id ?? 0,
    });
    const session: Session = { arrivals, poller: undefined, retry: undefined, closing: false };
    this.#session = session;
    this.#state("starting");
    try {
      await this.#connect(session, this.#context.settings.retryMs);
    } catch (error) {
      this.#session = undefined;
      this.#state("down", error instanceof HandraiseError ? error.detail : "not opened");
      throw error;
    }
  }

  /** Greets Telegram and begins to receive; out of reach, it tries again by itself (TG1). */
  async #connect(session: Session, pauseMs: number): Promise<void> {
    const { clock, settings } = this.#context;
    const failure = await this.#greet();
    if (session.closing) return;
    if (failure === undefined) {
      this.#state("up");
      if (settings.webhook === undefined) this.#startPolling(session);
      return;
    }
    if (isFinal(failure)) throw this.#refusedAtOpen(failure);
    this.#state("down", failure.description);
    session.retry = clock.after(pauseMs, () => {
      void this.#connect(session, Math.min(pauseMs * 2, settings.retryMaxMs)).catch((error: unknown) => {
        this.#state("down", error instanceof HandraiseError ? error.detail : "not opened");
      });
    });
  }

  async #greet(): Promise<Failure | undefined> {
    const { webhook } = this.#context.settings;
    const me = await this.#api.getMe();
    if (!me.ok) return me.failure;
    this.#me = me.value;
    // Polls are refused while a webhook is set; what waits there is kept (platforms.md 2.5).
    const mode = webhook === undefined ? await this.#api.deleteWebhook() : await this.#api.setWebhook(webhook);
    return mode.ok ? undefined : mode.failure;
  }

  #refusedAtOpen(failure: Failure & { readonly kind: "refused" }): HandraiseError {
    const setting = `accounts.${this.account}`;
    const text =
      failure.code === 400
        ? `${setting}.webhook: ${failure.description}. Give an https address that Telegram can reach.`
        : `${setting}.token: Telegram refuses the token (${failure.code}). Get a new one from @BotFather.`;
    return new HandraiseError("config_invalid", text, { facts: { account: this.account, code: failure.code } });
  }

  #startPolling(session: Session): void {
    const { clock, settings, log } = this.#context;
    session.poller = new Poller({
      getUpdates: (call) => this.#api.getUpdates(call),
      handle: (update) => session.arrivals.handle(update),
      onState: (failure) => this.#polled(failure),
      onUnhandled: (updateId) => {
        log.warn({ account: this.account, updateId }, "telegram: an update could not be stored; it will come again");
        this.#state("degraded", "inputs cannot be stored");
      },
      clock,
      pollTimeoutS: settings.pollTimeoutS,
      retryMs: settings.retryMs,
      retryMaxMs: settings.retryMaxMs,
    });
    session.poller.start();
  }

  #polled(failure: Failure | undefined): void {
    if (failure === undefined) this.#state("up");
    else if (failure.kind !== "refused") this.#state("down", failure.description);
    else if (failure.code === 409)
      this.#state("degraded", "another program receives this bot's updates (409): stop it, or give each its own bot");
    else if ([401, 404].includes(failure.code)) this.#tokenRefused();
    else this.#state("degraded", failure.description);
  }

  async close(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    session.closing = true;
    session.retry?.();
    const { clock } = this.#context;
    await session.poller?.stop(LAST_WORK_MS);
    await inTime(session.arrivals.settled(), LAST_WORK_MS, clock);
    await this.#words.close();
    await inTime(this.#sender.settled(), LAST_WORK_MS, clock);
    this.#session = undefined;
    this.#state("down", CLOSED);
  }

  async locate(to: Destination): Promise<Located> {
    const located = await locate(this.#api, to);
    if (located.status === "found" && !located.direct) this.#groups.add(located.conversation);
    return located;
  }

  parts(view: PromptView): number {
    return partCount(view);
  }

  send(order: SendOrder): Promise<SendResult> {
    return this.#sender.send(order);
  }

  /** Telegram has no method that reads messages (platforms.md 4.3, "read-back"). */
  async find(): Promise<FindResult> {
    return { status: "cannot" };
  }

  redraw(order: RedrawOrder): Promise<RedrawResult> {
    return this.#sender.redraw(order);
  }

  notify(order: NoticeOrder): Promise<NoticeResult> {
    return this.#sender.notify(order);
  }

  /** Nothing to read back: Telegram keeps updates for 24 hours and delivers them at the next poll. */
  async readBack(): Promise<readonly Input[]> {
    return [];
  }

  check(): Promise<readonly Check[]> {
    return checks(this.#api, { webhook: this.#context.settings.webhook, account: this.account, groups: [...this.#groups] });
  }
}

/** Will no waiting mend it? A refused token, a webhook address that Telegram does not take. */
function isFinal(failure: Failure): failure is Failure & { readonly kind: "refused" } {
  return failure.kind === "refused" && [400, 401, 404].includes(failure.code);
}
