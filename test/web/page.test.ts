import { request } from "node:http";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HandraiseError } from "../../src/errors.js";
import { openChatPage } from "../../src/web/page.js";
import type { PageState } from "../../src/web/state.js";
import { openRoom, type TestRoom } from "./room.js";

type Reply = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly text: string };

/** A request whose headers are sent exactly as given (fetch would set Host itself). */
function knock(
  port: number,
  {
    path = "/",
    method = "GET",
    headers = {},
    body = "",
  }: { path?: string; method?: string; headers?: Record<string, string>; body?: string },
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Reads server-sent states until one fits. */
async function stateOf(url: string, fits: (state: PageState) => boolean): Promise<PageState> {
  const stop = AbortSignal.timeout(5_000);
  const response = await fetch(`${url}/api/events`, { signal: stop });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      const state: PageState | undefined = data === undefined ? undefined : JSON.parse(data);
      if (state !== undefined && fits(state)) return state;
    }
  }
  throw new Error("the stream ended");
}

describe("the page's server", () => {
  let room: TestRoom;
  beforeEach(async () => {
    room = await openRoom();
  });
  afterEach(async () => {
    await room.stop();
  });

  async function act(action: unknown): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${room.page.url}/api/act`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(action),
    });
    return { status: response.status, body: await response.json() };
  }
  const slack = (state: PageState) => state.chats.find(({ chat }) => chat === "slack")?.messages ?? [];

  it("serves the page and nothing beside it, with a strict content security policy", async () => {
    const page = await knock(room.page.port, { headers: { host: `127.0.0.1:${room.page.port}` } });
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.headers["content-security-policy"]).not.toContain("unsafe");
    for (const [, asset] of page.text.matchAll(/(?:src|href)="([a-z]+\.[a-z]+)"/g)) {
      expect((await fetch(`${room.page.url}/${asset}`)).status, asset).toBe(200);
    }
    for (const path of ["/../page.ts", "/../assets.ts", "/%2e%2e%2fpage.ts", "/api/nothing", "/state.js"]) {
      const reply = await knock(room.page.port, { path, headers: { host: `localhost:${room.page.port}` } });
      expect(reply.status, path).toBe(404);
    }
  });

  it.each([
    ["another name that leads here", { host: "evil.example" }],
    ["another port", { host: "127.0.0.1:1" }],
    ["another page's fetch", { origin: "http://evil.example" }],
    ["another local page", { origin: "http://127.0.0.1:1" }],
    ["a sandboxed page", { origin: "null" }],
    ["a link from another site", { "sec-fetch-site": "cross-site" }],
  ])("refuses %s", async (_, headers) => {
    const host = `127.0.0.1:${room.page.port}`;
    const before = room.bots.slack.heard.length;
    const reply = await knock(room.page.port, {
      path: "/api/act",
      method: "POST",
      headers: { host, "content-type": "application/json", ...headers },
      body: JSON.stringify({ do: "type", chat: "slack", text: "hi" }),
    });
    expect(reply.status).toBe(403);
    expect(room.chats.slack.person("you").reads()).toEqual([]);
    expect(room.bots.slack.heard.length).toBe(before);
    const get = await knock(room.page.port, { path: "/api/events", headers: { host, ...headers } });
    expect(get.status).toBe(403);
  });

  it("refuses a form post, which another page could send", async () => {
    const reply = await knock(room.page.port, {
      path: "/api/act",
      method: "POST",
      headers: { host: `127.0.0.1:${room.page.port}`, "content-type": "text/plain" },
      body: JSON.stringify({ do: "type", chat: "slack", text: "hi" }),
    });
    expect(reply.status).toBe(403);
    expect(room.chats.slack.person("you").reads()).toEqual([]);
  });

  it("streams the state at once and after a change", async () => {
    const first = await stateOf(room.page.url, () => true);
    expect(first.chats.map(({ chat }) => chat)).toEqual(["slack", "discord", "telegram"]);
    expect(first.person).toBe("you");
    const later = stateOf(room.page.url, (state) => slack(state).length > 0);
    await room.ask("slack", { text: "Ship?", buttons: ["Ship", "Hold"] });
    const [message] = slack(await later);
    expect(message).toMatchObject({ from: "bot", own: false, privately: false, text: "Ship?" });
    expect(message?.buttons.map(({ label }) => label)).toEqual(["Ship", "Hold"]);
  });

  it("tells a page that is behind, and presses nothing", async () => {
    await room.ask("slack", { text: "Ship?", buttons: ["Ship"] });
    const [message] = room.chats.slack.person("you").reads();
    expect(await act({ do: "press", chat: "slack", message: message?.id, label: "Hold" })).toEqual({
      status: 409,
      body: { error: '"Hold" can no longer be chosen in that message.' },
    });
    expect((await act({ do: "press", chat: "slack", message: "gone", label: "Ship" })).body).toEqual({ error: "That message is gone." });
    expect((await act({ do: "submit", chat: "slack", form: "form-9", values: {} })).body).toEqual({
      error: "That form is no longer open.",
    });
    expect(room.bots.slack.heard).toEqual([]);
  });

  it.each([{}, { do: "press" }, { do: "type", chat: "irc", text: "x" }, { do: "type", chat: "slack", text: "" }, [], "x"])(
    "refuses what it does not know: %j",
    async (action) => {
      expect((await act(action)).status).toBe(400);
      expect(room.bots.slack.heard).toEqual([]);
    },
  );

  it("says so when the app does not respond to a press", async () => {
    await room.ask("slack", { text: "Ship?", buttons: ["Ship"] });
    await room.bots.slack.close();
    const [message] = room.chats.slack.person("you").reads();
    expect(await act({ do: "press", chat: "slack", message: message?.id, label: "Ship" })).toEqual({
      status: 200,
      body: { word: "The app did not respond in time. What counted is shown above." },
    });
  });

  it("refuses a port that is taken, naming it and the remedy", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const opening = openChatPage({ chats: Object.values(room.chats), person: "you", port });
    await expect(opening).rejects.toThrow(
      new RegExp(`Port ${port} on 127.0.0.1 is taken by another program.*start with --port and another number, for example --port 8484`),
    );
    await expect(opening).rejects.toBeInstanceOf(HandraiseError);
    await new Promise((resolve) => taken.close(resolve));
  });

  it("closes at once while pages are open, and frees its port", async () => {
    const reading = await fetch(`${room.page.url}/api/events`);
    await room.reopen();
    expect((await fetch(room.page.url)).status).toBe(200);
    await reading.body?.cancel().catch(() => undefined);
  });
});
