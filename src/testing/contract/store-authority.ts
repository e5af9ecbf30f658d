/** Clauses S60 to S72: runs, sessions, keys, bridges that share the memory, the audit chain, submissions of a remote host. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CHAIN_START, chainText } from "../../core/audit-chain.js";
import type { AuditRow, KeyRow, RunRow } from "../../ports/authority.js";
import type { Change, CommitResult, QuestionRow } from "../../ports/store.js";
import { applied, type OpenBench } from "./store-bench.js";
import { answeredOutcome, askChanges, copyRow, inputRow, questionRow, START_MS } from "./store-rows.js";

const EXISTS: CommitResult = { ok: false, at: 0, why: "exists" };
const SETTLED: CommitResult = { ok: false, at: 0, why: "settled" };
const STALE: CommitResult = { ok: false, at: 0, why: "stale" };
const OVER: CommitResult = { ok: false, at: 0, why: "run_over" };

function runRow(id: string, part: Partial<RunRow> = {}): RunRow {
  return {
    ...{ id, principal: "ci", session: "ticket-7", owner: "alice", startedBy: "bob", onlyStarter: false },
    ...{ policy: { to: ["bob"], maxOpen: 3 }, policyDigest: "d1", instance: null, leaseHash: "h1", leaseMs: 30_000 },
    ...{ leaseUntilMs: START_MS + 30_000, openedAtMs: START_MS, status: "live", endedAtMs: null, end: null, reason: null },
    ...part,
  };
}

function keyRow(name: string, part: Partial<KeyRow> = {}): KeyRow {
  const made = {
    hash: `hash of ${name}`,
    name,
    scope: "ask",
    person: null,
    accounts: null,
    to: null,
    createdAtMs: START_MS,
    revokedAtMs: null,
  };
  return { ...made, scope: "ask", ...part };
}

function boundTo(run: string, part: Partial<QuestionRow> = {}): QuestionRow {
  return { ...questionRow(), run, policyDigest: "d1", ...part };
}

function answering(row: QuestionRow, receivedAtMs: number): Change {
  const outcome = answeredOutcome(row.id);
  return { do: "settle_question", id: row.id, outcome, endedAtMs: receivedAtMs, settledBy: null, receivedAtMs, runLive: true };
}

/** What is wrong in a chain; undefined when every link holds. */
function brokenLink(rows: readonly AuditRow[]): AuditRow | undefined {
  let [seq, prev] = [0, CHAIN_START];
  return rows.find((row) => {
    const hash = createHash("sha256").update(chainText(row, prev)).digest("hex");
    const holds = row.seq === seq + 1 && row.prev === prev && row.hash === hash;
    [seq, prev] = [row.seq, row.hash];
    return !holds;
  });
}

/** Registers the clauses on authority. */
export function authorityClauses(bench: OpenBench): void {
  describe("authority", () => {
    runClauses(bench);
    keyClauses(bench);
    auditClauses(bench);
    submissionClauses(bench);
  });
}

