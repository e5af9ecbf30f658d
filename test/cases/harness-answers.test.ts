/** Cases H14 to H36 and H45: answers, what is refused, and waits. */
import { describe, expect } from "vitest";
import { createBridgeClient } from "../../src/client/bridge.js";
import { eventually } from "../fixtures/eventually.js";
import { APPROVE, codeOf, eventsOf, filesWith, it, SHIP, shown, submission, turns, typesOf } from "./table.js";

const TEXT = { to: "alice", text: "What then?", timeout: "1h" } as const;

describe("an answer reaches the one who asked", () => {
  it("H14 H!14 T!4 the words arrive as the person's, once, with the call they belong to", async ({ open }) => {
    const { now } = await open();
    const { record } = await now.gateway.request({ ...TEXT, call: { toolExecution: "call-1" } }, { principal: "ci" });
    const question = await now.bridge.question(record.id);
    await shown(now);
    await now.channel.types("the answer", "1");
    expect(await question.outcome()).toMatchObject({ value: "the answer", via: "text", by: { person: "alice", userId: "1" } });
    expect((await typesOf(now, question.id)).filter((type) => type === "question.answered")).toHaveLength(1);
    expect(await now.bridge.list()).toEqual([]);
    const row = await now.store.question(submission(now, question.id).question);
    expect(row?.body.call).toEqual({ toolExecution: "call-1" });
  });

  it("H15 two questions at once each get their own answer", async ({ open }) => {
    const { now } = await open();
    const [a, b] = [await now.bridge.ask(TEXT), await now.bridge.ask({ ...TEXT, to: "bob" })];
    const waiting = Promise.all([a.outcome(), b.outcome()]);
    await shown(now);
    await now.channel.types("answerB", "2");
    await now.channel.types("answerA", "1");
    expect((await waiting).map((outcome) => (outcome.status === "answered" ? outcome.value : outcome))).toEqual(["answerA", "answerB"]);
  });

  it("H16 A!10 A!11 of two loops the other hears nothing, whatever session it names", async ({ open }) => {
    const { now } = await open();
    const [a, b] = ["loop-a", "loop-b"].map((principal) => createBridgeClient(now.gateway, { principal }));
    const [first, second] = [await a?.ask({ ...TEXT, session: "S1" }), await b?.ask({ ...TEXT, to: "bob", session: "S1" })];
    await eventually(() => expect(now.channel.messages).toHaveLength(2));
    const still = second?.outcome({ within: "1s" });
    await now.channel.types("for A", "1");
    expect(await first?.outcome()).toMatchObject({ value: "for A" });
    now.clock.advance(1_000);
    expect(await still).toEqual({ status: "open", id: second?.id });
    expect((await b?.list({ session: "S1" }))?.map(({ id }) => id)).toEqual([second?.id]);
    expect(await codeOf(b?.question(first?.id ?? "") ?? Promise.resolve())).toBe("question_unknown");
    expect(await codeOf(now.gateway.cancel(second?.id ?? "", { principal: "loop-a" }))).toBe("question_unknown");
  });

  it("H19 T21 it counts though nobody waits, and the receipt does not wait for the work that follows", async ({ open }) => {
    const { now } = await open();
    const { id } = await now.bridge.ask(SHIP);
    expect(await now.gateway.resolve(submission(now, id, { decision: "answer", value: "Ship" }))).toMatchObject({ status: "committed" });
    expect(await now.bridge.list()).toEqual([]);
    const types = await typesOf(now, id);
    expect(types.filter((type) => type === "question.answered")).toHaveLength(1);
    expect(types).not.toContain("question.collected");
  });

  it("H25 T10 an answer before its question exists is unknown, the one after it counts", async ({ open }) => {
    const { now } = await open();
    const early = submission(now, "q_00000000000000000000000000", { decision: "answer", value: "stale" });
    expect(await now.gateway.resolve(early)).toMatchObject({ status: "refused", code: "question_unknown" });
    const question = await now.bridge.ask(TEXT);
    await now.gateway.resolve(submission(now, question.id, { decision: "answer", value: "real" }));
    expect(await question.outcome()).toMatchObject({ value: "real" });
  });

  it("H34 H35 H36 answer first and wait after; a wait that was given up; withdrawn while waiting", async ({ open }) => {
    const { now } = await open();
    const first = await now.bridge.ask(SHIP);
    await now.gateway.resolve(submission(now, first.id, { decision: "answer", value: "Ship" }));
    expect(await first.outcome()).toMatchObject({ value: "Ship" });
    expect(await first.outcome()).toMatchObject({ value: "Ship" });
    const second = await now.bridge.ask(SHIP);
    const giveUp = new AbortController();
    const waiting = second.outcome({ signal: giveUp.signal });
    giveUp.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect((await now.bridge.list()).map(({ id }) => id)).toEqual([second.id]);
    const again = second.outcome();
    await second.cancel();
    const outcome = await again;
    expect(outcome).toMatchObject({ status: "cancelled" });
    expect(outcome).not.toHaveProperty("value");
    expect(await now.bridge.list()).toEqual([]);
  });

  it("H46 H!13 the withdrawal fails: still open, and a late answer arrives", async ({ open }) => {
    const table = await open();
    const { now } = table;
    const question = await now.bridge.ask(SHIP);
    await shown(now);
    table.fail(2);
    expect(await codeOf(question.cancel())).toBe("store_unavailable");
    expect((await question.record()).status).toBe("open");
    await now.channel.press("Hold", "1");
    expect(await question.outcome()).toMatchObject({ status: "answered", value: "Hold" });
  });
});

