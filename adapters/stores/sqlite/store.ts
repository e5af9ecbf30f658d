/**
 * The store port over an executor: changes become flat orders, rows become what the port names. Keeps one timer: after text was blanked
 * the log is truncated within a minute (design, section 7).
 */
import type { CopyId, QuestionId, ResolutionId } from "../../../src/core/ids.js";
import type { AuditHead, AuditRow, InstanceRow, KeyRow, RunRow, SessionRow } from "../../../src/ports/authority.js";
import type { Clock } from "../../../src/ports/clock.js";
import type * as port from "../../../src/ports/store.js";
import { auditOf, headOf, instanceOf, keyOf, questionIdOf, runOf, sessionOf, tailOf } from "./authority-rows.js";
import type { Executor } from "./executor.js";
import { blanks, orderOf } from "./orders.js";
import type { ListResult, Query, Row } from "./protocol.js";
import { areSmall, type ReadHere } from "./reader.js";
import { asideOf, copyOf, eventOf, inputOf, numberOf, pairOf, questionOf, receiptOf, standingOf, tombstoneOf } from "./rows.js";

/** From blanking to the first try of a truncating checkpoint, in milliseconds. */
export const CHECKPOINT_AFTER_MS = 30_000;
/** Between tries, while a reader stands in the way, in milliseconds. */
export const CHECKPOINT_RETRY_MS = 2_000;

type At = { readonly nowMs: number; readonly limit: number };

/** What a store is made from, beside its executor. `ended` is awaited after the engine has closed: the end of its thread. */
export type StoreParts = { readonly instance: string; readonly clock: Clock; readonly here: ReadHere; readonly ended: () => Promise<void> };

