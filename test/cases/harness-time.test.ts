/** Cases H10, H37 to H43: time limits, declared defaults, restarts. */
import { describe, expect } from "vitest";
import { eventually } from "../fixtures/eventually.js";
import { APPROVE, codeOf, it, SHIP, shown, submission, turns, typesOf } from "./table.js";

const MINUTE_MS = 60_000;

describe("time", () => {
  it("H10 no time is invented; a declared denial stands beside expired", async ({ open }) => {
    const { now } = await open();
    const { timeout: _timeout, ...untimed } = APPROVE;
    expect(await codeOf(now.bridge.ask(untimed))).toBe("input_invalid");
    const question = await now.bridge.ask({ ...untimed, timeout: "5m", fallback: { value: "deny" } });
    await shown(now);
    now.clock.advance(5 * MINUTE_MS);
    expect(await question.outcome()).toMatchObject({ status: "expired", fallback: { value: "deny" } });
  });

  it("H37 H38 H!5 H!6 nobody answers: one end that names the time and no person, the default beside it", async ({ open }) => {
    const { now } = await open();
    const question = await now.bridge.ask({ ...SHIP, timeout: "60s", fallback: { value: "Hold" } });
    await shown(now);
    now.clock.advance(MINUTE_MS);
    const outcome = await question.outcome();
    expect(outcome).toMatchObject({ status: "expired", fallback: { value: "Hold" } });
    for (const absent of ["by", "via", "value", "decision"]) expect(outcome).not.toHaveProperty(absent);
    expect((await typesOf(now, question.id)).filter((type) => /answered|declined|expired/.test(type))).toEqual(["question.expired"]);
  });

  it("H39 a person at once, the time later: exactly one end, the person's", async ({ open }) => {
    const { now } = await open();
    const question = await now.bridge.ask({ ...SHIP, timeout: "60s", fallback: { value: "Hold" } });
    await shown(now);
    await now.channel.press("Ship", "1");
    expect(await question.outcome()).toMatchObject({ status: "answered", by: { person: "alice" } });
    now.clock.advance(2 * MINUTE_MS);
    await turns();
    expect((await typesOf(now, question.id)).filter((type) => /answered|declined|expired/.test(type))).toEqual(["question.answered"]);
    expect(await question.outcome()).not.toHaveProperty("fallback");
  });

  it("H40 none: a year later it is open", async ({ open }) => {
    const { now } = await open();
    const question = await now.bridge.ask({ ...SHIP, timeout: "none" });
    await shown(now);
    now.clock.jump(365 * 86_400_000);
    now.clock.advance(MINUTE_MS);
    await turns();
    expect(await question.record()).toMatchObject({ status: "open", expiresAt: null });
  });

  it("H!7 the write of an expiry fails: it is tried until it is stored", async ({ open }) => {
    const table = await open();
    const { now } = table;
    const question = await now.bridge.ask({ ...SHIP, timeout: "60s" });
    await shown(now);
    table.fail(4);
    now.clock.advance(MINUTE_MS);
    await eventually(() => expect(table.failed).toBeGreaterThanOrEqual(2));
    expect((await question.record()).status).toBe("open");
    table.fail(0);
    await eventually(async () => {
      now.clock.advance(1_000);
      expect((await question.record()).status).toBe("expired");
    });
    expect((await typesOf(now, question.id)).filter((type) => type === "question.expired")).toHaveLength(1);
  });
});

describe("restarts", () => {
  it("H41 H!4 H!8 A!12 A18 T!10 what was open is open, under its id, with its deadline, and can be answered", async ({ open }) => {
    const table = await open();
    const { id } = await table.now.bridge.ask(SHIP);
    await shown(table.now);
    const before = await (await table.now.bridge.question(id)).record();
    const press = table.now.channel.pressOn("Ship", "1");
    const now = await table.restart();
    const listed = await now.bridge.list();
    expect(listed).toEqual([before]);
    expect(before.expiresAt).toBe("2026-12-01T15:00:00.000Z");
    await now.channel.deliver(press);
    expect(await (await now.bridge.question(id)).outcome()).toMatchObject({ value: "Ship" });
    expect(now.channel.messages).toHaveLength(1);
  });

  it("H42 what had ended has its one record, and a restart adds none", async ({ open }) => {
    const table = await open();
    const question = await table.now.bridge.ask(SHIP);
    await shown(table.now);
    await table.now.channel.press("Hold", "1");
    const outcome = await question.outcome();
    await eventually(() => expect(table.now.channel.messages[0]?.view.state.kind).toBe("ended"));
    await turns();
    const before = await typesOf(table.now);
    const now = await table.restart();
    await turns();
    expect(await now.bridge.list()).toEqual([]);
    expect(await typesOf(now)).toEqual(before);
    expect(await (await now.bridge.question(question.id)).outcome()).toEqual(outcome);
  });

  it("H43 T18 a pending approval keeps its id, a person approves once, then there is nothing left", async ({ open }) => {
    const table = await open();
    const { id } = await table.now.bridge.ask({ ...APPROVE, key: "apply" });
    await shown(table.now);
    let now = await table.restart();
    expect((await now.bridge.list()).map((record) => record.id)).toEqual([id]);
    await now.channel.press("Approve", "1");
    expect(await (await now.bridge.question({ key: "apply" })).outcome()).toMatchObject({ status: "answered", decision: "approve" });
    expect(await now.gateway.resolve(submission(now, id, { decision: "approve" }))).toMatchObject({ status: "already_answered" });
    now = await table.restart();
    expect(await now.bridge.list()).toEqual([]);
    expect((await typesOf(now, id)).filter((type) => type === "question.answered")).toHaveLength(1);
  });
});
