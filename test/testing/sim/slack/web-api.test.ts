/** The Slack simulator refuses what Slack refuses. */
import { describe, expect, it } from "vitest";
import { type Json, objectAt, textAt } from "../../../../src/testing/sim/slack/json.js";
import { actions, button, call, section, simulator, socket } from "./wire.js";

describe("Web API", () => {
  it("refuses tokens: none, a wrong one, an app token, a revoked one", async () => {
    const slack = await simulator();
    expect(await call(slack, "auth.test")).toMatchObject({ ok: true, team_id: "T0ACME", bot_id: "B0BOTACME" });
    expect(await call(slack, "auth.test", {}, "xoxb-wrong")).toMatchObject({ ok: false, error: "invalid_auth" });
    expect(await call(slack, "auth.test", {}, slack.account().appToken)).toMatchObject({ error: "invalid_auth" });
    expect(await call(slack, "apps.connections.open")).toMatchObject({ error: "invalid_auth" });
    slack.revokeToken();
    expect(await call(slack, "auth.test")).toMatchObject({ error: "token_revoked" });
  });

  it("refuses places: unknown, not a member, archived, a closed direct chat; and missing scopes", async () => {
    const slack = await simulator();
    const alice = slack.person("Alice");
    const outside = slack.channelNamed("outside", { botIsMember: false });
    const old = slack.channelNamed("old");
    slack.archive(old);
    const post = (channel: string) => call(slack, "chat.postMessage", { channel, text: "hi" });
    expect(await post("C0NONE")).toMatchObject({ error: "channel_not_found" });
    expect(await post(outside.conversation)).toMatchObject({ error: "not_in_channel" });
    expect(await post(old.conversation)).toMatchObject({ error: "is_archived" });
    expect(await post(alice.direct)).toMatchObject({ ok: true });
    slack.blockBot("Alice");
    expect(await post(alice.direct)).toMatchObject({ error: "messages_tab_disabled" });
    expect(await call(slack, "conversations.open", { users: alice.userId })).toMatchObject({ error: "user_disabled" });
    expect(await call(slack, "conversations.open", { users: "U0NOBODY" })).toMatchObject({ error: "user_not_found" });
    slack.scopes = [];
    expect(await post(alice.direct)).toMatchObject({ error: "missing_scope", needed: "chat:write" });
    expect(await call(slack, "no.such.method")).toMatchObject({ error: "unknown_method" });
  });

  it.each([
    ["no text", {}, "no_text"],
    ["51 blocks", { blocks: Array.from({ length: 51 }, () => ({ type: "divider" })) }, "invalid_blocks"],
    ["a section of 3,001", { blocks: [section("a".repeat(3_001))] }, "invalid_blocks"],
    ["an empty section", { blocks: [section("")] }, "invalid_blocks"],
    ["equal action ids (O68)", { blocks: [actions("a", "a")] }, "invalid_blocks"],
    ["26 elements", { blocks: [actions(...Array.from({ length: 26 }, (_, index) => `a${index}`))] }, "invalid_blocks"],
    [
      "a button label of 76",
      { blocks: [{ type: "actions", elements: [{ ...button("a"), text: { type: "plain_text", text: "x".repeat(76) } }] }] },
      "invalid_blocks",
    ],
    [
      "a button value of 2,001",
      { blocks: [{ type: "actions", elements: [{ ...button("a"), value: "x".repeat(2_001) }] }] },
      "invalid_blocks",
    ],
    [
      "mrkdwn on a button",
      { blocks: [{ type: "actions", elements: [{ ...button("a"), text: { type: "mrkdwn", text: "x" } }] }] },
      "invalid_blocks",
    ],
    [
      "equal block ids",
      {
        blocks: [
          { ...section("a"), block_id: "b" },
          { ...section("a"), block_id: "b" },
        ],
      },
      "invalid_blocks",
    ],
    ["14,000 characters in all", { blocks: Array.from({ length: 5 }, () => section("a".repeat(2_800))) }, "msg_blocks_too_long"],
    ["an unknown block", { blocks: [{ type: "hologram" }] }, "invalid_blocks"],
    ["metadata without payload", { text: "hi", metadata: { event_type: "x" } }, "invalid_metadata_format"],
    ["a thread that is no ts", { text: "hi", thread_ts: "now" }, "invalid_thread_ts"],
  ])("chat.postMessage refuses %s", async (_, args, error) => {
    const slack = await simulator();
    expect(await call(slack, "chat.postMessage", { channel: slack.person("Alice").direct, ...args })).toMatchObject({ ok: false, error });
    expect(slack.person("Alice").reads()).toEqual([]);
  });

  it("a menu takes 100 options with labels of 75, no more", async () => {
    const slack = await simulator();
    const select = (count: number, label: string) => ({
      type: "actions",
      elements: [
        {
          type: "static_select",
          action_id: "m",
          options: Array.from({ length: count }, (_, index) => ({
            value: `v${index}`,
            text: { type: "plain_text", text: label.slice(0, 70) + (label.length > 70 ? label.slice(70) : index) },
          })),
        },
      ],
    });
    const post = (block: unknown) => call(slack, "chat.postMessage", { channel: slack.person("Alice").direct, text: "x", blocks: [block] });
    expect(await post(select(100, "a"))).toMatchObject({ ok: true });
    expect(await post(select(101, "a"))).toMatchObject({ error: "invalid_blocks" });
    expect(await post(select(2, "b".repeat(76)))).toMatchObject({ error: "invalid_blocks" });
  });

  it("chat.update changes the bot's own messages only, and refuses long text", async () => {
    const slack = await simulator();
    const alice = slack.person("Alice");
    const said = await alice.types("mine");
    const posted = await call(slack, "chat.postMessage", { channel: alice.direct, text: "ours", blocks: [actions("go")] });
    const ts = textAt(posted, "ts") ?? "";
    const update = (args: Json) => call(slack, "chat.update", { channel: alice.direct, text: "new", ...args });
    expect(await update({ ts: said.id })).toMatchObject({ error: "cant_update_message" });
    expect(await update({ ts: "1.000001" })).toMatchObject({ error: "message_not_found" });
    expect(await update({ ts, text: "x".repeat(4_001) })).toMatchObject({ error: "msg_too_long" });
    expect(await update({ ts })).toMatchObject({ ok: true });
    expect(alice.reads().at(-1)).toMatchObject({ text: "new", buttons: [] });
  });

  it("counts calls: 429 with Retry-After when a channel is posted to too often, other channels go on", async () => {
    const slack = await simulator();
    const [alice, bob] = [slack.person("Alice"), slack.person("Bob")];
    const post = (channel: string) => call(slack, "chat.postMessage", { channel, text: "hi" });
    const results = await Promise.all(Array.from({ length: 21 }, () => post(alice.direct)));
    const limited = results.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(1);
    expect(Number(limited[0]?.wait)).toBeGreaterThan(0);
    expect(await post(bob.direct)).toMatchObject({ ok: true });
    expect(alice.reads()).toHaveLength(20);
  });

  it("faults: carried out or not, as each says", async () => {
    const slack = await simulator();
    const alice = slack.person("Alice");
    const post = () => call(slack, "chat.postMessage", { channel: alice.direct, text: "hi" });
    slack.faults.on("chat.postMessage", { kind: "drop_response" });
    await expect(post()).rejects.toThrow();
    expect(alice.reads()).toHaveLength(1);
    slack.faults.on("chat.postMessage", { kind: "fail_before" });
    await expect(post()).rejects.toThrow();
    slack.faults.on("chat.postMessage", { kind: "server_error", status: 503 });
    expect((await post()).status).toBe(503);
    slack.faults.on("chat.postMessage", { kind: "rate_limit", retryAfterS: 7 });
    expect(await post()).toMatchObject({ status: 429, wait: "7" });
    slack.faults.on("chat.postMessage", { kind: "refuse", code: "fatal_error", extra: { why: "x" } });
    expect(await post()).toMatchObject({ error: "fatal_error", why: "x" });
    expect(alice.reads()).toHaveLength(1);
    const seen: number[] = [];
    const look = (): void => {
      seen.push(alice.reads().length);
    };
    slack.faults.on("chat.postMessage", { kind: "hook_before", hook: look });
    slack.faults.on("chat.postMessage", { kind: "hook_after", hook: look });
    slack.faults.on("chat.postMessage", { kind: "delay", ms: 20 });
    for (let time = 0; time < 3; time += 1) expect(await post()).toMatchObject({ ok: true });
    expect(seen).toEqual([1, 3]);
    expect(slack.callsOf("chat.postMessage").map(({ outcome }) => outcome)).toEqual([
      "dropped",
      "dropped",
      "http_503",
      "ratelimited",
      "fatal_error",
      "ok",
      "ok",
      "ok",
    ]);
  });

  it("history leaves thread replies out and pages; replies have them; metadata only when asked for", async () => {
    const slack = await simulator();
    const alice = slack.person("Alice");
    const metadata = { event_type: "e", event_payload: { nonce: "n" } };
    const root = textAt(await call(slack, "chat.postMessage", { channel: alice.direct, text: "root", metadata }), "ts") ?? "";
    const on = alice.reads().at(-1);
    for (const word of ["a", "b", "c"]) await alice.types(word, { ...(on && { replyTo: on }) });
    await alice.types("loose");
    const history = await call(slack, "conversations.history", { channel: alice.direct, limit: 1 });
    expect(history).toMatchObject({ has_more: true, messages: [{ text: "loose" }] });
    const cursor = textAt(objectAt(history, "response_metadata"), "next_cursor") ?? "";
    const rest = await call(slack, "conversations.history", { channel: alice.direct, cursor, include_all_metadata: true });
    expect(rest).toMatchObject({ has_more: false, messages: [{ text: "root", metadata }] });
    const replies = await call(slack, "conversations.replies", { channel: alice.direct, ts: root, oldest: root });
    expect(replies["messages"]).toMatchObject([{ text: "root" }, { text: "a" }, { text: "b" }, { text: "c" }]);
    expect(JSON.stringify(replies)).not.toContain("nonce");
    expect(await call(slack, "conversations.replies", { channel: alice.direct, ts: "1.000001" })).toMatchObject({
      error: "thread_not_found",
    });
  });
});

