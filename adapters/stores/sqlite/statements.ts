/**
 * The statements that write. Each condition of the port stands in its statement (R2): what does not hold changes no row, and only
 * then is it asked why. What a change has to tell is read after its write, by the row's number: half the price of `RETURNING`.
 */
import { COPY_AT_END, COPY_STATES } from "../../../src/core/delivery.js";
import { EXPIRY_GRACE_MS } from "../../../src/core/lifecycle.js";
import { HEAD_COLUMNS, KEY_COLUMNS, RUN_COLUMNS, SESSION_COLUMNS } from "./authority-rows.js";
import { ASIDE_COLUMNS, COPY_COLUMNS, INPUT_COLUMNS, QUESTION_COLUMNS, QUESTION_TEXT_COLUMNS, RECEIPT_COLUMNS } from "./rows.js";

/** Two inputs with one alias are one when they arrive within this time (core/input.ts). */
const ALIAS_WINDOW_MS = 60_000;

function places(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ");
}
function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `?${index + 1}`).join(", ");
}

/** No input that came before the deadline is left unsettled, or the grace is over. `?1`: the instant of the check. */
const NOTHING_OLDER = `(?1 >= expires_at + ${EXPIRY_GRACE_MS}
  or not exists (select 1 from inputs i where i.question = questions.id and i.state = 'new' and i.received_at < questions.expires_at))`;

/** What a `settle_question` may ask beyond "still open"; also asked alone to tell why it did not apply. Each takes its instant as `?1`. */
export const SETTLE_CONDITIONS = {
  late: "(expires_at is null or ?1 < expires_at)",
  early: `(expires_at is not null and expires_at <= ?1 and ${NOTHING_OLDER})`,
  stale:
    "not exists (select 1 from copies c where c.question = questions.n and (c.state not in ('failed', 'closed') or c.shown_at is not null))",
  run_over: `exists (select 1 from question_texts t join runs r on r.id = t.run
    where t.n = questions.n and r.status = 'live' and (r.lease_until is null or r.lease_until > ?1) and r.policy_digest = t.policy_digest)`,
} as const;
/** The reasons in the order they are told. */
export const SETTLE_REASONS = ["late", "early", "stale", "run_over"] as const;
/** A condition of `settle_question`, by the reason told when it does not hold. */
export type SettleReason = (typeof SETTLE_REASONS)[number];

/** The compare-and-set under these conditions. Values: 1 received, 2 due, 3 status, 4 ended, 5 settled by, 6 number of the question. */
export function settleSql(reasons: readonly SettleReason[]): string {
  const conditions = reasons.map((reason) => SETTLE_CONDITIONS[reason].replaceAll("?1", reason === "early" ? "?2" : "?1"));
  return `update questions set status = ?3, ended_at = ?4, settled_by = ?5
    where n = ?6 and status = 'open'${conditions.map((condition) => ` and ${condition}`).join("")}`;
}

/** Why a settlement did not apply: open, then whether each condition holds. Values: 1 received, 2 due, 3 number. */
export function settleWhySql(reasons: readonly SettleReason[]): string {
  const conditions = reasons.map((reason) => SETTLE_CONDITIONS[reason].replaceAll("?1", reason === "early" ? "?2" : "?1"));
  return `select ${["status = 'open'", ...conditions].join(", ")} from questions where n = ?3`;
}

/** Sets these columns of a copy, from the revision given. Values: theirs, then id and revision. */
export function updateCopySql(columns: readonly string[]): string {
  const sets = columns.filter((column) => COPY_COLUMNS.includes(column)).map((column) => `${column} = ?, `);
  return `update copies set ${sets.join("")}revision = revision + 1 where id = ? and revision = ?`;
}

function atEnd(column: "state" | "todo"): string {
  const cases = COPY_STATES.map((state) => {
    const value = COPY_AT_END[state][column];
    return `when '${state}' then ${value === null ? "null" : `'${value}'`}`;
  });
  return `case state ${cases.join(" ")} end`;
}
const RESTING = COPY_STATES.filter((state) => COPY_AT_END[state].state === state && COPY_AT_END[state].todo === null)
  .map((state) => `'${state}'`)
  .join(", ");

const INPUT_COUNT = INPUT_COLUMNS.split(",").length;

