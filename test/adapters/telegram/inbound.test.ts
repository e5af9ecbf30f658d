import { describe, expect, it } from "vitest";
import { type Inbound, inbound, messageOrder, updateChat, updateId } from "../../../adapters/channels/telegram/inbound.js";

const AT = { account: "telegram", botId: 7 };
const ALICE = { id: 42, is_bot: false, first_name: "Alice", last_name: "Wong", username: "alice" };
const BOT = { id: 7, is_bot: true, first_name: "Handraise", username: "acme_bot" };
const PRIVATE = { id: 42, type: "private", first_name: "Alice" };
const GROUP = { id: -1001, type: "supergroup", title: "Releases" };

/** Built from the Bot API's Update and Message (core.telegram.org/bots/api, 10.3, seen 2026-12-01). */
function typed(over: Readonly<Record<string, unknown>> = {}): unknown {
  return { update_id: 501, message: { message_id: 12, from: ALICE, chat: PRIVATE, date: 1_790_000_000, text: "Ship", ...over } };
}
function pressed(over: Readonly<Record<string, unknown>> = {}): unknown {
  const message = { message_id: 10, from: BOT, chat: GROUP, date: 1_790_000_000, text: "Ship it?" };
  return { update_id: 502, callback_query: { id: "4000", from: ALICE, message, chat_instance: "-1", data: "c0.o1", ...over } };
}
function inputOf(read: Inbound): Readonly<Record<string, unknown>> {
  if (read.kind !== "input") throw new Error(`expected an input, got ${read.kind}`);
  return read.input;
}

