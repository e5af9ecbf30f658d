/** When an event is confirmed, and how forms open: cases of cases/platforms.md and questions.md by their ids. */
import { describe, expect, it } from "vitest";
import { eventually } from "../../../src/testing/contract/bench.js";
import { redrawOrder, seenBy, show } from "../../../src/testing/contract/channel-orders.js";
import { choiceView, endedView, formView, textView } from "../../../src/testing/contract/views.js";
import { gate, usedBenches } from "./bench.js";

const bench = usedBenches();
const TWO = choiceView(["Ship", "Hold"]);
const OTHER = choiceView(["Ship", "Hold"], {}, { other: true });

describe("acknowledgements", () => {
  it("B002 an event is confirmed although an edit takes long; its copy has the same identity", async () => {
    const { channel, simulator, intake, person, direct } = await bench();
    const { id } = await show({ channel }, TWO, direct);
    simulator.faults.on("chat.update", { kind: "delay", ms: 400 });
    const drawing = channel.redraw(redrawOrder(endedView(TWO, "Ship · Alice, 14:03"), direct, id));
    await person.types("blue");
    const first = await intake.waitsFor("text");
    await eventually("the confirmation", () => simulator.deliveries.findLast(({ outcome }) => outcome === "acknowledged"));
    expect(simulator.deliveries.at(-1)?.afterMs ?? 1_000).toBeLessThan(400);
    await simulator.redeliverLast();
    expect((await intake.waitsForCount(2))[1]).toEqual(first);
    expect(await drawing).toEqual({ status: "done" });
  });

  it("B004 twenty presses within a moment are each confirmed on arrival", async () => {
    const { channel, simulator, intake, person, direct } = await bench();
    const { id } = await show({ channel }, TWO, direct);
    const on = seenBy(person, direct, id);
    simulator.faults.on("chat.update", { kind: "delay", ms: 400 });
    const drawing = channel.redraw(redrawOrder(endedView(TWO, "Ship · Alice, 14:03"), direct, id));
    const results = await Promise.all(Array.from({ length: 20 }, () => person.press("Ship", { on })));
    for (const { acknowledged, afterMs } of results) expect(acknowledged && afterMs < 500).toBe(true);
    expect(new Set(intake.taken.map((input) => input.id)).size).toBe(20);
    await drawing;
  });

  it("R22 nothing is confirmed before the host has stored it", async () => {
    const { channel, simulator, intake, person, direct } = await bench();
    await show({ channel }, TWO, direct);
    const { opened, open } = gate();
    intake.says(async () => {
      await opened;
      return { kind: "taken" };
    });
    const pressing = person.press("Ship");
    await intake.waitsFor("press");
    expect(simulator.deliveries.filter(({ kind }) => kind === "interactive")).toEqual([]);
    open();
    expect((await pressing).acknowledged).toBe(true);
  });

  it("B191 a host that throws at once or rejects leaves the event unconfirmed and the intake alive", async () => {
    const { channel, simulator, intake, person, direct } = await bench();
    await show({ channel }, TWO, direct);
    intake.says(() => {
      throw new Error("thrown at once");
    });
    expect((await person.press("Ship")).acknowledged).toBe(false);
    intake.says(() => Promise.reject(new Error("rejected")));
    expect((await person.press("Ship")).acknowledged).toBe(false);
    expect(simulator.deliveries.filter(({ kind, outcome }) => kind === "interactive" && outcome === "acknowledged")).toEqual([]);
    intake.says(() => ({ kind: "taken" }));
    expect((await person.press("Ship")).acknowledged).toBe(true);
  });

  it("O64 a press that could not be stored leaves the controls, tells the person in private, and works again", async () => {
    const { channel, intake, person, direct, other } = await bench();
    const { id } = await show({ channel }, TWO, direct);
    intake.failNext();
    expect((await person.press("Ship")).acknowledged).toBe(false);
    const word = await person.waitsFor(({ onlyTo, text }) => onlyTo === person.userId && text.includes("couldn't save that"));
    expect(word.mentions).toEqual([]);
    expect(other.reads(direct)).toEqual([]);
    expect(seenBy(person, direct, id).buttons).toHaveLength(3);
    expect((await person.press("Ship")).acknowledged).toBe(true);
    await intake.waitsFor("press");
  });

  it("a press that cannot be stored in time is confirmed bare, with a private word", async () => {
    const { channel, intake, person, direct } = await bench({ settings: { saveTimeoutMs: 100 } });
    await show({ channel }, TWO, direct);
    const { opened, open } = gate();
    intake.says(async () => {
      await opened;
      return { kind: "taken" };
    });
    expect((await person.press("Ship")).acknowledged).toBe(true);
    await person.waitsFor(
      ({ onlyTo, text }) => onlyTo === person.userId && text.includes('"Ship"') && text.includes("Pressing again is safe"),
    );
    open();
  });

  it("a modal that cannot be stored in time stays open with what was typed", async () => {
    const { channel, intake, person, direct } = await bench({ settings: { saveTimeoutMs: 100 } });
    await show({ channel }, textView(), direct);
    const { opened, open } = gate();
    intake.says(async (input) => {
      if (input.kind === "press") return { kind: "form", form: formView(input.token) };
      await opened;
      return { kind: "taken" };
    });
    const modal = await person.opensModal("Write…");
    expect(Object.keys(await modal.submit({ answer: "blue" }))).toEqual(["answer"]);
    open();
    intake.says(() => ({ kind: "taken" }));
    expect(await modal.submit({ answer: "blue" })).toEqual({});
  });

  it("B193 a press that is being stored when the channel stops is confirmed", async () => {
    const { channel, intake, person, direct } = await bench();
    await show({ channel }, TWO, direct);
    const { opened, open } = gate();
    intake.says(async () => {
      await opened;
      return { kind: "taken" };
    });
    const pressing = person.press("Ship");
    await intake.waitsFor("press");
    const closing = channel.close();
    open();
    await closing;
    expect((await pressing).acknowledged).toBe(true);
    expect(intake.taken).toHaveLength(1);
  });
});

