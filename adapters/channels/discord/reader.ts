/**
 * Gateway events in, inputs out. What is of no interest, unknown or malformed is skipped (B191, B192); what could not be stored is
 * tried again, and until then the place in the stream does not move past it, so that a restart gets it once more.
 *
 * D1  Messages of one channel are stored in the order they came; presses never wait for anything.
 * D2  Nothing here throws or rejects.
 */
import type { Input } from "../../../src/core/input.js";
import type { Intake } from "../../../src/ports/channel.js";
import type { Clock } from "../../../src/ports/clock.js";
import type { Log } from "../../../src/ports/log.js";
import type { Api } from "./api.js";
import { interactionInput, isWritten, type Reader, typedInput } from "./inbound.js";
import { type Answering, answerInteraction } from "./interactions.js";
import { dispatchPayload, type InteractionPayload, interactionPayload, type MessagePayload, messagePayload } from "./payloads.js";
import type { Places } from "./places.js";

/** Longest look-up of a thread's parent for a press, which has to be answered soon (O24). */
const PRESS_LOOKUP_MS = 2_000;

/** What the reader is made from. `retry`: first and longest pause before a failed store is tried again. */
export type EventReaderParts = {
  readonly api: Api;
  readonly places: Places;
  readonly reader: Reader;
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Log;
  readonly retry: { readonly minMs: number; readonly maxMs: number };
};

/** Reads one open channel's events; a new `open` makes a new one. */
export class EventReader {
  readonly #parts: EventReaderParts;
  readonly #answering: Answering;
  readonly #inWork = new Set<Promise<void>>();
  readonly #channels = new Map<string, Promise<void>>();
  #stopped = false;
  readonly #wakes = new Set<() => void>();

  constructor(parts: EventReaderParts) {
    this.#parts = parts;
    const { api, intake, clock, log } = parts;
    this.#answering = { api, intake, clock, log, input: (interaction) => this.#interactionInput(interaction) };
  }

  /** Takes one dispatch; `done` is called when it is stored or of no interest, and never when the reader was stopped before that. */
  read(payload: unknown, done: () => void): void {
    const work = this.#handle(payload)
      .then((finished) => {
        if (finished) done();
      })
      .catch((error: unknown) => {
        // D2: a fault of our own on one event must not end the intake.
        this.#parts.log.error({ error: String(error) }, "an event could not be handled and was skipped");
        done();
      });
    this.#inWork.add(work);
    void work.finally(() => this.#inWork.delete(work));
  }

  /** Stops trying again; resolves when nothing is in work. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const wake of [...this.#wakes]) wake();
    await Promise.all([...this.#inWork]);
  }

  async #handle(payload: unknown): Promise<boolean> {
    const event = dispatchPayload.safeParse(payload);
    if (!event.success) return true;
    const { t, d } = event.data;
    switch (t) {
      case "MESSAGE_CREATE": {
        const message = messagePayload.safeParse(d);
        return message.success && isWritten(message.data) ? this.#inOrder(message.data) : true;
      }
      case "INTERACTION_CREATE": {
        const interaction = interactionPayload.safeParse(d);
        return interaction.success ? this.#untilStored(() => answerInteraction(interaction.data, this.#answering)) : true;
      }
      case "GUILD_CREATE":
        this.#parts.places.learnServer(d);
        return true;
      case "CHANNEL_CREATE":
      case "THREAD_CREATE":
        this.#parts.places.learn(d);
        return true;
      default:
        return true;
    }
  }

  /** D1 */
  #inOrder(message: MessagePayload): Promise<boolean> {
    const before = this.#channels.get(message.channel_id) ?? Promise.resolve();
    const work = before.then(() => this.#untilStored(() => this.#storeMessage(message)));
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    this.#channels.set(message.channel_id, settled);
    void settled.then(() => {
      if (this.#channels.get(message.channel_id) === settled) this.#channels.delete(message.channel_id);
    });
    return work;
  }

  async #storeMessage(message: MessagePayload): Promise<void> {
    const { places, reader, intake } = this.#parts;
    const where = await places.whereIs(message.channel_id, { direct: message.guild_id === undefined });
    // Without its place a reply would meet no question: better later than wrong.
    if (where === undefined) throw new Error(`channel ${message.channel_id} could not be looked up`);
    const input = typedInput(message, where, reader);
    if (input !== null) await intake.take(input);
  }

  async #interactionInput(interaction: InteractionPayload): Promise<Input | null> {
    const { places, reader, clock } = this.#parts;
    const id = interaction.channel_id ?? interaction.channel?.id;
    if (id === undefined) return null;
    const looking = places.whereIs(id, { direct: interaction.guild_id === undefined, channel: interaction.channel });
    let cancel = (): void => undefined;
    const limit = new Promise<undefined>((resolve) => {
      cancel = clock.after(PRESS_LOOKUP_MS, () => resolve(undefined));
    });
    const where = await Promise.race([looking, limit]).finally(() => cancel());
    return interactionInput(interaction, where ?? { conversation: id }, reader);
  }

  /** True once `store` went through; false when the reader was stopped before. */
  async #untilStored(store: () => Promise<void>): Promise<boolean> {
    const { retry, log } = this.#parts;
    for (let pauseMs = retry.minMs; ; pauseMs = Math.min(pauseMs * 2, retry.maxMs)) {
      try {
        await store();
        return true;
      } catch (error) {
        if (this.#stopped) return false;
        log.warn({ error: error instanceof Error ? error.name : "unknown", pauseMs }, "an input could not be stored; it is tried again");
      }
      await this.#pause(pauseMs);
      if (this.#stopped) return false;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#wakes.delete(wake);
        resolve();
      };
      const cancel = this.#parts.clock.after(ms, wake);
      this.#wakes.add(wake);
      if (this.#stopped) wake();
    });
  }
}
