/** What is shown once, end to end: several accounts in one bridge, places that do not exist, replies that cannot be read. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CHANNEL_MODULES } from "../../adapters/registry.js";
import { type OpenBridge, openBridge } from "../../src/app/bridge.js";
import { configOf } from "../../src/app/config.js";
import { DiscordSimulator } from "../../src/testing/sim/discord/simulator.js";
import { SlackSimulator } from "../../src/testing/sim/slack/simulator.js";
import { simulate } from "../../src/testing/simulate.js";
import { eventually } from "../fixtures/eventually.js";
import { KeptLog } from "../fixtures/kept-log.js";
import { outcomeOf, Room, WAYS } from "./room.js";

const OPTIONS = ["staging", "prod"] as const;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function bridgeOf(config: object): Promise<OpenBridge> {
  const folder = await mkdtemp(join(tmpdir(), "handraise-e2e-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const settings = configOf({ ...config, store: folder }, { modules: CHANNEL_MODULES, folder });
  const open = await openBridge(settings, { log: new KeptLog(), principal: "ci" });
  ends.push(() => open.close());
  return open;
}

describe("a place in the config that does not exist", () => {
  it.each(WAYS.filter((way) => !way.startsWith("telegram")))("B089 %s: stops the start and names the setting", async (way) => {
    const opening = Room.open(way, {
      config: (config) => ({ ...config, routes: { deploys: { to: `${way.split(" ")[0]}:#no-such`, audience: "alice" } } }),
    });
    await expect(opening).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringMatching(/routes\.deploys\.to.*#no-such/),
    });
  });
});

describe("two workspaces in one bridge", () => {
  it("B088 O60 each question is shown, pressed and closed with its own workspace's token; the other's is never used for it", async () => {
    const quick = { rateLimits: false, retryDelaysMs: [20] };
    const [one, two] = await Promise.all([
      SlackSimulator.start({ ...quick, team: "ONE" }),
      SlackSimulator.start({ ...quick, team: "TWO" }),
    ]);
    ends.push(async () => void (await Promise.all([one.stop(), two.stop()])));
    const alice = { one: one.person("alice"), two: two.person("alice") };
    const { bridge } = await bridgeOf({
      accounts: { one: { ...one.account() }, two: { ...two.account() } },
      people: { alice: { name: "Alice", one: alice.one.userId, two: alice.two.userId } },
    });
    const room = two.channelNamed("releases", { members: ["alice"] });
    const question = await bridge.ask({
      text: "In which?",
      options: OPTIONS,
      to: `two:${room.conversation}`,
      audience: "alice",
      timeout: "1h",
    });
    const prompt = await alice.two.waitsFor(({ text }) => text.includes("In which?"), { in: room });
    await alice.two.press("prod", { on: prompt, in: room });
    expect(await outcomeOf(question)).toMatchObject({ value: "prod", by: { person: "alice", account: "two" } });
    await alice.two.waitsFor(({ id, text }) => id === prompt.id && text.includes("prod · Alice"), { in: room });
    const writes = (simulator: SlackSimulator) => simulator.calls.filter(({ method }) => /^chat\./.test(method));
    expect(writes(one)).toEqual([]);
    expect(new Set(two.calls.map(({ token }) => token))).toEqual(new Set([two.account().token, two.account().appToken]));
  });
});

describe("one channel fails", () => {
  it("B039 O10 a token that is refused, at the start and later, stops that channel only and is said by its health", async () => {
    const chats = await simulate({ people: ["alice"] });
    ends.push(() => chats.stop());
    chats.discord.revokeToken();
    const open = await bridgeOf(chats.config);
    const ask = async (chat: "slack" | "telegram"): Promise<void> => {
      const person = chats.person("alice", chat);
      const question = await open.bridge.ask({ text: `By ${chat}?`, options: OPTIONS, to: `${chat}:${person.direct}`, audience: "alice" });
      const prompt = await person.waitsFor(({ text, buttons }) => text.includes(`By ${chat}?`) && buttons.length > 0);
      await person.press("prod", { on: prompt });
      expect(await outcomeOf(question)).toMatchObject({ value: "prod", by: { channel: chat } });
    };
    await ask("slack");
    await ask("telegram");
    await eventually(() => expect(open.health()["discord"]?.state).toBe("down"), 10_000);
    const checks = await open.channels.get("discord")?.check();
    expect(checks).toContainEqual(expect.objectContaining({ check: "token", ok: false, remedy: expect.any(String) }));
    chats.slack.revokeToken();
    chats.slack.resetConnections();
    await ask("telegram");
    const refused = await open.bridge.ask({
      ...{ text: "By Slack still?", options: OPTIONS, to: `slack:${chats.person("alice", "slack").direct}`, audience: "alice" },
      deliverWithin: "1s",
    });
    expect(await outcomeOf(refused)).toMatchObject({ status: "undelivered", failures: [{ code: expect.any(String) }] });
    await ask("telegram");
  });
});

describe("Discord without the message content intent", () => {
  it("R25 an empty reply gets one hint that says what to do, and the check says so", async () => {
    const room = await Room.open("discord", { messageContent: false });
    ends.push(() => room.close());
    if (room.simulator instanceof DiscordSimulator) room.simulator.replyPings = false;
    const { alice, releases, bridge, to } = room;
    const question = await bridge.ask({ text: "Can you read me?", options: OPTIONS, to, audience: "alice" });
    const prompt = await room.prompt(alice, "Can you read me?", releases);
    expect(prompt.text).toContain("reply to this and mention me: a name, 1 or 2");
    // What cannot be read meets a question by the prompt's recorded id only.
    await eventually(async () => expect((await question.record()).deliveries[0]?.status).toBe("shown"));
    await alice.types("prod", { replyTo: prompt, in: releases });
    const word = await room.told(alice, /I can't see what you wrote here, so nothing was recorded\. Mention .* or use the buttons\./, {
      place: releases,
    });
    expect(word).not.toContain("undefined");
    await alice.types("prod, please", { replyTo: prompt, in: releases });
    await alice.press("staging", { on: prompt, in: releases });
    expect(await outcomeOf(question)).toMatchObject({ value: "staging", via: "button" });
    const hints = [...alice.reads(releases), ...alice.reads()].filter(
      ({ from, text }) => from === "bot" && text.includes("I can't see what you wrote"),
    );
    expect(hints).toHaveLength(1);
    const checks = await room.parts.channels.get("discord")?.check();
    expect(checks).toContainEqual(expect.objectContaining({ check: "intents", detail: expect.stringMatching(/^message content is off/) }));
  });
});
