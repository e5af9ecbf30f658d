/** Clauses S30 to S37: inputs, receipts, notices, asides, memory. */
import { describe, expect, it } from "vitest";
import type { CommitResult } from "../../ports/store.js";
import { applied, type OpenBench } from "./store-bench.js";
import { answerChanges, asideRow, askChanges, inputRow, noticeOrder, questionRow, receiptRow, START_MS, typedInput } from "./store-rows.js";

const EXISTS: CommitResult = { ok: false, at: 0, why: "exists" };
const SETTLED: CommitResult = { ok: false, at: 0, why: "settled" };

/** Registers the clauses on inputs, receipts, asides and memory. */
export function inputClauses(bench: OpenBench): void {
  describe("inputs", () => {
    it("S30 stores an input once, known by its id", async () => {
      const { store } = await bench();
      const row = questionRow();
      const input = inputRow("501", row.id, { alias: "slack|p", noticeDueAtMs: 5 });
      await applied(store, [...askChanges(row), { do: "insert_input", row: input }]);
      expect(await store.input(input.id)).toEqual(input);
      expect(await store.commit([{ do: "insert_input", row: inputRow("501", null) }])).toEqual(EXISTS);
      expect(await store.input(input.id)).toEqual(input);
      expect(await store.input("slack|502")).toBeUndefined();
    });

    it("S31 takes a repeat under its alias for the same input within 60 s, either way", async () => {
      const { store } = await bench();
      const at = (id: string, receivedAtMs: number, alias = "slack|p"): CommitResult | Promise<CommitResult> =>
        store.commit([{ do: "insert_input", row: inputRow(id, null, { alias, receivedAtMs }) }]);
      expect(await at("1", START_MS)).toMatchObject({ ok: true });
      expect(await at("2", START_MS + 59_999)).toEqual(EXISTS);
      expect(await at("3", START_MS - 59_999)).toEqual(EXISTS);
      expect(await at("4", START_MS + 1, "slack|q")).toMatchObject({ ok: true });
      expect(await at("5", START_MS + 60_000)).toMatchObject({ ok: true });
      // The clock jumped back by an hour: that is another press.
      expect(await at("6", START_MS - 3_600_000)).toMatchObject({ ok: true });
    });

    it("S32 settles an input once and blanks it in the same transaction", async () => {
      const { store } = await bench();
      const row = questionRow();
      const input = inputRow("1", row.id, { input: typedInput("1", "to prod") });
      await applied(store, [...askChanges(row), { do: "insert_input", row: input }]);
      const notice = noticeOrder("Please choose one of the options.");
      const settle = { do: "settle_input", id: input.id, verdict: "answer_invalid", notice, noticeDueAtMs: START_MS } as const;
      await applied(store, [settle]);
      const settled = { ...input, input: null, state: "settled", verdict: "answer_invalid", notice, noticeDueAtMs: START_MS };
      expect(await store.input(input.id)).toEqual(settled);
      expect(await store.commit([{ ...settle, verdict: "committed", notice: null }])).toEqual(SETTLED);
      expect(await store.commit([{ ...settle, id: "slack|none" }])).toEqual(SETTLED);
      expect(await store.input(input.id)).toEqual(settled);
    });

    it("S33 names unsettled inputs, oldest first", async () => {
      const { store } = await bench();
      const [late, early, gone] = [
        inputRow("1", null, { receivedAtMs: START_MS + 9 }),
        inputRow("2", null, { receivedAtMs: START_MS }),
        inputRow("3", null),
      ];
      for (const row of [late, early, gone]) await applied(store, [{ do: "insert_input", row }]);
      await applied(store, [{ do: "settle_input", id: gone.id, verdict: "none", notice: null, noticeDueAtMs: null }]);
      expect((await store.unsettledInputs(9)).map(({ id }) => id)).toEqual([early.id, late.id]);
      expect((await store.unsettledInputs(1)).map(({ id }) => id)).toEqual([early.id]);
    });

    it("S34 keeps notices until they are said, soonest first", async () => {
      const { store } = await bench();
      const inputs = [inputRow("1", null), inputRow("2", null), inputRow("3", null)];
      for (const [at, row] of inputs.entries()) {
        const said = { notice: noticeOrder(`n${at}`), noticeDueAtMs: START_MS + 30 - at * 10 };
        await applied(store, [
          { do: "insert_input", row },
          { do: "settle_input", id: row.id, verdict: "late", ...said },
        ]);
      }
      const due = async (nowMs: number, limit = 9): Promise<readonly string[]> =>
        (await store.dueNotices({ nowMs, limit })).map(({ id }) => id);
      const [a, b, c] = inputs.map(({ id }) => id);
      expect((await store.nextDue()).noticeMs).toBe(START_MS + 10);
      expect(await due(START_MS + 30)).toEqual([c, b, a]);
      expect(await due(START_MS + 20, 1)).toEqual([c]);
      if (c === undefined || b === undefined) throw new Error("no inputs");
      await applied(store, [{ do: "update_notice", id: c, notice: null, noticeDueAtMs: null, noticeAttempts: 1 }]);
      await applied(store, [{ do: "update_notice", id: b, notice: noticeOrder("again"), noticeDueAtMs: START_MS + 90, noticeAttempts: 2 }]);
      expect(await due(START_MS + 30)).toEqual([a]);
      expect(await store.input(b)).toMatchObject({ notice: noticeOrder("again"), noticeDueAtMs: START_MS + 90, noticeAttempts: 2 });
      expect((await store.nextDue()).noticeMs).toBe(START_MS + 30);
    });

    it("S35 keeps a receipt under its resolution id, once", async () => {
      const { store } = await bench();
      const row = questionRow();
      const receipt = receiptRow(row.id);
      await applied(store, [...askChanges(row), { do: "insert_receipt", row: receipt }]);
      expect(await store.receipt(receipt.resolutionId)).toEqual(receipt);
      const other = receiptRow(row.id, { resolutionId: receipt.resolutionId, actor: "slack:U03BOB" });
      expect(await store.commit([{ do: "insert_receipt", row: other }])).toEqual(EXISTS);
      expect(await store.receipt(receipt.resolutionId)).toEqual(receipt);
      expect(await store.receipt(receiptRow(row.id).resolutionId)).toBeUndefined();
    });

    it("S36 gives an aside once", async () => {
      const { store } = await bench();
      const aside = asideRow("a1");
      await applied(store, [{ do: "insert_aside", row: aside }]);
      expect(await store.aside("a1")).toEqual(aside);
      const takes = await Promise.all([store.commit([{ do: "take_aside", id: "a1" }]), store.commit([{ do: "take_aside", id: "a1" }])]);
      expect(takes).toEqual([{ ok: true, events: [] }, SETTLED]);
      expect(await store.aside("a1")).toBeUndefined();
    });

    it("S37 remembers the latest value for an account", async () => {
      const { store } = await bench();
      for (const value of ["1", "2"]) await applied(store, [{ do: "put_memory", account: "discord", key: "sequence", value }]);
      expect(await store.memory({ account: "discord", key: "sequence" })).toBe("2");
      expect(await store.memory({ account: "discord", key: "session" })).toBeUndefined();
      expect(await store.memory({ account: "discord-oss", key: "sequence" })).toBeUndefined();
    });

    it("B005 an update delivered again after a restart is known: identity and answer were one transaction", async () => {
      const { store, reopen } = await bench();
      const row = questionRow();
      const input = inputRow("501", row.id);
      await applied(store, askChanges(row));
      await applied(store, [{ do: "insert_input", row: input }]);
      await applied(store, answerChanges(row, input));
      const after = await reopen();
      expect(await after.commit([{ do: "insert_input", row: inputRow("501", row.id) }])).toEqual(EXISTS);
      expect(await after.input(input.id)).toMatchObject({ state: "settled", verdict: "committed", input: null });
      const { events } = await after.events({ id: 0, limit: 9 });
      expect(events.map(({ type }) => type)).toEqual(["question.asked", "question.answered"]);
    });

    it("B007 of two replies 5 ms apart the second is told, and the answer never changes", async () => {
      const { store } = await bench();
      const row = questionRow();
      await applied(store, askChanges(row));
      const first = inputRow("1", row.id, { receivedAtMs: START_MS + 1_000 });
      const second = inputRow("2", row.id, { receivedAtMs: START_MS + 1_005 });
      for (const input of [first, second]) await applied(store, [{ do: "insert_input", row: input }]);
      // Both read the open question before either answered.
      expect((await Promise.all([store.question(row.id), store.question(row.id)])).map((read) => read?.status)).toEqual(["open", "open"]);
      const results = await Promise.all([
        store.commit(answerChanges(row, first, { value: "staging" })),
        store.commit(answerChanges(row, second, { value: "prod" })),
      ]);
      expect(results.map((result) => result.ok)).toEqual([true, false]);
      expect(results[1]).toEqual(SETTLED);
      expect((await store.question(row.id))?.outcome).toMatchObject({ value: "staging" });
      expect(await store.input(second.id)).toMatchObject({ state: "new" });
      expect(await store.receipt(second.resolutionId)).toBeUndefined();
    });
  });
}
