/** Changes of the port as flat orders of the engine; the only place that knows in which order their values stand. */

import { unreachable } from "../../../src/errors.js";
import type { Change } from "../../../src/ports/store.js";
import { headValues, keyValues, runValues, sessionValues } from "./authority-rows.js";
import { textOf } from "./columns.js";
import type { Order, Value } from "./protocol.js";
import { COPY_KEYS, COPY_SETTABLE, copyValue, copyValues, inputValues, questionValues, submissionValues } from "./rows.js";

type ChangeOf<Kind extends Change["do"]> = Extract<Change, { readonly do: Kind }>;

/** One change, flat. */
export function orderOf(change: Change): Order {
  switch (change.do) {
    case "insert_question":
      return [change.do, ...questionValues(change.row)];
    case "settle_question":
      return [change.do, ...settleValues(change)];
    case "start_clock":
    case "mark_collected":
      return [change.do, change.id, change.atMs];
    case "insert_copy":
      return [change.do, ...copyValues(change.row)];
    case "update_copy":
      return [change.do, ...updateValues(change)];
    case "end_copies":
      return [change.do, change.question, change.atMs];
    case "insert_input":
      return [change.do, ...inputValues(change.row)];
    case "settle_input":
      return [change.do, change.verdict, textOf(change.notice), change.noticeDueAtMs, change.id];
    case "update_notice":
      return [change.do, textOf(change.notice), change.noticeDueAtMs, change.noticeAttempts, change.id];
    case "insert_receipt": {
      const { resolutionId, question, actor, payloadDigest, atMs } = change.row;
      return [change.do, resolutionId, question, actor, payloadDigest, atMs];
    }
    case "insert_event":
      return [change.do, change.question, change.type, change.atMs, JSON.stringify(change.data)];
    case "insert_aside": {
      const { id, account, conversation, userId, text, kind, copies, expiresAtMs } = change.row;
      return [change.do, id, account, conversation, userId, text, kind, JSON.stringify(copies), expiresAtMs];
    }
    case "take_aside":
      return [change.do, change.id];
    case "put_memory":
      return [change.do, change.account, change.key, change.value];
    case "move_conversation":
      return [change.do, change.account, change.from, change.to];
    case "mark_input":
      return [change.do, ...submissionValues(change.submission), change.id];
    case "insert_run":
      return [change.do, ...runValues(change.row)];
    case "extend_run":
      return [change.do, change.id, change.nowMs, change.leaseUntilMs];
    case "close_run":
      return [change.do, change.id, change.atMs, change.end, change.reason];
    case "put_session":
      return [change.do, ...sessionValues(change.row)];
    case "insert_key":
      return [change.do, ...keyValues(change.row)];
    case "revoke_keys":
      return [change.do, change.name, change.atMs];
    case "put_instance":
      return [change.do, change.row.id, change.row.startedAtMs, change.row.leaseUntilMs];
    case "drop_instance":
      return [change.do, change.id];
    case "take_account":
      return [change.do, change.account, change.holder, change.untilMs, change.nowMs];
    case "insert_audit": {
      const { type, atMs, question, data } = change.entry;
      return [change.do, type, atMs, question, JSON.stringify(data)];
    }
    case "put_audit_head":
      return [change.do, ...headValues(change.head)];
    default:
      return unreachable(change);
  }
}

/** Does this change take text away that must leave the log within a minute (design, section 7)? */
export function blanks(change: Change): boolean {
  return change.do === "settle_input" || change.do === "take_aside";
}

function settleValues(change: ChangeOf<"settle_question">): Value[] {
  const { outcome, endedAtMs, settledBy, id, receivedAtMs = null, dueAtMs = null } = change;
  const onlyFailed = change.onlyIfAllFailed === true ? 1 : 0;
  const runLive = change.runLive === true ? 1 : 0;
  return [receivedAtMs, dueAtMs, outcome.status, JSON.stringify(outcome), endedAtMs, settledBy, id, onlyFailed, runLive];
}

function updateValues({ id, revision, set }: ChangeOf<"update_copy">): Value[] {
  const columns: string[] = [];
  const values: Value[] = [];
  for (const key of COPY_KEYS) {
    const value = set[key];
    if (value === undefined) continue;
    columns.push(COPY_SETTABLE[key]);
    values.push(copyValue(value));
  }
  return [id, revision, columns.join(","), ...values];
}
