import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";

let opened: PaperBridge | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});
const start = async (): Promise<PaperBridge> => {
  opened = await openPaperBridge();
  return opened;
};

describe("what a prompt says", () => {
  it("who asks whom until when, with its code; the help speaks of what is there", async () => {
    const { bridge, channel } = await start();
    const question = await bridge.ask({ to: "ops", text: "Ship?", options: ["Ship", "Hold"], timeout: "2h", title: "Release 42" });
    await eventually(() => expect(channel.messages).toHaveLength(2));
    const view = channel.messages[0]?.view;
    expect(view?.frame).toEqual([`ci asks Alice Wong, Bob · until 16:00 UTC · ${question.code}`]);
    const { state } = view ?? { state: undefined };
    if (state?.kind !== "open") throw new Error("the prompt is not open");
    expect(state.help({ controls: "buttons", reply: "reply" })).toBe("Press, or reply to this: a name, 1 or 2");
    expect(state.help({ controls: "none", reply: "reply" })).not.toMatch(/press|tap|button/i);
  });

  it("R28 what the agent wrote cannot hide characters or break out of its lines", async () => {
    const { bridge, channel } = await start();
    await bridge.ask({
      kind: "approval",
      to: "alice",
      text: "a\u200bb",
      timeout: "2h",
      title: "x\u202ey",
      subject: { type: "command", body: "rm\u2060 -rf /\n#\u{E0100}" },
    });
    await eventually(() => expect(channel.messages).toHaveLength(1));
    const view = channel.messages[0]?.view;
    expect(view?.text.map(({ text }) => text).join("")).toBe("a⟨U+200B⟩b");
    expect(view?.title).toBe("Approve? x⟨U+202E⟩y");
    expect(view?.subject?.body).toBe("rm⟨U+2060⟩ -rf /\n#⟨U+E0100⟩");
  });

  it("api.md 7: a private answer is not told on the closed prompt, only by whom and when", async () => {
    const { bridge, channel } = await start();
    const question = await bridge.ask({ to: "ops", text: "Salary?", timeout: "2h", visibility: "private" });
    await eventually(() => expect(channel.messages).toHaveLength(2));
    await channel.types("42", "1");
    expect(await question.outcome()).toMatchObject({ value: "42" });
    await eventually(() =>
      expect(channel.messages.map(({ view }) => view.state)).toEqual(
        Array(2).fill({ kind: "ended", line: "Answered · Alice Wong, 14:00" }),
      ),
    );
  });

  it("B030 two asks with the same text and different keys are two prompts, told apart by their codes", async () => {
    const { bridge, channel } = await start();
    const ask = { to: "alice", text: "Continue?", options: ["Yes", "No"], timeout: "2h" } as const;
    await Promise.all([bridge.ask({ ...ask, key: "a" }), bridge.ask({ ...ask, key: "b" })]);
    await eventually(() => expect(channel.messages).toHaveLength(2));
    expect(new Set(channel.messages.map(({ view }) => view.code)).size).toBe(2);
  });
});
