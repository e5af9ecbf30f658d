import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createBridge } from "../../src/app/bridge.js";
import type { BridgeConfig } from "../../src/client/types.js";
import { type SimulateOptions, type Simulation, simulate, simulationSnapshot } from "../../src/testing/simulate.js";

const CHATS = ["slack", "discord", "telegram"] as const;

describe("simulate", () => {
  const running: Simulation[] = [];
  const start = async (options: SimulateOptions): Promise<Simulation> => {
    const chats = await simulate(options);
    running.push(chats);
    return chats;
  };
  beforeEach(() => {
    vi.stubEnv("HANDRAISE_LOG", "warn");
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await Promise.all(running.splice(0).map((chats) => chats.stop()));
  });

  it("gives a config that createBridge takes, and a person who answers wherever the question turns up", async () => {
    const chats = await start({ people: ["alice"] });
    const config: BridgeConfig = chats.config;
    const bridge = await createBridge(config);
    const question = await bridge.ask({ text: "Ship?", options: ["prod", "staging"] });
    const pressed = await chats.person("alice").press("prod");
    expect(pressed.acknowledged).toBe(true);
    expect(await question.outcome({ within: "10s" })).toMatchObject({ status: "answered", value: "prod", by: { person: "alice" } });
    const written = await bridge.ask({ to: `telegram:${chats.person("alice", "telegram").direct}`, audience: "alice", text: "Why?" });
    const prompt = await chats.person("alice").waitsFor(({ text }) => text.includes("Why?"));
    await chats.person("alice").types("because", { replyTo: prompt });
    expect(await written.outcome({ within: "10s" })).toMatchObject({ status: "answered", value: "because", by: { channel: "telegram" } });
    await bridge.close();
  });

  it("makes shared conversations in every chat, with their members", async () => {
    const chats = await start({ people: ["alice", "bob"], channels: { releases: ["alice"] } });
    for (const chat of CHATS) {
      const [kind, conversation = ""] = chats.place("releases", chat).split(":");
      expect(kind).toBe(chat);
      expect(chats.person("alice", chat).reads({ conversation })).toEqual([]);
      await chats.person("alice", chat).types("hello", { in: { conversation } });
      expect(chats.person("alice", chat).reads({ conversation })).toHaveLength(1);
    }
  });

  it.each(CHATS)("goes on from a snapshot of %s: people, messages, and ids that never repeat", async (chat) => {
    const first = await start({ people: ["alice"], channels: { releases: ["alice"] } });
    const before = first.person("alice", chat);
    await before.types("one");
    await before.types("two");
    const snapshot = simulationSnapshot.parse(JSON.parse(JSON.stringify(first.snapshot())));
    const second = await start({ people: ["alice"], channels: { releases: ["alice"] }, restore: snapshot });
    const after = second.person("alice", chat);
    expect([after.userId, after.direct]).toEqual([before.userId, before.direct]);
    expect(after.reads()).toEqual(before.reads());
    expect(second.place("releases", chat)).toBe(first.place("releases", chat));
    await after.types("three");
    const ids = after.reads().map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect([...ids].sort((a, b) => Number(a) - Number(b))).toEqual(ids);
    expect(second.snapshot()[chat]).not.toEqual(snapshot[chat]);
  });

  it("keeps what Telegram's bot has not confirmed, as Telegram does", async () => {
    const first = await start({ people: ["alice"] });
    await first.person("alice", "telegram").types("not fetched yet");
    const second = await start({ people: ["alice"], restore: first.snapshot() });
    expect(second.telegram.pendingUpdates).toEqual(first.telegram.pendingUpdates);
    expect(second.telegram.pendingUpdates).toHaveLength(1);
  });

  it("keeps Discord's sessions and port, so that a bot resumes and gets what it missed", async () => {
    const first = await start({ people: ["alice"] });
    const bridge = await createBridge(first.config);
    const question = await bridge.ask({
      to: `discord:${first.person("alice", "discord").direct}`,
      audience: "alice",
      text: "Ship?",
      options: ["yes please", "no"],
    });
    await first.person("alice", "discord").waitsFor(({ buttons }) => buttons.length > 0);
    await bridge.close();
    const { store } = first.config;
    await first.person("alice", "discord").types("yes please");
    const snapshot = first.snapshot();
    await first.discord.stop();
    const second = await start({ people: ["alice"], restore: snapshot, folder: store });
    expect(second.discord.account().apiUrl).toBe(first.discord.account().apiUrl);
    const again = await createBridge(second.config);
    const outcome = await (await again.question(question.id)).outcome({ within: "10s" });
    expect(outcome).toMatchObject({ status: "answered", value: "yes please", via: "text" });
    const resumed = second.discord.calls.filter(({ method }) => method === "gateway RESUME").map(({ outcome: how }) => how);
    expect(resumed).toEqual(["ok"]);
    await again.close();
  });

  it("says which chats a person looked in when nothing came", async () => {
    const chats = await start({ people: ["alice"] });
    await expect(chats.person("alice").press("nowhere", { withinMs: 50 })).rejects.toThrow(/alice waited 50 ms.*alice waited 50 ms/);
  });
});
