/**
 * A lock file for moments: starting and stopping a socket on one folder, never for as long as it serves.
 *
 * LO1  Taken by creating the file; whoever finds it waits. A holder that died, or held it for 30 s, is passed over.
 */
import { randomBytes } from "node:crypto";
import { link, open, readFile, rename, rm, stat, unlink } from "node:fs/promises";
import { HandraiseError } from "../errors.js";

const WAIT_MAX_MS = 5_000;
const POLL_MS = 20;
const STALE_MS = 30_000;

/** Runs `work` alone on this lock file. @throws `store_busy` when another live process holds it for 5 s. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mine = `${process.pid} ${randomBytes(8).toString("hex")}`;
  const giveUpAt = performance.now() + WAIT_MAX_MS;
  while (!(await take(path, mine))) {
    if (performance.now() >= giveUpAt) {
      throw new HandraiseError("store_busy", `${path} is held by another process that is starting or stopping. Try again.`);
    }
    if (!(await dropStale(path))) await new Promise((done) => setTimeout(done, POLL_MS));
  }
  try {
    return await work();
  } finally {
    if ((await contentOf(path)) === mine) await rm(path, { force: true });
  }
}

async function take(path: string, mine: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(mine);
    await file.close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a dead holder. Moved aside first, so that of two who see it only one removes it, and a fresh one is put back. */
async function dropStale(path: string): Promise<boolean> {
  const held = await contentOf(path);
  if (held === undefined || !(await isStale(path, held))) return held === undefined;
  const aside = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    await rename(path, aside);
  } catch {
    return true;
  }
  if ((await contentOf(aside)) !== held) await link(aside, path).catch(() => undefined);
  await unlink(aside);
  return true;
}

async function isStale(path: string, held: string): Promise<boolean> {
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age > STALE_MS) return true;
  const pid = Number(held.split(" ")[0]);
  // An empty file is one whose holder is between creating and writing it.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
