/** The order in which the columns of runs, sessions, keys and the audit chain stand: port rows to values and back, as rows.ts does. */
import type { QuestionId } from "../../../src/core/ids.js";
import type { AuditHead, AuditRow, InstanceRow, KeyRow, RunRow, SessionRow } from "../../../src/ports/authority.js";
import { Columns, flag, parsedOrNull, textOf } from "./columns.js";
import type { Row, Value } from "./values.js";

/** Columns of a run, in the order they are written and read. */
export const RUN_COLUMNS =
  "id, principal, session, owner, started_by, only_starter, policy, policy_digest, instance, lease_hash, lease, lease_until, opened_at, status, ended_at, ended_how, reason";
/** Columns of a session, in the order they are written and read. */
export const SESSION_COLUMNS = "principal, session, owner, members";
/** Columns of a key, in the order they are written and read. */
export const KEY_COLUMNS = "hash, name, scope, person, accounts, targets, created_at, revoked_at";
/** Columns of a signed head, in the order they are written and read. */
export const HEAD_COLUMNS = "instance, seq, hash, at, signature";

/** Values of an insert, in the order of `RUN_COLUMNS`. */
export function runValues(row: RunRow): Value[] {
  return [
    row.id,
    row.principal,
    row.session,
    row.owner,
    row.startedBy,
    flag(row.onlyStarter),
    JSON.stringify(row.policy),
    row.policyDigest,
    row.instance,
    row.leaseHash,
    row.leaseMs,
    row.leaseUntilMs,
    row.openedAtMs,
    row.status,
    row.endedAtMs,
    row.end,
    row.reason,
  ];
}

/** A run from `RUN_COLUMNS`. */
export function runOf(row: Row): RunRow {
  const c = new Columns(row);
  return {
    id: c.text(),
    principal: c.text(),
    session: c.text(),
    owner: c.text(),
    startedBy: c.textOrNull(),
    onlyStarter: c.int() === 1,
    policy: JSON.parse(c.text()),
    policyDigest: c.text(),
    instance: c.textOrNull(),
    leaseHash: c.textOrNull(),
    leaseMs: c.int(),
    leaseUntilMs: c.intOrNull(),
    openedAtMs: c.int(),
    status: c.text() as RunRow["status"],
    endedAtMs: c.intOrNull(),
    end: c.textOrNull() as RunRow["end"],
    reason: c.textOrNull(),
  };
}

/** Values of an insert, in the order of `SESSION_COLUMNS`. */
export function sessionValues({ principal, session, owner, members }: SessionRow): Value[] {
  return [principal, session, owner, JSON.stringify([...new Set(members)])];
}

/** A session from `SESSION_COLUMNS`. */
export function sessionOf(row: Row): SessionRow {
  const c = new Columns(row);
  return { principal: c.text(), session: c.text(), owner: c.text(), members: JSON.parse(c.text()) };
}

/** Values of an insert, in the order of `KEY_COLUMNS`. */
export function keyValues(row: KeyRow): Value[] {
  return [row.hash, row.name, row.scope, row.person, textOf(row.accounts), textOf(row.to), row.createdAtMs, row.revokedAtMs];
}

/** A key from `KEY_COLUMNS`. */
export function keyOf(row: Row): KeyRow {
  const c = new Columns(row);
  return {
    hash: c.text(),
    name: c.text(),
    scope: c.text() as KeyRow["scope"],
    person: c.textOrNull(),
    accounts: parsedOrNull(c.textOrNull()),
    to: parsedOrNull(c.textOrNull()),
    createdAtMs: c.int(),
    revokedAtMs: c.intOrNull(),
  };
}

/** A bridge that is alive: id, start, end of its lease. */
export function instanceOf(row: Row): InstanceRow {
  const c = new Columns(row);
  return { id: c.text(), startedAtMs: c.int(), leaseUntilMs: c.int() };
}

/** An audit row: instance, seq, type, time, question, data, prev, hash. */
export function auditOf(row: Row): AuditRow {
  const c = new Columns(row);
  return {
    instance: c.text(),
    seq: c.int(),
    type: c.text(),
    atMs: c.int(),
    question: c.textOrNull() as QuestionId | null,
    data: JSON.parse(c.text()),
    prev: c.text(),
    hash: c.text(),
  };
}

/** Values of an insert, in the order of `HEAD_COLUMNS`. */
export function headValues({ instance, seq, hash, atMs, signature }: AuditHead): Value[] {
  return [instance, seq, hash, atMs, signature];
}

/** A signed head from `HEAD_COLUMNS`. */
export function headOf(row: Row): AuditHead {
  const c = new Columns(row);
  return { instance: c.text(), seq: c.int(), hash: c.text(), atMs: c.int(), signature: c.text() };
}

/** The end of a chain: instance, seq, hash. */
export function tailOf(row: Row): Pick<AuditRow, "instance" | "seq" | "hash"> {
  const c = new Columns(row);
  return { instance: c.text(), seq: c.int(), hash: c.text() };
}

/** The only column of a row: a question's id. */
export function questionIdOf(row: Row): QuestionId {
  return new Columns(row).text() as QuestionId;
}
