/** Sending, finding, drawing, reading back, locating. Case ids: shared/cases. */
import { afterEach, describe, expect, it } from "vitest";
import { discordChannel } from "../../../adapters/channels/discord/index.js";
import { eventually, simPlace } from "../../../src/testing/contract/bench.js";
import { choose, controlsOf, redrawOrder, seenBy, sendOrder, show } from "../../../src/testing/contract/channel-orders.js";
import { approvalView, choiceView, endedView, formView, textView, tokenOn } from "../../../src/testing/contract/views.js";
import { type DiscordBench, openBench } from "./bench.js";

const TWO = choiceView(["Ship", "Hold"], {}, { other: true });
const ENDED = endedView(TWO, "Ship · Alice Wong, 14:03");
const SHIP = tokenOn("choice", { kind: "option", index: 0 });
const SEND = "POST /channels/:id/messages";
const EDIT = "PATCH /channels/:id/messages/:id";

const benches: DiscordBench[] = [];
async function open(options?: Parameters<typeof openBench>[0]): Promise<DiscordBench> {
  const bench = await openBench(options);
  benches.push(bench);
  return bench;
}
afterEach(async () => {
  await Promise.all(benches.splice(0).map((bench) => bench.stop()));
});

const callsOf = ({ simulator }: DiscordBench, method: string) => simulator.calls.filter((call) => call.method === method);
const fromBot = ({ person, direct }: DiscordBench) => person.reads(simPlace(direct)).filter(({ from }) => from === "bot");

