/**
 * A life of a bridge that can end as by SIGKILL without a process of its own: from that moment nothing it calls reaches the store or
 * the channel, and nothing it waits for comes back. What it had begun on the platform may have happened.
 */
import type { Channel } from "../../src/ports/channel.js";
import type { Store } from "../../src/ports/store.js";

/** Ends the calls of one life. */
export class Mortal {
  #dead = false;
  #die = (): void => undefined;
  readonly #running = new Set<Promise<unknown>>();
  /** Resolves when the life ends. */
  readonly death: Promise<void> = new Promise((resolve) => {
    this.#die = resolve;
  });

  get dead(): boolean {
    return this.#dead;
  }

  /** Resolves when what had reached the store and the channel is over: a dead process leaves nothing half done behind. */
  async kill(): Promise<void> {
    this.#dead = true;
    this.#die();
    await Promise.allSettled(this.#running);
  }

  /** The store as this life sees it; its `close` leaves the real one open for the next life. */
  store(real: Store): Store {
    return this.#guarded(real, { close: () => Promise.resolve() });
  }

  /** The channel as this life sees it. */
  channel(real: Channel): Channel {
    return this.#guarded(real, {});
  }

  #guarded<T extends object>(real: T, replaced: Readonly<Record<string, unknown>>): T {
    return new Proxy(real, {
      get: (_, name) => {
        if (typeof name === "string" && name in replaced) return replaced[name];
        const value: unknown = Reflect.get(real, name, real);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => this.#call(() => Reflect.apply(value, real, args));
      },
    });
  }

  #call(run: () => unknown): unknown {
    if (this.#dead) return new Promise(() => undefined);
    const result = run();
    if (!(result instanceof Promise)) return result;
    this.#running.add(result);
    const forget = (): unknown => this.#running.delete(result);
    result.then(forget, forget);
    return new Promise((resolve, reject) => {
      result.then(
        (value: unknown) => this.#dead || resolve(value),
        (error: unknown) => this.#dead || reject(error),
      );
    });
  }
}
