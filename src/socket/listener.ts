/**
 * A socket on a data folder: bound, named, and taken down again without ever touching somebody else's.
 *
 *   lock ─► somebody answers there? ─yes─► store_busy
 *             └no─► token ─► bind a private name ─► link it to the public one ─► unlock
 *
 * SL1  A name is removed only when nobody answers behind it, or when its inode is ours (A!8).
 * SL2  The public name appears when everything behind it is ready: token written, mode set, listening.
 * SL3  The folder is ours, 0700 and no link; so nobody else can stand in for us, whatever a file inside is called.
 */
import { randomBytes } from "node:crypto";
import { chmod, link, lstat, mkdir, mkdtemp, open, readFile, rename, rm, unlink } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { folderProblem, POINTER_NAME, SOCKET_NAME, SOCKET_PATH_MAX_BYTES, socketPathOf, TOKEN_NAME } from "../client/rendezvous.js";
import { HandraiseError } from "../errors.js";
import { withLock } from "./lock.js";

const LOCK_NAME = "handraise.lock";
const SHORT_PREFIX = "handraise-";
const PROBE_MAX_MS = 1_000;

/** A socket that is being served. */
export type Listener = {
  /** The public name; where the real socket stands is `realPath`. */
  readonly path: string;
  readonly realPath: string;
  /** Takes the name away, if it is still ours. Connections go on. */
  withdraw(): Promise<void>;
};

/**
 * Makes this server listen on the folder's socket, which callers may use who can read this token.
 * @throws `store_busy` when a live bridge is there; `config_invalid` when the folder is not private.
 */
export async function listenOn(server: Server, { folder, token }: { readonly folder: string; readonly token: string }): Promise<Listener> {
  const path = socketPathOf(folder);
  const run = dirname(path);
  await mkdir(run, { recursive: true, mode: 0o700 });
  const problem = await folderProblem(run);
  if (problem !== undefined) throw new HandraiseError("config_invalid", `${run}: ${problem}`);
  const lock = join(run, LOCK_NAME);
  return withLock(lock, async () => {
    const realPath = await placeFor(path);
    await writePrivate(join(run, TOKEN_NAME), token);
    const inode = await bind(server, realPath);
    const withdraw = (): Promise<void> => withLock(lock, () => removeOurs({ path, realPath, inode }));
    return { path, realPath, withdraw };
  });
}

/** Where the socket can stand: at its public name, or in a short private folder that a pointer names. Makes sure nobody is there. */
async function placeFor(path: string): Promise<string> {
  const pointer = join(dirname(path), POINTER_NAME);
  const pointed = await readFile(pointer, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
  for (const old of pointed === undefined ? [path] : [path, pointed]) {
    if (fits(old) && (await answers(old))) {
      throw new HandraiseError(
        "store_busy",
        `${path} is served by another process. Use connect() or the command line against it, or stop it first.`,
      );
    }
  }
  if (pointed !== undefined) await removeShortFolder(pointed);
  await rm(pointer, { force: true });
  await rm(path, { force: true });
  if (fits(path)) return path;
  const short = join(await mkdtemp(join(tmpdir(), SHORT_PREFIX)), SOCKET_NAME);
  if (!fits(short)) throw new HandraiseError("config_invalid", `${short}: too long for a socket. Set TMPDIR to a shorter folder.`);
  await writePrivate(pointer, short);
  return short;
}

/** The private name is as long as the public one, so that both fit or none. */
function fits(path: string): boolean {
  return Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES;
}

/** Only a folder that one of us made: private, ours, with our prefix. */
async function removeShortFolder(socket: string): Promise<void> {
  const folder = dirname(socket);
  if (!basename(folder).startsWith(SHORT_PREFIX) || (await folderProblem(folder)) !== undefined) return;
  await rm(folder, { recursive: true, force: true });
}

type Inode = { readonly dev: number; readonly ino: number };

async function bind(server: Server, realPath: string): Promise<Inode> {
  const name = `s${randomBytes(6).toString("hex")}`;
  const privatePath = join(dirname(realPath), name.padEnd(SOCKET_NAME.length, "_").slice(0, SOCKET_NAME.length));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(privatePath, () => {
      server.off("error", reject);
      resolve();
    });
  });
  await chmod(privatePath, 0o600);
  const { dev, ino } = await lstat(privatePath);
  // Fails when somebody took the public name in spite of the lock: then nothing of theirs is touched.
  await link(privatePath, realPath);
  await unlink(privatePath);
  return { dev, ino };
}

/** Does a live server answer behind this name? */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const end = (live: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(live);
    };
    // One that neither takes nor refuses the connection is alive, only slow.
    const timer = setTimeout(() => end(true), PROBE_MAX_MS);
    socket.once("connect", () => end(true));
    socket.once("error", (error: Error & { readonly code?: string }) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "ENOTSOCK") end(false);
      else {
        clearTimeout(timer);
        reject(error);
      }
    });
  });
}

async function removeOurs({
  path,
  realPath,
  inode,
}: {
  readonly path: string;
  readonly realPath: string;
  readonly inode: Inode;
}): Promise<void> {
  const found = await lstat(realPath).catch(() => undefined);
  if (found === undefined || found.dev !== inode.dev || found.ino !== inode.ino) return;
  await rm(realPath, { force: true });
  await rm(join(dirname(path), TOKEN_NAME), { force: true });
  if (realPath === path) return;
  await rm(join(dirname(path), POINTER_NAME), { force: true });
  await removeShortFolder(realPath);
}

/** Written whole or not at all: 0600 from its first byte. */
async function writePrivate(path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomBytes(4).toString("hex")}`;
  const file = await open(fresh, "wx", 0o600);
  try {
    await file.writeFile(`${text}\n`);
  } finally {
    await file.close();
  }
  await rename(fresh, path);
}
