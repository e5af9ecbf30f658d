import { afterEach, describe, expect, it } from "vitest";
import { HandraiseError } from "../../src/errors.js";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";

let opened: PaperBridge | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});
const start = async (...args: Parameters<typeof openPaperBridge>): Promise<PaperBridge> => {
  opened = await openPaperBridge(...args);
  return opened;
};
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "no error",
    (error: unknown) => (error instanceof HandraiseError ? error.code : String(error)),
  );

const SHIP = { to: "alice", text: "Ship?", options: ["Ship", "Hold"], timeout: "1h" } as const;

describe("asking and answering", () => {
  it("R1 R4 an answer that comes before anybody waits is the stored outcome, read as often as needed", async () => {
    const { bridge, channel } = await start();
    const question = await bridge.ask(SHIP);
    await eventually(() => channel.press("Ship", "1"));
    const outcome = await question.outcome();
    expect(outcome).toMatchObject({
      status: "answered",
      value: "Ship",
      decision: "answer",
      via: "button",
      by: { person: "alice", name: "Alice Wong", userId: "1" },
    });
    expect(await question.outcome()).toEqual(outcome);
    expect((await question.record()).status).toBe("answered");
  });

  it("R2 R26 the second person reads who was faster; the prompt is closed with the outcome", async () => {
    const { bridge, channel } = await start();
    const question = await bridge.ask({ ...SHIP, to: "ops" });
    await eventually(() => expect(channel.messages).toHaveLength(2));
    const held = channel.pressOn("Hold", "2", { conversation: "dm-2" });
    await channel.press("Ship", "1", {
      message: { id: channel.messages.find(({ conversation }) => conversation === "dm-1")?.id ?? "", order: "" },
      conversation: "dm-1",
      token: channel.messages.find(({ conversation }) => conversation === "dm-1")?.view.options[0]?.token ?? "",
    });
    expect(await question.outcome()).toMatchObject({ status: "answered", value: "Ship" });
    const bobs = channel.messages.find(({ conversation }) => conversation === "dm-2");
    await channel.deliver({ ...held, message: { id: bobs?.id ?? "", order: "" }, token: bobs?.view.options[1]?.token ?? held.token });
    await eventually(() => expect(channel.words.at(-1)?.text).toBe('Too late: Alice Wong answered "Ship" at 14:00.'));
    await eventually(() =>
      expect(channel.messages.map(({ view }) => view.state)).toEqual([
        { kind: "ended", line: "Ship · Alice Wong, 14:00" },
        { kind: "ended", line: "Ship · Alice Wong, 14:00" },
      ]),
    );
    expect(await question.outcome()).toMatchObject({ value: "Ship" });
  });

  it("R7 B009 B199 the same key and question is the stored question, nothing is sent again; another question is key_conflict", async () => {
    const { bridge, channel } = await start();
    const first = await bridge.ask({ ...SHIP, key: "release-42" });
    await eventually(() => channel.press("Ship", "1"));
    await first.outcome();
    const again = await bridge.ask({ ...SHIP, key: "release-42" });
    expect(again.id).toBe(first.id);
    expect(await again.outcome()).toMatchObject({ status: "answered", value: "Ship" });
    expect(channel.messages).toHaveLength(1);
    const other: unknown = await bridge.ask({ ...SHIP, options: ["Ship", "Wait"], key: "release-42" }).catch((error: unknown) => error);
    expect(String(other)).toContain(`[key_conflict] Key release-42 already names ${first.id}, which asks something else: options differ.`);
    expect(await codeOf(bridge.ask({ ...SHIP, text: "Really?", to: "bob", key: "release-42" }))).toBe("key_conflict");
  });

  it("R12 B117 somebody who is not in the audience changes nothing and reads that it is not for them", async () => {
    const { bridge, channel, store } = await start();
    const question = await bridge.ask(SHIP);
    await eventually(() => channel.press("Ship", "9"));
    await eventually(() =>
      expect(channel.words.at(-1)).toMatchObject({ text: "This is for Alice Wong. Nothing was changed.", userId: "9", tone: "alert" }),
    );
    expect((await question.record()).status).toBe("open");
    const { events } = await store.events({ id: 0, limit: 100 });
    expect(events.map(({ type }) => type)).toContain("input.refused");
    await channel.press("Hold", "1");
    expect(await question.outcome()).toMatchObject({ value: "Hold" });
  });

  it("R13 B118 a shared place needs a written audience; anyone must be written out", async () => {
    const { bridge } = await start();
    expect(await codeOf(bridge.ask({ ...SHIP, to: "telegram:-100" }))).toBe("input_invalid");
    expect((await (await bridge.ask({ ...SHIP, to: "telegram:-100", audience: "anyone" })).record()).status).toBe("open");
  });

  it("O14 every fault of an ask has its path; an unknown name lists what is near", async () => {
    const { bridge } = await start();
    const bad: Record<string, unknown> = { to: "alice", text: "", options: [], timeout: "soon", colour: "red" };
    const error: unknown = await bridge.ask(bad as never).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(HandraiseError);
    expect(error instanceof HandraiseError ? error.issues.map(({ path }) => path).sort() : []).toEqual([
      "colour",
      "options",
      "text",
      "timeout",
    ]);
    const unknown: unknown = await bridge.ask({ ...SHIP, to: "alcie" }).catch((each: unknown) => each);
    expect(String(unknown)).toContain("Did you mean alice?");
  });

  it("R8 time must be stated: a missing timeout is refused, none waits for ever", async () => {
    const { bridge } = await start();
    const { timeout: _timeout, ...untimed } = SHIP;
    expect(await codeOf(bridge.ask(untimed))).toBe("input_invalid");
    expect((await (await bridge.ask({ ...untimed, timeout: "none" })).record()).expiresAt).toBeNull();
  });

  it("R9 an expired question names no person and returns a declared fallback beside the status", async () => {
    const { bridge, channel, clock } = await start();
    const question = await bridge.ask({ ...SHIP, timeout: "60s", fallback: { value: "Hold" } });
    await eventually(() => expect(channel.messages).toHaveLength(1));
    await eventually(async () => expect((await question.record()).expiresAt).not.toBeNull());
    clock.advance(60_000);
    const outcome = await question.outcome();
    expect(outcome).toMatchObject({ status: "expired", fallback: { value: "Hold" } });
    expect(outcome).not.toHaveProperty("by");
    expect(await codeOf(bridge.ask({ ...SHIP, fallback: { value: "nonsense" } }))).toBe("input_invalid");
  });

  it("R11 caps are counted before storing, in a burst too", async () => {
    const { bridge } = await start({ caps: { perPrincipal: 100, perPerson: 3 } });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => bridge.ask(SHIP)));
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(3);
    expect(await codeOf(bridge.ask(SHIP))).toBe("capacity");
    expect(await codeOf(bridge.ask({ ...SHIP, to: "bob" }))).toBe("no error");
  });

  it("cancel resolves with whatever won, and says why in the prompt", async () => {
    const { bridge, channel } = await start();
    const question = await bridge.ask(SHIP);
    await eventually(() => expect(channel.messages).toHaveLength(1));
    expect(await question.cancel("rolled back")).toMatchObject({ status: "cancelled", code: "withdrawn", reason: "rolled back" });
    expect(await question.cancel("again")).toMatchObject({ reason: "rolled back" });
    await eventually(() =>
      expect(channel.messages[0]?.view.state).toEqual({ kind: "ended", line: 'Withdrawn by ci, 14:00: "rolled back"' }),
    );
  });
});
