/** HTTP mode's door: signatures, age, repeats, and when it confirms. */
import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { slackChannel, slackSettings } from "../../../adapters/channels/slack/index.js";
import type { Channel } from "../../../src/ports/channel.js";
import type { Clock } from "../../../src/ports/clock.js";
import { MapMemory, machineClock, RecordingIntake, RecordingLog } from "../../../src/testing/contract/bench.js";
import { textView } from "../../../src/testing/contract/views.js";
import { type AppResponse, post, type SignedRequest, signed } from "../../../src/testing/sim/slack/http-mode.js";
import { eventBody } from "../../../src/testing/sim/slack/payloads.js";
import type { SlackSimulator } from "../../../src/testing/sim/slack/simulator.js";
import { mount, QUICK, quickSimulator } from "./bench.js";

type Door = {
  readonly simulator: SlackSimulator;
  readonly channel: Channel;
  readonly intake: RecordingIntake;
  readonly log: RecordingLog;
  readonly url: string;
  readonly secret: string;
  /** Moves the product's clock. */
  readonly shift: (ms: number) => void;
  readonly send: (made: SignedRequest) => Promise<AppResponse>;
};

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function door(rawBody?: (raw: Buffer) => Buffer | undefined): Promise<Door> {
  const simulator = await quickSimulator({ mode: "http" });
  let offsetMs = 0;
  const clock: Clock = { now: () => Date.now() + offsetMs, after: (delayMs, run) => machineClock.after(delayMs, run) };
  const log = new RecordingLog();
  const intake = new RecordingIntake();
  const settings = slackSettings.parse({ ...simulator.account(), ...QUICK });
  const channel = await slackChannel.create({ account: "slack", settings, memory: new MapMemory(), clock, log });
  await channel.open(intake);
  const { url, server } = await mount(() =>
    rawBody === undefined
      ? channel.http
      : (incoming, outgoing) => {
          // A host that parses bodies by itself before the channel sees the request.
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("end", () => {
            const kept = rawBody(Buffer.concat(chunks));
            channel.http?.(kept === undefined ? incoming : Object.assign(incoming, { rawBody: kept }), outgoing);
          });
        },
  );
  simulator.deliverTo(url);
  stops.push(async () => {
    await channel.close();
    server.close();
    server.closeAllConnections();
    await simulator.stop();
  });
  const shift = (ms: number): void => {
    offsetMs = ms;
  };
  const secret = settings.signingSecret ?? "";
  return { simulator, channel, intake, log, url, secret, shift, send: (made) => post(url, made, 3_000) };
}

const nowS = (): number => Math.floor(Date.now() / 1_000);

/** A signed message event from Alice. */
function typed({ simulator, secret }: Door, text: string, { atS = nowS(), spaced = false } = {}): SignedRequest {
  const person = simulator.person("Alice");
  const ts = simulator.workspace.nextTs();
  const event = { type: "message", channel: person.direct, channel_type: "im", user: person.userId, text, ts, event_ts: ts };
  const json = JSON.stringify(eventBody(simulator.workspace, event), null, spaced ? 3 : undefined);
  return signed(spaced ? json.replaceAll("verification", "veri\\/fication") : json, secret, atS, "application/json");
}

