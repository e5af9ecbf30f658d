/**
 * The webhook's listener: one POST per update.
 *
 * WH1  The secret header is compared in constant time on every delivery, before the body is looked at (B175).
 * WH2  200 only after the update is stored; 500 when it could not be, 503 when it takes too long: then Telegram repeats it (B005, B022).
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../src/ports/clock.js";

/** Source: Bot API, setWebhook.secret_token. Node gives header names in lower case. */
const SECRET_HEADER = "x-telegram-bot-api-secret-token";
/** Bytes of one update; real ones stay far below. */
const BODY_MAX_BYTES = 1_048_576;

/** What the listener works with. */
export type WebhookParts = {
  readonly secretToken: string;
  /** Stores what the update says; undefined while the channel is closed. */
  readonly handle: () => ((update: unknown) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly storeTimeoutMs: number;
};

/** Makes the listener. */
export function webhookListener(parts: WebhookParts): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void statusOf(request, parts).then((status) => {
      response.writeHead(status, { "content-length": "0" });
      response.end();
    });
  };
}

async function statusOf(request: IncomingMessage, parts: WebhookParts): Promise<number> {
  if (!sameSecret(request.headers[SECRET_HEADER], parts.secretToken)) return 401; // WH1
  if (request.method !== "POST") return 405;
  const handle = parts.handle();
  if (handle === undefined) return 503;
  try {
    const body = await bodyOf(request);
    if (body === undefined) return 413;
    const update: unknown = JSON.parse(body);
    return await statusInTime(handle(update), parts);
  } catch {
    return 500; // WH2
  }
}

function statusInTime(stored: Promise<void>, { clock, storeTimeoutMs }: WebhookParts): Promise<number> {
  return new Promise((resolve) => {
    const cancel = clock.after(storeTimeoutMs, () => resolve(503));
    stored.then(
      () => resolve(200),
      () => resolve(500),
    );
    void stored.then(cancel, cancel);
  });
}

function sameSecret(given: string | string[] | undefined, wanted: string): boolean {
  // Digests have one length, so neither length nor content shows in the time taken.
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(typeof given === "string" ? given : ""), digest(wanted)) && typeof given === "string";
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > BODY_MAX_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}
