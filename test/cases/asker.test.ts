/** Cases `A`: an asker in the process and over the socket. */
import { describe, expect } from "vitest";
import { HandraiseError } from "../../src/errors.js";
import { eventually } from "../fixtures/eventually.js";
import { codeOf, eventsOf, it, SHIP, shown, submission, turns, typesOf } from "./table.js";

const TEXT = { to: "alice", text: "Which name?", timeout: "1h" } as const;

describe("what a person gives is submitted once", () => {
  it("A10 one press is one answer; a text is one answer; a blank text is none and says so", async ({ open }) => {
    const { now } = await open();
    const picked = await now.bridge.ask({ ...SHIP, to: "bob", options: ["prod", "dev"] });
    const typed = await now.bridge.ask(TEXT);
    await shown(now);
    await now.channel.press("prod", "2");
    expect(await picked.outcome()).toMatchObject({ id: picked.id, value: "prod" });
    await now.channel.types("   ", "1");
    await eventually(() => expect(now.channel.words.some(({ conversation }) => conversation === "dm-1")).toBe(true));
    expect((await typed.record()).status).toBe("open");
    await now.channel.types("my answer", "1");
    expect(await typed.outcome()).toMatchObject({ id: typed.id, value: "my answer" });
    for (const { id } of [picked, typed]) expect((await typesOf(now, id)).filter((type) => type === "question.answered")).toHaveLength(1);
  });

  it("A12 the one choice of a form is answered by one press, in the same instant", async ({ open }) => {
    const { now } = await open();
    const field = { key: "env", type: "choice", options: ["prod", "dev"] } as const;
    const question = await now.bridge.ask({ to: "alice", text: "Where?", timeout: "1h", fields: [field] });
    await shown(now);
    await now.channel.press("prod", "1");
    expect(await question.outcome()).toMatchObject({ values: { env: "prod" }, at: new Date(now.clock.now()).toISOString() });
    expect(now.channel.messages).toHaveLength(1);
  });

  it("A16 an empty form counts where all fields are optional; nothing at all, or blank, is refused", async ({ open }) => {
    const { now } = await open();
    const form = (optional: boolean) => ({ ...TEXT, fields: [{ key: "note", type: "text", optional }] }) as const;
    const [loose, strict, text] = [await now.bridge.ask(form(true)), await now.bridge.ask(form(false)), await now.bridge.ask(TEXT)];
    const give = (id: string, given: object) => now.gateway.resolve(submission(now, id, { decision: "answer", as: `r_${id}`, ...given }));
    expect(await give(strict.id, { values: {} })).toMatchObject({
      code: "answer_invalid",
      issues: [{ path: "values.note", code: "required" }],
    });
    expect(await give(loose.id, { values: {} })).toMatchObject({ status: "committed", outcome: { values: {} } });
    expect(await give(text.id, {})).toMatchObject({ code: "answer_invalid", issues: [{ path: "value", code: "required" }] });
    expect(await give(text.id, { value: " " })).toMatchObject({ code: "answer_invalid", issues: [{ path: "value", code: "blank" }] });
    expect((await now.bridge.list()).map(({ id }) => id)).toEqual([strict.id, text.id].sort((a, b) => (a < b ? -1 : 1)));
  });

  it("A!13 own words are told apart from an offered value, and those that equal one are it", async ({ open }) => {
    const { now } = await open();
    const [own, same] = [await now.bridge.ask({ ...SHIP, other: true }), await now.bridge.ask({ ...SHIP, other: true })];
    await now.gateway.resolve(submission(now, own.id, { decision: "answer", value: { other: "Later" }, as: "r_1" }));
    await now.gateway.resolve(submission(now, same.id, { decision: "answer", value: { other: "Ship" }, as: "r_2" }));
    expect(await own.outcome()).toMatchObject({ value: { other: "Later" } });
    expect(await same.outcome()).toMatchObject({ value: "Ship" });
  });

  it("A!2 each kind of wrong answer is refused by the owner, whatever the form let through", async ({ open }) => {
    const { now } = await open();
    const choice = await now.bridge.ask({ ...TEXT, fields: [{ key: "env", type: "choice", options: ["prod", "dev"] }] });
    const wrong = [{ env: "not-an-option" }, { env: "prod", extra: "x" }, {}, { env: Number.NaN }, { env: ["prod"] }];
    for (const [at, values] of wrong.entries())
      expect(await now.gateway.resolve(submission(now, choice.id, { decision: "answer", values, as: `r_${at}` }))).toMatchObject({
        status: "refused",
        code: "answer_invalid",
        issues: [{ path: at === 1 ? "values.extra" : "values.env" }],
      });
    expect((await choice.record()).status).toBe("open");
  });
});

describe("ends", () => {
  it("A17 an answer after the end is told how it ended and changes nothing", async ({ open }) => {
    const { now } = await open();
    const question = await now.bridge.ask(SHIP);
    await shown(now);
    await question.cancel();
    const before = await question.record();
    expect(await now.gateway.resolve(submission(now, question.id, { decision: "answer", value: "Ship" }))).toMatchObject({
      status: "closed",
      ended: { status: "cancelled" },
    });
    expect((await question.record()).outcome).toEqual(before.outcome);
    expect(await typesOf(now, question.id)).not.toContain("question.answered");
  });

  it("A!6 of 200 questions that are withdrawn at once none is told as ended before it was asked", async ({ open }) => {
    const { now } = await open({ caps: { perPrincipal: 1_000, perPerson: 1_000 } });
    await Promise.all(Array.from({ length: 200 }, async () => (await now.bridge.ask(SHIP)).cancel()));
    const order = new Map<string, string[]>();
    for (const { question, type } of await eventsOf(now)) order.set(question, [...(order.get(question) ?? []), type]);
    expect(order.size).toBe(200);
    for (const types of order.values()) {
      expect(types[0]).toBe("question.asked");
      expect(types.filter((type) => type === "question.cancelled")).toHaveLength(1);
    }
  });
});

describe("channels", () => {
  it("A19 a channel that is off is refused by name before a question exists", async ({ open }) => {
    const { now } = await open();
    const error: unknown = await now.bridge.ask({ ...SHIP, to: "slack:C1", audience: "alice" }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(HandraiseError);
    expect(String(error)).toContain("slack");
    expect(await now.store.counts()).toMatchObject({ asked: 0 });
  });

  it("A!4 a secret is never asked for, so none can come back in plain text", async ({ open }) => {
    const { now } = await open();
    expect(await codeOf(now.bridge.ask({ ...TEXT, fields: [{ key: "token", type: "secret" }] }))).toBe("unsupported");
    await turns();
    expect(now.channel.messages).toEqual([]);
    expect(await now.store.counts()).toMatchObject({ asked: 0 });
  });

  it("A!16 the descriptions of the options are shown", async ({ open }) => {
    const { now } = await open();
    await now.bridge.ask({ ...SHIP, options: [{ value: "pg", label: "Postgres", description: "We run it already" }, { value: "my" }] });
    await shown(now);
    expect(now.channel.messages[0]?.view.options[0]).toMatchObject({ label: "Postgres", description: "We run it already" });
  });
});
