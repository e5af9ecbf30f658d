/**
 * Watches a config file and the `.env` beside it, and says when to read them again.
 *
 * Z1  An editor may write in place or rename a new file over the old one, so the folder is watched; where watching does not work or misses
 *     something (network and container mounts), size, time and inode are compared every `LOOK_EVERY_MS`.
 * Z2  A file is read once it has been still for `SETTLE_MS`: half of a config may be a valid one.
 * Z3  Reads go one after another; what changes meanwhile is read after.
 */
import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Clock } from "../ports/clock.js";

const LOOK_EVERY_MS = 5_000;
const SETTLE_MS = 200;

/** `reload` reads the config; it does not reject. */
export type ConfigWatchOptions = { readonly file: string; readonly clock: Clock; readonly reload: () => Promise<void> };

/** A watch that runs. */
export type ConfigWatch = {
  /** Reads again now, changed or not (SIGHUP); resolves when it was read. */
  reload(): Promise<void>;
  /** Ends it; resolves when no read is under way. */
  close(): Promise<void>;
};

/** Starts to watch; resolves once it knows how the files are now. */
export async function watchConfig({ file, clock, reload }: ConfigWatchOptions): Promise<ConfigWatch> {
  const folder = dirname(resolve(file));
  const print = async (): Promise<string> => (await Promise.all([resolve(file), join(folder, ".env")].map(printOf))).join("|");
  let known = await print();
  let closed = false;
  let reading: Promise<void> = Promise.resolve();
  let cancel = (): void => undefined;
  const read = (): Promise<void> => {
    reading = reading.then(async () => {
      if (!closed) await reload();
    });
    return reading;
  };
  const look = async (): Promise<void> => {
    const now = await print();
    if (closed) return;
    if (now === known) return again(LOOK_EVERY_MS, look);
    again(SETTLE_MS, () => settled(now));
  };
  const settled = async (before: string): Promise<void> => {
    const now = await print();
    if (closed) return;
    if (now !== before) return again(SETTLE_MS, () => settled(now)); // Z2
    known = now;
    await read();
    if (!closed) again(0, look);
  };
  const again = (afterMs: number, run: () => Promise<void>): void => {
    cancel();
    cancel = clock.after(afterMs, () => void run());
  };
  const watcher = watchFolder(folder, (name) => {
    // Other files of the folder change all the time; names that begin with two dots are the links that container mounts exchange.
    const ours = name === null || name === basename(file) || name === ".env" || name.startsWith("..");
    if (ours && !closed) again(SETTLE_MS, look);
  });
  again(LOOK_EVERY_MS, look);
  return {
    reload: async () => {
      known = await print();
      await read();
    },
    close: async () => {
      closed = true;
      cancel();
      watcher?.close();
      await reading;
    },
  };
}

async function printOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? "none" : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/** Undefined where the folder cannot be watched: looking every now and then is enough. */
function watchFolder(folder: string, changed: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => changed(name));
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
