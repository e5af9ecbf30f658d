/** The HTTP face: `/bot<token>/<method>`, JSON in and out, faults and hooks, dropped connections. */
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type HttpBindings, serve } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import type { Fault, Faults } from "../faults.js";
import type { SimCall } from "../simulator.js";
import { CALLS_KEPT } from "./limits.js";
import { type Json, Refusal, tooManyRequests } from "./wire.js";

/** Carries out one call; throws a `Refusal` for `ok: false`. */
export type Handler = (call: { readonly method: string; readonly body: Json; readonly gone: Promise<void> }) => Promise<unknown>;
type Ctx = Context<{ Bindings: HttpBindings }>;

/** Thrown by a fault: the connection is reset without a response. */
class Dropped extends Error {}

/** The Bot API server on loopback. */
export class ApiServer {
  readonly calls: SimCall[] = [];
  readonly #faults: Faults;
  readonly #handle: Handler;
  readonly #token: () => string | undefined;
  readonly #now: () => number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  constructor(parts: {
    readonly faults: Faults;
    readonly handle: Handler;
    readonly token: () => string | undefined;
    readonly now: () => number;
  }) {
    this.#faults = parts.faults;
    this.#handle = parts.handle;
    this.#token = parts.token;
    this.#now = parts.now;
  }

  async start(port: number): Promise<void> {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.all("*", (c) => this.#answer(c));
    await new Promise<void>((resolve) => {
      const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, (info: AddressInfo) => {
        this.port = info.port;
        resolve();
      }) as Server;
      // An idle connection that the server closes would look like a lost response to the next send.
      server.keepAliveTimeout = 120_000;
      server.on("connection", (socket: Socket) => {
        this.#sockets.add(socket);
        socket.once("close", () => this.#sockets.delete(socket));
      });
      this.#server = server;
    });
  }

  async #answer(c: Ctx): Promise<Response> {
    const [, token, method] = /^\/bot([^/]+)\/([A-Za-z]+)$/.exec(new URL(c.req.url).pathname) ?? [];
    if (token === undefined || method === undefined) return c.json({ ok: false, error_code: 404, description: "Not Found" }, 404);
    const body = await bodyOf(c);
    const call: SimCall = { method, atMs: this.#now(), body, token, outcome: "running" };
    this.calls.push(call);
    if (this.calls.length > CALLS_KEPT) this.calls.shift();
    try {
      if (token !== this.#token()) throw new Refusal(401, "Unauthorized");
      const result = await this.#carryOut(call, closing(c.env.incoming));
      call.outcome = "ok";
      return c.json({ ok: true, result });
    } catch (error) {
      return this.#failed(c, call, error);
    }
  }

  #failed(c: Ctx, call: SimCall, error: unknown): Response {
    if (error instanceof Dropped) {
      call.outcome = "dropped";
      c.env.incoming.socket.resetAndDestroy();
      return RESPONSE_ALREADY_SENT;
    }
    if (error instanceof EdgeFailure) {
      call.outcome = String(error.status);
      return c.html(`<html><body>${error.status}</body></html>`, error.status);
    }
    if (!(error instanceof Refusal)) throw error;
    call.outcome = `${error.errorCode} ${error.message}`;
    const parameters = error.parameters === undefined ? {} : { parameters: error.parameters };
    const text = JSON.stringify({ ok: false, error_code: error.errorCode, description: error.message, ...parameters });
    return new Response(text, { status: error.errorCode, headers: { "content-type": "application/json" } });
  }

  async #carryOut({ method, body }: SimCall, gone: Promise<void>): Promise<unknown> {
    const fault = this.#faults.take(method);
    await beforeCall(fault);
    const result = await this.#handle({ method, body, gone });
    if (fault?.kind === "hook_after") await fault.hook();
    if (fault?.kind === "drop_response") throw new Dropped();
    return result;
  }

  /** Cuts every open socket without a farewell. */
  resetConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }
}

class EdgeFailure extends Error {
  readonly status: 500 | 502 | 503;

  constructor(status: 500 | 502 | 503) {
    super(String(status));
    this.status = status;
  }
}

/** The part of a fault that comes before the call is carried out. */
async function beforeCall(fault: Fault | undefined): Promise<void> {
  switch (fault?.kind) {
    case "fail_before":
      throw new Dropped();
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return;
    case "rate_limit":
      throw tooManyRequests(fault.retryAfterS);
    case "server_error":
      throw new EdgeFailure(fault.status);
    case "refuse":
      throw new Refusal(Number(fault.code), fault.message ?? "Bad Request: refused by the test", fault.extra);
    case "hook_before":
      await fault.hook();
      return;
    default:
  }
}

const closings = new WeakMap<Socket, Promise<void>>();

/** Resolves when the connection of a request has closed; one listener per connection, which carries many requests. */
function closing({ socket }: IncomingMessage): Promise<void> {
  const known = closings.get(socket);
  if (known !== undefined) return known;
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  closings.set(socket, closed);
  return closed;
}

async function bodyOf(c: Ctx): Promise<Json> {
  const query = c.req.query();
  if (c.req.method !== "POST") return query;
  const raw: unknown = await c.req.json().catch(() => ({}));
  return typeof raw === "object" && raw !== null ? { ...query, ...raw } : query;
}
