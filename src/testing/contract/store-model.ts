/**
 * The store port as plainly as it can be written: everything in arrays, one list at a time, a list that fails puts back what was there.
 * The contract compares real stores with it; nothing here is fast or durable.
 */

import type { CopyId, QuestionId, ResolutionId } from "../../core/ids.js";
import { EXPIRY_GRACE_MS } from "../../core/lifecycle.js";
import { HandraiseError, unreachable } from "../../errors.js";
import type { AuthorityReads } from "../../ports/authority.js";
import type {
  AsideRow,
  Change,
  CommitResult,
  CopyOf,
  CopyRow,
  EventRow,
  InputRow,
  QuestionRow,
  ReceiptRow,
  Store,
  Tombstone,
} from "../../ports/store.js";
import { atEnd, compare, dueOf, sameAlias, sameKey, started } from "./store-model-rows.js";

type Why = Extract<CommitResult, { readonly ok: false }>["why"];
type Settle = Extract<Change, { readonly do: "settle_question" }>;
type Tables = {
  questions: readonly QuestionRow[];
  copies: readonly CopyRow[];
  inputs: readonly InputRow[];
  receipts: readonly ReceiptRow[];
  events: readonly EventRow[];
  asides: readonly AsideRow[];
  memory: ReadonlyMap<string, string>;
  asked: number;
};

const BEGUN: readonly CopyRow["state"][] = ["sending", "shown", "unknown"];

/** The part of the port that is modelled: questions and what is about them. Authority is held by its own clauses (store-authority.ts). */
export type Modelled = Omit<Store, keyof AuthorityReads | "instance" | "dueChecks">;

/** A store in memory with the meaning of the port; tidying is not modelled. */
export class StoreModel implements Modelled {
  #tables: Tables = { questions: [], copies: [], inputs: [], receipts: [], events: [], asides: [], memory: new Map(), asked: 0 };
  #lastEvent = 0;

