/** Cases about what goes out: fates, refusals, topics, closing edits, secrets. */
import { afterEach, describe, expect, it } from "vitest";
import { telegramChannel } from "../../../adapters/channels/telegram/index.js";
import type { SendResult } from "../../../src/ports/channel.js";
import { eventually, everything, simPlace } from "../../../src/testing/contract/bench.js";
import { redrawOrder, seenBy, sendOrder, show } from "../../../src/testing/contract/channel-orders.js";
import { approvalView, choiceView, endedView } from "../../../src/testing/contract/views.js";
import { openTelegramBench, type TelegramBench } from "./bench.js";

const TWO = choiceView(["Ship", "Hold"]);
const ENDED = endedView(TWO, "Answered by P1: Ship");
const benches: TelegramBench[] = [];

async function open(options: Parameters<typeof openTelegramBench>[0] = {}): Promise<TelegramBench> {
  const bench = await openTelegramBench(options);
  benches.push(bench);
  return bench;
}
afterEach(async () => {
  await Promise.all(benches.splice(0).map((bench) => bench.stop()));
});

const callsOf = ({ simulator }: TelegramBench, method: string): readonly Readonly<Record<string, unknown>>[] =>
  simulator.calls.filter((call) => call.method === method).map(({ body }) => body);

describe("fates", () => {
  it("B025 a send whose reply was lost is unknown, is made once, and cannot be looked for", async () => {
    const bench = await open();
    const { channel, simulator, direct } = bench;
    simulator.faults.on("sendMessage", { kind: "drop_response" });
    const order = sendOrder(TWO, direct);
    expect(await channel.send(order)).toMatchObject({ status: "unknown" });
    expect(callsOf(bench, "sendMessage")).toHaveLength(1);
    expect(await channel.find({ ...order, attemptedAtMs: Date.now() })).toEqual({ status: "cannot" });
  });

  it("a send that times out is unknown; one that cannot connect is put off", async () => {
    const bench = await open({ settings: { requestTimeoutMs: 100 } });
    const { channel, simulator, direct } = bench;
    simulator.faults.on("sendMessage", { kind: "delay", ms: 400 });
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "unknown", message: expect.stringContaining("timed out") });
    await channel.close();
    await simulator.stop();
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "later", code: "unreachable", scope: "account" });
  });

  it("B024 calls about one message wait for each other", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    simulator.faults.on("sendMessage", { kind: "delay", ms: 80 });
    const sending = channel.send(sendOrder(TWO, direct));
    const second = channel.send(sendOrder(choiceView(["x"], { title: "Second" }), direct));
    expect(await Promise.all([sending, second])).toMatchObject([{ status: "shown" }, { status: "shown" }]);
    expect(person.reads().map(({ text }) => text.split("\n")[0])).toEqual(["Release 42", "Second"]);
  });

  it("B099 a rate limit is a wait, and the send after it works", async () => {
    const { channel, simulator, direct } = await open();
    simulator.faults.on("sendMessage", { kind: "rate_limit", retryAfterS: 3 });
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "later", afterMs: 3_000, scope: "conversation" });
  });

  it("B100 a stated wait holds for the whole chat and for no other", async () => {
    const bench = await open();
    const { channel, simulator, direct, room } = bench;
    simulator.faults.on("sendMessage", { kind: "rate_limit", retryAfterS: 40 });
    const queued = await Promise.all([1, 2, 3].map(() => channel.send(sendOrder(TWO, direct))));
    for (const sent of queued) {
      expect(sent).toMatchObject({ status: "later", code: "rate_limited" });
      expect(sent.status === "later" && sent.afterMs > 38_000).toBe(true);
    }
    expect(callsOf(bench, "sendMessage")).toHaveLength(1);
    expect(await channel.send(sendOrder(TWO, room))).toMatchObject({ status: "shown" });
  });

  it("B101 a very long wait is told as it is", async () => {
    const { channel, simulator, direct } = await open();
    simulator.faults.on("sendMessage", { kind: "rate_limit", retryAfterS: 10_072 });
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "later", afterMs: 10_072_000 });
  });
});

