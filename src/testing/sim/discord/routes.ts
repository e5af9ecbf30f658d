/**
 * The REST routes of the Discord simulator that the product meets. Paths and bodies: discord-api-docs (Channel, Message, Guild,
 * User, Application Resource, Receiving and Responding), API version 10.
 */
import { z } from "zod";
import { editBody, messageBody, replyBody } from "./bodies.js";
import { DiscordRefusal, invalidForm } from "./errors.js";
import type { Interactions } from "./interactions.js";
import { channelPayload, memberPayload, messagePayload, userPayload } from "./payloads.js";
import { isSnowflake, olderThan } from "./snowflake.js";
import type { SimChannel, SimMessageState, World } from "./world.js";

type Json = Readonly<Record<string, unknown>>;

/** What the routes are made from; `posted` and `edited` tell the gateway. */
export type RouteRules = {
  readonly world: World;
  readonly interactions: Interactions;
  readonly gatewayUrl: () => string;
  readonly contentAllowed: () => boolean;
  readonly edited: (message: SimMessageState) => void;
  readonly posted: (message: SimMessageState) => void;
};

/** One request: the parts of its path that vary, its query and its body. */
type Request = { readonly args: readonly string[]; readonly query: URLSearchParams; readonly body: unknown };
/** What a route gives: a body, or undefined for 204. */
export type Reply = Json | readonly Json[] | undefined;

/** One route. */
export type Route = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With `:id` and `:token` for what varies; also the name in `Faults` and `calls`. */
  readonly path: string;
  /** Needs the bot's token? Routes of an interaction carry their own. */
  readonly auth: boolean;
  readonly run: (request: Request) => Reply;
};

/** All routes, the more exact before the more general. */
export function routes(rules: RouteRules): readonly Route[] {
  return [...accountRoutes(rules), ...placeRoutes(rules), ...messageRoutes(rules), ...interactionRoutes(rules)];
}

function accountRoutes({ world, gatewayUrl, contentAllowed }: RouteRules): readonly Route[] {
  // GATEWAY_MESSAGE_CONTENT_LIMITED, 1 << 19. Source: Application Resource, "Application Flags".
  const application = (): Json => ({
    id: world.applicationId,
    name: "acme",
    flags: contentAllowed() ? 1 << 19 : 0,
    bot: userPayload(world.bot),
  });
  const limits = { total: 1_000, remaining: 999, reset_after: 60_000, max_concurrency: 1 };
  return [
    { method: "GET", path: "/gateway/bot", auth: true, run: () => ({ url: gatewayUrl(), shards: 1, session_start_limit: limits }) },
    { method: "GET", path: "/users/@me", auth: true, run: () => userPayload(world.bot) },
    { method: "GET", path: "/applications/@me", auth: true, run: application },
    {
      method: "GET",
      path: "/users/@me/guilds",
      auth: true,
      run: () => [{ id: world.guild.id, name: world.guild.name, permissions: "68608" }],
    },
  ];
}

const recipient = z.object({ recipient_id: z.string().refine(isSnowflake) });
const archive = z.object({ archived: z.boolean().optional() });

