/**
 * The named statements that read. Each is one indexed look-up or a bounded walk along a partial index; `test/adapters/stores/sqlite`
 * compares the plans. `?1` may stand twice; a statement uses either numbered or bare places.
 *
 * Q1  Nothing here scans a table whose size follows the history: a restart with a million open questions reads as fast as an empty one.
 */
import { HEAD_COLUMNS, KEY_COLUMNS, RUN_COLUMNS, SESSION_COLUMNS } from "./authority-rows.js";
import { COPY_BEGUN } from "./conditions.js";
import { ASIDE_COLUMNS, COPY_COLUMNS, INPUT_COLUMNS, QUESTION_READ, QUESTION_SOURCE, RECEIPT_COLUMNS } from "./rows.js";

/** A question by its own conditions; `cross join` keeps it the outer loop. */
const QUESTION = `select ${QUESTION_READ} from questions q ${QUESTION_SOURCE}`;
const COPY = `q.id, ${COPY_COLUMNS.map((column) => `c.${column}`).join(", ")}`;
const PAIR = `select ${COPY}, ${QUESTION_READ} from copies c cross join questions q on q.n = c.question ${QUESTION_SOURCE}`;
/** The key of a caller, as the unique index words it. */
const KEY = "q.principal = ? and ifnull(q.session, '') = ifnull(?, '') and q.key = ?";