function runClauses(bench: OpenBench): void {
  it("S60 keeps a run as it was opened, across a restart", async () => {
    const { store, reopen } = await bench();
    const [held, own] = [
      runRow("run_a"),
      runRow("run_b", { instance: store.instance, leaseHash: null, leaseUntilMs: null, openedAtMs: 5 }),
    ];
    await applied(store, [{ do: "insert_run", row: held }]);
    await applied(store, [{ do: "insert_run", row: own }]);
    expect(await store.nextLeaseMs()).toBe(START_MS + 30_000);
    const again = await reopen();
    expect(again.instance).not.toBe(own.instance);
    expect(await again.run("run_a")).toEqual(held);
    expect(await again.liveRuns({ limit: 9 })).toEqual([own, held]);
    expect(await again.liveRuns({ principal: "nobody", limit: 9 })).toEqual([]);
    expect(await again.run("run_c")).toBeUndefined();
  });

  it("S61 extends a run only while it is live and its lease lasts", async () => {
    const { store } = await bench();
    await applied(store, [{ do: "insert_run", row: runRow("run_a") }]);
    const extend = (nowMs: number): Promise<CommitResult> =>
      store.commit([{ do: "extend_run", id: "run_a", nowMs, leaseUntilMs: nowMs + 30_000 }]);
    expect(await extend(START_MS + 29_999)).toMatchObject({ ok: true });
    expect(await store.nextLeaseMs()).toBe(START_MS + 59_999);
    expect(await extend(START_MS + 59_999)).toEqual(SETTLED);
    await applied(store, [{ do: "close_run", id: "run_a", atMs: 7, end: "closed", reason: "done" }]);
    expect(await extend(START_MS)).toEqual(SETTLED);
    expect(await store.commit([{ do: "close_run", id: "run_a", atMs: 8, end: "revoked", reason: null }])).toEqual(SETTLED);
    expect(await store.run("run_a")).toMatchObject({ status: "closed", endedAtMs: 7, end: "closed", reason: "done" });
    expect(await store.nextLeaseMs()).toBeNull();
  });

  it("S62 R15 a run's question is answered only while the run is live, within its lease, under its policy", async () => {
    const { store } = await bench();
    await applied(store, [{ do: "insert_run", row: runRow("run_a") }]);
    const [first, second, other, none] = [boundTo("run_a"), boundTo("run_a"), boundTo("run_a", { policyDigest: "d2" }), boundTo("run_z")];
    for (const row of [first, second, other, none]) await applied(store, askChanges(row));
    expect(await store.commit([answering(first, START_MS + 30_000)])).toEqual(OVER);
    expect(await store.commit([answering(other, START_MS + 1)])).toEqual(OVER);
    expect(await store.commit([answering(none, START_MS + 1)])).toEqual(OVER);
    expect(await store.commit([answering(first, START_MS + 29_999)])).toMatchObject({ ok: true });
    await applied(store, [{ do: "close_run", id: "run_a", atMs: 9, end: "closed", reason: null }]);
    expect(await store.commit([answering(second, START_MS + 1)])).toEqual(OVER);
    expect((await store.question(second.id))?.status).toBe("open");
  });

  it("S63 names the open questions of a run, of closed runs, of a principal, oldest first", async () => {
    const { store } = await bench();
    for (const id of ["run_a", "run_b"]) await applied(store, [{ do: "insert_run", row: runRow(id) }]);
    const rows = [boundTo("run_a"), boundTo("run_b"), boundTo("run_a"), { ...questionRow(), askedAtMs: START_MS + 5 }];
    for (const row of rows) await applied(store, askChanges(row));
    const [a1, b1, a2] = rows.map(({ id }) => id);
    expect(await store.openOfRun("run_a", 9)).toEqual([a1, a2]);
    expect(await store.openOfClosedRuns(9)).toEqual([]);
    await applied(store, [{ do: "close_run", id: "run_a", atMs: 9, end: "closed", reason: null }]);
    expect(await store.openOfClosedRuns(9)).toEqual([a1, a2]);
    const [first] = rows;
    if (first === undefined || b1 === undefined) throw new Error("no rows");
    const outcome = { id: first.id, at: "2026-12-01T00:00:00.000Z", status: "cancelled", code: "creator_closed" } as const;
    await applied(store, [{ do: "settle_question", id: first.id, outcome, endedAtMs: 9, settledBy: null }]);
    expect(await store.openOfClosedRuns(9)).toEqual([a2]);
    expect(await store.openOfPrincipal(first.principal, 9)).toHaveLength(3);
    expect(await store.openOfPrincipal("nobody", 9)).toEqual([]);
  });

  it("S64 a session keeps its first owner and gathers members", async () => {
    const { store } = await bench();
    const by = { principal: "ci", session: "ticket-7" };
    expect(await store.session(by)).toBeUndefined();
    await applied(store, [{ do: "put_session", row: { ...by, owner: "alice", members: ["bob"] } }]);
    await applied(store, [{ do: "put_session", row: { ...by, owner: "mallory", members: ["carol", "bob"] } }]);
    expect(await store.session(by)).toEqual({ ...by, owner: "alice", members: ["bob", "carol"] });
  });
}

