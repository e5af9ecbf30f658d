/** Cases about what comes in: polls, confirmations, presses, groups. */
import { afterEach, describe, expect, it } from "vitest";
import type { Input } from "../../../src/core/input.js";
import { eventually, simPlace } from "../../../src/testing/contract/bench.js";
import { choose, redrawOrder, seenBy, show } from "../../../src/testing/contract/channel-orders.js";
import { approvalView, choiceView, endedView, formView, textView, tokenOn } from "../../../src/testing/contract/views.js";
import { openTelegramBench, type TelegramBench } from "./bench.js";

const TWO = choiceView(["Ship", "Hold"]);
const HOLD = tokenOn("choice", { kind: "option", index: 1 });
const benches: TelegramBench[] = [];

async function open(options: Parameters<typeof openTelegramBench>[0] = {}): Promise<TelegramBench> {
  const bench = await openTelegramBench(options);
  benches.push(bench);
  return bench;
}
afterEach(async () => {
  await Promise.all(benches.splice(0).map((bench) => bench.stop()));
});

const textsOf = ({ intake }: TelegramBench): readonly string[] =>
  intake.taken.flatMap((input) => (input.kind === "text" ? [input.text] : []));
const answersTo = ({ simulator }: TelegramBench): readonly unknown[] =>
  simulator.calls.filter(({ method }) => method === "answerCallbackQuery").map(({ body }) => body["text"]);

describe("confirming", () => {
  it("B005 an update that was not confirmed before the process died comes again and is the same input", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    const release = intake.hold();
    const pressing = choose(person, seenBy(person, direct, id), HOLD);
    await eventually("the update to be out", () => intake.begun[0]);
    const next = await bench.again();
    await next.open(intake); // the first process hangs in its store and never confirms
    release();
    const [first, second] = await intake.waitsForCount(2);
    expect(second).toEqual(first);
    expect((await pressing).acknowledged).toBe(true);
  });

  it("B022 B193 nothing is confirmed before it is stored, and a stop confirms what was", async () => {
    const bench = await open();
    const { channel, intake, simulator, person } = bench;
    const release = intake.hold();
    await person.types("blue");
    await eventually("the update to be out", () => intake.begun[0]);
    const closing = channel.close();
    expect(simulator.pendingUpdates).toHaveLength(1);
    release();
    await closing;
    expect(textsOf(bench)).toEqual(["blue"]);
    expect(simulator.pendingUpdates).toEqual([]);
    await channel.open(intake);
    await person.types("green");
    await intake.waitsForCount(2);
    expect(textsOf(bench)).toEqual(["blue", "green"]);
  });

  it("B191 a store that throws does not end the intake; the update is confirmed only when stored, others are not stored twice", async () => {
    const bench = await open();
    const { channel, intake, simulator, person, other } = bench;
    intake.failNext(3);
    await person.types("first");
    await eventually("three failures", () => (intake.failed.length >= 3 ? true : undefined));
    await other.types("second");
    await intake.waitsForCount(2);
    expect(new Set(textsOf(bench))).toEqual(new Set(["first", "second"]));
    await eventually("all to be confirmed", () => (simulator.pendingUpdates.length === 0 ? true : undefined));
    await eventually("health to say up", () => (channel.health().state === "up" ? true : undefined));
    expect(textsOf(bench)).toHaveLength(2);
  });

  it("shows in health that inputs cannot be stored", async () => {
    const { channel, intake, person } = await open();
    intake.failNext(Number.POSITIVE_INFINITY);
    await person.types("first");
    await eventually("degraded", () => (channel.health().state === "degraded" ? true : undefined));
    expect(channel.health().reason).toContain("stored");
  });

  it("B192 unknown kinds of updates are skipped and confirmed", async () => {
    const bench = await open();
    const { intake, simulator, person } = bench;
    simulator.deliverRaw("my_chat_member", { chat: { id: 1, type: "private" } });
    simulator.deliverRaw("poll_answer", { poll_id: "1" });
    simulator.deliverRaw("something_new", { a: 1 });
    simulator.deliverRaw("message", { broken: true });
    await person.types("after");
    await intake.waitsFor("text");
    await eventually("all to be confirmed", () => (simulator.pendingUpdates.length === 0 ? true : undefined));
    expect(intake.taken).toHaveLength(1);
  });

  it("B041 a conflict with another poller is retried, shown in health, and loses nothing", async () => {
    const bench = await open({ opened: false });
    const { channel, intake, simulator, person } = bench;
    const words = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
    simulator.faults.on("getUpdates", { kind: "refuse", code: 409, message: words }, { times: 5 });
    await person.types("blue");
    await channel.open(intake);
    await eventually("degraded", () => (channel.health().reason?.includes("409") === true ? true : undefined));
    await intake.waitsFor("text");
    await eventually("up", () => (channel.health().state === "up" ? true : undefined));
    expect(simulator.calls.filter(({ outcome }) => outcome.startsWith("409"))).toHaveLength(5);
  });

  it("B042 starting and stopping five times leaves one loop and one handling", async () => {
    const bench = await open();
    const { channel, intake, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    for (let round = 0; round < 5; round += 1) {
      await channel.close();
      await channel.open(intake);
    }
    await choose(person, seenBy(person, direct, id), HOLD);
    await person.types("after");
    await intake.waitsFor("text");
    expect(intake.taken).toHaveLength(2);
    expect(simulator.calls.filter(({ outcome }) => outcome.startsWith("409"))).toEqual([]);
  });

  it("goes on trying when Telegram is out of reach at the start", async () => {
    const { channel, intake, simulator, person } = await open({ opened: false });
    simulator.faults.on("getMe", { kind: "fail_before" }, { times: 3 });
    await channel.open(intake);
    expect(channel.health().state).toBe("down");
    await person.types("blue");
    await intake.waitsFor("text");
    expect(channel.botName).toBe("@handraise_test_bot");
  });

  it("refuses a dead token at the start, naming the setting", async () => {
    const { channel, intake, simulator } = await open({ opened: false });
    simulator.revokeToken();
    await expect(channel.open(intake)).rejects.toThrow(/accounts\.telegram\.token: Telegram refuses the token \(401\)/);
  });
});

