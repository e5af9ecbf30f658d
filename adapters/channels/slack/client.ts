/**
 * Slack's SDK as the channel needs it: Bolt, the Web API client, Socket Mode clients. The only file that uses the SDK.
 *
 * CL1  Bolt acknowledges events before its listeners run; it is handed an `ack` that only remembers, and the confirmation is sent when
 *      the work is done (platforms.md section 2.3, item 1).
 * CL2  Every client is made with `retryConfig: { retries: 0 }` and `rejectRateLimitedCalls: true`: the host's outbox owns retries
 *      (items 2, 3, 4).
 * CL3  The SDK's own reconnecting is off: a failed one would end the process by an unhandled rejection (B039), and it waits 5 s at
 *      every refresh (item 5). `links.ts` makes connections instead. A frame that the SDK cannot read ends nothing (B191).
 */
import { channel as diagnosticsChannel } from "node:diagnostics_channel";
import { App, type AppOptions, LogLevel, type Receiver } from "@slack/bolt";
import { SocketModeClient } from "@slack/socket-mode";
import { WebClient, type WebClientOptions } from "@slack/web-api";
import type { Channel, ChannelContext } from "../../../src/ports/channel.js";
import { type SdkNeeds, SlackChannel, type SlackSdk } from "./channel.js";
import type { Ack } from "./desk.js";
import type { LinkSocket } from "./links.js";
import type { SlackSettings } from "./settings.js";

/** Makes the channel; no connection yet. */
export async function createSlackChannel(context: ChannelContext<SlackSettings>): Promise<Channel> {
  return new SlackChannel(context, slackSdk);
}

function slackSdk(needs: SdkNeeds): SlackSdk {
  const web = new WebClient(needs.settings.token, clientOptions(needs));
  const app = boltApp(needs);
  return {
    call: async (method, args) => ({ ...(await web.apiCall(method, args)) }),
    processEvent: (body, ack, { attempt, reason }) =>
      app.processEvent({
        body,
        ack,
        ...(attempt !== undefined && { retryNum: attempt }),
        ...(reason !== undefined && { retryReason: reason }),
      }),
    socket: (handlers) => socket(needs, handlers),
    testSocket: async () => {
      // The app token travels in the header, as in the SDK's own Socket Mode client.
      const headers = { Authorization: `Bearer ${needs.settings.appToken ?? ""}` };
      return { ...(await new WebClient("", { ...clientOptions(needs), headers }).apps.connections.open({})) };
    },
  };
}

/** A fresh object each time: the SDK writes into it (platforms.md section 2.3, item 3). */
function clientOptions({ settings: { apiUrl, requestTimeoutMs }, ...needs }: SdkNeeds): WebClientOptions {
  return {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: requestTimeoutMs,
    logger: sdkLog(needs),
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
  };
}

/** The SDK's log: its debug lines hold whole payloads and are dropped; the rest is redacted. */
function sdkLog({ account, log, redact }: Pick<SdkNeeds, "account" | "log" | "redact">): NonNullable<AppOptions["logger"]> {
  const tell = (...parts: unknown[]): void => {
    const said = parts.map((part) => (part instanceof Error ? `${part.name}: ${part.message}` : String(part))).join(" ");
    log.debug({ account, sdk: redact(said).slice(0, 300) }, "slack: the SDK says");
  };
  const quiet = (): void => undefined;
  return { debug: quiet, info: quiet, warn: tell, error: tell, setLevel: quiet, getLevel: () => LogLevel.WARN, setName: quiet };
}

function boltApp(needs: SdkNeeds): App {
  const { listeners, identity, settings } = needs;
  const receiver: Receiver = { init: () => undefined, start: async () => undefined, stop: async () => undefined };
  const app = new App({
    receiver,
    // Who we are is known from auth.test at open; Bolt would ask again at every event.
    authorize: async () => {
      const { botId, botUserId } = identity() ?? {};
      return { botToken: settings.token, ...(botId !== undefined && { botId }), ...(botUserId !== undefined && { botUserId }) };
    },
    clientOptions: clientOptions(needs),
    logger: sdkLog(needs),
    convoStore: false,
    ignoreSelf: false,
  });
  // Bolt has acknowledged an event by now, to an `ack` that only remembers.
  const remembered: Ack = async () => undefined;
  app.event("message", ({ body }) => listeners.message(body, remembered));
  app.action(/(?:)/, ({ body, ack }) => listeners.press(body, async () => ack()));
  app.view(/(?:)/, ({ body, ack }) => listeners.submit(body, async (response) => Reflect.apply(ack, undefined, [response])));
  // What a listener throws is told by the channel; Bolt's own handler would log it.
  app.error(async (error) => {
    throw error;
  });
  return app;
}

/** Slack's client with its frames guarded (CL3). Emits `heard` for each, `asked_to_renew` for a disconnect, `bad_frame`. */
class GuardedSocket extends SocketModeClient {
  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    this.emit("heard");
    if (typeof data === "string" && data.length < 2_000 && /"type"\s*:\s*"disconnect"/.test(data)) this.emit("asked_to_renew");
    try {
      await super.onWebSocketMessage(data, isBinary);
    } catch (error) {
      this.emit("bad_frame", error);
    }
  }
}

/** What Slack's client emits as `slack_event`. */
type SocketEvent = {
  readonly body: unknown;
  readonly ack: (response?: unknown) => Promise<void>;
  readonly retry_num?: number;
  readonly retry_reason?: string;
};

function socket(needs: SdkNeeds, { heard, refresh, received }: Parameters<SlackSdk["socket"]>[0]): LinkSocket {
  const { appToken = "" } = needs.settings;
  const client = new GuardedSocket({ appToken, autoReconnectEnabled: false, logger: sdkLog(needs), clientOptions: clientOptions(needs) });
  let ended = false;
  const stopPings = onServerPing(client, heard);
  const closed = new Promise<void>((resolve) => {
    client.on("disconnected", () => {
      stopPings();
      resolve();
    });
  });
  client.on("heard", heard);
  client.on("asked_to_renew", refresh);
  client.on("bad_frame", () => needs.log.error({ account: needs.account }, "slack: a frame could not be read"));
  client.on("slack_event", ({ body, ack, retry_num: attempt, retry_reason: reason }: SocketEvent) =>
    received({ body, ack, retry: { ...(attempt !== undefined && { attempt }), ...(reason !== undefined && { reason }) } }),
  );
  const close = (force: boolean): void => {
    ended = true;
    void client.disconnect();
    // A second call does not wait for the other side's farewell.
    if (force) void client.disconnect();
  };
  // The SDK goes on connecting although it was told to stop while it asked for an address.
  client.on("connecting", () => {
    if (ended) setImmediate(() => close(true));
  });
  return {
    connect: async () => {
      await client.start();
    },
    closed,
    close: ({ force }) => close(force),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Calls `heard` at every ping of the server on this client's socket; gives the undo. The SDK itself tells nobody of them. */
function onServerPing(client: SocketModeClient, heard: () => void): () => void {
  const pings = diagnosticsChannel("undici:websocket:ping");
  let address = "";
  client.on("authenticated", (reply: { readonly url?: string }) => {
    address = reply.url !== undefined && URL.canParse(reply.url) ? new URL(reply.url).href : "";
  });
  const listen = (message: unknown): void => {
    if (isRecord(message) && isRecord(message["websocket"]) && message["websocket"]["url"] === address) heard();
  };
  pings.subscribe(listen);
  return () => {
    pings.unsubscribe(listen);
  };
}
