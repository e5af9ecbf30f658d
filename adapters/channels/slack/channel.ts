/**
 * The Slack channel without its SDK: signing in, the way of an event to the desk, health, closing. What needs the SDK comes in as
 * `SlackSdk`, made by client.ts.
 *
 * CH1  An event is confirmed when the work on it is done and the host has stored its input; never when anything failed (R22, B191).
 * CH2  `open` rejects only for what Slack refuses for good; when Slack is out of reach it resolves and goes on trying (C4).
 * CH3  `close` takes nothing new, confirms what was stored, lets running calls end, then leaves; `open` may follow (B042).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HandraiseError } from "../../../src/errors.js";
import type {
  Channel,
  ChannelContext,
  ChannelHealth,
  Check,
  Destination,
  FindOrder,
  Intake,
  NoticeOrder,
  ReadBackOrder,
  RedrawOrder,
  SendOrder,
} from "../../../src/ports/channel.js";
import type { Log } from "../../../src/ports/log.js";
import { Calls } from "./calls.js";
import { type Ack, Desk, NotStored } from "./desk.js";
import { doctorChecks } from "./doctor.js";
import { conditionOf } from "./health.js";
import { HttpDoor } from "./http-door.js";
import { identityOf, type Signed } from "./identity.js";
import type { Identity } from "./inbound.js";
import { SOCKETS } from "./limits.js";
import { type LinkHandlers, type LinkOptions, type LinkSocket, Links } from "./links.js";
import { Names } from "./names.js";
import { promptParts } from "./outbound.js";
import { type CallOutcome, outcomeOf, type Redact, type Reply, redactor } from "./outcome.js";
import type { SlackSettings } from "./settings.js";

/** How Slack marks a repeat. It is never a reason to drop (B037). */
export type Retry = { readonly attempt?: number; readonly reason?: string };
/** One event as a socket gives it; `ack` sends the confirmation. */
type Envelope = { readonly body: unknown; readonly ack: (response: unknown) => Promise<void>; readonly retry: Retry };
/** Where the SDK brings an event, by its kind. `ack` only remembers. */
type Listener = (body: object, ack: Ack) => Promise<void>;

/** What the SDK's part is made from. */
export type SdkNeeds = {
  readonly account: string;
  readonly settings: SlackSettings;
  readonly log: Log;
  readonly redact: Redact;
  readonly identity: () => Identity | undefined;
  readonly listeners: { readonly message: Listener; readonly press: Listener; readonly submit: Listener };
};

/** What the channel needs of Slack's SDK. Rejections are the SDK's own errors. */
export interface SlackSdk {
  call(method: string, args: Readonly<Record<string, unknown>>): Promise<Reply>;
  /** Runs an event through Bolt to its listener. */
  processEvent(body: Record<string, unknown>, ack: Ack, retry: Retry): Promise<void>;
  /** A socket that is not connected yet. */
  socket(handlers: LinkHandlers & { readonly received: (envelope: Envelope) => void }): LinkSocket;
  /** apps.connections.open with the app token: for `doctor`. */
  testSocket(): Promise<Reply>;
}

/** One account of Slack. */
export class SlackChannel implements Channel {
  readonly account: string;
  readonly kind = "slack";
  readonly supports = { find: true, readBack: true, fieldErrors: true, modals: true };
  readonly http?: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #context: ChannelContext<SlackSettings>;
  readonly #redact: Redact;
  readonly #sdk: SlackSdk;
  readonly #calls: Calls;
  readonly #names: Names;
  readonly #door: HttpDoor | undefined;
  readonly #links: Links | undefined;
  /** Work that a close waits for. */
  readonly #running = new Set<Promise<unknown>>();
  #signed: Signed | undefined;
  #desk: Desk | undefined;
  #phase: "closed" | "opening" | "open" = "closed";
  #round = 0;
  #cancelRetry: () => void = () => undefined;
  #tokenProblem: string | undefined;
  #foreign = 0;
  /** Events that were not taken: not stored by the host, or unreadable. */
  #faults = 0;
  #health: ChannelHealth;

