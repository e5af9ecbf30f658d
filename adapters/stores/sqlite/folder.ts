/**
 * The data folder: ours alone, on a disk of this machine.
 *
 * F1  Directory 0700, files 0600, side files too; checked and tightened at every start (B187). New files are made with 0600 before
 *     SQLite opens them; SQLite gives its side files the mode of their database.
 * F2  A file that exists is never opened here: closing such a handle would drop SQLite's locks on it in this process (POSIX).
 * F3  Network file systems are refused where they can be told: SQLite's locks and shared memory do not work on them.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { HandraiseError } from "../../../src/errors.js";

/** The database's file in the folder. */
export const DATABASE_FILE = "handraise.db";
/** The lock's file: an SQLite file of its own, so that a lock dies with its process. */
export const OWNER_FILE = "owner.db";
/** Who holds the lock, for the message. */
export const OWNER_NOTE_FILE = "owner.json";

const FILES = [DATABASE_FILE, OWNER_FILE, OWNER_NOTE_FILE].flatMap((file) => [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]);

/** File systems over a network, by the type number of statfs(2). Source: linux/magic.h and the man page statfs(2) (checked 2026-12-01). */
export const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB 2"],
  [0x01021997, "9P"],
  [0x5346414f, "AFS"],
  [0x73757245, "Coda"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x7461636f, "OCFS2"],
]);

/**
 * Makes or tightens the folder and its files. Returns the names of what was tightened, "." for the folder itself.
 * @throws `config_invalid` when it is on a network file system or is not ours to tighten.
 */
export function prepareFolder(folder: string, typeOf: (folder: string) => number = fileSystemType): readonly string[] {
  const tightened: string[] = [];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (tighten(folder, 0o700)) tightened.push(".");
  } catch (cause) {
    const message = `The data folder ${folder} cannot be made or is not ours: ${reason(cause)}. Name a folder of this user in "store".`;
    throw new HandraiseError("config_invalid", message, { cause });
  }
  refuseNetwork(folder, typeOf);
  for (const file of FILES) if (existsSync(join(folder, file)) && tightenFile(folder, file)) tightened.push(file);
  for (const file of [DATABASE_FILE, OWNER_FILE]) if (!existsSync(join(folder, file))) closeSync(openSync(join(folder, file), "a", 0o600)); // F2
  return tightened;
}

function tightenFile(folder: string, file: string): boolean {
  try {
    return tighten(join(folder, file), 0o600);
  } catch (cause) {
    const message = `${join(folder, file)} belongs to another user: ${reason(cause)}. Give the folder to the user that runs the bridge.`;
    throw new HandraiseError("config_invalid", message, { cause });
  }
}

/** Takes away what others may do. Windows has no such modes. */
function tighten(path: string, mode: number): boolean {
  if (process.platform === "win32" || (statSync(path).mode & 0o777) === mode) return false;
  chmodSync(path, mode);
  return true;
}

function fileSystemType(folder: string): number {
  return statfsSync(folder).type;
}

function refuseNetwork(folder: string, typeOf: (folder: string) => number): void {
  if (process.platform !== "linux") return;
  const kind = NETWORK_FILE_SYSTEMS.get(typeOf(folder) >>> 0);
  if (kind === undefined) return;
  const message = `The data folder ${folder} is on a network file system (${kind}), where SQLite loses data. Name a folder on a local disk in "store", or use PostgreSQL.`;
  throw new HandraiseError("config_invalid", message, { facts: { folder, fileSystem: kind } });
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : "unknown reason";
}
