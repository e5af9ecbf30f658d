/** Cases H01 to H13: what happens until a question is open. */
import { describe, expect } from "vitest";
import { eventually } from "../fixtures/eventually.js";
import { APPROVE, codeOf, eventsOf, it, SHIP, shown, submission, turns, typesOf } from "./table.js";

describe("a question is stored once, then shown", () => {
  it("H01 one record, one id that is the same everywhere, listed", async ({ open }) => {
    const { now } = await open();
    const question = await now.bridge.ask(SHIP);
    expect(question.id).toMatch(/^q_[0-9a-z]{26}$/);
    expect((await now.bridge.list()).map(({ id }) => id)).toEqual([question.id]);
    expect((await question.record()).id).toBe(question.id);
    expect(await now.store.counts()).toMatchObject({ open: 1, asked: 1 });
  });

  it("H02 H04 the write fails: store_unavailable, nothing listed, shown or known, and a later answer reaches nobody", async ({ open }) => {
    const table = await open();
    const { now } = table;
    table.fail(2);
    expect(await codeOf(now.bridge.ask({ ...SHIP, key: "k" }))).toBe("store_unavailable");
    await turns();
    expect(await now.bridge.list()).toEqual([]);
    expect(now.channel.messages).toEqual([]);
    expect(await eventsOf(now)).toEqual([]);
    expect(await codeOf(now.bridge.question({ key: "k" }))).toBe("question_unknown");
    const never = "q_00000000000000000000000000";
    expect(await now.gateway.resolve(submission(now, never, { decision: "answer", value: "Ship" }))).toMatchObject({
      code: "question_unknown",
    });
    expect(await now.store.counts()).toMatchObject({ asked: 0 });
  });

  it("H03 H05 opening is one event and lists exactly that id; the second ask under its key adds none", async ({ open }) => {
    const { now } = await open();
    const question = await now.bridge.ask({ ...SHIP, key: "k" });
    expect((await now.bridge.ask({ ...SHIP, key: "k" })).id).toBe(question.id);
    expect(await codeOf(now.bridge.question("q_00000000000000000000000000"))).toBe("question_unknown");
    await shown(now);
    expect(await typesOf(now)).toEqual(["question.asked", "question.shown"]);
    expect((await now.bridge.list()).map(({ id }) => id)).toEqual([question.id]);
  });

  it("H06 R23 withdrawn before anybody saw it: never shown, not listed, one end", async ({ open }) => {
    const { now } = await open();
    now.channel.planned.send.push(() => ({
      status: "later",
      afterMs: 1_000,
      scope: "conversation",
      code: "unreachable",
      message: "later",
    }));
    const question = await now.bridge.ask(SHIP);
    await eventually(() => expect(now.channel.sends).toHaveLength(1));
    expect(await question.cancel()).toMatchObject({ status: "cancelled", code: "withdrawn" });
    now.clock.advance(3_600_000);
    await turns();
    expect(now.channel.messages).toEqual([]);
    expect(await now.bridge.list()).toEqual([]);
    expect((await typesOf(now)).filter((type) => type !== "question.collected")).toEqual(["question.asked", "question.cancelled"]);
  });

  it("H07 R11 cap 1: the second is refused, one record; cap 3: the fourth", async ({ open }) => {
    for (const cap of [1, 3]) {
      const { now } = await open({ caps: { perPrincipal: cap, perPerson: 100 } });
      for (let count = 0; count < cap; count += 1) expect(await codeOf(now.bridge.ask(SHIP))).toBe("no error");
      expect(await codeOf(now.bridge.ask(SHIP))).toBe("capacity");
      expect(await now.store.counts()).toMatchObject({ asked: cap });
    }
  });

  it("H12 R1 until the record is stored nobody is shown or told anything", async ({ open }) => {
    const { now } = await open();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const commit = now.store.commit.bind(now.store);
    now.store.commit = async (changes) => {
      await held;
      return commit(changes);
    };
    const asking = now.bridge.ask(SHIP);
    await turns();
    expect([now.channel.messages, await eventsOf(now)]).toEqual([[], []]);
    release();
    const { id } = await asking;
    await shown(now);
    expect(await typesOf(now, id)).toEqual(["question.asked", "question.shown"]);
  });

  it("H13 cancelled before it is stored, before it is shown, while somebody waits: each ends and nothing hangs", async ({ open }) => {
    const { now } = await open();
    const ci = { principal: "ci" };
    expect(await codeOf(now.gateway.cancel({ key: "k" }, ci))).toBe("question_unknown");
    const later = { status: "later", afterMs: 1_000, scope: "conversation", code: "unreachable", message: "later" } as const;
    now.channel.planned.send.push(() => later);
    const unseen = await now.bridge.ask(SHIP);
    await eventually(() => expect(now.channel.sends).toHaveLength(1));
    expect(await now.gateway.cancel(unseen.id, ci)).toMatchObject({ status: "cancelled" });
    const seen = await now.bridge.ask({ ...SHIP, text: "Seen?" });
    const waiting = seen.outcome();
    await shown(now);
    await seen.cancel();
    expect(await waiting).toMatchObject({ status: "cancelled", code: "withdrawn" });
    expect(new Set(now.channel.messages.map(({ view }) => view.question))).toEqual(new Set([seen.id]));
  });
});