/** Every fixed statement of a change. A question is named by its number `n`. */
export const STATEMENTS = {
  find_question: "select n from questions where id = ?",
  insert_question: `insert into questions (${QUESTION_COLUMNS.join(", ")}) values (${places(QUESTION_COLUMNS.length)}) on conflict do nothing`,
  insert_text: `insert into question_texts (${QUESTION_TEXT_COLUMNS.join(", ")}, n) values (${places(QUESTION_TEXT_COLUMNS.length + 1)})`,
  insert_outcome: "insert into outcomes (n, outcome) values (?, ?)",
  count_open: `insert into open_counts (principal, person, count) values (?, ?, ?)
    on conflict do update set count = count + excluded.count`,
  note_ends: `insert into last_ends (account, conversation, ended_at)
    select account, conversation, ?2 from copies where question = ?1 and conversation is not null
    on conflict do update set ended_at = max(ended_at, excluded.ended_at)`,
  note_late_place: `insert into last_ends (account, conversation, ended_at)
    select c.account, c.conversation, q.ended_at from copies c join questions q on q.n = c.question
      where c.id = ? and c.conversation is not null and q.ended_at is not null
    on conflict do update set ended_at = max(ended_at, excluded.ended_at)`,
  start_clock: `update questions set deliver_by = null,
      expires_at = case when expires_at is null and timeout is not null then ?2 + timeout else expires_at end
    where n = ?1 and status = 'open'`,
  mark_collected: "update questions set collected_at = ?2 where n = ?1 and collected_at is null",
  insert_copy: `insert into copies (${COPY_COLUMNS.join(", ")}, question) values (${places(COPY_COLUMNS.length + 1)})`,
  insert_part: "insert or ignore into copy_parts (message_id, copy) select ?2, n from copies where id = ?1",
  keep_last_message: `insert or ignore into copy_parts (message_id, copy)
    select message_id, n from copies where id = ? and message_id is not null`,
  end_copies: `update copies set state = ${atEnd("state")}, todo = ${atEnd("todo")},
      due_at = case when ${atEnd("todo")} is null then null else ?2 end, revision = revision + 1
    where question = ?1 and (state not in (${RESTING}) or todo is not null)`,
  insert_input: `insert into inputs (${INPUT_COLUMNS}) select ${numbered(INPUT_COUNT)}
    where not exists (select 1 from inputs where alias = ?2 and received_at > ?7 - ${ALIAS_WINDOW_MS} and received_at < ?7 + ${ALIAS_WINDOW_MS})
    on conflict do nothing`,
  settle_input: `update inputs set state = 'settled', input = null, verdict = ?, notice = ?, notice_due_at = ?
    where id = ? and state = 'new'`,
  update_notice: "update inputs set notice = ?, notice_due_at = ?, notice_attempts = ? where id = ?",
  insert_receipt: `insert into receipts (${RECEIPT_COLUMNS}) values (${places(5)}) on conflict do nothing`,
  raise_version: "update questions set version = version + 1 where n = ?",
  read_version: "select version, session from questions where n = ?",
  read_audience: "select principal, audience from questions where n = ?",
  insert_event: "insert into events (question, session, version, type, at, data) values (?, ?, ?, ?, ?, ?)",
  insert_aside: `insert into asides (${ASIDE_COLUMNS}) values (${places(8)})`,
  take_aside: "delete from asides where id = ?",
  put_memory: "insert into memory (account, key, value) values (?, ?, ?) on conflict do update set value = excluded.value",
  move_copies: "update copies set conversation = ?3, revision = revision + 1 where account = ?1 and conversation = ?2",
  move_inputs: `update inputs set input = json_set(input, '$.conversation', ?3)
    where state = 'new' and input is not null and input ->> '$.account' = ?1 and input ->> '$.conversation' = ?2`,
  move_ends: `insert into last_ends (account, conversation, ended_at)
    select account, ?3, ended_at from last_ends where account = ?1 and conversation = ?2
    on conflict do update set ended_at = max(ended_at, excluded.ended_at)`,
  drop_moved_ends: "delete from last_ends where account = ?1 and conversation = ?2",
  note_batch: "insert into writers (name, batch) values (?, ?) on conflict do update set batch = excluded.batch",
  mark_input: "update inputs set submission = ?, submission_at = ?, checks = ?, check_at = ? where id = ? and state = 'new'",
  insert_run: `insert into runs (${RUN_COLUMNS}) values (${places(17)})`,
  extend_run: `update runs set lease_until = ?3
    where id = ?1 and status = 'live' and (lease_until is null or lease_until > ?2)`,
  close_run: "update runs set status = 'closed', ended_at = ?2, ended_how = ?3, reason = ?4 where id = ?1 and status = 'live'",
  note_run: "insert into run_questions (n, run) values (?, ?)",
  drop_run: "delete from run_questions where n = ?",
  put_session: `insert into sessions (${SESSION_COLUMNS}) values (?1, ?2, ?3, ?4) on conflict do update set members = (
      select json_group_array(value) from (select value from json_each(members) union select value from json_each(excluded.members)))`,
  insert_key: `insert into keys (${KEY_COLUMNS}) values (${places(8)}) on conflict do nothing`,
  revoke_keys: "update keys set revoked_at = ?2 where name = ?1 and revoked_at is null",
  put_instance: `insert into instances (id, started_at, lease_until) values (?, ?, ?)
    on conflict do update set lease_until = excluded.lease_until`,
  drop_instance: "delete from instances where id = ?",
  take_account: `insert into account_leases (account, holder, until) values (?1, ?2, ?3)
    on conflict do update set holder = excluded.holder, until = excluded.until where holder = excluded.holder or until <= ?4`,
  find_audit_writer: "select n from audit_writers where instance = ?",
  insert_audit_writer: "insert into audit_writers (instance) values (?)",
  audit_end: "select seq, hash from audit where writer = ? order by seq desc limit 1",
  chain_audit: "insert into audit (writer, seq, type, at, question, data, prev, hash) values (?, ?, ?, ?, ?, ?, ?, ?)",
  put_audit_head: `insert into audit_heads (${HEAD_COLUMNS}) values (${places(5)}) on conflict do nothing`,
} as const;

/** The name of a statement above. */
export type StatementName = keyof typeof STATEMENTS;
