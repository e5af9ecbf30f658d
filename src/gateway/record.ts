/** A stored question as doors show it. */
import { formatPlace } from "../core/place.js";
import type { QuestionRecord } from "../core/record.js";
import type { CopyRow, QuestionRow } from "../ports/store.js";

/** Where a copy is or will be, as text: its place once located, else the account and user. */
export function placeOfCopy(copy: CopyRow): string {
  if (copy.conversation === null) return `${copy.account}:${copy.userId ?? copy.target}`;
  return formatPlace({ account: copy.account, conversation: copy.conversation, ...(copy.thread === null ? {} : { thread: copy.thread }) });
}

/** The record of a question and its copies; leaves out what only the store needs. */
export function recordOf(row: QuestionRow, copies: readonly CopyRow[]): QuestionRecord {
  const { body } = row;
  return {
    id: row.id,
    code: row.code,
    kind: body.kind,
    text: body.text,
    ...(body.title === undefined ? {} : { title: body.title }),
    ...(row.key === null ? {} : { key: row.key }),
    ...(row.session === null ? {} : { session: row.session }),
    to: body.to,
    fields: body.fields,
    status: row.status,
    version: row.version,
    askedAt: new Date(row.askedAtMs).toISOString(),
    expiresAt: row.expiresAtMs === null ? null : new Date(row.expiresAtMs).toISOString(),
    outcome: row.outcome,
    deliveries: copies.map((copy) => ({
      place: placeOfCopy(copy),
      status: copy.state,
      ...(copy.errorCode === null ? {} : { code: copy.errorCode }),
      ...(copy.errorMessage === null ? {} : { message: copy.errorMessage }),
    })),
  };
}
