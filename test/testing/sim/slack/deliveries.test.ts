/** The Slack simulator delivers as Slack does. */
import { describe, expect, it } from "vitest";
import WebSocket from "ws";
import { eventually } from "../../../../src/testing/contract/bench.js";
import { signed } from "../../../../src/testing/sim/slack/http-mode.js";
import { type Json, objectAt, textAt } from "../../../../src/testing/sim/slack/json.js";
import { actions, call, simulator, socket } from "./wire.js";

describe("Socket Mode", () => {
  it("gives an event to one connection, again when it is not confirmed, with its retry marks", async () => {
    const slack = await simulator();
    const first = await socket(slack, ({ type }) => type !== "events_api");
    await slack.person("Alice").types("hello & <b>");
    await eventually("three deliveries", () => (first.envelopes.length === 3 ? true : undefined));
    expect(first.envelopes.map((envelope) => [envelope["retry_attempt"], envelope["retry_reason"]])).toEqual([
      [0, ""],
      [1, "timeout"],
      [2, "timeout"],
    ]);
    expect(objectAt(objectAt(first.envelopes[0], "payload"), "event")).toMatchObject({ text: "hello &amp; &lt;b&gt;", channel_type: "im" });
    const texts = new Set(first.envelopes.map((envelope) => JSON.stringify(envelope["payload"])));
    expect(texts.size).toBe(1);
    await eventually("the end", () => (slack.pendingEvents === 0 ? true : undefined));
  });

  it("shares events between connections, pings them, and takes ten at most", async () => {
    const slack = await simulator();
    const links = await Promise.all(Array.from({ length: 10 }, () => socket(slack)));
    await expect(socket(slack).then(({ envelopes }) => envelopes)).rejects.toThrow();
    for (let time = 0; time < 10; time += 1) await slack.person("Alice").types(`word ${time}`);
    await eventually("all to be confirmed", () => (slack.deliveries.length === 10 ? true : undefined));
    for (const { envelopes } of links) expect(envelopes.filter(({ type }) => type === "events_api")).toHaveLength(1);
    await eventually("pings", () => (links.every(({ pings }) => pings() > 0) ? true : undefined));
  });

  it("an interaction is not repeated, and fails where nobody is connected or confirms", async () => {
    const slack = await simulator();
    const alice = slack.person("Alice");
    await call(slack, "chat.postMessage", { channel: alice.direct, text: "x", blocks: [actions("go")] });
    expect(await alice.press("go")).toMatchObject({ acknowledged: false });
    const link = await socket(slack, ({ type }) => type !== "interactive");
    expect(await alice.press("go")).toMatchObject({ acknowledged: false, afterMs: 200 });
    expect(link.envelopes.filter(({ type }) => type === "interactive")).toHaveLength(1);
  });

  it("a ticket works once, and an unknown acknowledgement is noted", async () => {
    const slack = await simulator();
    const opened = await call(slack, "apps.connections.open", {}, slack.account().appToken);
    const url = textAt(opened, "url") ?? "";
    const first = new WebSocket(url);
    await new Promise((resolve) => first.once("open", resolve));
    const second = new WebSocket(url);
    await expect(new Promise((_, reject) => second.once("error", reject))).rejects.toThrow("403");
    first.send(JSON.stringify({ envelope_id: "none" }));
    await eventually("the stray", () => (slack.sockets.strayAcks.includes("none") ? true : undefined));
    first.terminate();
  });

  it("deliverers repeat the last one byte for byte", async () => {
    const slack = await simulator();
    await expect(slack.redeliverLast()).rejects.toThrow("nothing");
    const link = await socket(slack);
    await slack.person("Alice").types("once");
    await eventually("one", () => (slack.deliveries.length === 1 ? true : undefined));
    await slack.redeliverLast();
    expect(link.envelopes[1]).toEqual(link.envelopes[0]);
  });
});

