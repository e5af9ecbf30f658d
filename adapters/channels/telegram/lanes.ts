/**
 * Order and pauses of outgoing calls.
 *
 * LN1  Calls of one lane (a conversation, or one message of it) run one after another, in the order they were asked for (C5, B024).
 * LN2  A wait that Telegram stated holds for the whole conversation: until it is over, nothing is sent there (B100).
 */
import type { Later } from "../../../src/ports/channel.js";

/** The lanes of one account. */
export class Lanes {
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #pauses = new Map<string, Later & { readonly untilMs: number }>();
  readonly #running = new Set<Promise<unknown>>();

  /** Runs `call` after everything that was asked for on this lane before. */
  run<T>(lane: string, call: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(lane) ?? Promise.resolve();
    const result = before.then(call);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(lane, tail);
    this.#running.add(tail);
    void tail.then(() => {
      this.#running.delete(tail);
      if (this.#tails.get(lane) === tail) this.#tails.delete(lane);
    });
    return result;
  }

  /** Remembers a stated wait of a conversation. */
  pause(conversation: string, later: Later, nowMs: number): void {
    this.#pauses.set(conversation, { ...later, untilMs: nowMs + later.afterMs });
  }

  /** What is left of a stated wait; undefined when the conversation is free. */
  paused(conversation: string, nowMs: number): Later | undefined {
    const pause = this.#pauses.get(conversation);
    if (pause === undefined) return undefined;
    const leftMs = pause.untilMs - nowMs;
    if (leftMs <= 0 || leftMs > pause.afterMs) {
      // Over; or the clock jumped back, which must not make a pause longer than it was stated.
      this.#pauses.delete(conversation);
      return undefined;
    }
    const { untilMs: _, ...later } = pause;
    return { ...later, afterMs: leftMs };
  }

  /** Resolves when everything asked for so far has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
