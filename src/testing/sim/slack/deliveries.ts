/**
 * How Slack delivers: events again until they are acknowledged, interactions once.
 *
 * Sources: docs.slack.dev Events API ("Retries": at once, after 1 min, after 5 min; retry number and reason; `x-slack-no-retry`),
 * "Handling user interaction" (3 s to acknowledge, no retry), "Using Socket Mode" (each payload to one connection; envelopes that
 * were not acknowledged come again).
 */
import type { Json } from "./json.js";

/** Kind of an envelope. */
export type DeliveryKind = "events_api" | "interactive";
/** The marks of a redelivery. */
export type Retry = { readonly attempt: number; readonly reason: string };

/** How one attempt ended. `body` is what came back with the acknowledgement. */
export type Attempt =
  | { readonly ok: true; readonly body: Json | undefined; readonly afterMs: number }
  | { readonly ok: false; readonly reason: string; readonly afterMs: number; readonly noRetry?: boolean };

/** Socket Mode or HTTP. */
export interface Transport {
  /** Delivers once and waits for the acknowledgement, at most the deadline. */
  attempt(kind: DeliveryKind, payload: Json, retry?: Retry): Promise<Attempt>;
  /** Repeats the last payload, byte for byte. */
  repeatLast(): Promise<void>;
  /** Cuts every open connection at once. */
  cut(): void;
  stop(): Promise<void>;
}

/** One delivery as it went: for tests. */
export type DeliveryRecord = { readonly kind: DeliveryKind; readonly retry: number; readonly outcome: string; readonly afterMs: number };

const RECORDS_MAX = 10_000;

/** Runs attempts and retries over a transport. */
export class Deliveries {
  /** Every attempt that has ended, oldest first; the last 10,000. */
  readonly records: DeliveryRecord[] = [];
  readonly #transport: Transport;
  readonly #retryDelaysMs: readonly number[];
  readonly #timers = new Set<NodeJS.Timeout>();
  #running = 0;
  #stopped = false;

  constructor(transport: Transport, retryDelaysMs: readonly number[]) {
    this.#transport = transport;
    this.#retryDelaysMs = retryDelaysMs;
  }

  /** Events that are not acknowledged yet, those waiting for a retry included. */
  get pending(): number {
    return this.#running;
  }

  /** Delivers an event until it is acknowledged or the retries are used up. Does not wait. */
  event(payload: Json): void {
    this.#running += 1;
    this.#eventAttempt(payload, undefined, 0);
  }

  /** Delivers an interaction once. */
  async interaction(payload: Json): Promise<Attempt> {
    const attempt = await this.#transport.attempt("interactive", payload);
    this.#record("interactive", 0, attempt);
    return attempt;
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #eventAttempt(payload: Json, retry: Retry | undefined, used: number): void {
    void this.#transport.attempt("events_api", payload, retry).then((attempt) => {
      this.#record("events_api", used, attempt);
      const delayMs = this.#retryDelaysMs[used];
      if (attempt.ok || attempt.noRetry === true || delayMs === undefined || this.#stopped) {
        this.#running -= 1;
        return;
      }
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.#eventAttempt(payload, { attempt: used + 1, reason: attempt.reason }, used + 1);
      }, delayMs);
      timer.unref();
      this.#timers.add(timer);
    });
  }

  #record(kind: DeliveryKind, retry: number, attempt: Attempt): void {
    this.records.push({ kind, retry, outcome: attempt.ok ? "acknowledged" : attempt.reason, afterMs: attempt.afterMs });
    if (this.records.length > RECORDS_MAX) this.records.splice(0, this.records.length - RECORDS_MAX);
  }
}
