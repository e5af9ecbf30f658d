import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";

let opened: PaperBridge | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});
const SHIP = { to: "alice", text: "Ship?", options: ["Ship", "Hold"], timeout: "10m", key: "k1" } as const;
const shown = (bridge: PaperBridge): Promise<void> =>
  eventually(async () => {
    const open = await bridge.bridge.list();
    expect(open.length).toBeGreaterThan(0);
    expect(open.flatMap(({ deliveries }) => deliveries).every(({ status }) => status === "shown")).toBe(true);
  });

describe("restarts, redelivery and time", () => {
  it("B108 O47 R33 a question outlives the bridge: the press after a restart answers, the asker resumes by key", async () => {
    opened = await openPaperBridge();
    const { id } = await opened.bridge.ask(SHIP);
    await shown(opened);
    opened = await opened.restart();
    await opened.channel.press("Ship", "1");
    const resumed = await opened.bridge.question({ key: "k1" });
    expect(resumed.id).toBe(id);
    expect(await resumed.outcome()).toMatchObject({ status: "answered", value: "Ship" });
    expect(opened.channel.messages).toHaveLength(1);
  });

  it("R21 B005 O51 the same platform event again, after a restart too, is one answer and one confirmation", async () => {
    opened = await openPaperBridge();
    const question = await opened.bridge.ask(SHIP);
    await shown(opened);
    const press = opened.channel.pressOn("Hold", "1");
    await opened.channel.deliver(press);
    expect(await question.outcome()).toMatchObject({ value: "Hold" });
    await eventually(() => expect(opened?.channel.words).toHaveLength(1));
    await opened.channel.deliver(press);
    opened = await opened.restart();
    expect(await opened.channel.deliver(press)).toEqual({ kind: "taken" });
    const { events } = await opened.store.events({ id: 0, limit: 100 });
    expect(events.filter(({ type }) => type === "question.answered")).toHaveLength(1);
    expect(opened.channel.words).toHaveLength(1);
  });

  it("R2 B157 an answer strictly before the deadline counts although no timer fired; one at it does not", async () => {
    opened = await openPaperBridge();
    const question = await opened.bridge.ask({ ...SHIP, timeout: "60s" });
    await shown(opened);
    opened.clock.jump(60_000);
    await opened.channel.press("Ship", "1");
    await eventually(() => expect(opened?.channel.words.at(-1)?.text).toBe("Too late: time ran out at 14:01 and nobody answered."));
    opened.clock.advance(30_000);
    expect(await question.outcome()).toMatchObject({ status: "expired" });
  });

  it("B163 O42 what ran out while the bridge was down ends at the start, with one event; the press after it is late", async () => {
    opened = await openPaperBridge();
    const question = await opened.bridge.ask({ ...SHIP, timeout: "60s" });
    await shown(opened);
    const press = opened.channel.pressOn("Ship", "1");
    await opened.close();
    opened.clock.jump(240_000);
    opened = await opened.restart();
    const resumed = await opened.bridge.question(question.id);
    expect((await resumed.record()).status).toBe("expired");
    await opened.channel.deliver(press);
    await eventually(() => expect(opened?.channel.words.at(-1)?.text).toContain("Too late: time ran out"));
    const { events } = await opened.store.events({ id: 0, limit: 100 });
    expect(events.filter(({ type }) => type === "question.expired")).toHaveLength(1);
  });

  it("B166 R8 a clock that slept past the deadline is noticed within 30 s; one that jumps back shortens nothing", async () => {
    opened = await openPaperBridge();
    const slept = await opened.bridge.ask({ ...SHIP, key: "slept" });
    const back = await opened.bridge.ask({ ...SHIP, key: "back", timeout: "3h" });
    await shown(opened);
    const before = (await back.record()).expiresAt;
    opened.clock.jump(2 * 3_600_000);
    opened.clock.advance(30_000);
    expect(await slept.outcome()).toMatchObject({ status: "expired" });
    opened.clock.jump(-3 * 3_600_000);
    opened.clock.advance(30_000);
    expect((await back.record()).expiresAt).toBe(before);
    expect((await back.record()).status).toBe("open");
    expect((await slept.record()).status).toBe("expired");
  });

  it("B156 a life of 30 days neither ends at once nor arms a timer of its own", async () => {
    opened = await openPaperBridge();
    const { bridge } = opened;
    const questions = await Promise.all(
      Array.from({ length: 30 }, (_, index) => bridge.ask({ ...SHIP, key: `k${index}`, timeout: "30d" })),
    );
    await shown(opened);
    const timers = opened.clock.timers;
    expect(timers).toBeLessThan(10);
    opened.clock.advance(1_000);
    expect((await questions[0]?.record())?.status).toBe("open");
    opened.clock.jump(30 * 86_400_000);
    opened.clock.advance(30_000);
    expect(await questions[0]?.outcome()).toMatchObject({ status: "expired" });
  });

  it("R33 B026 a copy cut short while it was sent is looked for before anything is sent in its place", async () => {
    opened = await openPaperBridge({ shared: true });
    const { channel } = opened;
    let release = (): void => undefined;
    channel.planned.send.push((_order, post) => {
      post();
      // The process dies before the response is read.
      return new Promise((resolve) => {
        release = () => resolve({ status: "unknown", message: "the process died" });
      });
    });
    const question = await opened.bridge.ask(SHIP);
    await eventually(() => expect(channel.messages).toHaveLength(1));
    const copied = opened.store;
    const [sending] = await copied.copiesSending();
    expect(sending?.copy.state).toBe("sending");
    // A second life on the same rows, as after a kill: what was in memory is gone.
    const next = await openPaperBridge({ folder: opened.folder, channel, fakeClock: opened.clock, shared: true });
    try {
      await eventually(async () => expect((await (await next.bridge.question(question.id)).record()).deliveries[0]?.status).toBe("shown"));
      expect(channel.messages).toHaveLength(1);
      expect(channel.sends).toHaveLength(1);
    } finally {
      release();
      await next.close();
    }
  });

  it("R33 replies written while the bridge was down are read back and answer", async () => {
    opened = await openPaperBridge();
    const question = await opened.bridge.ask(SHIP);
    await shown(opened);
    const { kind: _kind, token: _token, ...common } = opened.channel.pressOn("Ship", "1");
    opened.channel.missed = [{ ...common, id: "missed", kind: "text", text: "2", message: { id: "999999999999", order: "999999999999" } }];
    opened = await opened.restart();
    expect(await (await opened.bridge.question(question.id)).outcome()).toMatchObject({ value: "Hold", via: "text" });
  });

  it("B159 a wait's own limit ends only that wait", async () => {
    opened = await openPaperBridge();
    const question = await opened.bridge.ask(SHIP);
    await shown(opened);
    const wait = question.outcome({ within: "10s" });
    await eventually(async () => {
      opened?.clock.advance(2_000);
      expect(await Promise.race([wait, new Promise((resolve) => setTimeout(() => resolve("waiting"), 2))])).toEqual({
        status: "open",
        id: question.id,
      });
    });
    await opened.channel.press("Ship", "1");
    expect(await question.outcome()).toMatchObject({ value: "Ship" });
  });

  it("T33 an aborted wait rejects with its reason and leaves the question open", async () => {
    opened = await openPaperBridge();
    const question = await opened.bridge.ask(SHIP);
    const controller = new AbortController();
    const wait = question.outcome({ signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(wait).rejects.toThrow("enough");
    expect((await question.record()).status).toBe("open");
  });

  it("a wait that the bridge's stop ends says how to go on", async () => {
    opened = await openPaperBridge();
    const question = await opened.bridge.ask(SHIP);
    const wait = question.outcome().catch((error: unknown) => String(error));
    await opened.close();
    expect(await wait).toContain("[bridge_unreachable]");
  });

  it("R4 collected is marked when the outcome was handed over, not by a read", async () => {
    opened = await openPaperBridge();
    const question = await opened.bridge.ask(SHIP);
    await shown(opened);
    await opened.channel.press("Ship", "1");
    await eventually(async () => expect((await question.record()).status).toBe("answered"));
    const { store } = opened;
    expect((await store.events({ id: 0, limit: 100 })).events.map(({ type }) => type)).not.toContain("question.collected");
    await question.outcome();
    await eventually(async () =>
      expect((await store.events({ id: 0, limit: 100 })).events.map(({ type }) => type)).toContain("question.collected"),
    );
  });
});
