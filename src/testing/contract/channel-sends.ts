/** The channel contract, what goes out: CH30 to CH45. */
import { expect, it } from "vitest";
import type { SendResult } from "../../ports/channel.js";
import { type ChannelBench, eventually, everything, simPlace } from "./bench.js";
import { redrawOrder, seenBy, sendOrder, show } from "./channel-orders.js";
import { choiceView, endedView } from "./views.js";

const TWO = choiceView(["Ship", "Hold"]);
const ENDED = endedView(TWO, "Ship · Alice Wong, 14:03");

/** Registers CH30 to CH45; `open` gives a fresh bench. */
export function sendClauses(open: () => Promise<ChannelBench>): void {
  fateClauses(open);
  refusalClauses(open);
  placeClauses(open);
}

function fateClauses(open: () => Promise<ChannelBench>): void {
  it("CH30 a send that was carried out but whose response was lost is unknown, is not repeated, and is found where the platform can", async () => {
    const bench = await open();
    const { channel, simulator, person, direct, methods } = bench;
    const order = sendOrder(TWO, direct);
    const attemptedAtMs = Date.now();
    simulator.faults.on(methods.send, { kind: "drop_response" });
    expect(await channel.send(order)).toMatchObject({ status: "unknown" });
    const shown = person.reads(simPlace(direct)).filter(({ from }) => from === "bot");
    expect(shown).toHaveLength(1);
    const found = await channel.find({ ...order, attemptedAtMs });
    if (channel.supports.find) expect(found).toMatchObject({ status: "found", message: { id: shown[0]?.id } });
    else expect(found).toEqual({ status: "cannot" });
  });

  it("CH31 a send that was not carried out and whose response was lost is unknown, and is absent where the platform can tell", async () => {
    const bench = await open();
    const { channel, simulator, person, direct, methods } = bench;
    const order = sendOrder(TWO, direct);
    const attemptedAtMs = Date.now();
    simulator.faults.on(methods.send, { kind: "fail_before" });
    expect(await channel.send(order)).toMatchObject({ status: "unknown" });
    expect(person.reads(simPlace(direct)).filter(({ from }) => from === "bot")).toEqual([]);
    expect(await channel.find({ ...order, attemptedAtMs })).toEqual({ status: channel.supports.find ? "absent" : "cannot" });
  });

  it("CH32 a server error on a send is unknown and is not repeated", async () => {
    const bench = await open();
    const { channel, simulator, direct, methods } = bench;
    const before = simulator.calls.filter(({ method }) => method === methods.send).length;
    simulator.faults.on(methods.send, { kind: "server_error", status: 502 });
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "unknown" });
    expect(simulator.calls.filter(({ method }) => method === methods.send)).toHaveLength(before + 1);
  });

  it("CH33 a rate limit is told with the platform's own wait, and nothing is shown", async () => {
    const bench = await open();
    const { channel, simulator, person, direct, methods } = bench;
    simulator.faults.on(methods.send, { kind: "rate_limit", retryAfterS: 40 });
    const sent = await channel.send(sendOrder(TWO, direct));
    expect(sent).toMatchObject({ status: "later", code: "rate_limited" });
    expect(sent.status === "later" && sent.afterMs >= 40_000 && sent.afterMs < 60_000).toBe(true);
    expect(person.reads(simPlace(direct)).filter(({ from }) => from === "bot")).toEqual([]);
  });

  it("CH34 a rate limit on a drawing is told with the wait, and the message stays as it was", async () => {
    const bench = await open();
    const { channel, simulator, person, direct, methods } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on(methods.edit, { kind: "rate_limit", retryAfterS: 40 });
    const drawn = await channel.redraw(redrawOrder(ENDED, direct, id));
    expect(drawn).toMatchObject({ status: "later" });
    expect(drawn.status === "later" && drawn.afterMs >= 40_000).toBe(true);
    expect(seenBy(person, direct, id).text).not.toContain("Ship · Alice Wong");
  });

  it("CH35 a drawing whose response was lost is unknown; drawing again is done", async () => {
    const bench = await open();
    const { channel, simulator, person, direct, methods } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on(methods.edit, { kind: "drop_response" });
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toMatchObject({ status: "unknown" });
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toEqual({ status: "done" });
    expect(seenBy(person, direct, id).text).toContain("Ship · Alice Wong, 14:03");
  });

  it("CH36 calls about one message are made in the order they were asked for", async () => {
    const bench = await open();
    const { channel, simulator, person, direct, methods } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on(methods.edit, { kind: "delay", ms: 150 });
    const first = channel.redraw(redrawOrder({ ...TWO, frame: ["drawn first"] }, direct, id));
    const second = channel.redraw(redrawOrder(ENDED, direct, id));
    expect(await Promise.all([first, second])).toEqual([{ status: "done" }, { status: "done" }]);
    expect(seenBy(person, direct, id).text).toContain("Ship · Alice Wong, 14:03");
    expect(seenBy(person, direct, id).buttons).toEqual([]);
  });
}