describe("what cannot be asked leaves no record", () => {
  it("H09 R9 a fallback that is none of the allowed ones", async ({ open }) => {
    const { now } = await open();
    const bad: readonly Record<string, unknown>[] = [
      ...[{ value: "approve" }, { value: "wait" }, { value: "model_decide" }, {}].map((fallback) => ({ ...APPROVE, fallback })),
      ...[{ value: "Later" }, { value: null }, { values: { answer: "Ship", more: "x" } }].map((fallback) => ({ ...SHIP, fallback })),
    ];
    for (const ask of bad) expect(await codeOf(now.bridge.ask(ask as never))).toBe("input_invalid");
    expect(await now.store.counts()).toMatchObject({ asked: 0 });
  });

  it("H11 A!3 T!9 what is missing is named by its path, and nothing is registered", async ({ open }) => {
    const { now } = await open();
    const without: readonly (readonly [string, Record<string, unknown>])[] = [
      ["text", { to: "alice", timeout: "1h" }],
      ["to", { text: "Ship?", timeout: "1h" }],
      ["timeout", { to: "alice", text: "Ship?" }],
      ["text", { to: "alice", timeout: "1h", fields: [{ key: "name", type: "text" }] }],
    ];
    for (const [path, ask] of without)
      await expect(now.bridge.ask(ask as never)).rejects.toMatchObject({
        code: "input_invalid",
        issues: [expect.objectContaining({ path })],
      });
    expect(await now.store.counts()).toMatchObject({ asked: 0 });
  });

  it("H31 H33 kind and content that do not fit, and what could not be shown properly", async ({ open }) => {
    const { now } = await open();
    const bad: readonly (readonly [string, Record<string, unknown>])[] = [
      ["input_invalid", { ...APPROVE, options: ["a", "b"] }],
      ["unsupported", { ...APPROVE, fields: [{ key: "a", type: "text" }] }],
      ["input_invalid", { ...SHIP, kind: "permission" }],
      ["input_invalid", { ...SHIP, subject: { type: "command", body: "ls" } }],
      ["input_invalid", { ...SHIP, options: undefined, fields: [] }],
      ["input_invalid", { ...SHIP, options: [] }],
      ["unsupported", { ...SHIP, multi: true }],
      ["unsupported", { to: "alice", text: "Sign in", timeout: "1h", kind: "url", url: "https://a.example" }],
    ];
    for (const [code, ask] of bad) expect([ask, await codeOf(now.bridge.ask(ask as never))]).toEqual([ask, code]);
    expect(await now.store.counts()).toMatchObject({ asked: 0 });
  });
});
