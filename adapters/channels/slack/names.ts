/** Names of users: looked up once, remembered, never waited for longer than a moment. Events carry ids only. */
import { z } from "zod";
import type { Input } from "../../../src/core/input.js";
import type { Clock } from "../../../src/ports/clock.js";
import type { Reply } from "./outcome.js";

/** Names remembered at most. */
const NAMES_MAX = 5_000;
/** Longest wait for one look-up; afterwards the input goes on with its id or what the payload said. */
const WAIT_MS = 500;
/** A failed look-up is not repeated for this long. */
const FAILED_MS = 600_000;

const userInfo = z.object({
  user: z.object({ real_name: z.string().optional(), profile: z.object({ display_name: z.string().optional() }).optional() }),
});

/** The names of one account's users. */
export class Names {
  readonly #known = new Map<string, string>();
  readonly #failed = new Map<string, number>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #lookUp: (userId: string) => Promise<Reply | undefined>;
  readonly #clock: Clock;

  /** `lookUp` calls users.info; undefined when it was refused. */
  constructor(lookUp: (userId: string) => Promise<Reply | undefined>, clock: Clock) {
    this.#lookUp = lookUp;
    this.#clock = clock;
  }

  /** The same input with the best name there is for its sender. */
  async named<I extends Input>(input: I): Promise<I> {
    const { userId } = input.sender;
    if (!this.#known.has(userId)) {
      await Promise.race([
        this.learn(userId),
        new Promise<void>((resolve) => {
          this.#clock.after(WAIT_MS, resolve);
        }),
      ]);
    }
    const name = this.#known.get(userId);
    return name === undefined ? input : { ...input, sender: { userId, name } };
  }

  /** Looks a name up, unless it is known or failed a moment ago. Never rejects. */
  learn(userId: string): Promise<void> {
    if (this.#known.has(userId) || this.#clock.now() - (this.#failed.get(userId) ?? -FAILED_MS) < FAILED_MS) return Promise.resolve();
    const running = this.#asking.get(userId);
    if (running !== undefined) return running;
    const asking = this.#ask(userId).finally(() => this.#asking.delete(userId));
    this.#asking.set(userId, asking);
    return asking;
  }

  async #ask(userId: string): Promise<void> {
    const parsed = userInfo.safeParse(await this.#lookUp(userId));
    const name = parsed.data?.user.profile?.display_name || parsed.data?.user.real_name;
    if (name) remember(this.#known, userId, name);
    else remember(this.#failed, userId, this.#clock.now());
  }
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  const oldest = map.size >= NAMES_MAX ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