  async commit(changes: readonly Change[]): Promise<CommitResult> {
    const before = { ...this.#tables };
    const firstEvent = this.#lastEvent;
    for (const [at, change] of changes.entries()) {
      const why = this.#apply(change);
      if (why === undefined) continue;
      this.#tables = before;
      this.#lastEvent = firstEvent;
      if (why === "broken") throw new HandraiseError("store_unavailable", `${change.do} names what does not exist, or exists already.`);
      return { ok: false, at, why };
    }
    return { ok: true, events: this.#tables.events.slice(before.events.length).map(({ id, version }) => ({ id, version })) };
  }

  #apply(change: Change): Why | "broken" | undefined {
    const t = this.#tables;
    switch (change.do) {
      case "insert_question":
        if (t.questions.some((row) => row.id === change.row.id || (row.status !== "undelivered" && sameKey(row, change.row))))
          return "exists";
        t.questions = [...t.questions, change.row];
        t.asked += 1;
        return undefined;
      case "settle_question":
        return this.#settle(change);
      case "start_clock":
        this.#onQuestion(change.id, (row) => (row.status === "open" ? started(row, change.atMs) : row));
        return undefined;
      case "mark_collected":
        this.#onQuestion(change.id, (row) => ({ ...row, collectedAtMs: row.collectedAtMs ?? change.atMs }));
        return undefined;
      case "insert_copy":
        if (t.copies.some(({ id }) => id === change.row.id) || !t.questions.some(({ id }) => id === change.row.question)) return "broken";
        t.copies = [...t.copies, change.row];
        return undefined;
      case "update_copy": {
        const found = t.copies.find(({ id, revision }) => id === change.id && revision === change.revision);
        if (found === undefined) return "stale";
        t.copies = t.copies.map((row) => (row === found ? { ...row, ...change.set, revision: row.revision + 1 } : row));
        return undefined;
      }
      case "end_copies":
        t.copies = t.copies.map((row) => (row.question === change.question ? atEnd(row, change.atMs) : row));
        return undefined;
      case "insert_event":
        return this.#event(change);
      case "move_conversation":
        this.#move(change);
        return undefined;
      case "insert_input":
      case "settle_input":
      case "update_notice":
      case "insert_receipt":
      case "insert_aside":
      case "take_aside":
      case "put_memory":
        return this.#applySmall(change);
      default:
        throw new Error(`${change.do} is not modelled`);
    }
  }

  #applySmall(
    change: Extract<
      Change,
      { do: "insert_input" | "settle_input" | "update_notice" | "insert_receipt" | "insert_aside" | "take_aside" | "put_memory" }
    >,
  ): Why | "broken" | undefined {
    const t = this.#tables;
    switch (change.do) {
      case "insert_input":
        if (t.inputs.some((row) => row.id === change.row.id || sameAlias(row, change.row))) return "exists";
        t.inputs = [...t.inputs, change.row];
        return undefined;
      case "settle_input": {
        if (!t.inputs.some(({ id, state }) => id === change.id && state === "new")) return "settled";
        const { verdict, notice, noticeDueAtMs } = change;
        this.#onInput(change.id, { state: "settled", input: null, verdict, notice, noticeDueAtMs });
        return undefined;
      }
      case "update_notice": {
        const { notice, noticeDueAtMs, noticeAttempts } = change;
        this.#onInput(change.id, { notice, noticeDueAtMs, noticeAttempts });
        return undefined;
      }
      case "insert_receipt":
        if (t.receipts.some(({ resolutionId }) => resolutionId === change.row.resolutionId)) return "exists";
        t.receipts = [...t.receipts, change.row];
        return undefined;
      case "insert_aside":
        if (t.asides.some(({ id }) => id === change.row.id)) return "broken";
        t.asides = [...t.asides, change.row];
        return undefined;
      case "take_aside":
        if (!t.asides.some(({ id }) => id === change.id)) return "settled";
        t.asides = t.asides.filter(({ id }) => id !== change.id);
        return undefined;
      case "put_memory":
        t.memory = new Map([...t.memory, [`${change.account}\n${change.key}`, change.value]]);
        return undefined;
      default:
        return unreachable(change);
    }
  }

  #settle(change: Settle): Why | undefined {
    const row = this.#tables.questions.find(({ id }) => id === change.id);
    if (row === undefined || row.status !== "open") return "settled";
    if (change.receivedAtMs !== undefined && row.expiresAtMs !== null && change.receivedAtMs >= row.expiresAtMs) return "late";
    if (change.dueAtMs !== undefined && !this.#mayExpire(row, change.dueAtMs)) return "early";
    const mine = this.#tables.copies.filter(({ question }) => question === row.id);
    if (
      change.onlyIfAllFailed === true &&
      !mine.every(({ state, shownAtMs }) => (state === "failed" || state === "closed") && shownAtMs === null)
    )
      return "stale";
    const { outcome, endedAtMs, settledBy } = change;
    this.#onQuestion(row.id, (open) => ({ ...open, status: outcome.status, outcome, endedAtMs, settledBy }));
    return undefined;
  }

