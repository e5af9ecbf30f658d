/**
 * Brings a file to the schema of this program. Each migration is one transaction; a file written by a newer program is refused before
 * anything is read from it.
 */
import { HandraiseError } from "../../../src/errors.js";
import type { Connection } from "./connection.js";
import { MIGRATIONS } from "./migrations/list.js";

/**
 * Applies what is missing, under the write lock, so that two processes starting at once apply each migration once. Returns the schema.
 * @throws `config_invalid` when the file's schema is newer than this program.
 */
export function migrate(connection: Connection, migrations: readonly string[] = MIGRATIONS): number {
  const { db } = connection;
  refuseNewer(schemaOf(connection), migrations.length);
  for (let next = schemaOf(connection); next < migrations.length; next += 1) {
    db.exec("begin immediate");
    try {
      const current = schemaOf(connection);
      const sql = migrations[current];
      if (sql !== undefined && current === next) db.exec(`${sql}; pragma user_version = ${next + 1};`);
      db.exec("commit");
    } catch (error) {
      if (db.inTransaction) db.exec("rollback");
      throw error;
    }
  }
  return schemaOf(connection);
}

function schemaOf({ db }: Connection): number {
  return Number(db.pragma("user_version", { simple: true }));
}

function refuseNewer(schema: number, known: number): void {
  if (schema <= known) return;
  const message = `The data folder was written by a newer Handraise (schema ${schema}; this program knows ${known}). Install that version or newer, or name another folder in "store".`;
  throw new HandraiseError("config_invalid", message, { facts: { schema, known } });
}