describe("presses", () => {
  it("O67 every press is answered: with its word, else without one soon", async () => {
    const bench = await open();
    const { channel, intake, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    const pressing = choose(person, seenBy(person, direct, id), HOLD);
    const { handle = "" } = await intake.waitsFor("press");
    await channel.notify({ text: "Recorded: Hold.", handle, ...direct, userId: person.userId, tone: "calm" });
    expect(await pressing).toMatchObject({ acknowledged: true, word: "Recorded: Hold." });
    const again = await choose(person, seenBy(person, direct, id), HOLD);
    expect(again.acknowledged).toBe(true);
    expect(again.word).toBeUndefined();
    expect(answersTo(bench)).toEqual(["Recorded: Hold.", undefined]);
  });

  it("B018 a query that is too old is no fault: the input is stored, and a refusal comes as a reply", async () => {
    const bench = await open();
    const { channel, intake, simulator, person, direct, log } = bench;
    const { id } = await show(bench, TWO, direct);
    const words = "Bad Request: query is too old and response timeout expired or query ID is invalid";
    simulator.faults.on("answerCallbackQuery", { kind: "refuse", code: 400, message: words }, { times: Number.POSITIVE_INFINITY });
    const release = intake.hold();
    const pressing = choose(person, seenBy(person, direct, id), HOLD);
    await eventually("the empty answer", () => (answersTo(bench).length > 0 ? true : undefined));
    release();
    const { handle = "" } = await intake.waitsFor("press");
    const late = { text: "Too late: time ran out at 16:03.", handle, ...direct, userId: person.userId, aboutMessageId: id };
    expect(await channel.notify({ ...late, tone: "alert" })).toEqual({ status: "done" });
    expect(await channel.notify({ ...late, text: "Recorded.", tone: "calm" })).toEqual({ status: "gone" });
    const seen = await person.waitsFor(({ text }) => text === late.text);
    expect(seen.replyTo).toBe(id);
    expect((await pressing).acknowledged).toBe(false);
    expect(log.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  });

  it("B062 a press that turns the page is answered as soon as it is stored", async () => {
    const bench = await open({ settings: { callbackWordMs: 10_000 } });
    const { intake, person, direct } = bench;
    const view = choiceView(Array.from({ length: 60 }, (_, index) => `Way ${index + 1}`));
    const { id } = await show(bench, view, direct);
    const turn = view.pageTokens[1] ?? "";
    expect(await choose(person, seenBy(person, direct, id), turn)).toMatchObject({ acknowledged: true });
    expect(await intake.waitsFor("press")).toMatchObject({ token: turn });
  });

  it("a press that was refused before it was stored shows the refusal as an alert", async () => {
    const bench = await open();
    const { intake, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    intake.says(() => ({ kind: "word", text: "This is for Bob. Nothing was changed." }));
    expect(await choose(person, seenBy(person, direct, id), HOLD)).toMatchObject({ word: "This is for Bob. Nothing was changed." });
    expect(simulator.calls.at(-1)?.body).toMatchObject({ show_alert: true });
  });

  it("B106 a press on an old message, which comes without its content, is whole", async () => {
    const bench = await open();
    const { intake, simulator, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.forgetContent();
    await choose(person, seenBy(person, direct, id), HOLD);
    expect(await intake.waitsFor("press")).toMatchObject({ token: HOLD, message: { id }, direct: true });
  });
});

describe("forms", () => {
  const press = (input: Input): boolean => input.kind === "press";

  it("a reply box outlives a restart, and answers about it are replies to what was typed", async () => {
    const bench = await open();
    const { channel, intake, person, direct } = bench;
    const { id } = await show(bench, approvalView(), direct);
    intake.says((input) => (press(input) && input.kind === "press" ? { kind: "form", form: formView(input.token) } : { kind: "taken" }));
    const modal = await person.opensModal("Deny, say why…", { on: seenBy(person, direct, id) });
    await channel.close();
    const next = await bench.again();
    await next.open(intake);
    await modal.submit({ reply: "freeze until Monday" });
    const submit = await intake.waitsFor("submit");
    expect(submit).toMatchObject({ values: { answer: "freeze until Monday" }, token: tokenOn("approval", { kind: "deny_why" }) });
    await next.notify({
      text: "Recorded.",
      ...(submit.handle === undefined ? {} : { handle: submit.handle }),
      ...direct,
      userId: person.userId,
      tone: "calm",
    });
    const typed = person.reads().find(({ text }) => text === "freeze until Monday");
    expect((await person.waitsFor(({ text }) => text === "Recorded.")).replyTo).toBe(typed?.id);
  });

  it("asks again after a value that could not be taken, and takes the next one", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const { id } = await show(bench, approvalView(), direct);
    intake.says((input) => {
      if (input.kind === "press") return { kind: "form", form: formView(input.token) };
      const bad = input.kind === "submit" && input.values["answer"] === "7";
      return bad ? { kind: "invalid", fields: [{ key: "answer", message: "Give words." }] } : { kind: "taken" };
    });
    const modal = await person.opensModal("Deny, say why…", { on: seenBy(person, direct, id) });
    await modal.submit({ reply: "7" });
    const again = await person.waitsFor(({ text, forceReply }) => forceReply === true && text.includes("Give words."));
    await person.types("too risky", { replyTo: again });
    expect(await intake.waitsFor("submit", ({ values }) => values["answer"] !== "7")).toMatchObject({ values: { answer: "too risky" } });
  });

  it("B148 a voice message in a reply box is unreadable and is about the prompt", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const { id } = await show(bench, approvalView(), direct);
    intake.says((input) => (input.kind === "press" ? { kind: "form", form: formView(input.token) } : { kind: "taken" }));
    await person.opensModal("Deny, say why…", { on: seenBy(person, direct, id) });
    const box = person.reads().find(({ forceReply }) => forceReply === true);
    await person.sendsMedia("voice", box === undefined ? {} : { replyTo: box });
    expect(await intake.waitsFor("unreadable")).toMatchObject({ why: "media", replyTo: id });
  });

  it("in a group the box is for the one who pressed", async () => {
    const bench = await open();
    const { intake, simulator, person, room } = bench;
    const { id } = await show(bench, approvalView(), room);
    intake.says((input) => (input.kind === "press" ? { kind: "form", form: formView(input.token) } : { kind: "taken" }));
    const modal = await person.opensModal("Deny, say why…", { on: seenBy(person, room, id), in: simPlace(room) });
    expect(simulator.calls.findLast(({ method }) => method === "sendMessage")?.body).toMatchObject({
      reply_markup: { force_reply: true, selective: true },
      reply_parameters: { message_id: Number(id) },
    });
    expect(modal.fields).toHaveLength(1);
    await modal.submit({ reply: "no" });
    expect(await intake.waitsFor("submit")).toMatchObject({ direct: false, sender: { userId: person.userId } });
  });
});

describe("groups and strangers", () => {
  it("B091 with privacy mode only replies to the prompt arrive; the help asks for them", async () => {
    const bench = await open();
    const { channel, intake, person, room } = bench;
    const { id } = await show(bench, textView(), room);
    const prompt = seenBy(person, room, id);
    expect(prompt).toMatchObject({ forceReply: true });
    expect(prompt.text).toContain("reply");
    await person.types("anyone up for lunch?", { in: simPlace(room) });
    await person.types("blue", { replyTo: prompt, in: simPlace(room) });
    await intake.waitsFor("text");
    expect(textsOf(bench)).toEqual(["blue"]);
    expect(await channel.check()).toContainEqual(
      expect.objectContaining({ check: "group privacy", ok: true, remedy: expect.stringContaining("/setprivacy") }),
    );
  });

  it("B120 an anonymous admin, a channel and the service account are unreadable; B151 another bot is nothing", async () => {
    const bench = await open({ simulator: { privacyMode: false } });
    const { intake, simulator, person, room } = bench;
    const { id } = await show(bench, TWO, room);
    const to = { in: simPlace(room), replyTo: seenBy(person, room, id) };
    for (const who of ["anonymous_admin", "channel", "service", "bot"] as const) simulator.writesAs(who, "Ship", to);
    await person.types("Ship", to);
    await intake.waitsFor("text");
    expect(intake.taken.map((input) => (input.kind === "unreadable" ? `${input.why} ${input.replyTo === id}` : input.kind))).toEqual([
      "anonymous true",
      "anonymous true",
      "anonymous true",
      "text",
    ]);
  });

  it("B148 replies without text are unreadable, an album is one mark, a caption is text", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    const replyTo = seenBy(person, direct, id);
    for (const what of ["voice", "sticker", "photo", "poll", "location", "contact", "file"] as const)
      await person.sendsMedia(what, { replyTo });
    await person.sendsAlbum(3, { replyTo });
    await person.sendsCaptioned("Ship", { replyTo });
    await intake.waitsForCount(11);
    const unreadable = intake.taken.flatMap((input) => (input.kind === "unreadable" ? [input] : []));
    expect(unreadable.every(({ why, replyTo: to }) => why === "media" && to === id)).toBe(true);
    expect(new Set(unreadable.map(({ album }) => album)).size).toBe(2);
    expect(textsOf(bench)).toEqual(["Ship"]);
  });

  it("a forwarded message is unreadable", async () => {
    const { intake, other, person } = await open();
    const theirs = await other.types("Ship");
    await person.forwards(theirs, { conversation: person.direct });
    expect(await intake.waitsFor("unreadable")).toMatchObject({ why: "forwarded", sender: { userId: person.userId } });
  });

  it("B149 an edited message is not asked for and not taken", async () => {
    const bench = await open();
    const { intake, simulator, person } = bench;
    const message = await person.types("1");
    await person.edits(message, "2");
    await person.types("3");
    await intake.waitsForCount(2);
    expect(textsOf(bench)).toEqual(["1", "3"]);
    expect(simulator.calls.find(({ method }) => method === "getUpdates")?.body).toMatchObject({
      allowed_updates: ["message", "callback_query"],
    });
  });

  it("O27 B079 a reply in a group carries no topic, and its notice is sent without one", async () => {
    const bench = await open();
    const { channel, intake, simulator, person } = bench;
    const group = { ...simulator.channelNamed("plain", { members: ["alice"] }), direct: false };
    const { id } = await show(bench, TWO, group);
    await person.types("done", { replyTo: seenBy(person, group, id), in: { conversation: group.conversation } });
    const typed = await intake.waitsFor("text");
    expect(typed.thread).toBeUndefined();
    expect(typed.replyTo).toBe(id);
    await channel.notify({ text: "hint", ...group, userId: person.userId, aboutMessageId: typed.message.id, tone: "alert" });
    const sent = simulator.calls.findLast(({ method }) => method === "sendMessage")?.body;
    expect(sent).not.toHaveProperty("message_thread_id");
    expect(sent).toMatchObject({ reply_parameters: { message_id: Number(typed.message.id) } });
  });

  it("B092 a migrated group is re-keyed before anything else there counts", async () => {
    const bench = await open();
    const { channel, intake, simulator, person } = bench;
    const old = { ...simulator.basicGroup("ops", ["alice"]), direct: false };
    await show(bench, TWO, old);
    const fresh = { ...simulator.migrate(old), direct: false };
    await eventually("the move", () => intake.moves[0]);
    expect(intake.moves[0]).toEqual({ account: "telegram", from: old.conversation, to: fresh.conversation });
    expect(await channel.send({ view: TWO, part: 0, nonce: "n", ...old })).toEqual({ status: "moved", conversation: fresh.conversation });
    expect(await channel.locate({ kind: "place", conversation: old.conversation })).toMatchObject({ conversation: fresh.conversation });
    const { id } = await show(bench, TWO, fresh);
    await choose(person, seenBy(person, fresh, id), HOLD);
    expect(await intake.waitsFor("press")).toMatchObject({ conversation: fresh.conversation });
    expect(await channel.redraw(redrawOrder(endedView(TWO, "Hold"), old, id))).toMatchObject({ status: "moved" });
  });
});