function keyClauses(bench: OpenBench): void {
  it("S65 keeps keys by hash and revokes all of a name", async () => {
    const { store, reopen } = await bench();
    const [ci, host] = [keyRow("ci", { to: ["alice"] }), keyRow("edge", { hash: "h2", scope: "host", accounts: ["slack"] })];
    for (const row of [ci, host]) await applied(store, [{ do: "insert_key", row }]);
    expect(await store.commit([{ do: "insert_key", row: { ...host, hash: ci.hash } }])).toEqual(EXISTS);
    await applied(store, [{ do: "revoke_keys", name: "ci", atMs: 77 }]);
    await applied(store, [{ do: "revoke_keys", name: "ci", atMs: 99 }]);
    const again = await reopen();
    expect(await again.keyByHash(ci.hash)).toEqual({ ...ci, revokedAtMs: 77 });
    expect(await again.keys()).toEqual([{ ...ci, revokedAtMs: 77 }, host]);
    expect(await again.keyByHash("none")).toBeUndefined();
  });

  it("S66 bridges that share the memory see each other, and one at a time holds an account", async () => {
    const { store, second } = await bench();
    const other = await second();
    expect(other.instance).not.toBe(store.instance);
    const life = (id: string, leaseUntilMs: number): Change => ({ do: "put_instance", row: { id, startedAtMs: START_MS, leaseUntilMs } });
    await applied(store, [life(store.instance, 10)]);
    await applied(store, [life(store.instance, 20)]);
    expect(await other.instances()).toEqual([{ id: store.instance, startedAtMs: START_MS, leaseUntilMs: 20 }]);
    const take = (holder: string, nowMs: number, untilMs: number): Promise<CommitResult> =>
      (holder === store.instance ? store : other).commit([{ do: "take_account", account: "slack", holder, nowMs, untilMs }]);
    expect(await take(store.instance, 0, 30)).toMatchObject({ ok: true });
    expect(await take(other.instance, 29, 60)).toEqual(STALE);
    expect(await take(store.instance, 29, 40)).toMatchObject({ ok: true });
    expect(await take(other.instance, 40, 70)).toMatchObject({ ok: true });
    expect(await take(store.instance, 41, 80)).toEqual(STALE);
    expect(await take(other.instance, 41, 0)).toMatchObject({ ok: true });
    expect(await take(store.instance, 42, 80)).toMatchObject({ ok: true });
    await applied(store, [{ do: "drop_instance", id: store.instance }]);
    expect(await other.instances()).toEqual([]);
  });
}