  constructor(context: ChannelContext<SlackSettings>, makeSdk: (needs: SdkNeeds) => SlackSdk) {
    const { account, settings, clock } = context;
    this.account = account;
    this.#context = context;
    this.#redact = redactor([settings.token, settings.appToken, settings.signingSecret]);
    this.#sdk = makeSdk({
      account,
      settings,
      log: context.log,
      redact: this.#redact,
      identity: () => this.#signed?.identity,
      listeners: {
        message: (body, ack) => this.#listen((desk) => desk.message(body, ack)),
        press: (body, ack) => this.#listen((desk) => desk.press(body, ack)),
        submit: (body, ack) => this.#listen((desk) => desk.submit(body, ack)),
      },
    });
    const call = (method: string, args: Readonly<Record<string, unknown>>): Promise<CallOutcome> => this.#call(method, args);
    this.#calls = new Calls({ account, call, respond: (url, body) => this.#respond(url, body), identity: () => this.#signed?.identity });
    this.#names = new Names(async (user) => {
      const outcome = await call("users.info", { user });
      return outcome.kind === "done" ? outcome.reply : undefined;
    }, clock);
    this.#health = { state: "starting", sinceMs: clock.now() };
    if (settings.signingSecret === undefined) {
      this.#links = new Links({
        ...this.#linkOptions(),
        clock,
        make: (handlers) => this.#sdk.socket({ ...handlers, received: (envelope) => this.#receive(envelope) }),
      });
    } else {
      const work = (body: unknown, retry: Retry): Promise<unknown> => this.#track(this.#process(body, retry));
      const door = new HttpDoor({
        signingSecret: settings.signingSecret,
        now: () => clock.now(),
        log: context.log,
        work,
        changed: () => this.#look(),
      });
      this.#door = door;
      this.http = door.listen;
    }
  }

  get botName(): string {
    return this.#signed?.teamName ?? this.account;
  }

  async #listen(work: (desk: Desk) => Promise<void>): Promise<void> {
    if (this.#desk === undefined) throw new NotStored("the channel is closed");
    await work(this.#desk);
  }

  /** One event through Bolt. Resolves with what to confirm it with; rejects when nothing may be confirmed (CH1). */
  async #process(body: unknown, retry: Retry): Promise<unknown> {
    if (!isRecord(body)) return undefined;
    let response: unknown;
    const ack: Ack = async (given) => {
      response = given;
    };
    try {
      await this.#sdk.processEvent(body, ack, retry);
      return response;
    } catch (error) {
      this.#faults += 1;
      const what = this.#redact(error instanceof Error ? `${error.name}: ${error.message}` : "unknown").slice(0, 200);
      this.#context.log.error(
        { account: this.account, faults: this.#faults, error: what },
        "slack: an event was not taken and is not confirmed",
      );
      throw error;
    }
  }

  #linkOptions(): Omit<LinkOptions, "clock" | "make"> {
    const { helloTimeoutMs, pingTimeoutMs, reconnectMinMs, reconnectMaxMs, stableMs } = this.#context.settings;
    return {
      count: SOCKETS,
      helloTimeoutMs,
      pingTimeoutMs,
      stableMs,
      pauseMinMs: reconnectMinMs,
      pauseMaxMs: reconnectMaxMs,
      failed: (error) => {
        const outcome = outcomeOf(error, "apps.connections.open", this.#redact);
        this.#context.log.warn({ account: this.account, outcome: outcome.kind }, "slack: a connection failed");
      },
      changed: () => this.#look(),
    };
  }

  #receive({ body, ack, retry }: Envelope): void {
    if (this.#phase === "closed") return;
    const work = this.#process(body, retry).then(
      async (response) => ack(response),
      () => undefined,
    );
    // The socket may be gone by now: Slack delivers the event again and the host knows it.
    void this.#track(work).catch(() => this.#context.log.debug({ account: this.account }, "slack: an acknowledgement could not be sent"));
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const forget = (): void => {
      this.#running.delete(work);
    };
    work.then(forget, forget);
    return work;
  }

  #call(method: string, args: Readonly<Record<string, unknown>>): Promise<CallOutcome> {
    return this.#track(this.#callOnce(method, args));
  }

  async #callOnce(method: string, args: Readonly<Record<string, unknown>>): Promise<CallOutcome> {
    let outcome: CallOutcome;
    try {
      outcome = { kind: "done", reply: await this.#sdk.call(method, args) };
    } catch (error) {
      outcome = outcomeOf(error, method, this.#redact);
    }
    const problem = outcome.kind === "refused" && outcome.code === "unauthenticated" ? outcome.error : undefined;
    if (outcome.kind === "done" || problem !== undefined) this.#tokenProblem = problem;
    this.#look();
    return outcome;
  }

  async #respond(url: string, body: unknown): Promise<boolean> {
    const { apiUrl, requestTimeoutMs } = this.#context.settings;
    const own = apiUrl === undefined ? "https://hooks.slack.com" : new URL(apiUrl).origin;
    if (!URL.canParse(url) || new URL(url).origin !== own) return false;
    try {
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal,
        redirect: "error",
      } as const;
      const response = await this.#track(fetch(url, init));
      const said = await response.text();
      return response.status === 200 && !/"ok"\s*:\s*false/.test(said);
    } catch {
      return false;
    }
  }

  async open(intake: Intake): Promise<void> {
    if (this.#phase !== "closed") return;
    this.#phase = "opening";
    this.#round += 1;
    const problem = await this.#connect(intake, this.#round);
    if (problem === undefined) return;
    await this.close();
    throw new HandraiseError("config_invalid", `accounts.${this.account}: ${problem}`);
  }

  /** Signs in and goes live; tries again by itself when Slack is out of reach. Gives the reason when it is refused for good. */
  async #connect(intake: Intake, round: number, tries = 1): Promise<string | undefined> {
    const outcome = await this.#call("auth.test", {});
    if (round !== this.#round) return undefined;
    if (outcome.kind !== "done") {
      if (outcome.kind === "refused")
        return `token: Slack refuses it (${outcome.error}). Copy the bot token of the app's OAuth page again.`;
      const { reconnectMinMs, reconnectMaxMs } = this.#context.settings;
      const pauseMs = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** Math.min(16, tries));
      this.#cancelRetry = this.#context.clock.after(pauseMs, () => void this.#connect(intake, round, tries + 1));
      this.#look();
      return undefined;
    }
    const signed = identityOf(outcome.reply, this.account);
    if (signed === undefined) return "token: this is no bot token. Use the one that begins with xoxb-.";
    this.#signed = signed;
    return this.#live(intake, signed);
  }

  async #live(intake: Intake, { identity }: Signed): Promise<string | undefined> {
    const { clock, log, settings } = this.#context;
    this.#desk = new Desk({
      identity,
      intake,
      clock,
      log,
      names: this.#names,
      saveTimeoutMs: settings.saveTimeoutMs,
      openView: (trigger, view) => this.#call("views.open", { trigger_id: trigger, view }),
      whisper: (order) => void this.#track(this.#calls.notify(order)),
      foreign: () => {
        this.#foreign += 1;
        this.#look();
      },
    });
    this.#phase = "open";
    if (this.#door !== undefined) this.#door.open = true;
    const first = await this.#links?.start();
    this.#look();
    if (first === undefined || first.up) return undefined;
    const outcome = outcomeOf(first.error, "apps.connections.open", this.#redact);
    return outcome.kind === "refused"
      ? `appToken: Slack refuses it (${outcome.error}). It begins with xapp- and needs connections:write.`
      : undefined;
  }

  async close(): Promise<void> {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#round += 1;
    this.#cancelRetry();
    if (this.#door !== undefined) this.#door.open = false;
    const { clock, settings } = this.#context;
    let cancel: () => void = () => undefined;
    const tooLong = new Promise<void>((resolve) => {
      cancel = clock.after(settings.closeGraceMs, resolve);
    });
    await Promise.race([this.#drained(), tooLong]);
    cancel();
    this.#desk = undefined;
    await this.#links?.stop(Math.min(1_000, settings.closeGraceMs));
    this.#look();
  }

  async #drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  health(): ChannelHealth {
    this.#look();
    return this.#health;
  }

  /** Looks at everything that health is made of and notes since when it is so. */
  #look(): void {
    const { state, reason } = conditionOf({
      phase: this.#phase,
      everOpened: this.#round > 0,
      tokenProblem: this.#tokenProblem,
      skew: this.#door?.skew,
      links: this.#links?.states() ?? [],
      foreign: this.#foreign,
    });
    if (state === this.#health.state && reason === this.#health.reason) return;
    this.#health = { state, sinceMs: this.#context.clock.now(), ...(reason === undefined ? {} : { reason }) };
  }

  async locate(to: Destination): ReturnType<Channel["locate"]> {
    if (to.kind === "user") void this.#names.learn(to.userId);
    return this.#calls.locate(to);
  }
  parts(view: SendOrder["view"]): number {
    return promptParts(view);
  }
  send(order: SendOrder): ReturnType<Channel["send"]> {
    return this.#calls.send(order);
  }
  find(order: FindOrder): ReturnType<Channel["find"]> {
    return this.#calls.find(order);
  }
  redraw(order: RedrawOrder): ReturnType<Channel["redraw"]> {
    return this.#calls.redraw(order);
  }
  notify(order: NoticeOrder): ReturnType<Channel["notify"]> {
    return this.#calls.notify(order);
  }
  async readBack(order: ReadBackOrder): ReturnType<Channel["readBack"]> {
    return Promise.all((await this.#calls.readBack(order)).map((input) => this.#names.named(input)));
  }

  check(): Promise<readonly Check[]> {
    const { appToken } = this.#context.settings;
    const openSocket = async (): Promise<CallOutcome> => {
      try {
        return { kind: "done", reply: await this.#sdk.testSocket() };
      } catch (error) {
        return outcomeOf(error, "apps.connections.open", this.#redact);
      }
    };
    const call = (method: string, args: Readonly<Record<string, unknown>>): Promise<CallOutcome> => this.#call(method, args);
    return doctorChecks({
      call,
      openSocket: appToken === undefined ? undefined : openSocket,
      places: this.#calls.places,
      skew: this.#door?.skew,
    });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