function placeRoutes({ world }: RouteRules): readonly Route[] {
  const guild = (id = ""): void => {
    if (id !== world.guild.id) throw new DiscordRefusal(10004);
  };
  // @everyone may view, send, send in threads, read history. Source: Permissions, "Bitwise Permission Flags".
  const everyone = {
    id: world.guild.id,
    name: "@everyone",
    permissions: String((1n << 10n) | (1n << 11n) | (1n << 16n) | (1n << 38n)),
    position: 0,
  };
  const visible = (): readonly SimChannel[] =>
    [...world.channels.values()].filter(({ kind, bot, deleted }) => kind === "text" && bot.view && !deleted);
  return [
    {
      ...{ method: "POST", path: "/users/@me/channels", auth: true },
      run: ({ body }) => {
        const user = world.users.get(parsed(recipient, body).recipient_id);
        if (user === undefined) throw new DiscordRefusal(10013);
        if (user.bot) throw new DiscordRefusal(50007);
        const channel = world.channel(user.direct);
        return channel === undefined ? undefined : channelPayload(channel, world);
      },
    },
    {
      ...{ method: "GET", path: "/guilds/:id", auth: true },
      run: ({ args: [id] }) => {
        guild(id);
        return { id: world.guild.id, name: world.guild.name, owner_id: "100000000000000000", roles: [everyone] };
      },
    },
    {
      ...{ method: "GET", path: "/guilds/:id/channels", auth: true },
      run: ({ args: [id] }) => {
        guild(id);
        return visible().map((channel) => channelPayload(channel, world));
      },
    },
    {
      ...{ method: "GET", path: "/guilds/:id/members/:id", auth: true },
      run: ({ args: [id, userId = ""] }) => {
        guild(id);
        const user = world.users.get(userId);
        if (user === undefined || user.stranger) throw new DiscordRefusal(10013);
        return { ...memberPayload(), user: userPayload(user) };
      },
    },
    { method: "GET", path: "/channels/:id", auth: true, run: ({ args: [id = ""] }) => channelPayload(world.channelForBot(id), world) },
    {
      ...{ method: "PATCH", path: "/channels/:id", auth: true },
      run: ({ args: [id = ""], body }) => {
        const channel = world.channelForBot(id);
        if (channel.kind !== "thread" || channel.locked) throw new DiscordRefusal(50013);
        channel.archived = parsed(archive, body).archived ?? channel.archived;
        return channelPayload(channel, world);
      },
    },
  ];
}

function messageRoutes(rules: RouteRules): readonly Route[] {
  const { world, contentAllowed, edited } = rules;
  const wire = (message: SimMessageState): Json => messagePayload(message, world, { withContent: contentAllowed() });
  const found = (channel: string, id: string): SimMessageState => {
    const message = world.message(world.channelForBot(channel).id, id);
    if (message === undefined || message.onlyTo !== undefined) throw new DiscordRefusal(10008);
    return message;
  };
  return [
    { method: "POST", path: "/channels/:id/messages", auth: true, run: ({ args: [id = ""], body }) => create(rules, id, body) },
    { method: "GET", path: "/channels/:id/messages", auth: true, run: ({ args: [id = ""], query }) => history(world, id, query).map(wire) },
    { method: "GET", path: "/channels/:id/messages/:id", auth: true, run: ({ args: [channel = "", id = ""] }) => wire(found(channel, id)) },
    {
      ...{ method: "PATCH", path: "/channels/:id/messages/:id", auth: true },
      run: ({ args: [channel = "", id = ""], body }) => {
        const message = found(channel, id);
        if (message.author !== world.bot.id) throw new DiscordRefusal(50005);
        if (world.channel(channel)?.archived === true) throw new DiscordRefusal(50083);
        edit(world, message, body);
        edited(message);
        return wire(message);
      },
    },
    {
      ...{ method: "DELETE", path: "/channels/:id/messages/:id", auth: true },
      run: ({ args: [channel = "", id = ""] }) => {
        world.remove(found(channel, id));
        return undefined;
      },
    },
  ];
}

