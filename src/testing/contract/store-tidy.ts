/** Clauses S50 to S54: housekeeping. */
import { describe, expect, it } from "vitest";
import type { Store } from "../../ports/store.js";
import { applied, type OpenBench } from "./store-bench.js";
import { answerChanges, asideRow, askChanges, inputRow, noticeOrder, questionRow, START_MS, shownCopyRow } from "./store-rows.js";

const DAY_MS = 86_400_000;

/** Tidies until nothing is left; gives the number of slices. */
async function tidied(
  store: Store,
  at: { readonly nowMs: number; readonly endedBeforeMs: number; readonly limit: number },
): Promise<number> {
  for (let slices = 1; ; slices += 1) {
    if (!(await store.tidy(at)).more) return slices;
    if (slices > 1_000) throw new Error("tidying does not end");
  }
}

async function answered(store: Store, name: string) {
  const row = questionRow({ key: name });
  const copy = shownCopyRow(row.id, `m-${name}`, { messageIds: [`p-${name}`, `m-${name}`] });
  const input = inputRow(name, row.id);
  await applied(store, [...askChanges(row, [copy]), { do: "insert_input", row: input }]);
  await applied(store, answerChanges(row, input));
  return { row, copy, input };
}

/** Registers the clauses on housekeeping. */
export function tidyClauses(bench: OpenBench): void {
  describe("housekeeping", () => {
    it("S50 leaves a tombstone of what ended long ago, which still answers for its copies", async () => {
      const { store } = await bench();
      const { row, copy } = await answered(store, "old");
      expect(await store.tombstone(row.id)).toBeUndefined();
      await tidied(store, { nowMs: START_MS + 91 * DAY_MS, endedBeforeMs: START_MS + DAY_MS, limit: 10 });
      const tombstone = { question: row.id, status: "answered", askedAtMs: START_MS, endedAtMs: START_MS + 2_000 };
      expect(await store.tombstone(row.id)).toEqual(tombstone);
      expect(await store.tombstoneOfCopy(copy.id)).toEqual(tombstone);
      expect(await store.question(row.id)).toBeUndefined();
      expect(await store.copy(copy.id)).toBeUndefined();
      for (const messageId of copy.messageIds) {
        expect(await store.copyByMessage({ account: "slack", conversation: "D024BE91L", messageId })).toBeUndefined();
      }
      expect((await store.events({ id: 0, limit: 9 })).events).toEqual([]);
      await applied(store, askChanges(questionRow({ key: "old" })));
    });

    it("S51 keeps what is open, ended lately, or collected lately", async () => {
      const { store } = await bench();
      const open = questionRow();
      await applied(store, askChanges(open));
      const [late, uncollected] = [await answered(store, "late"), await answered(store, "uncollected")];
      await applied(store, [{ do: "mark_collected", id: late.row.id, atMs: START_MS + 2 * DAY_MS }]);
      await tidied(store, { nowMs: START_MS + 91 * DAY_MS, endedBeforeMs: START_MS + DAY_MS, limit: 10 });
      expect((await store.question(open.id))?.status).toBe("open");
      expect((await store.question(late.row.id))?.status).toBe("answered");
      expect(await store.question(uncollected.row.id)).toBeUndefined();
      await tidied(store, { nowMs: START_MS + 91 * DAY_MS, endedBeforeMs: START_MS + 3 * DAY_MS, limit: 10 });
      expect(await store.question(late.row.id)).toBeUndefined();
    });

    it("S52 keeps identities 48 h and a day after the end, receipts a day after the end", async () => {
      const { store } = await bench();
      const { row, input } = await answered(store, "one");
      const open = questionRow();
      const waiting = inputRow("waiting", open.id);
      const [refused, unsaid, bare] = [inputRow("refused", open.id), inputRow("unsaid", row.id), inputRow("bare", null)];
      await applied(store, askChanges(open));
      for (const each of [waiting, refused, unsaid, bare]) await applied(store, [{ do: "insert_input", row: each }]);
      await applied(store, [{ do: "settle_input", id: bare.id, verdict: "none", notice: null, noticeDueAtMs: null }]);
      await applied(store, [{ do: "settle_input", id: refused.id, verdict: "late", notice: null, noticeDueAtMs: null }]);
      await applied(store, [{ do: "settle_input", id: unsaid.id, verdict: "late", notice: noticeOrder("late"), noticeDueAtMs: START_MS }]);
      const kept = async (): Promise<readonly string[]> => {
        const rows = await Promise.all([input, waiting, refused, unsaid, bare].map(({ id }) => store.input(id)));
        return rows.flatMap((each) => (each === undefined ? [] : [each.id.slice("slack|".length)]));
      };
      await tidied(store, { nowMs: START_MS + DAY_MS, endedBeforeMs: 0, limit: 2 });
      expect(await store.receipt(input.resolutionId)).toBeDefined();
      expect((await store.question(row.id))?.settledBy).toBe(input.resolutionId);
      await tidied(store, { nowMs: START_MS + DAY_MS + 3_000, endedBeforeMs: 0, limit: 2 });
      expect(await store.receipt(input.resolutionId)).toBeUndefined();
      expect((await store.question(row.id))?.settledBy).toBeNull();
      expect(await kept()).toEqual(["one", "waiting", "refused", "unsaid", "bare"]);
      await tidied(store, { nowMs: START_MS + 2 * DAY_MS + 3_000, endedBeforeMs: 0, limit: 2 });
      expect(await kept()).toEqual(["waiting", "refused", "unsaid"]);
    });

    it("S53 drops asides when they are over, and old events without gaps", async () => {
      const { store } = await bench();
      const row = questionRow();
      await applied(store, [...askChanges(row), { do: "insert_aside", row: asideRow("a") }]);
      const young = { do: "insert_event", question: row.id, type: "question.shown", atMs: START_MS + 8 * DAY_MS, data: {} } as const;
      const [kept] = await applied(store, [young]);
      await tidied(store, { nowMs: START_MS + 600_000, endedBeforeMs: 0, limit: 10 });
      expect(await store.aside("a")).toBeDefined();
      await tidied(store, { nowMs: START_MS + 8 * DAY_MS, endedBeforeMs: 0, limit: 10 });
      expect(await store.aside("a")).toBeUndefined();
      const { events, oldest, newest } = await store.events({ id: 0, limit: 9 });
      expect(events.map(({ id }) => id)).toEqual([kept?.id]);
      expect([oldest, newest]).toEqual([kept?.id, kept?.id]);
      await tidied(store, { nowMs: START_MS + 99 * DAY_MS, endedBeforeMs: 0, limit: 10 });
      expect(await store.events({ id: 0, limit: 9 })).toEqual({ events: [], oldest: null, newest: kept?.id });
    });

    it("S54 works in slices and says when more is left", async () => {
      const { store } = await bench();
      for (let at = 0; at < 7; at += 1) await answered(store, `q${at}`);
      const at = { nowMs: START_MS + 91 * DAY_MS, endedBeforeMs: START_MS + DAY_MS, limit: 2 };
      expect(await tidied(store, at)).toBeGreaterThan(3);
      expect(await store.counts()).toMatchObject({ open: 0, asked: 7 });
      expect((await store.events({ id: 0, limit: 9 })).events).toEqual([]);
    });
  });
}
