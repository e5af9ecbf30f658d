/** Payloads to inputs, without a wire. */
import { describe, expect, it } from "vitest";
import { isOver, parseHandle, snowflakeAt, snowflakeMs } from "../../../adapters/channels/discord/handle.js";
import { interactionInput, typedInput } from "../../../adapters/channels/discord/inbound.js";
import { Mark } from "../../../adapters/channels/discord/mark.js";
import { interactionPayload, messagePayload } from "../../../adapters/channels/discord/payloads.js";
import type { Input } from "../../../src/core/input.js";

const READER = { account: "discord", botId: "200000000000000000" };
const WHERE = { conversation: "300000000000000000" };
// From the typed reference of discord-api-types 0.38.57 (MESSAGE_CREATE), 2026-12-01.
const MESSAGE = {
  ...{ id: "1577164865087209472", channel_id: "300000000000000000", type: 0, content: "Ship", flags: 0, tts: false, pinned: false },
  author: { id: "103412345678901234", username: "alice", global_name: "Alice Wong", discriminator: "0", avatar: null },
  ...{ attachments: [], embeds: [], mentions: [], mention_roles: [], timestamp: "2026-12-01T03:30:06.143Z", edited_timestamp: null },
};

function typed(change: Readonly<Record<string, unknown>>): Input | null {
  return typedInput(messagePayload.parse({ ...MESSAGE, ...change }), WHERE, READER);
}

describe("messages", () => {
  it("a plain one in a direct chat", () => {
    expect(typed({})).toEqual({
      ...{
        kind: "text",
        id: "1577164865087209472",
        account: "discord",
        channel: "discord",
        conversation: "300000000000000000",
        direct: true,
        text: "Ship",
      },
      sender: { userId: "103412345678901234", name: "Alice Wong" },
      message: { id: "1577164865087209472", order: "01577164865087209472" },
    });
  });

  it("a reply in a server, by a member with a name there", () => {
    const input = typed({
      guild_id: "400000000000000000",
      type: 19,
      member: { nick: "Al", roles: [] },
      message_reference: { type: 0, message_id: "500000000000000000" },
    });
    expect(input).toMatchObject({ direct: false, sender: { name: "Al" }, replyTo: "500000000000000000" });
  });

  it.each([
    ["a bot's", { author: { ...MESSAGE.author, bot: true } }],
    ["a webhook's", { webhook_id: "600000000000000000" }],
    ["a member joining", { type: 7 }],
    ["a pin", { type: 6 }],
    ["a thread being started", { type: 18 }],
    ["an answer to a command", { type: 20 }],
  ])("B151 %s is no input", (_name, change) => {
    expect(typed(change)).toBeNull();
  });

  it.each([
    ["a file", { content: "", attachments: [{ id: "1" }] }, "media"],
    ["a sticker", { content: "", sticker_items: [{ id: "1" }] }, "media"],
    ["a poll", { content: "", poll: { question: {} } }, "media"],
    ["nothing to read", { content: "", guild_id: "400000000000000000" }, "empty"],
    ["only the bot's name", { content: "<@200000000000000000>" }, "empty"],
    ["a forward", { content: "", message_reference: { type: 1, message_id: "500000000000000000" } }, "forwarded"],
  ])("%s is unreadable", (_name, change, why) => {
    expect(typed(change)).toMatchObject({ kind: "unreadable", why });
  });

  it("a caption is text; the bot's name around it is not part of it, inner spaces are", () => {
    expect(typed({ content: "see this", attachments: [{}] })).toMatchObject({ kind: "text", text: "see this" });
    expect(typed({ content: "<@200000000000000000>  a  b" })).toMatchObject({ text: "a  b" });
    expect(typed({ content: "prod <@!200000000000000000>" })).toMatchObject({ text: "prod" });
    expect(typed({ content: "<@200000000000000001> prod" })).toMatchObject({ text: "<@200000000000000001> prod" });
  });
});

describe("interactions", () => {
  const PRESS = {
    ...{
      id: "700000000000000000",
      application_id: "800000000000000000",
      type: 3,
      token: "aW50ZXJhY3Rpb24",
      version: 1,
      channel_id: "300000000000000000",
    },
    ...{
      guild_id: "400000000000000000",
      member: { user: MESSAGE.author, nick: null, roles: [], permissions: "0" },
      message: { id: "500000000000000000" },
    },
    data: { custom_id: "token", component_type: 2 },
  };
  const read = (change: Readonly<Record<string, unknown>>): Input | null =>
    interactionInput(interactionPayload.parse({ ...PRESS, ...change }), WHERE, READER);

  it("a press: token, message, person, handle", () => {
    expect(read({})).toMatchObject({
      ...{ kind: "press", id: "700000000000000000", token: "token", direct: false, message: { id: "500000000000000000" } },
      ...{ sender: { userId: "103412345678901234", name: "Alice Wong" }, handle: "800000000000000000/700000000000000000/aW50ZXJhY3Rpb24" },
    });
  });

  it("a menu's entry is the token", () => {
    expect(read({ data: { custom_id: "menu", component_type: 3, values: ["entry"] } })).toMatchObject({ token: "entry" });
  });

  it("a modal, with labels or with the older rows; parts without a value are left out", () => {
    const components = [
      { type: 10, content: "words" },
      { type: 18, component: { type: 4, custom_id: "a", value: "1" } },
      { type: 1, components: [{ type: 4, custom_id: "b", value: "2" }] },
    ];
    expect(read({ type: 5, data: { custom_id: "token", components } })).toMatchObject({
      kind: "submit",
      token: "token",
      values: { a: "1", b: "2" },
    });
  });

  it("one that names nobody is no input", () => {
    expect(read({ member: undefined })).toBeNull();
  });
});

describe("handles and ids", () => {
  it("a handle is read as it was written, and nothing else is", () => {
    expect(parseHandle("800000000000000000/700000000000000000/tok")).toEqual({
      application: "800000000000000000",
      id: "700000000000000000",
      token: "tok",
    });
    for (const bad of ["", "x", "1/2/3", "800000000000000000/700000000000000000/"]) expect(parseHandle(bad)).toBeUndefined();
  });

  it("an id tells its time, and a handle is over after 15 minutes", () => {
    const at = Date.UTC(2026, 11, 1);
    const id = snowflakeAt(at);
    expect(snowflakeMs(id)).toBe(at);
    expect(isOver({ application: "1", id, token: "t" }, at + 14 * 60_000)).toBe(false);
    expect(isOver({ application: "1", id, token: "t" }, at + 15 * 60_000)).toBe(true);
  });
});

describe("the place in the stream", () => {
  it("moves only past what is stored", () => {
    const mark = new Mark();
    mark.reset(10);
    const [first, second, third] = [mark.begin(11), mark.begin(12), mark.begin(13)];
    expect(mark.safe).toBe(10);
    third();
    second();
    expect(mark.safe).toBe(10);
    first();
    expect(mark.safe).toBe(13);
  });

  it("a new session begins with its own number; what ends late of the old one changes nothing", () => {
    const mark = new Mark();
    const old = mark.begin(500);
    mark.reset(1);
    const fresh = mark.begin(2);
    old();
    expect(mark.safe).toBe(1);
    fresh();
    expect(mark.safe).toBe(2);
  });
});
