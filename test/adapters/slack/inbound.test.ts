import { describe, expect, it } from "vitest";
import {
  eventOf,
  formatOrigin,
  type Identity,
  messageOf,
  orderOf,
  pressOf,
  submitOf,
  typedText,
} from "../../../adapters/channels/slack/inbound.js";

const US: Identity = { account: "slack", teamId: "T1", botUserId: "UBOT", botId: "BBOT" };
const TS = "1700000000.000100";

// Built from the reference page "block_actions payload" (docs.slack.dev), 2026-12-01.
const PRESS = {
  type: "block_actions",
  user: { id: "U1", username: "alice", name: "alice", team_id: "T1" },
  container: { type: "message", message_ts: TS, channel_id: "C1", is_ephemeral: false },
  channel: { id: "C1", name: "releases" },
  message: { type: "message", ts: TS },
  response_url: "https://hooks.slack.com/actions/T1/1/abc",
  trigger_id: "13345224609.738474920.8088930838d88f008e0",
  actions: [
    {
      type: "button",
      action_id: "a",
      block_id: "b",
      value: "token",
      text: { type: "plain_text", text: "Ship" },
      action_ts: "1700000001.1",
    },
  ],
};
const MESSAGE = { type: "message", channel: "C1", channel_type: "channel", user: "U1", text: "Ship", ts: TS };
const event = (over: Readonly<Record<string, unknown>>, outer: Readonly<Record<string, unknown>> = {}) => ({
  type: "event_callback",
  team_id: "T1",
  event: { ...MESSAGE, ...over },
  ...outer,
});

describe("presses", () => {
  it("reads token, message, sender and handle", () => {
    expect(pressOf(PRESS, US)).toEqual({
      trigger: PRESS.trigger_id,
      label: "Ship",
      input: {
        kind: "press",
        id: `T1/U1/${TS}/a/1700000001.1`,
        account: "slack",
        channel: "slack",
        conversation: "C1",
        direct: false,
        sender: { userId: "U1", name: "alice" },
        token: "token",
        message: { id: TS, order: "001700000000.000100" },
        handle: PRESS.response_url,
      },
    });
  });

  it("reads a menu's entry, a thread, a direct chat, and an ephemeral message without its body", () => {
    const select = {
      type: "static_select",
      action_id: "m",
      selected_option: { value: "picked", text: { text: "Hold" } },
      action_ts: "1.2",
    };
    const body = {
      ...PRESS,
      message: undefined,
      container: { message_ts: TS, channel_id: "D1", thread_ts: "1690000000.000001" },
      actions: [select],
    };
    expect(pressOf(body, US)).toMatchObject({ label: "Hold", input: { token: "picked", direct: true, thread: "1690000000.000001" } });
  });

  it("does not take a thread's parent for a message in its own thread", () => {
    expect(pressOf({ ...PRESS, message: { ts: TS, thread_ts: TS } }, US)?.input.thread).toBeUndefined();
  });

  it.each([
    {},
    { type: "block_actions" },
    { ...PRESS, actions: [] },
    { ...PRESS, actions: [{ ...PRESS.actions[0], type: "datepicker" }] },
    null,
    "text",
  ])("B191 gives null for what is no press of ours (%#)", (body) => {
    expect(pressOf(body, US)).toBeNull();
  });
});

describe("modals", () => {
  const press = pressOf(PRESS, US);
  const submission = (over: Readonly<Record<string, unknown>> = {}) => ({
    type: "view_submission",
    user: { id: "U1", name: "alice" },
    view: {
      id: "V1",
      hash: "156772938.1827394",
      callback_id: "token",
      private_metadata: press === null ? "" : formatOrigin(press.input),
      state: {
        values: {
          answer: { answer: { type: "plain_text_input", value: "blue" } },
          note: { note: { type: "plain_text_input", value: null } },
        },
      },
      ...over,
    },
  });

  it("reads values by field, the place and the handle of the press", () => {
    expect(submitOf(submission(), US)).toMatchObject({
      fields: ["answer", "note"],
      input: {
        kind: "submit",
        id: "V1/156772938.1827394",
        token: "token",
        conversation: "C1",
        direct: false,
        values: { answer: "blue" },
        handle: PRESS.response_url,
      },
    });
  });

  it.each(["", "{", "{}", "[]"])("gives null for a modal of another app part (%s)", (private_metadata) => {
    expect(submitOf(submission({ private_metadata }), US)).toBeNull();
  });
});