function refusalClauses(open: () => Promise<ChannelBench>): void {
  it("CH37 a refused destination is final, with one of our codes", async () => {
    const bench = await open();
    const { channel, simulator, room, methods } = bench;
    for (const { fault, code } of bench.refusals) {
      simulator.faults.on(methods.send, fault);
      const sent: SendResult = await channel.send(sendOrder(TWO, room));
      expect(sent, JSON.stringify(fault)).toMatchObject({ status: "refused", code });
    }
  });

  it("CH38 a person who blocked the bot is refused as blocked", async () => {
    const { channel, simulator, person, direct } = await open();
    simulator.blockBot(person.name);
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "refused", code: "blocked" });
  });

  it("CH39 a revoked token shows in health, refuses sends and makes the next open fail", async () => {
    const bench = await open();
    const { channel, simulator, direct, intake } = bench;
    simulator.revokeToken();
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "refused", code: "unauthenticated" });
    await eventually(
      "health to show it",
      () => (channel.health().state === "up" ? undefined : true),
      () => channel.health(),
    );
    await channel.close();
    const next = await bench.again();
    await expect(next.open(intake)).rejects.toMatchObject({ code: "config_invalid" });
  });

  it("CH40 drawing on a deleted message is gone", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.deleteMessage(seenBy(person, direct, id));
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toMatchObject({ status: "gone" });
  });

  it("CH41 drawing the same twice is done", async () => {
    const bench = await open();
    const { channel, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toEqual({ status: "done" });
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toEqual({ status: "done" });
  });

  it("CH42 credentials are in no log, error or result", async () => {
    const bench = await open();
    const { channel, simulator, direct, log, methods, intake } = bench;
    const results: unknown[] = [];
    for (const fault of [
      { kind: "drop_response" },
      { kind: "server_error", status: 500 },
      { kind: "refuse", code: 403, message: "no" },
    ] as const) {
      simulator.faults.on(methods.send, fault);
      results.push(await channel.send(sendOrder(TWO, direct)));
    }
    results.push(await channel.check(), channel.health());
    simulator.resetConnections();
    simulator.revokeToken();
    await channel.close();
    results.push(await (await bench.again()).open(intake).catch((error: unknown) => error));
    const printed = `${everything(results)}\n${log.text()}`;
    expect(bench.secrets.length).toBeGreaterThan(0);
    for (const secret of bench.secrets) expect(printed.includes(secret)).toBe(false);
  });
}

function placeClauses(open: () => Promise<ChannelBench>): void {
  it("CH43 a user is located as the direct chat; a place as itself; an unknown name is not found", async () => {
    const { channel, person, direct, room, unknownName } = await open();
    expect(await channel.locate({ kind: "user", userId: person.userId })).toEqual({
      status: "found",
      conversation: direct.conversation,
      direct: true,
    });
    expect(await channel.locate({ kind: "place", conversation: room.conversation })).toEqual({
      status: "found",
      conversation: room.conversation,
      direct: false,
    });
    expect(await channel.locate({ kind: "place", conversation: unknownName })).toMatchObject({ status: "refused", code: "not_found" });
  });

  it("CH44 a prompt for a thread or topic stays there, and so does its drawing", async () => {
    const bench = await open();
    const { channel, person, room, thread } = bench;
    const { id } = await show(bench, TWO, thread);
    expect(seenBy(person, thread, id).text).toContain("Where does this release go?");
    expect(person.reads(simPlace(room)).some((message) => message.id === id && message.thread === undefined)).toBe(false);
    expect(await channel.redraw(redrawOrder(ENDED, thread, id))).toEqual({ status: "done" });
    expect(seenBy(person, thread, id).text).toContain("Ship · Alice Wong, 14:03");
  });

  it("CH45 a notice about a typed reply reaches its place and mentions nobody", async () => {
    const bench = await open();
    const { channel, intake, person, thread } = bench;
    const prompt = await show(bench, TWO, thread);
    await person.types("maybe", { replyTo: seenBy(person, thread, prompt.id), in: simPlace(thread) });
    const typed = await intake.waitsFor("text");
    const notice = await channel.notify({
      text: `I can't read that as an answer: "@everyone <!channel> *maybe* <b>". Reply Ship, Hold, 1 or 2.`,
      ...thread,
      userId: person.userId,
      aboutMessageId: typed.message.id,
      tone: "alert",
    });
    expect(notice).toEqual({ status: "done" });
    const seen = await person.waitsFor(({ text }) => text.includes("Reply Ship, Hold, 1 or 2."), { in: simPlace(thread) });
    expect(seen.text).toContain(`"@everyone <!channel> *maybe* <b>"`);
    expect(seen.mentions).toEqual([]);
  });
}
