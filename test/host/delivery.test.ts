import { afterEach, describe, expect, it } from "vitest";
import type { SendResult } from "../../src/ports/channel.js";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";
import { PaperChannel } from "../fixtures/paper-channel.js";

let opened: PaperBridge | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});
const start = async (...args: Parameters<typeof openPaperBridge>): Promise<PaperBridge> => {
  opened = await openPaperBridge(...args);
  return opened;
};
const SHIP = { to: "alice", text: "Ship?", options: ["Ship", "Hold"], timeout: "10m" } as const;
const lost = (): SendResult => ({ status: "unknown", message: "the connection was reset" });
const refusedAs =
  (code: "blocked" | "not_member"): (() => SendResult) =>
  () => ({ status: "refused", code, message: `the platform says ${code}` });
const waitFor =
  (afterMs: number, scope: "conversation" | "account" = "conversation"): (() => SendResult) =>
  () => ({ status: "later", afterMs, scope, code: "rate_limited", message: "asked to wait" });

describe("delivery of prompts", () => {
  it("R10 B033 B094 a refused person is undelivered at once with the reason, never expired", async () => {
    const { bridge, channel } = await start();
    channel.planned.send.push(refusedAs("blocked"));
    const outcome = await (await bridge.ask(SHIP)).outcome();
    expect(outcome).toMatchObject({ status: "undelivered", failures: [{ code: "blocked", message: "the platform says blocked" }] });
    expect(channel.sends).toHaveLength(1);
  });

  it("R10 one of two copies shown is enough; B096 a refusal there does not touch other questions", async () => {
    const { bridge, channel } = await start();
    channel.planned.send.push(refusedAs("not_member"));
    const question = await bridge.ask({ ...SHIP, to: "ops" });
    await eventually(() => channel.press("Ship", "2").then(() => expect(channel.messages).toHaveLength(1)));
    expect(await question.outcome()).toMatchObject({ status: "answered" });
  });

  it("R23 B025 a lost send is looked for and adopted: one prompt, same message", async () => {
    const { bridge, channel } = await start();
    channel.planned.send.push((_order, post) => {
      post();
      return lost();
    });
    const question = await bridge.ask(SHIP);
    await eventually(async () => expect((await question.record()).deliveries[0]?.status).toBe("shown"));
    expect(channel.messages).toHaveLength(1);
    expect(channel.sends).toHaveLength(1);
    await channel.press("Hold", "1");
    expect(await question.outcome()).toMatchObject({ value: "Hold" });
  });

  it("R23 B025 a lost send that was never carried out is sent again once it is known to be absent", async () => {
    const { bridge, channel } = await start();
    channel.planned.send.push(lost);
    const question = await bridge.ask(SHIP);
    await eventually(async () => expect((await question.record()).deliveries[0]?.status).toBe("shown"));
    expect(channel.messages).toHaveLength(1);
    expect(new Set(channel.sends.map(({ nonce }) => nonce)).size).toBe(1);
  });

  it("R23 B025 where the platform cannot tell, one labelled repeat; a press on the first copy after the end reads the outcome and closes it", async () => {
    const channel = new PaperChannel("telegram", { canFind: false });
    const { bridge } = await start({ channel });
    channel.planned.send.push((_order, post) => {
      post();
      return lost();
    });
    const question = await bridge.ask(SHIP);
    await eventually(() => expect(channel.messages).toHaveLength(2));
    const [first, repeat] = channel.messages;
    expect(repeat?.view.repeat).toBe("Shown again (the first may not have arrived)");
    await channel.press("Ship", "1");
    expect(await question.outcome()).toMatchObject({ value: "Ship" });
    await eventually(() => expect(repeat?.view.state.kind).toBe("ended"));
    expect(first?.view.state.kind).toBe("open");
    await channel.press("Hold", "1", {
      token: first?.view.options[1]?.token ?? "",
      message: { id: first?.id ?? "", order: first?.id ?? "" },
    });
    await eventually(() => expect(first?.view.state).toEqual({ kind: "ended", line: "Ship · Alice Wong, 14:00" }));
    await eventually(() => expect(channel.words.at(-1)?.text).toBe("You already answered: Ship."));
  });

  it("R24 a press on a copy whose send was lost answers and takes that message over", async () => {
    const channel = new PaperChannel("telegram", { canFind: false });
    const { bridge } = await start({ channel });
    channel.planned.send.push((_order, post) => {
      post();
      return lost();
    }, lost);
    const question = await bridge.ask(SHIP);
    await eventually(() => expect(channel.sends).toHaveLength(2));
    await eventually(async () => expect((await question.record()).deliveries.map(({ status }) => status)).toEqual(["unknown", "unknown"]));
    await channel.press("Ship", "1");
    expect(await question.outcome()).toMatchObject({ value: "Ship" });
    await eventually(() => expect(channel.messages[0]?.view.state.kind).toBe("ended"));
  });

  it("B099 B100 429 waits as long as stated, for the whole conversation; others go on", async () => {
    const { bridge, channel, clock } = await start();
    channel.planned.send.push(waitFor(40_000));
    await bridge.ask(SHIP);
    await eventually(() => expect(channel.sends).toHaveLength(1));
    await bridge.ask(SHIP);
    await bridge.ask({ ...SHIP, to: "bob" });
    await eventually(() => expect(channel.messages.map(({ conversation }) => conversation)).toEqual(["dm-2"]));
    clock.advance(39_000);
    expect(channel.sends.filter(({ conversation }) => conversation === "dm-1")).toHaveLength(1);
    clock.advance(1_001);
    await eventually(() => {
      clock.advance(100);
      expect(channel.messages.filter(({ conversation }) => conversation === "dm-1")).toHaveLength(2);
    });
  });

  it("B101 a wait beyond the question's delivery time is undelivered now", async () => {
    const { bridge, channel } = await start();
    channel.planned.send.push(waitFor(10_072_000));
    expect(await (await bridge.ask(SHIP)).outcome()).toMatchObject({ status: "undelivered", failures: [{ code: "rate_limited" }] });
  });

  it("R10 O05 a channel that stays down ends the tries when their time is over", async () => {
    const { bridge, channel, clock } = await start();
    for (let index = 0; index < 40; index += 1)
      channel.planned.locate.push({ status: "later", afterMs: 1_000, scope: "account", code: "unreachable", message: "down" });
    const question = await bridge.ask({ ...SHIP, deliverWithin: "60s" });
    const outcome = question.outcome();
    await eventually(async () => {
      clock.advance(5_000);
      expect(await Promise.race([outcome, new Promise((resolve) => setTimeout(() => resolve(undefined), 5))])).toMatchObject({
        status: "undelivered",
        failures: [{ code: "unreachable" }],
      });
    });
    expect(channel.messages).toHaveLength(0);
  });

  it("B024 a cancel while the prompt is being sent closes it after the send returned", async () => {
    const { bridge, channel } = await start();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    channel.planned.send.push(async (_order, post) => {
      await held;
      return post();
    });
    const question = await bridge.ask(SHIP);
    await eventually(() => expect(channel.sends).toHaveLength(1));
    expect(await question.cancel()).toMatchObject({ status: "cancelled" });
    release();
    await eventually(() => expect(channel.messages[0]?.view.state.kind).toBe("ended"));
    await eventually(async () => expect((await question.record()).deliveries[0]?.status).toBe("closed"));
  });

  it("R26 closing is tried until it is done", async () => {
    const { bridge, channel, clock } = await start();
    const question = await bridge.ask(SHIP);
    await eventually(() => expect(channel.messages).toHaveLength(1));
    channel.planned.redraw.push(
      { status: "unknown", message: "reset" },
      { status: "later", afterMs: 2_000, scope: "conversation", code: "rate_limited", message: "wait" },
    );
    await channel.press("Ship", "1");
    await question.outcome();
    await eventually(() => {
      clock.advance(1_000);
      expect(channel.messages[0]?.view.state.kind).toBe("ended");
    });
  });

  it("B106 a prompt that was deleted leaves the answer valid and is not tried again", async () => {
    const { bridge, channel } = await start();
    const question = await bridge.ask(SHIP);
    await eventually(() => expect(channel.messages).toHaveLength(1));
    channel.planned.redraw.push({ status: "gone", message: "message not found" });
    await channel.press("Ship", "1");
    expect(await question.outcome()).toMatchObject({ value: "Ship" });
    await eventually(async () => expect((await question.record()).deliveries[0]?.status).toBe("closed"));
    expect(channel.words.at(-1)?.text).toBe("Recorded: Ship.");
  });

  it("R27 a subject of several parts: the controls' message comes last, and a restart between parts goes on with the next one", async () => {
    const first = await start();
    let release = (): void => undefined;
    first.channel.planned.send.push(
      (_order, post) => post(),
      () =>
        new Promise<SendResult>((resolve) => {
          release = () => resolve({ status: "later", afterMs: 1, scope: "conversation", code: "unreachable", message: "down" });
        }),
    );
    const question = await first.bridge.ask({
      kind: "approval",
      to: "alice",
      text: "Apply?",
      timeout: "10m",
      subject: { type: "command", body: "x".repeat(2_000) },
    });
    await eventually(() => expect(first.channel.sends.map(({ part }) => part)).toEqual([0, 1]));
    release();
    opened = await first.restart();
    await eventually(() => {
      opened?.clock.advance(1_000);
      expect(first.channel.messages.map(({ part }) => part)).toEqual([0, 1]);
    });
    expect((await opened.bridge.question(question.id)).id).toBe(question.id);
  });

  it("B029 two copies of one person at the same moment are two rows, each sent once", async () => {
    const { bridge, channel } = await start();
    await Promise.all(Array.from({ length: 20 }, () => bridge.ask(SHIP)));
    await eventually(() => expect(channel.messages).toHaveLength(20));
    expect(new Set(channel.sends.map(({ nonce }) => nonce)).size).toBe(20);
    expect(channel.sends).toHaveLength(20);
  });
});
