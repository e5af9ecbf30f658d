/**
 * The scripted person of one round: sees the prompt, presses or types a reply to it, and presses once more where the chat showed that
 * the first press failed. What it was told is kept, to be held against what the asker reads.
 */
import type { ChatKind, PressResult, SeenMessage, SimPerson, SimPlace } from "../../src/testing/sim/simulator.js";

/** What one round asks, and where. */
export type Scene = {
  readonly chat: ChatKind;
  /** Absent: the direct chat. */
  readonly place: SimPlace | undefined;
  readonly to: string;
  readonly key: string;
  /** Stands in this round's prompt and nowhere else. */
  readonly text: string;
  /** The first is given; the second shows whether a press that failed counted after all. */
  readonly options: readonly [string, string];
  readonly mode: "press" | "text";
  /** Which of two open copies the person takes. */
  readonly copy: "first" | "last";
};

/** One thing the person did. */
export type Act = { readonly choice: string; readonly mode: "press" | "text"; result: PressResult | undefined };

const TOLD = /already answered|Too late/;

/** See the module's header. */
export class Answerer {
  readonly acts: Act[] = [];
  readonly #person: SimPerson;
  readonly #scene: Scene;
  #chose = false;

  constructor(person: SimPerson, scene: Scene) {
    this.#person = person;
    this.#scene = scene;
  }

  #reads(): readonly SeenMessage[] {
    const { place } = this.#scene;
    const direct = this.#person.reads();
    return place === undefined ? direct : [...direct, ...this.#person.reads(place)];
  }

  /** Every copy of this round's prompt, oldest first. */
  prompts(): readonly SeenMessage[] {
    return this.#reads().filter(({ from, text }) => from === "bot" && text.includes(this.#scene.text) && !text.includes("Recorded:"));
  }

  openPrompts(): readonly SeenMessage[] {
    return this.prompts().filter(({ buttons, menu }) => buttons.some(({ disabled }) => disabled !== true) || menu.length > 0);
  }

  /** Labels that a private word said were recorded. */
  recorded(): readonly string[] {
    const words = this.#reads().filter(({ from, text }) => from === "bot" && text.includes("Recorded:"));
    const said = this.acts.flatMap(({ result }) => result?.word ?? []).filter((word) => word.includes("Recorded:"));
    return [...words.map(({ text }) => text), ...said].flatMap((text) => this.#scene.options.filter((label) => text.includes(label)));
  }

  /** Was the person told that what counted was given before? */
  toldOtherwise(): boolean {
    const words = this.#reads().filter(({ from, text }) => from === "bot" && TOLD.test(text));
    return words.length > 0 || this.acts.some(({ result }) => TOLD.test(result?.word ?? ""));
  }

  /** Waits for the prompt, then answers it once. */
  async answers(withinMs: number): Promise<void> {
    const { text, place, copy } = this.#scene;
    const isOpen = (message: SeenMessage): boolean => message.text.includes(text) && message.buttons.length > 0;
    await this.#person.waitsFor(isOpen, { withinMs, ...(place === undefined ? {} : { in: place }) });
    const open = this.openPrompts();
    const on = copy === "first" ? open[0] : open.at(-1);
    if (on === undefined) return;
    if (this.#scene.mode === "press") return this.#press(this.#scene.options[0], on);
    this.acts.push({ choice: this.#scene.options[0], mode: "text", result: undefined });
    await this.#person.types(this.#scene.options[0], { replyTo: on, ...(place === undefined ? {} : { in: place }) });
  }

  /** Presses once more where the first press visibly failed. Called again and again. */
  insists(): void {
    const [first, second] = this.acts;
    const [on] = this.openPrompts();
    if (first === undefined || second !== undefined || on === undefined || !this.#failed(first)) return;
    void this.#press(this.#scene.options[1], on);
  }

  #failed({ mode, result }: Act): boolean {
    if (mode === "text") return false;
    // A press on Discord is acknowledged before it is stored: only a word says that it counted. On Telegram it is delivered again.
    if (this.#scene.chat === "discord") return result !== undefined && this.recorded().length === 0;
    return this.#scene.chat === "slack" && result?.acknowledged === false;
  }

  /** Says which question a text was for, when asked. Called after every change. */
  choosesQuestion(): void {
    if (this.#chose) return;
    for (const message of this.#reads()) {
      const button =
        message.from === "bot" && message.text.includes(`"${this.#scene.options[0]}" for`)
          ? message.buttons.find(({ label }) => label.includes(this.#scene.text.slice(0, 12)))
          : undefined;
      if (button === undefined) continue;
      this.#chose = true;
      void this.#person.press(button.label, { on: message, in: { conversation: message.conversation } });
      return;
    }
  }

  async #press(choice: string, on: SeenMessage): Promise<void> {
    const act: Act = { choice, mode: "press", result: undefined };
    this.acts.push(act);
    act.result = await this.#person.press(choice, { on, in: { conversation: on.conversation } });
  }

  /** Presses a copy that is still open although the question has ended; the word that came back. */
  async pressesLeftover(on: SeenMessage): Promise<string> {
    const before = new Set(this.#reads().map(({ id }) => id));
    const result = await this.#person.press(this.#scene.options[1], { on, in: { conversation: on.conversation } });
    return result.word ?? this.#reads().find(({ id, from }) => from === "bot" && !before.has(id))?.text ?? "";
  }
}
