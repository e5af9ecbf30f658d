/**
 * Where a bridge's socket stands: `<data folder>/run/`, ours alone (0700), with the socket, its token and a lock.
 *
 *   run/handraise.sock      the socket's public name
 *   run/handraise.token     0600; who can read it may ask (R14)
 *   run/handraise.pointer   only when the folder's path is too long for a socket: holds the path of the real one
 */
import { lstat, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HandraiseError } from "../errors.js";

/** The socket. */
export const SOCKET_NAME = "handraise.sock";
/** What a caller says hello with, 0600. */
export const TOKEN_NAME = "handraise.token";
/** The path of the real socket, where the folder's own is too long for one. */
export const POINTER_NAME = "handraise.pointer";

/** Bytes of a socket's path without the closing NUL. Source: unix(7), sun_path[108]; macOS sys/un.h, sun_path[104]. */
export const SOCKET_PATH_MAX_BYTES = process.platform === "linux" ? 107 : 103;

/** The public name of the socket of this data folder. */
export function socketPathOf(folder: string): string {
  return join(folder, "run", SOCKET_NAME);
}

/** What a caller needs to dial. */
export type Rendezvous = { readonly path: string; readonly token: string };

/**
 * Finds the socket and reads its token, anew for every dial: a restarted bridge has a new one.
 * @param socket the socket's public path.
 * @returns undefined while no bridge is there.
 * @throws `bridge_unreachable` when the folder is not private: somebody else could stand in for the bridge.
 */
export async function findSocket(socket: string): Promise<Rendezvous | undefined> {
  const folder = dirname(socket);
  const problem = await folderProblem(folder);
  if (problem === "absent") return undefined;
  if (problem !== undefined) throw new HandraiseError("bridge_unreachable", `${folder}: ${problem}`);
  const token = await readText(join(folder, TOKEN_NAME));
  if (token === undefined) return undefined;
  return { path: (await readText(join(folder, POINTER_NAME))) ?? socket, token };
}

/** Why a folder is not ours alone; "absent" when there is none; undefined when it is. */
export async function folderProblem(folder: string): Promise<string | undefined> {
  const stat = await lstat(folder).catch(() => undefined);
  if (stat === undefined) return "absent";
  if (stat.isSymbolicLink() || !stat.isDirectory()) return "must be a folder, not a link or a file. Remove it.";
  const me = process.getuid?.();
  if (me !== undefined && me !== 0 && stat.uid !== me) return "belongs to another user. Run as that user, or name another folder.";
  return (stat.mode & 0o077) === 0 ? undefined : "is open to other users. Run chmod 700 on it.";
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new HandraiseError("bridge_unreachable", `${path} cannot be read. Run as the user whose bridge it is.`, { cause: error });
  }
}
