/**
 * The HTTP side of the simulator: `POST /api/<method>` and `POST /response/<id>`, with faults, scopes, rate limits and the call log.
 *
 * Sources: docs.slack.dev "Using the Slack Web API" (form or JSON bodies, bearer token, `{ ok, error }` with status 200, 429 with
 * Retry-After, `x-oauth-scopes`), scope lists of the method pages.
 */
import { createServer, type Server } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import type { Fault, Faults } from "../faults.js";
import type { SimCall } from "../simulator.js";
import { isObject, type Json, parseJson, textAt } from "./json.js";
import type { RateLimits } from "./rate-limits.js";
import { SlackRefusal } from "./refusal.js";

/** Scopes of a method, `history` and `read` meaning those of the channel's type. */
const SCOPES: Readonly<Record<string, string>> = {
  "chat.postMessage": "chat:write",
  "chat.update": "chat:write",
  "chat.postEphemeral": "chat:write",
  "conversations.open": "im:write",
  "conversations.list": "channels:read",
  "conversations.info": "read",
  "conversations.members": "read",
  "conversations.history": "history",
  "conversations.replies": "history",
  "users.info": "users:read",
};

/** What the bot may do unless a test says otherwise. */
export const ALL_SCOPES = [
  "chat:write",
  "im:write",
  "im:read",
  "im:history",
  "channels:read",
  "channels:history",
  "groups:read",
  "groups:history",
  "users:read",
] as const;

type WebServerOptions = {
  readonly faults: Faults;
  readonly limits: RateLimits | undefined;
  /** Runs one method. May throw `SlackRefusal`. */
  readonly run: (method: string, args: Json) => Json | Promise<Json>;
  /** Slack's error for this token on this method; undefined when it is good. */
  readonly tokenProblem: (method: string, token: string | undefined) => string | undefined;
  readonly scopes: () => readonly string[];
  readonly log: (call: SimCall) => void;
  readonly now: () => number;
};

type Bindings = { Bindings: HttpBindings };

/** Makes the server; it does not listen yet. */
export function webServer(options: WebServerOptions): Server {
  const app = new Hono<Bindings>();
  app.post("/api/:method", async (context) => answer(context, options, context.req.param("method"), await argsOf(context)));
  app.post("/response/:id", async (context) => {
    const body = parseJson(await context.req.text());
    return answer(context, options, "response_url", { ...(isObject(body) ? body : {}), __id: context.req.param("id") });
  });
  app.notFound((context) => context.json({ ok: false, error: "not_found" }, 404));
  const listen = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void listen(request, response));
  // A connection that the server closes while the client reuses it would look like a lost response.
  server.keepAliveTimeout = 120_000;
  return server;
}

async function argsOf(context: Context<Bindings>): Promise<Json> {
  const body = await context.req.text();
  if ((context.req.header("content-type") ?? "").includes("json")) {
    const parsed = parseJson(body);
    return isObject(parsed) ? parsed : {};
  }
  return Object.fromEntries(new URLSearchParams(body));
}

type Answered = {
  readonly status: 200 | 404 | 429 | 500 | 502 | 503;
  readonly body: Json | string;
  readonly headers?: Record<string, string>;
};

async function answer(context: Context<Bindings>, options: WebServerOptions, method: string, args: Json): Promise<Response> {
  const bearer = context.req.header("authorization");
  const token = bearer?.startsWith("Bearer ") ? bearer.slice(7) : textAt(args, "token");
  const logged = Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, typeof value === "string" ? (structured(value) ?? value) : value]),
  );
  const call: SimCall = { method, atMs: options.now(), body: logged, token, outcome: "running" };
  options.log(call);
  const fault = options.faults.take(method);
  const answered = await faulted(fault, () => carriedOut(options, method, args, token), method);
  if (answered === "dropped") {
    call.outcome = "dropped";
    context.env.incoming.socket.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  call.outcome = outcomeOf(answered);
  const { status, body, headers } = answered;
  if (typeof body === "string") return context.text(body, status, headers ?? {});
  return context.json(body, status, { "x-oauth-scopes": options.scopes().join(","), ...headers });
}

/** JSON inside a form field (blocks, view, metadata), so that a test reads the log as objects. */
function structured(value: string): unknown {
  return value.startsWith("{") || value.startsWith("[") ? parseJson(value) : undefined;
}

function outcomeOf({ status, body }: Answered): string {
  if (typeof body === "string") return `http_${status}`;
  return textAt(body, "error") ?? "ok";
}

async function faulted(fault: Fault | undefined, run: () => Promise<Answered>, method: string): Promise<Answered | "dropped"> {
  if (fault === undefined) return run();
  switch (fault.kind) {
    case "fail_before":
      return "dropped";
    case "drop_response":
      await run();
      return "dropped";
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.ms).unref());
      return run();
    case "rate_limit":
      return tooMany(fault.retryAfterS);
    case "server_error":
      return { status: fault.status, body: "<html><body>Something went wrong</body></html>" };
    case "refuse":
      return refused(method, String(fault.code), fault.extra ?? {});
    case "hook_before":
      await fault.hook();
      return run();
    case "hook_after": {
      const answered = await run();
      await fault.hook();
      return answered;
    }
  }
}

function tooMany(seconds: number): Answered {
  return { status: 429, body: { ok: false, error: "ratelimited" }, headers: { "retry-after": String(seconds) } };
}

function refused(method: string, code: string, extra: Json): Answered {
  return { status: method === "response_url" ? 404 : 200, body: { ok: false, error: code, ...extra } };
}

async function carriedOut(options: WebServerOptions, method: string, args: Json, token: string | undefined): Promise<Answered> {
  try {
    if (method !== "response_url") {
      const problem = options.tokenProblem(method, token);
      if (problem !== undefined) throw new SlackRefusal(problem);
      requireScope(options, method, textAt(args, "channel"));
    }
    const waitS = options.limits?.count(method, textAt(args, "channel"));
    if (waitS !== undefined) return tooMany(waitS);
    return { status: 200, body: { ok: true, ...(await options.run(method, args)) } };
  } catch (error) {
    if (error instanceof SlackRefusal) return refused(method, error.code, error.extra);
    throw error;
  }
}

function requireScope({ scopes }: WebServerOptions, method: string, channel: string | undefined): void {
  const family = SCOPES[method];
  if (family === undefined) return;
  const needed = family === "history" || family === "read" ? `${channel?.startsWith("D") ? "im" : "channels"}:${family}` : family;
  if (!scopes().includes(needed)) throw new SlackRefusal("missing_scope", { needed, provided: scopes().join(",") });
}