describe("what a person sees", () => {
  it("mrkdwn is decoded once, its marks are gone, its mentions are told", async () => {
    const slack = await simulator();
    const alice = slack.person("Alice");
    const post = (blocks: readonly unknown[]) => call(slack, "chat.postMessage", { channel: alice.direct, text: "fallback", blocks });
    await post([section("*bold* _it_ `a*b` &lt;b&gt; &amp;lt; <https://h.example|here> <@U1> <!channel> snake_case_name 2*3*4")]);
    expect(alice.reads().at(-1)).toMatchObject({
      text: "bold it a*b <b> &lt; here @U1 @channel snake_case_name 2*3*4",
      mentions: ["@U1", "!channel"],
    });
    await post([{ type: "section", text: { type: "plain_text", text: "*bold* &lt; <@U1> @here" } }]);
    expect(alice.reads().at(-1)).toMatchObject({ text: "*bold* &lt; <@U1> @here", mentions: [] });
    await post([section("look @here")]);
    expect(alice.reads().at(-1)?.mentions).toEqual(["!here"]);
    await post([
      {
        type: "rich_text",
        elements: [
          {
            type: "rich_text_section",
            elements: [
              { type: "text", text: "*x* <@U1> " },
              { type: "user", user_id: "U2" },
            ],
          },
        ],
      },
    ]);
    expect(alice.reads().at(-1)).toMatchObject({ text: "*x* <@U1> @U2", mentions: ["@U2"] });
  });

  it("an ephemeral message is seen by its person only, and by members only", async () => {
    const slack = await simulator();
    const room = slack.channelNamed("room", { members: ["Alice", "Bob"] });
    const post = (user: string) => call(slack, "chat.postEphemeral", { channel: room.conversation, user, text: "psst" });
    expect(await post(slack.person("Alice").userId)).toMatchObject({ ok: true });
    expect(await post(slack.person("Carol").userId)).toMatchObject({ error: "user_not_in_channel" });
    expect(slack.person("Alice").reads(room)).toMatchObject([{ text: "psst", onlyTo: "U0ALICE" }]);
    expect(slack.person("Bob").reads(room)).toEqual([]);
    expect(slack.person("Carol").reads(room)).toEqual([]);
  });

  it("a control that is not there cannot be pressed; one that was seen can, even after an edit", async () => {
    const slack = await simulator();
    const alice = slack.person("Alice");
    await socket(slack);
    const ts = textAt(await call(slack, "chat.postMessage", { channel: alice.direct, text: "x", blocks: [actions("go")] }), "ts") ?? "";
    await expect(alice.press("stop")).rejects.toThrow(/no control "stop".*go/);
    const seen = alice.reads().at(-1);
    await call(slack, "chat.update", { channel: alice.direct, ts, text: "done" });
    await expect(alice.press("go")).rejects.toThrow("no control");
    expect((await alice.press("go", { ...(seen && { on: seen }) })).acknowledged).toBe(true);
  });
});