describe("sending", () => {
  it("B025 a send whose reply was lost, tried again with its nonce, leaves one prompt", async () => {
    const bench = await open();
    const { channel, simulator, direct } = bench;
    const order = sendOrder(TWO, direct);
    simulator.faults.on(SEND, { kind: "drop_response" });
    expect(await channel.send(order)).toMatchObject({ status: "unknown" });
    const again = await channel.send(order);
    expect(fromBot(bench)).toHaveLength(1);
    expect(again).toMatchObject({ status: "shown", message: { id: fromBot(bench)[0]?.id } });
  });

  it("B026 a lost part without controls is found by its text, the one with controls by its token, others' messages never", async () => {
    const bench = await open();
    const { channel, simulator, direct, person } = bench;
    const view = approvalView({ subject: { type: "text", body: "line of text\n".repeat(300) } });
    const attemptedAtMs = Date.now();
    expect(channel.parts(view)).toBeGreaterThan(2);
    for (let part = 0; part < channel.parts(view); part += 1) {
      const order = sendOrder(view, direct, part);
      expect(await channel.find({ ...order, attemptedAtMs })).toEqual({ status: "absent" });
      simulator.faults.on(SEND, { kind: "drop_response" });
      await channel.send(order);
      const newest = fromBot(bench).at(-1);
      await person.types(newest?.text ?? "");
      expect(await channel.find({ ...order, attemptedAtMs })).toMatchObject({ status: "found", message: { id: newest?.id } });
    }
  });

  it("B070 no call lets a mention fire: send, edit, first answer, follow-up, notice, closing edit", async () => {
    const bench = await open();
    const { channel, person, room, intake, simulator } = bench;
    const nasty = "@everyone @here <@&55> <@77>";
    const view = choiceView([nasty, "Hold"], { title: nasty, text: [{ text: nasty }], frame: [nasty] }, { other: true });
    const { id } = await show(bench, view, room);
    intake.says(() => ({ kind: "word", text: nasty }));
    await choose(person, seenBy(person, room, id), tokenOn("choice", { kind: "other" }));
    await choose(person, seenBy(person, room, id), SHIP);
    await person.waitsFor(({ onlyTo, text }) => onlyTo !== undefined && text === nasty, { in: simPlace(room) });
    await channel.notify({ text: nasty, ...room, userId: person.userId, aboutMessageId: id, tone: "alert" });
    await channel.redraw(redrawOrder({ ...view, frame: ["again", nasty] }, room, id));
    await channel.redraw(redrawOrder(endedView(view, `${nasty} · Alice`), room, id));
    for (const message of person.reads(simPlace(room))) expect(message.mentions).toEqual([]);
    const bodies = simulator.calls
      .filter(({ method }) => /messages|webhooks|callback/.test(method))
      .map(({ body }) => JSON.stringify(body));
    const shown = bodies.filter((body) => body.includes('"content"'));
    expect(shown.length).toBeGreaterThanOrEqual(6);
    for (const body of shown) expect(body).toContain('"allowed_mentions":{"parse":[]');
  });

  it("every send carries its nonce with enforce_nonce", async () => {
    const bench = await open();
    const { channel, direct, person } = bench;
    await show(bench, TWO, direct);
    await channel.notify({ text: "Recorded: Ship.", ...direct, userId: person.userId, tone: "calm" });
    const sends = callsOf(bench, SEND);
    expect(sends).toHaveLength(2);
    for (const { body } of sends) {
      expect(body["enforce_nonce"]).toBe(true);
      expect(String(body["nonce"]).length).toBeLessThanOrEqual(25);
    }
  });

  it("B099 B100 the stated wait is told, holds for the conversation, and another conversation goes on", async () => {
    const bench = await open();
    const { channel, simulator, direct, room } = bench;
    // The library learns the route's bucket from its first response.
    await show(bench, TWO, room);
    simulator.faults.on(SEND, { kind: "rate_limit", retryAfterS: 40 });
    const first = await channel.send(sendOrder(TWO, room));
    expect(first).toMatchObject({ status: "later", scope: "conversation", code: "rate_limited" });
    expect(first.status === "later" && first.afterMs >= 40_000).toBe(true);
    const before = callsOf(bench, SEND).length;
    expect(await channel.send(sendOrder(TWO, room))).toMatchObject({ status: "later" });
    expect(callsOf(bench, SEND)).toHaveLength(before);
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "shown" });
  });

  it("a limit of the whole bot is told as one of the account", async () => {
    const bench = await open();
    const { channel, simulator, direct } = bench;
    simulator.faults.on(SEND, { kind: "rate_limit", retryAfterS: 3 });
    simulator.globalLimit = true;
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "later", scope: "account" });
  });

  it("B083 a prompt for a thread goes into it, and its end too", async () => {
    const bench = await open();
    const { channel, person, thread, room } = bench;
    const { id } = await show(bench, TWO, thread);
    expect(await channel.redraw(redrawOrder(ENDED, thread, id))).toEqual({ status: "done" });
    expect(seenBy(person, thread, id).text).toContain("Ship · Alice Wong, 14:03");
    expect(person.reads(simPlace(room))).toEqual([]);
  });

  it("a server that does not answer in time is unknown, one that cannot be reached is later", async () => {
    const bench = await open({ settings: { requestTimeoutMs: 100 } });
    const { channel, simulator, direct } = bench;
    simulator.faults.on(SEND, { kind: "delay", ms: 400 });
    expect(await channel.send(sendOrder(TWO, direct))).toEqual({ status: "unknown", message: "no response in time" });
    await simulator.stop();
    // A connection that was open may still die under one call.
    await channel.locate({ kind: "place", conversation: "#releases" });
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "later", scope: "account", code: "unreachable" });
  });
});

