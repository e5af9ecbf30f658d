/**
 * The unix socket door (design, section 6): processes of this machine ask through it and read their own questions, nothing else.
 *
 * Who can read the token in the data folder is the principal that the server names: Node gives no credentials of a socket's peer,
 * so none are claimed.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { HandraiseError } from "../errors.js";
import type { GatewayCalls } from "../gateway/calls.js";
import type { Log } from "../ports/log.js";
import { listenOn } from "./listener.js";
import { type HostDoor, Peer, type PeerLimits } from "./peer.js";

const LIMITS: PeerLimits = { helloMs: 5_000, pingMs: 15_000, callsMax: 10_000 };
const CONNECTIONS_MAX = 1_000;
const DRAIN_MAX_MS = 5_000;

/** What a door is made from. */
export type SocketOptions = {
  /** The data folder, absolute. The socket stands in `run` inside it. */
  readonly folder: string;
  readonly gateway: GatewayCalls;
  /** Under whose name every caller asks. Default: the OS user of this process. */
  readonly principal?: string;
  /** Hosts in other processes, by keys of scope `host`. Default: none. */
  readonly hosts?: HostDoor;
  readonly log: Log;
  /** For tests: hello within 5,000 ms, a ping every 15,000 ms, 10,000 calls per connection. */
  readonly limits?: Partial<PeerLimits>;
};

/** A door that is open. */
export type SocketDoor = {
  /** The socket's public name. */
  readonly path: string;
  /** Takes the name away, ends waits so that callers dial again, lets other calls finish (5 s at most), closes. */
  close(): Promise<void>;
};

/**
 * Opens the door.
 * @throws `store_busy` when a live bridge serves this folder; `config_invalid` when the folder is open to others; `unsupported` on Windows.
 */
export async function serveSocket(options: SocketOptions): Promise<SocketDoor> {
  if (process.platform === "win32") throw new HandraiseError("unsupported", "The unix socket is not available on Windows.");
  const { folder, gateway, hosts, log } = options;
  const creator = { principal: options.principal ?? userInfo().username };
  const limits = { ...LIMITS, ...options.limits };
  const peers = new Set<Peer>();
  const token = randomBytes(32).toString("base64url");
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const peer = new Peer(socket, { gateway, creator, token, limits, log, ...(hosts === undefined ? {} : { hosts }) });
    peers.add(peer);
    void peer.ended.then(() => peers.delete(peer));
  });
  server.maxConnections = CONNECTIONS_MAX;
  const listener = await listenOn(server, { folder, token }).catch((error: unknown) => {
    server.close();
    throw error;
  });
  server.on("error", (error) => log.error({ error: error.message }, "socket: the server failed"));
  log.info({ path: listener.path }, "socket: open");
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await listener.withdraw();
    const closed = new Promise<void>((done) => server.close(() => done()));
    // A call that does not end, or a caller that does not read, is not waited for longer.
    const timer = setTimeout(() => {
      for (const peer of peers) peer.destroy();
    }, DRAIN_MAX_MS);
    for (const peer of peers) void peer.drain();
    await closed;
    clearTimeout(timer);
    log.info({ path: listener.path }, "socket: closed");
  };
  return {
    path: listener.path,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
