/** The gateway connection: resuming, mending, giving up. Case ids: shared/cases. */
import { afterEach, describe, expect, it } from "vitest";
import type { Input } from "../../../src/core/input.js";
import { eventually } from "../../../src/testing/contract/bench.js";
import { choose, seenBy, show } from "../../../src/testing/contract/channel-orders.js";
import { choiceView, tokenOn } from "../../../src/testing/contract/views.js";
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
const methods = ({ simulator }: DiscordBench, method: string) => simulator.calls.filter((call) => call.method === method);
const up = ({ channel }: DiscordBench) =>
  eventually(
    "health to say up",
    () => (channel.health().state === "up" ? true : undefined),
    () => channel.health(),
  );

describe("resuming", () => {
  it("B049 after a drop the session is resumed, and what happened in the gap comes", async () => {
    const bench = await open();
    const { person, direct, intake, simulator } = bench;
    const { id } = await show(bench, TWO, direct);
    await person.types("before");
    await intake.waitsFor("text");
    simulator.gateway.cut();
    const pressing = choose(person, seenBy(person, direct, id), SHIP);
    await person.types("in the gap");
    await intake.waitsFor("press");
    await intake.waitsFor("text", isText("in the gap"));
    await pressing;
    expect(methods(bench, "gateway IDENTIFY")).toHaveLength(1);
    expect(methods(bench, "gateway RESUME").map(({ outcome }) => outcome)).toEqual(["ok"]);
    const ids = new Set(intake.taken.map((input) => input.id));
    expect(ids.size).toBe(3);
  });

  it("B049 an orderly restart resumes too and gets what was missed while it was down", async () => {
    const bench = await open();
    const { channel, person, intake } = bench;
    await person.types("before");
    await intake.waitsFor("text");
    await channel.close();
    await person.types("while it was down");
    const next = await bench.again();
    await next.open(intake);
    await intake.waitsFor("text", isText("while it was down"));
    expect(methods(bench, "gateway IDENTIFY")).toHaveLength(1);
    expect(methods(bench, "gateway RESUME").map(({ outcome }) => outcome)).toEqual(["ok"]);
  });

  it("B049 an address to resume at that is gone is not tried for ever: the session is resumed at the main one", async () => {
    const bench = await open();
    const { channel, person, intake, memory } = bench;
    await person.types("before");
    await intake.waitsFor("text");
    await channel.close();
    const kept = JSON.parse(memory.values.get("gateway") ?? "{}") as Record<string, unknown>;
    // Nothing listens on this port: the platform moved the session's host.
    memory.values.set("gateway", JSON.stringify({ ...kept, resumeURL: "ws://127.0.0.1:9/" }));
    await person.types("while it was down");
    const next = await bench.again();
    await next.open(intake);
    await intake.waitsFor("text", isText("while it was down"));
    expect(methods(bench, "gateway RESUME").map(({ outcome }) => outcome)).toEqual(["ok"]);
  });

  it("after kill -9 the restart resumes from what was stored, not from what was received", async () => {
    const bench = await open();
    const { channel, person, intake, memory } = bench;
    await person.types("stored");
    await intake.waitsFor("text");
    const release = intake.hold();
    await person.types("received, not stored");
    await person.types("received after it");
    // The process's memory as a crash would leave it: the messages above are still being stored.
    await eventually("the place in the stream to be stored", () => memory.values.get("gateway"));
    const crashed = new Map(memory.values);
    release();
    await channel.close();
    memory.values.clear();
    for (const [key, value] of crashed) memory.values.set(key, value);
    intake.taken.splice(0);
    const next = await bench.again();
    await next.open(intake);
    await intake.waitsFor("text", isText("received, not stored"));
    await intake.waitsFor("text", isText("received after it"));
    expect(methods(bench, "gateway RESUME").at(-1)?.outcome).toBe("ok");
  });

  it("a message that cannot be stored holds the place in the stream until it is", async () => {
    const bench = await open();
    const { person, intake, memory } = bench;
    const sequence = (): number => Number(/"sequence":(\d+)/.exec(memory.values.get("gateway") ?? "")?.[1] ?? "0");
    await person.types("first");
    await intake.waitsFor("text");
    const release = intake.hold();
    await person.types("second");
    simulatorNoise(bench);
    await eventually("a stored place", () => (sequence() > 0 ? true : undefined));
    const held = sequence();
    release();
    await intake.waitsFor("text", isText("second"));
    await eventually("the place to move on", () => (sequence() > held ? true : undefined), sequence);
  });

  it("a session the gateway has forgotten is replaced by a new one", async () => {
    const bench = await open();
    const { person, intake, simulator } = bench;
    simulator.gateway.endSessions();
    simulator.gateway.cut();
    await eventually("a new session", () => (methods(bench, "gateway IDENTIFY").length === 2 ? true : undefined));
    await up(bench);
    await person.types("after");
    await intake.waitsFor("text");
    expect(methods(bench, "gateway RESUME").map(({ outcome }) => outcome)).toEqual(["invalid session"]);
  });

  it("another choice of intents starts a session of its own", async () => {
    const bench = await open();
    const { channel, memory } = bench;
    await channel.close();
    memory.values.set("gateway", (memory.values.get("gateway") ?? "").replace(/"intents":\d+/, '"intents":1'));
    const next = await bench.again();
    await next.open(bench.intake);
    expect(methods(bench, "gateway IDENTIFY")).toHaveLength(2);
  });

  it("a broken memory is as good as none", async () => {
    const bench = await open();
    await bench.channel.close();
    bench.memory.values.set("gateway", '{"sessionId":"x","resumeURL":"file:///etc","sequence":1,"intents":37377}');
    const next = await bench.again();
    await next.open(bench.intake);
    expect(next.health().state).toBe("up");
    expect(methods(bench, "gateway RESUME")).toEqual([]);
  });
});