  #mayExpire({ id, expiresAtMs }: QuestionRow, dueAtMs: number): boolean {
    if (expiresAtMs === null || expiresAtMs > dueAtMs) return false;
    if (dueAtMs >= expiresAtMs + EXPIRY_GRACE_MS) return true;
    return !this.#tables.inputs.some(
      ({ question, state, receivedAtMs }) => question === id && state === "new" && receivedAtMs < expiresAtMs,
    );
  }

  #event({ question, type, atMs, data }: Extract<Change, { readonly do: "insert_event" }>): "broken" | undefined {
    const row = this.#tables.questions.find(({ id }) => id === question);
    if (row === undefined) return "broken";
    const version = row.version + 1;
    this.#onQuestion(question, (old) => ({ ...old, version }));
    this.#lastEvent += 1;
    const event = { id: this.#lastEvent, question, session: row.session, version, type, atMs, data };
    this.#tables.events = [...this.#tables.events, event];
    return undefined;
  }

  #move({ account, from, to }: Extract<Change, { readonly do: "move_conversation" }>): void {
    const t = this.#tables;
    t.copies = t.copies.map((row) =>
      row.account === account && row.conversation === from ? { ...row, conversation: to, revision: row.revision + 1 } : row,
    );
    t.inputs = t.inputs.map((row) =>
      row.state === "new" && row.input !== null && row.input.account === account && row.input.conversation === from
        ? { ...row, input: { ...row.input, conversation: to } }
        : row,
    );
  }

  #onQuestion(id: QuestionId, change: (row: QuestionRow) => QuestionRow): void {
    this.#tables.questions = this.#tables.questions.map((row) => (row.id === id ? change(row) : row));
  }

  #onInput(id: string, set: Partial<InputRow>): void {
    this.#tables.inputs = this.#tables.inputs.map((row) => (row.id === id ? { ...row, ...set } : row));
  }

  #open(): readonly QuestionRow[] {
    return this.#tables.questions
      .filter(({ status }) => status === "open")
      .toSorted((a, b) => a.askedAtMs - b.askedAtMs || compare(a.id, b.id));
  }

  #pairs(keep: (copy: CopyRow, question: QuestionRow) => boolean): CopyOf[] {
    return this.#tables.copies.flatMap((copy) => {
      const question = this.#tables.questions.find(({ id }) => id === copy.question);
      return question !== undefined && keep(copy, question) ? [{ copy, question }] : [];
    });
  }

  async question(id: QuestionId) {
    return this.#tables.questions.find((row) => row.id === id);
  }

  async standing(id: QuestionId) {
    return this.question(id);
  }

  async questionByKey(by: { readonly principal: string; readonly session: string | null; readonly key: string }) {
    const mine = this.#tables.questions.filter((row) => sameKey(row, by));
    return mine.find(({ status }) => status !== "undelivered") ?? mine.at(-1);
  }

  async openByCode(code: string) {
    return this.#open()
      .filter((row) => row.code === code)
      .slice(0, 10);
  }

  async listOpen({ principal, session, limit }: { readonly principal?: string; readonly session?: string; readonly limit: number }) {
    return this.#open()
      .filter((row) => (principal === undefined || row.principal === principal) && (session === undefined || row.session === session))
      .slice(0, limit);
  }

  async openCounts({ principal, person }: { readonly principal: string; readonly person?: string }) {
    const theirs = this.#open().filter((row) => row.principal === principal);
    const named = theirs.filter(
      ({ body: { audience } }) => person !== undefined && audience.kind === "people" && audience.people.includes(person),
    );
    return { principal: theirs.length, person: named.length };
  }

  async copy(id: CopyId) {
    return this.#pairs((copy) => copy.id === id)[0];
  }

  async copiesOf(question: QuestionId) {
    return this.#tables.copies.filter((row) => row.question === question);
  }

  async copyByMessage({
    account,
    conversation,
    messageId,
  }: {
    readonly account: string;
    readonly conversation: string;
    readonly messageId: string;
  }) {
    const has = (copy: CopyRow): boolean => copy.messageId === messageId || copy.messageIds.includes(messageId);
    return this.#pairs((copy) => copy.account === account && copy.conversation === conversation && has(copy)).at(-1);
  }

  async openCopiesIn({ account, conversation }: { readonly account: string; readonly conversation: string }) {
    return this.#pairs(
      (copy, { status }) =>
        status === "open" &&
        copy.account === account &&
        copy.conversation === conversation &&
        (BEGUN.includes(copy.state) || (copy.state === "pending" && copy.part > 0)),
    );
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
    const here = (copy: CopyRow): boolean => copy.account === account && copy.conversation === conversation;
    return this.#pairs((copy, { endedAtMs }) => here(copy) && endedAtMs !== null && endedAtMs >= sinceMs).length > 0;
  }

  async dueCopies({ nowMs, limit }: { readonly nowMs: number; readonly limit: number }) {
    return this.#pairs(({ todo, dueAtMs }) => todo !== null && dueAtMs !== null && dueAtMs <= nowMs)
      .toSorted((a, b) => (a.copy.dueAtMs ?? 0) - (b.copy.dueAtMs ?? 0))
      .slice(0, limit);
  }

  async copiesSending() {
    return this.#pairs(({ state }) => state === "sending");
  }

  async copiesShown(limit: number) {
    return this.#pairs(({ state }, { status }) => state === "shown" && status === "open")
      .reverse()
      .toSorted((a, b) => (b.copy.shownAtMs ?? -1) - (a.copy.shownAtMs ?? -1))
      .slice(0, limit);
  }

  async dueQuestions({ nowMs, limit }: { readonly nowMs: number; readonly limit: number }) {
    return this.#tables.questions
      .filter((row) => row.status === "open" && dueOf(row) <= nowMs)
      .toSorted((a, b) => dueOf(a) - dueOf(b))
      .slice(0, limit);
  }

  async dueNotices({ nowMs, limit }: { readonly nowMs: number; readonly limit: number }) {
    return this.#tables.inputs
      .filter(({ notice, noticeDueAtMs }) => notice !== null && noticeDueAtMs !== null && noticeDueAtMs <= nowMs)
      .toSorted((a, b) => (a.noticeDueAtMs ?? 0) - (b.noticeDueAtMs ?? 0))
      .slice(0, limit);
  }

  async nextDue() {
    const all = { nowMs: Number.MAX_SAFE_INTEGER, limit: 1 };
    const [[copy], [question], [notice]] = await Promise.all([this.dueCopies(all), this.dueQuestions(all), this.dueNotices(all)]);
    return {
      copyMs: copy?.copy.dueAtMs ?? null,
      questionMs: question === undefined ? null : dueOf(question),
      noticeMs: notice?.noticeDueAtMs ?? null,
      checkMs: null,
    };
  }

  async unsettledInputs(limit: number) {
    return this.#tables.inputs
      .filter(({ state }) => state === "new")
      .toSorted((a, b) => a.receivedAtMs - b.receivedAtMs)
      .slice(0, limit);
  }

  async input(id: string) {
    return this.#tables.inputs.find((row) => row.id === id);
  }

  async receipt(id: ResolutionId) {
    return this.#tables.receipts.find(({ resolutionId }) => resolutionId === id);
  }

  async aside(id: string) {
    return this.#tables.asides.find((row) => row.id === id);
  }

  async events({ id, session, limit }: { readonly id: number; readonly session?: string; readonly limit: number }) {
    const { events } = this.#tables;
    const after = events.filter((row) => row.id > id && (session === undefined || row.session === session)).slice(0, limit);
    return { events: after, oldest: events[0]?.id ?? null, newest: this.#lastEvent };
  }

  async memory({ account, key }: { readonly account: string; readonly key: string }) {
    return this.#tables.memory.get(`${account}\n${key}`);
  }

  async tombstoneOfCopy(): Promise<Tombstone | undefined> {
    return undefined;
  }

  async tombstone(): Promise<Tombstone | undefined> {
    return undefined;
  }

  async counts() {
    const { questions, copies, asked } = this.#tables;
    return {
      open: this.#open().length,
      asked,
      shown: copies.filter(({ state }) => state === "shown").length,
      undelivered: questions.filter(({ status }) => status === "undelivered").length,
      pending: copies.filter(({ todo, dueAtMs }) => todo !== null && dueAtMs !== null).length,
      walBytes: 0,
    };
  }

  async tidy() {
    return { more: false };
  }

  async close(): Promise<void> {}
}
