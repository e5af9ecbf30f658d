/**
 * A bridge as an asker's code holds it, over any way to the gateway: in process (src/app) or a socket (connect.ts). No
 * dependencies at run time.
 *
 * BC1  An outcome is acknowledged after it was handed to the caller's code, never by a read (R4); `close` waits for those on the way.
 * BC2  Ending a wait (signal, time, close) never ends the question.
 * BC3  What is stored is handed out as it is; its type follows from what was asked (types.ts).
 */
import type { StoredOutcome } from "../core/outcome.js";
import { HandraiseError } from "../errors.js";
import type { Creator, GatewayCalls, QuestionRef, WaitOptions } from "../gateway/calls.js";
import { durationMs } from "./duration.js";
import type { AskInput, Bridge, BridgeEvent, Duration, Outcome, Question, QuestionRecord } from "./types.js";

/** How long `close` waits for acknowledgements on the way, in milliseconds. */
const ACKNOWLEDGE_MAX_MS = 2_000;

/** What stands behind a bridge object. */
export type BridgeClientOptions = {
  /** Ends what is behind the bridge, once its own waits have ended. */
  readonly close?: () => Promise<void>;
};

type Wait = { readonly within?: Duration | undefined; readonly signal?: AbortSignal | undefined };
type StillOpen = { status: "open"; id: string };
type OutcomeOf<I extends AskInput> = Question<I>["outcome"];

/** The bridge over these calls, asking under this creator. */
export function createBridgeClient(calls: GatewayCalls, creator: Creator, options: BridgeClientOptions = {}): Bridge {
  const client = new Client(calls, creator);
  const close = async (): Promise<void> => {
    if (!(await client.close())) return;
    await options.close?.();
  };
  return {
    // `Strict` speaks to the compiler only; the gateway parses the input again.
    ask: ((input: AskInput) => client.ask(input)) as Bridge["ask"],
    question: (ref) => client.question(ref),
    list: (filter) => client.list(filter),
    events: (from) => client.events(from),
    openRun: () => Promise.reject(new HandraiseError("unsupported", "openRun: runs are not available yet. Use ask.")),
    close,
    [Symbol.asyncDispose]: close,
  };
}

class Client {
  readonly #calls: GatewayCalls;
  readonly #creator: Creator;
  /** How each wait under way is ended when this object is closed. */
  readonly #waits = new Set<(reason: unknown) => void>();
  readonly #acknowledging = new Set<Promise<void>>();
  #closed = false;

  constructor(calls: GatewayCalls, creator: Creator) {
    this.#calls = calls;
    this.#creator = creator;
  }

  async ask<I extends AskInput>(input: I): Promise<Question<I>> {
    this.#assertOpen();
    const { record } = await this.#calls.request(withoutUndefined(input), this.#creator);
    return this.#view<I>(record);
  }

  async question(ref: QuestionRef): Promise<Question> {
    this.#assertOpen();
    return this.#view<AskInput>(await this.#calls.get(ref, this.#creator));
  }

