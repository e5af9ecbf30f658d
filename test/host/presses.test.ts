/** Presses that come from another account, another place, another process. */
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";
import { PaperChannel } from "../fixtures/paper-channel.js";

const SHIP = { to: "alice", text: "Ship?", options: ["Ship", "Hold"], timeout: "1h" } as const;
const opened: PaperBridge[] = [];
afterEach(async () => {
  for (const bridge of opened.splice(0).reverse()) await bridge.end();
});
const start = async (...args: Parameters<typeof openPaperBridge>): Promise<PaperBridge> => {
  const bridge = await openPaperBridge(...args);
  opened.push(bridge);
  return bridge;
};
const shown = async ({ channel, store }: PaperBridge, count = 1): Promise<void> => {
  await eventually(async () => {
    expect(channel.messages).toHaveLength(count);
    expect(await store.copiesSending()).toEqual([]);
  });
};

describe("presses", () => {
  it("O32 the same user id on another bot's account is another person: refused, nothing changed", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask(SHIP);
    await shown(bridge);
    await bridge.channel.press("Ship", "1", { account: "other" });
    await eventually(async () => expect(await bridge.store.unsettledInputs(10)).toEqual([]));
    expect((await question.record()).status).toBe("open");
    await bridge.channel.press("Hold", "1");
    expect(await question.outcome()).toMatchObject({ value: "Hold", by: { account: "telegram" } });
  });

  it("O73 a press on a forwarded copy, in another chat or on another message, is told so and counts for nothing", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask(SHIP);
    await shown(bridge);
    const elsewhere = [{ conversation: "dm-77" }, { message: { id: "000000009999", order: "000000009999" } }];
    for (const [index, over] of elsewhere.entries()) {
      await bridge.channel.press("Ship", "1", over);
      await eventually(() => expect(bridge.channel.words).toHaveLength(index + 1));
      expect(bridge.channel.words.at(-1)?.text).toContain("That button belongs to another message");
    }
    expect((await question.record()).status).toBe("open");
  });

  it("O07 a control means the option it was made for, after redraws and beside newer prompts", async () => {
    const bridge = await start();
    const first = await bridge.bridge.ask({ ...SHIP, options: ["A", "B"] });
    await shown(bridge);
    const pressB = bridge.channel.pressOn("B", "1");
    await bridge.bridge.ask({ ...SHIP, options: ["B", "A"] });
    await shown(bridge, 2);
    expect(bridge.channel.messages.map(({ view }) => view.options.map(({ label }) => label))).toEqual([
      ["A", "B"],
      ["B", "A"],
    ]);
    await bridge.channel.deliver(pressB);
    expect(await first.outcome()).toMatchObject({ value: "B" });
  });

  it("O54 two processes on one store: a press that arrives at the other one finds the question, and this one reads the answer", async () => {
    const one = await start({ shared: true });
    const question = await one.bridge.ask(SHIP);
    await shown(one);
    const press = one.channel.pressOn("Hold", "1");
    const two = await start({ shared: true, folder: one.folder, channel: new PaperChannel(), fakeClock: one.clock });
    await two.channel.deliver(press);
    await eventually(async () => expect((await question.record()).status).toBe("answered"));
    expect(await question.outcome()).toMatchObject({ status: "answered", value: "Hold" });
  });
});
