/** The channel contract, what comes in: CH1 to CH19. */
import { expect, it } from "vitest";
import type { Input } from "../../core/input.js";
import { type ChannelBench, eventually, simPlace } from "./bench.js";
import { choose, redrawOrder, seenBy, show } from "./channel-orders.js";
import { choiceView, endedView, formView, textView, tokenOn } from "./views.js";

const TWO = choiceView(["Ship", "Hold"]);
const SHIP = tokenOn("choice", { kind: "option", index: 0 });
const OTHER = tokenOn("choice", { kind: "other" });
const FIELD_FAULT = "Give a colour, not a number.";

const isText =
  (text: string) =>
  (input: Input): boolean =>
    input.kind === "text" && input.text === text;

/** All texts that were stored, in order. */
function texts({ intake }: ChannelBench): readonly string[] {
  return intake.taken.flatMap((input) => (input.kind === "text" ? [input.text] : []));
}

/** True when the person can read `text` privately: as the reply to the press or as a message only this person sees. */
function readPrivately({ person }: ChannelBench, place: { conversation: string }, text: string, word: string | undefined): boolean {
  if (word?.includes(text) === true) return true;
  return person.reads(place).some((message) => message.onlyTo !== undefined && message.text.includes(text));
}

/** Registers CH1 to CH22; `open` gives a fresh bench. */
export function inputClauses(open: () => Promise<ChannelBench>): void {
  pressClauses(open);
  typedClauses(open);
  confirmationClauses(open);
  formClauses(open);
  lifeClauses(open);
}

function pressClauses(open: () => Promise<ChannelBench>): void {
  it("CH1 a press carries the button's token, its message and the one who pressed", async () => {
    const bench = await open();
    const { channel, intake, person, direct } = bench;
    const message = await show(bench, TWO, direct);
    const result = await choose(person, seenBy(person, direct, message.id), SHIP);
    const press = await intake.waitsFor("press");
    expect(press).toMatchObject({
      token: SHIP,
      account: channel.account,
      channel: channel.kind,
      conversation: direct.conversation,
      direct: true,
      sender: { userId: person.userId, name: person.name },
      message: { id: message.id, order: message.order },
    });
    expect(press.id).not.toBe("");
    expect(press.handle === undefined || press.handle.length <= 2_000).toBe(true);
    expect(result.acknowledged).toBe(true);
    expect(intake.taken).toHaveLength(1);
  });

  it("CH2 a press in a shared place is not direct and names who pressed", async () => {
    const bench = await open();
    const { intake, other, room } = bench;
    const message = await show(bench, TWO, room);
    await choose(other, seenBy(other, room, message.id), SHIP);
    expect(await intake.waitsFor("press")).toMatchObject({
      conversation: room.conversation,
      direct: false,
      sender: { userId: other.userId },
      message: { id: message.id },
    });
  });

  it("CH3 a redelivered press repeats the same identity", async () => {
    const bench = await open();
    const { simulator, intake, person, direct } = bench;
    const message = await show(bench, TWO, direct);
    await choose(person, seenBy(person, direct, message.id), SHIP);
    const first = await intake.waitsFor("press");
    await simulator.redeliverLast();
    const [, second] = await intake.waitsForCount(2);
    expect(second).toEqual(first);
  });

  it("CH4 pressing twice gives two inputs that do not share an identity", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const message = await show(bench, TWO, direct);
    await choose(person, seenBy(person, direct, message.id), SHIP);
    await choose(person, seenBy(person, direct, message.id), SHIP);
    const [first, second] = await intake.waitsForCount(2);
    expect(first?.id).not.toBe(second?.id);
  });
}