describe("what is refused changes nothing", () => {
  it("H21 H30 R3 decisions that were not offered, before any value is looked at", async ({ open }) => {
    const { now } = await open();
    const question = await now.bridge.ask({ ...APPROVE, decisions: ["approve"] });
    for (const decision of ["bogus", "", "APPROVE", "approved", "deny", "approve_always"]) {
      const receipt = await now.gateway.resolve(submission(now, question.id, { decision, values: { no: "such field" } }));
      expect(receipt).toMatchObject({ status: "refused", code: "decision_invalid", issues: [{ path: "decision" }] });
    }
    expect((await question.record()).status).toBe("open");
    expect(await typesOf(now, question.id)).not.toContain("question.answered");
  });

  it("H22 values smuggled in beside an approval stand in no record", async ({ open }) => {
    const { now } = await open();
    const question = await now.bridge.ask(APPROVE);
    const marker = "smuggled-81f3c7";
    const receipt = await now.gateway.resolve(submission(now, question.id, { decision: "approve", values: { scope: marker } }));
    expect(receipt).toMatchObject({ status: "committed" });
    expect(JSON.stringify([receipt, await question.outcome(), await question.record(), await eventsOf(now)])).not.toContain(marker);
    expect(await filesWith(now, marker)).toEqual([]);
  });

  it("H24 each kind takes its own decisions, and the right one afterwards counts", async ({ open }) => {
    const { now } = await open();
    const [question, approval] = [await now.bridge.ask(SHIP), await now.bridge.ask(APPROVE)];
    const give = (id: string, decision: string) =>
      now.gateway.resolve(submission(now, id, { decision, value: "Ship", as: `r_${id}_${decision}` }));
    for (const wrong of ["approve", "deny", "approve_always"])
      expect(await give(question.id, wrong)).toMatchObject({ code: "decision_invalid" });
    for (const wrong of ["answer", "decline", "dismiss"])
      expect(await give(approval.id, wrong)).toMatchObject({ code: "decision_invalid" });
    expect(await give(question.id, "answer")).toMatchObject({ status: "committed" });
    expect(await give(approval.id, "deny")).toMatchObject({ status: "committed", outcome: { status: "declined", decision: "deny" } });
  });

  it("H26 the source of ids fails while a person answers: the press is not taken, the next one counts", async ({ open }) => {
    let broken = false;
    const random = (size: number): Uint8Array => {
      if (broken) throw new Error("no entropy");
      return crypto.getRandomValues(new Uint8Array(size));
    };
    const { now } = await open({ random });
    const question = await now.bridge.ask(SHIP);
    await shown(now);
    const press = now.channel.pressOn("Ship", "1");
    broken = true;
    await expect(now.channel.deliver(press)).rejects.toThrow("no entropy");
    expect((await question.record()).status).toBe("open");
    broken = false;
    await now.channel.deliver(press);
    expect(await question.outcome()).toMatchObject({ value: "Ship" });
  });

  it("H29 A!15 a decline carries no values; sent with all fields skipped is an answer", async ({ open }) => {
    const { now } = await open();
    const optional = { ...TEXT, fields: [{ key: "note", type: "text", optional: true }] } as const;
    const [pressed, typed, empty] = [
      await now.bridge.ask(SHIP),
      await now.bridge.ask({ ...SHIP, to: "bob" }),
      await now.bridge.ask(optional),
    ];
    const receipt = await now.gateway.resolve(submission(now, pressed.id, { decision: "decline", value: "Ship" }));
    expect(receipt).toMatchObject({ status: "committed", outcome: { status: "declined", decision: "decline" } });
    expect(await pressed.outcome()).not.toHaveProperty("value");
    await eventually(() => expect(now.channel.messages).toHaveLength(3));
    await now.channel.types("cancel", "2");
    const declined = await typed.outcome();
    expect(declined).toMatchObject({ status: "declined", decision: "decline", by: { person: "bob" } });
    expect(declined).not.toHaveProperty("value");
    await now.gateway.resolve(submission(now, empty.id, { decision: "answer", values: {}, as: "r_2" }));
    expect(await empty.outcome()).toMatchObject({ status: "answered", values: {} });
  });

  it("H45 H!1 H!2 offered values word for word; Other is a tag; everything else is refused and can be corrected", async ({ open }) => {
    const { now } = await open();
    const ask = { ...SHIP, options: ["yes", "no"] } as const;
    const [closed, other, text] = [await now.bridge.ask(ask), await now.bridge.ask({ ...ask, other: true }), await now.bridge.ask(TEXT)];
    let attempts = 0;
    const give = (id: string, given: object) =>
      now.gateway.resolve(submission(now, id, { decision: "answer", as: `r_${++attempts}`, ...given }));
    const refused = (path: string, code: string) => ({
      status: "refused",
      code: "answer_invalid",
      issues: [expect.objectContaining({ path, code })],
    });
    expect(await give(closed.id, { value: "maybe" })).toMatchObject(refused("value", "not_offered"));
    expect(await give(closed.id, { value: "Yes" })).toMatchObject(refused("value", "not_offered"));
    expect(await give(closed.id, { value: { other: "maybe" } })).toMatchObject(refused("value", "not_offered"));
    expect(await give(closed.id, { value: null })).toMatchObject(refused("value", "required"));
    expect(await give(closed.id, { values: { text: "yes" } })).toMatchObject({
      issues: [{ path: "values.text" }, { path: "value", code: "required" }],
    });
    expect(await give(text.id, { value: "" })).toMatchObject(refused("value", "blank"));
    expect(await give(closed.id, { value: "yes" })).toMatchObject({ status: "committed", outcome: { value: "yes" } });
    expect(await give(other.id, { value: { other: "maybe" } })).toMatchObject({ outcome: { value: { other: "maybe" } } });
    expect(await codeOf(now.bridge.ask({ ...ask, text: "" }))).toBe("input_invalid");
  });

  it("H!10 H!11 lost reply, ended, not for you and unknown are four different receipts", async ({ open }) => {
    const { now } = await open();
    const { id } = await now.bridge.ask(SHIP);
    const answer = { decision: "answer", value: "Ship" } as const;
    await now.gateway.resolve(submission(now, id, answer));
    expect(await now.gateway.resolve(submission(now, id, answer))).toMatchObject({ status: "already_yours", outcome: { value: "Ship" } });
    expect(await now.gateway.resolve(submission(now, id, { ...answer, as: "r_2" }))).toMatchObject({
      status: "already_answered",
      ended: { status: "answered" },
    });
    expect(await now.gateway.resolve(submission(now, id, { ...answer, as: "r_3", userId: "9" }))).toEqual(
      expect.objectContaining({ status: "refused", code: "not_allowed" }),
    );
    const never = submission(now, "q_00000000000000000000000000", { ...answer, as: "r_4" });
    expect(await now.gateway.resolve(never)).toMatchObject({ status: "refused", code: "question_unknown" });
    const withdrawn = await now.bridge.ask(SHIP);
    await withdrawn.cancel();
    expect(await now.gateway.resolve(submission(now, withdrawn.id, { ...answer, as: "r_5" }))).toMatchObject({
      status: "closed",
      ended: { status: "cancelled" },
    });
  });

  it("H!12 a long answer of wide characters is kept whole, and what is shown of it is never cut inside one", async ({ open }) => {
    const { now } = await open();
    const question = await now.bridge.ask(TEXT);
    await shown(now);
    const long = "👩‍👩‍👧‍👦".repeat(60);
    await now.channel.types(long, "1");
    expect(await question.outcome()).toMatchObject({ value: long });
    await eventually(() => expect(now.channel.messages[0]?.view.state.kind).toBe("ended"));
    await eventually(() => expect(now.channel.words.length).toBeGreaterThan(0));
    await turns();
    const state = now.channel.messages[0]?.view.state;
    const lines = [state?.kind === "ended" ? state.line : "", ...now.channel.words.map(({ text }) => text)];
    expect(lines.join("")).toContain("👩");
    for (const line of lines)
      for (const { segment } of new Intl.Segmenter("en").segment(line)) if (segment.includes("👩")) expect(segment).toBe("👩‍👩‍👧‍👦");
  });
});
