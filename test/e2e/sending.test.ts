/** Sends that go wrong, and people who cannot be reached: on each platform, end to end. */
import { describe, expect, it } from "vitest";
import { eventually } from "../fixtures/eventually.js";
import { METHODS, outcomeOf, type Room, sharedRoom, WAYS } from "./room.js";

const OPTIONS = ["staging", "prod"] as const;

function sends({ simulator, chat }: Room): number {
  return simulator.calls.filter(({ method }) => method === METHODS[chat].send).length;
}

describe.each(WAYS)("%s: sending", (way) => {
  const room = sharedRoom(way);

  it("B025 a send whose reply was lost: one prompt on Slack and Discord, at most one more on Telegram, one answer, all closed", async () => {
    const { alice, bridge, simulator, chat } = room.now;
    simulator.faults.on(METHODS[chat].send, { kind: "drop_response" });
    const question = await bridge.ask({ text: "Was it sent?", options: OPTIONS, to: "alice" });
    await eventually(async () => {
      // On Telegram nothing tells what became of the first; the labelled copy after it is a delivery of its own (D2).
      expect((await question.record()).deliveries.map(({ status }) => status)).toEqual(
        chat === "telegram" ? ["unknown", "shown"] : ["shown"],
      );
    }, 15_000);
    const copies = room.now.prompts(alice, "Was it sent?");
    expect(copies.length).toBe(chat === "telegram" ? 2 : 1);
    expect(copies.filter(({ text }) => text.includes("Shown again")).length).toBe(copies.length - 1);
    const [first] = copies;
    if (first === undefined) throw new Error("no copy");
    await alice.press("prod", { on: first });
    expect(await outcomeOf(question)).toMatchObject({ status: "answered", value: "prod" });
    for (const copy of copies) await room.now.closed(alice, copy, "prod · Alice");
    expect(await room.now.count(question, "question.answered")).toBe(1);
  });

  it("B099 a send that meets a rate limit is made after the stated wait, once", async () => {
    const { alice, bridge, simulator, chat } = room.now;
    simulator.faults.on(METHODS[chat].send, { kind: "rate_limit", retryAfterS: 1 });
    const before = sends(room.now);
    const startedAt = performance.now();
    const question = await bridge.ask({ text: "Limited?", options: OPTIONS, to: "alice" });
    const prompt = await room.now.prompt(alice, "Limited?");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
    expect(sends(room.now) - before).toBe(2);
    await alice.press("prod", { on: prompt });
    expect(await outcomeOf(question)).toMatchObject({ value: "prod" });
    expect(room.now.prompts(alice, "Limited?")).toHaveLength(1);
    await room.now.closed(alice, prompt, "prod · Alice");
  });

  it("B113 O64 a closing edit that fails twice is made again; a press in between reads what counted", async () => {
    const { alice, bridge, simulator, chat } = room.now;
    const question = await bridge.ask({ text: "Closed late?", options: OPTIONS, to: "alice" });
    const prompt = await room.now.prompt(alice, "Closed late?");
    simulator.faults.on(METHODS[chat].edit, { kind: "server_error", status: 503 }, { times: 2 });
    await alice.press("prod", { on: prompt });
    expect(await outcomeOf(question)).toMatchObject({ value: "prod" });
    const result = await alice.press("staging", { on: prompt });
    await room.now.told(alice, /You already answered: prod\./, { result });
    await room.now.closed(alice, prompt, "prod · Alice");
  });

  it("B036 B135 five questions at once are five prompts; any order of answers gives each its own", async () => {
    const { alice, bridge } = room.now;
    const texts = [1, 2, 3, 4, 5].map((number) => `Parallel ${number}?`);
    const questions = await Promise.all(texts.map((text) => bridge.ask({ text, options: OPTIONS, to: "alice" })));
    expect(new Set(questions.map(({ id }) => id)).size).toBe(5);
    for (const index of [3, 0, 4, 1, 2]) {
      const prompt = await room.now.prompt(alice, texts[index] ?? "");
      await alice.press(index % 2 === 0 ? "staging" : "prod", { on: prompt });
    }
    const outcomes = await Promise.all(questions.map(outcomeOf));
    expect(outcomes.map((outcome) => "value" in outcome && outcome.value)).toEqual(["staging", "prod", "staging", "prod", "staging"]);
  });

  it("B094 B033 O02 a person who has blocked the bot: undelivered at once, with the reason, not expired", async () => {
    const { bob, bridge, simulator, chat } = room.now;
    simulator.blockBot("bob");
    const question = await bridge.ask({ text: "Blocked?", options: OPTIONS, to: "bob" });
    const outcome = await outcomeOf(question);
    expect(outcome).toMatchObject({
      status: "undelivered",
      failures: [{ place: expect.stringContaining(chat), code: expect.any(String) }],
    });
    expect(room.now.prompts(bob, "Blocked?")).toEqual([]);
    const before = sends(room.now);
    const next = await bridge.ask({ text: "To the others?", options: OPTIONS, to: "alice" });
    await room.now.prompt(room.now.alice, "To the others?");
    expect(sends(room.now) - before).toBe(1);
    await next.cancel();
  });
});
