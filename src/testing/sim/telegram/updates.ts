/**
 * The queue of updates and its two ways out: held polls and a webhook.
 *
 * U1  An update stays until it is confirmed: by a poll with a greater offset, or by a 2xx of the webhook (Bot API, "Getting updates").
 * U2  A callback query is kept 150 s, anything else 24 h (server).
 * U3  A second poll ends the first with 409, and a set webhook ends all polls (server).
 * U4  `allowed_updates` holds until it is changed; what was queued before stays.
 */
import { CALLBACK_KEPT_MS, ON_REQUEST_KINDS, POLL_HOLD_MAX_S, UPDATE_KEPT_MS, UPDATES_LIMIT_MAX, WEBHOOK_RETRY_MAX_MS } from "./limits.js";
import type { UpdatesSnapshot } from "./snapshot.js";
import { badRequest, type Json, Refusal } from "./wire.js";

type Queued = { readonly update: Json & { readonly update_id: number }; readonly queue: number; readonly untilMs: number };
/** Where updates are posted to. */
export type Webhook = { readonly url: string; readonly secret: string | undefined };
type Held = { readonly end: (ended: "news" | "conflict") => void };

/** The updates of one bot. */
export class Updates {
  readonly #now: () => number;
  readonly #retryMs: number;
  #queued: Queued[] = [];
  #repeats: Queued[] = [];
  #nextId = 500;
  #allowed: readonly string[] | undefined;
  #held: Held | undefined;
  #webhook: Webhook | undefined;
  #pushing = new Set<number>();
  #lastDelivered: Queued | undefined;
  #lastError: string | undefined;
  #stopped = false;

  constructor({ now, retryMs }: { readonly now: () => number; readonly retryMs: number }) {
    this.#now = now;
    this.#retryMs = retryMs;
  }