describe("refused destinations", () => {
  it("B094 a person who blocked the bot is final after one call", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    simulator.blockBot(person.name);
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "refused", code: "blocked" });
    expect(callsOf(bench, "sendMessage")).toHaveLength(1);
    await person.types("I am back");
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "shown" });
  });

  it("B095 a 403 is judged by code and place, whatever its words", async () => {
    const { channel, simulator, room } = await open();
    const results: SendResult[] = [];
    for (const words of ["bot was kicked from the supergroup chat", "bot was kicked from the channel chat", "something else"]) {
      simulator.kickBot(simPlace(room), words);
      results.push(await channel.send(sendOrder(TWO, room)));
    }
    expect(results.map((result) => (result.status === "refused" ? result.code : result.status))).toEqual([
      "not_member",
      "not_member",
      "not_member",
    ]);
  });

  it("a person who never pressed Start is not found, and the message says what to do", async () => {
    const { channel } = await open();
    const located = await channel.locate({ kind: "user", userId: "999" });
    expect(located).toMatchObject({ status: "refused", code: "not_found", message: expect.stringContaining("press Start") });
    expect(await channel.locate({ kind: "place", conversation: "#releases" })).toMatchObject({
      status: "refused",
      code: "not_found",
      message: expect.stringContaining("chat's number"),
    });
  });

  it("B120 shared accounts and groups cannot be configured as people", () => {
    for (const id of ["1087968824", "136817688", "777000"]) expect(telegramChannel.userIdProblem(id)).toContain("many people share it");
    expect(telegramChannel.userIdProblem("-1001")).toContain("group or channel");
    expect(telegramChannel.userIdProblem("alice")).toContain("number");
    expect(telegramChannel.userIdProblem("4242")).toBeUndefined();
  });
});

describe("topics", () => {
  it("B078 O57 every call for a question in a topic carries the topic", async () => {
    const bench = await open();
    const { channel, intake, person, thread } = bench;
    const { id } = await show(bench, TWO, thread);
    await person.types("hm", { replyTo: seenBy(person, thread, id), in: simPlace(thread) });
    const typed = await intake.waitsFor("text");
    await channel.notify({ text: "hint", ...thread, userId: person.userId, aboutMessageId: typed.message.id, tone: "alert" });
    expect(callsOf(bench, "sendMessage").map((body) => String(body["message_thread_id"]))).toEqual([thread.thread, thread.thread]);
  });

  it("B080 topic 1 is sent to without a thread", async () => {
    const bench = await open();
    const { channel, room } = bench;
    expect(await channel.locate({ kind: "place", conversation: room.conversation, thread: "1" })).toEqual({
      status: "found",
      conversation: room.conversation,
      direct: false,
    });
    expect(await channel.send(sendOrder(TWO, { ...room, thread: "1" }))).toMatchObject({ status: "shown" });
    expect(callsOf(bench, "sendMessage")[0]).not.toHaveProperty("message_thread_id");
  });

  it("B082 a topic that is gone is refused and nothing is shown in the main chat", async () => {
    const bench = await open();
    const { channel, simulator, person, room, thread } = bench;
    simulator.endTopic(simPlace(thread), "deleted");
    expect(await channel.send(sendOrder(TWO, thread))).toMatchObject({ status: "refused", code: "not_found" });
    expect(person.reads(simPlace(room))).toEqual([]);
  });

  it("a closed topic is refused as archived", async () => {
    const { channel, simulator, thread } = await open();
    simulator.endTopic(simPlace(thread), "closed");
    expect(await channel.send(sendOrder(TWO, thread))).toMatchObject({ status: "refused", code: "archived" });
  });
});

