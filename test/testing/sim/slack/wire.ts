/** Speaking to the Slack simulator over plain HTTP and WebSocket, as an SDK does. */
import { afterEach } from "vitest";
import WebSocket from "ws";
import { isObject, type Json, textAt } from "../../../../src/testing/sim/slack/json.js";
import { SlackSimulator, type SlackSimulatorOptions } from "../../../../src/testing/sim/slack/simulator.js";

const running: SlackSimulator[] = [];
/** A simulator with short deadlines, stopped after the test. */
export async function simulator(options: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
  const made = await SlackSimulator.start({ ackTimeoutMs: 200, retryDelaysMs: [10, 10], pingIntervalMs: 50, ...options });
  running.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((made) => made.stop()));
});

/** Calls a method as the SDK does: a form, objects as JSON text. */
export async function call(
  slack: SlackSimulator,
  method: string,
  args: Json = {},
  token = slack.account().token,
): Promise<Json & { status: number; wait: string | null }> {
  const form = Object.entries(args).map(([key, value]): [string, string] => [
    key,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-www-form-urlencoded" };
  const response = await fetch(`${slack.account().apiUrl}${method}`, {
    method: "POST",
    headers,
    body: new URLSearchParams(form).toString(),
  });
  const body: unknown = await response.json().catch(() => ({}));
  return { ...(isObject(body) ? body : {}), status: response.status, wait: response.headers.get("retry-after") };
}

/** A socket that collects envelopes and confirms those that `confirms` accepts. */
export async function socket(
  slack: SlackSimulator,
  confirms: (envelope: Json) => Json | boolean = () => true,
): Promise<{ readonly envelopes: Json[]; readonly pings: () => number; readonly link: WebSocket }> {
  const opened = await call(slack, "apps.connections.open", {}, slack.account().appToken);
  const link = new WebSocket(textAt(opened, "url") ?? "");
  const envelopes: Json[] = [];
  let pings = 0;
  link.on("ping", () => {
    pings += 1;
  });
  link.on("error", () => undefined);
  const hello = new Promise<void>((resolve, reject) => {
    link.on("error", reject);
    link.on("close", () => reject(new Error("closed")));
    link.on("message", (data: Buffer) => {
      const frame: unknown = JSON.parse(data.toString("utf8"));
      if (!isObject(frame)) return;
      if (frame["type"] === "hello") return resolve();
      envelopes.push(frame);
      const answer = frame["envelope_id"] === undefined ? false : confirms(frame);
      if (answer !== false) link.send(JSON.stringify({ envelope_id: frame["envelope_id"], payload: answer === true ? {} : answer }));
    });
  });
  await hello;
  return { envelopes, link, pings: () => pings };
}

/** A button whose token, label and id are one text. */
export const button = (id: string) => ({ type: "button", action_id: id, value: id, text: { type: "plain_text", text: id.slice(0, 75) } });
/** A row of buttons. */
export const actions = (...ids: readonly string[]) => ({ type: "actions", elements: ids.map(button) });
/** A mrkdwn paragraph. */
export const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
