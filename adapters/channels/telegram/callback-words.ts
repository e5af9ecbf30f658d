/**
 * The answer to a callback is the private word to the one who pressed, and it also stops the button's spinner.
 *
 * CW1  Every press gets one answer: with a word when there is one within `waitMs`, else without (O67, B018).
 * CW2  "Query is too old" is no fault: the press counts all the same (B018).
 */
import { cut } from "../../../src/core/cut.js";
import type { Clock } from "../../../src/ports/clock.js";
import { CALLBACK_TEXT_MAX } from "./limits.js";

/** Calls answerCallbackQuery. Resolves false when the answer was not taken; never rejects. */
export type AnswerCallback = (answer: { readonly id: string; readonly text?: string; readonly alert: boolean }) => Promise<boolean>;

/** Presses remembered as answered, so that a redelivered one is not answered again. */
const REMEMBERED = 1_000;

/** The presses of one account that still wait for their answer. */
export class CallbackWords {
  readonly #answer: AnswerCallback;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #waiting = new Map<string, () => void>();
  readonly #answered = new Set<string>();

  constructor({ answer, clock, waitMs }: { readonly answer: AnswerCallback; readonly clock: Clock; readonly waitMs: number }) {
    this.#answer = answer;
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** A press arrived: from now on its spinner is ours to stop. */
  arrived(id: string): void {
    if (this.#waiting.has(id) || this.#answered.has(id)) return;
    const cancel = this.#clock.after(this.#waitMs, () => void this.say(id, undefined, { alert: false }));
    this.#waiting.set(id, cancel);
  }

  /** Answers with a word (or none). False: it was answered before, or Telegram no longer takes it. Never rejects. */
  async say(id: string, word: string | undefined, { alert }: { readonly alert: boolean }): Promise<boolean> {
    if (this.#answered.has(id)) return false;
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
    this.#answered.add(id);
    if (this.#answered.size > REMEMBERED) for (const oldest of [...this.#answered].slice(0, REMEMBERED / 2)) this.#answered.delete(oldest);
    const text = word === undefined ? {} : { text: cut(word, { max: CALLBACK_TEXT_MAX, unit: "utf16" }) };
    return this.#answer({ id, ...text, alert });
  }

  /** Answers everything that still spins, without a word. */
  async close(): Promise<void> {
    await Promise.all([...this.#waiting.keys()].map((id) => this.say(id, undefined, { alert: false })));
  }
}