describe("text", () => {
  it("B064 reserved characters arrive as they are", async () => {
    const bench = await open();
    const { person, direct } = bench;
    const text = "Deploy v1.2-rc(3)! #1 = ok?";
    const { id } = await show(bench, choiceView(["Ship"], { text: [{ text }] }), direct);
    expect(seenBy(person, direct, id).text.split("\n")[1]).toBe(text);
  });

  it("B064 when entities are refused the same text goes once without them, with the same buttons", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    simulator.faults.on("sendMessage", { kind: "refuse", code: 400, message: "Bad Request: can't parse entities: unsupported" });
    const sent = await channel.send(sendOrder(TWO, direct));
    expect(sent).toMatchObject({ status: "shown" });
    expect(callsOf(bench, "sendMessage")).toHaveLength(2);
    expect(person.reads()[0]?.buttons.map(({ label }) => label)).toEqual(["Ship", "Hold", "Decline"]);
  });

  it("B066 B067 no escapes are seen, in no version of a message", async () => {
    const bench = await open();
    const { channel, person, direct } = bench;
    const view = choiceView(["Done. (ok)"], { text: [{ text: "Done. (ok)" }] });
    const { id } = await show(bench, view, direct);
    expect(seenBy(person, direct, id).text).toContain("Done. (ok)");
    await channel.redraw(redrawOrder({ ...view, frame: ["Done. (ok)"] }, direct, id));
    expect(seenBy(person, direct, id).text).not.toContain("\\");
    await channel.redraw(redrawOrder(endedView(view, "edit_msg *now <b · P1"), direct, id));
    expect(seenBy(person, direct, id).text).toContain("edit_msg *now <b · P1");
    expect(seenBy(person, direct, id).text).not.toContain("\\");
  });

  it("O61 when the keyboard is refused the prompt goes as text and speaks of no buttons", async () => {
    const bench = await open();
    const { channel, simulator, person, direct, log } = bench;
    simulator.faults.on("sendMessage", { kind: "refuse", code: 400, message: "Bad Request: BUTTON_DATA_INVALID" });
    expect(await channel.send(sendOrder(TWO, direct))).toMatchObject({ status: "shown" });
    expect(person.reads()[0]).toMatchObject({ buttons: [] });
    expect(person.reads()[0]?.text).toContain("1 Ship\n2 Hold\nReply: write");
    expect(log.lines.some(({ message }) => message.includes("sent as text"))).toBe(true);
    simulator.faults.on("sendMessage", { kind: "refuse", code: 400, message: "Bad Request: BUTTON_DATA_INVALID" });
    expect(await channel.send(sendOrder({ ...TWO, typed: "no" }, direct))).toMatchObject({ status: "refused", code: "rejected" });
  });

  it("shows no link previews and sends no parse mode", async () => {
    const bench = await open();
    await show(bench, TWO, bench.direct);
    expect(callsOf(bench, "sendMessage")[0]).toMatchObject({ link_preview_options: { is_disabled: true } });
    expect(callsOf(bench, "sendMessage")[0]).not.toHaveProperty("parse_mode");
  });
});

