/** Discord ids in the simulator: 64-bit snowflakes, later ones greater. Source: discord-api-docs, Reference, "Snowflakes". */

/** Milliseconds of the first second of 2015, from which Discord counts. */
const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** Mints ids that never repeat and always grow, also within one millisecond (4,096 of them) and when the clock jumps back. */
export class Snowflakes {
  #last = 0n;
  readonly #now: () => number;

  /** @param last the last id of an earlier life, if any. */
  constructor(now: () => number, last = "0") {
    this.#now = now;
    this.#last = BigInt(last);
  }

  /** The id given last; "0" before the first. */
  get last(): string {
    return this.#last.toString();
  }

  next(): string {
    const fresh = (BigInt(Math.floor(this.#now())) - DISCORD_EPOCH_MS) << 22n;
    this.#last = fresh > this.#last ? fresh : this.#last + 1n;
    return this.#last.toString();
  }
}

/** Is this text a snowflake: 17 to 20 digits? */
export function isSnowflake(text: string): boolean {
  return /^\d{17,20}$/.test(text);
}

/** Is `left` older than `right`? Ids compare as numbers, not as text. */
export function olderThan(left: string, right: string): boolean {
  return BigInt(left) < BigInt(right);
}