function auditClauses(bench: OpenBench): void {
  const entry = (type: string, data: Readonly<Record<string, unknown>> = {}): Change => ({
    do: "insert_audit",
    entry: { type, atMs: START_MS, question: null, data },
  });

  it("S67 chains the facts of a writer in the order of the commits, without gaps", async () => {
    const { store } = await bench();
    expect(await store.auditTail()).toBeUndefined();
    const lists = Array.from({ length: 40 }, (_, at) => [entry("one", { at, "7": "x", "2": [1.5, null] }), entry("two", { at })]);
    await Promise.all(lists.map((list) => store.commit(list)));
    const rows = await store.audit({ limit: 100 });
    expect(rows).toHaveLength(80);
    expect(brokenLink(rows)).toBeUndefined();
    expect(rows.map(({ data }) => data["at"])).toEqual(lists.flatMap((_, at) => [at, at]));
    const last = rows[79];
    expect(await store.auditTail()).toEqual({ instance: store.instance, seq: 80, hash: last?.hash });
    expect(await store.audit({ after: { instance: store.instance, seq: 78 }, limit: 9 })).toEqual(rows.slice(78));
  });

  it("S68 a list that fails leaves no fact and no gap, alone or in the middle of its batch", async () => {
    const { store } = await bench();
    const gone: Change = { do: "take_aside", id: "none" };
    const lists = [[entry("kept")], [entry("lost"), gone], [gone, entry("lost")], [entry("kept")]];
    await Promise.all(lists.map((list) => store.commit(list)));
    const rows = await store.audit({ limit: 9 });
    expect(rows.map(({ type }) => type)).toEqual(["kept", "kept"]);
    expect(brokenLink(rows)).toBeUndefined();
  });

  it("S69 each opened store has a chain of its own, in the order of their first words", async () => {
    const { store, second, reopen } = await bench();
    const other = await second();
    await applied(store, [entry("a")]);
    await applied(other, [entry("b")]);
    await applied(store, [entry("a")]);
    const head = { instance: store.instance, seq: 2, hash: "h", atMs: 5, signature: "s" };
    await applied(store, [{ do: "put_audit_head", head }]);
    const again = await reopen();
    await applied(again, [entry("c")]);
    const rows = await again.audit({ limit: 9 });
    expect(rows.map(({ type, seq }) => `${type}${seq}`)).toEqual(["a1", "a2", "b1", "c1"]);
    for (const instance of new Set(rows.map((row) => row.instance)))
      expect(brokenLink(rows.filter((row) => row.instance === instance))).toBeUndefined();
    expect(await again.auditHeads()).toEqual([head]);
  });
}

function submissionClauses(bench: OpenBench): void {
  it("S70 follows a remote host's submission and finds the receipts to be asked for", async () => {
    const { store } = await bench();
    const rows = ["1", "2", "3"].map((id) => inputRow(id, null));
    for (const row of rows) await applied(store, [{ do: "insert_input", row }]);
    const mark = (at: number, checkAtMs: number | null, checks = 0): Promise<CommitResult> =>
      store.commit([{ do: "mark_input", id: rows[at]?.id ?? "", submission: { state: "dispatching", atMs: START_MS, checks, checkAtMs } }]);
    expect(await mark(0, 50)).toMatchObject({ ok: true });
    expect(await mark(1, 40, 2)).toMatchObject({ ok: true });
    expect((await store.nextDue()).checkMs).toBe(40);
    expect((await store.dueChecks({ nowMs: 50, limit: 9 })).map(({ id }) => id)).toEqual([rows[1]?.id, rows[0]?.id]);
    expect(await store.dueChecks({ nowMs: 39, limit: 9 })).toEqual([]);
    const submission = { state: "dispatching", atMs: START_MS, checks: 2, checkAtMs: 40 };
    expect((await store.input(rows[1]?.id ?? ""))?.submission).toEqual(submission);
    await applied(store, [{ do: "settle_input", id: rows[1]?.id ?? "", verdict: "committed", notice: null, noticeDueAtMs: null }]);
    expect(await mark(1, 60)).toEqual(SETTLED);
    expect((await store.nextDue()).checkMs).toBe(50);
  });

  it("S71 names what is due for some accounts alone", async () => {
    const { store } = await bench();
    const row = questionRow();
    await applied(store, askChanges(row));
    const own = { ...copyRow(row.id), account: "discord", dueAtMs: 10 };
    await applied(store, [{ do: "insert_copy", row: own }]);
    const due = await store.dueCopies({ nowMs: Number.MAX_SAFE_INTEGER, limit: 9, accounts: ["discord"] });
    expect(due.map(({ copy }) => copy.id)).toEqual([own.id]);
    expect((await store.nextDue({ accounts: ["discord"] })).copyMs).toBe(10);
    expect((await store.nextDue({ accounts: ["telegram"] })).copyMs).toBeNull();
    expect(await store.dueCopies({ nowMs: Number.MAX_SAFE_INTEGER, limit: 9, accounts: [] })).toEqual([]);
  });
}
