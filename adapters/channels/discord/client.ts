/**
 * The only user of the SDK: discord.js for the API (REST, routes, validators, errors), `@discordjs/ws` for the gateway.
 *
 * K1  No retry in the library, and no waiting out of rate limits: both belong to the host (C2; platforms.md, 2.4, points 2 and 3).
 * K2  Errors of the library are read by class and code; their texts, which hold addresses with interaction tokens, go nowhere (B169).
 * K3  The client class of discord.js is not used: an odd payload there throws inside its socket handler and kills the process, and
 *     it keeps the session in memory only (platforms.md, 2.4, points 5 and 6).
 */
import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import {
  ActionRowBuilder,
  type APIActionRowComponent,
  type APIComponentInMessageActionRow,
  type ButtonBuilder,
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  REST,
  Routes,
  type StringSelectMenuBuilder,
} from "discord.js";
import type { Channel, ChannelContext } from "../../../src/ports/channel.js";
import type { Clock } from "../../../src/ports/clock.js";
import type { Api, ApiFault, ApiResult } from "./api.js";
import { DiscordChannel } from "./channel.js";
import type { Link, LinkHooks } from "./gateway.js";
import { TOO_LONG_LEAVES } from "./limits.js";
import type { DiscordSettings } from "./settings.js";

/** Waits shorter than this are not worth a promise: a 429 without a stated wait would otherwise be tried in a tight loop. */
const LIMITED_MIN_MS = 1_000;
/** Longest wait for the other side to close the connection too. */
const CLOSE_WAIT_MS = 2_000;
/** "Resuming": any code but 1000 and 1001 keeps the session. Source: Gateway, "Initiating a Disconnect"; platforms.md, 2.4. */
const CLOSE_KEEPING_SESSION = 4200;

/** Connections that were never made: the call surely did nothing. Source: Node.js and undici error codes. */
const NOT_CARRIED_OUT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** Makes the channel of one account over the real SDK; it connects at `open`. */
export function createDiscordChannel(context: ChannelContext<DiscordSettings>): Channel {
  const { settings } = context;
  const rest = new REST({
    version: "10",
    retries: 0, // K1
    rejectOnRateLimit: () => true, // K1
    timeout: settings.requestTimeoutMs,
    ...(settings.apiUrl === undefined ? {} : { api: settings.apiUrl.replace(/\/+$/, "") }),
  });
  // Doctor asks without opening.
  rest.setToken(settings.token);
  const token = new BotToken();
  return new DiscordChannel(context, {
    api: discordApi(rest, token),
    reset: () => {
      rest.setToken(settings.token);
      token.refused = false;
    },
    openLink: (intents, hooks) => openLink({ rest, settings, intents, hooks, clock: context.clock }),
    onUnauthenticated: (told) => {
      token.told = told;
    },
  });
}

/** Whether the platform still takes the token. Once refused it is not tried again: ten thousand refusals ban the address (platforms.md, 4.2). */
class BotToken {
  refused = false;
  told: () => void = () => undefined;

  refuse(): void {
    if (this.refused) return;
    this.refused = true;
    this.told();
  }
}

function discordApi(rest: REST, token: BotToken): Api {
  const asBot = async (work: () => Promise<unknown>): Promise<ApiResult> => {
    if (token.refused) return { ok: false, fault: { kind: "unauthenticated" } };
    const result = await attempt(work);
    if (result.ok || result.fault.kind !== "refused" || result.fault.status !== 401) return result;
    token.refuse();
    return { ok: false, fault: { kind: "unauthenticated" } };
  };
  return {
    me: () => asBot(() => rest.get(Routes.user())),
    application: () => asBot(() => rest.get(Routes.currentApplication())),
    guilds: () => asBot(() => rest.get(Routes.userGuilds())),
    guild: (id) => asBot(() => rest.get(Routes.guild(id))),
    guildChannels: (id) => asBot(() => rest.get(Routes.guildChannels(id))),
    guildMember: (guild, user) => asBot(() => rest.get(Routes.guildMember(guild, user))),
    channel: (id) => asBot(() => rest.get(Routes.channel(id))),
    openDirect: (userId) => asBot(() => rest.post(Routes.userChannels(), { body: { recipient_id: userId } })),
    unarchive: (channel) => asBot(() => rest.patch(Routes.channel(channel), { body: { archived: false } })),
    createMessage: (channel, body) => asBot(() => rest.post(Routes.channelMessages(channel), { body: validated(body) })),
    editMessage: (channel, message, body) => asBot(() => rest.patch(Routes.channelMessage(channel, message), { body: validated(body) })),
    messages: (channel, { after, limit }) => {
      const query = new URLSearchParams({ limit: String(limit), ...(after === undefined ? {} : { after }) });
      return asBot(() => rest.get(Routes.channelMessages(channel), { query }));
    },
    respond: ({ id, token: key }, body) => attempt(() => rest.post(Routes.interactionCallback(id, key), { auth: false, body })),
    followUp: ({ application, token: key }, body) => attempt(() => rest.post(Routes.webhook(application, key), { auth: false, body })),
  };
}

class InvalidBody extends Error {}

/** discord.js's own validators look at the controls before they go out: a mistake of ours is refused here, not by the platform. */
function validated(body: unknown): unknown {
  if (!hasRows(body)) return body;
  try {
    return {
      ...body,
      components: body.components.map((row) => new ActionRowBuilder<ButtonBuilder | StringSelectMenuBuilder>(row).toJSON()),
    };
  } catch {
    throw new InvalidBody("discord.js refused the controls");
  }
}

