/** What comes over the gateway, with and without the message content intent. Case ids: shared/cases. */
import { afterEach, describe, expect, it } from "vitest";
import type { Input } from "../../../src/core/input.js";
import { eventually, simPlace } from "../../../src/testing/contract/bench.js";
import { choose, seenBy, show } from "../../../src/testing/contract/channel-orders.js";
import { choiceView, textView, tokenOn } from "../../../src/testing/contract/views.js";
import { type DiscordBench, openBench } from "./bench.js";

const TWO = choiceView(["Ship", "Hold"]);
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

const isText =
  (text: string) =>
  (input: Input): boolean =>
    input.kind === "text" && input.text === text;

describe("what comes", () => {
  it("B086 a message of a direct chat never seen before, without channel_type, is taken", async () => {
    const bench = await open();
    const carol = bench.simulator.person("Carol");
    await carol.types("2");
    expect(await bench.intake.waitsFor("text")).toMatchObject({
      text: "2",
      direct: true,
      conversation: carol.direct,
      sender: { userId: carol.userId },
    });
  });

  it("B151 nothing written by a bot is an input: other bots, our own messages and edits", async () => {
    const bench = await open();
    const { simulator, room, person, intake } = bench;
    const { id } = await show(bench, TWO, room);
    simulator.otherBotTypes("Ship", room, seenBy(person, room, id));
    await person.types("marker", { in: simPlace(room) });
    await intake.waitsFor("text", isText("marker"));
    expect(intake.taken).toHaveLength(1);
  });

  it("B191 B192 strange events, unknown kinds and broken payloads are skipped; the next press is taken", async () => {
    const bench = await open();
    const { simulator, person, direct, intake } = bench;
    const { id } = await show(bench, TWO, direct);
    for (const payload of [
      null,
      {},
      { id: 7 },
      { id: "1", type: 3, token: "x", data: null },
      { type: 99 },
      { message: { thread: null } },
    ]) {
      simulator.gateway.dispatchRaw("INTERACTION_CREATE", Object(payload));
      simulator.gateway.dispatchRaw("MESSAGE_CREATE", Object(payload));
      simulator.gateway.dispatchRaw("GUILD_CREATE", Object(payload));
      simulator.gateway.dispatchRaw("SOMETHING_NEW_2027", Object(payload));
    }
    simulator.gateway.sendRaw({ op: 0, t: 7, s: "x", d: null });
    simulator.gateway.sendRaw({ op: 77 });
    simulator.gateway.sendRaw([1, 2]);
    await choose(person, seenBy(person, direct, id), SHIP);
    expect(await intake.waitsFor("press")).toMatchObject({ token: SHIP });
    expect(bench.channel.health().state).toBe("up");
  });

  it("B191 a host that throws does not end the intake", async () => {
    const bench = await open();
    const { person, direct, intake } = bench;
    const { id } = await show(bench, TWO, direct);
    let thrown = 0;
    intake.says(() => {
      thrown += 1;
      if (thrown < 3) throw new Error("host fault");
      return { kind: "taken" };
    });
    await person.types("goes wrong twice");
    await eventually("the third try", () => (thrown >= 3 ? true : undefined));
    await choose(person, seenBy(person, direct, id), SHIP);
    await intake.waitsFor("press");
  });

  it("messages of one channel are stored in the order they came", async () => {
    const bench = await open();
    const { person, intake } = bench;
    intake.failNext(2);
    await person.types("1");
    await person.types("2");
    await person.types("3");
    await intake.waitsForCount(3);
    expect(intake.taken.map((input) => (input.kind === "text" ? input.text : ""))).toEqual(["1", "2", "3"]);
  });

  it("a message in a thread that was never announced is resolved to its parent", async () => {
    const bench = await open();
    const { channel, person, thread, intake, memory } = bench;
    await channel.close();
    const resumed = await bench.again();
    expect(memory.values.get("gateway")).toContain("sessionId");
    await resumed.open(intake);
    await person.types("under it", { in: simPlace(thread) });
    expect(await intake.waitsFor("text")).toMatchObject({ conversation: thread.conversation, thread: thread.thread });
  });

  it("a message of a channel that is gone by now holds up nothing", async () => {
    const bench = await open();
    const { simulator, person, intake } = bench;
    const place = simulator.channelNamed("#gone");
    simulator.faults.on("GET /channels/:id", { kind: "refuse", code: 10003 });
    await person.types("lost place", { in: place });
    expect(await intake.waitsFor("text")).toMatchObject({ text: "lost place", conversation: place.conversation });
    simulator.faults.on("GET /channels/:id", { kind: "server_error", status: 502 });
    const other = simulator.channelNamed("#slow");
    await person.types("looked up again", { in: other });
    await intake.waitsFor("text", isText("looked up again"));
  });

  it("a forwarded message is unreadable and answers nothing", async () => {
    const bench = await open();
    const { person, direct, intake } = bench;
    const { id } = await show(bench, TWO, direct);
    await person.forwards(seenBy(person, direct, id), { conversation: person.direct });
    const input = await intake.waitsFor("unreadable");
    expect(input.why).toBe("forwarded");
    expect(input).not.toHaveProperty("replyTo");
  });
});

describe("without the message content intent", () => {
  const without = { simulate: { messageContent: false }, settings: { messageContent: false } } as const;

  it("buttons and direct messages work, a loose message in a server is unreadable, one that mentions the bot is read", async () => {
    const bench = await open(without);
    const { person, room, intake, simulator } = bench;
    await person.types("direct works");
    await intake.waitsFor("text", isText("direct works"));
    const { id } = await show(bench, textView(), room);
    await person.types("nobody can read this", { in: simPlace(room) });
    expect(await intake.waitsFor("unreadable")).toMatchObject({ why: "empty", conversation: room.conversation });
    await person.types("Ship", { replyTo: seenBy(person, room, id), in: simPlace(room) });
    expect(await intake.waitsFor("text", isText("Ship"))).toMatchObject({ replyTo: id });
    await person.types(`<@${simulator.world.bot.id}> Hold`, { in: simPlace(room) });
    await intake.waitsFor("text", isText("Hold"));
  });

  it("health and doctor say so", async () => {
    const bench = await open(without);
    expect(bench.channel.health()).toMatchObject({ state: "up", reason: expect.stringContaining("message content is off") });
    const checks = await bench.channel.check();
    expect(checks.find(({ check }) => check === "intents")).toMatchObject({
      ok: true,
      detail: expect.stringContaining("message content is off"),
    });
  });
});
