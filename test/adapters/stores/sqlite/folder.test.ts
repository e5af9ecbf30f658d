import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Connection } from "../../../../adapters/stores/sqlite/connection.js";
import { NETWORK_FILE_SYSTEMS, prepareFolder } from "../../../../adapters/stores/sqlite/folder.js";
import { openSqliteStore } from "../../../../adapters/stores/sqlite/index.js";
import type { Store } from "../../../../src/ports/store.js";
import { applied } from "../../../../src/testing/contract/store-bench.js";
import { askChanges, questionRow } from "../../../../src/testing/contract/store-rows.js";
import { ended, LineLog, linesOf, openByWorker, REAL_CLOCK, startProcess, temporaryFolder } from "./bench.js";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function newFolder(): string {
  const { folder, remove } = temporaryFolder();
  undo.push(remove);
  return folder;
}

async function opened(folder: string, options: Parameters<typeof openByWorker>[1] = {}): Promise<Store> {
  const store = await openByWorker(folder, options);
  undo.push(() => store.close());
  return store;
}

function modes(folder: string): Readonly<Record<string, string>> {
  const names = [".", ...readdirSync(folder)];
  return Object.fromEntries(names.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]));
}

describe("the data folder", () => {
  it("B187 is made for its owner alone under umask 022, side files too", async () => {
    const before = process.umask(0o022);
    undo.push(() => process.umask(before));
    const folder = newFolder();
    const log = new LineLog();
    const store = await opened(folder, { log });
    await applied(store, askChanges(questionRow()));
    expect(modes(folder)).toEqual({
      ".": "700",
      "handraise.db": "600",
      "handraise.db-shm": "600",
      "handraise.db-wal": "600",
      "owner.db": "600",
      "owner.db-journal": "600",
      "owner.json": "600",
    });
    expect(log.lines).toEqual([]);
  });

  it("B187 is tightened at every start, with a line that names what was open", async () => {
    const folder = newFolder();
    await (await openByWorker(folder)).close();
    chmodSync(folder, 0o755);
    chmodSync(join(folder, "handraise.db"), 0o644);
    writeFileSync(join(folder, "handraise.db-wal"), "");
    chmodSync(join(folder, "handraise.db-wal"), 0o664);
    const log = new LineLog();
    await opened(folder, { log });
    expect(modes(folder)).toMatchObject({ ".": "700", "handraise.db": "600", "handraise.db-wal": "600" });
    expect(log.lines.map(({ facts }) => facts["file"])).toEqual([".", "handraise.db", "handraise.db-wal"]);
  });

  it("is refused on a network file system", () => {
    const folder = newFolder();
    for (const [type, name] of NETWORK_FILE_SYSTEMS) {
      const refusal = expect.objectContaining({ code: "config_invalid", message: expect.stringContaining(name) });
      expect(() => prepareFolder(folder, () => type)).toThrowError(refusal);
    }
    expect(prepareFolder(folder, () => 0xef53)).toEqual([]);
  });

  it("is refused, with the path, where it cannot be made", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, ".."), { recursive: true });
    writeFileSync(folder, "a file");
    await expect(openByWorker(folder)).rejects.toMatchObject({ code: "config_invalid", message: expect.stringContaining(folder) });
  });

  it("is refused when a newer version wrote it", async () => {
    const folder = newFolder();
    await (await openByWorker(folder)).close();
    const connection = new Connection(join(folder, "handraise.db"));
    connection.db.pragma("user_version = 99");
    connection.close();
    await expect(openByWorker(folder)).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("schema 99"),
      facts: { schema: 99 },
    });
    // The refusal holds nothing: the folder is free.
    await expect(openByWorker(folder)).rejects.toMatchObject({ code: "config_invalid" });
  });

  it("is told as unavailable when its file is no database", async () => {
    const folder = newFolder();
    prepareFolder(folder);
    writeFileSync(join(folder, "handraise.db"), "no database at all, but long enough to have a header of its own");
    await expect(openByWorker(folder)).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining("SQLITE_NOTADB"),
    });
  });
});

describe("the owner of a data folder", () => {
  it("is one: a second bridge fails at once and is told process and command of the first", async () => {
    const folder = newFolder();
    const first = await opened(folder, { command: "handraise start" });
    const message = `[store_busy] ${folder} belongs to process ${process.pid} (handraise start). Use connect() or the command line against it, or stop it first.`;
    await expect(openByWorker(folder)).rejects.toMatchObject({ code: "store_busy", message });
    await expect(openByWorker(folder, { shared: true })).rejects.toMatchObject({ code: "store_busy" });
    // The failed tries did not loosen the lock.
    await expect(openByWorker(folder)).rejects.toMatchObject({ code: "store_busy" });
    await first.close();
    await opened(folder);
  });

  it("may be many that share, and then none alone", async () => {
    const folder = newFolder();
    const [one, two] = [await opened(folder, { shared: true }), await opened(folder, { shared: true })];
    await expect(openByWorker(folder)).rejects.toMatchObject({ code: "store_busy" });
    await one.close();
    await expect(openByWorker(folder)).rejects.toMatchObject({ code: "store_busy" });
    await two.close();
    await opened(folder);
  });

  it("is named across processes, and gone with kill -9", async () => {
    const folder = newFolder();
    const child = startProcess("owner", [folder]);
    undo.push(() => child.kill("SIGKILL"));
    for await (const line of linesOf(child)) if (line === "open") break;
    await expect(openByWorker(folder)).rejects.toMatchObject({ code: "store_busy", facts: { pid: child.pid, command: "handraise start" } });
    child.kill("SIGKILL");
    await ended(child);
    await opened(folder);
  });

  it("names itself by program and first argument only", async () => {
    const folder = newFolder();
    const store = await openSqliteStore({ folder, clock: REAL_CLOCK, log: new LineLog() });
    undo.push(() => store.close());
    const { facts } = await openByWorker(folder).then(
      () => ({ facts: {} as Readonly<Record<string, unknown>> }),
      (error: { readonly facts: Readonly<Record<string, unknown>> }) => error,
    );
    expect(facts["command"]).toMatch(/^[\w.-]+( [a-z-]+)?$/);
  });
});
