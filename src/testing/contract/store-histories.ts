/**
 * Clause S60: random histories. Lists of any changes over a few ids, good and bad, are committed to the store and to the plain model;
 * results and every read must agree.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COPY_STATES } from "../../core/delivery.js";
import type { QuestionId } from "../../core/ids.js";
import type { Change, CopyRow } from "../../ports/store.js";
import type { OpenBench } from "./store-bench.js";
import { type Modelled, StoreModel } from "./store-model.js";
import {
  answeredOutcome,
  asideRow,
  copyRow,
  endedOutcome,
  inputRow,
  noticeOrder,
  pressInput,
  questionRow,
  receiptRow,
  START_MS,
} from "./store-rows.js";

const PEOPLE = ["alice", "bob"];
const PLACES = ["D1", "C2"];
const ACCOUNTS = ["slack", "telegram"];

/** The few rows a history is about; made anew for each, so that histories share a store. */
function cast(history: number) {
  const principal = `p${history}`;
  const questions = Array.from({ length: 4 }, () => questionRow({ principal }));
  const unknown = questionRow({ principal });
  const everything = [...questions, unknown];
  const copies = Array.from({ length: 5 }, () => copyRow(unknown.id));
  const inputs = Array.from({ length: 4 }, (_, at) => inputRow(`${history}-${at}`, null));
  const receipts = Array.from({ length: 2 }, () => receiptRow(unknown.id));
  const asides = [`${history}-a`, `${history}-b`];
  return { principal, everything, questions, copies, inputs, receipts, asides };
}
type Cast = ReturnType<typeof cast>;

/** Instants a few steps apart, so that deadlines, aliases and grace meet exactly. */
const instant = fc.integer({ min: 0, max: 8 }).map((step) => START_MS + step * 20_000);
const instantOrNull = fc.option(instant, { nil: null });
const message = fc.constantFrom("1", "2", "3");

function questionInsert({ principal, questions }: Cast): fc.Arbitrary<Change> {
  return fc
    .record({
      row: fc.constantFrom(...questions),
      key: fc.constantFrom(null, "k1", "k2"),
      session: fc.constantFrom(null, `${principal}-s`),
      code: fc.constantFrom(`${principal}A`, `${principal}B`),
      askedAtMs: instant,
      expiresAtMs: instantOrNull,
      deliverByMs: instantOrNull,
      timeoutMs: fc.constantFrom(null, 20_000),
      people: fc.subarray(PEOPLE),
    })
    .map(({ row, people, ...set }): Change => {
      const body = { ...row.body, audience: people.length === 0 ? ({ kind: "anyone" } as const) : ({ kind: "people", people } as const) };
      return { do: "insert_question", row: { ...row, ...set, body } };
    });
}

/** Mostly a question of the history; now and then one that was never asked. */
function questionIdOf({ everything }: Cast): fc.Arbitrary<QuestionId> {
  const [first, ...others] = everything.map(({ id }) => id);
  if (first === undefined) throw new Error("a history without questions");
  return fc.oneof({ weight: 12, arbitrary: fc.constantFrom(first, ...others.slice(0, -1)) }, fc.constantFrom(...others.slice(-1)));
}

function questionChange(people: Cast): fc.Arbitrary<Change> {
  const id = questionIdOf(people);
  const settle = fc
    .record({
      id,
      status: fc.constantFrom("answered", "cancelled", "expired", "undelivered"),
      endedAtMs: instant,
      receivedAtMs: fc.option(instant, { nil: undefined, freq: 2 }),
      dueAtMs: fc.option(instant, { nil: undefined, freq: 2 }),
      onlyIfAllFailed: fc.constantFrom(undefined, undefined, true),
    })
    .map(({ status, receivedAtMs, dueAtMs, onlyIfAllFailed, ...rest }): Change => {
      const outcome = status === "answered" ? answeredOutcome(rest.id) : endedOutcome(rest.id, status);
      const conditions = {
        ...(receivedAtMs === undefined ? {} : { receivedAtMs }),
        ...(dueAtMs === undefined ? {} : { dueAtMs }),
        ...(onlyIfAllFailed === undefined ? {} : { onlyIfAllFailed: true as const }),
      };
      return { do: "settle_question", outcome, settledBy: null, ...rest, ...conditions };
    });
  const small = fc
    .record({ kind: fc.constantFrom("start_clock", "mark_collected"), id, atMs: instant })
    .map(({ kind, ...rest }): Change => ({ do: kind, ...rest }));
  const event = fc
    .record({ question: id, type: fc.constantFrom("question.asked", "question.shown"), atMs: instant, data: fc.constant({ n: 1 }) })
    .map((rest): Change => ({ do: "insert_event", ...rest }));
  return fc.oneof(questionInsert(people), { weight: 2, arbitrary: settle }, small, { weight: 2, arbitrary: event });
}

