/** Socket Mode's connections: what breaks, what mends itself, what health says meanwhile. */
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../src/ports/channel.js";
import { eventually, RecordingIntake, RecordingLog } from "../../../src/testing/contract/bench.js";
import { show } from "../../../src/testing/contract/channel-orders.js";
import { choiceView } from "../../../src/testing/contract/views.js";
import { channelOn, gate, quickSimulator, usedBenches } from "./bench.js";

const bench = usedBenches();

/** Waits until health says this. */
function healthIs(channel: Channel, state: string): Promise<true> {
  return eventually(
    `health to be ${state}`,
    () => (channel.health().state === state ? true : undefined),
    () => channel.health(),
  );
}

describe("connections", () => {
  it("keeps two connections, and both are up", async () => {
    const { channel, simulator } = await bench();
    await healthIs(channel, "up");
    expect(simulator.sockets.connected).toBe(2);
  });

  it("B038 a connection that is accepted and then neither pings nor sends is made anew; health is degraded meanwhile", async () => {
    const { channel, simulator, intake, person } = await bench({ settings: { pingTimeoutMs: 600 } });
    await healthIs(channel, "up");
    const greeted = simulator.sockets.greeted;
    simulator.sockets.silence = "after_hello";
    await healthIs(channel, "degraded");
    expect(channel.health().reason).toContain("no sign of life");
    await eventually("fresh connections", () => (simulator.sockets.greeted >= greeted + 2 ? true : undefined));
    simulator.sockets.silence = "none";
    await healthIs(channel, "up");
    await person.types("after the silence");
    expect(await intake.waitsFor("text")).toMatchObject({ text: "after the silence" });
  });

  it("B038 a connection without hello is given up and made anew", async () => {
    const { channel, simulator } = await bench({ settings: { helloTimeoutMs: 200 } });
    simulator.sockets.silence = "before_hello";
    simulator.sockets.cut();
    await healthIs(channel, "down");
    simulator.sockets.silence = "none";
    await healthIs(channel, "up");
    expect(simulator.sockets.connected).toBe(2);
  });

  it("B039 an upgrade that answers 408 three times ends nothing; Slack is back on the next try, other channels go on", async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => {
      rejections.push(reason);
    };
    process.on("unhandledRejection", note);
    const first = await bench();
    const second = await bench({ simulator: { team: "OTHER" }, account: "other" });
    first.simulator.faults.on("socket.connect", { kind: "refuse", code: 408 }, { times: 3 });
    first.simulator.faults.on("socket.connect", { kind: "fail_before" }, { times: 3 });
    first.simulator.faults.on("apps.connections.open", { kind: "fail_before" }, { times: 2 });
    first.simulator.sockets.cut();
    await second.person.types("meanwhile");
    await second.intake.waitsFor("text");
    await healthIs(first.channel, "up");
    await first.person.types("back again");
    expect(await first.intake.waitsFor("text")).toMatchObject({ text: "back again" });
    process.off("unhandledRejection", note);
    expect(rejections).toEqual([]);
  });

  it("B048 ten lost connections are ten reconnects with growing pauses", async () => {
    const { channel, simulator } = await bench({ settings: { reconnectMinMs: 2, reconnectMaxMs: 60 } });
    const times: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      await eventually("both connections", () => (simulator.sockets.connected === 2 ? true : undefined));
      const atMs = Date.now();
      simulator.sockets.cut();
      await eventually("a loss", () => (simulator.sockets.connected < 2 ? true : undefined));
      await eventually("both connections", () => (simulator.sockets.connected === 2 ? true : undefined));
      times.push(Date.now() - atMs);
    }
    await healthIs(channel, "up");
    // From 2 ms doubling to 60 ms: the last rounds wait their 60 ms, the first did not.
    expect(Math.min(...times.slice(-3))).toBeGreaterThanOrEqual(55);
    expect(Math.min(...times.slice(0, 3))).toBeLessThan(55);
  });

  it("a refresh of one connection is followed at once, and nothing is missed", async () => {
    const { channel, simulator, intake, person } = await bench({ settings: { reconnectMinMs: 5_000, reconnectMaxMs: 5_000, stableMs: 1 } });
    await healthIs(channel, "up");
    const greeted = simulator.sockets.greeted;
    simulator.sockets.refresh("refresh_requested", 1);
    for (const word of ["one", "two", "three"]) await person.types(word);
    await intake.waitsForCount(3);
    await eventually("the new connection", () => (simulator.sockets.greeted === greeted + 1 ? true : undefined));
    await healthIs(channel, "up");
  });

  it("B037 a first delivery that is marked as a retry is taken", async () => {
    const { simulator, intake, person, channel } = await bench();
    await healthIs(channel, "up");
    simulator.sockets.cut();
    await person.types("said while no socket was open");
    expect(await intake.waitsFor("text")).toMatchObject({ text: "said while no socket was open" });
    expect(simulator.deliveries.at(-1)?.retry ?? 1).toBeGreaterThan(0);
    expect(intake.taken).toHaveLength(1);
  });

  it("B191 frames that nobody can read end nothing", async () => {
    const { simulator, intake, person, channel } = await bench();
    await healthIs(channel, "up");
    const envelope = { envelope_id: "e1", accepts_response_payload: false };
    for (const frame of [
      "not json",
      "null",
      "[]",
      JSON.stringify({ ...envelope, type: "events_api" }),
      JSON.stringify({ ...envelope, type: "events_api", payload: { event: null } }),
      JSON.stringify({ ...envelope, type: "events_api", payload: { event: { type: "message" } } }),
      JSON.stringify({ ...envelope, type: "interactive", payload: null }),
      JSON.stringify({ ...envelope, type: "interactive", payload: { type: "block_actions", actions: [{}] } }),
      JSON.stringify({ ...envelope, type: "interactive", payload: { type: "view_submission", view: null } }),
      JSON.stringify({ ...envelope, type: "something_new", payload: {} }),
    ]) {
      simulator.sockets.sendRaw(frame);
    }
    await person.types("still here");
    expect(await intake.waitsFor("text")).toMatchObject({ text: "still here" });
    await healthIs(channel, "up");
  });

  it("B042 opened and closed five times, it has one set of handlers and two connections", async () => {
    const { simulator, intake, person, channel } = await bench();
    for (let round = 0; round < 5; round += 1) {
      await channel.close();
      await eventually("no connection", () => (simulator.sockets.connected === 0 ? true : undefined));
      await channel.open(intake);
    }
    await eventually("both connections", () => (simulator.sockets.connected === 2 ? true : undefined));
    const { id } = await show({ channel }, choiceView(["Ship"]), { conversation: person.direct, direct: true });
    const result = await person.press("Ship");
    expect(result.acknowledged).toBe(true);
    expect(intake.taken).toHaveLength(1);
    expect(intake.taken[0]).toMatchObject({ kind: "press", message: { id } });
    expect(simulator.sockets.strayAcks).toEqual([]);
  });

  it("opens although Slack is out of reach, and goes live by itself when it is back", async () => {
    const simulator = await quickSimulator();
    const log = new RecordingLog();
    const intake = new RecordingIntake();
    const channel = await channelOn(simulator, { log });
    simulator.faults.on("auth.test", { kind: "server_error", status: 503 }, { times: 2 });
    await channel.open(intake);
    expect(channel.health()).toMatchObject({ state: "down", reason: "Slack is out of reach" });
    await healthIs(channel, "up");
    expect(channel.botName).toBe("acme");
    await channel.close();
    await simulator.stop();
  });

  it("refuses to open with an app token that Slack refuses", async () => {
    const simulator = await quickSimulator();
    const channel = await channelOn(simulator, { log: new RecordingLog(), settings: { appToken: "xapp-wrong" } });
    await expect(channel.open(new RecordingIntake())).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("appToken"),
    });
    expect(simulator.sockets.connected).toBe(0);
    await simulator.stop();
  });

  it("a close lets what is being stored end and confirms it; what comes later is not taken", async () => {
    const { simulator, intake, person, channel } = await bench();
    const stored = gate();
    intake.says(async () => {
      await stored.opened;
      return { kind: "taken" };
    });
    await person.types("in work");
    await intake.waitsFor("text");
    const closing = channel.close();
    await person.types("too late");
    stored.open();
    await closing;
    expect(intake.taken.map((input) => (input.kind === "text" ? input.text : input.kind))).toEqual(["in work"]);
    await eventually("the confirmation", () => simulator.deliveries.find(({ outcome }) => outcome === "acknowledged"));
  });
});
