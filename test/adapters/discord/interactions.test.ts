/** Presses and modals: their 3 s, their one first answer, their private words. Case ids: shared/cases. */
import { afterEach, describe, expect, it } from "vitest";
import { eventually, simPlace } from "../../../src/testing/contract/bench.js";
import { choose, controlWith, redrawOrder, seenBy, show } from "../../../src/testing/contract/channel-orders.js";
import { choiceView, endedView, formView, textView, tokenOn } from "../../../src/testing/contract/views.js";
import { type DiscordBench, openBench } from "./bench.js";

const TWO = choiceView(["Ship", "Hold"], {}, { other: true });
const SHIP = tokenOn("choice", { kind: "option", index: 0 });
const CALLBACK = "POST /interactions/:id/:token/callback";
const FOLLOW_UP = "POST /webhooks/:id/:token";
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

describe("acknowledging", () => {
  it("B003 two presses of one button are both acknowledged and are two inputs", async () => {
    const bench = await open();
    const { person, direct, intake, simulator } = bench;
    const { id } = await show(bench, TWO, direct);
    const message = seenBy(person, direct, id);
    const results = await Promise.all([choose(person, message, SHIP), choose(person, message, SHIP)]);
    expect(results.map(({ acknowledged }) => acknowledged)).toEqual([true, true]);
    const [first, second] = await intake.waitsForCount(2);
    expect(first?.id).not.toBe(second?.id);
    expect(simulator.interactions.answers.map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
  });

  it("B004 twenty quick presses are each acknowledged at once, while edits are slow", async () => {
    const bench = await open();
    const { channel, person, direct, intake, simulator } = bench;
    const { id } = await show(bench, TWO, direct);
    simulator.faults.on(EDIT, { kind: "delay", ms: 400 }, { times: 3 });
    const drawing = channel.redraw(redrawOrder(endedView(TWO, "Ship · Alice, 14:03"), direct, id));
    const message = seenBy(person, direct, id);
    const results = await Promise.all(Array.from({ length: 20 }, () => choose(person, message, SHIP)));
    expect(results.every(({ acknowledged, afterMs }) => acknowledged && afterMs < 1_000)).toBe(true);
    expect(await intake.waitsForCount(20)).toHaveLength(20);
    expect(await drawing).toEqual({ status: "done" });
  });

  it("O66 a press is acknowledged before slow work, and the word follows", async () => {
    const bench = await open();
    const { person, room, intake } = bench;
    const { id } = await show(bench, TWO, room);
    const release = intake.hold();
    intake.says(() => ({ kind: "word", text: "This is for Bob." }));
    const result = await choose(person, seenBy(person, room, id), SHIP);
    expect(result.acknowledged && result.afterMs < 1_000).toBe(true);
    expect(intake.taken).toEqual([]);
    release();
    await person.waitsFor(({ text, onlyTo }) => text === "This is for Bob." && onlyTo === person.userId, { in: simPlace(room) });
    expect(intake.taken).toHaveLength(1);
  });

  it("B003 a press that is redelivered after its answer ends in no error and no second answer", async () => {
    const bench = await open();
    const { person, direct, intake, simulator } = bench;
    const { id } = await show(bench, TWO, direct);
    await choose(person, seenBy(person, direct, id), SHIP);
    await intake.waitsForCount(1);
    await simulator.redeliverLast();
    await intake.waitsForCount(2);
    await eventually("the second answer's refusal", () => (simulator.interactions.answers.length === 2 ? true : undefined));
    expect(simulator.interactions.answers.map(({ outcome }) => outcome)).toEqual(["ok", "40060"]);
    expect(bench.log.lines.filter(({ level }) => level === "error")).toEqual([]);
  });
});

describe("forms", () => {
  it("B017 a form is the one and only first answer", async () => {
    const bench = await open();
    const { person, direct, intake, simulator } = bench;
    await show(bench, textView(), direct);
    intake.says((input) => (input.kind === "press" ? { kind: "form", form: formView(input.token) } : { kind: "taken" }));
    const modal = await person.opensModal("Write…");
    expect(modal.fields.map(({ key, multiline }) => ({ key, multiline }))).toEqual([{ key: "answer", multiline: true }]);
    expect(simulator.interactions.answers.map(({ type, outcome }) => [type, outcome])).toEqual([[9, "ok"]]);
  });

  it("B011 opening a modal three times and sending it once gives one submission and no refused answer", async () => {
    const bench = await open();
    const { person, direct, intake, simulator } = bench;
    await show(bench, textView(), direct);
    intake.says((input) => (input.kind === "press" ? { kind: "form", form: formView(input.token) } : { kind: "taken" }));
    (await person.opensModal("Write…")).dismiss();
    (await person.opensModal("Write…")).dismiss();
    await (await person.opensModal("Write…")).submit({ answer: "blue" });
    expect(await intake.waitsFor("submit")).toMatchObject({ values: { answer: "blue" } });
    expect(intake.taken.filter(({ kind }) => kind === "submit")).toHaveLength(1);
    expect(simulator.interactions.answers.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok", "ok"]);
  });

  it("a form whose press is not stored in time is put off, and the person is asked to press again", async () => {
    const bench = await open({ simulate: { ackMs: 3_000 } });
    const { person, direct, intake } = bench;
    const { id } = await show(bench, textView(), direct);
    const release = intake.hold();
    intake.says((input) => ({ kind: "form", form: formView(input.kind === "press" ? input.token : "") }));
    const result = await choose(person, seenBy(person, direct, id), tokenOn("text", { kind: "write" }));
    expect(result.acknowledged && result.afterMs < 3_000).toBe(true);
    release();
    await person.waitsFor(({ text, onlyTo }) => onlyTo !== undefined && text.includes("press again"));
  });

  it("a form whose press cannot be stored is answered with a private word", async () => {
    const bench = await open();
    const { person, direct, intake } = bench;
    const { id } = await show(bench, textView(), direct);
    intake.failNext();
    const result = await choose(person, seenBy(person, direct, id), tokenOn("text", { kind: "write" }));
    expect(result.word).toContain("couldn't save");
  });

  it("values that cannot be taken are named to the person in private", async () => {
    const bench = await open();
    const { person, room, intake, other } = bench;
    await show(bench, TWO, room);
    intake.says((input) =>
      input.kind === "press"
        ? { kind: "form", form: formView(input.token) }
        : { kind: "invalid", fields: [{ key: "percent", message: "must be a number from 1 to 100." }] },
    );
    const modal = await person.opensModal("Other…", { in: simPlace(room) });
    await modal.submit({ answer: "many" });
    await person.waitsFor(({ text, onlyTo }) => onlyTo === person.userId && text === "percent: must be a number from 1 to 100.", {
      in: simPlace(room),
    });
    expect(other.reads(simPlace(room)).some(({ text }) => text.includes("percent"))).toBe(false);
  });

  it("B058 a modal's title and label of 46 characters are cut to 45, the whole label stands below", async () => {
    const bench = await open();
    const { person, direct, intake } = bench;
    await show(bench, textView(), direct);
    const long = `${"x".repeat(45)}!`;
    const form = formView(tokenOn("text", { kind: "write" }), {
      title: long,
      fields: [{ key: "answer", label: long, multiline: false, required: true }],
    });
    intake.says(() => ({ kind: "form", form }));
    const modal = await person.opensModal("Write…");
    expect(modal.title).toHaveLength(45);
    expect(modal.fields[0]?.label).toHaveLength(45);
    expect(JSON.stringify(callsOf(bench, CALLBACK).at(-1)?.body)).toContain(`"description":"${long}"`);
  });
});

describe("private words", () => {
  const word = "Recorded: Ship.";

  async function pressed(bench: DiscordBench): Promise<{ readonly handle: string; readonly id: string }> {
    const { person, room, intake } = bench;
    const { id } = await show(bench, TWO, room);
    await choose(person, seenBy(person, room, id), SHIP);
    const { handle = "" } = await intake.waitsFor("press");
    return { handle, id };
  }

  it("B019 when the token is dead the word goes once to the direct chat, not to the channel, and the token is not tried again", async () => {
    const bench = await open();
    const { channel, person, room, simulator } = bench;
    const { handle, id } = await pressed(bench);
    simulator.faults.on(FOLLOW_UP, { kind: "refuse", code: 10015 }, { times: 5 });
    const told = await channel.notify({ text: word, handle, ...room, userId: person.userId, aboutMessageId: id, tone: "calm" });
    expect(told).toEqual({ status: "done" });
    expect(callsOf(bench, FOLLOW_UP)).toHaveLength(1);
    expect(person.reads().map(({ text }) => text)).toContain(word);
    expect(person.reads(simPlace(room)).some(({ text }) => text.includes(word))).toBe(false);
  });

  it("B019 a token past its 15 minutes is not tried at all", async () => {
    const bench = await open();
    const { channel, person, room } = bench;
    await pressed(bench);
    const handle = `${bench.simulator.world.applicationId}/300000000000000000/old-token`;
    expect(await channel.notify({ text: word, handle, ...room, userId: person.userId, tone: "calm" })).toEqual({ status: "done" });
    expect(callsOf(bench, FOLLOW_UP)).toEqual([]);
    expect(person.reads().map(({ text }) => text)).toContain(word);
  });

  it("a word that reaches nobody is gone: dead token and closed direct messages", async () => {
    const bench = await open();
    const { channel, person, room, simulator } = bench;
    const { handle } = await pressed(bench);
    simulator.tokenLifeMs = 0;
    simulator.blockBot(person.name);
    expect(await channel.notify({ text: word, handle, ...room, userId: person.userId, tone: "alert" })).toEqual({ status: "gone" });
  });

  it("a word has its choices as buttons, and their presses carry the tokens", async () => {
    const bench = await open();
    const { channel, person, direct, intake } = bench;
    const token = `s${"0".repeat(26)}.q0`;
    const buttons = [
      { token, label: "K7QM Release 42" },
      { token: `s${"0".repeat(26)}.q1`, label: "P3XD Rotate keys" },
    ];
    await channel.notify({ text: "Which one?", ...direct, userId: person.userId, tone: "alert", buttons });
    await person.press("K7QM Release 42");
    expect(await intake.waitsFor("press")).toMatchObject({ token });
  });

  it("the same word tried twice within minutes is one message", async () => {
    const bench = await open();
    const { channel, person, direct, simulator } = bench;
    const order = { text: word, ...direct, userId: person.userId, tone: "calm" } as const;
    simulator.faults.on("POST /channels/:id/messages", { kind: "drop_response" });
    expect(await channel.notify(order)).toMatchObject({ status: "unknown" });
    expect(await channel.notify(order)).toEqual({ status: "done" });
    expect(person.reads().filter(({ text }) => text === word)).toHaveLength(1);
  });

  it("B020 a closing edit goes by the channel, however old the interaction is", async () => {
    const bench = await open();
    const { channel, person, room, simulator } = bench;
    const { id } = await pressed(bench);
    simulator.tokenLifeMs = 0;
    expect(await channel.redraw(redrawOrder(endedView(TWO, "Ship · Alice, 14:03"), room, id))).toEqual({ status: "done" });
    expect(seenBy(person, room, id).buttons).toEqual([]);
    expect(callsOf(bench, EDIT)).toHaveLength(1);
    expect(simulator.calls.some(({ method }) => method.includes("/webhooks/"))).toBe(false);
  });
});

describe("where a press comes from", () => {
  it("O24 a press in a thread whose payload has no channel object is resolved to the parent", async () => {
    const bench = await open();
    const { person, thread, intake, simulator } = bench;
    const { id } = await show(bench, TWO, thread);
    simulator.bareChannel = true;
    await choose(person, seenBy(person, thread, id), SHIP);
    expect(await intake.waitsFor("press")).toMatchObject({ conversation: thread.conversation, thread: thread.thread, direct: false });
  });

  it("O24 a look-up that hangs does not hold the acknowledgement, and ends within bounded time", async () => {
    const bench = await open();
    const { person, room, intake, simulator } = bench;
    const late = { ...simulator.startThread(room, "late"), direct: false };
    const { id } = await show(bench, TWO, late);
    const fresh = await bench.again();
    await bench.channel.close();
    await fresh.open(intake);
    simulator.bareChannel = true;
    simulator.faults.on("GET /channels/:id", { kind: "delay", ms: 60_000 });
    const result = await choose(person, seenBy(person, late, id), SHIP);
    expect(result.acknowledged).toBe(true);
    expect(await intake.waitsFor("press")).toMatchObject({ token: SHIP, message: { id } });
  });

  it("O49 B087 after a restart with nothing remembered, presses on old messages in servers and direct chats are taken", async () => {
    const bench = await open();
    const { channel, person, direct, room, intake, memory } = bench;
    const inRoom = await show(bench, TWO, room);
    const inDirect = await show(bench, TWO, direct);
    await channel.close();
    memory.values.clear();
    const next = await bench.again();
    await next.open(intake);
    await choose(person, seenBy(person, direct, inDirect.id), SHIP);
    await choose(person, seenBy(person, room, inRoom.id), SHIP);
    const presses = await intake.waitsForCount(2);
    expect(presses.map(({ conversation }) => conversation)).toEqual([direct.conversation, room.conversation]);
  });

  it("B062 an entry of the second menu is taken by its own token", async () => {
    const bench = await open();
    const { person, direct, intake } = bench;
    const view = choiceView(Array.from({ length: 60 }, (_, index) => `Way ${index + 1}`));
    const { id } = await show(bench, view, direct);
    const token = tokenOn("choice", { kind: "option", index: 25 });
    const message = seenBy(person, direct, id);
    expect(controlWith(message, token)?.label).toBe("Way 26");
    await choose(person, message, token);
    expect(await intake.waitsFor("press")).toMatchObject({ token });
  });
});
