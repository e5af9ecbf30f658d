/** Clauses S20 to S28: copies, and the reads over them. */
import { describe, expect, it } from "vitest";
import { COPY_AT_END, COPY_STATES } from "../../core/delivery.js";
import type { CopyOf, CopyRow, QuestionRow, Store } from "../../ports/store.js";
import { applied, type OpenBench } from "./store-bench.js";
import { askChanges, copyRow, endedOutcome, inputRow, noticeOrder, pressInput, questionRow, START_MS, shownCopyRow } from "./store-rows.js";

async function askedWith(
  store: Store,
  ...sets: readonly Partial<CopyRow>[]
): Promise<{ readonly row: QuestionRow; readonly copies: CopyRow[] }> {
  const row = questionRow();
  const copies = sets.map((set) => copyRow(row.id, set));
  await applied(store, askChanges(row, copies));
  return { row, copies };
}

async function cancelled(store: Store, { id }: QuestionRow, endedAtMs = START_MS + 50): Promise<void> {
  await applied(store, [{ do: "settle_question", id, outcome: endedOutcome(id, "cancelled"), endedAtMs, settledBy: null }]);
}

function ids(pairs: readonly CopyOf[]): readonly string[] {
  return pairs.map(({ copy }) => copy.id);
}

const HERE = { account: "slack", conversation: "D024BE91L" };

