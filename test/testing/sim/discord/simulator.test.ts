/** The Discord simulator refuses what the platform refuses. Talked to over plain HTTP and WebSocket, without an SDK. */
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { eventually } from "../../../../src/testing/contract/bench.js";
import { readableText } from "../../../../src/testing/sim/discord/markdown.js";
import { DiscordSimulator, type DiscordSimulatorOptions } from "../../../../src/testing/sim/discord/simulator.js";

const running: { readonly simulator: DiscordSimulator; readonly sockets: WebSocket[] }[] = [];
afterEach(async () => {
  for (const { simulator, sockets } of running.splice(0)) {
    for (const socket of sockets) socket.terminate();
    await simulator.stop();
  }
});

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>>; readonly headers: Headers };
type Frame = { readonly op: number; readonly t?: string | null; readonly s?: number | null; readonly d?: unknown };

async function start(options: DiscordSimulatorOptions = {}) {
  const simulator = await DiscordSimulator.start({ ackMs: 150, ...options });
  const sockets: WebSocket[] = [];
  running.push({ simulator, sockets });
  const { token, apiUrl } = simulator.account();
  const call = async (method: string, path: string, body?: unknown, bearer: string | undefined = `Bot ${token}`): Promise<Answer> => {
    const headers = { "content-type": "application/json", ...(bearer === undefined ? {} : { authorization: bearer }) };
    const response = await fetch(`${apiUrl}/v10${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed: unknown = text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : {};
    return { status: response.status, body: Object.fromEntries(Object.entries(Object(parsed))), headers: response.headers };
  };
  const connect = async (): Promise<{
    readonly socket: WebSocket;
    readonly frames: Frame[];
    readonly send: (frame: unknown) => void;
    readonly closed: Promise<number>;
  }> => {
    const { body } = await call("GET", "/gateway/bot");
    const socket = new WebSocket(`${String(body["url"])}?v=10&encoding=json`);
    sockets.push(socket);
    const frames: Frame[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data))));
    const closed = once(socket, "close").then(([code]) => Number(code));
    await once(socket, "open");
    await eventually("hello", () => frames[0]);
    return { socket, frames, send: (frame) => socket.send(JSON.stringify(frame)), closed };
  };
  const identified = async (intents = 37_377) => {
    const link = await connect();
    link.send({ op: 2, d: { token, intents, properties: {} } });
    await eventually("ready", () => link.frames.find(({ t }) => t === "READY"));
    return link;
  };
  return { simulator, call, connect, identified, token, room: simulator.channelNamed("#ops"), alice: simulator.person("Alice") };
}

const button = (custom_id: string, label = "Ship") => ({ type: 2, style: 2, label, custom_id });
const row = (...components: readonly unknown[]) => ({ type: 1, components });
const textInput = (custom_id: string) => ({ type: 4, custom_id, style: 1 });

describe("messages", () => {
  const tooMany = Array.from({ length: 26 }, (_, index) => ({ label: `l${index}`, value: `v${index}` }));
  const refused: readonly (readonly [string, unknown, string])[] = [
    ["content of 2,001", { content: "x".repeat(2_001) }, "content"],
    ["six rows", { content: "x", components: Array.from({ length: 6 }, (_, index) => row(button(`b${index}`))) }, "components"],
    [
      "six buttons in a row",
      { content: "x", components: [row(...Array.from({ length: 6 }, (_, index) => button(`b${index}`)))] },
      "components",
    ],
    ["a label of 81", { content: "x", components: [row(button("a", "x".repeat(81)))] }, "components"],
    ["a custom_id of 101", { content: "x", components: [row(button("x".repeat(101)))] }, "components"],
    ["one custom_id twice", { content: "x", components: [row(button("a")), row(button("a"))] }, "components"],
    ["26 entries in a select", { content: "x", components: [row({ type: 3, custom_id: "m", options: tooMany })] }, "components"],
    ["one value twice", { content: "x", components: [row({ type: 3, custom_id: "m", options: [tooMany[0], tooMany[0]] })] }, "components"],
    ["an embed description of 4,097", { embeds: [{ description: "x".repeat(4_097) }] }, "embeds"],
    ["embeds of 6,001 in all", { embeds: [{ description: "x".repeat(4_000) }, { description: "x".repeat(2_001) }] }, "embeds"],
    ["a nonce of 26", { content: "x", nonce: "n".repeat(26) }, "nonce"],
    ["an ephemeral flag outside an interaction", { content: "x", flags: 64 }, "flags"],
  ];
  it.each(refused)("refuses %s with 50035", async (_name, body, path) => {
    const { call, room } = await start();
    const { status, body: answer } = await call("POST", `/channels/${room.conversation}/messages`, body);
    expect([status, answer["code"]]).toEqual([400, 50035]);
    expect(Object.keys(Object(answer["errors"]))).toEqual([path]);
  });

  it("counts code points: 2,000 emoji fit", async () => {
    const { call, room } = await start();
    expect((await call("POST", `/channels/${room.conversation}/messages`, { content: "😀".repeat(2_000) })).status).toBe(200);
  });

  it("refuses empty messages, unknown places and missing rights by their codes", async () => {
    const { call, room, simulator, alice } = await start();
    const post = (id: string, content = "x") => call("POST", `/channels/${id}/messages`, { content });
    expect((await post(room.conversation, "")).body["code"]).toBe(50006);
    expect((await post("300000000000000000")).body["code"]).toBe(10003);
    expect((await post(simulator.channelNamed("#hidden", { botIsMember: false }).conversation)).body["code"]).toBe(50001);
    simulator.channelAt(room).bot.send = false;
    expect((await post(room.conversation)).body["code"]).toBe(50013);
    simulator.blockBot("Alice");
    expect((await post(alice.direct)).body["code"]).toBe(50007);
  });

  it("gives the first message back for a nonce with enforce_nonce, makes another without", async () => {
    const { call, room, alice } = await start();
    const post = (more: object) => call("POST", `/channels/${room.conversation}/messages`, { content: "x", nonce: "n1", ...more });
    const first = await post({ enforce_nonce: true });
    expect((await post({ enforce_nonce: true })).body["id"]).toBe(first.body["id"]);
    expect((await post({ enforce_nonce: false })).body["id"]).not.toBe(first.body["id"]);
    expect(alice.reads(room)).toHaveLength(2);
  });

  it("edits only the bot's own messages, and none in an archived thread", async () => {
    const { call, room, alice, simulator } = await start();
    const { id } = await alice.types("mine", { in: room });
    expect((await call("PATCH", `/channels/${room.conversation}/messages/${id}`, { content: "x" })).body["code"]).toBe(50005);
    const thread = simulator.startThread(room, "t");
    const sent = await call("POST", `/channels/${thread.thread}/messages`, { content: "x" });
    simulator.channelAt(thread).archived = true;
    expect((await call("PATCH", `/channels/${thread.thread}/messages/${String(sent.body["id"])}`, { content: "y" })).body["code"]).toBe(
      50083,
    );
    simulator.channelAt(thread).locked = true;
    expect((await call("POST", `/channels/${thread.thread}/messages`, { content: "x" })).body["code"]).toBe(160005);
  });

  it("lets mentions fire unless they are forbidden", async () => {
    const { call, room, alice, simulator } = await start();
    const content = "@everyone <@77> <@&55>";
    await call("POST", `/channels/${room.conversation}/messages`, { content });
    await call("POST", `/channels/${room.conversation}/messages`, { content, allowed_mentions: { parse: [] } });
    const prompt = await alice.types("hi", { in: room });
    await call("POST", `/channels/${room.conversation}/messages`, { content: "hello", message_reference: { message_id: prompt.id } });
    expect(alice.reads(room).map(({ mentions }) => mentions)).toEqual([["77", "55", "everyone"], [], [], [alice.userId]]);
    expect(simulator.bot["bot"]).toBe(true);
  });

  it("returns history newest first, by after, and nothing without the right to read it", async () => {
    const { call, room, alice, simulator } = await start();
    const ids: string[] = [];
    for (const text of ["a", "b", "c"]) ids.push((await alice.types(text, { in: room })).id);
    const get = async (query: string) =>
      Object.values((await call("GET", `/channels/${room.conversation}/messages${query}`)).body).map((message) => Object(message).id);
    expect(await get("")).toEqual([...ids].reverse());
    expect(await get(`?after=${ids[0]}&limit=1`)).toEqual([ids[1]]);
    simulator.channelAt(room).bot.history = false;
    expect(await get("")).toEqual([]);
    expect((await call("GET", `/channels/${room.conversation}/messages?limit=101`)).body["code"]).toBe(50035);
  });

  it("a wrong token is 401, an unknown route 404, a rate limit states its wait", async () => {
    const { call, room, simulator } = await start();
    expect((await call("GET", "/users/@me", undefined, "Bot wrong")).status).toBe(401);
    expect((await call("GET", "/nowhere")).status).toBe(404);
    simulator.faults.on("POST /channels/:id/messages", { kind: "rate_limit", retryAfterS: 3 });
    const limited = await call("POST", `/channels/${room.conversation}/messages`, { content: "x" });
    expect([
      limited.status,
      limited.body["retry_after"],
      limited.headers.get("retry-after"),
      limited.headers.get("x-ratelimit-scope"),
    ]).toEqual([429, 3, "3", "user"]);
    simulator.revokeToken();
    expect((await call("GET", "/users/@me")).status).toBe(401);
  });
});

describe("faults", () => {
  it("drops before or after, fails, delays, refuses and calls hooks", async () => {
    const { call, room, simulator, alice } = await start();
    const method = "POST /channels/:id/messages";
    const post = () => call("POST", `/channels/${room.conversation}/messages`, { content: "x" });
    simulator.faults.on(method, { kind: "fail_before" });
    await expect(post()).rejects.toThrow();
    expect(alice.reads(room)).toEqual([]);
    simulator.faults.on(method, { kind: "drop_response" });
    await expect(post()).rejects.toThrow();
    expect(alice.reads(room)).toHaveLength(1);
    simulator.faults.on(method, { kind: "server_error", status: 503 });
    expect((await post()).status).toBe(503);
    const seen: number[] = [];
    simulator.faults.on(method, { kind: "hook_before", hook: () => void seen.push(alice.reads(room).length) });
    simulator.faults.on(method, { kind: "hook_after", hook: () => void seen.push(alice.reads(room).length) });
    await post();
    await post();
    expect(seen).toEqual([1, 3]);
    simulator.faults.on(method, { kind: "refuse", code: 200000 });
    expect((await post()).body["code"]).toBe(200000);
    expect(simulator.calls.map(({ outcome }) => outcome)).toEqual(["dropped", "dropped", "503", "ok", "ok", "200000"]);
  });
});

describe("gateway", () => {
  it("closes with 4004 for a wrong token, 4014 for an intent that is not allowed, 4003 before identify, 4005 twice", async () => {
    const { connect, identified, simulator, token } = await start();
    const wrong = await connect();
    wrong.send({ op: 2, d: { token: "wrong", intents: 1, properties: {} } });
    expect(await wrong.closed).toBe(4004);
    const early = await connect();
    early.send({ op: 3, d: {} });
    expect(await early.closed).toBe(4003);
    const twice = await identified();
    twice.send({ op: 2, d: { token, intents: 1, properties: {} } });
    expect(await twice.closed).toBe(4005);
    simulator.allowMessageContent(false);
    const disallowed = await connect();
    disallowed.send({ op: 2, d: { token, intents: 1 << 15, properties: {} } });
    expect(await disallowed.closed).toBe(4014);
    const broken = await connect();
    broken.socket.send("{");
    expect(await broken.closed).toBe(4002);
  });

  it("acknowledges heartbeats and closes with 4009 without them", async () => {
    const { identified } = await start({ heartbeatMs: 80 });
    const link = await identified();
    link.send({ op: 1, d: null });
    await eventually("an acknowledgement", () => link.frames.find(({ op }) => op === 11));
    expect(await link.closed).toBe(4009);
  });

  it("resumes after a drop with all that was missed, and not after a close with 1000", async () => {
    const { identified, connect, alice, token } = await start();
    const link = await identified();
    const ready = link.frames.find(({ t }) => t === "READY");
    const session_id = String(Object(ready?.d).session_id);
    link.socket.terminate();
    await link.closed;
    await alice.types("missed");
    const again = await connect();
    again.send({ op: 6, d: { token, session_id, seq: ready?.s } });
    await eventually("RESUMED", () => again.frames.find(({ t }) => t === "RESUMED"));
    expect(again.frames.flatMap(({ t }) => t ?? [])).toEqual(["GUILD_CREATE", "MESSAGE_CREATE", "RESUMED"]);
    again.socket.close(1000);
    await again.closed;
    const last = await connect();
    last.send({ op: 6, d: { token, session_id, seq: 1 } });
    expect(await eventually("invalid session", () => last.frames.find(({ op }) => op === 9))).toEqual({ op: 9, d: false });
  });

  it("hides what others write in servers without the content intent, but not in direct chats or when the bot is mentioned", async () => {
    const { identified, alice, room, simulator, call } = await start();
    const link = await identified(1 | (1 << 9) | (1 << 12));
    const sent = await call("POST", `/channels/${room.conversation}/messages`, { content: "ours" });
    await alice.types("hidden", { in: room });
    await alice.types("direct");
    await alice.types(`<@${simulator.world.bot.id}> named`, { in: room });
    const ours = alice.reads(room).find(({ id }) => id === sent.body["id"]);
    await alice.types("a reply pings", { in: room, ...(ours === undefined ? {} : { replyTo: ours }) });
    await eventually("five messages", () => (link.frames.filter(({ t }) => t === "MESSAGE_CREATE").length === 5 ? true : undefined));
    const contents = link.frames.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => Object(d).content);
    expect(contents).toEqual(["ours", "", "direct", `<@${simulator.world.bot.id}> named`, "a reply pings"]);
    const direct = link.frames.find(({ d }) => Object(d).content === "direct");
    expect(Object.keys(Object(direct?.d))).not.toContain("guild_id");
    expect(Object.keys(Object(direct?.d))).not.toContain("channel_type");
  });
});

describe("interactions", () => {
  async function pressed(options: DiscordSimulatorOptions = {}) {
    const bench = await start(options);
    const link = await bench.identified();
    await bench.call("POST", `/channels/${bench.room.conversation}/messages`, { content: "x", components: [row(button("tok"))] });
    const result = bench.alice.press("Ship", { in: bench.room });
    const event = await eventually("the interaction", () => link.frames.find(({ t }) => t === "INTERACTION_CREATE"));
    const { id, token, application_id } = Object(event.d);
    const answer = (body: unknown) => bench.call("POST", `/interactions/${id}/${token}/callback`, body, "");
    const followUp = (body: unknown) => bench.call("POST", `/webhooks/${application_id}/${token}`, body, "");
    return { ...bench, result, answer, followUp, event, link };
  }

  it("takes the first answer only: 40060 for the second", async () => {
    const { answer, result } = await pressed();
    expect((await answer({ type: 6 })).status).toBe(204);
    expect((await answer({ type: 6 })).body["code"]).toBe(40060);
    expect(await result).toMatchObject({ acknowledged: true });
  });

  it("is over after its time: 10062, and the press was not acknowledged", async () => {
    const { answer, followUp, result } = await pressed({ ackMs: 60 });
    expect(await result).toMatchObject({ acknowledged: false });
    expect((await answer({ type: 6 })).body["code"]).toBe(10062);
    expect((await followUp({ content: "x" })).body["code"]).toBe(10015);
  });

  it("takes follow-ups after an answer, for 15 minutes; ephemeral ones only the presser sees", async () => {
    const { answer, followUp, simulator, alice, room } = await pressed();
    await answer({ type: 6 });
    expect((await followUp({ content: "psst", flags: 64 })).status).toBe(200);
    expect(alice.reads(room).at(-1)).toMatchObject({ text: "psst", onlyTo: alice.userId });
    expect(
      simulator
        .person("Bob")
        .reads(room)
        .some(({ text }) => text === "psst"),
    ).toBe(false);
    simulator.tokenLifeMs = -1;
    expect((await followUp({ content: "late" })).body["code"]).toBe(50027);
  });

  it.each([
    ["a title of 46", { custom_id: "m", title: "x".repeat(46), components: [{ type: 18, label: "l", component: textInput("a") }] }],
    ["a label of 46", { custom_id: "m", title: "t", components: [{ type: 18, label: "l".repeat(46), component: textInput("a") }] }],
    [
      "six fields",
      {
        custom_id: "m",
        title: "t",
        components: Array.from({ length: 6 }, (_, index) => ({ type: 18, label: "l", component: textInput(`a${index}`) })),
      },
    ],
    ["no field", { custom_id: "m", title: "t", components: [] }],
    [
      "one id twice",
      {
        custom_id: "m",
        title: "t",
        components: [
          { type: 18, label: "l", component: textInput("a") },
          { type: 18, label: "l", component: textInput("a") },
        ],
      },
    ],
  ])("refuses a modal with %s", async (_name, data) => {
    const { answer } = await pressed();
    expect((await answer({ type: 9, data })).body["code"]).toBe(50035);
  });

  it("does not open a modal after a deferral, nor as the answer to a modal", async () => {
    const data = { custom_id: "m", title: "t", components: [{ type: 18, label: "l", component: { ...textInput("a"), max_length: 5 } }] };
    const { answer, alice, room, link, call } = await pressed();
    await answer({ type: 6 });
    expect((await answer({ type: 9, data })).body["code"]).toBe(40060);
    const opening = alice.opensModal("Ship", { in: room });
    const second = await eventually("the second press", () => link.frames.filter(({ t }) => t === "INTERACTION_CREATE")[1]);
    await call("POST", `/interactions/${Object(second.d).id}/${Object(second.d).token}/callback`, { type: 9, data }, "");
    const modal = await opening;
    await expect(modal.submit({ a: "too long" })).rejects.toThrow("8 characters");
    const submitting = modal.submit({ a: "short" });
    const third = await eventually("the submission", () => link.frames.filter(({ t }) => t === "INTERACTION_CREATE")[2]);
    const { id, token } = Object(third.d);
    expect((await call("POST", `/interactions/${id}/${token}/callback`, { type: 9, data }, "")).body["code"]).toBe(50035);
    await call("POST", `/interactions/${id}/${token}/callback`, { type: 6 }, "");
    expect(await submitting).toEqual({});
  });
});

describe("what a person reads", () => {
  it.each([
    ["**bold** *it* _it_ __u__ ~~s~~ `c`", "bold it it u s c"],
    ["\\*not\\* \\<@1> \\# x", "*not* <@1> # x"],
    ["> quoted\n> **two**\nafter", "quoted\ntwo\nafter"],
    ["> ```\n> *code* \\_\n> ```\nafter", "*code* \\_\nafter"],
    ["# Heading\n- item\n-# small", "Heading\n• item\nsmall"],
    ["<@42> @everyone <#7> <t:1:R> <:a:1>", "@user-42 @everyone #channel-7 (time) (emoji a)"],
    [
      "[label](https://x.example) <https://y.example/a_b_> https://z.example/c_d_e.",
      "label https://y.example/a_b_ https://z.example/c_d_e.",
    ],
    ["a :smile: b :nothing: c", "a 😄 b :nothing: c"],
  ])("%j", (source, text) => {
    expect(readableText(source)).toBe(text);
  });
});
