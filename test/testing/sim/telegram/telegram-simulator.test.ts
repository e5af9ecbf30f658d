/** The simulator refuses what Telegram refuses. Spoken to over plain HTTP, as any client would. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { TelegramSimulator, type TelegramSimulatorOptions } from "../../../../src/testing/sim/telegram/index.js";

type Answer = {
  readonly ok: boolean;
  readonly error_code?: number;
  readonly description?: string;
  readonly result?: unknown;
  readonly parameters?: unknown;
};
type Call = (method: string, body?: Readonly<Record<string, unknown>>) => Promise<Answer>;

const started: TelegramSimulator[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((simulator) => simulator.stop()));
});

async function start(options: TelegramSimulatorOptions = {}): Promise<{ simulator: TelegramSimulator; call: Call; root: string }> {
  const simulator = await TelegramSimulator.start({ callbackAnswerMs: 300, webhookRetryMs: 10, ...options });
  started.push(simulator);
  const { token, apiUrl } = simulator.account();
  const root = `${apiUrl}/bot${token}`;
  const call: Call = async (method, body = {}) => {
    const response = await fetch(`${root}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Answer;
  };
  return { simulator, call, root };
}

const updatesOf = (answer: Answer): readonly Readonly<Record<string, unknown>>[] =>
  answer.result as readonly Readonly<Record<string, unknown>>[];
const idOf = (answer: Answer): number => (answer.result as { message_id: number }).message_id;
const keyboard = (rows: readonly (readonly unknown[])[]): unknown => ({ inline_keyboard: rows });
const button = (data: string, text = "b"): unknown => ({ text, callback_data: data });

describe("messages", () => {
  it("a message is stored, seen, edited, and not modified by the same edit", async () => {
    const { simulator, call } = await start();
    const alice = simulator.person("alice");
    const sent = await call("sendMessage", { chat_id: alice.direct, text: "Hi", reply_markup: keyboard([[button("x", "Go")]]) });
    expect(alice.reads()).toMatchObject([{ from: "bot", text: "Hi", buttons: [{ label: "Go", data: "x" }] }]);
    const edit = { chat_id: alice.direct, message_id: idOf(sent), text: "Bye" };
    expect(await call("editMessageText", edit)).toMatchObject({ ok: true });
    expect(await call("editMessageText", edit)).toMatchObject({
      error_code: 400,
      description: expect.stringContaining("message is not modified"),
    });
    expect(alice.reads()).toMatchObject([{ text: "Bye", buttons: [] }]);
  });

  it.each([
    ["no text", { text: " \n" }, "message text is empty"],
    ["4,097 characters", { text: "x".repeat(4_097) }, "message is too long"],
    ["a parse mode", { text: "x", parse_mode: "MarkdownV2" }, "parse_mode"],
    ["an entity beyond the text", { text: "x", entities: [{ type: "bold", offset: 0, length: 2 }] }, "entity ends"],
    ["an entity inside a pair", { text: "👍", entities: [{ type: "bold", offset: 1, length: 1 }] }, "middle of a UTF-16 symbol"],
    ["an unknown entity", { text: "x", entities: [{ type: "loud", offset: 0, length: 1 }] }, "can't parse MessageEntity"],
    ["data of 65 bytes", { text: "x", reply_markup: keyboard([[button("x".repeat(65))]]) }, "BUTTON_DATA_INVALID"],
    ["data of 66 bytes in 33 letters", { text: "x", reply_markup: keyboard([[button("Ж".repeat(33))]]) }, "BUTTON_DATA_INVALID"],
    ["empty data", { text: "x", reply_markup: keyboard([[button("")]]) }, "BUTTON_DATA_INVALID"],
    [
      "nine buttons in a row",
      { text: "x", reply_markup: keyboard([Array.from({ length: 9 }, () => button("x"))]) },
      "reply markup is too long",
    ],
    ["101 buttons", { text: "x", reply_markup: keyboard(Array.from({ length: 101 }, () => [button("x")])) }, "reply markup is too long"],
    ["a button of no kind", { text: "x", reply_markup: keyboard([[{ text: "b" }]]) }, "text buttons are unallowed"],
    ["a button without a label", { text: "x", reply_markup: keyboard([[button("x", " ")]]) }, "text is empty"],
    [
      "an unknown style",
      { text: "x", reply_markup: keyboard([[{ text: "b", callback_data: "x", style: "loud" }]]) },
      "BUTTON_STYLE_INVALID",
    ],
    ["a placeholder of 65", { text: "x", reply_markup: { force_reply: true, input_field_placeholder: "x".repeat(65) } }, "PLACEHOLDER"],
    ["a reply to nothing", { text: "x", reply_parameters: { message_id: 999 } }, "message to be replied not found"],
    ["no such topic", { text: "x", message_thread_id: 999 }, "message thread not found"],
  ])("refuses %s", async (_what, body, words) => {
    const { simulator, call } = await start();
    const answer = await call("sendMessage", { chat_id: simulator.person("alice").direct, ...body });
    expect(answer).toMatchObject({ ok: false, error_code: 400 });
    expect(answer.description).toContain(words);
    expect(simulator.person("alice").reads()).toEqual([]);
  });

  it("strips ends, notes mentions outside code, and keeps the reply box of a message from being edited away", async () => {
    const { simulator, call } = await start();
    const alice = simulator.person("alice");
    const entities = [{ type: "code", offset: 7, length: 4 }];
    await call("sendMessage", { chat_id: alice.direct, text: "  @bob @eve\n", entities });
    expect(alice.reads()).toMatchObject([{ text: "@bob @eve", mentions: ["@bob"] }]);
    const box = await call("sendMessage", { chat_id: alice.direct, text: "Why?", reply_markup: { force_reply: true } });
    expect(alice.reads()[1]).toMatchObject({ forceReply: true });
    const answer = await call("editMessageText", { chat_id: alice.direct, message_id: idOf(box), text: "x" });
    expect(answer.description).toContain("can't be edited");
  });

  it("refuses edits of what is not there and of what others wrote, and too long ones in other words", async () => {
    const { simulator, call } = await start();
    const alice = simulator.person("alice");
    const theirs = await alice.types("mine");
    const chat_id = alice.direct;
    expect((await call("editMessageText", { chat_id, message_id: 1, text: "x" })).description).toContain("message to edit not found");
    expect((await call("editMessageText", { chat_id, message_id: Number(theirs.id), text: "x" })).description).toContain("can't be edited");
    const sent = await call("sendMessage", { chat_id, text: "Hi" });
    expect((await call("editMessageText", { chat_id, message_id: idOf(sent), text: "x".repeat(4_097) })).description).toContain(
      "MESSAGE_TOO_LONG",
    );
  });

  it("knows tokens, methods and chats", async () => {
    const { simulator, call } = await start();
    const { apiUrl } = simulator.account();
    const wrong = await fetch(`${apiUrl}/bot1:wrong/getMe`);
    expect([wrong.status, ((await wrong.json()) as Answer).description]).toEqual([401, "Unauthorized"]);
    expect((await call("noSuchMethod")).error_code).toBe(404);
    expect((await call("getChat", { chat_id: "12" })).description).toBe("Bad Request: chat not found");
    simulator.revokeToken();
    expect((await call("getMe")).error_code).toBe(401);
  });

  it("enforces the advised rate in groups when it is told to", async () => {
    const { simulator, call } = await start({ groupPerMinute: 2 });
    const { conversation } = simulator.channelNamed("g");
    const answers = [
      await call("sendMessage", { chat_id: conversation, text: "1" }),
      await call("sendMessage", { chat_id: conversation, text: "2" }),
    ];
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(await call("sendMessage", { chat_id: conversation, text: "3" })).toMatchObject({
      error_code: 429,
      parameters: { retry_after: 60 },
    });
  });
});

describe("places", () => {
  it("a blocked, kicked or absent bot gets 403 in the place's words", async () => {
    const { simulator, call } = await start();
    const alice = simulator.person("alice");
    simulator.blockBot("alice");
    expect(await call("sendMessage", { chat_id: alice.direct, text: "x" })).toMatchObject({
      error_code: 403,
      description: "Forbidden: bot was blocked by the user",
    });
    const out = simulator.channelNamed("out", { botIsMember: false });
    expect((await call("sendMessage", { chat_id: out.conversation, text: "x" })).description).toContain("bot is not a member");
    const group = simulator.channelNamed("in");
    simulator.kickBot(group);
    expect((await call("sendMessage", { chat_id: group.conversation, text: "x" })).description).toContain("kicked");
    expect((await call("getChat", { chat_id: group.conversation })).error_code).toBe(403);
  });

  it("topics: thread 1 is not found, a closed one is closed, a message there is in no other place", async () => {
    const { simulator, call } = await start();
    const forum = simulator.channelNamed("forum", { members: ["alice"], topics: true });
    const topic = simulator.topicNamed(forum, "Release");
    const to = { chat_id: forum.conversation, text: "x" };
    expect((await call("sendMessage", { ...to, message_thread_id: 1 })).description).toContain("message thread not found");
    await call("sendMessage", { ...to, message_thread_id: Number(topic.thread) });
    const alice = simulator.person("alice");
    expect([alice.reads(forum).length, alice.reads(topic).length]).toEqual([0, 1]);
    simulator.endTopic(topic, "closed");
    expect((await call("sendMessage", { ...to, message_thread_id: Number(topic.thread) })).description).toContain("TOPIC_CLOSED");
  });

  it("a migrated group refuses with its new id and tells both sides", async () => {
    const { simulator, call } = await start();
    const old = simulator.basicGroup("ops", ["alice"]);
    const fresh = simulator.migrate(old);
    expect(await call("sendMessage", { chat_id: old.conversation, text: "x" })).toMatchObject({
      error_code: 400,
      parameters: { migrate_to_chat_id: Number(fresh.conversation) },
    });
    expect(updatesOf(await call("getUpdates"))).toMatchObject([
      { message: { migrate_to_chat_id: Number(fresh.conversation) } },
      { message: { migrate_from_chat_id: Number(old.conversation) } },
    ]);
  });

  it("privacy mode hides loose talk in groups, not commands and replies to the bot", async () => {
    const { simulator, call } = await start();
    const group = simulator.channelNamed("g", { members: ["alice", "bob"] });
    const alice = simulator.person("alice");
    await call("sendMessage", { chat_id: group.conversation, text: "Ship it?" });
    const prompt = alice.reads(group)[0];
    const loose = await alice.types("lunch?", { in: group });
    await simulator.person("bob").types("yes", { in: group, replyTo: loose });
    await alice.types("/help", { in: group });
    await alice.types("Ship", { in: group, ...(prompt === undefined ? {} : { replyTo: prompt }) });
    const texts = updatesOf(await call("getUpdates")).map((update) => (update["message"] as { text: string }).text);
    expect(texts).toEqual(["/help", "Ship"]);
    expect(((await call("getMe")).result as Record<string, unknown>)["can_read_all_group_messages"]).toBe(false);
  });
});

describe("updates", () => {
  it("an update stays until a greater offset confirms it", async () => {
    const { simulator, call } = await start();
    await simulator.person("alice").types("one");
    await simulator.person("alice").types("two");
    const [first] = updatesOf(await call("getUpdates"));
    const id = Number(first?.["update_id"]);
    expect(updatesOf(await call("getUpdates", { offset: id }))).toHaveLength(2);
    expect(updatesOf(await call("getUpdates", { offset: id + 1 }))).toHaveLength(1);
    expect(updatesOf(await call("getUpdates", { limit: 1 }))).toHaveLength(1);
    expect(updatesOf(await call("getUpdates", { offset: -1 }))).toHaveLength(1);
  });

  it("keeps callbacks 150 s and messages 24 h", async () => {
    const clock = { nowMs: 1_790_000_000_000 };
    const { simulator, call } = await start({ now: () => clock.nowMs, callbackAnswerMs: 20 });
    const alice = simulator.person("alice");
    await call("sendMessage", { chat_id: alice.direct, text: "x", reply_markup: keyboard([[button("x", "Go")]]) });
    await alice.types("text");
    expect((await alice.press("Go")).acknowledged).toBe(false);
    const kinds = async (): Promise<readonly string[]> => updatesOf(await call("getUpdates")).map((update) => Object.keys(update)[1] ?? "");
    expect(await kinds()).toEqual(["message", "callback_query"]);
    clock.nowMs += 150_001;
    expect(await kinds()).toEqual(["message"]);
    clock.nowMs += 86_400_000;
    expect(await kinds()).toEqual([]);
  });

  it("a second poll ends the first with 409; a webhook ends both", async () => {
    const { simulator, call } = await start();
    const first = call("getUpdates", { timeout: 30 });
    await expect.poll(() => simulator.polled).toBe(true);
    const second = call("getUpdates", { timeout: 30 });
    expect(await first).toMatchObject({ error_code: 409, description: expect.stringContaining("terminated by other getUpdates request") });
    await call("setWebhook", { url: "http://127.0.0.1:9/x" });
    expect((await second).error_code).toBe(409);
    expect(await call("getUpdates")).toMatchObject({ error_code: 409, description: expect.stringContaining("webhook is active") });
    await call("deleteWebhook");
    expect(await call("getUpdates")).toMatchObject({ ok: true });
  });

  it("allowed_updates holds until it is changed", async () => {
    const { simulator, call } = await start();
    await call("getUpdates", { allowed_updates: ["callback_query"] });
    await simulator.person("alice").types("unseen");
    expect(updatesOf(await call("getUpdates"))).toEqual([]);
    await call("getUpdates", { allowed_updates: [] });
    await simulator.person("alice").types("seen");
    expect(updatesOf(await call("getUpdates"))).toHaveLength(1);
  });

  it("repeats the last delivery byte for byte, confirmed or not", async () => {
    const { simulator, call } = await start();
    await simulator.person("alice").types("one");
    const [first] = updatesOf(await call("getUpdates"));
    await call("getUpdates", { offset: Number(first?.["update_id"]) + 1 });
    await simulator.redeliverLast();
    expect(updatesOf(await call("getUpdates"))).toEqual([first]);
  });

  it("a webhook gets its secret, is tried again until it says 2xx, and must be HTTPS or loopback", async () => {
    const { simulator, call } = await start();
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(String(request.headers["x-telegram-bot-api-secret-token"]));
      response.writeHead(seen.length < 3 ? 500 : 200).end();
      request.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await simulator.person("alice").types("one");
    expect((await call("setWebhook", { url: "http://bot.example/x" })).description).toContain("An HTTPS URL must be provided");
    expect((await call("setWebhook", { url: "https://bot.example/x", secret_token: "a b" })).description).toContain("unallowed characters");
    await call("setWebhook", { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`, secret_token: "s3" });
    await expect.poll(() => simulator.pendingUpdates.length).toBe(0);
    expect(seen).toEqual(["s3", "s3", "s3"]);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("callbacks", () => {
  it("carry what Telegram sends; one answer, in time, of 200 characters", async () => {
    const { simulator, call } = await start();
    const alice = simulator.person("alice");
    await call("sendMessage", { chat_id: alice.direct, text: "x", reply_markup: keyboard([[button("tok", "Go")]]) });
    const pressing = alice.press("Go");
    const [update] = updatesOf(await call("getUpdates"));
    const query = update?.["callback_query"] as { id: string; data: string; from: { id: number }; message: { message_id: number } };
    expect([query.data, String(query.from.id)]).toEqual(["tok", alice.userId]);
    const answer = { callback_query_id: query.id };
    expect((await call("answerCallbackQuery", { ...answer, text: "x".repeat(201) })).description).toContain("MESSAGE_TOO_LONG");
    expect(await call("answerCallbackQuery", { ...answer, text: "Recorded." })).toMatchObject({ ok: true });
    expect(await pressing).toMatchObject({ acknowledged: true, word: "Recorded." });
    expect(alice.reads().at(-1)).toMatchObject({ text: "Recorded.", onlyTo: "alice" });
    expect((await call("answerCallbackQuery", answer)).description).toContain("query is too old");
    expect((await call("answerCallbackQuery", { callback_query_id: "1" })).description).toContain("query is too old");
  });

  it("a press without an answer ends at the deadline, and the answer is then too old", async () => {
    const { simulator, call } = await start({ callbackAnswerMs: 20 });
    const alice = simulator.person("alice");
    await call("sendMessage", { chat_id: alice.direct, text: "x", reply_markup: keyboard([[button("tok", "Go")]]) });
    expect(await alice.press("Go")).toMatchObject({ acknowledged: false });
    const [update] = updatesOf(await call("getUpdates"));
    const { id } = (update?.["callback_query"] ?? { id: "" }) as { id: string };
    await expect.poll(async () => (await call("answerCallbackQuery", { callback_query_id: id })).error_code).toBe(400);
  });
});

describe("faults", () => {
  it("drop_response carries out, fail_before does not; both reset the connection", async () => {
    const { simulator, call } = await start();
    const alice = simulator.person("alice");
    simulator.faults.on("sendMessage", { kind: "drop_response" });
    await expect(call("sendMessage", { chat_id: alice.direct, text: "one" })).rejects.toThrow();
    simulator.faults.on("sendMessage", { kind: "fail_before" });
    await expect(call("sendMessage", { chat_id: alice.direct, text: "two" })).rejects.toThrow();
    expect(alice.reads().map(({ text }) => text)).toEqual(["one"]);
    expect(simulator.calls.map(({ outcome }) => outcome)).toEqual(["dropped", "dropped"]);
  });

  it("the other faults answer in the platform's form, and hooks run on their side of the call", async () => {
    const { simulator, call, root } = await start();
    const alice = simulator.person("alice");
    const seen: string[] = [];
    const note = (when: string) => () => void seen.push(`${when} ${alice.reads().length}`);
    simulator.faults.on("sendMessage", { kind: "rate_limit", retryAfterS: 7 });
    simulator.faults.on("sendMessage", { kind: "refuse", code: 403, message: "Forbidden: no", extra: { a: 1 } });
    simulator.faults.on("sendMessage", { kind: "delay", ms: 1 });
    simulator.faults.on("sendMessage", { kind: "hook_before", hook: note("before") });
    simulator.faults.on("sendMessage", { kind: "hook_after", hook: note("after") });
    simulator.faults.on("getMe", { kind: "server_error", status: 502 });
    const send = (): Promise<Answer> => call("sendMessage", { chat_id: alice.direct, text: "x" });
    expect(await send()).toMatchObject({ error_code: 429, parameters: { retry_after: 7 } });
    expect(await send()).toMatchObject({ error_code: 403, description: "Forbidden: no", parameters: { a: 1 } });
    for (let count = 0; count < 3; count += 1) expect(await send()).toMatchObject({ ok: true });
    expect(seen).toEqual(["before 1", "after 3"]);
    const edge = await fetch(`${root}/getMe`);
    expect([edge.status, await edge.text()]).toEqual([502, "<html><body>502</body></html>"]);
  });
});
