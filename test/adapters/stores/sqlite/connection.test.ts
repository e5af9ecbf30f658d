import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Connection } from "../../../../adapters/stores/sqlite/connection.js";
import { prepareFolder } from "../../../../adapters/stores/sqlite/folder.js";
import { migrate } from "../../../../adapters/stores/sqlite/migrate.js";
import { MIGRATIONS } from "../../../../adapters/stores/sqlite/migrations/list.js";
import { QUERIES } from "../../../../adapters/stores/sqlite/queries.js";
import { COPY_COLUMNS, COPY_KEYS, COPY_SETTABLE } from "../../../../adapters/stores/sqlite/rows.js";
import { SETTLE_REASONS, STATEMENTS, settleSql } from "../../../../adapters/stores/sqlite/statements.js";
import { temporaryFolder } from "./bench.js";

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

function opened(): { readonly connection: Connection; readonly path: string } {
  const { folder, remove } = temporaryFolder();
  undo.push(remove);
  prepareFolder(folder);
  const path = join(folder, "handraise.db");
  const connection = new Connection(path);
  undo.push(() => connection.close());
  return { connection, path };
}

function plans(connection: Connection, sql: string): readonly string[] {
  const bare = sql.replaceAll(/\?\d*/g, "1");
  return connection
    .prepare(`explain query plan ${bare}`)
    .all([])
    .map((row) => String(row[3]));
}

describe("a connection", () => {
  it("syncs every commit, also where WAL alone would mean NORMAL, and on every connection", () => {
    const { connection, path } = opened();
    const again = new Connection(path);
    undo.push(() => again.close());
    for (const { db } of [connection, again]) {
      expect(db.pragma("synchronous", { simple: true })).toBe(2);
      expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
      expect(db.pragma("secure_delete", { simple: true })).toBe(1);
      expect(db.pragma("foreign_keys", { simple: true })).toBe(1);
      expect(db.pragma("temp_store", { simple: true })).toBe(2);
    }
    connection.shortWaits();
    expect(connection.db.pragma("busy_timeout", { simple: true })).toBe(5);
  });

  it("puts a numbered value wherever its number stands", () => {
    const { connection } = opened();
    expect(connection.prepare("select ?2, ?1, ?2").get([1, 2])).toEqual([2, 1, 2]);
    expect(connection.prepare("select ?, ?").all(["a", null])).toEqual([["a", null]]);
  });
});

describe("the schema", () => {
  it("is numbered, applied once, and refused when it is newer", () => {
    const { connection } = opened();
    expect(migrate(connection)).toBe(MIGRATIONS.length);
    expect(migrate(connection)).toBe(MIGRATIONS.length);
    expect(migrate(connection, [...MIGRATIONS, "create table later (n integer)"])).toBe(MIGRATIONS.length + 1);
    expect(() => migrate(connection)).toThrowError(
      expect.objectContaining({ code: "config_invalid", message: expect.stringContaining("newer Handraise") }),
    );
  });

  it("takes a migration that fails back as a whole", () => {
    const { connection } = opened();
    expect(() => migrate(connection, ["create table a (n integer); create table a (n integer)"])).toThrowError("already exists");
    expect(connection.db.pragma("user_version", { simple: true })).toBe(0);
    expect(connection.prepare("select count(*) from sqlite_master").get([])).toEqual([0]);
  });

  it("names every settable column of a copy in the order it is read", () => {
    expect(COPY_KEYS).toEqual(Object.keys(COPY_SETTABLE));
    expect(COPY_COLUMNS).toEqual(["id", "revision", ...Object.values(COPY_SETTABLE)]);
  });
});

/**
 * What may be walked as a whole: the counts of open questions (a row per principal and person), the sequences (two rows), indexes that hold
 * only what is open or in work, the open questions of runs (`o`), keys, bridges, writers of the audit (`w`), and the audit itself page by
 * page in the order of its key (`a`).
 */
const MAY_BE_SCANNED =
  /^SCAN (p|o|a|w|keys|instances|runs USING INDEX runs_live|\(subquery-\d+\)|open_counts|sqlite_sequence|CONSTANT ROW|json_each .*|(c|copies|inputs|questions) USING (COVERING )?INDEX (copies_shown|copies_sending|inputs_new|questions_undelivered))$/;

describe("plans", () => {
  const statements = { ...QUERIES, ...STATEMENTS, settle: settleSql(SETTLE_REASONS) };
  it.each(Object.entries(statements))("%s walks no table whose size follows the history", (_name, sql) => {
    const { connection } = opened();
    migrate(connection);
    const scans = plans(connection, sql).filter((line) => line.startsWith("SCAN") && !MAY_BE_SCANNED.test(line));
    expect(scans).toEqual([]);
  });
});
