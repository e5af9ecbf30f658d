/**
 * A small bot that speaks each platform's wire by hand, as far as the page's tests need it: it posts a prompt, takes presses, picks,
 * forms and typed replies, closes the prompt and says a private word. The bridge does the same with the real SDKs (test/e2e).
 */
import { WebSocket } from "ws";
import type { SimAccount } from "../../src/testing/sim/simulator.js";

type Json = Readonly<Record<string, unknown>>;

/** What a bot shows. Buttons whose label ends in "…" open a form (Telegram: a forced reply). */
export type Prompt = { readonly text: string; readonly buttons?: readonly string[]; readonly menu?: readonly string[] };

/** One bot on one platform. `heard`: what it took, in order: "press prod", "pick 3", "form other answer", "text hello". */
export type WireBot = {
  readonly heard: readonly string[];
  post(conversation: string, prompt: Prompt): Promise<void>;
  close(): Promise<void>;
};

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined), value);
}

function textOf(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

async function post(
  url: string,
  { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body: Json },
): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", reject);
  });
}

const plain = (words: string): Json => ({ type: "plain_text", text: words });
const SLACK_FORM = {
  type: "modal",
  callback_id: "f",
  title: plain("Other answer"),
  submit: plain("Send"),
  blocks: [{ type: "input", block_id: "answer", label: plain("Your answer"), element: { type: "plain_text_input", action_id: "answer" } }],
};

/** Slack over the Web API and Socket Mode. */
export async function slackBot({ apiUrl, token, appToken }: SimAccount): Promise<WireBot> {
  const heard: string[] = [];
  const call = async (method: string, body: Json, as = token): Promise<unknown> => {
    const result = await post(`${apiUrl}${method}`, { headers: { authorization: `Bearer ${as}` }, body });
    if (at(result, "ok") !== true) throw new Error(`${method}: ${JSON.stringify(result)}`);
    return result;
  };
  const close = (channel: string, ts: string, line: string): Promise<unknown> =>
    call("chat.update", { channel, ts, text: line, blocks: [{ type: "section", text: plain(line) }] });
  let last = { channel: "", ts: "" };
  const interactive = async (payload: unknown): Promise<void> => {
    if (at(payload, "type") === "view_submission") {
      const value = textOf(payload, "view", "state", "values", "answer", "answer", "value");
      heard.push(`form ${value}`);
      await close(last.channel, last.ts, `${value} · you`);
      return;
    }
    const [channel, ts] = [textOf(payload, "channel", "id"), textOf(payload, "message", "ts")];
    const picked = textOf(payload, "actions", 0, "selected_option", "value");
    const label = picked === "" ? textOf(payload, "actions", 0, "value") : picked;
    heard.push(`${picked === "" ? "press" : "pick"} ${label}`);
    if (label.endsWith("…")) {
      await call("views.open", { trigger_id: textOf(payload, "trigger_id"), view: SLACK_FORM });
      return;
    }
    await close(channel, ts, `${label} · you`);
    await call("chat.postEphemeral", { channel, user: textOf(payload, "user", "id"), text: `Recorded: ${label}.` });
  };
  const event = async (payload: unknown): Promise<void> => {
    if (textOf(payload, "event", "bot_id") !== "" || textOf(payload, "event", "subtype") !== "" || last.ts === "") return;
    // Slack escapes these three, and only these, in what people type.
    const words = textOf(payload, "event", "text").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    heard.push(`text ${words}${textOf(payload, "event", "thread_ts") === last.ts ? " (in thread)" : ""}`);
    await close(last.channel, last.ts, `${words} · you`);
  };
  const opening = await call("apps.connections.open", {}, appToken);
  const socket = new WebSocket(textOf(opening, "url"));
  socket.on("message", (data) => {
    const frame: unknown = JSON.parse(data.toString());
    const id = textOf(frame, "envelope_id");
    if (id === "") return;
    const payload = at(frame, "payload");
    void (at(frame, "type") === "interactive" ? interactive(payload) : event(payload)).then(() =>
      socket.send(JSON.stringify({ envelope_id: id })),
    );
  });
  await opened(socket);
  return {
    heard,
    post: async (channel, { text: words, buttons = [], menu = [] }) => {
      const entry = (label: string): Json => ({ text: plain(label), value: label });
      const select = { type: "static_select", action_id: "menu", placeholder: plain("Pick"), options: menu.map(entry) };
      const controls = [
        ...buttons.map((label, index) => ({ type: "button", action_id: `b${index}`, ...entry(label) })),
        ...(menu.length > 0 ? [select] : []),
      ];
      const blocks = [{ type: "section", text: plain(words) }, ...(controls.length > 0 ? [{ type: "actions", elements: controls }] : [])];
      last = { channel, ts: textOf(await call("chat.postMessage", { channel, text: words, blocks }), "ts") };
    },
    close: async () => socket.terminate(),
  };
}