const COPY_WORK = {
  state: fc.constantFrom(...COPY_STATES),
  todo: fc.constantFrom<CopyRow["todo"]>(null, "send", "find", "close"),
  dueAtMs: instantOrNull,
  part: fc.constantFrom(0, 1),
  messageIds: fc.uniqueArray(message, { maxLength: 3 }),
  messageId: fc.option(message, { nil: null }),
  shownAtMs: instantOrNull,
};
/** Stands for the revision the copy has by then. */
const CURRENT = -1;

function copyInsert(people: Cast): fc.Arbitrary<Change> {
  const place = { account: fc.constantFrom(...ACCOUNTS), conversation: fc.constantFrom(null, ...PLACES) };
  return fc
    .record({ row: fc.constantFrom(...people.copies), question: questionIdOf(people), ...place, ...COPY_WORK })
    .map(({ row, ...set }): Change => ({ do: "insert_copy", row: { ...row, ...set } }));
}

function copyChange(people: Cast): fc.Arbitrary<Change> {
  const id = fc.constantFrom(...people.copies.map((row) => row.id));
  const update = fc
    .record({ id, revision: fc.constantFrom(CURRENT, CURRENT, CURRENT, CURRENT, 1), set: fc.record(COPY_WORK, { requiredKeys: [] }) })
    .map((rest): Change => ({ do: "update_copy", ...rest }));
  const end = fc.record({ question: questionIdOf(people), atMs: instant }).map((rest): Change => ({ do: "end_copies", ...rest }));
  return fc.oneof(copyInsert(people), { weight: 5, arbitrary: update }, end);
}

function inputInsert(people: Cast): fc.Arbitrary<Change> {
  return fc
    .record({
      row: fc.constantFrom(...people.inputs),
      question: fc.option(questionIdOf(people), { nil: null }),
      alias: fc.constantFrom(null, null, `${people.principal}-x`),
      receivedAtMs: instant,
      place: fc.constantFrom(...PLACES),
    })
    .map(({ row, place, ...set }): Change => {
      const input = pressInput(row.id, { conversation: place });
      return { do: "insert_input", row: { ...row, ...set, input } };
    });
}

function inputChange(people: Cast): fc.Arbitrary<Change> {
  const { inputs, receipts, asides, principal } = people;
  const id = fc.constantFrom(...inputs.map((row) => row.id));
  const notice = fc.constantFrom(null, noticeOrder("late"));
  const settle = fc
    .record({ id, verdict: fc.constantFrom("committed", "late"), notice, noticeDueAtMs: instantOrNull })
    .map((rest): Change => ({ do: "settle_input", ...rest }));
  const say = fc
    .record({ id, notice, noticeDueAtMs: instantOrNull, noticeAttempts: fc.constant(1) })
    .map((rest): Change => ({ do: "update_notice", ...rest }));
  const receipt = fc.constantFrom(...receipts).map((row): Change => ({ do: "insert_receipt", row }));
  const aside = fc.constantFrom(...asides).map((each): Change => ({ do: "insert_aside", row: asideRow(each, { copies: [] }) }));
  const take = fc.constantFrom(...asides).map((each): Change => ({ do: "take_aside", id: each }));
  const memory = fc.constantFrom("1", "2").map((value): Change => ({ do: "put_memory", account: principal, key: "k", value }));
  const move = fc
    .record({ account: fc.constantFrom(...ACCOUNTS), from: fc.constantFrom(...PLACES), to: fc.constantFrom(...PLACES) })
    .filter(({ from, to }) => from !== to)
    .map((rest): Change => ({ do: "move_conversation", ...rest }));
  return fc.oneof(inputInsert(people), { weight: 2, arbitrary: settle }, say, receipt, aside, take, { weight: 2, arbitrary: memory }, move);
}

/** A history begins with what it is about, one change a list; then come lists of any changes. */
function historyOf(people: Cast, steps: number): fc.Arbitrary<readonly (readonly Change[])[]> {
  const one = (insert: fc.Arbitrary<Change>, length: number): fc.Arbitrary<Change[][]> =>
    fc.array(
      insert.map((change) => [change]),
      { minLength: length, maxLength: length },
    );
  const any = fc.oneof(questionChange(people), copyChange(people), inputChange(people));
  const lists = fc.array(fc.oneof(fc.array(any, { minLength: 1, maxLength: 1 }), fc.array(any, { minLength: 2, maxLength: 4 })), {
    minLength: steps,
    maxLength: steps,
  });
  return fc
    .tuple(one(questionInsert(people), 6), one(copyInsert(people), 8), one(inputInsert(people), 5), lists)
    .map((parts) => parts.flat());
}

