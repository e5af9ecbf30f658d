/**
 * HTTP mode's door: checks a request on its raw bytes and hands its body on; the response tells what became of it.
 *
 * H1  The signature is checked on the bytes as they came (B173). A host that has consumed the body must leave them in `rawBody`.
 * H2  A request older or newer than five minutes is refused; when its signature is good, the skew is counted and named (B164, B172).
 * H3  The same request again, byte for byte, has no second effect and gets the first answer; one that failed may come again (B172).
 * H4  The answer is sent after the work (persist, then confirm): 200, or 500 when it could not be stored, so that Slack tries again.
 *
 * Source: docs.slack.dev "Verifying requests from Slack", "Events API" (url_verification).
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../../../src/ports/log.js";
import { REQUEST_AGE_MAX_S, REQUEST_BODY_MAX } from "./limits.js";

/** What is sent back: an empty 200, a JSON body, or a failure. */
type DoorAnswer = { readonly status: number; readonly json?: unknown };

type DoorOptions = {
  readonly signingSecret: string;
  readonly now: () => number;
  readonly log: Log;
  /** Carries a body out; resolves with what goes back as the acknowledgement. Rejects when nothing may be confirmed. */
  readonly work: (body: unknown, retry: { readonly attempt?: number; readonly reason?: string }) => Promise<unknown>;
  readonly changed: () => void;
};

/** Remembered requests at most: five minutes of them at 30 a second. */
const REMEMBERED_MAX = 10_000;

/** One account's door in HTTP mode. */
export class HttpDoor {
  readonly #options: DoorOptions;
  readonly #seen = new Map<string, { readonly atMs: number; readonly answer: Promise<DoorAnswer> }>();
  #open = false;
  #refusedByTime = 0;
  #skewS: number | undefined;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  set open(open: boolean) {
    this.#open = open;
  }

  /** "clock skew about 600 s (3 requests refused)", until a request is taken again. */
  get skew(): string | undefined {
    if (this.#skewS === undefined) return undefined;
    return `clock skew about ${this.#skewS} s (${this.#refusedByTime} requests refused)`;
  }

  /** The request listener. */
  readonly listen = (request: IncomingMessage, response: ServerResponse): void => {
    void this.#handle(request).then(
      (answer) => send(response, answer),
      (error: unknown) => {
        this.#options.log.error({ error: error instanceof Error ? error.name : "unknown" }, "slack: a request failed");
        send(response, { status: 500 });
      },
    );
  };

  async #handle(request: IncomingMessage): Promise<DoorAnswer> {
    if (!this.#open) return { status: 503 };
    if (request.method !== "POST") return { status: 405 };
    const raw = await rawBody(request);
    if (raw === "too_large") return { status: 413 };
    if (raw === "consumed") {
      this.#options.log.error(
        {},
        "slack: the request's body was read before its signature could be checked; hand over the raw bytes as rawBody",
      );
      return { status: 500 };
    }
    const stamp = header(request, "x-slack-request-timestamp");
    const signature = header(request, "x-slack-signature");
    if (!this.#signed(raw, stamp, signature)) return { status: 401 };
    const now = this.#options.now();
    const skewS = Math.round(now / 1_000 - Number(stamp));
    if (Math.abs(skewS) > REQUEST_AGE_MAX_S) {
      this.#refusedByTime += 1;
      // Stamps are whole seconds and take time to arrive: "about" is to the next ten.
      this.#skewS = Math.round(Math.abs(skewS) / 10) * 10;
      this.#options.changed();
      return { status: 401 };
    }
    if (this.#skewS !== undefined) {
      this.#skewS = undefined;
      this.#options.changed();
    }
    return this.#once(signature, now, () => this.#work(raw, request));
  }

  #signed(raw: Buffer, stamp: string, signature: string): boolean {
    if (!/^\d{1,12}$/.test(stamp)) return false;
    const wanted = createHmac("sha256", this.#options.signingSecret).update(`v0:${stamp}:`).update(raw).digest();
    const given = Buffer.from(signature.replace(/^v0=/, ""), "hex");
    return signature.startsWith("v0=") && given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  /** H3: one run for a signature; a failed one is forgotten. */
  #once(signature: string, now: number, run: () => Promise<DoorAnswer>): Promise<DoorAnswer> {
    const known = this.#seen.get(signature);
    if (known !== undefined) return known.answer;
    for (const [old, { atMs }] of this.#seen) {
      if (this.#seen.size < REMEMBERED_MAX && now - atMs < 2 * REQUEST_AGE_MAX_S * 1_000) break;
      this.#seen.delete(old);
    }
    const answer = run().then((done) => {
      if (done.status >= 300) this.#seen.delete(signature);
      return done;
    });
    this.#seen.set(signature, { atMs: now, answer });
    return answer;
  }

  async #work(raw: Buffer, request: IncomingMessage): Promise<DoorAnswer> {
    const body = bodyOf(raw.toString("utf8"), header(request, "content-type"));
    if (typeof body !== "object" || body === null) return { status: 400 };
    if ("type" in body && body.type === "url_verification") {
      return { status: 200, json: { challenge: "challenge" in body ? body.challenge : "" } };
    }
    const attempt = Number.parseInt(header(request, "x-slack-retry-num"), 10);
    const reason = header(request, "x-slack-retry-reason");
    const retry = { ...(Number.isNaN(attempt) ? {} : { attempt }), ...(reason === "" ? {} : { reason }) };
    try {
      const json = await this.#options.work(body, retry);
      return json === undefined ? { status: 200 } : { status: 200, json };
    } catch {
      return { status: 500 };
    }
  }
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === "string" ? value : "";
}

/** The bytes of the body: those a host kept in `rawBody`, else read from the stream. */
async function rawBody(request: IncomingMessage): Promise<Buffer | "too_large" | "consumed"> {
  if ("rawBody" in request && Buffer.isBuffer(request.rawBody)) return request.rawBody;
  if (request.readableEnded || request.readableDidRead) return "consumed";
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > REQUEST_BODY_MAX) return "too_large";
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Events come as JSON, interactions as a form with JSON under `payload`. */
function bodyOf(text: string, contentType: string): unknown {
  try {
    if (contentType.includes("json")) return JSON.parse(text);
    return JSON.parse(new URLSearchParams(text).get("payload") ?? "");
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { status, json }: DoorAnswer): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  if (json === undefined) {
    response.end();
    return;
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(json));
}
