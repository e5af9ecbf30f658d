/**
 * One connection to a bridge's socket: dialled, greeted, then many calls at once, each by its number.
 *
 *   dial ──► connected ──hello/welcome──► greeted ──lost──► every running call rejects with `LinkLost`
 *
 * LK1  A call that was written may have been carried out: `LinkLost.sent` says so, and the caller decides whether to repeat it.
 * LK2  An idle link does not keep the process alive; one with a running call does.
 */
import { connect as connectSocket, type Socket } from "node:net";
import { HandraiseError } from "../errors.js";
import type { HostMethod } from "../ports/host-wire.js";
import { encodeFrame, FRAME_MAX_BYTES, FrameReader } from "./frames.js";
import type { Rendezvous } from "./rendezvous.js";
import { fromWireError, parseServerMessage, type ServerMessage, type SocketMethod, WIRE_VERSION } from "./wire.js";

/** The way to the bridge is gone. `sent`: the call may have been carried out. */
export class LinkLost extends Error {
  readonly sent: boolean;
  constructor(sent: boolean, reason: string) {
    super(reason);
    this.sent = sent;
  }
}

/** One call over a link. */
export type LinkCall = {
  readonly method: SocketMethod | HostMethod;
  readonly params: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Takes the parts of a list or the events of a stream. */
  readonly onItem?: (value: unknown) => void;
  /** Called in the tick in which the call is written, right before it; what it throws rejects the call, and nothing is written (R16). */
  readonly guard?: () => void;
};

type Running = {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onItem: ((value: unknown) => void) | undefined;
};

const GREETING_MAX_MS = 5_000;

/** Dials and greets. @throws {LinkLost} with `sent: false`; `unauthenticated` is a stale token, so it counts as lost too. */
export function dial(to: Rendezvous & { readonly key?: string }): Promise<Link> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(to.path);
    const lost = (reason: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(new LinkLost(false, reason));
    };
    const timer = setTimeout(() => lost("the bridge did not greet in time"), GREETING_MAX_MS);
    const link = new Link(socket, {
      greeted: () => {
        clearTimeout(timer);
        resolve(link);
      },
      refused: lost,
    });
    socket.once("error", (error) => lost(error.message));
    socket.once("close", () => lost("the bridge closed the connection"));
    socket.once("connect", () => link.greet(to.token, to.key));
  });
}

/** A connection; made by `dial`. */
export class Link {
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  readonly #running = new Map<number, Running>();
  readonly #on: { readonly greeted: () => void; readonly refused: (reason: string) => void };
  #nextId = 1;
  #state: "dialled" | "greeted" | "lost" = "dialled";

  constructor(socket: Socket, on: { readonly greeted: () => void; readonly refused: (reason: string) => void }) {
    this.#socket = socket;
    this.#on = on;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#lose(error.message));
    socket.on("close", () => this.#lose("the bridge closed the connection"));
  }

  get usable(): boolean {
    return this.#state === "greeted";
  }

  /** `key`: one of another scope than asking; without it the token's. */
  greet(token: string, key?: string): void {
    this.#write({ type: "hello", version: WIRE_VERSION, token, ...(key === undefined ? {} : { key }) });
  }

  /** @throws {LinkLost}; the bridge's own error; the signal's reason. */
  async call({ method, params, signal, onItem, guard }: LinkCall): Promise<unknown> {
    signal?.throwIfAborted();
    if (!this.usable) throw new LinkLost(false, "the connection is closed");
    const id = this.#nextId++;
    const frame = encodeFrame({ type: "call", id, method, params });
    if (frame === undefined) throw new HandraiseError("input_invalid", `This call is longer than ${FRAME_MAX_BYTES} bytes. Shorten it.`);
    const stop = (): void => {
      this.#write({ type: "stop", id });
      this.#running.get(id)?.reject(signal?.reason);
    };
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#running.set(id, { resolve, reject, onItem });
        signal?.addEventListener("abort", stop, { once: true });
        guard?.();
        this.#socket.ref();
        this.#socket.write(frame);
      });
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#running.delete(id);
      if (this.#running.size === 0) this.#socket.unref();
    }
  }

  /** Ends the connection; running calls reject. */
  close(): void {
    this.#lose("the connection was closed");
    this.#socket.end();
    this.#socket.unref();
  }

  #write(message: object): void {
    const frame = encodeFrame(message);
    if (frame !== undefined && this.#socket.writable) this.#socket.write(frame);
  }

  #take(chunk: Buffer): void {
    for (const frame of this.#reader.push(chunk)) {
      const message = frame.kind === "value" ? parseServerMessage(frame.value) : undefined;
      // A server that speaks no sense is not one: the caller dials anew.
      if (message === undefined) this.#lose(frame.kind === "value" ? "the bridge sent an unknown message" : frame.reason);
      else this.#handle(message);
    }
  }

  #handle(message: ServerMessage): void {
    switch (message.type) {
      case "ping":
        return;
      case "welcome":
        if (this.#state === "dialled") this.#state = "greeted";
        this.#socket.unref();
        this.#on.greeted();
        return;
      case "item":
        this.#running.get(message.id)?.onItem?.(message.value);
        return;
      case "result":
        this.#running.get(message.id)?.resolve(message.value);
        return;
      case "error":
        // Later errors without a number are about a frame that this program never sends.
        if (message.id === null) {
          if (this.#state === "dialled") this.#on.refused(message.error.detail);
        } else this.#running.get(message.id)?.reject(this.#errorOf(message.error));
    }
  }

  /** A bridge that is stopping ends its waits with `bridge_unreachable`: the same as a lost connection. */
  #errorOf(error: Parameters<typeof fromWireError>[0]): Error {
    return error.code === "bridge_unreachable" ? new LinkLost(true, error.detail) : fromWireError(error);
  }

  #lose(reason: string): void {
    if (this.#state === "lost") return;
    this.#state = "lost";
    for (const { reject } of this.#running.values()) reject(new LinkLost(true, reason));
    this.#socket.destroySoon();
  }
}
