/** People and accounts that are taken out of the config of a bridge that runs. */
import { afterEach, describe, expect, it } from "vitest";
import type { BridgeSettings } from "../../src/app/config.js";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge, paperSettings } from "../fixtures/paper-bridge.js";

const HOUR_MS = 3_600_000;
const SHIP = { to: "ops", text: "Ship?", options: ["Ship", "Hold"], timeout: "1h" } as const;
const opened: PaperBridge[] = [];
afterEach(async () => {
  for (const bridge of opened.splice(0).reverse()) await bridge.end();
});
async function start(): Promise<PaperBridge> {
  const bridge = await openPaperBridge();
  opened.push(bridge);
  return bridge;
}
const shown = (bridge: PaperBridge, count: number): Promise<void> =>
  eventually(async () => {
    expect(bridge.channel.messages).toHaveLength(count);
    expect(await bridge.store.copiesSending()).toEqual([]);
  });
const settings = ({ folder }: PaperBridge): BridgeSettings => paperSettings(folder);
const withoutBob = (bridge: PaperBridge): BridgeSettings => {
  const { bob: _bob, ...people } = settings(bridge).people;
  return { ...settings(bridge), people, roles: { ops: ["alice"] } };
};
const wordsTo = (bridge: PaperBridge) => bridge.channel.words.map(({ text }) => text);

describe("taken out of the running config", () => {
  it("X09 a person taken out between prompt and press is refused, and the question stays open for the others", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask(SHIP);
    await shown(bridge, 2);
    const bobs = bridge.channel.pressOn("Hold", "2");
    await bridge.reload(withoutBob(bridge));
    await bridge.channel.deliver(bobs);
    await eventually(() => expect(wordsTo(bridge)).toEqual(["This is for Alice Wong. Nothing was changed."]));
    expect((await question.record()).status).toBe("open");
    await bridge.channel.types("Ship", "1");
    expect(await question.outcome()).toMatchObject({ status: "answered", value: "Ship", by: { person: "alice" } });
  });

  it("X09 R16 a person taken out after the press was stored, before it is handed to the gateway, is refused as well", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask(SHIP);
    await shown(bridge, 2);
    const taken = bridge.channel.press("Hold", "2"); // stored by now or later; never committed before the next line
    const reloaded = bridge.reload(withoutBob(bridge));
    await Promise.all([taken, reloaded]);
    await eventually(async () => expect(await bridge.store.unsettledInputs(10)).toEqual([]));
    expect((await question.record()).status).toBe("open");
  });

  it("X09 the gateway refuses a submission of somebody who is no longer of the audience, whoever hands it in", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask(SHIP);
    await bridge.reload(withoutBob(bridge));
    const receipt = await bridge.gateway.resolve({
      question: question.id as never,
      resolutionId: "r_late" as never,
      value: "Ship",
      actor: { account: "telegram", userId: "2", name: "Bob", channel: "telegram" },
      place: null,
      via: "button",
      receivedAtMs: bridge.clock.now(),
    });
    expect(receipt).toMatchObject({ status: "refused", code: "not_allowed" });
    expect((await question.record()).status).toBe("open");
  });

  it("R12 a visitor is refused from the end on, on a prompt that was shown before it", async () => {
    const bridge = await start();
    const { bob, ...others } = settings(bridge).people;
    if (bob === undefined) throw new Error("no bob");
    await bridge.reload({ ...settings(bridge), people: { ...others, bob: { ...bob, untilMs: bridge.clock.now() + HOUR_MS / 2 } } });
    const question = await bridge.bridge.ask(SHIP);
    await shown(bridge, 2);
    bridge.clock.advance(HOUR_MS / 2);
    await bridge.channel.press("Hold", "2");
    await eventually(() => expect(wordsTo(bridge)).toHaveLength(1));
    expect((await question.record()).status).toBe("open");
  });

  it("an account taken out closes its channel, refuses its inputs, and fails the copies that wait with a code of their own", async () => {
    const bridge = await start();
    bridge.channel.planned.locate.push({ status: "later", afterMs: 1_000, scope: "conversation", code: "unreachable", message: "slow" });
    const waiting = await bridge.bridge.ask({ ...SHIP, to: "alice", text: "Later?" });
    await eventually(() => expect(bridge.channel.planned.locate).toEqual([]));
    const shownOne = await bridge.bridge.ask({ ...SHIP, to: "bob" });
    await shown(bridge, 1);
    const press = bridge.channel.pressOn("Ship", "2");
    const change = await bridge.reload({ ...settings(bridge), accounts: {} });
    expect(change).toMatchObject({ removed: ["telegram"], applied: ["accounts.telegram removed"], restart: [] });
    expect(bridge.channel.health().state).toBe("down");
    expect([...bridge.channels.keys()]).toEqual([]);
    await expect(bridge.channel.deliver(press)).rejects.toThrow("the channel is closed");
    bridge.clock.advance(1_000);
    expect(await waiting.outcome()).toMatchObject({
      status: "undelivered",
      failures: [{ code: "account_removed", message: "The account telegram is not in the config." }],
    });
    expect((await shownOne.record()).status).toBe("open");
    await expect(bridge.bridge.ask(SHIP)).rejects.toMatchObject({ code: "unsupported" });
    // The prompt that is out there is not looked at again and again.
    await shownOne.cancel();
    await eventually(async () => expect((await bridge.store.nextDue()).copyMs).toBeGreaterThan(bridge.clock.now()));
  });

  it("a channel that still delivers after its account was taken out is told so", async () => {
    const bridge = await start();
    await bridge.bridge.ask({ ...SHIP, to: "bob" });
    await shown(bridge, 1);
    const press = bridge.channel.pressOn("Ship", "2");
    bridge.channel.close = () => Promise.resolve(); // one that lingers
    await bridge.reload({ ...settings(bridge), accounts: {} });
    await expect(bridge.channel.deliver(press)).rejects.toMatchObject({ code: "authority_stale" });
    expect(await bridge.store.unsettledInputs(10)).toEqual([]);
  });

  it("the defaults of an ask change with the config; what was made at the start is named as needing a restart", async () => {
    const bridge = await start();
    const next: BridgeSettings = {
      ...settings(bridge),
      accounts: { ...settings(bridge).accounts, discord: { kind: "discord", settings: {} } },
      defaults: { to: "bob", timeout: "2h", language: "de", timezone: "UTC" },
      listen: { host: "127.0.0.1", port: 1 },
    };
    expect(await bridge.reload(next)).toMatchObject({
      applied: ["defaults.to added", "defaults.timeout added"],
      restart: ["accounts.discord added", "defaults.language changed", "listen changed"],
    });
    const question = await bridge.bridge.ask({ text: "Which way?" });
    await shown(bridge, 1);
    expect(bridge.channel.messages[0]?.conversation).toBe("dm-2");
    expect(Date.parse((await question.record()).expiresAt ?? "")).toBe(bridge.clock.now() + 2 * HOUR_MS);
    expect(await bridge.reload(next)).toMatchObject({ applied: [] });
  });
});