/** Puts the revision that the model has in place of `CURRENT`. */
async function withRevisions(model: StoreModel, changes: readonly Change[]): Promise<readonly Change[]> {
  return Promise.all(
    changes.map(async (change) => {
      if (change.do !== "update_copy" || change.revision !== CURRENT) return change;
      return { ...change, revision: (await model.copy(change.id))?.copy.revision ?? 0 };
    }),
  );
}

async function outcomeOf(store: Modelled, changes: readonly Change[]): Promise<unknown> {
  try {
    const result = await store.commit(changes);
    return result.ok ? { ok: true, versions: result.events.map(({ version }) => version) } : result;
  } catch {
    return "rejected";
  }
}

/** Everything a history may have touched, by every read. */
async function everyRead(
  store: Modelled,
  { principal, everything, copies, inputs, receipts, asides }: Cast,
): Promise<Readonly<Record<string, unknown>>> {
  const places = ACCOUNTS.flatMap((account) => PLACES.map((conversation) => ({ account, conversation })));
  const nowMs = START_MS + 80_000;
  const events = await store.events({ id: 0, limit: 1_000 });
  return {
    questions: await Promise.all(everything.map(({ id }) => store.question(id))),
    copies: await Promise.all(copies.map(({ id }) => store.copy(id))),
    copiesOf: await Promise.all(everything.map(({ id }) => store.copiesOf(id))),
    keys: await Promise.all(
      ["k1", "k2"].flatMap((key) => [null, `${principal}-s`].map((session) => store.questionByKey({ principal, session, key }))),
    ),
    codes: await Promise.all(["A", "B"].map((end) => store.openByCode(`${principal}${end}`))),
    lists: await Promise.all(
      [{ principal }, { session: `${principal}-s` }, { principal, session: `${principal}-s` }, {}].map((by) =>
        store.listOpen({ ...by, limit: 3 }),
      ),
    ),
    openCounts: await Promise.all(PEOPLE.map((person) => store.openCounts({ principal, person }))),
    begun: await Promise.all(places.map((place) => store.openCopiesIn(place))),
    ended: await Promise.all(places.map((place) => store.endedSince({ ...place, sinceMs: nowMs }))),
    messages: await Promise.all(
      places.flatMap((place) => ["1", "2", "3"].map((messageId) => store.copyByMessage({ ...place, messageId }))),
    ),
    due: [
      await store.dueCopies({ nowMs, limit: 2 }),
      await store.dueQuestions({ nowMs, limit: 2 }),
      await store.dueNotices({ nowMs, limit: 2 }),
    ],
    next: await store.nextDue(),
    sending: await store.copiesSending(),
    shown: await store.copiesShown(3),
    unsettled: await store.unsettledInputs(3),
    inputs: await Promise.all(inputs.map(({ id }) => store.input(id))),
    receipts: await Promise.all(receipts.map(({ resolutionId }) => store.receipt(resolutionId))),
    asides: await Promise.all(asides.map((id) => store.aside(id))),
    memory: await store.memory({ account: principal, key: "k" }),
    // Numbers of events may have gaps; their order and what they say may not differ.
    events: events.events.map(({ id: _id, ...event }) => event),
    counts: { ...(await store.counts()), walBytes: 0 },
  };
}

/** Registers the comparison of random histories with the plain model; a failing one names its seed. */
export function historyClauses(bench: OpenBench, { seed, runs = 100 }: { readonly seed?: number; readonly runs?: number }): void {
  describe("histories", () => {
    it(`S60 ${runs} random histories agree with the plain model, change by change`, { timeout: 300_000 }, async () => {
      let history = 0;
      const property = fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.integer({ min: 5, max: 40 }), async (start, steps) => {
        history += 1;
        const { store, stop } = await bench();
        const model = new StoreModel();
        const people = cast(history);
        const [lists = []] = fc.sample(historyOf(people, steps), { seed: start, numRuns: 1 });
        for (const [step, list] of lists.entries()) {
          const changes = await withRevisions(model, list);
          // A list beside it that always succeeds: what fails must leave nothing in the batch they share.
          const beside: Change = { do: "put_memory", account: "beside", key: "step", value: `${step}` };
          const [real] = await Promise.all([outcomeOf(store, changes), store.commit([beside])]);
          const plain = await outcomeOf(model, changes);
          expect(real, `step ${step}: ${JSON.stringify(changes)}`).toEqual(plain);
        }
        expect(await everyRead(store, people)).toEqual(await everyRead(model, people));
        await stop();
      });
      await fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
    });
  });
}
