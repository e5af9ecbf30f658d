/** `connect`: the same bridge interface to a bridge that runs in another process of this machine. */
import { basename, join, resolve } from "node:path";
import { HandraiseError } from "../errors.js";
import { createBridgeClient } from "./bridge.js";
import { SOCKET_NAME, socketPathOf } from "./rendezvous.js";
import { SocketCalls } from "./socket-calls.js";
import type { Bridge } from "./types.js";

/** Where to connect to. */
export type ConnectOptions = {
  /** The socket, or the data folder it belongs to. Default: `HANDRAISE_SOCKET`, else `./data`. */
  readonly socket?: string;
  /** A bridge's HTTP address: `unsupported` until that door exists. */
  readonly url?: string;
  readonly key?: string;
};

/**
 * A bridge over its socket. Nothing is dialled yet: each call dials when it needs to, and shares the connection.
 * @throws `unsupported` for `url` and `key`. Calls throw `bridge_unreachable` while no bridge is there; an ask with a key is
 *   tried for 10 s first.
 */
export async function connect(to: ConnectOptions = {}): Promise<Bridge> {
  if (to.url !== undefined || to.key !== undefined) {
    throw new HandraiseError("unsupported", "connect: url and key are not available yet. Use socket, on the machine of the bridge.");
  }
  const calls = new SocketCalls({ socket: socketPath(to.socket ?? process.env["HANDRAISE_SOCKET"] ?? "data") });
  return createBridgeClient(calls, { principal: "" }, { close: () => calls.close() });
}

/** The socket's public path from what a caller named: the socket itself, or its data folder. */
export function socketPath(named: string): string {
  const path = resolve(named);
  return basename(path).endsWith(".sock") || basename(path) === SOCKET_NAME ? path : socketPathOf(join(path));
}
