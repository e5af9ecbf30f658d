/**
 * One person who sits at all three chats at once and acts wherever the question turns up.
 *
 * A test that does not care about the platform says `person.press("prod")`: an ask resolves when it is stored, before anybody has seen
 * it, so every action waits for its control.
 */
import type { PressResult, SeenMessage, SeenModal, SimPerson } from "./sim/simulator.js";

/** Longest wait for a control or a message, in milliseconds, unless an action says otherwise. */
export const ROAMING_WAIT_MS = 5_000;

type Waiting = { readonly withinMs?: number };
type On = Waiting & { readonly on?: SeenMessage };
type Found = { readonly person: SimPerson; readonly message: SeenMessage };

/** A person over all chats; the direct chats only. For threads, shared conversations and media use the person of one chat. */
export class RoamingPerson {
  readonly name: string;
  readonly #persons: readonly SimPerson[];
  /** Which chat a message that was handed out came from. */
  readonly #origins = new WeakMap<SeenMessage, SimPerson>();

  /** @param persons the same person, once per chat; at least one. */
  constructor(persons: readonly SimPerson[]) {
    this.#persons = persons;
    this.name = persons[0]?.name ?? "";
  }

  /** Messages of the direct chats, oldest first. */
  reads(): readonly SeenMessage[] {
    return this.#all()
      .map(({ message }) => message)
      .sort((a, b) => a.atMs - b.atMs);
  }

  /** Waits, up to `withinMs`, for a message in any direct chat that `match` accepts. The error tells what was there in each chat. */
  async waitsFor(match: (message: SeenMessage) => boolean, { withinMs = ROAMING_WAIT_MS }: Waiting = {}): Promise<SeenMessage> {
    const tries = this.#persons.map(async (person) => this.#from(person, await person.waitsFor(match, { withinMs })));
    try {
      return await Promise.any(tries);
    } catch (error) {
      const reasons: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
      throw new Error(reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join("; "), { cause: error });
    }
  }

  /** Presses the button with this exact label, once it is there. */
  async press(label: string, options: On = {}): Promise<PressResult> {
    const { person, message } = await this.#with((seen) => seen.buttons.some((button) => button.label === label), options);
    return person.press(label, { on: message });
  }

  /** Chooses entries of a menu by label, once they are there. */
  async picks(labels: readonly string[], options: On = {}): Promise<PressResult> {
    const offers = (seen: SeenMessage): boolean =>
      labels.every((label) => [...seen.menu, ...seen.buttons].some((entry) => entry.label === label));
    const { person, message } = await this.#with(offers, options);
    return person.picks(labels, { on: message });
  }

  /** Presses the button that opens a form (Telegram: a forced reply), once it is there, and hands the form over. */
  async opensModal(label: string, options: On = {}): Promise<SeenModal> {
    const { person, message } = await this.#with((seen) => seen.buttons.some((button) => button.label === label), options);
    return person.opensModal(label, { on: message });
  }

  /** Writes a message: in reply to `replyTo`, or in the direct chat where the bot spoke last, once it has. */
  async types(text: string, { replyTo, withinMs }: Waiting & { readonly replyTo?: SeenMessage } = {}): Promise<SeenMessage> {
    const found = await this.#with(({ from }) => from === "bot", {
      ...(replyTo === undefined ? {} : { on: replyTo }),
      ...(withinMs === undefined ? {} : { withinMs }),
    });
    return this.#from(found.person, await found.person.types(text, replyTo === undefined ? {} : { replyTo }));
  }

  async #with(match: (message: SeenMessage) => boolean, { on, withinMs }: On): Promise<Found> {
    const origin = on === undefined ? undefined : this.#origins.get(on);
    if (on !== undefined && origin !== undefined) return { person: origin, message: on };
    const now = this.#all().findLast(({ message }) => match(message));
    if (now !== undefined) return now;
    const message = await this.waitsFor(match, withinMs === undefined ? {} : { withinMs });
    return { person: this.#origins.get(message) ?? this.#first(), message };
  }

  /** All messages with their chats, by time. */
  #all(): readonly Found[] {
    return this.#persons
      .flatMap((person) => person.reads().map((message) => ({ person, message: this.#from(person, message) })))
      .sort((a, b) => a.message.atMs - b.message.atMs);
  }

  #from(person: SimPerson, message: SeenMessage): SeenMessage {
    this.#origins.set(message, person);
    return message;
  }

  #first(): SimPerson {
    const [first] = this.#persons;
    if (first === undefined) throw new Error("this person is in no chat");
    return first;
  }
}
