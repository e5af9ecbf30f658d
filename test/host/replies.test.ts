import { afterEach, describe, expect, it } from "vitest";
import type { Typed } from "../../src/core/input.js";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";
import type { PaperMessage } from "../fixtures/paper-channel.js";

let opened: PaperBridge | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});
const start = async (...args: Parameters<typeof openPaperBridge>): Promise<PaperBridge> => {
  opened = await openPaperBridge(...args);
  return opened;
};
const SHIP = { to: "alice", text: "Ship?", options: ["Ship", "Hold"], timeout: "10m" } as const;
const prompts = (bridge: PaperBridge, count: number): Promise<readonly PaperMessage[]> =>
  eventually(async () => {
    expect(bridge.channel.messages).toHaveLength(count);
    const open = await bridge.bridge.list();
    expect(open.flatMap(({ deliveries }) => deliveries).every(({ status }) => status === "shown")).toBe(true);
    return bridge.channel.messages;
  });
const lastWord = (bridge: PaperBridge): string | undefined => bridge.channel.words.at(-1)?.text;

describe("typed replies", () => {
  it("B130 a position in a direct chat with one open question answers, and is confirmed", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask(SHIP);
    await prompts(bridge, 1);
    await bridge.channel.types("2", "1");
    expect(await question.outcome()).toMatchObject({ status: "answered", value: "Hold", via: "text" });
    await eventually(() => expect(lastWord(bridge)).toBe("Recorded: Hold."));
  });

  it("B128 R25 prose gets one hint a minute and changes nothing; a label counts like a press", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask({ ...SHIP, options: ["Yes", "No"] });
    const [prompt] = await prompts(bridge, 1);
    await bridge.channel.types("yes, but tomorrow", "1", { replyTo: prompt?.id ?? "" });
    await eventually(() => expect(lastWord(bridge)).toContain("nothing was recorded"));
    await bridge.channel.types("well maybe", "1", { replyTo: prompt?.id ?? "" });
    await bridge.channel.types("yes", "1", { replyTo: prompt?.id ?? "" });
    expect(await question.outcome()).toMatchObject({ value: "Yes" });
    expect(bridge.channel.words.filter(({ text }) => text.includes("nothing was recorded"))).toHaveLength(1);
  });

  it("B127 B129 R25 in a shared place loose text is not ours and is handed on in order, at most once; a reply to the prompt answers", async () => {
    const heard: Typed[] = [];
    const bridge = await start({ onMessage: (message) => heard.push(message) });
    const question = await bridge.bridge.ask({ ...SHIP, to: "telegram:-100", audience: "alice" });
    const [prompt] = await prompts(bridge, 1);
    for (const text of ["anyone up for lunch?", "Ship", "2"])
      await bridge.channel.types(text, "1", { conversation: "-100", id: `9000${text.length}` });
    await bridge.channel.types("2", "1", { conversation: "-100", id: "90001" });
    expect(heard.map(({ text }) => text)).toEqual(["anyone up for lunch?", "Ship", "2"]);
    expect((await question.record()).status).toBe("open");
    await bridge.channel.types("Ship", "1", { conversation: "-100", replyTo: prompt?.id ?? "" });
    expect(await question.outcome()).toMatchObject({ value: "Ship" });
    expect(heard).toHaveLength(3);
  });

  it("B139 text of one person meets only questions addressed to that person", async () => {
    const bridge = await start();
    const q1 = await bridge.bridge.ask({ ...SHIP, to: "telegram:-100", audience: "alice" });
    const q2 = await bridge.bridge.ask({ ...SHIP, to: "telegram:-100", audience: "bob" });
    const [p1, p2] = await prompts(bridge, 2);
    await bridge.channel.types("1", "2", { conversation: "-100", replyTo: p1?.id ?? "" });
    await eventually(() => expect(lastWord(bridge)).toBe("This is for Alice Wong. Nothing was changed."));
    await bridge.channel.types("1", "2", { conversation: "-100", replyTo: p2?.id ?? "" });
    expect(await q2.outcome()).toMatchObject({ by: { person: "bob" } });
    expect((await q1.record()).status).toBe("open");
  });

  it("R24 two open questions in a direct chat: asks which, and the button settles it", async () => {
    const bridge = await start();
    const q1 = await bridge.bridge.ask({ ...SHIP, title: "Release 42" });
    const q2 = await bridge.bridge.ask({ ...SHIP, title: "Rotate keys" });
    await prompts(bridge, 2);
    await bridge.channel.types("2", "1");
    const asked = await eventually(() => {
      const word = bridge.channel.words.at(-1);
      expect(word?.text).toBe('Two questions are open for you. Which one is "2" for?');
      return word;
    });
    expect(asked?.buttons?.map(({ label }) => label)).toEqual([`${q1.code} Release 42`, `${q2.code} Rotate keys`]);
    const press = bridge.channel.pressOn("Ship", "1");
    await bridge.channel.deliver({ ...press, token: asked?.buttons?.[1]?.token ?? "" });
    expect(await q2.outcome()).toMatchObject({ value: "Hold" });
    expect((await q1.record()).status).toBe("open");
    expect(await bridge.channel.deliver({ ...press, id: "later", token: asked?.buttons?.[0]?.token ?? "" })).toMatchObject({
      kind: "word",
    });
  });

  it("R24 a short code names the question, first or last, in any place", async () => {
    const bridge = await start();
    await bridge.bridge.ask(SHIP);
    const q2 = await bridge.bridge.ask({ ...SHIP, to: "telegram:-100", audience: "alice" });
    await prompts(bridge, 2);
    await bridge.channel.types(`hold ${q2.code.toLowerCase()}`, "1", { conversation: "-100" });
    expect(await q2.outcome()).toMatchObject({ value: "Hold" });
  });

  it("section 8 rule 7: loosely bound Other is shown back and counts only after Send", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask({ ...SHIP, other: true });
    await prompts(bridge, 1);
    await bridge.channel.types("only the eu region", "1");
    const shown = await eventually(() => {
      const word = bridge.channel.words.at(-1);
      expect(word?.text).toBe('Send "only the eu region" as your answer?');
      return word;
    });
    expect((await question.record()).status).toBe("open");
    const press = bridge.channel.pressOn("Ship", "1");
    expect(
      await bridge.channel.deliver({ ...press, sender: { userId: "2", name: "Bob" }, token: shown?.buttons?.[0]?.token ?? "" }),
    ).toMatchObject({ kind: "word" });
    await bridge.channel.deliver({ ...press, id: "send", token: shown?.buttons?.[0]?.token ?? "" });
    expect(await question.outcome()).toMatchObject({ value: { other: "only the eu region" } });
  });

  it("Other… and Write… open a form; its submission is checked beside its field, then counts", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask({
      to: "alice",
      timeout: "10m",
      text: "Note?",
      fields: [{ key: "note", type: "text", maxLength: 5 }],
    });
    await prompts(bridge, 1);
    const opened = await bridge.channel.press("Write…", "1");
    if (opened.kind !== "form") throw new Error(`expected a form, got ${opened.kind}`);
    const press = bridge.channel.pressOn("Write…", "1");
    const { kind: _kind, message: _message, ...common } = press;
    const submit = { ...common, kind: "submit" as const, token: opened.form.token };
    expect(await bridge.channel.deliver({ ...submit, id: "s1", values: { note: "too long" } })).toEqual({
      kind: "invalid",
      fields: [{ key: "note", message: "At most 5 characters." }],
    });
    expect(await bridge.channel.deliver({ ...submit, id: "s2", values: { note: "fine" } })).toEqual({ kind: "taken" });
    expect(await question.outcome()).toMatchObject({ values: { note: "fine" }, via: "modal" });
  });

  it("an approval is denied with a reason through its form", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask({
      kind: "approval",
      to: "alice",
      text: "Apply?",
      timeout: "10m",
      subject: { type: "command", body: "terraform apply" },
    });
    await prompts(bridge, 1);
    const opened = await bridge.channel.press("Deny, say why…", "1");
    if (opened.kind !== "form") throw new Error(`expected a form, got ${opened.kind}`);
    const { kind: _kind, message: _message, ...common } = bridge.channel.pressOn("Deny, say why…", "1");
    await bridge.channel.deliver({
      ...common,
      id: "s1",
      kind: "submit",
      token: opened.form.token,
      values: { reason: "freeze until Monday" },
    });
    expect(await question.outcome()).toMatchObject({ status: "declined", decision: "deny", note: "freeze until Monday" });
    await eventually(() =>
      expect(bridge.channel.messages[0]?.view.state).toEqual({ kind: "ended", line: 'Denied · Alice Wong, 14:00: "freeze until Monday"' }),
    );
  });

  it("B148 three media replies get one hint, the question stays open", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask(SHIP);
    const [prompt] = await prompts(bridge, 1);
    const { kind: _kind, token: _token, ...common } = bridge.channel.pressOn("Ship", "1");
    for (const index of [1, 2, 3])
      await bridge.channel.deliver({
        ...common,
        id: `media${index}`,
        kind: "unreadable",
        why: "media",
        message: { id: `9${index}`, order: `9${index}` },
        replyTo: prompt?.id ?? "",
      });
    await eventually(() => expect(lastWord(bridge)).toContain("I can only read text"));
    expect(bridge.channel.words).toHaveLength(1);
    expect((await question.record()).status).toBe("open");
  });

  it("R15 a question without a named principal takes controls only; typed text gets a visible refusal", async () => {
    const bridge = await start({ principal: "" });
    const question = await bridge.bridge.ask(SHIP);
    await prompts(bridge, 1);
    await bridge.channel.types("Ship", "1");
    await eventually(() => expect(lastWord(bridge)).toContain("Typed text can't answer this question"));
    await bridge.channel.press("Ship", "1");
    expect(await question.outcome()).toMatchObject({ value: "Ship" });
  });

  it("B140 B161 a press after the end is told what happened, and changes nothing", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask({ ...SHIP, timeout: "60s" });
    await prompts(bridge, 1);
    const press = bridge.channel.pressOn("Ship", "1");
    bridge.clock.advance(61_000);
    expect(await question.outcome()).toMatchObject({ status: "expired" });
    await bridge.channel.deliver(press);
    await eventually(() => expect(lastWord(bridge)).toBe("Too late: time ran out at 14:01 and nobody answered."));
    expect(await question.outcome()).toMatchObject({ status: "expired" });
  });
});
