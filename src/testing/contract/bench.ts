/**
 * The bench of the channel contract: what an adapter's test puts on the table, and the doubles that stand in for the host.
 *
 * The doubles sit at the ports (`Intake`, `ChannelMemory`, `Log`, `Clock`); the adapter, its SDK and the wire are real.
 */
import type { Input } from "../../core/input.js";
import type { Channel, ChannelMemory, DeliveryCode, Intake, Taken } from "../../ports/channel.js";
import type { Clock } from "../../ports/clock.js";
import type { Log } from "../../ports/log.js";
import type { Fault } from "../sim/faults.js";
import type { ChatSimulator, SimPerson, SimPlace } from "../sim/simulator.js";

/** A conversation as both sides name it. */
export type BenchPlace = { readonly conversation: string; readonly thread?: string; readonly direct: boolean };

/** What `describeChannelContract` needs for every clause; made anew for each. */
export type ChannelBench = {
  /** Open, with `intake`. */
  readonly channel: Channel;
  readonly simulator: ChatSimulator;
  readonly intake: RecordingIntake;
  readonly log: RecordingLog;
  /** The one who is asked, and another member of `room`. */
  readonly person: SimPerson;
  readonly other: SimPerson;
  /** The direct chat with `person`. */
  readonly direct: BenchPlace;
  /** A shared conversation of the bot, `person` and `other`. */
  readonly room: BenchPlace;
  /** A thread or topic of `room` that exists. */
  readonly thread: BenchPlace;
  /** A name of a conversation that does not exist, in the platform's form. */
  readonly unknownName: string;
  /** The platform's methods behind `send` and `redraw`, as `Faults` names them. */
  readonly methods: { readonly send: string; readonly edit: string };
  /** Refusals of a send that are final, and the code each must be told as. */
  readonly refusals: readonly { readonly fault: Fault; readonly code: DeliveryCode }[];
  /** Credentials that may never be seen in a log, an error or a result. */
  readonly secrets: readonly string[];
  /** What makes the platform repeat an event that was not confirmed, where it does not do so by itself (Discord: a new connection). */
  readonly provokeRedelivery?: () => Promise<void>;
  /** A new adapter with the same account, memory and simulator, not opened: the product after a restart. The old one is to be closed first. */
  readonly again: () => Promise<Channel>;
  /** Closes every channel and stops the simulator. */
  readonly stop: () => Promise<void>;
};

/** Longest wait of a clause for something to happen, in milliseconds. */
export const BENCH_WAIT_MS = 10_000;

/** Calls `look` until it gives something, every few milliseconds, at most `BENCH_WAIT_MS`; the error tells `what` and the last state. */
export async function eventually<T>(what: string, look: () => T | undefined, state?: () => unknown): Promise<T> {
  const until = Date.now() + BENCH_WAIT_MS;
  for (;;) {
    const seen = look();
    if (seen !== undefined) return seen;
    if (Date.now() > until) throw new Error(`waited ${BENCH_WAIT_MS} ms for ${what}; there was ${JSON.stringify(state?.() ?? null)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** An `Intake` in memory that can be told to fail, to wait and what to say. Every call is recorded, failed ones too. */
export class RecordingIntake implements Intake {
  /** Every input that was handed over, whatever became of it. */
  readonly begun: Input[] = [];
  /** Inputs that were stored, in order, repeats included. */
  readonly taken: Input[] = [];
  /** Inputs whose storing failed. */
  readonly failed: Input[] = [];
  readonly moves: { readonly account: string; readonly from: string; readonly to: string }[] = [];
  #failures = 0;
  #gate: Promise<void> = Promise.resolve();
  #reply: (input: Input) => Taken | Promise<Taken> = () => ({ kind: "taken" });

  async take(input: Input): Promise<Taken> {
    this.begun.push(input);
    await this.#gate;
    if (this.#failures > 0) {
      this.#failures -= 1;
      this.failed.push(input);
      throw new Error("the store is full (asked for by the test)");
    }
    this.taken.push(input);
    return this.#reply(input);
  }

  async moved(change: { readonly account: string; readonly from: string; readonly to: string }): Promise<void> {
    this.moves.push(change);
  }

  /** The next `times` inputs cannot be stored. */
  failNext(times = 1): void {
    this.#failures += times;
  }

  /** From now on nothing is stored until the returned function is called. */
  hold(): () => void {
    let release: () => void = () => undefined;
    this.#gate = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  /** What `take` says from now on. Default: taken. */
  says(reply: (input: Input) => Taken | Promise<Taken>): void {
    this.#reply = reply;
  }

  /** Waits for a stored input of this kind that `match` accepts, among all so far. */
  waitsFor<K extends Input["kind"]>(
    kind: K,
    match: (input: Extract<Input, { kind: K }>) => boolean = () => true,
  ): Promise<Extract<Input, { kind: K }>> {
    const fits = (input: Input): input is Extract<Input, { kind: K }> => input.kind === kind;
    return eventually(
      `an input of kind ${kind}`,
      () => this.taken.filter(fits).find(match),
      () => this.taken,
    );
  }

  /** Waits until `count` inputs were stored. */
  async waitsForCount(count: number): Promise<readonly Input[]> {
    return eventually(
      `${count} inputs`,
      () => (this.taken.length >= count ? this.taken : undefined),
      () => this.taken,
    );
  }
}

/** A `ChannelMemory` that outlives a channel, as the store does. */
export class MapMemory implements ChannelMemory {
  readonly values = new Map<string, string>();

  async get(key: string): Promise<string | undefined> {
    return this.values.get(key);
  }

  async put(key: string, value: string): Promise<void> {
    this.values.set(key, value);
  }
}

/** A `Log` that keeps its lines. */
export class RecordingLog implements Log {
  readonly lines: {
    readonly level: "debug" | "info" | "warn" | "error";
    readonly facts: Readonly<Record<string, unknown>>;
    readonly message: string;
  }[] = [];

  debug(facts: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ level: "debug", facts, message });
  }
  info(facts: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ level: "info", facts, message });
  }
  warn(facts: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ level: "warn", facts, message });
  }
  error(facts: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ level: "error", facts, message });
  }

  /** All of it as one text, errors with message, stack and causes: what a test searches for secrets. */
  text(): string {
    return everything(this.lines);
  }
}

/** A value with all that an inspector could print of it: own and hidden properties of errors, causes, nested objects. */
export function everything(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (seen.has(value)) return "";
  seen.add(value);
  const names = Object.getOwnPropertyNames(value);
  return names.map((name) => `${name}=${everything(Reflect.get(value, name), seen)}`).join("\n");
}

/** The machine's own clock as a `Clock`. */
export const machineClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A bench place as the simulator's person names it. */
export function simPlace({ conversation, thread }: BenchPlace): SimPlace {
  return thread === undefined ? { conversation } : { conversation, thread };
}
