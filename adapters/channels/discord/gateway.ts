/**
 * The gateway connection: which session to resume, when to try again, what health says. The link itself (`@discordjs/ws`) is made
 * in `client.ts` and asks here before every connection.
 *
 *   starting ──live──► up ──closed──► degraded ──live──► up
 *       └──no way──► down (fatal: only a new start helps; else it goes on trying)
 *
 * W1  The session is stored so that a restart, even after kill -9, resumes and gets what it missed; its number counts what is
 *     stored, not what was received (`Mark`).
 * W2  The library forgets the session on an orderly stop and on every network fault; that is not believed. Forgotten is what the
 *     gateway itself has ended: op 9 on a live connection, or a close code that says so.
 * W3  Pauses between connections grow, and begin anew after a connection that held (B048). The library waits 500 ms by itself.
 * W4  A connection that says hello and then nothing is made anew (B038).
 */
import { z } from "zod";
import { HandraiseError } from "../../../src/errors.js";
import type { ChannelHealth, ChannelMemory } from "../../../src/ports/channel.js";
import type { Clock } from "../../../src/ports/clock.js";
import type { Log } from "../../../src/ports/log.js";
import { FATAL_CLOSES, SESSION_ENDING_CLOSES } from "./limits.js";
import { Mark } from "./mark.js";
import { dispatchPayload } from "./payloads.js";
import type { DiscordSettings } from "./settings.js";

/** As `@discordjs/ws` keeps it; we run one shard. */
export type SessionInfo = {
  readonly sessionId: string;
  readonly resumeURL: string;
  readonly sequence: number;
  readonly shardId: number;
  readonly shardCount: number;
};

/** Connections in a row without a hello before a session is resumed at the main address (it is refused there, or taken). */
const RESUME_TRIES = 3;

/** What the link tells and asks. None of these throws. */
export type LinkHooks = {
  /** Asked before each connection, and at each heartbeat. */
  retrieve(): Promise<SessionInfo | null>;
  update(info: SessionInfo | null): void;
  /** Did the address to resume at fail so often that the main one is to be tried? */
  elsewhere(): boolean;
  hello(): void;
  live(): void;
  closed(code: number): void;
  dispatch(payload: unknown): void;
};
/** A gateway connection and all its reconnections. */
export type Link = {
  /** Rejects only when no connection could be begun. */
  connect(): Promise<void>;
  /** Closes so that the session can be resumed. */
  close(): Promise<void>;
};

/** What the connection is made from. */
export type GatewayParts = {
  readonly account: string;
  readonly settings: DiscordSettings;
  readonly intents: number;
  readonly memory: ChannelMemory;
  readonly clock: Clock;
  readonly log: Log;
  readonly openLink: (hooks: LinkHooks) => Link;
  readonly read: (payload: unknown, done: () => void) => void;
  readonly health: (state: ChannelHealth["state"], reason?: string) => void;
};

const MEMORY_KEY = "gateway";
const stored = z.object({
  sessionId: z.string().min(1),
  resumeURL: z.string().refine(isSocketUrl),
  sequence: z.int().min(0),
  intents: z.int(),
});
/** After this many connections in a row that did not hold, health says down. */
const DOWN_AFTER = 4;

function isSocketUrl(text: string): boolean {
  return URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol);
}

/** The connection of one account from `start` to `stop`; used once, a new start makes a new one. */
export class GatewayConnection {
  readonly #parts: GatewayParts;
  readonly #mark = new Mark();
  #session: SessionInfo | null = null;
  #link: Link | undefined;
  /** Hello was said and the connection was not closed since. */
  #linked = false;
  #asked = false;
  #closeCode: number | undefined;
  #failures = 0;
  #stopped = false;
  #storedAs = "";
  #cancelStore: (() => void) | undefined;
  #storing: Promise<void> = Promise.resolve();
  readonly #cancels = { stable: (): void => undefined, watch: (): void => undefined, pause: (): void => undefined };
  #settled: { readonly live: () => void; readonly fatal: (error: HandraiseError) => void } | undefined;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /** Resolves when live; rejects with `config_invalid` when the gateway will never have us. Goes on by itself in between. */
  async start(): Promise<void> {
    await this.#recall();
    const outcome = new Promise<void>((resolve, reject) => {
      this.#settled = { live: resolve, fatal: reject };
    });
    this.#begin();
    return outcome;
  }

  /** Takes no further event; what is in work may still end. */
  halt(): void {
    this.#stopped = true;
    for (const cancel of Object.values(this.#cancels)) cancel();
  }

  /** Closes so that a restart resumes: what was stored is remembered first. */
  async stop(): Promise<void> {
    this.halt();
    this.#cancelStore?.();
    this.#cancelStore = undefined;
    await this.#store();
    await this.#link?.close();
  }

  #begin(): void {
    this.#asked = false;
    const link = this.#parts.openLink({
      retrieve: () => this.#retrieve(),
      update: (info) => this.#update(info),
      elsewhere: () => !this.#linked && this.#failures >= RESUME_TRIES,
      hello: () => this.#hello(),
      live: () => this.#live(),
      closed: (code) => this.#closed(code),
      dispatch: (payload) => this.#dispatch(payload),
    });
    this.#link = link;
    link.connect().catch((error: unknown) => {
      // Once the library has asked for the session it goes on by itself; before that nothing was begun.
      if (this.#asked || this.#stopped || this.#link !== link) return;
      this.#failures += 1;
      const pauseMs = this.#pauseMs();
      this.#parts.log.warn({ pauseMs, error: error instanceof Error ? error.name : "unknown" }, "the gateway's address could not be read");
      this.#parts.health("down", "Discord's gateway is out of reach");
      this.#cancels.pause = this.#parts.clock.after(pauseMs, () => this.#begin());
    });
  }

