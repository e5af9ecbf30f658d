/**
 * Housekeeping: old questions become tombstones, identities and events that are no longer needed go, in slices with pauses between,
 * so that nothing waits for it (B189).
 */
import type { Clock } from "../ports/clock.js";
import type { Log } from "../ports/log.js";
import type { Store } from "../ports/store.js";

/** Days an ended question is kept (design, section 7). */
export const RETAIN_DAYS = 90;
const SLICE = 200;
const EVERY_MS = 60_000;
const BETWEEN_SLICES_MS = 50;

/** Runs a slice of at most 200 questions every minute (50 ms apart while more is left); one that fails is logged and tried a minute later. */
/** Runs the store's housekeeping in the background. */
export class Tidier {
  readonly #parts: { readonly store: Store; readonly clock: Clock; readonly log: Log };
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #stopped = true;

  constructor(parts: { readonly store: Store; readonly clock: Clock; readonly log: Log }) {
    this.#parts = parts;
  }

  start(): void {
    this.#stopped = false;
    this.#arm(EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #arm(waitMs: number): void {
    if (this.#stopped) return;
    this.#cancel = this.#parts.clock.after(waitMs, () => {
      this.#running = this.#slice();
    });
  }

  async #slice(): Promise<void> {
    const { store, clock, log } = this.#parts;
    const nowMs = clock.now();
    try {
      const { more } = await store.tidy({ nowMs, endedBeforeMs: nowMs - RETAIN_DAYS * 86_400_000, limit: SLICE });
      this.#arm(more ? BETWEEN_SLICES_MS : EVERY_MS);
    } catch (error) {
      log.error({ error: String(error) }, "tidier: a slice failed; it is tried again");
      this.#arm(EVERY_MS);
    }
  }
}