type WithRows = { readonly components: readonly APIActionRowComponent<APIComponentInMessageActionRow>[] };

function hasRows(body: unknown): body is WithRows {
  return typeof body === "object" && body !== null && "components" in body && Array.isArray(body.components);
}

async function attempt(work: () => Promise<unknown>): Promise<ApiResult> {
  try {
    return { ok: true, data: await work() };
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

/** K2, C3 */
function faultOf(error: unknown): ApiFault {
  if (error instanceof RateLimitError) {
    // The library's `retryAfter` is the bucket's reset; the stated wait of a sublimit stands beside it. The longest is the safe one.
    const afterMs = Math.max(LIMITED_MIN_MS, error.retryAfter, error.sublimitTimeout, error.timeToReset);
    return { kind: "limited", afterMs, scope: error.global || error.scope === "global" ? "account" : "conversation" };
  }
  if (error instanceof DiscordAPIError) {
    const code = typeof error.code === "number" ? error.code : 0;
    return { kind: "refused", code, status: error.status, tooLong: hasTooLong(error.rawError) };
  }
  if (error instanceof InvalidBody) return { kind: "refused", code: 50035, status: 400, tooLong: false };
  if (error instanceof HTTPError) return { kind: "unknown", why: `Discord's edge answered HTTP ${error.status}` };
  if (error instanceof Error && error.name === "AbortError") return { kind: "unknown", why: "no response in time" };
  const code = networkCode(error);
  if (code !== undefined && NOT_CARRIED_OUT.has(code)) return { kind: "unreachable", why: `Discord is out of reach (${code})` };
  return { kind: "unknown", why: `no response (${code ?? "connection lost"})` };
}

/** A leaf of the nested form errors that says "too long". */
function hasTooLong(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasTooLong);
  if (typeof node !== "object" || node === null) return false;
  return Object.entries(node).some(([key, value]) =>
    key === "code" && typeof value === "string" ? TOO_LONG_LEAVES.has(value) : hasTooLong(value),
  );
}

/** The system's error code, wherever the library put it; only short upper-case names, never a text. */
function networkCode(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; typeof at === "object" && at !== null && depth < 5; depth += 1) {
    if ("code" in at && typeof at.code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(at.code)) return at.code;
    at = "errors" in at && Array.isArray(at.errors) ? at.errors[0] : "cause" in at ? at.cause : undefined;
  }
  return undefined;
}

type LinkParts = {
  readonly rest: REST;
  readonly settings: DiscordSettings;
  readonly intents: number;
  readonly hooks: LinkHooks;
  readonly clock: Clock;
};

function openLink({ rest, settings, intents, hooks, clock }: LinkParts): Link {
  let open = true;
  const manager = new WebSocketManager({
    token: settings.token,
    rest,
    intents,
    // One connection: Discord asks for more from 2,500 servers on (close code 4011 says so).
    shardCount: 1,
    shardIds: [0],
    handshakeTimeout: settings.helloTimeoutMs,
    helloTimeout: settings.helloTimeoutMs,
    readyTimeout: settings.helloTimeoutMs,
    retrieveSessionInfo: async () => {
      const kept = open ? await hooks.retrieve() : null;
      const info = kept !== null && hooks.elsewhere() ? await atMainAddress(manager, kept) : kept;
      // A link that was closed while it waited to reconnect would otherwise connect beside its successor.
      return open ? info : new Promise<never>(() => undefined);
    },
    updateSessionInfo: (_shard, info) => {
      if (open) hooks.update(info);
    },
  });
  listen(manager, hooks, () => open);
  return {
    connect: async () => {
      const { url } = await manager.fetchGatewayInformation();
      // The library would throw on it where nobody can catch.
      if (!URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol)) throw new InvalidBody("the gateway's address is none");
      await manager.connect();
    },
    close: async () => {
      open = false;
      const closing = Promise.resolve(manager.destroy({ code: CLOSE_KEEPING_SESSION, reason: "stopping" }));
      const limit = new Promise<void>((resolve) => {
        clock.after(CLOSE_WAIT_MS, resolve);
      });
      await Promise.race([closing.catch(() => undefined), limit]);
    },
  };
}

/** The same session at the gateway's own address: the one it was told to resume at may be gone. As it was when that cannot be read. */
async function atMainAddress(manager: WebSocketManager, info: SessionInfo): Promise<SessionInfo> {
  try {
    const { url } = await manager.fetchGatewayInformation(true);
    return URL.canParse(url) ? { ...info, resumeURL: url } : info;
  } catch {
    return info;
  }
}

function listen(manager: WebSocketManager, hooks: LinkHooks, isOpen: () => boolean): void {
  const when = (act: () => void): void => {
    if (isOpen()) act();
  };
  manager.on(WebSocketShardEvents.Hello, () => when(() => hooks.hello()));
  manager.on(WebSocketShardEvents.Ready, () => when(() => hooks.live()));
  manager.on(WebSocketShardEvents.Resumed, () => when(() => hooks.live()));
  manager.on(WebSocketShardEvents.Closed, ({ code }) => when(() => hooks.closed(code)));
  manager.on(WebSocketShardEvents.Dispatch, ({ data }) => when(() => hooks.dispatch(data)));
  // Each error is followed by a close, which is what counts; without a listener it would be thrown.
  manager.on(WebSocketShardEvents.Error, () => undefined);
}
