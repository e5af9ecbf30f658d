/**
 * One caller's connection: greeted by the token, then any number of calls at once.
 *
 * PE1  Data and liveness are apart (A!7): a stray byte, a malformed frame, or an end of the caller's input never ends a call that
 *      runs; a connection that is gone does, and even that ends only waits, never questions.
 * PE2  Every fault of a frame is answered by an error frame (A!9).
 * PE3  Nothing is done before the token was right.
 * PE4  A hello with a key of scope `host` makes it a host's connection: its calls go to the host desk, and nothing else is allowed.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import { encodeFrame, FRAME_MAX_BYTES, FrameReader } from "../client/frames.js";
import { type ClientMessage, parseClientMessage, type ServerMessage, toWireError, WIRE_VERSION } from "../client/wire.js";
import { HandraiseError } from "../errors.js";
import type { Creator, GatewayCalls } from "../gateway/calls.js";
import type { HostDesk, HostIdentity } from "../gateway/host-desk.js";
import type { Log } from "../ports/log.js";
import { invoke } from "./methods.js";

/** Limits of one connection; milliseconds. */
export type PeerLimits = { readonly helloMs: number; readonly pingMs: number; readonly callsMax: number };

/** The desk of hosts, and how their keys are told. */
export type HostDoor = {
  readonly desk: Pick<HostDesk, "invoke">;
  /** @throws `unauthenticated`, `scope_missing`. */
  readonly identify: (key: string) => Promise<HostIdentity>;
};

/** What every connection of one door shares. */
export type PeerContext = {
  readonly gateway: GatewayCalls;
  readonly creator: Creator;
  readonly token: string;
  /** Hosts in other processes of this machine; absent: keys are not taken. */
  readonly hosts?: HostDoor;
  readonly limits: PeerLimits;
  readonly log: Log;
};

