/** Who may answer, how often, until when: on each platform, end to end. */
import { describe, expect, it } from "vitest";
import { eventually } from "../fixtures/eventually.js";
import { METHODS, outcomeOf, placeOf, sharedRoom, WAYS } from "./room.js";

const OPTIONS = ["staging", "prod"] as const;
const NOT_YOU = /^This is for Alice\. Nothing was changed\.$/m;

describe.each(WAYS)("%s: who, how often, until when", (way) => {
  const room = sharedRoom(way);

  it("B117 B119 B139 O33 O34 another person is refused privately, pressing and typing; the question stays open", async () => {
    const { alice, bob, mallory, releases, bridge, to } = room.now;
    const question = await bridge.ask({ text: "Only Alice?", options: OPTIONS, to, audience: "alice" });
    const prompt = await room.now.prompt(alice, "Only Alice?", releases);
    for (const person of [bob, mallory]) {
      const result = await person.press("prod", { on: prompt, in: releases });
      await room.now.told(person, NOT_YOU, { result, place: releases });
      await person.types("prod", { replyTo: prompt, in: releases });
      await eventually(async () => expect(await room.now.count(question, "input.refused")).toBe(person === bob ? 2 : 4));
    }
    const overheard = alice
      .reads(releases)
      .filter(({ from, text, onlyTo }) => from === "bot" && onlyTo === undefined && NOT_YOU.test(text));
    expect(overheard.every(({ replyTo }) => replyTo !== undefined)).toBe(true);
    expect((await question.record()).status).toBe("open");
    await alice.press("staging", { on: prompt, in: releases });
    expect(await outcomeOf(question)).toMatchObject({ status: "answered", value: "staging", by: { person: "alice" } });
    await room.now.closed(bob, prompt, "staging · Alice");
  });

  it("B003 B113 O67 O71 a second press changes nothing: the same person and another one read what counted", async () => {
    const { alice, bob, mallory, releases, bridge, to } = room.now;
    const question = await bridge.ask({ text: "Pressed twice?", options: OPTIONS, to, audience: ["alice", "bob"] });
    const prompt = await room.now.prompt(alice, "Pressed twice?", releases);
    const { edit } = METHODS[room.now.chat];
    room.now.simulator.faults.on(edit, { kind: "delay", ms: 400 });
    await alice.press("staging", { on: prompt, in: releases });
    expect(await outcomeOf(question)).toMatchObject({ value: "staging", by: { person: "alice" } });
    const [again, other, stranger] = await Promise.all([
      alice.press("prod", { on: prompt, in: releases }),
      bob.press("prod", { on: prompt, in: releases }),
      mallory.press("prod", { on: prompt, in: releases }),
    ]);
    await room.now.told(alice, /You already answered: staging\./, { result: again, place: releases });
    await room.now.told(bob, /Too late: Alice answered "staging" at /, { result: other, place: releases });
    await room.now.told(mallory, /This is for Alice and Bob\. Nothing was changed\./, { result: stranger, place: releases });
    expect(await room.now.count(question, "question.answered")).toBe(1);
    await room.now.closed(bob, prompt, "staging · Alice");
    expect(await outcomeOf(question)).toMatchObject({ value: "staging" });
  });

  it("B140 O46 O73 a press after the time ran out is told so, names nobody, and counts for nothing", async () => {
    const { alice, bridge, simulator, chat } = room.now;
    const question = await bridge.ask({ text: "Quickly?", options: OPTIONS, to: "alice", timeout: "1s" });
    const prompt = await room.now.prompt(alice, "Quickly?");
    simulator.faults.on(METHODS[chat].edit, { kind: "delay", ms: 400 });
    const outcome = await outcomeOf(question);
    expect(outcome).toMatchObject({ status: "expired" });
    expect(outcome).not.toHaveProperty("by");
    const result = await alice.press("prod", { on: prompt });
    await room.now.told(alice, /Too late: time ran out at .* and nobody answered\./, { result });
    await room.now.closed(alice, prompt, "Nobody answered by");
    expect(await question.outcome()).toEqual(outcome);
  });

  it("B161 O55 a press after the asker withdrew is told so", async () => {
    const { alice, bridge, simulator, chat } = room.now;
    const question = await bridge.ask({ text: "Withdrawn?", options: OPTIONS, to: "alice" });
    const prompt = await room.now.prompt(alice, "Withdrawn?");
    simulator.faults.on(METHODS[chat].edit, { kind: "delay", ms: 400 });
    expect(await question.cancel("not needed")).toMatchObject({ status: "cancelled", code: "withdrawn" });
    const result = await alice.press("prod", { on: prompt });
    await room.now.told(alice, /Withdrawn by ci at .*: "not needed"\./, { result });
    await room.now.closed(alice, prompt, "Withdrawn by ci");
  });

  it("O43 the end closes every copy: the direct chat's and the channel's", async () => {
    const { alice, bob, releases, bridge, to } = room.now;
    const question = await bridge.ask({ text: "Two copies?", options: OPTIONS, to: ["alice", to], audience: ["alice", "bob"] });
    const direct = await room.now.prompt(alice, "Two copies?");
    const shared = await room.now.prompt(bob, "Two copies?", releases);
    await bob.press("prod", { on: shared, in: releases });
    expect(await outcomeOf(question)).toMatchObject({ value: "prod", by: { person: "bob" } });
    await room.now.closed(alice, direct, "prod · Bob");
    await room.now.closed(alice, shared, "prod · Bob");
    expect((await question.record()).deliveries).toHaveLength(2);
  });

  it("B002 B005 O51 O53 the same press and the same reply, delivered again, are one answer", async () => {
    const { alice, bridge, simulator } = room.now;
    for (const how of ["press", "reply"] as const) {
      const text = `Delivered twice, by ${how}?`;
      const question = await bridge.ask({ text, options: OPTIONS, to: "alice" });
      const prompt = await room.now.prompt(alice, text);
      if (how === "press") await alice.press("prod", { on: prompt });
      else await alice.types("prod", { replyTo: prompt });
      await simulator.redeliverLast();
      expect(await outcomeOf(question)).toMatchObject({ value: "prod" });
      await room.now.closed(alice, prompt, "prod · Alice");
      expect(await room.now.count(question, "question.answered")).toBe(1);
      expect(await room.now.count(question, "input.refused")).toBe(0);
    }
  });

  it("B148 O80 a voice message in reply gets one hint and leaves the question open", async () => {
    const { alice, bridge } = room.now;
    const question = await bridge.ask({ text: "In words?", options: OPTIONS, to: "alice" });
    const prompt = await room.now.prompt(alice, "In words?");
    await eventually(async () => expect((await question.record()).deliveries[0]?.status).toBe("shown"));
    await alice.sendsMedia("voice", { replyTo: prompt });
    await room.now.told(alice, /I can only read text, so nothing was recorded\./, { place: placeOf(prompt) });
    expect((await question.record()).status).toBe("open");
    await alice.types("prod", { replyTo: prompt });
    expect(await outcomeOf(question)).toMatchObject({ value: "prod" });
  });

  it("B106 the prompt was deleted: the answer stands", async () => {
    const { alice, bridge, simulator, chat } = room.now;
    const question = await bridge.ask({ text: "Deleted?", options: OPTIONS, to: "alice" });
    const prompt = await room.now.prompt(alice, "Deleted?");
    simulator.faults.on(METHODS[chat].edit, { kind: "hook_before", hook: () => simulator.deleteMessage(prompt) });
    await alice.press("prod", { on: prompt });
    expect(await outcomeOf(question)).toMatchObject({ status: "answered", value: "prod" });
    await eventually(async () => {
      const { deliveries } = await question.record();
      expect(deliveries.every(({ status }) => status === "closed" || status === "failed")).toBe(true);
    }, 10_000);
    expect(await question.outcome()).toMatchObject({ status: "answered", value: "prod" });
  });
});
