/** Clauses S1 to S15: questions, their one outcome, the reads over them. */
import { describe, expect, it } from "vitest";
import type { Change, QuestionRow, Store } from "../../ports/store.js";
import { applied, type OpenBench } from "./store-bench.js";
import {
  answerChanges,
  answeredOutcome,
  askChanges,
  copyRow,
  endedOutcome,
  inputRow,
  questionRow,
  START_MS,
  shownCopyRow,
} from "./store-rows.js";

type Settle = Extract<Change, { readonly do: "settle_question" }>;

function settle(
  row: QuestionRow,
  conditions: Partial<Settle>,
  status: "answered" | "cancelled" | "expired" | "undelivered" = "answered",
): Settle {
  const outcome = status === "answered" ? answeredOutcome(row.id) : endedOutcome(row.id, status);
  return { do: "settle_question", id: row.id, outcome, endedAtMs: START_MS + 60_000, settledBy: null, ...conditions };
}

async function asked(store: Store, set: Partial<QuestionRow> = {}): Promise<QuestionRow> {
  const row = questionRow(set);
  await applied(store, askChanges(row));
  return row;
}

/** Registers the clauses on questions. */
export function questionClauses(bench: OpenBench): void {
  describe("questions", () => {
    it("S1 gives back what was stored, to the last property", async () => {
      const { store } = await bench();
      const full = questionRow({
        session: "ticket-7",
        key: "release-42",
        run: "run-1",
        parentRun: "run-0",
        policyDigest: "2".repeat(64),
        group: "g1",
        expiresAtMs: START_MS + 5,
        body: {
          ...questionRow().body,
          text: "Ünï\u{1f680}\u0000\n'quoted\" \ud83d",
          call: { loop: "l", toolExecution: "t", turn: "3", step: "s" },
        },
      });
      await applied(store, [{ do: "insert_question", row: full }]);
      expect(await store.question(full.id)).toEqual(full);
      const outcome = answeredOutcome(full.id);
      await applied(store, [settle(full, {}), { do: "mark_collected", id: full.id, atMs: START_MS + 70_000 }]);
      const ended = { status: "answered", outcome, endedAtMs: START_MS + 60_000, collectedAtMs: START_MS + 70_000 };
      expect(await store.question(full.id)).toEqual({ ...full, ...ended });
      const { id, principal, status, settledBy, collectedAtMs } = { ...full, ...ended };
      expect(await store.standing(full.id)).toEqual({ id, principal, status, outcome, settledBy, collectedAtMs });
      expect(await store.question(questionRow().id)).toBeUndefined();
      expect(await store.standing(questionRow().id)).toBeUndefined();
    });

    it("S2 refuses a key that is taken, in its own scope only", async () => {
      const { store } = await bench();
      const first = await asked(store, { key: "k", session: "s" });
      const again = questionRow({ key: "k", session: "s" });
      expect(await store.commit([{ do: "put_memory", account: "a", key: "b", value: "c" }, ...askChanges(again)])).toEqual({
        ok: false,
        at: 1,
        why: "exists",
      });
      expect(await store.memory({ account: "a", key: "b" })).toBeUndefined();
      await asked(store, { key: "k", session: null });
      await asked(store, { key: "k", session: "other" });
      await asked(store, { key: "k", session: "s", principal: "someone" });
      expect((await store.questionByKey({ principal: "ci", session: "s", key: "k" }))?.id).toBe(first.id);
      await applied(store, [settle(first, {})]);
      expect(await store.commit(askChanges(again))).toMatchObject({ ok: false, why: "exists" });
    });

    it("S3 hands the key of an undelivered question over", async () => {
      const { store } = await bench();
      const first = await asked(store, { key: "k" });
      await applied(store, [settle(first, { onlyIfAllFailed: true }, "undelivered")]);
      expect((await store.questionByKey({ principal: "ci", session: null, key: "k" }))?.status).toBe("undelivered");
      const second = await asked(store, { key: "k" });
      expect((await store.questionByKey({ principal: "ci", session: null, key: "k" }))?.id).toBe(second.id);
      expect(await store.commit(askChanges(questionRow({ key: "k" })))).toMatchObject({ ok: false, why: "exists" });
    });

    it("S4 ends a question once, whatever meets it next", async () => {
      const { store } = await bench();
      const row = await asked(store);
      await applied(store, [settle(row, { receivedAtMs: START_MS }, "cancelled")]);
      for (const late of [{ receivedAtMs: START_MS }, { dueAtMs: START_MS + 1e9 }, { onlyIfAllFailed: true } as const, {}]) {
        expect(await store.commit([settle(row, late)])).toEqual({ ok: false, at: 0, why: "settled" });
      }
      expect(await store.commit([settle(questionRow(), {})])).toEqual({ ok: false, at: 0, why: "settled" });
      expect((await store.question(row.id))?.status).toBe("cancelled");
    });

    it("B157 the condition of an answer holds the deadline itself: strictly before it counts", async () => {
      const { store } = await bench();
      const row = await asked(store, { expiresAtMs: START_MS + 60_000 });
      // Nobody swept: the row still reads open at 65 s.
      for (const receivedAtMs of [START_MS + 65_000, START_MS + 60_000]) {
        expect(await store.commit([settle(row, { receivedAtMs })])).toEqual({ ok: false, at: 0, why: "late" });
      }
      await applied(store, [settle(row, { receivedAtMs: START_MS + 59_999 })]);
      const endless = await asked(store, { expiresAtMs: null, timeoutMs: null });
      await applied(store, [settle(endless, { receivedAtMs: START_MS + 1e12 })]);
    });

    it("S5 expires at the deadline, after older inputs, five seconds later at the latest", async () => {
      const { store } = await bench();
      const deadlineMs = START_MS + 60_000;
      const row = await asked(store, { expiresAtMs: deadlineMs });
      const expiry = (dueAtMs: number): Settle => settle(row, { dueAtMs }, "expired");
      expect(await store.commit([expiry(deadlineMs - 1)])).toEqual({ ok: false, at: 0, why: "early" });
      await applied(store, [{ do: "insert_input", row: inputRow("older", row.id, { receivedAtMs: deadlineMs - 1 }) }]);
      expect(await store.commit([expiry(deadlineMs + 4_999)])).toEqual({ ok: false, at: 0, why: "early" });
      await applied(store, [expiry(deadlineMs + 5_000)]);

      const free = await asked(store, { expiresAtMs: deadlineMs });
      const younger = inputRow("younger", free.id, { receivedAtMs: deadlineMs });
      await applied(store, [{ do: "insert_input", row: younger }, settle(free, { dueAtMs: deadlineMs }, "expired")]);
      const endless = await asked(store);
      expect(await store.commit([settle(endless, { dueAtMs: START_MS + 1e12 })])).toEqual({ ok: false, at: 0, why: "early" });
    });

    it("S6 a settled input holds no expiry up", async () => {
      const { store } = await bench();
      const row = await asked(store, { expiresAtMs: START_MS + 60_000 });
      const input = inputRow("older", row.id);
      await applied(store, [{ do: "insert_input", row: input }]);
      await applied(store, [{ do: "settle_input", id: input.id, verdict: "answer_invalid", notice: null, noticeDueAtMs: null }]);
      await applied(store, [settle(row, { dueAtMs: START_MS + 60_000 }, "expired")]);
      expect((await store.question(row.id))?.status).toBe("expired");
    });

    it("S7 ends undelivered only when every copy failed or was closed and none was shown", async () => {
      const { store } = await bench();
      const row = questionRow();
      const [failed, other] = [copyRow(row.id, { state: "failed", todo: null, dueAtMs: null }), copyRow(row.id)];
      await applied(store, askChanges(row, [failed, other]));
      const end = settle(row, { onlyIfAllFailed: true }, "undelivered");
      for (const [revision, state] of (["pending", "sending", "unknown", "shown"] as const).entries()) {
        await applied(store, [{ do: "update_copy", id: other.id, revision, set: { state } }]);
        expect(await store.commit([end])).toEqual({ ok: false, at: 0, why: "stale" });
      }
      await applied(store, [{ do: "update_copy", id: other.id, revision: 4, set: { state: "closed", shownAtMs: START_MS } }]);
      expect(await store.commit([end])).toEqual({ ok: false, at: 0, why: "stale" });
      await applied(store, [{ do: "update_copy", id: other.id, revision: 5, set: { shownAtMs: null } }]);
      await applied(store, [end]);
      expect((await store.question(row.id))?.status).toBe("undelivered");
    });

    it("S8 starts the clock at the first copy shown, once", async () => {
      const { store } = await bench();
      const row = await asked(store);
      await applied(store, [{ do: "start_clock", id: row.id, atMs: START_MS + 1_000 }]);
      expect(await store.question(row.id)).toMatchObject({ expiresAtMs: START_MS + 61_000, deliverByMs: null });
      await applied(store, [{ do: "start_clock", id: row.id, atMs: START_MS + 9_000 }]);
      expect((await store.question(row.id))?.expiresAtMs).toBe(START_MS + 61_000);
      const absolute = await asked(store, { timeoutMs: null, expiresAtMs: START_MS + 7 });
      const endless = await asked(store, { timeoutMs: null });
      const ended = await asked(store);
      await applied(store, [settle(ended, {}, "cancelled")]);
      for (const { id } of [absolute, endless, ended]) await applied(store, [{ do: "start_clock", id, atMs: START_MS }]);
      expect(await store.question(absolute.id)).toMatchObject({ expiresAtMs: START_MS + 7, deliverByMs: null });
      expect((await store.question(endless.id))?.expiresAtMs).toBeNull();
      expect((await store.question(ended.id))?.expiresAtMs).toBeNull();
    });

    it("S9 marks an outcome collected once, the first time", async () => {
      const { store } = await bench();
      const row = await asked(store);
      await applied(store, [settle(row, {})]);
      await applied(store, [{ do: "mark_collected", id: row.id, atMs: 5 }]);
      await applied(store, [{ do: "mark_collected", id: row.id, atMs: 6 }]);
      expect((await store.question(row.id))?.collectedAtMs).toBe(5);
    });

    it("S10 lists what is open, oldest first, id as tie-break, for whom it was asked", async () => {
      const { store } = await bench();
      const rows = [
        await asked(store, { askedAtMs: START_MS + 2 }),
        await asked(store, { askedAtMs: START_MS + 1, session: "s" }),
        await asked(store, { askedAtMs: START_MS + 1, session: "s", principal: "bot" }),
        await asked(store, { askedAtMs: START_MS + 1 }),
        await asked(store, { askedAtMs: START_MS }),
      ];
      const ended = await asked(store);
      await applied(store, [settle(ended, {})]);
      const sorted = rows.toSorted((a, b) => a.askedAtMs - b.askedAtMs || (a.id < b.id ? -1 : 1));
      const ids = (list: readonly QuestionRow[]): readonly string[] => list.map(({ id }) => id);
      const mine = sorted.filter(({ principal }) => principal === "ci");
      expect(ids(await store.listOpen({ limit: 10 }))).toEqual(ids(sorted));
      expect(ids(await store.listOpen({ limit: 2 }))).toEqual(ids(sorted.slice(0, 2)));
      expect(ids(await store.listOpen({ principal: "ci", limit: 3 }))).toEqual(ids(mine.slice(0, 3)));
      expect(ids(await store.listOpen({ session: "s", limit: 10 }))).toEqual(ids(sorted.filter(({ session }) => session === "s")));
      expect(ids(await store.listOpen({ principal: "ci", session: "s", limit: 10 }))).toEqual(
        ids(mine.filter(({ session }) => session === "s")),
      );
    });

    it("S11 finds open questions by their code, ten at most", async () => {
      const { store } = await bench();
      const rows: QuestionRow[] = [];
      for (let at = 0; at < 12; at += 1) rows.push(await asked(store, { askedAtMs: START_MS + at, code: "7Q2M" }));
      await asked(store, { code: "XXXX" });
      const [first] = rows;
      if (first !== undefined) await applied(store, [settle(first, {})]);
      expect((await store.openByCode("7Q2M")).map(({ id }) => id)).toEqual(rows.slice(1, 11).map(({ id }) => id));
      expect(await store.openByCode("ZZZZ")).toEqual([]);
    });

    it("S12 counts the open questions of a principal, and those whose audience names a person", async () => {
      const { store } = await bench();
      const body = questionRow().body;
      const both = await asked(store, { body: { ...body, audience: { kind: "people", people: ["alice", "bob", "alice"] } } });
      await asked(store, { body: { ...body, audience: { kind: "anyone" } } });
      await asked(store);
      await asked(store, { principal: "other" });
      expect(await store.openCounts({ principal: "ci", person: "alice" })).toEqual({ principal: 3, person: 2 });
      expect(await store.openCounts({ principal: "ci", person: "bob" })).toEqual({ principal: 3, person: 1 });
      expect(await store.openCounts({ principal: "ci" })).toEqual({ principal: 3, person: 0 });
      await applied(store, [settle(both, {})]);
      expect(await store.openCounts({ principal: "ci", person: "alice" })).toEqual({ principal: 2, person: 1 });
      expect(await store.openCounts({ principal: "nobody", person: "alice" })).toEqual({ principal: 0, person: 0 });
    });

    it("S13 names the questions that are due and the next instant, deadline or delivery end", async () => {
      const { store } = await bench();
      expect((await store.nextDue()).questionMs).toBeNull();
      const deadline = await asked(store, { expiresAtMs: START_MS + 20, deliverByMs: null });
      const delivery = await asked(store, { expiresAtMs: START_MS + 99, deliverByMs: START_MS + 10 });
      await asked(store, { expiresAtMs: null, deliverByMs: null });
      expect(await store.nextDue()).toEqual({ copyMs: null, questionMs: START_MS + 10, noticeMs: null, checkMs: null });
      const due = async (nowMs: number, limit = 9): Promise<readonly string[]> =>
        (await store.dueQuestions({ nowMs, limit })).map(({ id }) => id);
      expect(await due(START_MS + 9)).toEqual([]);
      expect(await due(START_MS + 20)).toEqual([delivery.id, deadline.id]);
      expect(await due(START_MS + 20, 1)).toEqual([delivery.id]);
      await applied(store, [settle(delivery, {}, "cancelled")]);
      expect(await due(START_MS + 20)).toEqual([deadline.id]);
      expect((await store.nextDue()).questionMs).toBe(START_MS + 20);
    });

    it("S14 raises the version by one with every event, and keeps events in the order of their commits", async () => {
      const { store } = await bench();
      const [one, two] = [questionRow({ session: "s" }), questionRow()];
      const event = (row: QuestionRow, type: string): Change => ({
        do: "insert_event",
        question: row.id,
        type,
        atMs: START_MS,
        data: { type },
      });
      const first = await applied(store, [...askChanges(one), event(one, "question.shown")]);
      const second = await applied(store, [...askChanges(two), event(one, "question.collected"), event(two, "question.shown")]);
      expect([...first, ...second].map(({ version }) => version)).toEqual([1, 2, 1, 3, 2]);
      const ids = [...first, ...second].map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      expect((await store.question(one.id))?.version).toBe(3);
      const all = await store.events({ id: 0, limit: 10 });
      expect(all).toMatchObject({ oldest: ids[0], newest: ids.at(-1) });
      expect(all.events.map(({ id, question, version, session }) => [id, question, version, session])).toEqual([
        [ids[0], one.id, 1, "s"],
        [ids[1], one.id, 2, "s"],
        [ids[2], two.id, 1, null],
        [ids[3], one.id, 3, "s"],
        [ids[4], two.id, 2, null],
      ]);
      expect(all.events[1]).toMatchObject({ type: "question.shown", atMs: START_MS, data: { type: "question.shown" } });
      const cursor = ids[1] ?? 0;
      expect((await store.events({ id: cursor, limit: 2 })).events.map(({ id }) => id)).toEqual(ids.slice(2, 4));
      expect((await store.events({ id: cursor, session: "s", limit: 9 })).events.map(({ id }) => id)).toEqual([ids[3]]);
    });

    it("S15 says how much there is", async () => {
      const { store } = await bench();
      const none = { open: 0, asked: 0, shown: 0, undelivered: 0, pending: 0 };
      expect(await store.counts()).toMatchObject(none);
      const [answered, lost, open] = [questionRow(), questionRow({ key: "k" }), questionRow()];
      await applied(store, askChanges(answered, [shownCopyRow(answered.id, "1")]));
      await applied(store, askChanges(lost));
      await applied(store, askChanges(open, [copyRow(open.id)]));
      await store.commit(askChanges(questionRow({ key: "k" })));
      const input = inputRow("press", answered.id);
      await applied(store, [{ do: "insert_input", row: input }]);
      await applied(store, answerChanges(answered, input));
      await applied(store, [settle(lost, {}, "undelivered")]);
      expect(await store.counts()).toMatchObject({ open: 1, asked: 3, shown: 1, undelivered: 1, pending: 2 });
      expect((await store.counts()).walBytes).toBeGreaterThanOrEqual(0);
    });
  });
}
