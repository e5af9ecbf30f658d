/**
 * One owner per data folder (design, section 7). The lock is a transaction held open on an SQLite file of its own: the system drops it
 * with the process, so `kill -9` leaves nothing behind; a note beside it says who holds it.
 *
 *   alone    an exclusive lock: nobody else, alone or shared
 *   shared   a shared lock: others that share, nobody alone
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { HandraiseError } from "../../../src/errors.js";
import { isBusy } from "./connection.js";
import { OWNER_FILE, OWNER_NOTE_FILE } from "./folder.js";

/** A held lock. */
export type Owner = { release(): void };

/**
 * Takes the folder, or fails at once.
 * @throws `store_busy` naming process and command of the owner.
 */
export function takeOwnership({
  folder,
  shared,
  command,
}: {
  readonly folder: string;
  readonly shared: boolean;
  readonly command: string;
}): Owner {
  const db = new Database(join(folder, OWNER_FILE), { timeout: 0 });
  try {
    db.pragma("journal_mode = DELETE");
    if (shared) {
      db.exec("begin");
      db.prepare("select count(*) from sqlite_master").get(); // a read takes the shared lock and keeps it
    } else {
      db.exec("begin exclusive");
    }
  } catch (error) {
    db.close();
    throw isBusy(error) ? busy(folder) : error;
  }
  writeNote(folder, command);
  return { release: () => void db.close() };
}

function writeNote(folder: string, command: string): void {
  const path = join(folder, OWNER_NOTE_FILE);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ pid: process.pid, command })}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function busy(folder: string): HandraiseError {
  const { pid, command } = readNote(folder);
  const who = pid === null ? "another process" : `process ${pid} (${command})`;
  const message = `${folder} belongs to ${who}. Use connect() or the command line against it, or stop it first.`;
  return new HandraiseError("store_busy", message, { facts: { folder, pid, command } });
}

/** The note; its writer may be at it, or gone: then nobody is named. */
function readNote(folder: string): { readonly pid: number | null; readonly command: string } {
  try {
    const note: unknown = JSON.parse(readFileSync(join(folder, OWNER_NOTE_FILE), "utf8"));
    if (typeof note === "object" && note !== null && "pid" in note && "command" in note) {
      const { pid, command } = note;
      if (typeof pid === "number" && typeof command === "string") return { pid, command };
    }
  } catch {
    // No note, or half of one: the lock is what counts.
  }
  return { pid: null, command: "" };
}
