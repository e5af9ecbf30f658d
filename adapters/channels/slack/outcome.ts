/**
 * How one call of the Web API ended, in our words: what its caller may conclude, told by code and never by text (C3).
 *
 *   done · refused (code) · gone · later (wait) · unknown (it may have been carried out)
 *
 * Errors of the SDK are read by their `code` property, so that this file needs no SDK. Texts are redacted (B169).
 */
import { z } from "zod";
import type { DeliveryCode } from "../../../src/ports/channel.js";
import { verdictOf } from "./limits.js";

/** One JSON object as a method answers it. */
export type Reply = Readonly<Record<string, unknown>>;

/** How a call ended. */
export type CallOutcome =
  | { readonly kind: "done"; readonly reply: Reply }
  | { readonly kind: "refused"; readonly code: DeliveryCode; readonly error: string; readonly message: string }
  | { readonly kind: "gone"; readonly error: string; readonly message: string }
  | { readonly kind: "later"; readonly code: DeliveryCode; readonly afterMs: number; readonly message: string }
  | { readonly kind: "unknown"; readonly message: string };

/** Wait where Slack names none. */
const DEFAULT_WAIT_MS = 5_000;
/** Errors of the connection that prove that nothing was sent. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

const platformError = z.object({ code: z.literal("slack_webapi_platform_error"), data: z.object({ error: z.string() }) });
const rateLimited = z.object({ code: z.literal("slack_webapi_rate_limited_error"), retryAfter: z.number() });
const httpError = z.object({ code: z.literal("slack_webapi_http_error"), statusCode: z.number() });

/** Hides the account's secrets in a text. */
export type Redact = (text: string) => string;

/** Makes a `Redact` for exact secret values; longer ones first, so that no part of one is left. */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const known = secrets.filter((secret) => secret !== undefined && secret.length > 3).sort((a, b) => (b?.length ?? 0) - (a?.length ?? 0));
  return (text) => known.reduce<string>((shown, secret) => shown.replaceAll(secret ?? "", "[secret]"), text);
}

/** What a thrown error of a call means. */
export function outcomeOf(error: unknown, method: string, redact: Redact): CallOutcome {
  const refusedBySlack = platformError.safeParse(error);
  if (refusedBySlack.success) return platformOutcome(refusedBySlack.data.data.error, method);
  const limited = rateLimited.safeParse(error);
  if (limited.success) {
    const afterMs = Math.max(1, limited.data.retryAfter) * 1_000;
    return { kind: "later", code: "rate_limited", afterMs, message: `${method}: rate limited` };
  }
  const http = httpError.safeParse(error);
  if (http.success) return httpOutcome(http.data.statusCode, method);
  if (connectionCodes(error).some((code) => NOT_SENT.has(code))) {
    return { kind: "later", code: "unreachable", afterMs: DEFAULT_WAIT_MS, message: `${method}: Slack is out of reach` };
  }
  return { kind: "unknown", message: redact(`${method}: ${error instanceof Error ? error.message : "failed"}`) };
}

function platformOutcome(error: string, method: string): CallOutcome {
  const verdict = verdictOf(error);
  switch (verdict.kind) {
    case "refused":
      return { kind: "refused", code: verdict.code, error, message: `${method}: ${error}` };
    case "gone":
      return { kind: "gone", error, message: `${method}: ${error}` };
    case "later":
      return { kind: "later", code: verdict.code, afterMs: DEFAULT_WAIT_MS, message: `${method}: ${error}` };
    case "unknown":
      return { kind: "unknown", message: `${method}: ${error.slice(0, 60)}` };
  }
}

function httpOutcome(status: number, method: string): CallOutcome {
  const message = `${method}: HTTP ${status}`;
  if (status >= 500 || status === 408) return { kind: "unknown", message };
  return { kind: "refused", code: "rejected", error: `http_${status}`, message };
}

/** Codes of an error, of what it wraps and of its causes. */
function connectionCodes(error: unknown): readonly string[] {
  const codes: string[] = [];
  for (let at: unknown = error, depth = 0; typeof at === "object" && at !== null && depth < 6; depth += 1) {
    if ("code" in at && typeof at.code === "string") codes.push(at.code);
    at = "original" in at ? at.original : "cause" in at ? at.cause : undefined;
  }
  return codes;
}
