/**
 * The local page for simulated chats: a Slack, a Discord and a Telegram conversation side by side, served on 127.0.0.1.
 *
 *   GET  /              the page and its assets (src/web/assets, plain HTML, CSS and JavaScript)
 *   GET  /api/events    server-sent `state` events: the whole page as JSON, at once and after every change
 *   POST /api/act       one action of the person (see desk.ts)
 *
 * P1  Every request passes the guard first (guard.ts).
 * P2  Changes are merged: at most one `state` event per `MERGE_MS` and reader, the newest state only.
 * P3  The page may show only what it brings along: a strict content security policy, no inline code, no foreign address.
 */
import { once } from "node:events";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { HandraiseError } from "../errors.js";
import type { ChatSimulator } from "../testing/sim/simulator.js";
import { readAssets } from "./assets.js";
import { ACTION, Desk } from "./desk.js";
import { refusal } from "./guard.js";
import { chatView, type PageState } from "./state.js";

/** Changes within this many milliseconds reach a reader as one. */
export const MERGE_MS = 20;
/** A comment is sent to a silent reader this often, in milliseconds, so that a dead connection is noticed. */
export const KEEP_ALIVE_MS = 15_000;
/** How long `close` waits for open connections to end by themselves, in milliseconds. */
export const CLOSE_MS = 500;
const BODY_MAX_BYTES = 64 * 1024;

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** Lines that the asker's terminal printed, shown at the foot of the page. */
export type Terminal = { readonly lines: () => readonly string[]; readonly onLine: (seen: () => void) => () => void };

/** `chats`: the simulators shown, in this order. `person`: who sits at the page. `port` 0 takes any free one. */
export type PageOptions = {
  readonly chats: readonly ChatSimulator[];
  readonly person: string;
  readonly port: number;
  readonly terminal?: Terminal;
};

/** A page that is being served. `close` ends every open connection and resolves when the port is free. */
export type ChatPage = { readonly url: string; readonly port: number; readonly close: () => Promise<void> };

/**
 * Serves the page on 127.0.0.1.
 * @throws {HandraiseError} `config_invalid` when the port is taken or not allowed; the message names it and `--port`.
 */
export async function openChatPage(options: PageOptions): Promise<ChatPage> {
  const room = new Room(options);
  const address = { port: options.port };
  const server = createAdaptorServer({ fetch: pageApp(room, address, await readAssets()).fetch });
  server.listen(options.port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (cause) {
    room.close();
    throw portProblem(options.port, cause);
  }
  const bound = server.address();
  if (bound !== null && typeof bound === "object") address.port = bound.port;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      room.close();
      // Streams end by themselves now; a reader that is stuck is cut off.
      const cut = setTimeout(() => "closeAllConnections" in server && server.closeAllConnections(), CLOSE_MS);
      await closed;
      clearTimeout(cut);
    },
  };
}

/** The error for a port that cannot be listened on, with the remedy. */
export function portProblem(port: number, cause: unknown): HandraiseError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const why =
    code === "EADDRINUSE"
      ? `Port ${port} on 127.0.0.1 is taken by another program. Stop that program, or start with --port and another number`
      : `Port ${port} on 127.0.0.1 cannot be opened (${String(code ?? cause)}). Start with --port and another number`;
  return new HandraiseError("config_invalid", `${why}, for example --port ${port === 8484 ? 8485 : 8484}.`, { facts: { port }, cause });
}

function pageApp(room: Room, address: { readonly port: number }, assets: Awaited<ReturnType<typeof readAssets>>) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (c, next) => {
    for (const [header, value] of Object.entries(HEADERS)) c.header(header, value);
    const problem = refusal({ method: c.req.method, port: address.port, headers: c.env.incoming.headers });
    if (problem !== undefined) return c.json({ error: problem }, 403); // P1
    return next();
  });
  app.get("/api/events", (c) => {
    c.header("connection", "close"); // A stream that ended leaves no idle connection for `close` to wait for.
    return streamSSE(c, (stream) => room.streamTo(stream));
  });
  app.post("/api/act", bodyLimit({ maxSize: BODY_MAX_BYTES }), (c) => act(c, room.desk));
  app.get("*", (c) => {
    const asset = assets.get(c.req.path === "/" ? "/index.html" : c.req.path);
    if (asset === undefined) return c.json({ error: "There is nothing here." }, 404);
    return c.body(asset.text, 200, { "content-type": asset.type });
  });
  app.onError((error, c) => {
    const known = error instanceof HandraiseError;
    return c.json({ error: known ? error.detail : `That did not work: ${error.message}` }, known ? 409 : 500);
  });
  return app;
}

async function act(c: Context, desk: Desk): Promise<Response> {
  const body: unknown = await c.req.json().catch(() => undefined);
  const action = ACTION.safeParse(body);
  if (!action.success) return c.json({ error: "The page sent something this server does not know. Reload the page." }, 400);
  return c.json(await desk.act(action.data));
}

/** The shared state behind every reader of the page. */
class Room {
  readonly desk: Desk;
  readonly #options: PageOptions;
  readonly #undo: readonly (() => void)[];
  readonly #wakers = new Set<() => void>();
  #version = 1;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PageOptions) {
    const changed = () => this.#changed();
    this.#options = options;
    this.desk = new Desk({ chats: options.chats, person: options.person, changed });
    this.#undo = [...options.chats.map((chat) => chat.onChange(changed)), options.terminal?.onLine(changed) ?? (() => undefined)];
  }

  state(): PageState {
    const { chats, person, terminal } = this.#options;
    return {
      person,
      chats: chats.map((chat) => chatView(chat, person, this.desk.form(chat.channel))),
      terminal: terminal?.lines().slice(-50) ?? [],
    };
  }

  /** Writes the state now and after every change until the reader goes away. */
  async streamTo(stream: SSEStreamingApi): Promise<void> {
    let told = 0;
    stream.onAbort(() => this.#wake());
    while (!this.#closed && !stream.aborted) {
      const version = this.#version;
      if (version !== told) await stream.writeSSE({ event: "state", data: JSON.stringify(this.state()), retry: 1_000 });
      else if (!(await this.#change())) await stream.write(": still here\n\n");
      told = version;
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const undo of this.#undo) undo();
    this.#wake();
  }

  /** True when something changed or a reader left, false when nothing did for `KEEP_ALIVE_MS`. */
  #change(): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (changed: boolean) => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve(changed);
      };
      const wake = () => end(true);
      const timer = setTimeout(() => end(false), KEEP_ALIVE_MS);
      this.#wakers.add(wake);
    });
  }

  #changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#version += 1;
      this.#wake();
    }, MERGE_MS); // P2
  }

  #wake(): void {
    for (const wake of [...this.#wakers]) wake();
  }
}
