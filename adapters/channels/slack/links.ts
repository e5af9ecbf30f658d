/**
 * The links to Slack in Socket Mode: two sockets, each watched and made again for as long as the account is open.
 *
 *   connecting ──hello──► up ──closed / silent / refreshed──► waiting ──pause──► connecting
 *
 * L1  Two links are kept, so that the refresh of one never leaves the bot deaf (platforms.md section 2.3, item 5).
 * L2  A link without hello in `helloTimeoutMs`, or without a ping or frame for `pingTimeoutMs`, is cut and made again (B038).
 * L3  Pauses grow with every connection that failed or lived less than `stableMs` (B048); a refresh that Slack asked for has none.
 * L4  Whatever a connection rejects with, `undefined` included, is one failed try and nothing else (B039).
 */
import type { Clock } from "../../../src/ports/clock.js";

/** One socket as the SDK gives it. `closed` resolves when it has ended, however that came; it never rejects. */
export interface LinkSocket {
  /** Resolves at Slack's hello. */
  connect(): Promise<void>;
  readonly closed: Promise<void>;
  /** Ends it: politely, or at once with `force`. */
  close(how: { readonly force: boolean }): void;
}

/** What a socket tells its link. */
export type LinkHandlers = {
  /** A ping or a frame arrived. */
  readonly heard: () => void;
  /** Slack asked for a new connection. */
  readonly refresh: () => void;
};

/** What all links of an account are made from. Times in milliseconds. */
export type LinkOptions = {
  readonly count: number;
  readonly clock: Clock;
  readonly make: (handlers: LinkHandlers) => LinkSocket;
  readonly helloTimeoutMs: number;
  readonly pingTimeoutMs: number;
  readonly pauseMinMs: number;
  readonly pauseMaxMs: number;
  /** A connection that lived this long starts the pauses anew. */
  readonly stableMs: number;
  /** A try failed or a connection ended. `error` as the SDK gave it. */
  readonly failed: (error: unknown) => void;
  readonly changed: () => void;
};

/** How one link is doing. */
export type LinkState = "connecting" | "up" | "quiet" | "waiting" | "stopped";

/** All links of one account. */
export class Links {
  readonly #links: readonly Link[];

  constructor(options: LinkOptions) {
    this.#links = Array.from({ length: options.count }, () => new Link(options));
  }

  /** Starts all. Resolves when the first is up, or when the first try of one has failed; the error is then given. */
  start(): Promise<{ readonly error?: unknown; readonly up: boolean }> {
    const tries = this.#links.map((link) => link.start());
    return Promise.race(tries);
  }

  states(): readonly LinkState[] {
    return this.#links.map(({ state }) => state);
  }

  /** Ends all: politely first, by force after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all(this.#links.map((link) => link.stop(graceMs)));
  }
}

class Link {
  readonly #options: LinkOptions;
  #state: LinkState = "stopped";
  #socket: LinkSocket | undefined;
  #failures = 0;
  #running: Promise<void> = Promise.resolve();
  #cancelPause: () => void = () => undefined;
  #stopped = true;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get state(): LinkState {
    return this.#state;
  }

  start(): Promise<{ readonly error?: unknown; readonly up: boolean }> {
    this.#stopped = false;
    this.#failures = 0;
    return new Promise((resolve) => {
      this.#running = this.#run(resolve);
    });
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    this.#cancelPause();
    const socket = this.#socket;
    socket?.close({ force: false });
    const cancel = this.#options.clock.after(graceMs, () => socket?.close({ force: true }));
    await this.#running;
    cancel();
  }

  #enter(state: LinkState): void {
    this.#state = state;
    this.#options.changed();
  }

  async #run(firstTry: (result: { readonly error?: unknown; readonly up: boolean }) => void): Promise<void> {
    while (!this.#stopped) {
      const asked = await this.#live(firstTry);
      if (this.#stopped) break;
      this.#enter("waiting");
      await this.#pause(asked);
    }
    this.#enter("stopped");
  }

  /** One connection from its first try to its end; true when Slack asked for its renewal and it had lived. */
  async #live(firstTry: (result: { readonly error?: unknown; readonly up: boolean }) => void): Promise<boolean> {
    const { clock, make, helloTimeoutMs, stableMs, failed } = this.#options;
    this.#enter("connecting");
    let asked = false;
    const watch = new SilenceWatch(this.#options, {
      quiet: (is) => this.#enter(is ? "quiet" : "up"),
      silent: () => socket.close({ force: true }),
    });
    const socket = make({
      heard: () => watch.heard(),
      refresh: () => {
        asked = true;
      },
    });
    this.#socket = socket;
    const cancelHello = clock.after(helloTimeoutMs, () => socket.close({ force: true }));
    let upAtMs: number | undefined;
    try {
      await Promise.race([socket.connect(), socket.closed.then(() => Promise.reject(new Error("closed before hello")))]);
      upAtMs = clock.now();
      cancelHello();
      this.#enter("up");
      firstTry({ up: true });
      watch.start();
      await socket.closed;
    } catch (error) {
      failed(error);
      firstTry({ up: false, error });
      socket.close({ force: true });
    } finally {
      cancelHello();
      watch.stop();
      this.#socket = undefined;
    }
    const livedMs = upAtMs === undefined ? 0 : clock.now() - upAtMs;
    this.#failures = livedMs >= stableMs ? 0 : this.#failures + 1;
    return asked && upAtMs !== undefined && this.#failures <= 1;
  }

  #pause(asked: boolean): Promise<void> {
    const { clock, pauseMinMs, pauseMaxMs } = this.#options;
    const pauseMs = asked ? 0 : Math.min(pauseMaxMs, pauseMinMs * 2 ** Math.min(16, Math.max(0, this.#failures - 1)));
    return new Promise((resolve) => {
      const cancel = clock.after(pauseMs, resolve);
      this.#cancelPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** Counts the time since the last ping or frame (L2). */
class SilenceWatch {
  readonly #options: LinkOptions;
  readonly #on: { readonly quiet: (is: boolean) => void; readonly silent: () => void };
  #cancel: () => void = () => undefined;
  #started = false;
  #quiet = false;

  constructor(options: LinkOptions, on: { readonly quiet: (is: boolean) => void; readonly silent: () => void }) {
    this.#options = options;
    this.#on = on;
  }

  start(): void {
    this.#started = true;
    this.#arm();
  }

  heard(): void {
    if (!this.#started) return;
    if (this.#quiet) {
      this.#quiet = false;
      this.#on.quiet(false);
    }
    this.#arm();
  }

  stop(): void {
    this.#started = false;
    this.#cancel();
  }

  /** Half of the time without a sign is shown in health, the whole of it ends the connection. */
  #arm(): void {
    this.#cancel();
    const half = this.#options.pingTimeoutMs / 2;
    this.#cancel = this.#options.clock.after(half, () => {
      this.#quiet = true;
      this.#on.quiet(true);
      this.#cancel = this.#options.clock.after(half, () => this.#on.silent());
    });
  }
}