describe("drawing", () => {
  it("B055 a closing edit that is refused is followed by a shorter one that takes the controls away", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on(EDIT, { kind: "refuse", code: 50035 });
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toEqual({ status: "done" });
    const message = seenBy(person, direct, id);
    expect(controlsOf(message)).toEqual([]);
    expect(message.text).toBe("Ship · Alice Wong, 14:03");
    expect(callsOf(bench, EDIT)).toHaveLength(2);
  });

  it("B055 an open prompt whose edit is refused keeps its controls", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on(EDIT, { kind: "refuse", code: 50035 });
    expect(await channel.redraw(redrawOrder(TWO, direct, id))).toMatchObject({ status: "gone" });
    expect(controlsOf(seenBy(person, direct, id))).toHaveLength(4);
    expect(callsOf(bench, EDIT)).toHaveLength(1);
  });

  it.each([10008, 10003, 50001])("B106 a message or place that is gone (%i) is told as gone, once", async (code) => {
    const bench = await open();
    const { channel, simulator, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on(EDIT, { kind: "refuse", code });
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toMatchObject({ status: "gone" });
    expect(callsOf(bench, EDIT)).toHaveLength(1);
  });

  it("too many edits of an old message are tried later", async () => {
    const bench = await open();
    const { channel, simulator, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on(EDIT, { kind: "refuse", code: 30046, extra: { status: 400 } });
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toMatchObject({ status: "later", scope: "conversation" });
  });

  it("an archived thread is woken for the closing edit; a locked one is gone", async () => {
    const bench = await open();
    const { channel, simulator, person, thread } = bench;
    const first = await show(bench, TWO, thread);
    const second = await show(bench, TWO, thread);
    simulator.channelAt(thread).archived = true;
    expect(await channel.redraw(redrawOrder(ENDED, thread, first.id))).toEqual({ status: "done" });
    expect(seenBy(person, thread, first.id).buttons).toEqual([]);
    Object.assign(simulator.channelAt(thread), { archived: true, locked: true });
    expect(await channel.redraw(redrawOrder(ENDED, thread, second.id))).toMatchObject({ status: "gone" });
    expect(await channel.send(sendOrder(TWO, thread))).toMatchObject({ status: "refused", code: "archived" });
  });

  it("B024 drawings of one message keep their order, the shorter second try included", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on(EDIT, { kind: "refuse", code: 50035 });
    simulator.faults.on(EDIT, { kind: "delay", ms: 100 });
    const drawn = await Promise.all([
      channel.redraw(redrawOrder(endedView(TWO, "first"), direct, id)),
      channel.redraw(redrawOrder(endedView(TWO, "second"), direct, id)),
    ]);
    expect(drawn).toEqual([{ status: "done" }, { status: "done" }]);
    expect(seenBy(person, direct, id).text).toContain("second");
  });

  it("the last message of a long prompt keeps its text when it ends", async () => {
    const bench = await open();
    const { channel, person, direct } = bench;
    const view = approvalView({ text: [{ text: "word ".repeat(500) }] });
    const { id } = await show(bench, view, direct);
    const open_ = seenBy(person, direct, id).text.split("\n");
    await channel.redraw(redrawOrder(endedView(view, "Approved · Alice Wong, 14:03"), direct, id));
    const closed = seenBy(person, direct, id).text.split("\n");
    expect(closed.filter((line) => !open_.includes(line))).toEqual(["Approved · Alice Wong, 14:03"]);
  });
});

describe("places", () => {
  it("a name is resolved in the bot's servers, with or without #", async () => {
    const { channel, room } = await open();
    const found = { status: "found", conversation: room.conversation, direct: false };
    expect(await channel.locate({ kind: "place", conversation: "#releases" })).toEqual(found);
    expect(await channel.locate({ kind: "place", conversation: "releases" })).toEqual(found);
  });

  it("a name that two channels have is refused with their ids", async () => {
    const bench = await open();
    const { channel, simulator } = bench;
    const first = simulator.channelNamed("#ops");
    const second = simulator.secondChannel("#ops");
    const located = await channel.locate({ kind: "place", conversation: "#ops" });
    expect(located).toMatchObject({ status: "refused", code: "not_found" });
    expect(JSON.stringify(located)).toContain(`${first.conversation}, ${second.conversation}`);
  });

  it("a channel that is hidden from the bot is not found by name and not_member by id", async () => {
    const { channel, simulator } = await open();
    const { conversation } = simulator.channelNamed("#secret", { botIsMember: false });
    expect(await channel.locate({ kind: "place", conversation: "#secret" })).toMatchObject({ status: "refused", code: "not_found" });
    expect(await channel.locate({ kind: "place", conversation })).toMatchObject({ status: "refused", code: "not_member" });
  });

  it("a thread is written under its parent, alone or with it; under another parent it is not found", async () => {
    const { channel, simulator, thread } = await open();
    const id = thread.thread ?? "";
    const found = { status: "found", conversation: thread.conversation, thread: id, direct: false };
    expect(await channel.locate({ kind: "place", conversation: id })).toEqual(found);
    expect(await channel.locate({ kind: "place", conversation: thread.conversation, thread: id })).toEqual(found);
    const { conversation } = simulator.channelNamed("#elsewhere");
    expect(await channel.locate({ kind: "place", conversation, thread: id })).toMatchObject({ status: "refused", code: "not_found" });
  });

  it("unknown and malformed users are not found; a lost look-up is later", async () => {
    const { channel, simulator, person } = await open();
    expect(await channel.locate({ kind: "user", userId: "100000000000000001" })).toMatchObject({ status: "refused", code: "not_found" });
    expect(await channel.locate({ kind: "user", userId: "alice" })).toMatchObject({ status: "refused", code: "not_found" });
    simulator.faults.on("POST /users/@me/channels", { kind: "drop_response" });
    expect(await channel.locate({ kind: "user", userId: person.userId })).toMatchObject({ status: "later" });
  });

  it("a person who shares no server with the bot is blocked", async () => {
    const { channel, simulator, person, direct } = await open();
    simulator.world.user(person.name).stranger = true;
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "refused", code: "blocked" });
  });

  it("what can never be a person's id is said", () => {
    expect(discordChannel.userIdProblem("103412345678901234")).toBeUndefined();
    for (const id of ["alice", "4242", "U02ALICE", "@everyone", ""]) expect(discordChannel.userIdProblem(id)).toContain("17 to 20 digits");
  });
});

