/** HTTP responses of the Discord simulator: results, refusals, rate limits and planned faults. */
import type { Fault } from "../faults.js";
import type { SimCall } from "../simulator.js";
import { DiscordRefusal } from "./errors.js";
import type { Reply } from "./routes.js";

type Ways = { readonly run: () => Response; readonly cut: () => Response; readonly call: SimCall; readonly global: boolean };

/** Carries a planned fault out; see `Fault` for what each does. */
export async function withFault(fault: Fault | undefined, { run, cut, call, global }: Ways): Promise<Response> {
  switch (fault?.kind) {
    case undefined:
      return run();
    case "drop_response":
      run();
      return cut();
    case "fail_before":
      return cut();
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return run();
    case "rate_limit":
      return limited(fault.retryAfterS, call, { global });
    case "server_error":
      call.outcome = String(fault.status);
      return new Response("<html>upstream connect error</html>", { status: fault.status, headers: { "content-type": "text/html" } });
    case "refuse": {
      const message = fault.message === undefined ? {} : { message: fault.message };
      return refused(new DiscordRefusal(Number(fault.code), { ...fault.extra, ...message }), call);
    }
    case "hook_before":
      await fault.hook();
      return run();
    case "hook_after": {
      const response = run();
      await fault.hook();
      return response;
    }
  }
}

/** 429 as the platform writes it. Source: discord-api-docs, Rate Limits. */
function limited(retryAfterS: number, call: SimCall, { global }: { readonly global: boolean }): Response {
  call.outcome = "429";
  const headers = {
    "retry-after": String(retryAfterS),
    "x-ratelimit-limit": "5",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset-after": String(retryAfterS),
    "x-ratelimit-scope": global ? "global" : "user",
    ...(global ? { "x-ratelimit-global": "true" } : {}),
    "x-ratelimit-bucket": bucketOf(call.method),
  };
  return json(429, { message: "You are being rate limited.", retry_after: retryAfterS, global }, headers);
}

/** Runs a route and writes what it gives, or its refusal. */
export function answered(run: () => Reply, call: SimCall): Response {
  try {
    const reply = run();
    call.outcome = "ok";
    const limits = {
      "x-ratelimit-limit": "50",
      "x-ratelimit-remaining": "49",
      "x-ratelimit-reset-after": "1",
      "x-ratelimit-bucket": bucketOf(call.method),
    };
    return reply === undefined ? new Response(null, { status: 204, headers: limits }) : json(200, reply, limits);
  } catch (error) {
    if (error instanceof DiscordRefusal) return refused(error, call);
    throw error;
  }
}

/** A refusal on the wire. */
export function refused(refusal: DiscordRefusal, call: SimCall): Response {
  call.outcome = String(refusal.code);
  return json(refusal.status, refusal.body);
}

/** A bucket's opaque name: one per route. */
function bucketOf(method: string): string {
  return Buffer.from(method).toString("hex").slice(0, 32);
}

/** A JSON response. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
}
