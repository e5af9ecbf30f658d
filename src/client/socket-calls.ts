/**
 * The gateway's calls over a socket: dialled when a call needs it, shared while it stands, dialled anew when it is gone.
 *
 * SC1  A call is repeated only when that cannot do anything twice: an ask with a key, a read, a wait, a cancel, an
 *      acknowledgement. An ask without a key is repeated only while nothing was sent.
 * SC2  It is repeated for 10 s where a bridge may be restarting: an ask with a key, and everything once a bridge was reached.
 *      Otherwise, and after that, it ends with `bridge_unreachable`.
 * SC3  Who asks is the server's to say; the creator given here never goes over the wire (R12).
 */
import type { StoredOutcome } from "../core/outcome.js";
import type { BridgeEvent, QuestionRecord } from "../core/record.js";
import { HandraiseError } from "../errors.js";
import type { Creator, GatewayCalls, QuestionRef, Waited, WaitOptions } from "../gateway/calls.js";
import { dial, type Link, type LinkCall, LinkLost } from "./link.js";
import { findSocket } from "./rendezvous.js";
import { fieldsOf } from "./wire.js";

/** How long a call is repeated while no bridge is there, in milliseconds. */
export const RETRY_MAX_MS = 10_000;
const RETRY_PAUSE_MS = 100;

/** Where the bridge is, and how long it is waited for. */
export type SocketCallsOptions = {
  /** The socket's public path. */
  readonly socket: string;
  /** Default 10,000. */
  readonly retryMs?: number;
};

type Call = LinkCall & { readonly repeatable: boolean; readonly patient?: boolean };

/** The gateway of another process of this machine. */
export class SocketCalls implements GatewayCalls {
  readonly #socket: string;
  readonly #retryMs: number;
  #link: Promise<Link> | undefined;
  #reached = false;
  #closed = false;

  constructor({ socket, retryMs = RETRY_MAX_MS }: SocketCallsOptions) {
    this.#socket = socket;
    this.#retryMs = retryMs;
  }

  async request(input: unknown, _creator: Creator): Promise<{ readonly record: QuestionRecord; readonly created: boolean }> {
    const keyed = typeof fieldsOf(input).get("key") === "string";
    const value = await this.#perform({ method: "question.request", params: { input }, repeatable: keyed, patient: keyed });
    return value as { readonly record: QuestionRecord; readonly created: boolean };
  }

  async cancel(ref: QuestionRef, _creator: Creator, options: { readonly reason?: string } = {}): Promise<StoredOutcome> {
    return (await this.#perform({ method: "question.cancel", params: { ref, ...options }, repeatable: true })) as StoredOutcome;
  }

  async waitAnswer(ref: QuestionRef, _creator: Creator, { withinMs, signal, includeResolutionId }: WaitOptions = {}): Promise<Waited> {
    const endsAtMs = withinMs === undefined ? undefined : performance.now() + withinMs;
    const value = await this.#perform({
      method: "question.waitAnswer",
      // A repeated wait gets only what is left of its time.
      get params() {
        const left = endsAtMs === undefined ? {} : { withinMs: Math.max(0, Math.ceil(endsAtMs - performance.now())) };
        return { ref, ...left, ...(includeResolutionId === true ? { includeResolutionId } : {}) };
      },
      signal,
      repeatable: true,
    });
    return value as Waited;
  }

  async acknowledge(ref: QuestionRef, _creator: Creator): Promise<void> {
    await this.#perform({ method: "question.acknowledge", params: { ref }, repeatable: true });
  }

  async get(ref: QuestionRef, _creator: Creator): Promise<QuestionRecord> {
    return (await this.#perform({ method: "question.get", params: { ref }, repeatable: true })) as QuestionRecord;
  }

  async list(_creator: Creator, filter: { readonly session?: string } = {}): Promise<readonly QuestionRecord[]> {
    let records: QuestionRecord[] = [];
    await this.#perform({
      method: "question.list",
      get params() {
        records = [];
        return filter;
      },
      onItem: (value) => records.push(value as QuestionRecord),
      repeatable: true,
    });
    return records;
  }

  /** Resumes after the last event seen when the connection is lost; an event is never given twice. */
  async *events(
    _creator: Creator,
    { session, after, signal }: { readonly session?: string; readonly after?: string; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<BridgeEvent> {
    const stream = new EventStream(after);
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal?.reason);
    if (signal?.aborted === true) return;
    signal?.addEventListener("abort", abort, { once: true });
    const running = this.#perform({
      method: "question.events",
      get params() {
        return { ...(session === undefined ? {} : { session }), ...(stream.cursor === undefined ? {} : { after: stream.cursor }) };
      },
      signal: stop.signal,
      onItem: (value) => stream.push(value as BridgeEvent),
      repeatable: true,
    }).then(
      () => stream.end(),
      (error: unknown) => stream.end(stop.signal.aborted ? undefined : error),
    );
    try {
      for (let event = await stream.next(); event !== undefined; event = await stream.next()) yield event;
    } finally {
      signal?.removeEventListener("abort", abort);
      stop.abort();
      await running;
    }
  }

  /** Ends the connection; calls on the way reject. */
  async close(): Promise<void> {
    this.#closed = true;
    const link = await this.#link?.catch(() => undefined);
    link?.close();
  }

  async #perform(call: Call): Promise<unknown> {
    let giveUpAt: number | undefined;
    for (;;) {
      try {
        const link = await this.#open();
        giveUpAt = undefined;
        return await link.call({ method: call.method, params: call.params, signal: call.signal, ...onItemOf(call) });
      } catch (error) {
        if (!(error instanceof LinkLost)) throw error;
        this.#link = undefined;
        giveUpAt ??= performance.now() + this.#retryMs;
        const mayRepeat = (!error.sent || call.repeatable) && (call.patient === true || this.#reached);
        if (this.#closed || !mayRepeat || performance.now() >= giveUpAt) throw this.#unreachable(error);
        await pause(RETRY_PAUSE_MS, call.signal);
      }
    }
  }

  #open(): Promise<Link> {
    this.#link = (this.#link ?? Promise.resolve(undefined)).then(async (link) => {
      if (link?.usable === true) return link;
      const found = await findSocket(this.#socket);
      if (found === undefined) throw new LinkLost(false, "no bridge is running there");
      const dialled = await dial(found);
      this.#reached = true;
      return dialled;
    });
    return this.#link;
  }

  #unreachable(error: LinkLost): HandraiseError {
    const sent = error.sent ? " The call may have been carried out: give an ask a key to make it repeatable." : "";
    return new HandraiseError(
      "bridge_unreachable",
      `No bridge answers at ${this.#socket}: ${error.message}. Start one with handraise start.${sent}`,
      { facts: { socket: this.#socket } },
    );
  }
}

function onItemOf({ onItem }: Call): { readonly onItem?: (value: unknown) => void } {
  return onItem === undefined ? {} : { onItem };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** Events that came and were not read yet. */
class EventStream {
  readonly #events: BridgeEvent[] = [];
  #cursor: string | undefined;
  #ended: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(after: string | undefined) {
    this.#cursor = after;
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  push(event: BridgeEvent): void {
    this.#cursor = event.id;
    this.#events.push(event);
    this.#wake?.();
  }

  end(error?: unknown): void {
    this.#ended = { error };
    this.#wake?.();
  }

  /** The next event; undefined at the end. @throws what ended the stream. */
  async next(): Promise<BridgeEvent | undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      if (this.#ended !== undefined) {
        if (this.#ended.error !== undefined) throw this.#ended.error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
