import { beforeEach, describe, expect, it } from "vitest";
import { createBridgeClient } from "../../src/client/bridge.js";
import type { Bridge } from "../../src/client/types.js";
import { HandraiseError } from "../../src/errors.js";
import { eventually } from "../fixtures/eventually.js";
import { MemoryGateway } from "../fixtures/memory-gateway.js";

let gateway = new MemoryGateway();
let bridge: Bridge = createBridgeClient(gateway, { principal: "ci" });
beforeEach(() => {
  gateway = new MemoryGateway();
  bridge = createBridgeClient(gateway, { principal: "ci" });
});

async function errorOf(run: Promise<unknown>): Promise<HandraiseError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HandraiseError)) throw new Error(`expected a HandraiseError, got ${String(error)}`);
  return error;
}

describe("a bridge over the gateway's calls", () => {
  it("A01 asks with options, and gets the value that was picked", async () => {
    const question = await bridge.ask({ text: "Which store?", options: ["pg", "mysql"], to: "alice" });
    expect(gateway.answer(question.id, "pg")).toBe(true);
    const outcome = await question.outcome();
    expect(outcome).toMatchObject({ id: question.id, status: "answered", decision: "answer", value: "pg" });
  });
  it("A02 a limit ends the wait, not the question, and never throws", async () => {
    const question = await bridge.ask({ text: "Ship?" });
    expect(await question.outcome({ within: "1s" })).toEqual({ status: "open", id: question.id });
    expect((await question.record()).status).toBe("open");
    expect((await errorOf(question.outcome({ within: "0s" }))).issues[0]?.path).toBe("within");
  });
  it("A03 a signal ends the wait with its reason, not the question", async () => {
    const question = await bridge.ask({ text: "Ship?" });
    const stop = new AbortController();
    const waiting = question.outcome({ signal: stop.signal });
    await eventually(() => expect(gateway.waiting).toBe(1));
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(question.outcome({ signal: stop.signal })).rejects.toThrow("enough");
    expect(gateway.waiting).toBe(0);
    expect(gateway.answer(question.id, "yes")).toBe(true);
    expect(await question.outcome()).toMatchObject({ value: "yes" });
  });
  it("A04 a malformed ask stores nothing and names its faults", async () => {
    const error = await errorOf(bridge.question("q_nobody"));
    expect(error.code).toBe("question_unknown");
    const text: unknown = undefined;
    const faults = await errorOf(bridge.ask({ text: text as string }));
    expect(faults.issues.map(({ path }) => path)).toEqual(["text", "multi"]);
    expect(gateway.kept.size).toBe(0);
  });
  it("A05 an answer to an unknown question meets nothing", async () => {
    expect(gateway.answer("q_nobody", "pg")).toBe(false);
    await expect(bridge.question({ key: "nobody" })).rejects.toThrow("question_unknown");
  });
  it("A06 lists the open questions of one session", async () => {
    await bridge.ask({ text: "One?", session: "S1" });
    await bridge.ask({ text: "Two?", session: "S1" });
    expect((await bridge.list({ session: "S1" })).map(({ text }) => text)).toEqual(["One?", "Two?"]);
    expect(await bridge.list({ session: "other" })).toEqual([]);
    expect(await bridge.list()).toHaveLength(2);
  });
  it("A07 one answer is exactly one event", async () => {
    const question = await bridge.ask({ text: "Ship?", session: "S1" });
    gateway.answer(question.id, "yes");
    gateway.answer(question.id, "no");
    await bridge.ask({ text: "Last?", session: "S1" });
    const seen: string[] = [];
    for await (const event of bridge.events({ session: "S1", after: "0" })) {
      seen.push(`${event.type} ${event.question}`);
      if (seen.length === 3) break;
    }
    expect(seen.filter((line) => line === `question.answered ${question.id}`)).toHaveLength(1);
  });
  it("R4 acknowledges after the outcome was handed over, never by a read", async () => {
    const question = await bridge.ask({ text: "Ship?" });
    gateway.answer(question.id, "yes");
    await question.record();
    expect(gateway.kept.get(question.id)?.collected).toBe(false);
    await question.outcome().then(() => expect(gateway.kept.get(question.id)?.collected).toBe(false));
    await eventually(() => expect(gateway.kept.get(question.id)?.collected).toBe(true));
  });
  it("R4 close waits for an acknowledgement on the way", async () => {
    const question = await bridge.ask({ text: "Ship?" });
    gateway.answer(question.id, "yes");
    await question.outcome();
    await bridge.close();
    expect(gateway.kept.get(question.id)?.collected).toBe(true);
  });
  it("R7 the same key and ask give the same question, another ask conflicts", async () => {
    const first = await bridge.ask({ text: "Ship?", key: "release-42" });
    const again = await bridge.ask({ text: "Ship?", key: "release-42", title: undefined as never });
    expect(again.id).toBe(first.id);
    expect((await bridge.question({ key: "release-42" })).id).toBe(first.id);
    expect((await errorOf(bridge.ask({ text: "Else?", key: "release-42" }))).code).toBe("key_conflict");
  });
  it("cancel resolves with whatever won, and counts as handed over", async () => {
    const withdrawn = await bridge.ask({ text: "Ship?" });
    expect(await withdrawn.cancel("rolled back")).toMatchObject({ status: "cancelled", code: "withdrawn", reason: "rolled back" });
    const faster = await bridge.ask({ text: "Ship?" });
    gateway.answer(faster.id, "yes");
    expect(await faster.cancel()).toMatchObject({ status: "answered", value: "yes" });
    await eventually(() => expect(gateway.kept.get(faster.id)?.collected).toBe(true));
  });
  it("close ends waits and streams, leaves questions open, and happens once", async () => {
    let closes = 0;
    const closable = createBridgeClient(
      gateway,
      { principal: "ci" },
      {
        close: async () => {
          closes += 1;
        },
      },
    );
    const question = await closable.ask({ text: "Ship?" });
    const waiting = errorOf(question.outcome());
    await eventually(() => expect(gateway.waiting).toBe(1));
    await closable.close();
    await closable[Symbol.asyncDispose]();
    expect((await waiting).code).toBe("bridge_unreachable");
    expect((await errorOf(closable.ask({ text: "More?" }))).detail).toBe("This bridge object was closed. Open questions stay open.");
    expect(gateway.kept.get(question.id)?.record.status).toBe("open");
    expect(closes).toBe(1);
  });
  it("openRun is unsupported until runs exist", async () => {
    expect((await errorOf(bridge.openRun({ principal: "ci", session: "s", owner: "alice" }))).code).toBe("unsupported");
  });
  it("a question is a frozen view", async () => {
    const question = await bridge.ask({ text: "Ship?" });
    expect(Object.isFrozen(question)).toBe(true);
    expect(question.code).toMatch(/^K\dQM$/);
  });
});
