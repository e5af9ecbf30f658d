/** What the plain model of a store says of single rows. */
import { COPY_AT_END } from "../../core/delivery.js";
import type { CopyRow, InputRow, QuestionRow } from "../../ports/store.js";

/** Two inputs with one alias are one when they arrive within this time (core/input.ts). */
const ALIAS_WINDOW_MS = 60_000;

type Keyed = Pick<QuestionRow, "principal" | "session" | "key">;

/** Do both bear one key in one scope (R7)? */
export function sameKey(a: Keyed, b: Keyed): boolean {
  return a.key !== null && a.key === b.key && a.principal === b.principal && a.session === b.session;
}

/** Are both one input under an alias (B005)? */
export function sameAlias(a: InputRow, b: InputRow): boolean {
  return a.alias !== null && a.alias === b.alias && Math.abs(a.receivedAtMs - b.receivedAtMs) < ALIAS_WINDOW_MS;
}

/** The question once its first copy was shown (R8). */
export function started(row: QuestionRow, atMs: number): QuestionRow {
  return { ...row, deliverByMs: null, expiresAtMs: row.expiresAtMs ?? (row.timeoutMs === null ? null : atMs + row.timeoutMs) };
}

/** The copy once its question ended (`COPY_AT_END`). */
export function atEnd(row: CopyRow, atMs: number): CopyRow {
  const { state, todo } = COPY_AT_END[row.state];
  if (state === row.state && todo === null && row.todo === null) return row;
  return { ...row, state, todo, dueAtMs: todo === null ? null : atMs, revision: row.revision + 1 };
}

/** When a question needs looking at; infinity: never. */
export function dueOf({ expiresAtMs, deliverByMs }: QuestionRow): number {
  return Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, deliverByMs ?? Number.POSITIVE_INFINITY);
}

/** Order of texts by their units. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