  /** What can be started again from. */
  snapshot(): UpdatesSnapshot {
    return { nextId: this.#nextId, queued: [...this.#due()] };
  }

  /** Takes over a snapshot. Only before anything was queued. */
  restore({ nextId, queued }: UpdatesSnapshot): void {
    this.#nextId = nextId;
    this.#queued = queued;
  }

  /** Updates nobody has confirmed yet. */
  get pending(): readonly Json[] {
    return this.#due().map(({ update }) => update);
  }

  get webhook(): Webhook | undefined {
    return this.#webhook;
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** True while a poll is held open. */
  get polled(): boolean {
    return this.#held !== undefined;
  }

  /** Queues an update of this kind, if it was asked for. `queue`: updates of one chat keep their order towards a webhook. */
  add(kind: string, payload: Json, queue: number): void {
    const allowed = this.#allowed === undefined ? !ON_REQUEST_KINDS.includes(kind) : this.#allowed.includes(kind);
    if (allowed) this.force(kind, payload, queue);
  }

  /** Queues it whether or not it was asked for, as a kind that was queued before `allowed_updates` changed (U4). */
  force(kind: string, payload: Json, queue: number): void {
    const update = { update_id: this.#nextId++, [kind]: payload };
    const keptMs = kind === "callback_query" ? CALLBACK_KEPT_MS : UPDATE_KEPT_MS;
    this.#queued.push({ update, queue, untilMs: this.#now() + keptMs });
    this.#wake();
  }

  allow(value: unknown): void {
    if (value === undefined) return;
    if (!Array.isArray(value)) throw badRequest("can't parse allowed updates list");
    this.#allowed = value.length === 0 ? undefined : value.map(String);
  }

  /** One getUpdates call. `gone` resolves when the caller's connection has closed. */
  async poll(body: Json, gone: Promise<void>): Promise<readonly Json[]> {
    const { offset = 0, limit = UPDATES_LIMIT_MAX, timeout = 0, allowed_updates } = body as Readonly<Record<string, unknown>>;
    if (this.#webhook !== undefined) {
      throw new Refusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    this.#held?.end("conflict"); // U3: the newer call wins
    this.allow(allowed_updates);
    this.#confirm(Number(offset));
    const count = Math.min(Math.max(Number(limit), 1), UPDATES_LIMIT_MAX);
    const holdMs = Math.min(Number(timeout), POLL_HOLD_MAX_S) * 1_000;
    if (holdMs > 0 && this.#due().length === 0 && this.#repeats.length === 0) await this.#hold(holdMs, gone);
    const ready = [...this.#repeats.splice(0), ...this.#due()].slice(0, count);
    this.#lastDelivered = ready.at(-1) ?? this.#lastDelivered;
    return ready.map(({ update }) => update);
  }

  #hold(holdMs: number, gone: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => held.end("news"), holdMs);
      const held: Held = {
        end: (ended) => {
          clearTimeout(timer);
          if (this.#held === held) this.#held = undefined;
          if (ended === "news") resolve();
          else
            reject(new Refusal(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"));
        },
      };
      this.#held = held;
      void gone.then(() => held.end("news"));
    });
  }

  /** U1: an offset above an update's id confirms it; a negative one keeps only the newest so many. */
  #confirm(offset: number): void {
    if (offset > 0) this.#queued = this.#queued.filter(({ update }) => update.update_id >= offset);
    if (offset < 0) this.#queued = this.#queued.slice(offset);
  }

  #due(): readonly Queued[] {
    const nowMs = this.#now();
    this.#queued = this.#queued.filter(({ untilMs }) => untilMs > nowMs); // U2
    return this.#queued;
  }

  #wake(): void {
    if (this.#webhook === undefined) this.#held?.end("news");
    else this.#pushAll();
  }

  setWebhook(webhook: Webhook | undefined, { drop }: { readonly drop: boolean }): void {
    if (drop) this.#queued = [];
    this.#webhook = webhook;
    this.#lastError = undefined;
    if (webhook === undefined) return;
    this.#held?.end("conflict");
    this.#pushAll();
  }

  #pushAll(): void {
    for (const queue of new Set(this.#due().map((queued) => queued.queue))) void this.#pushQueue(queue);
  }

  /** Delivers one chat's updates in order, each until a 2xx came (server: pauses grow, up to a minute or two). */
  async #pushQueue(queue: number): Promise<void> {
    if (this.#pushing.has(queue)) return;
    this.#pushing.add(queue);
    let pauseMs = this.#retryMs;
    for (;;) {
      const next = this.#due().find((queued) => queued.queue === queue);
      const webhook = this.#webhook;
      if (next === undefined || webhook === undefined || this.#stopped) break;
      if (await this.#push(webhook, next)) {
        this.#queued = this.#queued.filter((queued) => queued !== next);
        pauseMs = this.#retryMs;
        continue;
      }
      await new Promise<void>((resolve) => setTimeout(resolve, pauseMs).unref());
      pauseMs = Math.min(pauseMs * 2, WEBHOOK_RETRY_MAX_MS);
    }
    this.#pushing.delete(queue);
  }

  async #push({ url, secret }: Webhook, queued: Queued): Promise<boolean> {
    const headers = { "content-type": "application/json", ...(secret === undefined ? {} : { "x-telegram-bot-api-secret-token": secret }) };
    try {
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(queued.update) });
      await response.arrayBuffer();
      this.#lastDelivered = queued;
      this.#lastError = response.ok ? undefined : `Wrong response from the webhook: ${response.status} ${response.statusText}`;
      return response.ok;
    } catch {
      this.#lastError = "Connection refused";
      return false;
    }
  }

  /** Delivers the last delivered update once more, byte for byte. */
  async redeliverLast(): Promise<void> {
    const last = this.#lastDelivered;
    if (last === undefined) throw new Error("nothing was delivered yet");
    if (this.#webhook !== undefined) {
      await this.#push(this.#webhook, last);
      return;
    }
    this.#repeats.push(last);
    this.#wake();
  }

  stop(): void {
    this.#stopped = true;
    this.#webhook = undefined;
    this.#held?.end("news");
  }
}
