/** What is sent and drawn: cases of cases/platforms.md and questions.md by their ids. */
import { describe, expect, it } from "vitest";
import { eventually } from "../../../src/testing/contract/bench.js";
import { redrawOrder, seenBy, sendOrder, show } from "../../../src/testing/contract/channel-orders.js";
import { choiceView, endedView } from "../../../src/testing/contract/views.js";
import { eventBody } from "../../../src/testing/sim/slack/payloads.js";
import { usedBenches } from "./bench.js";

const bench = usedBenches();
const TWO = choiceView(["Ship", "Hold"]);

describe("sends and drawings", () => {
  it("B025 B026 a send whose response was lost is found by its marker, in a channel and in a thread, once", async () => {
    const { channel, simulator, person, room, thread } = await bench();
    for (const place of [room, thread]) {
      for (let other = 0; other < 3; other += 1) await show({ channel }, TWO, place);
      const order = sendOrder(TWO, place);
      const attemptedAtMs = Date.now();
      simulator.faults.on("chat.postMessage", { kind: "drop_response" });
      expect(await channel.send(order)).toMatchObject({ status: "unknown" });
      const found = await channel.find({ ...order, attemptedAtMs });
      const shown = person.reads(place).filter(({ from, onlyTo }) => from === "bot" && onlyTo === undefined);
      expect(found).toMatchObject({ status: "found", message: { id: shown.at(-1)?.id } });
      expect(await channel.find({ ...sendOrder(TWO, place), attemptedAtMs })).toEqual({ status: "absent" });
    }
    expect(simulator.callsOf("conversations.replies").length).toBeGreaterThan(0);
  });

  it("B055 a closing edit that is refused as too long is followed by one shorter edit without buttons", async () => {
    const { channel, simulator, person, direct } = await bench();
    const view = choiceView(["Ship", "Hold"], { text: [{ text: "b".repeat(2_990) }] });
    const { id } = await show({ channel }, view, direct);
    simulator.faults.on("chat.update", { kind: "refuse", code: "msg_blocks_too_long" });
    expect(await channel.redraw(redrawOrder(endedView(view, "Ship · P1, 14:03"), direct, id))).toEqual({ status: "done" });
    expect(simulator.callsOf("chat.update")).toHaveLength(2);
    const message = seenBy(person, direct, id);
    expect(message.buttons).toEqual([]);
    expect(message.text).toContain("Ship · P1, 14:03");
  });

  it("B052 B061 options of many bytes and of 500 characters are delivered, and their presses name their tokens", async () => {
    const { channel, intake, person, direct } = await bench();
    const view = choiceView(["Ж".repeat(33), "漢".repeat(22), "🚀".repeat(16), "v".repeat(500)]);
    const { id } = await show({ channel }, view, direct);
    const entry = seenBy(person, direct, id).menu[3];
    expect((await person.picks([entry?.label ?? ""])).acknowledged).toBe(true);
    expect(await intake.waitsFor("press")).toMatchObject({ token: view.options[3]?.token });
  });

  it("B083 a thread's prompt has its thread_ts, no broadcast, no previews; its drawing stays there", async () => {
    const { channel, simulator, room } = await bench();
    const place = { ...room, thread: "1700000000.000100" };
    const { id } = await show({ channel }, TWO, place);
    const [post] = simulator.callsOf("chat.postMessage");
    expect(post?.body).toMatchObject({
      channel: room.conversation,
      thread_ts: "1700000000.000100",
      unfurl_links: "false",
      unfurl_media: "false",
    });
    expect(post?.body).not.toHaveProperty("reply_broadcast");
    expect(await channel.redraw(redrawOrder(endedView(TWO, "Ship"), place, id))).toEqual({ status: "done" });
    expect(simulator.callsOf("chat.update")[0]?.body).toMatchObject({ channel: room.conversation, ts: id });
  });

  it("B088 each workspace is served with its own token", async () => {
    const one = await bench();
    const two = await bench({ simulator: { team: "TWO" }, account: "two" });
    const { id } = await show(two, TWO, two.direct);
    await two.person.press("Ship");
    expect(await two.intake.waitsFor("press")).toMatchObject({ account: "two" });
    await two.channel.redraw(redrawOrder(endedView(TWO, "Ship"), two.direct, id));
    const tokens = new Set(two.simulator.calls.filter(({ method }) => method !== "apps.connections.open").map(({ token }) => token));
    expect([...tokens]).toEqual([two.simulator.account().token]);
    expect(one.simulator.callsOf("chat.update")).toEqual([]);
    expect(one.intake.taken).toEqual([]);
  });

  it("B088 an event of another workspace is not confirmed, and health names it", async () => {
    const { channel, simulator, intake, person } = await bench({ simulator: { retryDelaysMs: [] } });
    const event = { type: "message", channel: person.direct, user: person.userId, text: "hi", ts: simulator.workspace.nextTs() };
    simulator.deliverEvent({ ...eventBody(simulator.workspace, event), team_id: "T9", authorizations: [{ team_id: "T9" }] });
    await eventually("health to name it", () => (channel.health().reason?.includes("another workspace") ? true : undefined));
    expect(intake.taken).toEqual([]);
    await eventually("the end of the delivery", () => simulator.deliveries.find(({ outcome }) => outcome === "timeout"));
  });

  it("B089 a name is looked up over all pages; one that does not exist is refused by its name", async () => {
    const { channel, simulator } = await bench();
    for (let count = 0; count < 450; count += 1) simulator.channelNamed(`#filler-${count}`);
    const late = simulator.channelNamed("#zz-late");
    expect(await channel.locate({ kind: "place", conversation: "#zz-late", thread: "1700000000.000100" })).toEqual({
      status: "found",
      conversation: late.conversation,
      direct: false,
      thread: "1700000000.000100",
    });
    expect(await channel.locate({ kind: "place", conversation: "#no-such" })).toMatchObject({
      status: "refused",
      code: "not_found",
      message: expect.stringContaining("#no-such"),
    });
    expect(await channel.locate({ kind: "place", conversation: "releases" })).toMatchObject({ status: "refused", code: "not_found" });
  });

  it("B096 missing membership and an archived channel are final and named; the next channel works", async () => {
    const { channel, simulator, room } = await bench();
    const outside = simulator.channelNamed("#outside", { botIsMember: false });
    const old = simulator.channelNamed("#old");
    simulator.archive(old);
    expect(await channel.send(sendOrder(TWO, { ...outside, direct: false }))).toMatchObject({ status: "refused", code: "not_member" });
    expect(await channel.send(sendOrder(TWO, { ...old, direct: false }))).toMatchObject({ status: "refused", code: "archived" });
    expect(await channel.send(sendOrder(TWO, { conversation: "C0NOWHERE", direct: false }))).toMatchObject({
      status: "refused",
      code: "not_found",
    });
    expect(await channel.send(sendOrder(TWO, room))).toMatchObject({ status: "shown" });
  });

  it("B099 B100 a rate limit tells the stated wait for its channel; another channel is served at once", async () => {
    const { channel, simulator, room, direct } = await bench();
    simulator.faults.on("chat.postMessage", { kind: "rate_limit", retryAfterS: 3 });
    expect(await channel.send(sendOrder(TWO, room))).toMatchObject({
      status: "later",
      afterMs: 3_000,
      scope: "conversation",
      code: "rate_limited",
    });
    expect(simulator.callsOf("chat.postMessage")).toHaveLength(1);
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "shown" });
    expect(await channel.send(sendOrder(TWO, room))).toMatchObject({ status: "shown" });
  });

  it("B106 drawing on a prompt that was deleted is gone, told once, and nothing loops", async () => {
    const { channel, simulator, person, direct } = await bench();
    const { id } = await show({ channel }, TWO, direct);
    simulator.deleteMessage(seenBy(person, direct, id));
    expect(await channel.redraw(redrawOrder(endedView(TWO, "Ship"), direct, id))).toMatchObject({ status: "gone" });
    expect(simulator.callsOf("chat.update")).toHaveLength(1);
  });

  it("B112 a spent response_url is replaced by an ephemeral message; the closing edit never uses one", async () => {
    const { channel, simulator, intake, person, room } = await bench();
    const { id } = await show({ channel }, TWO, room);
    await person.press("Ship", { in: room });
    const { handle = "" } = await intake.waitsFor("press");
    const notice = { ...room, userId: person.userId, aboutMessageId: id, tone: "calm", handle } as const;
    for (const code of ["expired_url", "used_url"]) {
      simulator.faults.on("response_url", { kind: "refuse", code });
      expect(await channel.notify({ ...notice, text: `word after ${code}` })).toEqual({ status: "done" });
      await person.waitsFor(({ text, onlyTo }) => text === `word after ${code}` && onlyTo === person.userId, { in: room });
    }
    expect(simulator.callsOf("chat.postEphemeral")).toHaveLength(2);
    for (let use = 0; use < 7; use += 1) expect(await channel.notify({ ...notice, text: `use ${use}` })).toEqual({ status: "done" });
    expect(await channel.redraw(redrawOrder(endedView(TWO, "Ship · Alice, 14:03"), room, id))).toEqual({ status: "done" });
    expect(simulator.callsOf("chat.update")).toHaveLength(1);
  });

  it("a response_url of anybody else is not called", async () => {
    const { channel, simulator, person, direct } = await bench();
    const notice = { ...direct, userId: person.userId, tone: "calm", text: "word", handle: "http://127.0.0.1:9/elsewhere" } as const;
    expect(await channel.notify(notice)).toEqual({ status: "done" });
    expect(simulator.callsOf("chat.postEphemeral")).toHaveLength(1);
  });
});
