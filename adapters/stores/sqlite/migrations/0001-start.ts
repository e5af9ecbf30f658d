/**
 * Schema 1: everything the store port needs.
 *
 * Integer row ids inside, random ids in unique indexes of their own; partial indexes on what is open, due or in work, so that their
 * size follows the work and not the history. No foreign keys on events, inputs and receipts: they are dropped by age, before their
 * question, and an index only for the key would be written with every row.
 */
import { COPY_BEGUN } from "../conditions.js";

/** `due_at` of a question without deadline and delivery end: no instant is this late. */
const NEVER = "9007199254740991";

/** The statements of schema 1. */
export const START_SQL = `
create table questions (
  n integer primary key autoincrement,
  id text not null unique,
  code text not null,
  principal text not null,
  session text,
  key text,
  audience text,
  asked_at integer not null,
  timeout integer,
  expires_at integer,
  deliver_by integer,
  due_at integer generated always as (nullif(min(ifnull(expires_at, ${NEVER}), ifnull(deliver_by, ${NEVER})), ${NEVER})) virtual,
  status text not null,
  version integer not null,
  ended_at integer,
  settled_by text,
  collected_at integer
) strict;
-- What never changes, apart from the row that every event touches: a small row is cheap to write again.
create table question_texts (
  n integer primary key references questions (n) on delete cascade,
  digest text not null,
  run text,
  parent_run text,
  policy_digest text,
  question_group text,
  call text,
  turn text,
  body text not null
) strict;
create table outcomes (n integer primary key references questions (n) on delete cascade, outcome text not null) strict;
create unique index questions_key on questions (principal, ifnull(session, ''), key) where key is not null and status <> 'undelivered';
create index questions_key_free on questions (principal, ifnull(session, ''), key) where key is not null and status = 'undelivered';
create index questions_due on questions (due_at) where status = 'open' and due_at is not null;
create index questions_code on questions (code) where status = 'open';
create index questions_open on questions (principal, asked_at) where status = 'open';
create index questions_session on questions (session, asked_at) where status = 'open' and session is not null;
create index questions_ended on questions (ended_at) where status <> 'open';
create index questions_undelivered on questions (ended_at) where status = 'undelivered';

create table copies (
  n integer primary key,
  id text not null unique,
  question integer not null references questions (n),
  target text not null,
  person text,
  account text not null,
  user_id text,
  conversation text,
  thread text,
  direct integer not null,
  state text not null,
  todo text,
  due_at integer,
  revision integer not null,
  part integer not null,
  nonce text,
  attempted_at integer,
  attempts integer not null,
  message_ids text not null,
  message_id text,
  message_order text,
  repeat_of text,
  page integer not null,
  shown_at integer,
  error_code text,
  error_message text
) strict;
create index copies_question on copies (question);
create index copies_due on copies (due_at) where todo is not null and due_at is not null;
create index copies_place on copies (conversation, message_id) where conversation is not null;
create index copies_begun on copies (conversation, account) where ${COPY_BEGUN};
create index copies_sending on copies (attempted_at) where state = 'sending';
create index copies_shown on copies (shown_at) where state = 'shown';

-- Messages of a copy other than its last one: parts of a long prompt.
create table copy_parts (
  message_id text not null,
  copy integer not null,
  primary key (message_id, copy)
) strict, without rowid;

create table inputs (
  n integer primary key,
  id text not null unique,
  alias text,
  question text,
  copy text,
  resolution_id text not null,
  input text,
  received_at integer not null,
  state text not null,
  verdict text,
  notice text,
  notice_account text not null,
  notice_due_at integer,
  notice_attempts integer not null
) strict;
create index inputs_new on inputs (question, received_at) where state = 'new';
create index inputs_alias on inputs (alias, received_at) where alias is not null;
create index inputs_notice on inputs (notice_due_at) where notice is not null and notice_due_at is not null;

create table receipts (
  n integer primary key,
  resolution_id text not null unique,
  question text not null,
  actor text not null,
  payload_digest text not null,
  at integer not null
) strict;

create table events (
  id integer primary key autoincrement,
  question integer not null,
  session text,
  version integer not null,
  type text not null,
  at integer not null,
  data text not null
) strict;
create index events_session on events (session, id) where session is not null;

create table asides (
  id text primary key,
  account text not null,
  conversation text not null,
  user_id text not null,
  text text not null,
  kind text not null,
  copies text not null,
  expires_at integer not null
) strict, without rowid;
create index asides_expiry on asides (expires_at);

create table memory (
  account text not null,
  key text not null,
  value text not null,
  primary key (account, key)
) strict, without rowid;

create table tombstones (
  n integer primary key,
  id text not null unique,
  status text not null,
  asked_at integer not null,
  ended_at integer not null
) strict;
create table tombstone_copies (copy text primary key, tombstone integer not null) strict, without rowid;

-- Open questions by principal and person of the audience; person '' counts them all. Kept by the statements that open and end.
create table open_counts (
  principal text not null,
  person text not null,
  count integer not null,
  primary key (principal, person)
) strict, without rowid;

-- When a question with a copy in this conversation last ended.
create table last_ends (
  account text not null,
  conversation text not null,
  ended_at integer not null,
  primary key (account, conversation)
) strict, without rowid;

-- The last batch of a connection whose changes hold no id of their own: tells after a failed COMMIT whether it was stored.
create table writers (name text primary key, batch text not null) strict, without rowid;
`;
