/** Clauses S40 to S47: what a commit is (ST1 to ST4), alone, among many, over restarts and instances. */
import { describe, expect, it } from "vitest";
import type { Change, CommitResult, QuestionRow, Store } from "../../ports/store.js";
import { applied, type OpenBench } from "./store-bench.js";
import {
  answerChanges,
  answeredOutcome,
  askChanges,
  copyRow,
  endedOutcome,
  inputRow,
  questionRow,
  receiptRow,
  START_MS,
} from "./store-rows.js";

const MANY = 1_000;
/** Trials of the race of answer and expiry, and how many run at once. */
const RACES = 10_000;
const RACES_AT_ONCE = 250;

/** Registers the clauses on commits. */
export function commitClauses(bench: OpenBench): void {
  describe("commits", () => {
    it("S40 applies all of a list or none, and says which change failed and why", async () => {
      const { store } = await bench();
      const row = questionRow();
      const input = inputRow("1", row.id);
      await applied(store, [...askChanges(row, [copyRow(row.id)]), { do: "insert_input", row: input }]);
      await applied(store, [{ do: "settle_input", id: input.id, verdict: "late", notice: null, noticeDueAtMs: null }]);
      // The last but one change fails; everything before it is taken back.
      const changes = answerChanges(row, input);
      const before = await snapshot(store, row);
      expect(await store.commit(changes)).toEqual({ ok: false, at: 2, why: "settled" });
      expect(await snapshot(store, row)).toEqual(before);
      expect(before.question?.status).toBe("open");
    });

    it("S41 a list that fails takes nothing from the lists beside it", async () => {
      const { store } = await bench();
      const rows = Array.from({ length: 30 }, () => questionRow());
      const taken = questionRow({ key: "k" });
      await applied(store, askChanges(taken));
      const results = await Promise.all(
        rows.map((row, at) =>
          store.commit(at % 3 === 0 ? [...askChanges(row), { do: "insert_question", row: questionRow({ key: "k" }) }] : askChanges(row)),
        ),
      );
      for (const [at, result] of results.entries()) {
        expect(result).toEqual(
          at % 3 === 0 ? { ok: false, at: 2, why: "exists" } : { ok: true, events: [expect.objectContaining({ version: 1 })] },
        );
      }
      const stored = await Promise.all(rows.map(({ id }) => store.question(id)));
      expect(stored.map((row) => row !== undefined)).toEqual(rows.map((_, at) => at % 3 !== 0));
    });

    it("S42 rejects a list that names what does not exist, stores nothing of it and goes on", async () => {
      const { store } = await bench();
      const row = questionRow();
      const [broken, sound] = await Promise.allSettled([
        store.commit([
          { do: "put_memory", account: "a", key: "b", value: "c" },
          { do: "insert_copy", row: copyRow(row.id) },
        ]),
        store.commit(askChanges(row)),
      ]);
      expect(broken).toMatchObject({ status: "rejected", reason: { code: "store_unavailable" } });
      expect(sound).toMatchObject({ status: "fulfilled", value: { ok: true } });
      expect(await store.memory({ account: "a", key: "b" })).toBeUndefined();
    });

    it("S43 an empty list is applied", async () => {
      const { store } = await bench();
      expect(await store.commit([])).toEqual({ ok: true, events: [] });
    });

    it(`S44 ${MANY} commits at once: each is there when it is told, event ids follow the order of commits`, async () => {
      const { store } = await bench();
      const rows = Array.from({ length: MANY }, (_, at) => questionRow({ askedAtMs: START_MS + at }));
      const eventIds: number[] = [];
      await Promise.all(
        rows.map(async (row) => {
          const [event] = await applied(store, askChanges(row));
          eventIds.push(event?.id ?? 0);
          expect(await store.question(row.id)).toEqual({ ...row, version: 1 });
        }),
      );
      expect(eventIds).toEqual(eventIds.toSorted((a, b) => a - b));
      expect(new Set(eventIds).size).toBe(MANY);
      expect(await store.openCounts({ principal: "ci", person: "alice" })).toEqual({ principal: MANY, person: MANY });
    });

    it("B135 five asks within 10 ms are five questions, each with its own answer", async () => {
      const { store } = await bench();
      const rows = Array.from({ length: 5 }, () => questionRow());
      await Promise.all(rows.map((row) => applied(store, askChanges(row, [copyRow(row.id)]))));
      const answers = rows.map((row, at) => ({ row, input: inputRow(`${at}`, row.id), value: `value ${at}` })).reverse();
      await Promise.all(
        answers.map(({ row, input }) =>
          applied(store, [
            { do: "insert_input", row: input },
            { do: "start_clock", id: row.id, atMs: START_MS },
          ]),
        ),
      );
      await Promise.all(answers.map(({ row, input, value }) => applied(store, answerChanges(row, input, { value }))));
      for (const { row, value } of answers) expect((await store.question(row.id))?.outcome).toMatchObject({ value });
    });

    it(`X01 answer and expiry in the same instant, ${RACES} trials: one wins each, the loser is told, the sums match`, {
      timeout: 120_000,
    }, async () => {
      const { store } = await bench();
      let [answers, expiries] = [0, 0];
      for (let done = 0; done < RACES; done += RACES_AT_ONCE) {
        const won = await Promise.all(Array.from({ length: RACES_AT_ONCE }, (_, at) => race(store, done + at)));
        answers += won.filter((winner) => winner === "answered").length;
        expiries += won.filter((winner) => winner === "expired").length;
      }
      expect(answers + expiries).toBe(RACES);
      expect(answers).toBeGreaterThan(0);
      expect(expiries).toBeGreaterThan(0);
      expect((await store.counts()).open).toBe(0);
    });

    it("S45 keeps everything over a restart, event numbers too", async () => {
      const { store, reopen } = await bench();
      const [open, ended] = [questionRow(), questionRow()];
      const input = inputRow("1", ended.id);
      await applied(store, [...askChanges(open, [copyRow(open.id)]), ...askChanges(ended), { do: "insert_input", row: input }]);
      const [last] = await applied(store, answerChanges(ended, input));
      const before = [await snapshot(store, open), await snapshot(store, ended)];
      const after = await reopen();
      expect([await snapshot(after, open), await snapshot(after, ended)]).toEqual(before);
      const [next] = await applied(after, [{ do: "insert_event", question: open.id, type: "question.shown", atMs: START_MS, data: {} }]);
      expect(next?.id).toBeGreaterThan(last?.id ?? Number.POSITIVE_INFINITY);
    });

    it("S46 what was told as stored survives the kill of its process", { timeout: 60_000 }, async () => {
      const { askUntilKilled, reopen } = await bench();
      const told = await askUntilKilled();
      const store = await reopen();
      expect(told.length).toBeGreaterThan(0);
      const missing = (await Promise.all(told.map((id) => store.question(id)))).filter((row) => row === undefined);
      expect(missing).toEqual([]);
      await applied(store, askChanges(questionRow()));
    });

    it("S47 two instances over one memory: one outcome each, both read it", { timeout: 60_000 }, async () => {
      const { store, second } = await bench();
      const other = await second();
      const rows = Array.from({ length: 100 }, () => questionRow());
      await Promise.all(rows.map((row, at) => applied(at % 2 === 0 ? store : other, askChanges(row))));
      const results = await Promise.all(
        rows.map((row) => Promise.all([store, other].map((instance, at) => instance.commit(answer(row, `instance ${at}`))))),
      );
      for (const [at, row] of rows.entries()) {
        const winner = results[at]?.findIndex((result) => result.ok);
        expect(results[at]?.filter((result) => result.ok)).toHaveLength(1);
        expect(results[at]?.find((result) => !result.ok)).toEqual({ ok: false, at: 0, why: "settled" });
        const [mine, theirs] = await Promise.all([store.question(row.id), other.question(row.id)]);
        expect(mine?.outcome).toMatchObject({ value: `instance ${winner}` });
        expect(theirs).toEqual(mine);
      }
    });
  });
}

