/** Asking and answering on each platform, end to end: pressed, typed, written, approved. */
import { describe, expect, it } from "vitest";
import type { SeenMessage } from "../../src/testing/sim/simulator.js";
import { eventually } from "../fixtures/eventually.js";
import { choose, isOpen, outcomeOf, type Room, sharedRoom, WAYS } from "./room.js";

const OPTIONS = ["staging", "prod"] as const;
/** Longer than it takes until loose text is no longer asked back after another answer (R24). */
const APART_MS = 15_000;

/** 12,000 characters in lines of 48 whose place can be told. */
const LONG_COMMAND = Array.from({ length: 250 }, (_, line) => `run --step ${String(line).padStart(4, "0")} `.padEnd(47, "x")).join("\n");

/** Messages of the bot after `earlier`, oldest first. */
function newest({ alice }: Room, earlier: number): readonly SeenMessage[] {
  return alice
    .reads()
    .filter(({ from }) => from === "bot")
    .slice(earlier);
}

describe.each(WAYS)("%s: answers", (way) => {
  const room = sharedRoom(way);

  it("A!17 O65 O72 ask, press, answer: in a direct chat and in a channel", async () => {
    const { alice, bob, releases, bridge, chat, to } = room.now;
    const direct = await bridge.ask({ text: "Pressed here?", options: OPTIONS, to: "alice" });
    const prompt = await room.now.prompt(alice, "Pressed here?");
    expect(prompt.text).toContain("ci asks Alice");
    expect(direct.code).toMatch(/^[A-Z0-9]{4}$/);
    expect(prompt.text).toContain(direct.code);
    const pressed = await alice.press("prod", { on: prompt });
    expect(pressed.acknowledged).toBe(true);
    const answer = { status: "answered", value: "prod", via: "button", by: { person: "alice", account: chat } };
    expect(await outcomeOf(direct)).toMatchObject(answer);
    await room.now.closed(alice, prompt, "prod · Alice");

    const shared = await bridge.ask({ text: "Pressed there?", options: OPTIONS, to, audience: ["alice", "bob"] });
    const there = await room.now.prompt(bob, "Pressed there?", releases);
    await bob.press("staging", { on: there, in: releases });
    expect(await outcomeOf(shared)).toMatchObject({ status: "answered", value: "staging", by: { person: "bob" } });
    await room.now.closed(alice, there, "staging · Bob");
  });

  it("O18 O19 O81 B127 B130 ask, typed reply, answer: loose in a direct chat, as a reply in a channel", async () => {
    const { alice, bob, releases, bridge, to, passed } = room.now;
    room.now.skew(APART_MS);
    const direct = await bridge.ask({ text: "Typed here?", options: OPTIONS, to: "alice" });
    const prompt = await room.now.prompt(alice, "Typed here?");
    await alice.types("2");
    expect(await outcomeOf(direct)).toMatchObject({ status: "answered", value: "prod", via: "text" });
    await room.now.closed(alice, prompt, "prod · Alice");

    const shared = await bridge.ask({ text: "Typed there?", options: OPTIONS, to, audience: ["alice", "bob"] });
    const there = await room.now.prompt(bob, "Typed there?", releases);
    await bob.types("Staging", { in: releases });
    await bob.types("anyone up for lunch?", { in: releases });
    await bob.types("Prod.", { replyTo: there, in: releases });
    expect(await outcomeOf(shared)).toMatchObject({ status: "answered", value: "prod", by: { person: "bob" }, via: "text" });
    await room.now.closed(alice, there, "prod · Bob");
    expect(passed.every(({ text }) => text === "Staging" || text.includes("lunch"))).toBe(true);
  });

  it("B067 an open text question is answered through its form or reply box, its own characters untouched", async () => {
    const { alice, bridge } = room.now;
    const question = await bridge.ask({ text: "What should the note say?", to: "alice" });
    const prompt = await room.now.prompt(alice, "What should the note say?");
    // In a direct chat on Telegram the prompt itself has opened the reply box.
    if (prompt.forceReply === true) await alice.types("edit_msg *now <b", { replyTo: prompt });
    else {
      const form = await alice.opensModal("Write…", { on: prompt });
      expect(await form.submit({ [form.fields[0]?.key ?? ""]: "edit_msg *now <b" })).toEqual({});
    }
    expect(await outcomeOf(question)).toMatchObject({ status: "answered", value: "edit_msg *now <b" });
    await room.now.closed(alice, prompt, '"edit_msg *now <b" · Alice');
  });

  it("O85 Other… takes the person's own words in place of an option", async () => {
    const { alice, bridge } = room.now;
    const question = await bridge.ask({ text: "Which way?", options: OPTIONS, other: true, to: "alice" });
    const prompt = await room.now.prompt(alice, "Which way?");
    const form = await alice.opensModal("Other…", { on: prompt });
    await form.submit({ [form.fields[0]?.key ?? ""]: "by night" });
    expect(await outcomeOf(question)).toMatchObject({ status: "answered", value: { other: "by night" } });
    await room.now.closed(alice, prompt, '"by night" · Alice');
  });

  it("O12 an approval shows its command and ends approved or denied, never with a value", async () => {
    const { alice, bridge } = room.now;
    const body = "terraform apply -target=module.web && echo `done` > /tmp/$USER";
    const first = await bridge.ask({ kind: "approval", text: "Apply the plan?", subject: { type: "command", body }, to: "alice" });
    const prompt = await room.now.prompt(alice, "Apply the plan?");
    expect(prompt.text).toContain(body);
    await alice.press("Approve", { on: prompt });
    const outcome = await outcomeOf(first);
    expect(outcome).toMatchObject({ status: "answered", decision: "approve", by: { person: "alice" } });
    expect(outcome).not.toHaveProperty("value");
    await room.now.closed(alice, prompt, "Approved · Alice");

    const second = await bridge.ask({ kind: "approval", text: "Drop the table?", to: "alice" });
    const refused = await room.now.prompt(alice, "Drop the table?");
    await alice.types("no", { replyTo: refused });
    expect(await outcomeOf(second)).toMatchObject({ status: "declined", decision: "deny", via: "text" });
    await room.now.closed(alice, refused, "Denied · Alice");
  });

  it("B054 B055 a command of 12,000 characters arrives whole, in several messages, the buttons under the last one", async () => {
    const { alice, bridge } = room.now;
    expect(LONG_COMMAND.length).toBeGreaterThan(11_990);
    const earlier = newest(room.now, 0).length;
    const question = await bridge.ask({
      kind: "approval",
      text: "Run all of it?",
      subject: { type: "command", body: LONG_COMMAND },
      to: "alice",
    });
    const last = await eventually(() => {
      const open = newest(room.now, earlier).find(isOpen);
      if (open === undefined) throw new Error("no buttons yet");
      return open;
    }, 15_000);
    const messages = newest(room.now, earlier);
    expect(messages.length).toBeGreaterThan(1);
    expect(messages.at(-1)?.id).toBe(last.id);
    expect(messages.filter(isOpen)).toHaveLength(1);
    const seen = new Set(messages.flatMap(({ text }) => text.split("\n")));
    expect(LONG_COMMAND.split("\n").filter((line) => !seen.has(line))).toEqual([]);
    await alice.press("Approve", { on: last });
    expect(await outcomeOf(question)).toMatchObject({ status: "answered", decision: "approve" });
    await room.now.closed(alice, last, "Approved · Alice");
  });

  it("B062 all of 60 options can be reached: the last by its control, the 26th by typing its number", async () => {
    const { alice, bridge } = room.now;
    const many = Array.from({ length: 60 }, (_, index) => `Way ${index + 1}`);
    const pressed = await bridge.ask({ text: "Which of sixty?", options: many, to: "alice" });
    const prompt = await room.now.prompt(alice, "Which of sixty?");
    await choose(alice, "Way 60", prompt); // On Telegram on the second page.
    expect(await outcomeOf(pressed)).toMatchObject({ status: "answered", value: "Way 60" });
    await room.now.closed(alice, prompt, "Way 60 · Alice");

    const typed = await bridge.ask({ text: "Which of sixty now?", options: many, to: "alice" });
    await alice.types("26", { replyTo: await room.now.prompt(alice, "Which of sixty now?") });
    expect(await outcomeOf(typed)).toMatchObject({ status: "answered", value: "Way 26", via: "text" });
  });
});