describe("HTTP mode", () => {
  it("answers url_verification, signed or refused", async () => {
    const made = await door();
    const body = JSON.stringify({ type: "url_verification", challenge: "abc", token: "t" });
    expect(await made.send(signed(body, made.secret, nowS(), "application/json"))).toMatchObject({
      status: 200,
      body: '{"challenge":"abc"}',
    });
    expect(await made.send(signed(body, "another secret", nowS(), "application/json"))).toMatchObject({ status: 401 });
  });

  it("B172 a valid request replayed after 6 minutes is refused, after 1 minute it is 200 without a second effect", async () => {
    const made = await door();
    const valid = typed(made, "blue");
    expect(await made.send(valid)).toMatchObject({ status: 200 });
    made.shift(60_000);
    expect(await made.send(valid)).toMatchObject({ status: 200 });
    made.shift(360_000);
    expect(await made.send(valid)).toMatchObject({ status: 401 });
    expect(made.intake.taken).toHaveLength(1);
  });

  it("B172 a request that could not be stored is 500, and works when it comes again", async () => {
    const made = await door();
    const valid = typed(made, "blue");
    made.intake.failNext();
    expect(await made.send(valid)).toMatchObject({ status: 500 });
    expect(await made.send(valid)).toMatchObject({ status: 200 });
    expect(made.intake.taken).toEqual(made.intake.failed);
  });

  it("B173 unusual spacing and escaped slashes are accepted, one changed byte is not", async () => {
    const made = await door();
    const spaced = typed(made, "blue", { spaced: true });
    expect(spaced.body).toContain("\\/");
    expect(await made.send({ ...spaced, body: spaced.body.replace("blue", "blua") })).toMatchObject({ status: 401 });
    expect(await made.send(spaced)).toMatchObject({ status: 200 });
    expect(await made.intake.waitsFor("text")).toMatchObject({ text: "blue" });
  });

  it("B173 a host that consumed the body must hand over the raw bytes", async () => {
    const kept = await door((raw) => raw);
    expect(await kept.send(typed(kept, "blue"))).toMatchObject({ status: 200 });
    expect(kept.intake.taken).toHaveLength(1);
    const lost = await door(() => undefined);
    expect(await lost.send(typed(lost, "blue"))).toMatchObject({ status: 500 });
    expect(lost.log.text()).toContain("rawBody");
    expect(lost.intake.taken).toHaveLength(0);
  });

  it("B164 refusals by time are counted and named in health with the skew", async () => {
    const made = await door();
    made.shift(-600_000);
    expect(await made.send(typed(made, "blue"))).toMatchObject({ status: 401 });
    expect(await made.send(typed(made, "blue"))).toMatchObject({ status: 401 });
    expect(made.channel.health()).toMatchObject({ state: "degraded", reason: "clock skew about 600 s (2 requests refused)" });
    expect(await made.channel.check()).toContainEqual(expect.objectContaining({ check: "clock", ok: false }));
    expect(made.intake.taken).toHaveLength(0);
    made.shift(0);
    expect(await made.send(typed(made, "blue"))).toMatchObject({ status: 200 });
    expect(made.channel.health()).toMatchObject({ state: "up" });
  });

  it("B164 a forged request says nothing about the clock", async () => {
    const made = await door();
    const forged = signed("{}", "another secret", nowS() - 4_000, "application/json");
    expect(await made.send(forged)).toMatchObject({ status: 401 });
    expect(made.channel.health()).toMatchObject({ state: "up" });
  });

  it.each([
    ["x-slack-signature", ""],
    ["x-slack-signature", "v0=00"],
    ["x-slack-signature", "v1=abc"],
    ["x-slack-request-timestamp", "1e9"],
    ["x-slack-request-timestamp", ""],
  ])("refuses %s %j", async (name, value) => {
    const made = await door();
    const valid = typed(made, "blue");
    expect(await made.send({ ...valid, headers: { ...valid.headers, [name]: value } })).toMatchObject({ status: 401 });
    expect(made.intake.taken).toHaveLength(0);
  });

  it("B037 retry marks are never a reason to drop", async () => {
    const made = await door();
    const valid = typed(made, "blue");
    const marks = { "x-slack-retry-num": "1", "x-slack-retry-reason": "http_timeout" };
    expect(await made.send({ ...valid, headers: { ...valid.headers, ...marks } })).toMatchObject({ status: 200 });
    expect(made.intake.taken).toHaveLength(1);
  });

  it("B191 signed rubbish is answered and ends nothing", async () => {
    const made = await door();
    const rubbish = ["{", "null", "[]", '{"event":null}', '{"event":{}}', '{"type":"event_callback","event":{"type":"message"}}'];
    for (const body of rubbish) expect((await made.send(signed(body, made.secret, nowS(), "application/json"))).status).toBeGreaterThan(0);
    expect(await made.send(typed(made, "blue"))).toMatchObject({ status: 200 });
    expect(made.intake.taken).toHaveLength(1);
  });

  it("takes POST only, nothing over its limit, and nothing while it is closed", async () => {
    const made = await door();
    const status = await new Promise<number>((resolve, reject) => {
      request(made.url, { method: "GET" }, (response) => resolve(response.resume().statusCode ?? 0))
        .on("error", reject)
        .end();
    });
    expect(status).toBe(405);
    const huge = signed("x".repeat(1_100_000), made.secret, nowS(), "application/json");
    const refused = await made.send(huge).catch(() => ({ status: 413 }));
    expect(refused.status).toBe(413);
    await made.channel.close();
    expect(await made.send(typed(made, "blue"))).toMatchObject({ status: 503 });
  });

  it("a modal's errors go back as the body of the response", async () => {
    const made = await door();
    const person = made.simulator.person("Alice");
    made.intake.says((input) => {
      if (input.kind === "press")
        return {
          kind: "form",
          form: {
            token: input.token,
            title: "Why",
            submitLabel: "Send",
            fields: [{ key: "answer", label: "Why?", multiline: true, required: true }],
          },
        };
      return { kind: "invalid", fields: [{ key: "answer", message: "Too short." }] };
    });
    await made.channel.send({ view: textView(), part: 0, nonce: "n1", conversation: person.direct, direct: true });
    const modal = await person.opensModal("Write…");
    expect(await modal.submit({ answer: "no" })).toEqual({ answer: "Too short." });
  });
});
