/** Doctor, settings and secrets. Case ids: shared/cases. */
import { afterEach, describe, expect, it } from "vitest";
import { discordChannel } from "../../../adapters/channels/discord/index.js";
import { everything } from "../../../src/testing/contract/bench.js";
import { choose, seenBy, show } from "../../../src/testing/contract/channel-orders.js";
import { choiceView, tokenOn } from "../../../src/testing/contract/views.js";
import { type DiscordBench, openBench } from "./bench.js";

const TWO = choiceView(["Ship", "Hold"], {}, { other: true });
const SHIP = tokenOn("choice", { kind: "option", index: 0 });

const benches: DiscordBench[] = [];
async function open(options?: Parameters<typeof openBench>[0]): Promise<DiscordBench> {
  const bench = await openBench(options);
  benches.push(bench);
  return bench;
}
afterEach(async () => {
  await Promise.all(benches.splice(0).map((bench) => bench.stop()));
});

describe("doctor", () => {
  it("all is well", async () => {
    const { channel, room } = await open();
    await channel.locate({ kind: "place", conversation: room.conversation });
    const checks = await channel.check();
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.map(({ check, detail }) => [check, detail])).toEqual([
      ["token", undefined],
      ["intents", undefined],
      ["servers", "member of 1"],
      ["view", "#releases"],
      ["send", "#releases"],
      ["history", "#releases"],
    ]);
  });

  it("names the missing right and its remedy", async () => {
    const { channel, simulator, room } = await open();
    await channel.locate({ kind: "place", conversation: room.conversation });
    Object.assign(simulator.channelAt(room).bot, { history: false, send: false });
    const failed = (await channel.check()).filter(({ ok }) => !ok);
    expect(failed).toEqual([
      { check: "send", ok: false, detail: "#releases: cannot write", remedy: `Give the bot's role "Send Messages".` },
      { check: "history", ok: false, detail: "#releases: cannot read history", remedy: `Give the bot's role "Read Message History".` },
    ]);
  });

  it("names the intent and a refused token", async () => {
    const { channel, simulator } = await open();
    simulator.allowMessageContent(false);
    expect((await channel.check()).find(({ check }) => check === "intents")).toMatchObject({
      ok: false,
      remedy: expect.stringContaining("Developer Portal"),
    });
    simulator.revokeToken();
    expect(await channel.check()).toMatchObject([{ check: "token", ok: false, remedy: expect.stringContaining("Reset Token") }]);
  });
});

describe("secrets", () => {
  it("B169 neither the bot token nor an interaction's token is in a result, health or log after failures", async () => {
    const bench = await open();
    const { channel, simulator, person, room, intake, log, secrets } = bench;
    const { id } = await show(bench, TWO, room);
    await choose(person, seenBy(person, room, id), SHIP);
    const { handle = "" } = await intake.waitsFor("press");
    const token = handle.split("/")[2] ?? "";
    expect(token.length).toBeGreaterThan(20);
    const results: unknown[] = [];
    const order = { text: "word", handle, ...room, userId: person.userId, tone: "calm" } as const;
    for (const fault of [{ kind: "drop_response" }, { kind: "server_error", status: 502 }, { kind: "refuse", code: 50035 }] as const) {
      simulator.faults.on("POST /webhooks/:id/:token", fault);
      results.push(await channel.notify(order));
      simulator.faults.on("POST /interactions/:id/:token/callback", fault);
      await choose(person, seenBy(person, room, id), SHIP);
    }
    results.push(await channel.check(), channel.health());
    const printed = `${everything(results)}\n${log.text()}`;
    for (const secret of [...secrets, token]) expect(printed.includes(secret)).toBe(false);
  });

  it("settings: what is wrong is named, unknown keys are refused, the token goes nowhere in clear", () => {
    const parse = (settings: unknown) => discordChannel.settings.safeParse(settings);
    const token = "x".repeat(40);
    expect(parse({ token }).data).toMatchObject({ messageContent: true });
    expect(parse({}).error?.issues[0]?.message).toContain("token is missing");
    expect(parse({ token: " " }).error?.issues[0]?.message).toContain("Developer Portal");
    expect(parse({ token, tokn: 1 }).success).toBe(false);
    expect(parse({ token, apiUrl: "http://discord.example/api" }).success).toBe(false);
    expect(parse({ token, apiUrl: "http://127.0.0.1:9/api" }).success).toBe(true);
    expect(parse({ token, server: "acme" }).success).toBe(false);
  });
});
