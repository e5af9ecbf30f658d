/**
 * The HTTP dispatcher: a host on another machine (R16, R17). `node:http` with kept-alive connections, not `fetch`, because the moment
 * of the first byte must be ours:
 *
 *   request made, nothing written ──► its socket is connected ──► in one tick: assertCurrent(); end(body) ──► answer
 *
 * HD1  Until `end` nothing is written: a failure before it is `DispatchLost` with `dispatched: false`, and is tried once more at once,
 *      behind a guard of its own. After it nothing is ever sent again.
 * HD2  Only an answer that is the gateway's own ends a dispatched call for good (wire-error.ts).
 */
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import type { Socket } from "node:net";
import { HandraiseError } from "../errors.js";
import { assertAuthority, type Dispatcher, DispatchLost, type DispatchRequest } from "../ports/dispatcher.js";
import { HOST_PATHS, type HostMethod } from "../ports/host-wire.js";
import { problemError } from "./wire-error.js";

/** How long a call may take when it does not say, in milliseconds; waits take longer and say so. */
const TIMEOUT_MS = 60_000;
const ANSWER_MAX_BYTES = 16_777_216;
const TRIES = 2;

/** Where the gateway is. */
export type HttpDispatcherOptions = {
  /** The bridge's address, such as `https://handraise.example`. */
  readonly url: string;
  /** A key of scope `host`. */
  readonly key: string;
};

/** A dispatcher that holds connections. */
export type WireDispatcher = Dispatcher & {
  /** Ends its connections; calls under way reject with `DispatchLost`. */
  close(): void;
};

/** @throws `input_invalid` for an address that is not http or https. Calls: `DispatchLost`, the guard's error, the gateway's. */
export function httpDispatcher({ url, key }: HttpDispatcherOptions): WireDispatcher {
  const base = addressOf(url);
  const secure = base.protocol === "https:";
  const agent = secure ? new SecureAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true });
  const open = (path: string, body: Buffer): ClientRequest => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": body.length };
    const at = new URL(path.replace(/^\//, ""), base);
    const options = { method: "POST", headers };
    return agent instanceof SecureAgent ? secureRequest(at, { ...options, agent }) : plainRequest(at, { ...options, agent });
  };
  return {
    version: 2,
    async call(request) {
      const path = pathOf(request.method);
      const body = Buffer.from(JSON.stringify(request.params ?? {}), "utf8");
      for (let left = TRIES - 1; ; left -= 1) {
        try {
          return await new Exchange(open(path, body), { body, request, connected: secure ? "secureConnect" : "connect" }).answer;
        } catch (error) {
          const unsent = error instanceof DispatchLost && !error.dispatched;
          if (!unsent || left === 0 || request.signal?.aborted === true) throw error; // HD1
        }
      }
    },
    close: () => agent.destroy(),
  };
}

type ExchangeOptions = { readonly body: Buffer; readonly request: DispatchRequest; readonly connected: "connect" | "secureConnect" };

/** One request and its answer. */
class Exchange {
  readonly answer: Promise<unknown>;
  readonly #http: ClientRequest;
  readonly #options: ExchangeOptions;
  #resolve: (value: unknown) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #dispatched = false;

  constructor(http: ClientRequest, options: ExchangeOptions) {
    this.#http = http;
    this.#options = options;
    const { signal, options: limits } = options.request;
    const stop = (): void => this.#lose("the caller stopped waiting", signal?.reason);
    const timer = setTimeout(() => this.#lose("no answer in time"), limits.timeoutMs ?? TIMEOUT_MS);
    this.answer = new Promise<unknown>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    }).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    });
    http.on("error", (error) => this.#lose(error.message, error));
    http.on("close", () => this.#lose("the connection was closed"));
    http.on("socket", (socket) => this.#onSocket(socket));
    http.on("response", (response) => this.#read(response));
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
  }

  #onSocket(socket: Socket): void {
    if (socket.connecting) socket.once(this.#options.connected, () => this.#send(socket));
    else this.#send(socket);
  }

  /** R16: guard and first byte in one tick. */
  #send(socket: Socket): void {
    if (this.#http.destroyed || socket.destroyed || !socket.writable) {
      this.#lose("the connection was closed");
      return;
    }
    try {
      assertAuthority(this.#options.request.authority);
    } catch (error) {
      this.#reject(error);
      this.#http.destroy();
      return;
    }
    this.#dispatched = true;
    this.#http.end(this.#options.body);
  }

  #read(response: IncomingMessage): void {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > ANSWER_MAX_BYTES) this.#lose(`an answer longer than ${ANSWER_MAX_BYTES} bytes`);
    });
    response.on("error", (error) => this.#lose(error.message, error));
    response.on("end", () => {
      if (response.complete) this.#settle(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"));
      else this.#lose("the answer was cut");
    });
  }

  #settle(status: number, text: string): void {
    if (status !== 200) {
      this.#reject(problemError(status, text));
      return;
    }
    try {
      this.#resolve(JSON.parse(text));
    } catch (error) {
      this.#lose("an answer that is not JSON", error);
    }
  }

  #lose(reason: string, cause?: unknown): void {
    this.#reject(new DispatchLost(this.#dispatched, reason, cause));
    this.#http.destroy();
  }
}

function pathOf(method: string): string {
  if (!isHostMethod(method)) throw new HandraiseError("input_invalid", `There is no method ${method}.`, { facts: { method } });
  return HOST_PATHS[method];
}

function isHostMethod(method: string): method is HostMethod {
  return Object.hasOwn(HOST_PATHS, method);
}

function addressOf(url: string): URL {
  const at = URL.canParse(url) ? new URL(url) : undefined;
  if (at === undefined || (at.protocol !== "http:" && at.protocol !== "https:"))
    throw new HandraiseError("input_invalid", "url: write the bridge's address, such as https://handraise.example.");
  // A path in front of ours stays: relative paths are joined to it.
  if (!at.pathname.endsWith("/")) at.pathname += "/";
  return at;
}