function typedClauses(open: () => Promise<ChannelBench>): void {
  it("CH5 a typed message carries text, sender and order, and later is greater", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const prompt = await show(bench, textView(), direct);
    const stored = await person.types("42 apples & <pears>");
    const typed = await intake.waitsFor("text");
    expect(typed).toMatchObject({
      text: "42 apples & <pears>",
      conversation: direct.conversation,
      direct: true,
      sender: { userId: person.userId, name: person.name },
      message: { id: stored.id },
    });
    expect(typed.message.order > prompt.order).toBe(true);
    await person.types("second");
    const second = await intake.waitsFor("text", isText("second"));
    expect(second.message.order > typed.message.order).toBe(true);
  });

  it("CH6 a reply to the prompt names it by reply-to or by its thread", async () => {
    const bench = await open();
    const { intake, person, room } = bench;
    const prompt = await show(bench, TWO, room);
    await person.types("Ship", { replyTo: seenBy(person, room, prompt.id), in: simPlace(room) });
    const typed = await intake.waitsFor("text");
    expect([typed.replyTo, typed.thread]).toContain(prompt.id);
    expect(typed).toMatchObject({ conversation: room.conversation, direct: false });
  });

  it("CH7 a message in a thread or topic carries it, one beside it does not", async () => {
    const bench = await open();
    const { intake, person, thread } = bench;
    const prompt = await show(bench, TWO, thread);
    await person.types("in the thread", { replyTo: seenBy(person, thread, prompt.id), in: simPlace(thread) });
    const typed = await intake.waitsFor("text", isText("in the thread"));
    expect(typed).toMatchObject({ conversation: thread.conversation, thread: thread.thread });
  });

  it("CH8 a redelivered message repeats the same identity", async () => {
    const bench = await open();
    const { simulator, intake, person } = bench;
    await person.types("blue");
    const first = await intake.waitsFor("text");
    await simulator.redeliverLast();
    const [, second] = await intake.waitsForCount(2);
    expect(second).toEqual(first);
  });

  it("CH9 an edited message is not an input", async () => {
    const bench = await open();
    const { person } = bench;
    const message = await person.types("1");
    await bench.intake.waitsFor("text", isText("1"));
    await person.edits(message, "2");
    await person.types("after");
    await bench.intake.waitsFor("text", isText("after"));
    expect(texts(bench)).toEqual(["1", "after"]);
  });

  it("CH10 the bot's own messages and edits are never inputs", async () => {
    const bench = await open();
    const { channel, intake, person, direct, room } = bench;
    const message = await show(bench, TWO, direct);
    await show(bench, TWO, room);
    expect(await channel.redraw(redrawOrder(endedView(TWO, "Ship · Alice, 14:03"), direct, message.id))).toEqual({ status: "done" });
    await person.types("after");
    await intake.waitsFor("text");
    expect(intake.taken).toHaveLength(1);
  });

  it("CH11 what has no text is unreadable, and says which message it answers", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const prompt = await show(bench, TWO, direct);
    await person.sendsMedia("voice", { replyTo: seenBy(person, direct, prompt.id) });
    const input = await intake.waitsFor("unreadable");
    expect(input).toMatchObject({ why: "media", conversation: direct.conversation, direct: true });
    expect([input.replyTo, input.thread]).toContain(prompt.id);
  });
}

function confirmationClauses(open: () => Promise<ChannelBench>): void {
  it("CH12 a message that could not be stored is delivered again with the same identity", async () => {
    const bench = await open();
    const { intake, person } = bench;
    intake.failNext();
    await person.types("blue");
    const failed = await eventually("the failed take", () => intake.failed[0]);
    await bench.provokeRedelivery?.();
    expect(await intake.waitsFor("text")).toEqual(failed);
  });

  it("CH13 a press that could not be stored is delivered again, or the person is told", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const message = await show(bench, TWO, direct);
    intake.failNext();
    const result = await choose(person, seenBy(person, direct, message.id), SHIP);
    await eventually("the failed take", () => intake.failed[0]);
    await eventually("a repeat, a private word or no acknowledgement", () => {
      const told =
        !result.acknowledged || result.word !== undefined || person.reads(simPlace(direct)).some(({ onlyTo }) => onlyTo !== undefined);
      return told || intake.taken.length > 0 ? true : undefined;
    });
    for (const repeat of intake.taken) expect(repeat.id).toBe(intake.failed[0]?.id);
  });

  it("CH14 one input that fails does not end the intake", async () => {
    const bench = await open();
    const { intake, person } = bench;
    intake.failNext();
    await person.types("first");
    await eventually("the failed take", () => intake.failed[0]);
    await bench.provokeRedelivery?.();
    await person.types("second");
    await intake.waitsFor("text", isText("second"));
    // A platform may bring the first one again after the second.
    await intake.waitsFor("text", isText("first"));
    expect(new Set(texts(bench))).toEqual(new Set(["first", "second"]));
  });

  it("CH15 a refusal before anything is stored is a private word to the one who pressed", async () => {
    const bench = await open();
    const { intake, person, other, room } = bench;
    const message = await show(bench, TWO, room);
    const word = "This is for Bob. Nothing was changed.";
    intake.says(() => ({ kind: "word", text: word }));
    const result = await choose(person, seenBy(person, room, message.id), SHIP);
    await eventually("the private word", () => (readPrivately(bench, simPlace(room), word, result.word) ? true : undefined));
    expect(other.reads(simPlace(room)).some(({ text }) => text.includes(word))).toBe(false);
  });

  it("CH16 a notice with the press's handle is seen only by the one who pressed", async () => {
    const bench = await open();
    const { channel, intake, person, other, room } = bench;
    const message = await show(bench, TWO, room);
    const pressing = choose(person, seenBy(person, room, message.id), SHIP);
    const press = await intake.waitsFor("press");
    const word = "Recorded: Ship.";
    const notice = await channel.notify({
      text: word,
      ...(press.handle === undefined ? {} : { handle: press.handle }),
      ...room,
      userId: person.userId,
      aboutMessageId: message.id,
      tone: "calm",
    });
    const result = await pressing;
    expect(notice).toEqual({ status: "done" });
    await eventually("the private word", () => (readPrivately(bench, simPlace(room), word, result.word) ? true : undefined));
    expect(other.reads(simPlace(room)).some(({ text }) => text.includes(word))).toBe(false);
  });
}