/** By name. Columns stand in the order that rows.ts reads. */
export const QUERIES = {
  question: `${QUESTION} where q.id = ?`,
  standing: `select q.id, q.principal, q.status, o.outcome, q.settled_by, q.collected_at
    from questions q left join outcomes o on o.n = q.n where q.id = ?`,
  key_held: `${QUESTION} where ${KEY} and q.status <> 'undelivered'`,
  key_free: `${QUESTION} where ${KEY} and q.status = 'undelivered' order by q.n desc limit 1`,
  open_by_code: `${QUESTION} where q.code = ? and q.status = 'open' order by q.asked_at, q.id limit 10`,
  open_all: `select ${QUESTION_READ} from open_counts p cross join questions q on q.n in (
      select n from questions where status = 'open' and principal = p.principal order by asked_at, id limit ?1) ${QUESTION_SOURCE}
    where p.person = '' and p.count > 0 order by q.asked_at, q.id limit ?1`,
  open_principal: `${QUESTION} where q.status = 'open' and q.principal = ? order by q.asked_at, q.id limit ?`,
  open_session: `${QUESTION} where q.status = 'open' and q.session = ? order by q.asked_at, q.id limit ?`,
  open_principal_session: `select ${QUESTION_READ} from questions q indexed by questions_session ${QUESTION_SOURCE}
    where q.status = 'open' and q.principal = ? and q.session = ? order by q.asked_at, q.id limit ?`,
  open_count: "select count from open_counts where principal = ? and person = ?",
  copy: `${PAIR} where c.id = ?`,
  copies_of: `select ${COPY} from questions q join copies c on c.question = q.n where q.id = ? order by c.n`,
  copy_by_message: `${PAIR} where c.account = ?1 and c.conversation = ?2 and c.n = (
      select max(n) from (
        select n from copies where conversation = ?2 and message_id = ?3 and account = ?1
        union all
        select p.copy from copy_parts p join copies o on o.n = p.copy
          where p.message_id = ?3 and o.conversation = ?2 and o.account = ?1
            and exists (select 1 from json_each(o.message_ids) where value = ?3)))`,
  copies_begun: `${PAIR} where c.conversation = ? and c.account = ? and ${COPY_BEGUN.replaceAll(/\b(state|part)\b/g, "c.$1")}
    and q.status = 'open' order by c.n`,
  last_end: "select ended_at from last_ends where account = ? and conversation = ?",
  due_copies: `${PAIR} where c.todo is not null and c.due_at is not null and c.due_at <= ? order by c.due_at, c.n limit ?`,
  due_copies_of: `${PAIR} where c.todo is not null and c.due_at is not null and c.due_at <= ?1
    and c.account in (select value from json_each(?2)) order by c.due_at, c.n limit ?3`,
  // Named, because the order asked for would tempt SQLite to walk the whole table.
  copies_sending: `${PAIR.replace("copies c", "copies c indexed by copies_sending")} where c.state = 'sending' order by c.n`,
  copies_shown: `${PAIR} where c.state = 'shown' and q.status = 'open' order by c.shown_at desc, c.n desc limit ?`,
  due_questions: `${QUESTION}
    where q.status = 'open' and q.due_at is not null and q.due_at <= ? order by q.due_at, q.n limit ?`,
  due_notices: `select ${INPUT_COLUMNS} from inputs
    where notice is not null and notice_due_at is not null and notice_due_at <= ? order by notice_due_at, n limit ?`,
  next_copy: "select due_at from copies where todo is not null and due_at is not null order by due_at limit 1",
  next_copy_of: `select due_at from copies
    where todo is not null and due_at is not null and account in (select value from json_each(?)) order by due_at limit 1`,
  next_question: "select due_at from questions where status = 'open' and due_at is not null order by due_at limit 1",
  next_notice: "select notice_due_at from inputs where notice is not null and notice_due_at is not null order by notice_due_at limit 1",
  due_checks: `select ${INPUT_COLUMNS} from inputs
    where state = 'new' and check_at is not null and check_at <= ? order by check_at, n limit ?`,
  next_check: "select check_at from inputs where state = 'new' and check_at is not null order by check_at limit 1",
  unsettled: `select ${INPUT_COLUMNS} from inputs where state = 'new' order by received_at, n limit ?`,
  input: `select ${INPUT_COLUMNS} from inputs where id = ?`,
  receipt: `select ${RECEIPT_COLUMNS} from receipts where resolution_id = ?`,
  aside: `select ${ASIDE_COLUMNS} from asides where id = ?`,
  events: `select e.id, q.id, e.session, e.version, e.type, e.at, e.data from events e join questions q on q.n = e.question
    where e.id > ? order by e.id limit ?`,
  events_session: `select e.id, q.id, e.session, e.version, e.type, e.at, e.data from events e join questions q on q.n = e.question
    where e.id > ? and e.session = ? order by e.id limit ?`,
  events_oldest: "select min(id) from events",
  newest: "select seq from sqlite_sequence where name = ?",
  memory: "select value from memory where account = ? and key = ?",
  tombstone: "select id, status, asked_at, ended_at from tombstones where id = ?",
  tombstone_copy: `select t.id, t.status, t.asked_at, t.ended_at from tombstone_copies c join tombstones t on t.n = c.tombstone
    where c.copy = ?`,
  count_open: "select ifnull(sum(count), 0) from open_counts where person = ''",
  count_shown: "select count(*) from copies where state = 'shown'",
  count_undelivered: "select count(*) from questions where status = 'undelivered'",
  count_pending: "select count(*) from copies where todo is not null and due_at is not null",
  run: `select ${RUN_COLUMNS} from runs where id = ?`,
  live_runs: `select ${RUN_COLUMNS} from runs where status = 'live' order by opened_at, id limit ?`,
  live_runs_of: `select ${RUN_COLUMNS} from runs where status = 'live' and principal = ? order by opened_at, id limit ?`,
  next_lease: "select lease_until from runs where status = 'live' and lease_until is not null order by lease_until limit 1",
  open_of_closed_runs: `select q.id from run_questions o cross join runs r on r.id = o.run and r.status = 'closed'
    cross join questions q on q.n = o.n where q.status = 'open' order by o.n limit ?`,
  open_of_run: "select q.id from run_questions o join questions q on q.n = o.n where o.run = ? and q.status = 'open' order by o.n limit ?",
  open_of_principal: "select id from questions where status = 'open' and principal = ? order by asked_at, id limit ?",
  session: `select ${SESSION_COLUMNS} from sessions where principal = ? and session = ?`,
  key_by_hash: `select ${KEY_COLUMNS} from keys where hash = ?`,
  keys: `select ${KEY_COLUMNS} from keys order by name, n`,
  instances: "select id, started_at, lease_until from instances order by started_at, id",
  audit: `select w.instance, a.seq, a.type, a.at, a.question, a.data, a.prev, a.hash from audit a join audit_writers w on w.n = a.writer
    order by a.writer, a.seq limit ?`,
  audit_after: `select w.instance, a.seq, a.type, a.at, a.question, a.data, a.prev, a.hash from audit a join audit_writers w on w.n = a.writer
    where (a.writer, a.seq) > ((select n from audit_writers where instance = ?), ?) order by a.writer, a.seq limit ?`,
  audit_heads: `select ${HEAD_COLUMNS.split(", ")
    .map((column) => `h.${column}`)
    .join(", ")} from audit_heads h join audit_writers w on w.instance = h.instance order by w.n, h.seq`,
  audit_tail: `select w.instance, a.seq, a.hash from audit_writers w join audit a on a.writer = w.n
    where w.instance = ? order by a.seq desc limit 1`,
} as const;

/** The statements above, and the size of the write-ahead log, which no statement tells. */
export type QueryName = keyof typeof QUERIES | "wal_bytes";
