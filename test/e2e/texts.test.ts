/** Text that nobody trusts, in the question, on a label and in an answer: seen literally on each platform, end to end. */
import { describe, expect, it } from "vitest";
import { outcomeOf, sharedRoom, WAYS } from "./room.js";

/** Mentions, mark-up, entities and characters that mean something somewhere. */
const NASTY = "@everyone @here <@&55> <@77> <!channel> *a* _b_ ~c~ `d` [e](https://evil.example) &amp; <b>f</b> v1.2-rc(3)!";
/** Zero-width space, word joiner, soft hyphen, a variation selector of plane 14. */
const HIDDEN = "drop table a\u200bb\u2060\u00ad\u{e0100}";

describe.each(WAYS)("%s: untrusted text", (way) => {
  const room = sharedRoom(way);

  it("B064 B066 B068 B070 mentions and mark-up in title, label and typed answer are shown as they are, and ping nobody", async () => {
    const { alice, bridge } = room.now;
    const question = await bridge.ask({
      text: "Literally?",
      title: "T <@77> *x*",
      options: [NASTY.slice(0, 60), "Hold"],
      other: true,
      to: "alice",
    });
    const prompt = await room.now.prompt(alice, "Literally?");
    expect(prompt.text).toContain(NASTY.slice(0, 60));
    expect(prompt.text).toContain("T <@77> *x*");
    expect(prompt.mentions).toEqual([]);
    const form = await alice.opensModal("Other…", { on: prompt });
    await form.submit({ [form.fields[0]?.key ?? ""]: NASTY });
    expect(await outcomeOf(question)).toMatchObject({ status: "answered", value: { other: NASTY } });
    const closed = await room.now.closed(alice, prompt, `"${NASTY}" · Alice`);
    expect(closed.mentions).toEqual([]);
    expect(closed.text).not.toContain("\\");
  });

  it("B068 B070 a command is shown to the character and pings nobody, in a channel", async () => {
    const { alice, releases, bridge, to } = room.now;
    const question = await bridge.ask({
      kind: "approval",
      text: "Run it?",
      subject: { type: "command", body: NASTY },
      to,
      audience: "alice",
    });
    const prompt = await room.now.prompt(alice, "Run it?", releases);
    expect(prompt.text.replaceAll("\u200b", "")).toContain(NASTY);
    expect(prompt.mentions).toEqual([]);
    await alice.press("Deny", { on: prompt, in: releases });
    expect(await outcomeOf(question)).toMatchObject({ status: "declined", decision: "deny" });
  });

  it("B074 B077 invisible characters in question, label and command are visible escapes; the stored value is unchanged", async () => {
    const { alice, bridge } = room.now;
    const escapes = /a.{0,3}200b.{0,3}b.{0,4}2060.{0,4}00ad.{0,5}e0100/i;
    const question = await bridge.ask({ text: `Hidden? ${HIDDEN}`, options: [HIDDEN, "Hold"], to: "alice" });
    const prompt = await room.now.prompt(alice, "Hidden?");
    const lines = prompt.text.split("\n").filter((line) => line.includes("drop table"));
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const line of lines) expect(line).toMatch(escapes);
    await alice.types("1", { replyTo: prompt });
    expect(await outcomeOf(question)).toMatchObject({ value: HIDDEN });
    const approval = await bridge.ask({ kind: "approval", text: "Hidden in it?", subject: { type: "command", body: HIDDEN }, to: "alice" });
    const shown = await room.now.prompt(alice, "Hidden in it?");
    expect(shown.text).toMatch(escapes);
    await approval.cancel();
  });

  it("B051 B052 B061 O61 values of any length and script come back whole", async () => {
    const { alice, bridge } = room.now;
    for (const value of ["v".repeat(500), "я".repeat(33), "語".repeat(22), "🎉".repeat(16)]) {
      const question = await bridge.ask({ text: "Long values?", options: [{ value, label: "This one" }, "Hold"], to: "alice" });
      const prompt = await room.now.prompt(alice, "Long values?");
      await alice.press("This one", { on: prompt });
      expect(await outcomeOf(question)).toMatchObject({ value });
      await room.now.closed(alice, prompt, "This one · Alice");
    }
  });
});
