/** Cases of the field that the gateway and host answer whatever the platform: one question, its person, its end. */
import { afterEach, describe, expect, it } from "vitest";
import { HandraiseError } from "../../src/errors.js";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";

let opened: PaperBridge | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});
const start = async (...args: Parameters<typeof openPaperBridge>): Promise<PaperBridge> => {
  opened = await openPaperBridge(...args);
  return opened;
};
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "no error",
    (error: unknown) => (error instanceof HandraiseError ? error.code : String(error)),
  );
const SHIP = { to: "alice", text: "Ship?", options: ["Ship", "Hold"], timeout: "1h" } as const;

describe("who and how", () => {
  it("B124 the stored answer and the closed prompt name the person, the time and the way", async () => {
    const { bridge, channel } = await start();
    const question = await bridge.ask(SHIP);
    await eventually(() => channel.press("Ship", "1"));
    expect(await question.outcome()).toMatchObject({ by: { person: "alice", userId: "1" }, via: "button", at: "2026-12-01T14:00:00.000Z" });
    await eventually(() => expect(channel.messages[0]?.view.state).toEqual({ kind: "ended", line: "Ship · Alice Wong, 14:00" }));
  });

  it("O30 the one named in the ask gets it; another person of the directory is refused", async () => {
    const { bridge, channel } = await start();
    const question = await bridge.ask({ kind: "approval", text: "Deploy?", to: "bob", timeout: "1h" });
    await eventually(() => expect(channel.messages.map(({ conversation }) => conversation)).toEqual(["dm-2"]));
    await channel.press("Approve", "1");
    await eventually(() => expect(channel.words.at(-1)).toMatchObject({ userId: "1", tone: "alert" }));
    expect((await question.record()).status).toBe("open");
    await channel.press("Approve", "2");
    expect(await question.outcome()).toMatchObject({ status: "answered", by: { person: "bob" } });
  });
});

describe("which question", () => {
  it("B132 B110 O58 a late press on an ended prompt leaves the newer question open and is told so where it was pressed", async () => {
    const { bridge, channel, clock } = await start();
    const first = await bridge.ask({ ...SHIP, timeout: "60s" });
    await eventually(async () => expect((await first.record()).expiresAt).not.toBeNull());
    const late = channel.pressOn("Ship", "1");
    clock.advance(60_000);
    expect(await first.outcome()).toMatchObject({ status: "expired" });
    const second = await bridge.ask({ ...SHIP, text: "Ship the next?" });
    await eventually(() => expect(channel.messages).toHaveLength(2));
    clock.advance(3_600_000 - 1_000);
    await channel.deliver(late);
    await eventually(() =>
      expect(channel.words.at(-1)).toMatchObject({
        conversation: "dm-1",
        userId: "1",
        text: expect.stringMatching(/15:00|14:01|ended|late/i),
      }),
    );
    expect((await second.record()).status).toBe("open");
    expect(channel.messages[0]?.view.state.kind).toBe("ended");
    expect(new Set(channel.words.map(({ conversation }) => conversation))).toEqual(new Set(["dm-1"]));
  });

  it("B133 ids of two lives are different and each keeps its own answer", async () => {
    const before = await start();
    const first = await before.bridge.ask(SHIP);
    await eventually(() => expect(before.channel.messages).toHaveLength(1));
    const press = before.channel.pressOn("Hold", "1");
    opened = await before.restart();
    const second = await opened.bridge.ask({ ...SHIP, text: "Ship the other?" });
    expect(second.id).not.toBe(first.id);
    await eventually(() => expect(before.channel.messages).toHaveLength(2));
    await opened.channel.deliver(press);
    expect(await (await opened.bridge.question(first.id)).outcome()).toMatchObject({ value: "Hold" });
    expect((await second.record()).status).toBe("open");
  });

  it("O48 an id that nobody knows is question_unknown at once", async () => {
    const { bridge } = await start();
    expect(await codeOf(bridge.question("q_0000000000000000000000"))).toBe("question_unknown");
  });

  it("O01 every ask is one new message, posted before anybody waits for it", async () => {
    const { bridge, channel } = await start();
    await bridge.ask(SHIP);
    await bridge.ask({ ...SHIP, text: "Ship the other?" });
    await eventually(() => expect(channel.messages).toHaveLength(2));
    expect(new Set(channel.messages.map(({ id }) => id)).size).toBe(2);
    expect(channel.messages.map(({ view }) => view.state.kind)).toEqual(["open", "open"]);
  });
});

describe("how long", () => {
  it("B203 O40 O45 an expiry is a value, the same however often it is read, and no choice", async () => {
    const { bridge, channel, clock } = await start();
    const question = await bridge.ask({ ...SHIP, timeout: "60s" });
    await eventually(() => expect(channel.messages).toHaveLength(1));
    await eventually(async () => expect((await question.record()).expiresAt).not.toBeNull());
    clock.advance(60_000);
    const outcome = await question.outcome();
    expect(outcome).toMatchObject({ status: "expired" });
    for (const absent of ["value", "values", "by", "fallback"]) expect(outcome).not.toHaveProperty(absent);
    expect(await question.outcome()).toEqual(outcome);
    expect(await question.cancel()).toEqual(outcome);
  });

  it("O39 an asker that leaves and comes back reads the answer given in between", async () => {
    const { bridge, channel, clock } = await start();
    const question = await bridge.ask(SHIP);
    await eventually(() => expect(channel.messages).toHaveLength(1));
    const gone = new AbortController();
    const waiting = question.outcome({ signal: gone.signal }).catch((error: unknown) => error);
    gone.abort();
    await waiting;
    clock.advance(1_000_000);
    await channel.press("Hold", "1");
    expect(await (await bridge.question(question.id)).outcome()).toMatchObject({ status: "answered", value: "Hold" });
  });

  it("O79 the result of an ended question is read in full much later", async () => {
    const { bridge, channel, clock } = await start();
    const question = await bridge.ask(SHIP);
    await eventually(() => channel.press("Ship", "1"));
    const outcome = await question.outcome();
    clock.advance(86_400_000);
    expect(await (await bridge.question(question.id)).outcome()).toEqual(outcome);
  });

  it("B190 timers and listeners do not grow with the number of waits", async () => {
    const { bridge, channel, clock } = await start({ caps: { perPrincipal: 10_000, perPerson: 10_000 } });
    const counted = (): number => clock.timers + process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
    const first = await bridge.ask(SHIP);
    await eventually(() => expect(channel.messages).toHaveLength(1));
    const single = first.outcome();
    await eventually(async () => expect((await first.record()).expiresAt).not.toBeNull());
    const before = counted();
    const questions = await Promise.all(Array.from({ length: 100 }, () => bridge.ask({ ...SHIP, timeout: "1h" })));
    const waits = Promise.all(questions.map((question) => question.outcome()));
    expect(counted() - before).toBeLessThan(10);
    await Promise.all([first, ...questions].map((question) => question.cancel()));
    expect((await waits).every(({ status }) => status === "cancelled")).toBe(true);
    expect((await single).status).toBe("cancelled");
  });
});