describe("drawing", () => {
  it("B104 not modified means done, and nothing is logged above debug", async () => {
    const { channel, simulator, direct, log, ...bench } = await open();
    const { id } = await show({ channel }, TWO, direct);
    await channel.redraw(redrawOrder(ENDED, direct, id));
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toEqual({ status: "done" });
    expect(simulator.calls.some(({ outcome }) => outcome.includes("message is not modified"))).toBe(true);
    expect(log.lines.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
    expect(bench.intake.taken).toEqual([]);
  });

  it("B105 no refusal of an edit takes the buttons of an open prompt away", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    expect(await channel.redraw(redrawOrder(TWO, direct, id))).toEqual({ status: "done" });
    simulator.faults.on("editMessageText", { kind: "refuse", code: 400, message: "Bad Request: MESSAGE_TOO_LONG" });
    expect(await channel.redraw(redrawOrder({ ...TWO, frame: ["later"] }, direct, id))).toEqual({ status: "done" });
    expect(seenBy(person, direct, id).buttons).toHaveLength(3);
  });

  it("B055 a closing edit that is refused as too long is followed by one shorter one without buttons", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    const view = choiceView(["Ship", "Hold"], { text: [{ text: "b".repeat(2_990) }] });
    const { id } = await show(bench, view, direct);
    simulator.faults.on("editMessageText", { kind: "refuse", code: 400, message: "Bad Request: MESSAGE_TOO_LONG" });
    expect(await channel.redraw(redrawOrder(endedView(view, "Answered by P1: Ship"), direct, id))).toEqual({ status: "done" });
    expect(callsOf(bench, "editMessageText")).toHaveLength(2);
    const seen = seenBy(person, direct, id);
    expect(seen.buttons).toEqual([]);
    expect(seen.text).toContain("Answered by P1: Ship");
  });

  it("B055 when every text is refused the buttons go all the same", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on("editMessageText", { kind: "refuse", code: 400, message: "Bad Request: something new" }, { times: 2 });
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toEqual({ status: "done" });
    expect(seenBy(person, direct, id).buttons).toEqual([]);
  });

  it.each([2_999, 3_000, 3_001, 4_000])("B055 B056 a prompt of %i characters and its end fit", async (length) => {
    const bench = await open();
    const { channel, person, direct } = bench;
    const view = approvalView({ text: [{ text: "b".repeat(length) }] });
    const { id } = await show(bench, view, direct);
    expect(await channel.redraw(redrawOrder(endedView(view, "Approved · Alice Wong, 14:03"), direct, id))).toEqual({ status: "done" });
    expect(seenBy(person, direct, id).buttons).toEqual([]);
    expect(
      person
        .reads()
        .map(({ text }) => text)
        .join(""),
    ).toContain("b".repeat(2_000));
  });

  it("B106 a deleted prompt is gone, and a notice can still confirm", async () => {
    const bench = await open();
    const { channel, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.deleteMessage(seenBy(person, direct, id));
    expect(await channel.redraw(redrawOrder(ENDED, direct, id))).toMatchObject({ status: "gone" });
    expect(callsOf(bench, "editMessageText")).toHaveLength(1);
    const notice = { text: "Recorded: Ship.", ...direct, userId: person.userId, aboutMessageId: id, tone: "calm" } as const;
    expect(await channel.notify(notice)).toEqual({ status: "done" });
    expect(person.reads().at(-1)?.text).toBe("Recorded: Ship.");
  });

  it("a notice has its buttons, one a row", async () => {
    const bench = await open();
    const { channel, person, direct } = bench;
    const buttons = [
      { token: "sx.q0", label: "K7QM Release 42" },
      { token: "sx.q1", label: "P3XD Rotate keys" },
    ];
    await channel.notify({ text: "Which one?", ...direct, userId: person.userId, tone: "alert", buttons });
    expect(person.reads()[0]?.buttons.map(({ label, data }) => `${label} ${data}`)).toEqual([
      "K7QM Release 42 sx.q0",
      "P3XD Rotate keys sx.q1",
    ]);
  });
});

describe("B169 secrets", () => {
  it("no error, log line or health shows the token, whatever the network does", async () => {
    const bench = await open({ opened: false });
    const { channel, simulator, intake, direct, log } = bench;
    const { token } = simulator.account();
    simulator.faults.on("getMe", { kind: "fail_before" });
    await channel.open(intake);
    const seen: unknown[] = [channel.health()];
    await eventually("up", () => (channel.health().state === "up" ? true : undefined));
    for (const kind of ["drop_response", "fail_before"] as const) {
      simulator.faults.on("sendMessage", { kind });
      seen.push(await channel.send(sendOrder(TWO, direct)));
    }
    simulator.faults.on("sendMessage", { kind: "refuse", code: 400, message: `Bad Request: no such bot ${token}` });
    seen.push(await channel.send(sendOrder(TWO, direct)));
    simulator.revokeToken();
    seen.push(await channel.send(sendOrder(TWO, direct)), channel.health(), await channel.check());
    await channel.close();
    seen.push(await (await bench.again()).open(intake).catch((error: unknown) => error));
    const printed = everything(seen) + log.text();
    expect(printed).toContain("no such bot [token]");
    expect(printed).not.toContain(token);
    expect(printed).not.toContain(token.split(":")[1]);
  });
});
