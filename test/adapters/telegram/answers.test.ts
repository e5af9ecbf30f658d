/** A reply carries the message it answers with its keyboard (platforms.md 4.3, "reply"): the token on it names the prompt (R24). */
import { describe, expect, it } from "vitest";
import { inbound } from "../../../adapters/channels/telegram/inbound.js";

const BOT = 7_000_001;
const reply = (from: number, keyboard: unknown): unknown => ({
  update_id: 1,
  message: {
    message_id: 12,
    date: 0,
    chat: { id: -100, type: "supergroup" },
    from: { id: 5, is_bot: false, first_name: "Alice" },
    text: "Ship",
    reply_to_message: { message_id: 11, from: { id: from, is_bot: from === BOT, first_name: "B" }, reply_markup: keyboard },
  },
});
const KEYBOARD = { inline_keyboard: [[{ text: "Docs", url: "https://example.org" }], [{ text: "Ship", callback_data: "c1.o0" }]] };

describe("replies with the keyboard of what they answer", () => {
  it("R24 names the first control's token and the message", () => {
    const { input } = { input: undefined, ...inbound(reply(BOT, KEYBOARD), { account: "telegram", botId: BOT }) };
    expect(input).toMatchObject({
      kind: "text",
      replyTo: "11",
      answers: { message: { id: "11", order: "0000000000000011" }, token: "c1.o0" },
    });
  });

  it.each([
    ["somebody else's message", reply(9, KEYBOARD)],
    ["a message without a keyboard", reply(BOT, undefined)],
    ["a keyboard of links", reply(BOT, { inline_keyboard: [[{ text: "Docs", url: "https://example.org" }]] })],
    ["anything else in its place", reply(BOT, "keyboard")],
  ])("names nothing for %s", (_what, update) => {
    const found = inbound(update, { account: "telegram", botId: BOT });
    expect(found.kind).toBe("input");
    expect(found).not.toHaveProperty("input.answers");
  });
});