/** Create Message, nonce included: a repeat within minutes gives the first message back and makes none. */
function create({ world, posted }: RouteRules, channelId: string, body: unknown): Json {
  const channel = world.channelForBot(channelId);
  const { content, embeds, components, flags = 0, nonce, enforce_nonce, message_reference, allowed_mentions } = parsed(messageBody, body);
  writable(world, channel);
  if ((content ?? "") === "" && (embeds ?? []).length === 0) throw new DiscordRefusal(50006);
  const key = nonce === undefined ? undefined : String(nonce);
  const repeat = key === undefined || enforce_nonce !== true ? undefined : world.byNonce(channelId, key);
  if (repeat !== undefined) return { ...messagePayload(repeat, world, { withContent: true }), nonce };
  const target = message_reference === undefined ? undefined : world.message(channelId, message_reference.message_id);
  if (message_reference !== undefined && target === undefined && message_reference.fail_if_not_exists !== false) {
    throw new DiscordRefusal(50035, {
      errors: { message_reference: { _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE", message: "Unknown message" }] } },
    });
  }
  channel.archived = false; // A message wakes an archived thread that is not locked. Source: Threads, "Active and Archived Threads".
  const message = world.post({
    ...{
      channel: channelId,
      author: world.bot.id,
      content: content ?? "",
      embeds: embeds ?? [],
      rows: components ?? [],
      flags,
      allowed: allowed_mentions ?? null,
    },
    ...(target === undefined ? {} : { replyTo: target.id }),
    ...(key === undefined ? {} : { nonce: key }),
  });
  if (key !== undefined) world.rememberNonce(channelId, key, message.id);
  posted(message);
  return { ...messagePayload(message, world, { withContent: true }), ...(nonce === undefined ? {} : { nonce }) };
}

function writable(world: World, channel: SimChannel): void {
  if (channel.kind === "direct") {
    const user = [...world.users.values()].find(({ direct }) => direct === channel.id);
    if (user?.stranger === true) throw new DiscordRefusal(50278);
    if (user?.blocked === true) throw new DiscordRefusal(50007);
    return;
  }
  const holder = channel.parent === undefined ? channel : world.channel(channel.parent);
  if (holder?.bot.send !== true) throw new DiscordRefusal(50013);
  if (channel.locked) throw new DiscordRefusal(160005);
}

/** Get Channel Messages: `before`, `after` or the newest; newest first; `limit` 1 to 100, default 50. Source: Message Resource. */
function history(world: World, channelId: string, query: URLSearchParams): readonly SimMessageState[] {
  const channel = world.channelForBot(channelId);
  const limit = Number(query.get("limit") ?? "50");
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw new DiscordRefusal(50035, { errors: { limit: { _errors: [] } } });
  const holder = channel.parent === undefined ? channel : world.channel(channel.parent);
  if (holder?.bot.history !== true) return []; // Without READ_MESSAGE_HISTORY no messages are returned.
  const all = world.in(channelId).filter(({ onlyTo }) => onlyTo === undefined);
  const after = query.get("after");
  if (after !== null) return [...all.filter(({ id }) => olderThan(after, id)).slice(0, limit)].reverse();
  const before = query.get("before");
  return [...(before === null ? all : all.filter(({ id }) => olderThan(id, before))).slice(-limit)].reverse();
}

function edit(world: World, message: SimMessageState, body: unknown): void {
  const { content, embeds, components, flags, allowed_mentions } = parsed(editBody, body);
  const next = {
    content: content === undefined ? message.content : (content ?? ""),
    embeds: embeds === undefined ? message.embeds : (embeds ?? []),
    rows: components === undefined ? message.rows : (components ?? []),
    flags: flags ?? message.flags,
  };
  if (next.content === "" && next.embeds.length === 0) throw new DiscordRefusal(50006);
  world.edit(message, next, allowed_mentions ?? null);
}

function interactionRoutes({ world, interactions }: RouteRules): readonly Route[] {
  return [
    {
      ...{ method: "POST", path: "/interactions/:id/:token/callback", auth: false },
      run: ({ args: [id = "", token = ""], body }) => {
        interactions.answer(id, token, body);
        return undefined;
      },
    },
    {
      ...{ method: "POST", path: "/webhooks/:id/:token", auth: false },
      run: ({ args: [application = "", token = ""], body }) => {
        const message = interactions.followUp(application, token, parsed(replyBody, body));
        return messagePayload(message, world, { withContent: true });
      },
    },
    {
      ...{ method: "PATCH", path: "/webhooks/:id/:token/messages/:id", auth: false },
      run: ({ args: [application = "", token = "", id = ""], body }) => {
        const message = interactions.messageOf(application, token, id);
        edit(world, message, body);
        return messagePayload(message, world, { withContent: true });
      },
    },
    {
      ...{ method: "DELETE", path: "/webhooks/:id/:token/messages/:id", auth: false },
      run: ({ args: [application = "", token = "", id = ""] }) => {
        world.remove(interactions.messageOf(application, token, id));
        return undefined;
      },
    },
  ];
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (!result.success) throw invalidForm(result.error);
  return result.data;
}

/** The route of a request path without `/api/v10`, with the parts that vary. */
export function routeFor(
  table: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly args: readonly string[] } | undefined {
  const parts = path.split("/").map((part) => decodeURIComponent(part));
  for (const route of table) {
    if (route.method !== method) continue;
    const pattern = route.path.split("/");
    if (pattern.length !== parts.length) continue;
    if (!pattern.every((part, index) => part.startsWith(":") || part === parts[index])) continue;
    return { route, args: parts.filter((_, index) => pattern[index]?.startsWith(":") === true) };
  }
  return undefined;
}