function formClauses(open: () => Promise<ChannelBench>): void {
  const view = choiceView(["Ship", "Hold"], {}, { other: true });

  it("CH17 a form opens as the response to a press, and its submission carries the token and the values", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const message = await show(bench, view, direct);
    intake.says((input) => (input.kind === "press" ? { kind: "form", form: formView(input.token) } : { kind: "taken" }));
    const modal = await person.opensModal("Other…", { on: seenBy(person, direct, message.id), in: simPlace(direct) });
    const key = modal.fields[0]?.key ?? "";
    await modal.submit({ [key]: "next week, <maybe> & not before" });
    expect(await intake.waitsFor("submit")).toMatchObject({
      token: OTHER,
      values: { answer: "next week, <maybe> & not before" },
      conversation: direct.conversation,
      sender: { userId: person.userId },
    });
  });

  it("CH18 values that cannot be taken are told to the person, beside the field where the platform can", async () => {
    const bench = await open();
    const { channel, intake, person, direct } = bench;
    const message = await show(bench, view, direct);
    intake.says((input) => {
      if (input.kind === "press") return { kind: "form", form: formView(input.token) };
      return { kind: "invalid", fields: [{ key: "answer", message: FIELD_FAULT }] };
    });
    const modal = await person.opensModal("Other…", { on: seenBy(person, direct, message.id), in: simPlace(direct) });
    const key = modal.fields[0]?.key ?? "";
    const errors = await modal.submit({ [key]: "7" });
    if (channel.supports.fieldErrors) {
      expect(Object.values(errors)).toEqual([FIELD_FAULT]);
      return;
    }
    await person.waitsFor(({ text }) => text.includes(FIELD_FAULT), { in: simPlace(direct) });
    expect(errors).toEqual({});
  });
}

function lifeClauses(open: () => Promise<ChannelBench>): void {
  it("CH19 open and close may be repeated; handlers are registered once", async () => {
    const bench = await open();
    const { channel, intake, person, direct } = bench;
    const message = await show(bench, TWO, direct);
    for (let round = 0; round < 3; round += 1) {
      await channel.close();
      await channel.open(intake);
    }
    await choose(person, seenBy(person, direct, message.id), SHIP);
    await person.types("after");
    await intake.waitsFor("text");
    expect(intake.taken.filter(({ kind }) => kind === "press")).toHaveLength(1);
    expect(channel.health().state).toBe("up");
  });

  it("CH20 a lost connection is mended by the adapter", async () => {
    const bench = await open();
    const { channel, simulator, intake, person } = bench;
    simulator.resetConnections();
    await person.types("after the cut");
    expect(await intake.waitsFor("text")).toMatchObject({ text: "after the cut" });
    await eventually(
      "health to say up",
      () => (channel.health().state === "up" ? true : undefined),
      () => channel.health(),
    );
  });

  it("CH21 a stopped bridge confirms what was stored: after a restart nothing comes twice unknown", async () => {
    const bench = await open();
    const { channel, intake, person } = bench;
    await person.types("before the stop");
    const first = await intake.waitsFor("text");
    await channel.close();
    const next = await bench.again();
    await next.open(intake);
    await person.types("after the start");
    await intake.waitsFor("text", isText("after the start"));
    for (const input of intake.taken) if (isText("before the stop")(input)) expect(input).toEqual(first);
    expect(new Set(texts(bench))).toEqual(new Set(["before the stop", "after the start"]));
  });

  it("CH22 replies typed while the bridge was away can be read back, where the platform keeps them", async () => {
    const bench = await open();
    const { channel, intake, person, direct } = bench;
    const prompt = await show(bench, textView(), direct);
    await person.types("while it was up", { replyTo: seenBy(person, direct, prompt.id) });
    const live = await intake.waitsFor("text");
    const back = await channel.readBack({ ...direct, messageIds: [prompt.id] });
    expect(back).toEqual(channel.supports.readBack ? [live] : []);
  });
}
