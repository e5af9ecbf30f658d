/** Rows as SQLite gives them, read column by column. A value that does not fit its column is a broken file and throws. */
import type { Row, Value } from "./values.js";

/** Reads a row's values one after another. */
export class Columns {
  readonly #row: Row;
  #at: number;

  constructor(row: Row, at = 0) {
    this.#row = row;
    this.#at = at;
  }

  text(): string {
    const value = this.#row[this.#at++];
    if (typeof value !== "string") throw new Error(`column ${this.#at - 1}: text expected`);
    return value;
  }

  textOrNull(): string | null {
    const value = this.#row[this.#at++];
    if (value !== null && typeof value !== "string") throw new Error(`column ${this.#at - 1}: text or null expected`);
    return value;
  }

  int(): number {
    const value = this.#row[this.#at++];
    if (typeof value !== "number") throw new Error(`column ${this.#at - 1}: a number expected`);
    return value;
  }

  intOrNull(): number | null {
    const value = this.#row[this.#at++];
    if (value !== null && typeof value !== "number") throw new Error(`column ${this.#at - 1}: a number or null expected`);
    return value;
  }
}

/** What a JSON column holds; null where it is empty. */
export function parsedOrNull<T>(text: string | null): T | null {
  return text === null ? null : JSON.parse(text);
}

/** A flag as its column keeps it. */
export function flag(value: boolean): Value {
  return value ? 1 : 0;
}

/** A value as JSON text; null stays null. */
export function textOf(value: unknown): Value {
  return value === null ? null : JSON.stringify(value);
}