describe("messages", () => {
  it("reads text, thread and order", () => {
    expect(eventOf(event({ thread_ts: "1690000000.000001" }), US)).toEqual({
      kind: "text",
      id: `T1/C1/${TS}`,
      account: "slack",
      channel: "slack",
      conversation: "C1",
      thread: "1690000000.000001",
      direct: false,
      sender: { userId: "U1", name: "U1" },
      message: { id: TS, order: "001700000000.000100" },
      text: "Ship",
    });
  });

  it("compares in the platform's order as text", () => {
    const stamps = ["999999999.999999", "1700000000.000100", "1700000000.000200", "1700000010.000001", "10000000000.000001"];
    const orders = stamps.map(orderOf);
    expect([...orders].sort()).toEqual(orders);
  });

  it.each(["message_changed", "message_deleted", "channel_join", "bot_message", "tombstone", "reply_broadcast", "ekm_access_denied"])(
    "B150 a message event of subtype %s is no input",
    (subtype) => {
      expect(eventOf(event({ subtype }), US)).toBeNull();
    },
  );

  it("B151 nothing written by a bot is an input, our own messages included", () => {
    expect(eventOf(event({ bot_id: "B9", text: "Ship" }), US)).toBeNull();
    expect(eventOf(event({ user: "UBOT" }), US)).toBeNull();
    expect(eventOf(event({ user: "USLACKBOT" }), US)).toBeNull();
    expect(eventOf(event({ user: undefined }), US)).toBeNull();
  });

  it("a file without words is unreadable, one with words is text, a shared message is forwarded", () => {
    const files = [{ id: "F1" }];
    expect(eventOf(event({ subtype: "file_share", text: "", files }), US)).toMatchObject({ kind: "unreadable", why: "media" });
    expect(eventOf(event({ subtype: "file_share", text: "Ship", files }), US)).toMatchObject({ kind: "text", text: "Ship" });
    expect(eventOf(event({ text: "", attachments: [{ is_share: true }] }), US)).toMatchObject({ kind: "unreadable", why: "forwarded" });
    expect(eventOf(event({ text: "" }), US)).toMatchObject({ kind: "unreadable", why: "empty" });
    expect(eventOf(event({ subtype: "thread_broadcast" }), US)).toMatchObject({ kind: "text" });
  });

  it("B088 an event of another workspace is not ours to confirm", () => {
    expect(eventOf(event({}, { team_id: "T2" }), US)).toBe("foreign");
    expect(eventOf(event({}, { team_id: "T2", authorizations: [{ team_id: "T1" }] }), US)).toMatchObject({ kind: "text" });
  });

  it.each([null, [], {}, { event: null }, { event: { type: "message" } }, { event: { type: "message", channel: "C1", ts: "x" } }])(
    "B191 gives null for a broken event (%#)",
    (body) => {
      expect(eventOf(body, US)).toBeNull();
      expect(messageOf(body, "C1", US)).toBeNull();
    },
  );
});

describe("typed text", () => {
  it.each([
    ["if a &lt; b &amp;&amp; b &gt; c", "if a < b && b > c"],
    ["&amp;lt;b&amp;gt; twice", "&lt;b&gt; twice"],
    ["see <https://h.example>", "see https://h.example"],
    ["see <http://h.example|h.example> and <mailto:a@h.example|a@h.example>", "see h.example and a@h.example"],
    ["<@UBOT> Ship", "Ship"],
    ["<@UBOT|handraise>: 1", "1"],
    ["ask <@U77> in <#C9|ops> <!here>", "ask @U77 in #ops @here"],
    ["  x ", "  x "],
    ["_init_ *now*", "_init_ *now*"],
  ])("%s reads %s", (text, read) => {
    expect(typedText(text, undefined, US)).toBe(read);
  });

  it("gives emoji back that were typed, by the message's own rich text", () => {
    const emoji = { type: "emoji", name: "white_check_mark", unicode: "2705" };
    const family = { type: "emoji", name: "family", unicode: "1f469-200d-1f467" };
    const blocks = [{ type: "rich_text", elements: [{ type: "rich_text_section", elements: [emoji, family] }] }];
    expect(typedText("Yes :white_check_mark: :family: :smile:", blocks, US)).toBe("Yes ✅ 👩‍👧 :smile:");
  });
});