describe("reading back", () => {
  it("gives the typed replies since the prompt, oldest first, those in a thread started from it too", async () => {
    const bench = await open();
    const { channel, simulator, person, other, room, intake } = bench;
    await person.types("before the prompt", { in: simPlace(room) });
    const { id } = await show(bench, textView(), room);
    const prompt = seenBy(person, room, id);
    await person.types("a reply", { replyTo: prompt, in: simPlace(room) });
    const under = simulator.startThread(room, "about it", prompt);
    await other.types("in its thread", { in: under });
    simulator.otherBotTypes("a bot's", room, prompt);
    await intake.waitsForCount(3);
    const back = await channel.readBack({ ...room, messageIds: [id] });
    expect(back).toEqual(intake.taken.slice(1));
    expect(
      back.map((input) => [input.thread, input.kind === "text" ? input.text : "", input.kind === "text" ? input.replyTo : undefined]),
    ).toEqual([
      [undefined, "a reply", id],
      [id, "in its thread", undefined],
    ]);
  });

  it("reads more than one page of a busy channel", async () => {
    const bench = await open();
    const { channel, person, direct } = bench;
    const { id } = await show(bench, textView(), direct);
    for (let count = 0; count < 130; count += 1) await person.types(`reply ${count}`);
    const back = await channel.readBack({ ...direct, messageIds: [id] });
    expect(back).toHaveLength(130);
    expect(back.map((input) => (input.kind === "text" ? input.text : ""))).toEqual(
      Array.from({ length: 130 }, (_, count) => `reply ${count}`),
    );
  });

  it("a channel that cannot be read gives nothing", async () => {
    const { channel, room, simulator } = await open();
    simulator.faults.on("GET /channels/:id/messages", { kind: "refuse", code: 50001 });
    expect(await channel.readBack({ ...room, messageIds: ["300000000000000000"] })).toEqual([]);
    expect(await channel.readBack({ ...room, messageIds: [] })).toEqual([]);
  });
});

describe("forms on the wire", () => {
  it("a form with every kind of limit is taken by the platform", async () => {
    const bench = await open();
    const { person, direct, intake } = bench;
    await show(bench, textView(), direct);
    const fields = Array.from({ length: 5 }, (_, index) => ({
      ...{ key: `k${index}${"x".repeat(60)}`, label: "l".repeat(200), help: "h".repeat(500), multiline: true, required: false },
      ...{ minLength: 0, maxLength: 3_000, placeholder: "p".repeat(300), prefill: "v".repeat(3_000) },
    }));
    intake.says(() => ({ kind: "form", form: formView(tokenOn("text", { kind: "write" }), { title: "t".repeat(60), fields }) }));
    const modal = await person.opensModal("Write…");
    expect(modal.fields).toHaveLength(5);
    await eventually("the press", () => intake.taken[0]);
  });
});