/** Registers the clauses on copies. */
export function copyClauses(bench: OpenBench): void {
  describe("copies", () => {
    it("S20 gives back what was stored, with its question", async () => {
      const { store } = await bench();
      const full: Partial<CopyRow> = {
        thread: "t",
        nonce: "n",
        attemptedAtMs: 1,
        attempts: 2,
        page: 3,
        errorCode: "blocked",
        errorMessage: "m",
      };
      const { row, copies } = await askedWith(store, full, {
        repeatOf: copyRow(questionRow().id).id,
        conversation: null,
        userId: null,
        direct: false,
      });
      expect(await store.copiesOf(row.id)).toEqual(copies);
      const [first] = copies;
      expect(first && (await store.copy(first.id))).toEqual({ copy: first, question: { ...row, version: 1 } });
      expect(await store.copy(copyRow(row.id).id)).toBeUndefined();
    });

    it("S21 changes what a change names and nothing else, only from the revision it was computed from", async () => {
      const { store } = await bench();
      const { copies } = await askedWith(store, {});
      const [copy] = copies;
      if (copy === undefined) throw new Error("no copy");
      const set = { state: "sending", nonce: "n1", dueAtMs: null, attemptedAtMs: START_MS } as const;
      await applied(store, [{ do: "update_copy", id: copy.id, revision: 0, set }]);
      expect((await store.copy(copy.id))?.copy).toEqual({ ...copy, ...set, revision: 1 });
      for (const revision of [0, 2]) {
        expect(await store.commit([{ do: "update_copy", id: copy.id, revision, set: { attempts: 9 } }])).toEqual({
          ok: false,
          at: 0,
          why: "stale",
        });
      }
      expect((await store.copy(copy.id))?.copy).toEqual({ ...copy, ...set, revision: 1 });
    });

    it("B029 of two workers that claim one due copy, one is told it came second", async () => {
      const { store } = await bench();
      const { copies } = await askedWith(store, {});
      const [copy] = copies;
      if (copy === undefined) throw new Error("no copy");
      const claims = await Promise.all(
        ["w1", "w2"].map((nonce) =>
          store.commit([{ do: "update_copy", id: copy.id, revision: 0, set: { state: "sending", nonce, dueAtMs: null } }]),
        ),
      );
      expect(claims).toEqual([
        { ok: true, events: [] },
        { ok: false, at: 0, why: "stale" },
      ]);
      expect((await store.copy(copy.id))?.copy).toMatchObject({ state: "sending", nonce: "w1", revision: 1 });
    });

    it.each(COPY_STATES)("S22 the end of its question leaves a copy that was %s as COPY_AT_END says", async (state) => {
      const { store } = await bench();
      const todo = state === "pending" ? "send" : null;
      const { row, copies } = await askedWith(store, { state, todo, dueAtMs: todo === null ? null : START_MS });
      const other = await askedWith(store, { state, todo });
      await applied(store, [{ do: "end_copies", question: row.id, atMs: START_MS + 7 }]);
      const end = COPY_AT_END[state];
      const [after] = await store.copiesOf(row.id);
      expect(after).toMatchObject({ ...end, dueAtMs: end.todo === null ? null : START_MS + 7 });
      expect(after?.revision).toBe(end.state === state && end.todo === null ? 0 : 1);
      expect(await store.copiesOf(other.row.id)).toEqual(other.copies);
      expect(copies[0]?.id).toBe(after?.id);
    });

    it("S23 finds the copy by any of its messages", async () => {
      const { store } = await bench();
      const { row, copies } = await askedWith(store, {}, { account: "slack-two" }, { conversation: "C1" });
      const [first, second, third] = copies;
      if (first === undefined || second === undefined || third === undefined) throw new Error("no copies");
      await applied(store, [
        { do: "update_copy", id: first.id, revision: 0, set: { messageIds: ["1"], part: 1 } },
        { do: "update_copy", id: second.id, revision: 0, set: { messageIds: ["1"], messageId: "1" } },
        { do: "update_copy", id: third.id, revision: 0, set: { messageIds: ["1"], messageId: "1" } },
      ]);
      const find = async (messageId: string, at = HERE): Promise<string | undefined> =>
        (await store.copyByMessage({ ...at, messageId }))?.copy.id;
      expect(await find("1")).toBe(first.id);
      expect(await find("1", { account: "slack-two", conversation: "D024BE91L" })).toBe(second.id);
      expect(await find("1", { account: "slack", conversation: "C1" })).toBe(third.id);
      await applied(store, [
        { do: "update_copy", id: first.id, revision: 1, set: { messageIds: ["1", "2"], messageId: "2", state: "shown" } },
      ]);
      expect([await find("1"), await find("2"), await find("3")]).toEqual([first.id, first.id, undefined]);
      await applied(store, [{ do: "update_copy", id: first.id, revision: 2, set: { messageIds: ["1", "2", "9"], messageId: "9" } }]);
      expect([await find("1"), await find("2"), await find("9")]).toEqual([first.id, first.id, first.id]);
      await cancelled(store, row);
      expect(await find("2")).toBe(first.id);
    });

    it("S24 names the copies of open questions in a conversation whose send was begun", async () => {
      const { store } = await bench();
      const states: readonly Partial<CopyRow>[] = [
        { state: "shown" },
        { state: "pending" },
        { state: "pending", part: 1 },
        { state: "sending" },
        { state: "unknown" },
        { state: "failed" },
        { state: "closed" },
        { state: "shown", conversation: "C1" },
        { state: "shown", account: "slack-two" },
      ];
      const { row, copies } = await askedWith(store, ...states);
      const ended = await askedWith(store, { state: "shown" });
      await cancelled(store, ended.row);
      const begun = [0, 2, 3, 4].map((at) => copies[at]?.id);
      expect(ids(await store.openCopiesIn(HERE))).toEqual(begun);
      await cancelled(store, row);
      expect(await store.openCopiesIn(HERE)).toEqual([]);
    });

    it("S25 tells whether a question ended in a conversation lately", async () => {
      const { store } = await bench();
      const { row } = await askedWith(store, { state: "shown" }, { conversation: null });
      const since = (sinceMs: number, at = HERE): Promise<boolean> => store.endedSince({ ...at, sinceMs });
      expect(await since(0)).toBe(false);
      await cancelled(store, row, START_MS + 50);
      expect([await since(START_MS + 50), await since(START_MS + 51)]).toEqual([true, false]);
      expect(await since(0, { account: "slack", conversation: "C1" })).toBe(false);
      expect(await since(0, { account: "telegram", conversation: "D024BE91L" })).toBe(false);
      const [, late] = await store.copiesOf(row.id);
      if (late !== undefined) await applied(store, [{ do: "update_copy", id: late.id, revision: 0, set: { conversation: "C1" } }]);
      expect(await since(START_MS + 50, { account: "slack", conversation: "C1" })).toBe(true);
      const earlier = await askedWith(store, { state: "shown" });
      await cancelled(store, earlier.row, START_MS + 20);
      expect(await since(START_MS + 50)).toBe(true);
    });

    it("S26 names what there is to do, longest due first, and the next instant", async () => {
      const { store } = await bench();
      const { copies } = await askedWith(
        store,
        { dueAtMs: START_MS + 30 },
        { dueAtMs: START_MS + 10 },
        { dueAtMs: START_MS + 20, todo: "close", state: "shown" },
        { dueAtMs: null },
        { dueAtMs: START_MS, todo: null },
      );
      const [a, b, c] = copies.map(({ id }) => id);
      expect((await store.nextDue()).copyMs).toBe(START_MS + 10);
      expect(ids(await store.dueCopies({ nowMs: START_MS + 30, limit: 9 }))).toEqual([b, c, a]);
      expect(ids(await store.dueCopies({ nowMs: START_MS + 20, limit: 9 }))).toEqual([b, c]);
      expect(ids(await store.dueCopies({ nowMs: START_MS + 30, limit: 1 }))).toEqual([b]);
      expect(await store.dueCopies({ nowMs: START_MS + 9, limit: 9 })).toEqual([]);
    });

    it("S27 names copies left sending, and those shown of open questions, newest first", async () => {
      const { store } = await bench();
      const { copies } = await askedWith(
        store,
        { state: "sending" },
        { state: "shown", shownAtMs: 5 },
        { state: "shown", shownAtMs: 7 },
        {},
      );
      const ended = await askedWith(store, { state: "shown", shownAtMs: 9 }, { state: "sending" });
      await cancelled(store, ended.row);
      expect(ids(await store.copiesSending())).toEqual([copies[0]?.id, ended.copies[1]?.id]);
      expect(ids(await store.copiesShown(9))).toEqual([copies[2]?.id, copies[1]?.id]);
      expect(ids(await store.copiesShown(1))).toEqual([copies[2]?.id]);
    });

    it("S28 re-keys copies and unsettled inputs of a conversation that got a new id (B092)", async () => {
      const { store } = await bench();
      const row = questionRow();
      const [open, ended] = [questionRow(), questionRow()];
      const mine = shownCopyRow(row.id, "1", { messageIds: ["0", "1"] });
      const elsewhere = shownCopyRow(row.id, "1", { conversation: "C9" });
      await applied(store, [
        ...askChanges(row, [mine, elsewhere]),
        ...askChanges(open),
        ...askChanges(ended, [shownCopyRow(ended.id, "3")]),
      ]);
      await cancelled(store, ended, START_MS + 50);
      const notice = { notice: noticeOrder("done"), noticeDueAtMs: START_MS };
      const [fresh, settled] = [inputRow("fresh", row.id), inputRow("settled", row.id)];
      await applied(store, [
        { do: "insert_input", row: fresh },
        { do: "insert_input", row: settled },
        { do: "settle_input", id: settled.id, verdict: "committed", ...notice },
      ]);
      await applied(store, [{ do: "move_conversation", account: "slack", from: "D024BE91L", to: "C-new" }]);
      expect((await store.copy(mine.id))?.copy).toEqual({ ...mine, conversation: "C-new", revision: 1 });
      expect((await store.copy(elsewhere.id))?.copy).toEqual(elsewhere);
      expect((await store.input(fresh.id))?.input).toEqual(pressInput("fresh", { conversation: "C-new" }));
      expect((await store.input(settled.id))?.input).toBeNull();
      const there = { account: "slack", conversation: "C-new" };
      for (const messageId of ["0", "1"]) expect((await store.copyByMessage({ ...there, messageId }))?.copy.id).toBe(mine.id);
      expect(await store.copyByMessage({ ...HERE, messageId: "1" })).toBeUndefined();
      expect(await store.endedSince({ ...there, sinceMs: START_MS + 50 })).toBe(true);
      expect(await store.endedSince({ ...HERE, sinceMs: 0 })).toBe(false);
    });
  });
}