/** An event of no interest. */
function simulatorNoise({ simulator }: DiscordBench): void {
  simulator.gateway.dispatchRaw("TYPING_START", { user_id: simulator.world.bot.id });
}

describe("mending", () => {
  it("B048 ten drops in a row: ten reconnections with growing pauses, no exit", async () => {
    const bench = await open({ settings: { reconnectMinMs: 4, reconnectMaxMs: 200, stableAfterMs: 60_000 } });
    const { simulator, person, intake } = bench;
    const at: number[] = [];
    for (let drop = 0; drop < 10; drop += 1) {
      await up(bench);
      const before = methods(bench, "gateway RESUME").length;
      simulator.gateway.cut();
      const started = Date.now();
      await eventually("the next connection", () => (methods(bench, "gateway RESUME").length > before ? true : undefined));
      at.push(Date.now() - started);
    }
    await up(bench);
    const pauses = bench.log.lines
      .filter(({ message }) => message.includes("connection closed"))
      .map(({ facts }) => Number(facts["pauseMs"]));
    expect(pauses).toEqual([0, 4, 8, 16, 32, 64, 128, 200, 200, 200]);
    for (const [drop, tookMs] of at.entries()) expect(tookMs).toBeGreaterThanOrEqual(pauses[drop] ?? 0);
    await person.types("still here");
    await intake.waitsFor("text");
  });

  it("B038 a connection that says nothing is replaced, and health tells", async () => {
    const bench = await open({ settings: { helloTimeoutMs: 200 } });
    const { channel, simulator } = bench;
    simulator.gateway.mute = true;
    simulator.gateway.cut();
    await eventually("health to tell", () => (channel.health().state === "up" ? undefined : channel.health().state));
    await eventually("the silent connection", () => (simulator.gateway.sockets > 0 ? true : undefined));
    simulator.gateway.mute = false;
    await up(bench);
  });

  it("B038 a connection that says hello and then nothing is replaced by one other, which resumes", async () => {
    const bench = await open({ settings: { helloTimeoutMs: 150 } });
    const { simulator, person, intake } = bench;
    simulator.gateway.stalled = true;
    simulator.gateway.cut();
    const restarts = () => bench.log.lines.filter(({ message }) => message.includes("made anew")).length;
    await eventually("two replacements", () => (restarts() >= 2 ? true : undefined), restarts);
    simulator.gateway.stalled = false;
    await up(bench);
    await person.types("after it");
    await intake.waitsFor("text");
    expect(simulator.gateway.sockets).toBe(1);
    expect(methods(bench, "gateway IDENTIFY")).toHaveLength(1);
  });

  it("a zombie connection, whose heartbeats are not acknowledged, is replaced by a resumed one", async () => {
    const bench = await open({ simulate: { heartbeatMs: 100 } });
    const { simulator, person, intake } = bench;
    simulator.gateway.deaf = true;
    await eventually("a resume", () => (methods(bench, "gateway RESUME").length > 0 ? true : undefined));
    simulator.gateway.deaf = false;
    await up(bench);
    await person.types("alive");
    await intake.waitsFor("text");
  });

  it("B042 five starts and stops leave one connection, and one handling of a message", async () => {
    const bench = await open();
    const { channel, intake, simulator, person } = bench;
    for (let round = 0; round < 5; round += 1) {
      await channel.close();
      await channel.open(intake);
    }
    await person.types("once");
    await intake.waitsFor("text");
    await person.types("marker");
    await intake.waitsFor("text", isText("marker"));
    expect(intake.taken.filter(isText("once"))).toHaveLength(1);
    expect(simulator.gateway.sockets).toBe(1);
  });

  it("closing during a reconnection leaves no connection behind", async () => {
    const bench = await open({ settings: { reconnectMinMs: 300 } });
    const { channel, simulator } = bench;
    simulator.gateway.cut();
    await eventually("the drop to be seen", () => (channel.health().state === "up" ? undefined : true));
    await channel.close();
    const next = await bench.again();
    await next.open(bench.intake);
    await bench.person.types("after");
    await bench.intake.waitsFor("text");
    expect(simulator.gateway.sockets).toBe(1);
  });

  it("a platform out of reach at the start: open resolves, health says down, and it comes up by itself", async () => {
    const bench = await open();
    const { simulator, intake } = bench;
    await bench.channel.close();
    simulator.faults.on("GET /users/@me", { kind: "server_error", status: 503 }, { times: 2 });
    simulator.faults.on("GET /gateway/bot", { kind: "fail_before" }, { times: 2 });
    const next = await bench.again();
    await next.open(intake);
    expect(next.health().state).toBe("down");
    await eventually(
      "it to come up",
      () => (next.health().state === "up" ? true : undefined),
      () => next.health(),
    );
    await bench.person.types("there you are");
    await intake.waitsFor("text");
  });
});

describe("refused for good", () => {
  it("4014: names the setting and the remedy", async () => {
    const bench = await open();
    await bench.channel.close();
    bench.memory.values.clear();
    bench.simulator.allowMessageContent(false);
    const next = await bench.again();
    await expect(next.open(bench.intake)).rejects.toMatchObject({
      code: "config_invalid",
      detail: expect.stringMatching(/accounts\.discord\.messageContent.*Developer Portal.*messageContent: false/),
    });
    expect(next.health().state).toBe("down");
  });

  it("a token revoked while running: health says so, and Discord is not asked again and again", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    simulator.revokeToken();
    await eventually("health to say down", () => (channel.health().state === "down" ? true : undefined));
    expect(channel.health().reason).toContain("token");
    await channel.locate({ kind: "user", userId: person.userId });
    const before = simulator.calls.length;
    for (let times = 0; times < 3; times += 1) await channel.locate({ kind: "place", conversation: direct.conversation });
    expect(simulator.calls).toHaveLength(before);
  });
});