  async #restart(why: string): Promise<void> {
    const old = this.#link;
    this.#link = undefined;
    this.#linked = false;
    this.#failures += 1;
    this.#parts.log.warn({ why }, "the gateway connection is made anew");
    await old?.close();
    if (!this.#stopped) this.#begin();
  }

  // What the link asks and tells

  async #retrieve(): Promise<SessionInfo | null> {
    this.#asked = true;
    if (this.#stopped) return never();
    if (this.#linked) return this.#session;
    this.#closeCode = undefined;
    const pauseMs = this.#pauseMs();
    if (pauseMs > 0) {
      await new Promise<void>((resolve) => {
        this.#cancels.pause = this.#parts.clock.after(pauseMs, resolve);
      });
    }
    return this.#stopped ? never() : this.#session;
  }

  /** W3: none before the first connection and the first reconnection. */
  #pauseMs(): number {
    const { reconnectMinMs, reconnectMaxMs } = this.#parts.settings;
    return this.#failures < 2 ? 0 : Math.min(reconnectMinMs * 2 ** Math.min(this.#failures - 2, 30), reconnectMaxMs);
  }

  #update(info: SessionInfo | null): void {
    if (this.#stopped) return;
    if (info === null) {
      if (this.#linked || (this.#closeCode !== undefined && SESSION_ENDING_CLOSES.has(this.#closeCode))) this.#forget(); // W2
      return;
    }
    const fresh = info.sessionId !== this.#session?.sessionId;
    this.#session = isSocketUrl(info.resumeURL) ? info : null;
    if (!fresh) return;
    this.#mark.reset(info.sequence);
    void this.#store();
  }

  #forget(): void {
    this.#session = null;
    void this.#store();
  }

  #hello(): void {
    this.#linked = true;
    this.#cancels.watch();
    this.#cancels.watch = this.#parts.clock.after(this.#parts.settings.helloTimeoutMs, () => {
      if (!this.#stopped) void this.#restart("no session after hello"); // W4
    });
  }

  #live(): void {
    this.#linked = true;
    this.#cancels.watch();
    this.#parts.health("up");
    this.#settled?.live();
    this.#cancels.stable();
    this.#cancels.stable = this.#parts.clock.after(this.#parts.settings.stableAfterMs, () => {
      this.#failures = 0;
    });
  }

  #closed(code: number): void {
    this.#linked = false;
    this.#closeCode = code;
    this.#cancels.watch();
    this.#cancels.stable();
    if (this.#stopped) return;
    const fatal = FATAL_CLOSES.get(code);
    if (fatal !== undefined) {
      this.#parts.health("down", `${fatal.reason}: ${fatal.remedy}`);
      const setting = code === 4004 ? "token" : code === 4014 ? "messageContent" : undefined;
      const path = `accounts.${this.#parts.account}${setting === undefined ? "" : `.${setting}`}`;
      this.#settled?.fatal(
        new HandraiseError("config_invalid", `${path}: Discord: ${fatal.reason}. Remedy: ${fatal.remedy}.`, {
          facts: { account: this.#parts.account, closeCode: code },
        }),
      );
      return;
    }
    this.#failures += 1;
    this.#parts.log.info({ code, failures: this.#failures, pauseMs: this.#pauseMs() }, "the gateway connection closed; it is made again");
    this.#parts.health(this.#failures >= DOWN_AFTER ? "down" : "degraded", `the gateway connection was lost (close code ${code})`);
  }

  #dispatch(payload: unknown): void {
    const parsed = dispatchPayload.safeParse(payload);
    const done = parsed.success ? this.#mark.begin(parsed.data.s) : (): void => undefined;
    this.#parts.read(payload, () => {
      done();
      this.#storeSoon();
    });
  }

  // Memory (W1)

  async #recall(): Promise<void> {
    const text = await this.#parts.memory.get(MEMORY_KEY).catch(() => undefined);
    const parsed = stored.safeParse(parseJson(text));
    // Another choice of intents needs a session of its own.
    if (!parsed.success || parsed.data.intents !== this.#parts.intents) return;
    const { sessionId, resumeURL, sequence } = parsed.data;
    this.#session = { sessionId, resumeURL, sequence, shardId: 0, shardCount: 1 };
    this.#mark.reset(sequence);
  }

  #storeSoon(): void {
    if (this.#stopped || this.#cancelStore !== undefined) return;
    this.#cancelStore = this.#parts.clock.after(this.#parts.settings.storeEveryMs, () => {
      this.#cancelStore = undefined;
      void this.#store();
    });
  }

  /** One write at a time, the newest state last. A failed write costs only a longer replay after a crash. */
  #store(): Promise<void> {
    this.#storing = this.#storing.then(async () => {
      const session = this.#session;
      const text =
        session === null
          ? ""
          : JSON.stringify({
              sessionId: session.sessionId,
              resumeURL: session.resumeURL,
              sequence: this.#mark.safe,
              intents: this.#parts.intents,
            });
      if (text === this.#storedAs) return;
      try {
        await this.#parts.memory.put(MEMORY_KEY, text);
        this.#storedAs = text;
      } catch {
        this.#parts.log.warn({}, "the place in Discord's event stream could not be stored");
      }
    });
    return this.#storing;
  }
}

/** Holds the library back for good: a stopped link must not connect again. Nothing else refers to it, so it is collected. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