/** One open store. */
export class SqliteStore implements port.Store {
  readonly instance: string;
  readonly #executor: Executor;
  readonly #clock: Clock;
  readonly #here: ReadHere;
  readonly #ended: () => Promise<void>;
  #cancelCheckpoint: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(executor: Executor, { instance, clock, here, ended }: StoreParts) {
    this.instance = instance;
    this.#executor = executor;
    this.#clock = clock;
    this.#here = here;
    this.#ended = ended;
  }

  async commit(changes: readonly port.Change[]): Promise<port.CommitResult> {
    const result = await this.#executor.commit(changes.map(orderOf));
    if (result.ok && changes.some(blanks)) this.#checkpointIn(CHECKPOINT_AFTER_MS);
    return result.ok ? { ok: true, events: eventsOf(result) } : result;
  }

  question(id: QuestionId): Promise<port.QuestionRow | undefined> {
    return this.#first(["question", id], questionOf);
  }

  standing(id: QuestionId): Promise<port.Standing | undefined> {
    return this.#first(["standing", id], standingOf);
  }

  async questionByKey({ principal, session, key }: { readonly principal: string; readonly session: string | null; readonly key: string }) {
    const values = [principal, session, key] as const;
    const [held = [], free = []] = await this.#read([
      ["key_held", ...values],
      ["key_free", ...values],
    ]);
    const row = held[0] ?? free[0];
    return row === undefined ? undefined : questionOf(row);
  }

  openByCode(code: string): Promise<readonly port.QuestionRow[]> {
    return this.#list(["open_by_code", code], questionOf);
  }

  listOpen({ principal, session, limit }: { readonly principal?: string; readonly session?: string; readonly limit: number }) {
    if (principal !== undefined && session !== undefined)
      return this.#list(["open_principal_session", principal, session, limit], questionOf);
    if (principal !== undefined) return this.#list(["open_principal", principal, limit], questionOf);
    if (session !== undefined) return this.#list(["open_session", session, limit], questionOf);
    return this.#list(["open_all", limit], questionOf);
  }

  async openCounts({ principal, person }: { readonly principal: string; readonly person?: string }) {
    const [all, theirs] = await this.#read([
      ["open_count", principal, ""],
      // No person has the empty name, which counts them all.
      ["open_count", principal, person === undefined || person === "" ? null : person],
    ]);
    return { principal: numberOf(all) ?? 0, person: numberOf(theirs) ?? 0 };
  }

  copy(id: CopyId): Promise<port.CopyOf | undefined> {
    return this.#first(["copy", id], pairOf);
  }

  copiesOf(question: QuestionId): Promise<readonly port.CopyRow[]> {
    return this.#list(["copies_of", question], copyOf);
  }

  copyByMessage(at: { readonly account: string; readonly conversation: string; readonly messageId: string }) {
    return this.#first(["copy_by_message", at.account, at.conversation, at.messageId], pairOf);
  }

  openCopiesIn({ account, conversation }: { readonly account: string; readonly conversation: string }) {
    return this.#list(["copies_begun", conversation, account], pairOf);
  }

  async endedSince({
    account,
    conversation,
    sinceMs,
  }: {
    readonly account: string;
    readonly conversation: string;
    readonly sinceMs: number;
  }) {
    const lastMs = await this.#number(["last_end", account, conversation]);
    return lastMs !== null && lastMs >= sinceMs;
  }

  dueCopies({ nowMs, limit, accounts }: At & { readonly accounts?: readonly string[] }): Promise<readonly port.CopyOf[]> {
    if (accounts === undefined) return this.#list(["due_copies", nowMs, limit], pairOf);
    return this.#list(["due_copies_of", nowMs, JSON.stringify(accounts), limit], pairOf);
  }

  dueChecks({ nowMs, limit }: At): Promise<readonly port.InputRow[]> {
    return this.#list(["due_checks", nowMs, limit], inputOf);
  }

  copiesSending(): Promise<readonly port.CopyOf[]> {
    return this.#list(["copies_sending"], pairOf);
  }

  copiesShown(limit: number): Promise<readonly port.CopyOf[]> {
    return this.#list(["copies_shown", limit], pairOf);
  }

  dueQuestions({ nowMs, limit }: At): Promise<readonly port.QuestionRow[]> {
    return this.#list(["due_questions", nowMs, limit], questionOf);
  }

  dueNotices({ nowMs, limit }: At): Promise<readonly port.InputRow[]> {
    return this.#list(["due_notices", nowMs, limit], inputOf);
  }

  async nextDue({ accounts }: { readonly accounts?: readonly string[] } = {}) {
    const nextCopy: Query = accounts === undefined ? ["next_copy"] : ["next_copy_of", JSON.stringify(accounts)];
    const [copy, question, notice, check] = await this.#read([nextCopy, ["next_question"], ["next_notice"], ["next_check"]]);
    return { copyMs: numberOf(copy), questionMs: numberOf(question), noticeMs: numberOf(notice), checkMs: numberOf(check) };
  }

  unsettledInputs(limit: number): Promise<readonly port.InputRow[]> {
    return this.#list(["unsettled", limit], inputOf);
  }

  input(id: string): Promise<port.InputRow | undefined> {
    return this.#first(["input", id], inputOf);
  }

  receipt(id: ResolutionId): Promise<port.ReceiptRow | undefined> {
    return this.#first(["receipt", id], receiptOf);
  }

  aside(id: string): Promise<port.AsideRow | undefined> {
    return this.#first(["aside", id], asideOf);
  }

  async events({ id, session, limit }: { readonly id: number; readonly session?: string; readonly limit: number }) {
    const [events = [], oldest, newest] = await this.#read([
      session === undefined ? ["events", id, limit] : ["events_session", id, session, limit],
      ["events_oldest"],
      ["newest", "events"],
    ]);
    return { events: events.map(eventOf), oldest: numberOf(oldest), newest: numberOf(newest) ?? 0 };
  }

  memory({ account, key }: { readonly account: string; readonly key: string }): Promise<string | undefined> {
    return this.#first(["memory", account, key], ([value]) => (typeof value === "string" ? value : ""));
  }

  tombstoneOfCopy(copy: CopyId): Promise<port.Tombstone | undefined> {
    return this.#first(["tombstone_copy", copy], tombstoneOf);
  }

  tombstone(question: QuestionId): Promise<port.Tombstone | undefined> {
    return this.#first(["tombstone", question], tombstoneOf);
  }

  async counts() {
    const [open, asked, shown, undelivered, pending, walBytes] = await this.#read([
      ["count_open"],
      ["newest", "questions"],
      ["count_shown"],
      ["count_undelivered"],
      ["count_pending"],
      ["wal_bytes"],
    ]);
    const number = (rows: readonly Row[] | undefined): number => numberOf(rows) ?? 0;
    return {
      open: number(open),
      asked: number(asked),
      shown: number(shown),
      undelivered: number(undelivered),
      pending: number(pending),
      walBytes: number(walBytes),
    };
  }

  async tidy(at: { readonly nowMs: number; readonly endedBeforeMs: number; readonly limit: number }): Promise<{ readonly more: boolean }> {
    const { again } = await this.#executor.task({ kind: "tidy", at });
    this.#checkpointIn(CHECKPOINT_AFTER_MS);
    return { more: again };
  }

  run(id: string): Promise<RunRow | undefined> {
    return this.#first(["run", id], runOf);
  }

  liveRuns({ principal, limit }: { readonly principal?: string; readonly limit: number }): Promise<readonly RunRow[]> {
    return this.#list(principal === undefined ? ["live_runs", limit] : ["live_runs_of", principal, limit], runOf);
  }

  nextLeaseMs(): Promise<number | null> {
    return this.#number(["next_lease"]);
  }

  openOfClosedRuns(limit: number): Promise<readonly QuestionId[]> {
    return this.#list(["open_of_closed_runs", limit], questionIdOf);
  }

  openOfRun(run: string, limit: number): Promise<readonly QuestionId[]> {
    return this.#list(["open_of_run", run, limit], questionIdOf);
  }

  openOfPrincipal(principal: string, limit: number): Promise<readonly QuestionId[]> {
    return this.#list(["open_of_principal", principal, limit], questionIdOf);
  }

  session({ principal, session }: { readonly principal: string; readonly session: string }): Promise<SessionRow | undefined> {
    return this.#first(["session", principal, session], sessionOf);
  }

  keyByHash(hash: string): Promise<KeyRow | undefined> {
    return this.#first(["key_by_hash", hash], keyOf);
  }

  keys(): Promise<readonly KeyRow[]> {
    return this.#list(["keys"], keyOf);
  }

  instances(): Promise<readonly InstanceRow[]> {
    return this.#list(["instances"], instanceOf);
  }

  audit({ after, limit }: { readonly after?: { readonly instance: string; readonly seq: number }; readonly limit: number }) {
    return this.#list(after === undefined ? ["audit", limit] : ["audit_after", after.instance, after.seq, limit], auditOf);
  }

  auditHeads(): Promise<readonly AuditHead[]> {
    return this.#list(["audit_heads"], headOf);
  }

  auditTail(): Promise<Pick<AuditRow, "instance" | "seq" | "hash"> | undefined> {
    return this.#first(["audit_tail", this.instance], tailOf);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#cancelCheckpoint?.();
    try {
      await this.#executor.task({ kind: "close" });
    } finally {
      await this.#ended();
    }
  }

  /** Arms the checkpoint unless one is coming: the first blanking counts. */
  #checkpointIn(delayMs: number): void {
    if (this.#cancelCheckpoint !== undefined || this.#closing !== undefined) return;
    this.#cancelCheckpoint = this.#clock.after(delayMs, () => {
      this.#cancelCheckpoint = undefined;
      // A store that is gone has nothing to truncate; its callers are told by their own calls.
      this.#executor.task({ kind: "checkpoint" }).then(
        ({ again }) => (again ? this.#checkpointIn(CHECKPOINT_RETRY_MS) : undefined),
        () => undefined,
      );
    });
  }

  /** Small reads here, the others in the engine's thread; nothing is read from a store that is gone. */
  async #read(queries: readonly Query[]): Promise<readonly (readonly Row[])[]> {
    if (!areSmall(queries)) return this.#executor.read(queries);
    this.#executor.assertThere();
    return this.#here(queries) ?? this.#executor.read(queries);
  }

  async #first<T>(query: Query, parse: (row: Row) => T): Promise<T | undefined> {
    const [rows] = await this.#read([query]);
    const row = rows?.[0];
    return row === undefined ? undefined : parse(row);
  }

  async #list<T>(query: Query, parse: (row: Row) => T): Promise<readonly T[]> {
    const [rows = []] = await this.#read([query]);
    return rows.map((row) => parse(row));
  }

  async #number(query: Query): Promise<number | null> {
    const [rows] = await this.#read([query]);
    return numberOf(rows);
  }
}

function eventsOf({ events }: Extract<ListResult, { readonly ok: true }>): { readonly id: number; readonly version: number }[] {
  const pairs: { readonly id: number; readonly version: number }[] = [];
  for (let at = 0; at + 1 < events.length; at += 2) pairs.push({ id: events[at] ?? 0, version: events[at + 1] ?? 0 });
  return pairs;
}
