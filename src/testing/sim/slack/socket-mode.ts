/**
 * Socket Mode as Slack runs it: a ticket from apps.connections.open, hello, pings, envelopes to one connection each,
 * acknowledgements by envelope id, refreshes.
 *
 * Sources: docs.slack.dev "Using Socket Mode" (10 connections; hello; disconnect with reason warning, refresh_requested,
 * link_disabled, too_many_websockets; 3 s to acknowledge), platforms.md section 2.1.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Faults } from "../faults.js";
import type { Attempt, DeliveryKind, Retry, Transport } from "./deliveries.js";
import { isObject, type Json, objectAt, parseJson, textAt } from "./json.js";

/** Most connections of one app. Source: docs.slack.dev "Using Socket Mode". */
const CONNECTIONS_MAX = 10;

/** What keeps a connection from being of use: nothing; no hello; hello but then neither pings nor events. */
type Silence = "none" | "before_hello" | "after_hello";

type Waiting = { readonly socket: WebSocket; readonly end: (attempt: Attempt) => void; readonly sentAtMs: number };

/** The server side of all of an app's connections. */
export class SocketModeServer implements Transport {
  /** For connections made from now on and, with `after_hello`, also for those that are open. */
  silence: Silence = "none";
  /** Acknowledgements that named no waiting envelope. */
  readonly strayAcks: string[] = [];
  /** Number of the last envelope or ticket. */
  serial = 0;
  /** Connections ever greeted. */
  greeted = 0;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #sockets = new Set<WebSocket>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #faults: Faults;
  readonly #ackTimeoutMs: number;
  readonly #pings: NodeJS.Timeout;
  #next = 0;
  #last: string | undefined;

  constructor({ faults, ackTimeoutMs, pingIntervalMs }: { faults: Faults; ackTimeoutMs: number; pingIntervalMs: number }) {
    this.#faults = faults;
    this.#ackTimeoutMs = ackTimeoutMs;
    this.#pings = setInterval(() => {
      if (this.silence !== "none") return;
      for (const socket of this.#sockets) socket.ping(`Ping from applink-${this.serial}`);
    }, pingIntervalMs);
    this.#pings.unref();
  }

  /** Connections that are open now. */
  get connected(): number {
    return this.#sockets.size;
  }

  /** A ticket for one connection. */
  ticket(): string {
    this.serial += 1;
    const ticket = `ticket-${this.serial}`;
    this.#tickets.add(ticket);
    return ticket;
  }

  /** Handles an HTTP upgrade. Faults: method `socket.connect`; `refuse` gives its code as HTTP status. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "/", "http://127.0.0.1").searchParams.get("ticket") ?? "";
    const fault = this.#faults.take("socket.connect");
    if (fault?.kind === "fail_before") return void socket.destroy();
    if (fault?.kind === "refuse" || fault?.kind === "server_error") {
      const status = fault.kind === "refuse" ? Number(fault.code) : fault.status;
      return void socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    }
    if (!this.#tickets.delete(ticket)) return void socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    this.#server.handleUpgrade(request, socket, head, (made) => {
      if (fault?.kind === "drop_response") return made.terminate();
      if (fault?.kind === "delay") setTimeout(() => this.#greet(made), fault.ms).unref();
      else this.#greet(made);
    });
  }

  #greet(socket: WebSocket): void {
    if (this.#sockets.size >= CONNECTIONS_MAX) {
      socket.send(JSON.stringify({ type: "disconnect", reason: "too_many_websockets" }));
      socket.close();
      return;
    }
    this.#sockets.add(socket);
    socket.on("message", (data) => this.#heard(Buffer.isBuffer(data) ? data.toString("utf8") : ""));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#lost(socket));
    if (this.silence === "before_hello") return;
    this.greeted += 1;
    socket.send(
      JSON.stringify({
        type: "hello",
        num_connections: this.#sockets.size,
        debug_info: { host: "applink-sim", approximate_connection_time: 18_060 },
        connection_info: { app_id: "A0SIM" },
      }),
    );
  }

  #lost(socket: WebSocket): void {
    this.#sockets.delete(socket);
    for (const [id, waiting] of this.#waiting) {
      if (waiting.socket !== socket) continue;
      this.#waiting.delete(id);
      waiting.end({ ok: false, reason: "connection_failed", afterMs: Date.now() - waiting.sentAtMs });
    }
  }

  #heard(data: string): void {
    const message = parseJson(data);
    const id = textAt(message, "envelope_id") ?? "";
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return void this.strayAcks.push(id);
    this.#waiting.delete(id);
    const body = isObject(message) ? objectAt(message, "payload") : undefined;
    waiting.end({ ok: true, body, afterMs: Date.now() - waiting.sentAtMs });
  }

  attempt(kind: DeliveryKind, payload: Json, retry?: Retry): Promise<Attempt> {
    this.serial += 1;
    const id = `envelope-${this.serial}`;
    const text = JSON.stringify({
      envelope_id: id,
      type: kind,
      payload,
      accepts_response_payload: kind === "interactive",
      ...(kind === "events_api" ? { retry_attempt: retry?.attempt ?? 0, retry_reason: retry?.reason ?? "" } : {}),
    });
    this.#last = text;
    return this.#send(id, text);
  }

  #send(id: string, text: string): Promise<Attempt> {
    const open = this.silence === "after_hello" ? [] : [...this.#sockets];
    const socket = open[this.#next % Math.max(1, open.length)];
    this.#next += 1;
    if (socket === undefined) return Promise.resolve({ ok: false, reason: "connection_failed", afterMs: 0 });
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        resolve({ ok: false, reason: "timeout", afterMs: this.#ackTimeoutMs });
      }, this.#ackTimeoutMs);
      timer.unref();
      const end = (attempt: Attempt): void => {
        clearTimeout(timer);
        resolve(attempt);
      };
      this.#waiting.set(id, { socket, end, sentAtMs: Date.now() });
      socket.send(text);
    });
  }

  async repeatLast(): Promise<void> {
    if (this.#last === undefined) throw new Error("nothing was delivered yet");
    await this.#send(textAt(parseJson(this.#last), "envelope_id") ?? "", this.#last);
  }

  /** Asks open connections to be renewed, as Slack does every few hours; `only` limits it to the first so many. */
  refresh(reason: "warning" | "refresh_requested" | "link_disabled", only = this.#sockets.size): void {
    for (const socket of [...this.#sockets].slice(0, only)) {
      socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink-sim" } }));
    }
  }

  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Sends a frame as it is to the first connection: for broken frames. */
  sendRaw(frame: string): void {
    [...this.#sockets][0]?.send(frame);
  }

  async stop(): Promise<void> {
    clearInterval(this.#pings);
    this.cut();
    for (const { end, sentAtMs } of this.#waiting.values()) end({ ok: false, reason: "stopped", afterMs: Date.now() - sentAtMs });
    this.#waiting.clear();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
