/**
 * Schema 2: runs, sessions, keys, bridges that share the file, the audit chain, and how far a remote host's submission has come.
 *
 * `run_questions` holds the open questions of runs alone, so that what a crash left open is found without reading what has ended.
 */

/** The statements of schema 2. */
export const AUTHORITY_SQL = `
create table runs (
  n integer primary key,
  id text not null unique,
  principal text not null,
  session text not null,
  owner text not null,
  started_by text,
  only_starter integer not null,
  policy text not null,
  policy_digest text not null,
  instance text,
  lease_hash text,
  lease integer not null,
  lease_until integer,
  opened_at integer not null,
  status text not null,
  ended_at integer,
  ended_how text,
  reason text
) strict;
create index runs_live on runs (opened_at, id) where status = 'live';
create index runs_lease on runs (lease_until) where status = 'live' and lease_until is not null;
create table run_questions (n integer primary key references questions (n) on delete cascade, run text not null) strict;
create index run_questions_run on run_questions (run);

create table sessions (
  principal text not null,
  session text not null,
  owner text not null,
  members text not null,
  primary key (principal, session)
) strict, without rowid;

create table keys (
  n integer primary key,
  hash text not null unique,
  name text not null,
  scope text not null,
  person text,
  accounts text,
  targets text,
  created_at integer not null,
  revoked_at integer
) strict;
create index keys_name on keys (name) where revoked_at is null;

create table instances (id text primary key, started_at integer not null, lease_until integer not null) strict, without rowid;
create table account_leases (account text primary key, holder text not null, until integer not null) strict, without rowid;

-- One chain per writer; writers are numbered in the order in which they first wrote.
create table audit_writers (n integer primary key, instance text not null unique) strict;
create table audit (
  writer integer not null,
  seq integer not null,
  type text not null,
  at integer not null,
  question text,
  data text not null,
  prev text not null,
  hash text not null,
  primary key (writer, seq)
) strict, without rowid;
create table audit_heads (
  instance text not null,
  seq integer not null,
  hash text not null,
  at integer not null,
  signature text not null,
  primary key (instance, seq)
) strict, without rowid;

alter table inputs add column submission text;
alter table inputs add column submission_at integer;
alter table inputs add column checks integer not null default 0;
alter table inputs add column check_at integer;
create index inputs_check on inputs (check_at) where state = 'new' and check_at is not null;
`;