/** A caller, from its connection to its end. */
export class Peer {
  /** Resolves when the connection is closed and nothing of it runs. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  readonly #context: PeerContext;
  readonly #reader = new FrameReader();
  readonly #calls = new Map<number, { readonly stop: AbortController; readonly done: Promise<void> }>();
  readonly #timers: { hello: NodeJS.Timeout; ping: NodeJS.Timeout };
  #greeted = false;
  #host: HostIdentity | undefined;
  #inputEnded = false;

  constructor(socket: Socket, context: PeerContext) {
    this.#socket = socket;
    this.#context = context;
    this.#timers = {
      hello: setTimeout(
        () => this.#refuse(new HandraiseError("unauthenticated", "No hello came in time.")),
        context.limits.helloMs,
      ).unref(),
      // The only way to learn that a caller is gone after it ended its input: write to it.
      ping: setInterval(() => this.#write({ type: "ping" }), context.limits.pingMs).unref(),
    };
    this.ended = new Promise((resolve) => {
      socket.once("close", () => {
        this.#stopAll();
        void Promise.allSettled([...this.#calls.values()].map(({ done }) => done)).then(() => resolve());
      });
    });
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("end", () => this.#endInput());
    socket.on("error", (error) => context.log.debug({ error: error.message }, "socket: a connection failed"));
  }

  /** Ends waits with `bridge_unreachable` so that their callers dial again; lets other calls finish; then closes. */
  async drain(): Promise<void> {
    const stopping = new HandraiseError("bridge_unreachable", "The bridge is stopping. Open questions stay open.");
    for (const { stop } of this.#calls.values()) stop.abort(stopping);
    await Promise.allSettled([...this.#calls.values()].map(({ done }) => done));
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #stopAll(): void {
    clearTimeout(this.#timers.hello);
    clearInterval(this.#timers.ping);
    for (const { stop } of this.#calls.values()) stop.abort(new Error("the caller is gone"));
  }

  #take(chunk: Buffer): void {
    if (this.#inputEnded) return;
    for (const frame of this.#reader.push(chunk)) {
      if (frame.kind === "broken") {
        this.#breakOff(frame.reason);
        return;
      }
      const message = frame.kind === "value" ? parseClientMessage(frame.value) : undefined;
      if (message !== undefined) this.#handle(message);
      else this.#fault(frame.kind === "malformed" ? frame.reason : "a frame holds none of hello, call, stop");
      if (this.#inputEnded) return;
    }
  }

  #endInput(): void {
    if (this.#inputEnded) return;
    const cut = this.#reader.end();
    if (cut?.kind === "broken") this.#fault(cut.reason);
    this.#noMoreInput();
  }

  /** Frames can no longer be told apart: said once; what runs goes on and is answered. */
  #breakOff(reason: string): void {
    this.#fault(reason);
    this.#noMoreInput();
  }

  #noMoreInput(): void {
    this.#inputEnded = true;
    if (this.#calls.size === 0) this.#socket.destroySoon();
  }

  #fault(reason: string): void {
    this.#write({ type: "error", id: null, error: toWireError(new HandraiseError("input_invalid", `frame: ${reason}.`)) });
  }

  #refuse(error: unknown): void {
    this.#write({ type: "error", id: null, error: toWireError(error) });
    this.#inputEnded = true;
    this.#socket.destroySoon();
  }

  #handle(message: ClientMessage): void {
    if (message.type === "hello") void this.#greet(message);
    else if (!this.#greeted) this.#refuse(new HandraiseError("unauthenticated", "Say hello with the token first."));
    else if (message.type === "stop") this.#calls.get(message.id)?.stop.abort(new Error("the caller stopped waiting"));
    else this.#start(message);
  }

  async #greet({ version, token, key }: Extract<ClientMessage, { type: "hello" }>): Promise<void> {
    if (version !== WIRE_VERSION) {
      this.#refuse(new HandraiseError("unsupported", `hello: version ${version} is not spoken here, only ${WIRE_VERSION}.`));
    } else if (!sameText(token, this.#context.token)) {
      this.#refuse(new HandraiseError("unauthenticated", "The token is not that of this bridge. Read it again."));
    } else {
      clearTimeout(this.#timers.hello);
      if (key !== undefined && !(await this.#isHost(key))) return;
      this.#greeted = true;
      this.#write({ type: "welcome", version: WIRE_VERSION, principal: this.#context.creator.principal });
    }
  }

  /** PE4. */
  async #isHost(key: string): Promise<boolean> {
    const { hosts, log } = this.#context;
    try {
      if (hosts === undefined) throw new HandraiseError("unsupported", "This door takes no keys. Say hello without one.");
      this.#host = await hosts.identify(key);
      return true;
    } catch (error) {
      if (!(error instanceof HandraiseError)) log.error({ error: String(error) }, "socket: a key could not be checked");
      this.#refuse(error);
      return false;
    }
  }

  #start({ id, method, params }: Extract<ClientMessage, { type: "call" }>): void {
    const { callsMax } = this.#context.limits;
    if (this.#calls.has(id) || this.#calls.size >= callsMax) {
      const refusal = this.#calls.has(id)
        ? new HandraiseError("input_invalid", `id: call ${id} is still running.`)
        : new HandraiseError("capacity", `More than ${callsMax} calls on one connection.`);
      this.#answer(id, refusal);
      return;
    }
    const stop = new AbortController();
    const done = this.#run({ id, method, params, stop }).finally(() => {
      this.#calls.delete(id);
      if (this.#inputEnded && this.#calls.size === 0) this.#socket.destroySoon();
    });
    this.#calls.set(id, { stop, done });
  }

  async #run(call: {
    readonly id: number;
    readonly method: string;
    readonly params: unknown;
    readonly stop: AbortController;
  }): Promise<void> {
    const { id, method, params, stop } = call;
    const { gateway, creator, hosts, log } = this.#context;
    const item = (value: unknown): Promise<void> => this.#send({ type: "item", id, value }, stop.signal);
    try {
      const value =
        this.#host === undefined || hosts === undefined
          ? await invoke(gateway, creator, { method, params, signal: stop.signal, item })
          : await hosts.desk.invoke(this.#host, { method, params, signal: stop.signal });
      this.#write({ type: "result", id, value });
    } catch (error) {
      if (!(error instanceof HandraiseError) && !stop.signal.aborted) log.error({ method, error: String(error) }, "socket: a call failed");
      this.#answer(id, error);
    }
  }

  #answer(id: number, error: unknown): void {
    this.#write({ type: "error", id, error: toWireError(error) });
  }

  /** Writes, and waits while the caller is slow to read, so that no stream fills the memory. */
  async #send(message: ServerMessage, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#write(message)) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        this.#socket.off("drain", settle);
        signal.removeEventListener("abort", settle);
        if (signal.aborted) reject(signal.reason);
        else resolve();
      };
      this.#socket.once("drain", settle);
      signal.addEventListener("abort", settle, { once: true });
    });
  }

  /** False when the caller is slow to read. */
  #write(message: ServerMessage): boolean {
    if (!this.#socket.writable) return true;
    const frame = encodeFrame(message);
    if (frame !== undefined) return this.#socket.write(frame);
    const id = "id" in message ? message.id : null;
    const error = new HandraiseError("unsupported", `The answer is longer than ${FRAME_MAX_BYTES} bytes.`);
    return this.#write({ type: "error", id, error: toWireError(error) });
  }
}

/** Equal in a time that does not depend on where they differ. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