/** Discord over REST and the gateway. */
export async function discordBot({ apiUrl, token }: SimAccount): Promise<WireBot> {
  const heard: string[] = [];
  const rest = (path: string, body: Json, method = "POST"): Promise<unknown> =>
    fetch(`${apiUrl}/v10${path}`, {
      method,
      headers: { authorization: `Bot ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }).then(async (response) => {
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      return text === "" ? undefined : JSON.parse(text);
    });
  let last = { channel: "", id: "" };
  const interaction = async (payload: unknown): Promise<void> => {
    const reply = (body: Json): Promise<unknown> =>
      rest(`/interactions/${textOf(payload, "id")}/${textOf(payload, "token")}/callback`, body);
    if (at(payload, "type") === 5) {
      const value = textOf(payload, "data", "components", 0, "component", "value");
      heard.push(`form ${value}`);
      await reply({ type: 7, data: { content: `${value} · you`, components: [] } });
      return;
    }
    const picked = textOf(payload, "data", "values", 0);
    const label = picked === "" ? textOf(payload, "data", "custom_id") : picked;
    heard.push(`${picked === "" ? "press" : "pick"} ${label}`);
    if (label.endsWith("…")) {
      const component = { type: 4, custom_id: "answer", style: 1 };
      await reply({
        type: 9,
        data: { custom_id: "f", title: "Other answer", components: [{ type: 18, label: "Your answer", component }] },
      });
      return;
    }
    await reply({ type: 4, data: { content: `Recorded: ${label}.`, flags: 64 } });
    await rest(`/channels/${last.channel}/messages/${last.id}`, { content: `${label} · you`, components: [] }, "PATCH");
  };
  const message = async (payload: unknown): Promise<void> => {
    if (at(payload, "author", "bot") === true || last.id === "") return;
    const words = textOf(payload, "content");
    heard.push(`text ${words}${textOf(payload, "message_reference", "message_id") === last.id ? " (reply)" : ""}`);
    await rest(`/channels/${last.channel}/messages/${last.id}`, { content: `${words} · you`, components: [] }, "PATCH");
  };
  const socket = new WebSocket(apiUrl.replace("http", "ws").replace(/api$/, "gateway?v=10&encoding=json"));
  const ready = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const frame: unknown = JSON.parse(data.toString());
      if (at(frame, "op") === 10) socket.send(JSON.stringify({ op: 2, d: { token, intents: 1 | (1 << 12) | (1 << 15), properties: {} } }));
      if (at(frame, "t") === "READY") resolve();
      if (at(frame, "t") === "INTERACTION_CREATE") void interaction(at(frame, "d"));
      if (at(frame, "t") === "MESSAGE_CREATE") void message(at(frame, "d"));
    });
  });
  await opened(socket);
  await ready;
  return {
    heard,
    post: async (channel, { text, buttons = [], menu = [] }) => {
      const drawn = buttons.map((label) => ({ type: 2, style: 2, label, custom_id: label }));
      const select = { type: 3, custom_id: "menu", options: menu.map((label) => ({ label, value: label })) };
      const components = [
        ...(drawn.length > 0 ? [{ type: 1, components: drawn }] : []),
        ...(menu.length > 0 ? [{ type: 1, components: [select] }] : []),
      ];
      last = { channel, id: textOf(await rest(`/channels/${channel}/messages`, { content: text, components }), "id") };
    },
    close: async () => socket.terminate(),
  };
}

/** Telegram by long polling. */
export async function telegramBot({ apiUrl, token }: SimAccount): Promise<WireBot> {
  const heard: string[] = [];
  const stopping = new AbortController();
  const call = (method: string, body: Json): Promise<unknown> => post(`${apiUrl}/bot${token}/${method}`, { body });
  let last = { chat: "", id: 0 };
  const edit = (text: string): Promise<unknown> => call("editMessageText", { chat_id: last.chat, message_id: last.id, text });
  const take = async (update: unknown): Promise<void> => {
    const label = textOf(update, "callback_query", "data");
    if (label !== "") {
      heard.push(`press ${label}`);
      const id = textOf(update, "callback_query", "id");
      if (label.endsWith("…")) {
        await call("answerCallbackQuery", { callback_query_id: id });
        await call("sendMessage", { chat_id: last.chat, text: "What should it say?", reply_markup: { force_reply: true } });
        return;
      }
      await call("answerCallbackQuery", { callback_query_id: id, text: `Recorded: ${label}.`, show_alert: true });
      await edit(`${label} · you`);
      return;
    }
    const words = textOf(update, "message", "text");
    heard.push(`text ${words}${at(update, "message", "reply_to_message") === undefined ? "" : " (reply)"}`);
    if (last.id !== 0) await edit(`${words} · you`);
  };
  const polling = (async () => {
    let offset = 0;
    while (!stopping.signal.aborted) {
      const result = await fetch(`${apiUrl}/bot${token}/getUpdates`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ offset, timeout: 20 }),
        signal: stopping.signal,
      }).then(
        (response): Promise<unknown> => response.json(),
        () => undefined,
      );
      const updates = at(result, "result");
      for (const update of Array.isArray(updates) ? updates : []) {
        await take(update);
        offset = Number(textOf(update, "update_id")) + 1;
      }
    }
  })();
  return {
    heard,
    post: async (chat, { text, buttons = [] }) => {
      const rows = buttons.map((label) => [{ text: label, callback_data: label }]);
      const markup = rows.length > 0 ? { reply_markup: { inline_keyboard: rows } } : {};
      const sent = await call("sendMessage", { chat_id: chat, text, ...markup });
      last = { chat, id: Number(textOf(sent, "result", "message_id")) };
    },
    close: async () => {
      stopping.abort();
      await polling;
    },
  };
}
