/**
 * Updates in: an own poll loop, since the SDK's confirms what its handlers failed on (platforms.md 2.5), or a webhook.
 *
 *   getUpdates(offset) ─► per chat, in order: handle(update) ─► offset = first not handled
 *
 * RC1  The offset moves past an update only after `handle` resolved: persist, then confirm (C1, B005, B022).
 * RC2  An update that could not be handled is asked for again after a growing pause; later ones of other chats are not handled twice here.
 * RC3  `stop` lets the running batch end and confirms what was handled with one last short poll (B193).
 * RC4  409 means that another poller is there: retried with growing pauses and shown in health; nothing is confirmed by the loser (B041).
 */
import type { Clock } from "../../../src/ports/clock.js";
import type { Failure, Outcome } from "./fate.js";
import { updateChat, updateId } from "./inbound.js";

/** Calls getUpdates. Never rejects. */
export type PollCall = (call: {
  readonly offset: number;
  readonly timeoutS: number;
  readonly limit?: number;
  readonly signal?: AbortSignal;
}) => Promise<Outcome<readonly unknown[]>>;

/** What a `Poller` works with. Times in milliseconds but `pollTimeoutS`. */
export type ReceiverParts = {
  readonly getUpdates: PollCall;
  /** Stores what the update says. Rejects when it could not: the update must come again. */
  readonly handle: (update: unknown) => Promise<void>;
  /** Told after each poll: undefined when it succeeded. */
  readonly onState: (failure: Failure | undefined) => void;
  /** Told when an update could not be handled. */
  readonly onUnhandled: (updateId: number) => void;
  readonly clock: Clock;
  readonly pollTimeoutS: number;
  readonly retryMs: number;
  readonly retryMaxMs: number;
};

/** One poll loop: started once, stopped once. */
export class Poller {
  readonly #parts: ReceiverParts;
  readonly #stop = new AbortController();
  readonly #handled = new Set<number>();
  #offset = 0;
  #confirmed = 0;
  /** The last batch was not handled in full: a successful poll alone does not mean that all is well. */
  #stuck = false;
  #loop: Promise<void> | undefined;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async #run(): Promise<void> {
    const { retryMs, retryMaxMs, pollTimeoutS } = this.#parts;
    let pauseMs = retryMs;
    // The first poll does not wait, so that a second poller or a dead token shows at once.
    let timeoutS = 0;
    while (!this.#stop.signal.aborted) {
      const waitMs = await this.#round(timeoutS, pauseMs);
      if (waitMs === undefined) {
        pauseMs = retryMs;
        timeoutS = pollTimeoutS;
        continue;
      }
      await this.#sleep(waitMs);
      pauseMs = Math.min(pauseMs * 2, retryMaxMs);
      timeoutS = 0;
    }
  }

  /** One poll and its batch. Gives the pause to make, or undefined when all went well. */
  async #round(timeoutS: number, pauseMs: number): Promise<number | undefined> {
    const { getUpdates, onState } = this.#parts;
    const polled = await getUpdates({ offset: this.#offset, timeoutS, signal: this.#stop.signal });
    if (!polled.ok) {
      if (this.#stop.signal.aborted) return 0;
      onState(polled.failure);
      const statedMs = polled.failure.kind === "refused" ? (polled.failure.retryAfterS ?? 0) * 1_000 : 0;
      return Math.max(pauseMs, statedMs);
    }
    this.#confirmed = this.#offset;
    if (!this.#stuck) onState(undefined);
    this.#stuck = !(await this.#batch(polled.value));
    if (this.#stuck) return pauseMs;
    onState(undefined);
    return undefined;
  }

  /** Handles a batch, chats side by side, each in order. False when something is left to be asked for again. */
  async #batch(updates: readonly unknown[]): Promise<boolean> {
    const chats = new Map<string, unknown[]>();
    for (const update of updates) chats.set(updateChat(update), [...(chats.get(updateChat(update)) ?? []), update]);
    await Promise.all([...chats.values()].map((ofChat) => this.#chat(ofChat)));
    const ids = updates.flatMap((update) => updateId(update) ?? []).toSorted((a, b) => a - b);
    for (const id of ids) {
      if (!this.#handled.has(id)) return false;
      this.#offset = Math.max(this.#offset, id + 1); // RC1
    }
    this.#handled.clear();
    return true;
  }

  async #chat(updates: readonly unknown[]): Promise<void> {
    for (const update of updates) {
      const id = updateId(update);
      if (id === undefined || (this.#handled.has(id) && id >= this.#offset)) continue; // RC2
      try {
        await this.#parts.handle(update);
        this.#handled.add(id);
      } catch {
        this.#parts.onUnhandled(id);
        return; // what comes after it in this chat waits, so that order holds
      }
    }
  }

  #sleep(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#stop.signal.removeEventListener("abort", wake);
        resolve();
      };
      const cancel = this.#parts.clock.after(waitMs, wake);
      this.#stop.signal.addEventListener("abort", wake);
      if (this.#stop.signal.aborted) wake();
    });
  }

  /** Ends the loop. A batch that is still being stored gets `withinMs`; what it leaves unconfirmed comes again after the start. */
  async stop(withinMs: number): Promise<void> {
    this.#stop.abort();
    const loop = this.#loop;
    if (loop === undefined) return;
    const ended = await inTime(loop, withinMs, this.#parts.clock);
    if (!ended || this.#offset <= this.#confirmed) return;
    // RC3: what this brings is not handled, so it is not confirmed either. Should it fail, all comes again and is known as a repeat.
    await this.#parts.getUpdates({ offset: this.#offset, timeoutS: 0, limit: 1 });
  }
}

/** Waits for `work`, at most `withinMs`. False: it has not ended yet. `work` must not reject. */
export function inTime(work: Promise<unknown>, withinMs: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(withinMs, () => resolve(false));
    void work.then(() => {
      cancel();
      resolve(true);
    });
  });
}