describe("inbound", () => {
  it("reads a typed message", () => {
    expect(inbound(typed(), AT)).toEqual({
      kind: "input",
      repliesToBot: false,
      input: {
        kind: "text",
        id: "42/12",
        account: "telegram",
        channel: "telegram",
        conversation: "42",
        direct: true,
        sender: { userId: "42", name: "Alice Wong" },
        text: "Ship",
        message: { id: "12", order: "0000000000000012" },
      },
    });
  });

  it("reads a press; its alias is person, message and data", () => {
    expect(inputOf(inbound(pressed(), AT))).toEqual({
      kind: "press",
      id: "4000",
      alias: "-1001/10/42/c0.o1",
      handle: "4000",
      account: "telegram",
      channel: "telegram",
      conversation: "-1001",
      direct: false,
      sender: { userId: "42", name: "Alice Wong" },
      token: "c0.o1",
      message: { id: "10", order: "0000000000000010" },
    });
  });

  it("reads a press on an old message, which comes without content", () => {
    expect(inputOf(inbound(pressed({ message: { chat: GROUP, message_id: 10, date: 0 } }), AT))).toMatchObject({ message: { id: "10" } });
  });

  it("orders messages as text", () => {
    expect([messageOrder(9), messageOrder(10), messageOrder(2_147_483_647)]).toEqual(
      [messageOrder(9), messageOrder(10), messageOrder(2_147_483_647)].toSorted(),
    );
  });

  it("O27 B079 a thread id is a topic only when the update says so", () => {
    const reply = { message_id: 461, from: BOT, chat: GROUP, date: 1, text: "?" };
    const derived = inputOf(inbound(typed({ chat: GROUP, message_thread_id: 461, reply_to_message: reply }), AT));
    const without = inputOf(inbound(typed({ chat: GROUP, reply_to_message: reply }), AT));
    expect(derived).toEqual(without);
    expect(derived).not.toHaveProperty("thread");
    expect(inputOf(inbound(typed({ chat: GROUP, message_thread_id: 42, is_topic_message: true }), AT))).toMatchObject({ thread: "42" });
  });

  it("does not take the message that opened a topic for the one replied to", () => {
    const opening = { message_id: 42, from: BOT, chat: GROUP, date: 1, forum_topic_created: { name: "x", icon_color: 1 } };
    const input = inputOf(inbound(typed({ chat: GROUP, message_thread_id: 42, is_topic_message: true, reply_to_message: opening }), AT));
    expect(input).not.toHaveProperty("replyTo");
    const real = { message_id: 43, from: BOT, chat: GROUP, date: 1, text: "?" };
    expect(inbound(typed({ chat: GROUP, message_thread_id: 42, is_topic_message: true, reply_to_message: real }), AT)).toMatchObject({
      repliesToBot: true,
      input: { replyTo: "43", thread: "42" },
    });
  });

  it.each([
    ["an anonymous admin", { from: { id: 1_087_968_824, is_bot: true, first_name: "Group" }, sender_chat: GROUP }],
    ["a channel", { from: { id: 136_817_688, is_bot: true, first_name: "Channel" }, sender_chat: { id: -1002, type: "channel" } }],
    ["the service account", { from: { id: 777_000, is_bot: false, first_name: "Telegram" } }],
    ["a person in the name of a chat", { sender_chat: GROUP }],
  ])("B120 %s is anonymous, never an answer", (_who, over) => {
    expect(inputOf(inbound(typed({ chat: GROUP, ...over }), AT))).toMatchObject({ kind: "unreadable", why: "anonymous" });
  });

  it("B120 a press in the name of a shared account is nothing", () => {
    expect(inbound(pressed({ from: { id: 1_087_968_824, is_bot: true, first_name: "Group" } }), AT)).toEqual({ kind: "nothing" });
  });

  it("a forwarded message is unreadable, as is one made by another bot for the person", () => {
    const origin = { type: "user", date: 1, sender_user: ALICE };
    expect(inputOf(inbound(typed({ forward_origin: origin }), AT))).toMatchObject({ kind: "unreadable", why: "forwarded" });
    expect(inputOf(inbound(typed({ via_bot: BOT }), AT))).toMatchObject({ kind: "unreadable", why: "forwarded" });
  });

  it.each(["voice", "sticker", "photo", "poll", "location", "contact", "document", "video_note", "dice", "checklist"])(
    "B148 %s without text is media; an album shares one mark",
    (field) => {
      const { text: _, ...message } = { text: undefined, message_id: 12, from: ALICE, chat: PRIVATE, [field]: {}, media_group_id: "g1" };
      expect(inputOf(inbound({ update_id: 1, message }, AT))).toMatchObject({ kind: "unreadable", why: "media", album: "g1" });
    },
  );

  it("takes a caption for the text", () => {
    expect(inputOf(inbound(typed({ text: undefined, photo: [], caption: "Hold" }), AT))).toMatchObject({ kind: "text", text: "Hold" });
  });

  it("B149 B151 edits and bots are nothing", () => {
    const edited = { update_id: 1, edited_message: { message_id: 12, from: ALICE, chat: PRIVATE, date: 1, text: "2" } };
    expect(inbound(edited, AT)).toEqual({ kind: "nothing" });
    expect(inbound(typed({ from: { ...BOT, id: 8 } }), AT)).toEqual({ kind: "nothing" });
    expect(inbound(typed({ from: BOT, text: "1 Ship" }), AT)).toEqual({ kind: "nothing" });
  });

  it("B092 a group's new id is read from both service messages", () => {
    expect(inbound(typed({ chat: { id: -100, type: "group" }, text: undefined, migrate_to_chat_id: -1009 }), AT)).toEqual({
      kind: "moved",
      from: "-100",
      to: "-1009",
    });
    expect(inbound(typed({ chat: { id: -1009, type: "supergroup" }, text: undefined, migrate_from_chat_id: -100 }), AT)).toEqual({
      kind: "moved",
      from: "-100",
      to: "-1009",
    });
  });

  it.each([
    ["no object", 7],
    ["no id", {}],
    ["an unknown kind", { update_id: 3, something_new: { a: 1 } }],
    ["a change of membership", { update_id: 3, my_chat_member: { chat: PRIVATE, from: ALICE, date: 1 } }],
    ["a message without a chat", { update_id: 3, message: { message_id: 1, text: "x" } }],
    ["a callback of an inline message", { update_id: 3, callback_query: { id: "1", from: ALICE, inline_message_id: "x", data: "y" } }],
    ["a service message", typed({ text: undefined, new_chat_members: [BOT] })],
  ])("B192 %s is nothing", (_what, payload) => {
    expect(inbound(payload, AT)).toEqual({ kind: "nothing" });
  });

  it("knows an update's id and chat", () => {
    expect([updateId(typed()), updateChat(typed()), updateChat(pressed()), updateId({}), updateChat({ update_id: 1 })]).toEqual([
      501,
      "42",
      "-1001",
      undefined,
      "",
    ]);
  });
});