function answer(row: QuestionRow, value: string): Change[] {
  const receipt = receiptRow(row.id);
  return [
    {
      do: "settle_question",
      id: row.id,
      outcome: answeredOutcome(row.id, value),
      endedAtMs: START_MS,
      settledBy: receipt.resolutionId,
      receivedAtMs: START_MS,
    },
    { do: "insert_receipt", row: receipt },
  ];
}

/** One question with its deadline now; an answer received in the millisecond before, and an expiry, meet in either order. */
async function race(store: Store, trial: number): Promise<"answered" | "expired"> {
  const deadlineMs = START_MS + 1_000;
  const row = questionRow({ expiresAtMs: deadlineMs });
  await applied(store, askChanges(row));
  const answering = (): Promise<CommitResult> =>
    store.commit([
      {
        do: "settle_question",
        id: row.id,
        outcome: answeredOutcome(row.id),
        endedAtMs: deadlineMs,
        settledBy: null,
        receivedAtMs: deadlineMs - 1,
      },
    ]);
  const expiring = (): Promise<CommitResult> =>
    store.commit([
      {
        do: "settle_question",
        id: row.id,
        outcome: endedOutcome(row.id, "expired"),
        endedAtMs: deadlineMs,
        settledBy: null,
        dueAtMs: deadlineMs,
      },
    ]);
  const [answered, expired] =
    trial % 2 === 0 ? await Promise.all([answering(), expiring()]) : (await Promise.all([expiring(), answering()])).toReversed();
  const status = (await store.question(row.id))?.status;
  expect([answered?.ok, expired?.ok]).toEqual([status === "answered", status === "expired"]);
  if (status !== "answered" && status !== "expired") throw new Error(`trial ${trial} ended ${status}`);
  return status;
}

async function snapshot(store: Store, { id }: QuestionRow) {
  const [question, copies, events, due] = await Promise.all([
    store.question(id),
    store.copiesOf(id),
    store.events({ id: 0, limit: 100 }),
    store.nextDue(),
  ]);
  return { question, copies, events, due, counts: { ...(await store.counts()), walBytes: 0 } };
}
