/**
 * HTTP mode as Slack runs it: signed POSTs to the app's request URL, 3 s for a 2xx.
 *
 * Sources: docs.slack.dev "Verifying requests from Slack" (v0 HMAC-SHA256 over `v0:timestamp:raw body`), Events API (JSON body,
 * x-slack-retry-num, x-slack-retry-reason, x-slack-no-retry), "Handling user interaction" (form body with `payload`).
 */
import { createHmac } from "node:crypto";
import { request } from "node:http";
import type { Attempt, DeliveryKind, Retry, Transport } from "./deliveries.js";
import { isObject, type Json, parseJson } from "./json.js";

/** A request as it goes over the wire. */
export type SignedRequest = { readonly body: string; readonly headers: Readonly<Record<string, string>> };
/** What the app answered. */
export type AppResponse = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly body: string };

/** Signs a body as Slack does, at this second. */
export function signed(body: string, secret: string, atS: number, contentType: string): SignedRequest {
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${atS}:${body}`).digest("hex")}`;
  return { body, headers: { "content-type": contentType, "x-slack-request-timestamp": String(atS), "x-slack-signature": signature } };
}

/** Posts one request to the app on loopback. Rejects when the connection fails or nothing came within `timeoutMs`. */
export function post(url: string, { body, headers }: SignedRequest, timeoutMs: number): Promise<AppResponse> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method: "POST", headers: { ...headers, "content-length": Buffer.byteLength(body) }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString("utf8") }),
        );
      },
    );
    call.setTimeout(timeoutMs, () => call.destroy(new Error("http_timeout")));
    call.on("error", reject);
    call.end(body);
  });
}

/** Delivers by HTTP. */
export class HttpModeSender implements Transport {
  /** Where the app listens; set once it does. */
  url = "";
  readonly #secret: string;
  readonly #ackTimeoutMs: number;
  readonly #now: () => number;
  #lastAtS = 0;
  #last: { readonly kind: DeliveryKind; readonly body: string; readonly sent: SignedRequest } | undefined;

  constructor({ secret, ackTimeoutMs, now }: { secret: string; ackTimeoutMs: number; now: () => number }) {
    this.#secret = secret;
    this.#ackTimeoutMs = ackTimeoutMs;
    this.#now = now;
  }

  /** The last request with its headers, to be replayed by a test. */
  get last(): SignedRequest | undefined {
    return this.#last?.sent;
  }

  attempt(kind: DeliveryKind, payload: Json, retry?: Retry): Promise<Attempt> {
    const json = JSON.stringify(payload);
    return this.#deliver(kind, kind === "events_api" ? json : `payload=${encodeURIComponent(json)}`, retry);
  }

  async #deliver(kind: DeliveryKind, body: string, retry: Retry | undefined): Promise<Attempt> {
    const type = kind === "events_api" ? "application/json" : "application/x-www-form-urlencoded";
    // A repeat comes later than what it repeats, so that it is signed anew.
    const atS = Math.max(Math.floor(this.#now() / 1_000), retry === undefined ? 0 : this.#lastAtS + 1);
    this.#lastAtS = atS;
    const made = signed(body, this.#secret, atS, type);
    const marks = retry === undefined ? {} : { "x-slack-retry-num": String(retry.attempt), "x-slack-retry-reason": retry.reason };
    const sent = { body, headers: { ...made.headers, ...marks } };
    this.#last = { kind, body, sent };
    const startedAtMs = Date.now();
    const afterMs = (): number => Date.now() - startedAtMs;
    try {
      const { status, headers, body: answer } = await post(this.url, sent, this.#ackTimeoutMs);
      const noRetry = headers["x-slack-no-retry"] === "1";
      if (status < 200 || status > 299) return { ok: false, reason: "http_error", afterMs: afterMs(), noRetry };
      const parsed = parseJson(answer);
      return { ok: true, body: isObject(parsed) ? parsed : undefined, afterMs: afterMs() };
    } catch (error) {
      const timedOut = error instanceof Error && error.message === "http_timeout";
      return { ok: false, reason: timedOut ? "http_timeout" : "connection_failed", afterMs: afterMs() };
    }
  }

  async repeatLast(): Promise<void> {
    if (this.#last === undefined) throw new Error("nothing was delivered yet");
    await this.#deliver(this.#last.kind, this.#last.body, { attempt: 1, reason: "http_timeout" });
  }

  cut(): void {}

  async stop(): Promise<void> {}
}
