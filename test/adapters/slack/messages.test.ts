/** What comes in, secrets, doctor: cases of cases/platforms.md and questions.md by their ids. */
import { describe, expect, it } from "vitest";
import { outcomeOf, redactor } from "../../../adapters/channels/slack/outcome.js";
import { eventually, everything } from "../../../src/testing/contract/bench.js";
import { seenBy, show } from "../../../src/testing/contract/channel-orders.js";
import { approvalView, choiceView } from "../../../src/testing/contract/views.js";
import { changedEvent, eventBody } from "../../../src/testing/sim/slack/payloads.js";
import { usedBenches } from "./bench.js";

const bench = usedBenches();
const TWO = choiceView(["Ship", "Hold"]);

describe("what comes in", () => {
  it("B150 an answer with a link is taken once, its unfurling is not an input", async () => {
    const { simulator, intake, person } = await bench();
    const said = await person.types("see https://h.example");
    const stored = simulator.workspace.message(said.conversation, said.id);
    if (stored === undefined) throw new Error("not stored");
    simulator.deliverEvent(
      changedEvent(simulator.workspace, stored, stored.text, { attachments: [{ title: "Example", from_url: "https://h.example" }] }),
    );
    await person.types("after");
    await intake.waitsForCount(2);
    expect(intake.taken.map((input) => (input.kind === "text" ? input.text : input.kind))).toEqual(["see https://h.example", "after"]);
  });

  it("B151 what bots write is no input: another bot's label, a change by a bot, our own prompt", async () => {
    const { channel, simulator, intake, person, direct } = await bench();
    const { id } = await show({ channel }, TWO, direct);
    const ours = simulator.workspace.message(direct.conversation, id);
    if (ours === undefined) throw new Error("not stored");
    const bot = {
      type: "message",
      channel: direct.conversation,
      channel_type: "im",
      bot_id: "B9",
      user: "U9",
      text: "Ship",
      ts: simulator.workspace.nextTs(),
    };
    simulator.deliverEvent(eventBody(simulator.workspace, bot));
    simulator.deliverEvent(changedEvent(simulator.workspace, ours, "before"));
    await person.types("after");
    await intake.waitsFor("text");
    expect(intake.taken).toHaveLength(1);
    await eventually("all events to be confirmed", () => (simulator.pendingEvents === 0 ? true : undefined));
  });

  it("B148 a voice message, a forwarded message: unreadable, with their thread", async () => {
    const { channel, intake, person, direct, room } = await bench();
    const { id } = await show({ channel }, TWO, direct);
    await person.sendsMedia("voice", { replyTo: seenBy(person, direct, id) });
    await person.forwards(seenBy(person, direct, id), { conversation: room.conversation });
    await intake.waitsForCount(2);
    const kinds = intake.taken.map((input) => (input.kind === "unreadable" ? [input.why, input.thread] : input.kind));
    expect(kinds).toEqual(
      expect.arrayContaining([
        ["media", id],
        ["forwarded", undefined],
      ]),
    );
  });

  it("a notice's choices are pressed like any other control", async () => {
    const { channel, intake, person, room } = await bench();
    const buttons = [
      { token: "sq0", label: "K7QM Release 42" },
      { token: "sq1", label: "P3XD Rotate keys" },
    ];
    expect(await channel.notify({ ...room, userId: person.userId, tone: "alert", text: "Which one?", buttons })).toEqual({
      status: "done",
    });
    expect((await person.press("P3XD Rotate keys", { in: room })).acknowledged).toBe(true);
    expect(await intake.waitsFor("press")).toMatchObject({ token: "sq1", conversation: room.conversation });
  });

  it("replies missed while it was closed are read back in order, those of bots and strange threads left out", async () => {
    const { channel, intake, person, other, room, thread, direct } = await bench();
    const inRoom = await show({ channel }, TWO, room);
    const inThread = await show({ channel }, TWO, thread);
    const inDirect = await show({ channel }, TWO, direct);
    await channel.close();
    await person.types("one", { replyTo: seenBy(person, room, inRoom.id) });
    await other.types("two", { replyTo: seenBy(other, room, inRoom.id) });
    await person.types("loose in the room", { in: { conversation: room.conversation } });
    await person.types("three", { in: thread });
    await person.types("four");
    await channel.open(intake);
    const words = async (order: Parameters<typeof channel.readBack>[0]): Promise<readonly string[]> =>
      (await channel.readBack(order)).map((input) => (input.kind === "text" ? input.text : input.kind));
    expect(await words({ ...room, messageIds: [inRoom.id] })).toEqual(["one", "two"]);
    expect(await words({ ...thread, messageIds: [inThread.id] })).toEqual(["three"]);
    expect(await words({ ...direct, messageIds: [inDirect.id] })).toEqual(["four"]);
  });
});

describe("secrets and doctor", () => {
  it("B169 a secret in message, cause or stack of an error is in nothing that comes out", () => {
    const token = "xoxb-123-secret";
    const error = new Error(`request to https://slack.com/api/x?token=${token} failed`, { cause: new Error(token) });
    const outcome = outcomeOf(error, "chat.postMessage", redactor([token, "xapp-1-secret"]));
    expect(outcome).toMatchObject({ kind: "unknown" });
    expect(everything(outcome)).not.toContain(token);
    expect(redactor(["abcdef", "abcdef-longer"])("abcdef-longer abcdef")).toBe("[secret] [secret]");
  });

  it("doctor names missing scopes, a refused app token and a channel without the bot, each with its remedy", async () => {
    const { channel, simulator } = await bench();
    expect((await channel.check()).filter(({ ok }) => !ok)).toEqual([]);
    const outside = simulator.channelNamed("#outside", { botIsMember: false });
    await channel.locate({ kind: "place", conversation: outside.conversation });
    simulator.scopes = simulator.scopes.filter((scope) => scope !== "im:history");
    simulator.faults.on("apps.connections.open", { kind: "refuse", code: "invalid_auth" });
    const failed = (await channel.check()).filter(({ ok }) => !ok);
    expect(failed.map(({ check }) => check)).toEqual(["history im:history", "socket mode", `member of ${outside.conversation}`]);
    for (const { remedy, detail } of failed) expect(remedy !== undefined && detail !== undefined).toBe(true);
  });

  it("an approval's subject longer than one message arrives whole before its buttons", async () => {
    const { channel, person, room } = await bench();
    const view = approvalView({ subject: { type: "text", body: "s".repeat(12_000) } });
    await show({ channel }, view, room);
    const messages = person.reads(room).filter(({ from }) => from === "bot");
    expect(messages.length).toBe(channel.parts(view));
    expect(messages.map(({ text }) => text.match(/s{100,}/g)?.join("").length ?? 0).reduce((sum, length) => sum + length, 0)).toBe(12_000);
    expect(messages.at(-1)?.buttons.map(({ label }) => label)).toEqual(["Approve", "Deny", "Deny, say why…"]);
  });
});