describe("forms", () => {
  it("B014 views.open is the first call after the press, before the acknowledgement", async () => {
    const { channel, simulator, intake, person, direct } = await bench();
    await show({ channel }, OTHER, direct);
    intake.says((input) => ({ kind: "form", form: formView(input.kind === "press" ? input.token : "") }));
    let confirmed: number | undefined;
    simulator.faults.on("views.open", {
      kind: "hook_before",
      hook: () => {
        confirmed = simulator.deliveries.filter(({ kind, outcome }) => kind === "interactive" && outcome === "acknowledged").length;
      },
    });
    const before = simulator.calls.length;
    await person.opensModal("Other…");
    const after = simulator.calls.slice(before).filter(({ method }) => method !== "users.info");
    expect(after.map(({ method }) => method)).toEqual(["views.open"]);
    expect(confirmed).toBe(0);
  });

  it("B014 a trigger that ran out opens nothing, and the person is told", async () => {
    let lateMs = 0;
    const { channel, intake, person, direct } = await bench({ simulator: { now: () => Date.now() + lateMs } });
    await show({ channel }, OTHER, direct);
    intake.says((input) => {
      lateMs = 3_500;
      return { kind: "form", form: formView(input.kind === "press" ? input.token : "") };
    });
    expect((await person.press("Other…")).acknowledged).toBe(true);
    await person.waitsFor(({ onlyTo, text }) => onlyTo === person.userId && text.includes("couldn't open the form"));
  });

  it("O69 a modal that cannot open is told in private; the text route still works", async () => {
    const { channel, simulator, intake, person, direct } = await bench();
    await show({ channel }, OTHER, direct);
    intake.says((input) => (input.kind === "press" ? { kind: "form", form: formView(input.token) } : { kind: "taken" }));
    simulator.faults.on("views.open", { kind: "refuse", code: "expired_trigger_id" });
    expect((await person.press("Other…")).acknowledged).toBe(true);
    await person.waitsFor(({ onlyTo, text }) => onlyTo === person.userId && text.includes("couldn't open the form"));
    await person.types("next week");
    expect(await intake.waitsFor("text")).toMatchObject({ text: "next week" });
  });

  it("B011 a modal that was dismissed and opened again is submitted once, in the place of its press", async () => {
    const { channel, intake, person, thread } = await bench();
    await show({ channel }, OTHER, thread);
    intake.says((input) => (input.kind === "press" ? { kind: "form", form: formView(input.token) } : { kind: "taken" }));
    const on = person.reads(thread).findLast(({ buttons }) => buttons.length > 0);
    for (let round = 0; round < 2; round += 1) (await person.opensModal("Other…", { ...(on && { on }) })).dismiss();
    const modal = await person.opensModal("Other…", { ...(on && { on }) });
    expect(await modal.submit({ answer: "blue" })).toEqual({});
    const submit = await intake.waitsFor("submit");
    expect(submit).toMatchObject({ values: { answer: "blue" }, conversation: thread.conversation, thread: thread.thread });
    const notice = {
      text: 'Recorded: "blue".',
      ...thread,
      userId: person.userId,
      tone: "calm",
      ...(submit.handle && { handle: submit.handle }),
    } as const;
    expect(await channel.notify(notice)).toEqual({ status: "done" });
    await person.waitsFor(({ text, onlyTo }) => text === 'Recorded: "blue".' && onlyTo === person.userId, { in: thread });
  });
});
