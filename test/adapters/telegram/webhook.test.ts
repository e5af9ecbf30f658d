/** Webhook mode: the listener, its secret, persist-then-confirm, and what `doctor` says. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { telegramChannel } from "../../../adapters/channels/telegram/index.js";
import type { Channel } from "../../../src/ports/channel.js";
import { eventually } from "../../../src/testing/contract/bench.js";
import { choose, seenBy, show } from "../../../src/testing/contract/channel-orders.js";
import { choiceView, tokenOn } from "../../../src/testing/contract/views.js";
import { openTelegramBench, type TelegramBench } from "./bench.js";

const SECRET = "a-secret_of-tests";
const TWO = choiceView(["Ship", "Hold"]);
const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function open(settings: Readonly<Record<string, unknown>> = {}): Promise<TelegramBench & { readonly url: string }> {
  const state: { channel?: Channel } = {};
  const server: Server = createServer((request, response) => state.channel?.http?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/channels/telegram`;
  const bench = await openTelegramBench({
    opened: false,
    settings: { webhook: { url, secretToken: SECRET }, storeTimeoutMs: 300, ...settings },
  });
  ended.push(bench.stop, () => new Promise((resolve) => server.close(() => resolve())));
  state.channel = bench.channel;
  await bench.channel.open(bench.intake);
  return { ...bench, url };
}

/** A press as Telegram posts it. */
function post(url: string, headers: Readonly<Record<string, string>>, body = pressBy(42)): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
}
function pressBy(userId: number): string {
  const message = {
    message_id: 10,
    date: 1,
    chat: { id: userId, type: "private" },
    from: { id: 7, is_bot: true, first_name: "b" },
    text: "?",
  };
  const query = { id: "77", from: { id: userId, is_bot: false, first_name: "P1" }, message, chat_instance: "1", data: "x" };
  return JSON.stringify({ update_id: 1, callback_query: query });
}
const WITH_SECRET = { "x-telegram-bot-api-secret-token": SECRET };

describe("webhook", () => {
  it("takes presses and texts over real deliveries", async () => {
    const bench = await open();
    const { intake, person, direct } = bench;
    const { id } = await show(bench, TWO, direct);
    const result = await choose(person, seenBy(person, direct, id), tokenOn("choice", { kind: "option", index: 0 }));
    expect(result.acknowledged).toBe(true);
    await person.types("blue");
    expect(await intake.waitsFor("text")).toMatchObject({ text: "blue" });
    await eventually("all to be confirmed", () => (bench.simulator.pendingUpdates.length === 0 ? true : undefined));
    expect(bench.simulator.calls.some(({ method }) => method === "getUpdates")).toBe(false);
  });

  it("B175 a delivery without the secret, or with a wrong one, is refused; with the right one it is taken", async () => {
    const { url, intake } = await open();
    expect((await post(url, {})).status).toBe(401);
    expect((await post(url, { "x-telegram-bot-api-secret-token": "wrong" })).status).toBe(401);
    expect(intake.taken).toEqual([]);
    expect((await post(url, WITH_SECRET)).status).toBe(200);
    expect(intake.taken).toMatchObject([{ kind: "press", sender: { userId: "42" } }]);
  });

  it("B175 a webhook without a secret does not start", () => {
    const parsed = telegramChannel.settings.safeParse({ token: "1:a", webhook: { url: "https://bot.example/hook" } });
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error?.issues)).toContain("a webhook needs a secret");
  });

  it("B022 answers 200 right after the write, and the repeat is the same input", async () => {
    const { url, intake, simulator } = await open();
    simulator.faults.on("answerCallbackQuery", { kind: "delay", ms: 1_000 });
    intake.says(() => ({ kind: "word", text: "slow word" }));
    const startedAt = performance.now();
    expect((await post(url, WITH_SECRET)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(900);
    expect((await post(url, WITH_SECRET)).status).toBe(200);
    expect(intake.taken[1]).toEqual(intake.taken[0]);
  });

  it("B005 what could not be stored is not confirmed, and comes again", async () => {
    const { intake, person } = await open();
    intake.failNext(2);
    await person.types("blue");
    const typed = await intake.waitsFor("text");
    expect(intake.failed).toEqual([typed, typed]);
  });

  it("refuses a delivery that is not stored in time", async () => {
    const { url, intake } = await open();
    const release = intake.hold();
    expect((await post(url, WITH_SECRET)).status).toBe(503);
    release();
    expect((await post(url, WITH_SECRET)).status).toBe(200);
  });

  it("refuses everything while closed, other methods, and what is no JSON", async () => {
    const { url, channel } = await open();
    expect((await fetch(url, { headers: WITH_SECRET })).status).toBe(405);
    expect((await post(url, WITH_SECRET, "{")).status).toBe(500);
    await channel.close();
    expect((await post(url, WITH_SECRET)).status).toBe(503);
  });

  it("doctor sees that the address is set and whether it works", async () => {
    const { channel, simulator } = await open();
    expect(await channel.check()).toContainEqual({ check: "webhook", ok: true, detail: "0 updates wait" });
    const { token, apiUrl } = simulator.account();
    await fetch(`${apiUrl}/bot${token}/deleteWebhook`, { method: "POST" });
    expect(await channel.check()).toContainEqual(expect.objectContaining({ check: "webhook", ok: false, remedy: expect.any(String) }));
  });

  it("polling mode removes a webhook that was left behind, and keeps its updates", async () => {
    const bench = await openTelegramBench({ opened: false });
    ended.push(bench.stop);
    const { token, apiUrl } = bench.simulator.account();
    const left = { url: "http://127.0.0.1:9/nobody", secret_token: "x" };
    await fetch(`${apiUrl}/bot${token}/setWebhook`, {
      method: "POST",
      body: JSON.stringify(left),
      headers: { "content-type": "application/json" },
    });
    await bench.person.types("blue");
    await bench.channel.open(bench.intake);
    expect(await bench.intake.waitsFor("text")).toMatchObject({ text: "blue" });
  });
});
