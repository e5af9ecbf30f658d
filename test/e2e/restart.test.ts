/** An orderly restart between the prompt and the answer: on each platform, end to end, with the same SQLite file. */
import { describe, expect, it } from "vitest";
import { eventually } from "../fixtures/eventually.js";
import { outcomeOf, sharedRoom, WAYS } from "./room.js";

const OPTIONS = ["staging", "prod"] as const;

describe.each(WAYS)("%s: restarts", (way) => {
  const room = sharedRoom(way);

  it("B108 B087 B009 B199 O47 O49 a press after a restart is an answer; the asker waits again by id, and asking again with an answered key sends nothing", async () => {
    const { alice, bob, releases, to } = room.now;
    const direct = await room.now.bridge.ask({ text: "Before the restart?", options: OPTIONS, to: "alice" });
    const shared = await room.now.bridge.ask({ text: "Before it, here?", options: OPTIONS, to, audience: ["alice", "bob"] });
    const keyed = { text: "Keyed?", options: OPTIONS, to: "alice", key: "deploy-7" } as const;
    const answered = await room.now.bridge.ask(keyed);
    await alice.press("prod", { on: await room.now.prompt(alice, "Keyed?") });
    expect(await outcomeOf(answered)).toMatchObject({ value: "prod" });
    const prompt = await room.now.prompt(alice, "Before the restart?");
    const there = await room.now.prompt(bob, "Before it, here?", releases);
    await room.now.stop();
    await room.now.start();
    const pressed = await alice.press("prod", { on: prompt });
    expect(pressed.acknowledged).toBe(true);
    await bob.press("staging", { on: there, in: releases });
    expect(await outcomeOf(await room.now.bridge.question(direct.id))).toMatchObject({ status: "answered", value: "prod" });
    expect(await outcomeOf(await room.now.bridge.question(shared.id))).toMatchObject({ value: "staging", by: { person: "bob" } });
    await room.now.closed(alice, prompt, "prod · Alice");
    await room.now.closed(alice, there, "staging · Bob");
    const again = await room.now.bridge.ask(keyed);
    expect(again.id).toBe(answered.id);
    expect(await again.outcome()).toMatchObject({ status: "answered", value: "prod" });
    for (const text of ["Before the restart?", "Keyed?"]) expect(room.now.prompts(alice, text)).toHaveLength(1);
  });

  it("B193 replies typed while the bridge was down arrive after the start, from both chats, once each", async () => {
    const { alice, bob, releases, to } = room.now;
    const direct = await room.now.bridge.ask({ text: "Typed in the gap?", options: OPTIONS, to: "alice" });
    const shared = await room.now.bridge.ask({ text: "Typed in it, here?", options: OPTIONS, to, audience: ["alice", "bob"] });
    const prompt = await room.now.prompt(alice, "Typed in the gap?");
    const there = await room.now.prompt(bob, "Typed in it, here?", releases);
    await room.now.stop();
    await alice.types("prod", { replyTo: prompt });
    await bob.types("staging", { replyTo: there, in: releases });
    await room.now.start();
    expect(await outcomeOf(await room.now.bridge.question(direct.id))).toMatchObject({ status: "answered", value: "prod", via: "text" });
    expect(await outcomeOf(await room.now.bridge.question(shared.id))).toMatchObject({ value: "staging", by: { person: "bob" } });
    await room.now.closed(alice, prompt, "prod · Alice");
    await room.now.closed(alice, there, "staging · Bob");
    for (const question of [direct, shared]) expect(await room.now.count(question, "question.answered")).toBe(1);
  });

  it("B163 O42 what ran out while the bridge was down is expired at the start, its prompt closed", async () => {
    const { alice } = room.now;
    const question = await room.now.bridge.ask({ text: "Ran out?", options: OPTIONS, to: "alice", timeout: "5s" });
    const prompt = await room.now.prompt(alice, "Ran out?");
    await room.now.stop();
    room.now.skew(6_000);
    await room.now.start();
    expect(await (await room.now.bridge.question(question.id)).outcome({ within: "10s" })).toMatchObject({ status: "expired" });
    await room.now.closed(alice, prompt, "Nobody answered by");
    expect(await room.now.count(question, "question.expired")).toBe(1);
  });

  if (way.startsWith("telegram"))
    it("B193 a press made while the bridge was down is taken after the start", async () => {
      const { alice } = room.now;
      const question = await room.now.bridge.ask({ text: "Pressed in the gap?", options: OPTIONS, to: "alice" });
      const prompt = await room.now.prompt(alice, "Pressed in the gap?");
      await room.now.stop();
      const pressing = alice.press("prod", { on: prompt });
      await room.now.start();
      expect(await outcomeOf(await room.now.bridge.question(question.id))).toMatchObject({ status: "answered", value: "prod" });
      expect((await pressing).word).toMatch(/Recorded: prod\./);
    });

  if (way.startsWith("slack"))
    it("a press made while the bridge was down visibly fails, changes nothing, and can be made again", async () => {
      const { alice } = room.now;
      const question = await room.now.bridge.ask({ text: "Pressed in vain?", options: OPTIONS, to: "alice" });
      const prompt = await room.now.prompt(alice, "Pressed in vain?");
      await room.now.stop();
      const pressed = await alice.press("prod", { on: prompt });
      expect(pressed.acknowledged).toBe(false);
      await room.now.start();
      const open = await room.now.bridge.question(question.id);
      expect((await open.record()).status).toBe("open");
      await alice.press("staging", { on: prompt });
      expect(await outcomeOf(open)).toMatchObject({ value: "staging" });
    });

  if (way === "discord")
    it("B049 a press made in the gap is replayed on resume and counts", async () => {
      const { alice } = room.now;
      const question = await room.now.bridge.ask({ text: "Pressed before the resume?", options: OPTIONS, to: "alice" });
      const prompt = await room.now.prompt(alice, "Pressed before the resume?");
      await room.now.stop();
      const pressing = alice.press("prod", { on: prompt });
      await room.now.start();
      expect(await outcomeOf(await room.now.bridge.question(question.id))).toMatchObject({ status: "answered", value: "prod" });
      await pressing;
      await room.now.closed(alice, prompt, "prod · Alice");
      await eventually(async () => expect(await room.now.count(question, "question.answered")).toBe(1));
    });
});
