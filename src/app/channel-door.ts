/**
 * The address that platforms call in their HTTP modes: `/channels/<account>` is handed to that account's channel, anything else is 404.
 *
 * The bytes are passed on unread: signatures are checked on them by the channel.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { HandraiseError } from "../errors.js";
import type { Channel } from "../ports/channel.js";

/** Where to listen, and the channels by account. */
export type ChannelDoorOptions = { readonly host: string; readonly port: number; readonly channels: ReadonlyMap<string, Channel> };

/** An open door. */
export type ChannelDoor = { readonly url: string; readonly close: () => Promise<void> };

const PATH = /^\/channels\/([^/?]+)(?:[/?].*)?$/;
const CLOSE_MS = 2_000;

/**
 * Listens.
 * @throws `config_invalid` when the port is taken or not allowed; the message names it, `listen` and `--port`.
 */
export async function openChannelDoor({ host, port, channels }: ChannelDoorOptions): Promise<ChannelDoor> {
  const server = createServer((request, response) => {
    const account = PATH.exec(request.url ?? "")?.[1];
    const channel = account === undefined ? undefined : channels.get(account);
    if (channel?.http !== undefined) return channel.http(request, response);
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: "There is nothing here." }));
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw listenProblem({ host, port, cause });
  }
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
      await closed;
      clearTimeout(cut);
    },
  };
}

function listenProblem({ host, port, cause }: { readonly host: string; readonly port: number; readonly cause: unknown }): HandraiseError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  const why = code === "EADDRINUSE" ? `port ${port} on ${host} is taken by another program` : `${host}:${port} cannot be opened (${code})`;
  const remedy = "Stop that program, set listen in the config, or start with --port and another number.";
  return new HandraiseError("config_invalid", `listen: ${why}. ${remedy}`, { facts: { host, port }, cause });
}
