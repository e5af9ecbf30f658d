/**
 * Housekeeping in slices: what is old enough goes, a tombstone stays.
 *
 * K1  A slice is bounded by count and by time, so that nobody waits behind it (B189).
 * K2  Events go first, oldest first and without gaps, so that the oldest one kept tells a listener whether it missed any; then receipts
 *     and identities; then questions, which by then nothing points to.
 * K3  Identities are kept 48 h and until a day after the question they met ended (R21); receipts and the id that settled a question
 *     until a day after its end (R6); events 7 days at most and never longer than their questions.
 */
import type { Connection, Statement } from "./connection.js";
import type { Row, TidySlice, Value } from "./protocol.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const IDENTITY_MS = 2 * DAY_MS;
const EVENT_MS = 7 * DAY_MS;
/** Time after which a slice ends with what it has done, in milliseconds. */
const SLICE_MS = 15;

/** Where the walk along a table stands: rows up to this one were looked at and stay for now. */
type Walk = { after: number };

/** Deletes by age over one connection. */
export class Housekeeper {
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();
  readonly #inputs: Walk = { after: 0 };
  readonly #receipts: Walk = { after: 0 };

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** One slice, in one transaction. True when more may be left. @throws SqliteError; busy means that nothing was done. */
  tidy({ nowMs, endedBeforeMs, limit }: TidySlice): boolean {
    this.#run("begin immediate", []);
    try {
      const until = performance.now() + SLICE_MS;
      const inTime = (): boolean => performance.now() < until;
      let more = this.#dropEvents(Math.max(endedBeforeMs, nowMs - EVENT_MS), limit);
      this.#run("delete from asides where id in (select id from asides where expires_at < ? limit ?)", [nowMs, limit]);
      more = (inTime() ? this.#dropReceipts(nowMs, limit) : true) || more;
      more = (inTime() ? this.#dropInputs(nowMs, limit) : true) || more;
      more = more || this.#bury(endedBeforeMs, limit, inTime);
      this.#run("commit", []);
      return more;
    } catch (error) {
      if (this.#connection.db.inTransaction) this.#connection.db.exec("rollback");
      throw error;
    }
  }

  #dropEvents(beforeMs: number, limit: number): boolean {
    const old = this.#all("select id, at from events order by id limit ?", [limit]);
    const keep = old.findIndex(([, at]) => Number(at) >= beforeMs);
    const last = (keep === -1 ? old : old.slice(0, keep)).at(-1);
    if (last === undefined) return false;
    this.#run("delete from events where id <= ?", [last[0] ?? null]);
    return keep === -1 && old.length === limit;
  }

  #dropReceipts(nowMs: number, limit: number): boolean {
    const sql = `select r.n, q.ended_at is null and q.id is not null or q.ended_at >= ?2, r.question, r.at >= ?2 from receipts r
      left join questions q on q.id = r.question where r.n > ?1 order by r.n limit ?3`;
    return this.#walk(
      this.#receipts,
      this.#all(sql, [this.#receipts.after, nowMs - DAY_MS, limit]),
      limit,
      ([n = null, , question = null]) => {
        this.#run("delete from receipts where n = ?", [n]);
        this.#run("update questions set settled_by = null where id = ? and settled_by is not null", [question]);
      },
    );
  }

  #dropInputs(nowMs: number, limit: number): boolean {
    const sql = `select i.n, i.state = 'new' or i.notice is not null or (q.id is not null and ifnull(q.ended_at >= ?3, 1)), null, i.received_at >= ?2
      from inputs i left join questions q on q.id = i.question where i.n > ?1 order by i.n limit ?4`;
    const rows = this.#all(sql, [this.#inputs.after, nowMs - IDENTITY_MS, nowMs - DAY_MS, limit]);
    return this.#walk(this.#inputs, rows, limit, ([n = null]) => this.#run("delete from inputs where n = ?", [n]));
  }

  /** Drops rows of a walk; each is: n, still needed, anything, too young. The walk ends at the first one too young and then begins anew. */
  #walk(walk: Walk, rows: readonly Row[], limit: number, drop: (row: Row) => void): boolean {
    for (const row of rows) {
      const [n, needed, , young] = row;
      if (young === 1) {
        walk.after = 0;
        return false;
      }
      if (needed !== 1) drop(row);
      walk.after = Number(n);
    }
    if (rows.length === limit) return true;
    walk.after = 0;
    return false;
  }

  /** Turns ended questions into tombstones, oldest end first. */
  #bury(beforeMs: number, limit: number, inTime: () => boolean): boolean {
    const sql = `select n, id from questions where status <> 'open' and ended_at < ?1 and ifnull(collected_at, ended_at) < ?1
      order by ended_at limit ?2`;
    const rows = this.#all(sql, [beforeMs, limit]);
    for (const [n = null, id = null] of rows) {
      if (!inTime()) return true;
      this.#run(
        "insert into tombstones (id, status, asked_at, ended_at) select id, status, asked_at, ended_at from questions where n = ?",
        [n],
      );
      this.#run(
        "insert into tombstone_copies (copy, tombstone) select c.id, t.n from copies c, tombstones t where c.question = ? and t.id = ?",
        [n, id],
      );
      this.#run(
        `delete from copy_parts where (message_id, copy) in (
           select j.value, c.n from copies c, json_each(c.message_ids) j where c.question = ?)`,
        [n],
      );
      this.#run("delete from copies where question = ?", [n]);
      this.#run("delete from questions where n = ?", [n]);
    }
    return rows.length === limit;
  }

  #run(sql: string, values: readonly Value[]): void {
    this.#prepared(sql).run(values);
  }

  #all(sql: string, values: readonly Value[]): readonly Row[] {
    return this.#prepared(sql).all(values);
  }

  #prepared(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