describe("modals", () => {
  const view = {
    type: "modal",
    callback_id: "c",
    private_metadata: "p",
    title: { type: "plain_text", text: "Title" },
    submit: { type: "plain_text", text: "Send" },
  };
  const input = (over: Json = {}) => ({
    type: "input",
    block_id: "answer",
    label: { type: "plain_text", text: "Answer" },
    element: { type: "plain_text_input", action_id: "answer", min_length: 2, max_length: 5 },
    ...over,
  });

  it("open once on a fresh trigger, with a valid view", async () => {
    let lateMs = 0;
    const slack = await simulator({ now: () => Date.now() + lateMs });
    const alice = slack.person("Alice");
    const link = await socket(slack);
    await call(slack, "chat.postMessage", { channel: alice.direct, text: "x", blocks: [actions("go")] });
    const trigger = async (): Promise<string> => {
      await alice.press("go");
      return (
        textAt(
          objectAt(
            link.envelopes.findLast(({ type }) => type === "interactive"),
            "payload",
          ),
          "trigger_id",
        ) ?? ""
      );
    };
    const open = (trigger_id: string, given: Json = { ...view, blocks: [input()] }) =>
      call(slack, "views.open", { trigger_id, view: given });
    expect(await open("none")).toMatchObject({ error: "invalid_trigger_id" });
    const used = await trigger();
    expect(await open(used, { ...view, blocks: [input()], title: { type: "plain_text", text: "x".repeat(25) } })).toMatchObject({
      error: "invalid_arguments",
    });
    expect(await open(used, { ...view, blocks: [input()], private_metadata: "x".repeat(3_001) })).toMatchObject({
      error: "invalid_arguments",
    });
    expect(await open(used, { ...view, submit: undefined, blocks: [input()] })).toMatchObject({ error: "invalid_arguments" });
    expect(await open(used)).toMatchObject({ ok: true });
    expect(await open(used)).toMatchObject({ error: "exchanged_trigger_id" });
    const stale = await trigger();
    lateMs = 3_001;
    expect(await open(stale)).toMatchObject({ error: "expired_trigger_id" });
  });

  it("are submitted with values by block, keep errors, and close when taken", async () => {
    const slack = await simulator();
    const alice = slack.person("Alice");
    let taken = false;
    const link = await socket(slack, (envelope) => {
      const payload = objectAt(envelope, "payload");
      if (textAt(payload, "type") === "block_actions") {
        void call(slack, "views.open", { trigger_id: textAt(payload, "trigger_id"), view: { ...view, blocks: [input()] } });
        return true;
      }
      return taken ? true : { response_action: "errors", errors: { answer: "No." } };
    });
    await call(slack, "chat.postMessage", { channel: alice.direct, text: "x", blocks: [actions("go")] });
    const modal = await alice.opensModal("go");
    expect(modal).toMatchObject({ title: "Title", fields: [{ key: "answer", label: "Answer", multiline: false }] });
    expect(await modal.submit({})).toHaveProperty("answer");
    expect(await modal.submit({ answer: "x" })).toHaveProperty("answer");
    expect(await modal.submit({ answer: "toolong" })).toHaveProperty("answer");
    expect(link.envelopes.filter(({ payload }) => textAt(payload, "type") === "view_submission")).toEqual([]);
    expect(await modal.submit({ answer: "blue" })).toEqual({ answer: "No." });
    taken = true;
    expect(await modal.submit({ answer: "blue" })).toEqual({});
    const submission = objectAt(link.envelopes.at(-1), "payload");
    expect(objectAt(submission, "view")).toMatchObject({
      callback_id: "c",
      private_metadata: "p",
      state: { values: { answer: { answer: { value: "blue" } } } },
    });
  });
});

describe("HTTP mode", () => {
  it("signs as Slack documents it", () => {
    // The example of docs.slack.dev "Verifying requests from Slack", 2026-12-01.
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const { headers } = signed(body, "8f742231b10e8888abcd99yyyzzz85a5", 1_531_420_618, "application/x-www-form-urlencoded");
    expect(headers["x-slack-signature"]).toBe("v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503");
  });
});