  async list(filter?: { session?: string }): Promise<readonly QuestionRecord[]> {
    this.#assertOpen();
    return typedRecords(await this.#calls.list(this.#creator, withoutUndefined(filter ?? {})));
  }

  async *events(from: { session?: string; after?: string; signal?: AbortSignal } = {}): AsyncGenerator<BridgeEvent> {
    this.#assertOpen();
    const wait = this.#begin(from.signal);
    try {
      const { session, after } = from;
      const events = this.#calls.events(this.#creator, withoutUndefined({ session, after, signal: wait.signal }));
      for await (const event of events) yield typedEvent(event);
    } finally {
      wait.end();
    }
  }

  /** False when it was closed before. */
  async close(): Promise<boolean> {
    if (this.#closed) return false;
    this.#closed = true;
    for (const end of this.#waits) end(closedError());
    await settledWithin(this.#acknowledging, ACKNOWLEDGE_MAX_MS);
    return true;
  }

  #view<I extends AskInput>({ id, code }: { readonly id: string; readonly code: string }): Question<I> {
    // The overloads of `outcome` are one function: with `within` it may say "open".
    const outcome = ((wait?: Wait) => this.#outcome<I>(id, wait)) as OutcomeOf<I>;
    return Object.freeze({
      id,
      code,
      outcome,
      cancel: async (reason?: string) => {
        this.#assertOpen();
        const stored = await this.#calls.cancel(id, this.#creator, reason === undefined ? {} : { reason });
        this.#acknowledgeSoon(id);
        return typedOutcome<I>(stored);
      },
      record: async () => {
        this.#assertOpen();
        return typedRecord(await this.#calls.get(id, this.#creator));
      },
    });
  }

  #outcome<I extends AskInput>(id: string, { within, signal }: Wait = {}): Promise<Outcome<I> | StillOpen> {
    if (this.#closed) return Promise.reject(closedError());
    return within === undefined && signal === undefined ? this.#wait<I>(id) : this.#limitedOutcome<I>(id, { within, signal });
  }

  async #limitedOutcome<I extends AskInput>(id: string, { within, signal }: Wait): Promise<Outcome<I> | StillOpen> {
    const withinMs = within === undefined ? undefined : durationMs(within);
    if (within !== undefined && withinMs === undefined) {
      const message = 'write a duration like "55s" or "2h".';
      throw new HandraiseError("input_invalid", `within: ${message}`, { issues: [{ path: "within", code: "duration", message }] });
    }
    signal?.throwIfAborted();
    return this.#wait<I>(id, withoutUndefined({ withinMs, signal }));
  }

  /**
   * One wait, ended when this object is closed. Nothing but an entry, two promises and their callbacks: many waits may be idle for days.
   * A wait without a limit that was cut short by one of the way (a long poll) goes on.
   */
  #wait<I extends AskInput>(id: string, options?: WaitOptions): Promise<Outcome<I> | StillOpen> {
    return new Promise((resolve, reject) => {
      this.#waits.add(reject);
      this.#calls.waitAnswer(id, this.#creator, options).then(
        (waited) => {
          this.#waits.delete(reject);
          if (waited.status === "ended") {
            this.#acknowledgeSoon(id);
            resolve(typedOutcome<I>(waited.outcome));
          } else if (options?.withinMs !== undefined) resolve({ status: "open", id });
          else if (!this.#closed) resolve(this.#wait<I>(id, options));
        },
        (error: unknown) => {
          this.#waits.delete(reject);
          reject(error);
        },
      );
    });
  }

  /** A signal for a stream that the caller's signal and `close` can end. */
  #begin(signal: AbortSignal | undefined): { readonly signal: AbortSignal; end(): void } {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal?.reason);
    const close = (reason: unknown): void => controller.abort(reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#waits.add(close);
    const end = (): void => {
      signal?.removeEventListener("abort", abort);
      this.#waits.delete(close);
    };
    return { signal: controller.signal, end };
  }

  /** BC1: after the promise that hands the outcome over has resolved. A lost acknowledgement is repeated by the next hand-over. */
  #acknowledgeSoon(id: string): void {
    const sent = new Promise<void>((done) => {
      setImmediate(() => void this.#calls.acknowledge(id, this.#creator).then(done, () => done()));
    });
    this.#acknowledging.add(sent);
    void sent.then(() => this.#acknowledging.delete(sent));
  }

  #assertOpen(): void {
    if (this.#closed) throw closedError();
  }
}

function closedError(): HandraiseError {
  return new HandraiseError("bridge_unreachable", "This bridge object was closed. Open questions stay open.");
}

async function settledWithin(pending: ReadonlySet<Promise<void>>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((done) => {
    timer = setTimeout(done, limitMs);
  });
  await Promise.race([Promise.allSettled(pending), limit]);
  clearTimeout(timer);
}

/** An explicit `undefined` counts as absent, however deep (api.md, section 2). */
function withoutUndefined<T>(value: T): Defined<T> {
  return defined(value) as Defined<T>;
}

type Defined<T> = { [P in keyof T]: Exclude<T[P], undefined> };

function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, defined(item)]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

// BC3. The four places where what is stored gets the type that follows from what was asked: the gateway checked the answer against
// the stored question, so the shapes agree.
function typedOutcome<I extends AskInput>(stored: StoredOutcome): Outcome<I> {
  return stored as unknown as Outcome<I>;
}

function typedRecord(record: unknown): QuestionRecord {
  return record as QuestionRecord;
}

function typedRecords(records: readonly unknown[]): readonly QuestionRecord[] {
  return records.map(typedRecord);
}

function typedEvent(event: unknown): BridgeEvent {
  return event as BridgeEvent;
}
