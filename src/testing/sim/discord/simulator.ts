/**
 * The Discord simulator: REST, gateway and people on loopback, strict about limits, errors and deadlines. See platforms.md,
 * sections 2.4 and 4.2. One bot, one server ("Acme") with the channels that `channelNamed` makes.
 *
 *   const discord = await DiscordSimulator.start({ ackMs: 300 });
 */
import { createServer, type IncomingMessage } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { WebSocketServer } from "ws";
import { Faults } from "../faults.js";
import type { ChatSimulator, SeenMessage, SimAccount, SimCall, SimPerson, SimPlace } from "../simulator.js";
import type { AllowedMentions } from "./bodies.js";
import { DiscordRefusal } from "./errors.js";
import { Gateway, INTENTS } from "./gateway.js";
import { Interactions } from "./interactions.js";
import { channelPayload, memberPayload, messagePayload, userPayload } from "./payloads.js";
import { DiscordPerson } from "./person.js";
import { answered, json, refused, withFault } from "./responses.js";
import { type Route, routeFor, routes } from "./routes.js";
import type { DiscordSnapshot } from "./snapshot.js";
import { type NewMessage, type SimChannel, type SimMessageState, World } from "./world.js";

type Json = Readonly<Record<string, unknown>>;

/** How strict and how fast; the defaults are the platform's. */
export type DiscordSimulatorOptions = {
  /** 0: any free one. */
  readonly port?: number;
  /** Time to answer an interaction, in milliseconds. Default 3,000 (Receiving and Responding). */
  readonly ackMs?: number;
  /** Life of an interaction token, in milliseconds. Default 15 minutes (as above). */
  readonly tokenLifeMs?: number;
  /** Default 41,250, as the real gateway says. */
  readonly heartbeatMs?: number;
  /** How long a session without a connection can be resumed. Default 180,000 ("a few minutes", platforms.md 4.2). */
  readonly sessionLifeMs?: number;
  /** Is the privileged message content intent switched on for the bot? Default true. */
  readonly messageContent?: boolean;
  readonly now?: () => number;
  /** What an earlier simulator's `snapshot` gave. Default: an empty server. */
  readonly restore?: DiscordSnapshot;
};

/** Calls kept in `calls`, oldest dropped first. */
const CALLS_MAX = 10_000;
const SNAPSHOT_MESSAGES = 200;
/** Every mention in the text, but not the author of the message replied to. Source: Message Resource, "Allowed Mentions Object". */
const WITHOUT_PING: AllowedMentions = { parse: ["users", "roles", "everyone"], replied_user: false };
const SNAPSHOT_EVENTS = 100;

type Env = { Bindings: HttpBindings };

/** One bot on one server; see `ChatSimulator`. */
export class DiscordSimulator implements ChatSimulator {
  readonly channel = "discord" as const;
  readonly faults = new Faults();
  readonly calls: SimCall[] = [];
  readonly world: World;
  readonly gateway: Gateway;
  readonly interactions: Interactions;
  /** Leave the `channel` object out of interactions (O24). */
  bareChannel = false;
  /** Planned rate limits are those of the whole bot (`X-RateLimit-Global`), not of one route. */
  globalLimit = false;
  /** Do people's replies notify the one replied to? Off: without the message content intent the bot cannot read them. */
  replyPings = true;
  /** Life of interaction tokens, changeable while it runs. */
  tokenLifeMs: number;
  readonly #token = "MTIzNDU2Nzg5MDEyMzQ1Njc4.simulated.discord-bot-token";
  #tokenValid = true;
  #contentAllowed: boolean;
  readonly #people = new Map<string, DiscordPerson>();
  readonly #server = createServer();
  readonly #routes: readonly Route[];
  #port = 0;

  private constructor(options: DiscordSimulatorOptions) {
    const now = options.now ?? Date.now;
    this.#contentAllowed = options.messageContent ?? true;
    this.tokenLifeMs = options.tokenLifeMs ?? 900_000;
    this.world = new World(now, options.restore?.world);
    const url = (): string => `ws://127.0.0.1:${this.#port}/gateway`;
    const contentAllowed = (): boolean => this.#contentAllowed;
    this.gateway = new Gateway({
      ...{
        world: this.world,
        url,
        contentAllowed,
        heartbeatMs: options.heartbeatMs ?? 41_250,
        sessionLifeMs: options.sessionLifeMs ?? 180_000,
      },
      token: () => (this.#tokenValid ? this.#token : undefined),
      guildCreate: () => this.#guildCreate(),
      log: (method, body, outcome) => this.#record({ method, atMs: now(), body, token: this.#token, outcome }),
    });
    this.gateway.restore(options.restore?.sessions ?? []);
    this.interactions = new Interactions({
      ...{ world: this.world, ackMs: options.ackMs ?? 3_000, tokenLifeMs: () => this.tokenLifeMs, bareChannel: () => this.bareChannel },
      dispatch: (event) => this.gateway.dispatch(event),
    });
    this.#routes = routes({
      ...{ world: this.world, interactions: this.interactions, gatewayUrl: url, contentAllowed },
      posted: (message) => this.#tell("MESSAGE_CREATE", message),
      edited: (message) => this.#tell("MESSAGE_UPDATE", message),
    });
  }

  static async start(options: DiscordSimulatorOptions = {}): Promise<DiscordSimulator> {
    const simulator = new DiscordSimulator(options);
    simulator.#serve();
    const earlier = options.restore?.port;
    // The port of an earlier life is taken again if it is free: a bot resumes where it was told to.
    if (options.port === undefined && earlier !== undefined) await simulator.#listen(earlier).catch(() => simulator.#listen(0));
    else await simulator.#listen(options.port ?? 0);
    return simulator;
  }

  #serve(): void {
    const app = new Hono<Env>();
    app.all("/api/v10/*", (context) => this.#handle(context));
    const sockets = new WebSocketServer({ noServer: true });
    const listener = getRequestListener((request, env) => app.fetch(request, env));
    this.#server.on("request", (request, response) => void listener(request, response));
    this.#server.on("upgrade", (request: IncomingMessage, socket, head) => {
      if (request.url?.startsWith("/gateway") === true)
        sockets.handleUpgrade(request, socket, head, (accepted) => this.gateway.accept(accepted));
      else socket.destroy();
    });
  }

  async #listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
    const address = this.#server.address();
    this.#port = typeof address === "object" && address !== null ? address.port : 0;
  }

  async #handle(context: Context<Env>): Promise<Response> {
    const url = new URL(context.req.url);
    const hit = routeFor(this.#routes, context.req.method, url.pathname.slice("/api/v10".length));
    if (hit === undefined) return json(404, { message: "404: Not Found", code: 0 });
    const { route, args } = hit;
    const body: unknown = await context.req.json().catch(() => ({}));
    const authorization = context.req.header("authorization");
    const call = this.#record({
      ...{ method: `${route.method} ${route.path}`, atMs: this.world.now(), body: asRecord(body), outcome: "pending" },
      token: authorization?.replace(/^Bot /, ""),
    });
    const cut = (): Response => {
      call.outcome = "dropped";
      context.env.incoming.socket.destroy();
      return new Response(null, { status: 499 });
    };
    const run = (): Response => {
      if (route.auth && (!this.#tokenValid || authorization !== `Bot ${this.#token}`)) return refused(new DiscordRefusal(0), call);
      return answered(() => route.run({ args, query: url.searchParams, body }), call);
    };
    return withFault(this.faults.take(call.method), { run, cut, call, global: this.globalLimit });
  }

  #record(call: SimCall): SimCall {
    this.calls.push(call);
    if (this.calls.length > CALLS_MAX) this.calls.shift();
    return call;
  }

  #guildCreate(): Json {
    const of = (kind: SimChannel["kind"]): readonly Json[] =>
      [...this.world.channels.values()]
        .filter((channel) => channel.kind === kind && channel.bot.view)
        .map((channel) => channelPayload(channel, this.world));
    return {
      ...this.world.guild,
      unavailable: false,
      large: false,
      member_count: 2,
      roles: [],
      members: [],
      emojis: [],
      channels: of("text"),
      threads: of("thread"),
    };
  }

  /** Tells the bot of a message or an edit: in servers and direct chats under their own intents. */
  #tell(t: "MESSAGE_CREATE" | "MESSAGE_UPDATE", message: SimMessageState): void {
    const channel = this.world.channel(message.channel);
    const holder = channel?.parent === undefined ? channel : this.world.channel(channel.parent);
    if (holder?.bot.view !== true || message.onlyTo !== undefined) return;
    const direct = channel?.kind === "direct";
    const needs = direct ? INTENTS.directMessages : INTENTS.guildMessages;
    // A direct message has no guild_id and, on the real gateway, no channel_type (B086).
    const place = direct ? {} : { guild_id: this.world.guild.id, member: memberPayload() };
    this.gateway.dispatch({ t, needs, d: (rule) => ({ ...messagePayload(message, this.world, rule), ...place }) });
  }

  #post(message: NewMessage): SimMessageState {
    const posted = this.world.post(message);
    this.#tell("MESSAGE_CREATE", posted);
    return posted;
  }

  account(): SimAccount {
    return { kind: "discord", token: this.#token, apiUrl: `http://127.0.0.1:${this.#port}/api` };
  }

  person(name: string): SimPerson {
    const known = this.#people.get(name);
    if (known !== undefined) return known;
    const { world, interactions } = this;
    const rules = {
      world,
      interactions,
      post: (message: NewMessage) => this.#post(this.replyPings ? message : { ...message, allowed: { ...WITHOUT_PING } }),
      edited: (message: SimMessageState) => this.#tell("MESSAGE_UPDATE", message),
    };
    const made = new DiscordPerson(world.user(name), rules);
    this.#people.set(name, made);
    return made;
  }

  /** `topics` is of no meaning here: every channel can have threads (`startThread`). */
  channelNamed(
    name: string,
    options: { readonly members?: readonly string[]; readonly botIsMember?: boolean; readonly topics?: boolean } = {},
  ): SimPlace {
    const plain = name.replace(/^#/, "");
    const members = options.members?.map((member) => this.world.user(member).id);
    const visible = members === undefined ? {} : { members: new Set([...members, this.world.bot.id]) };
    return { conversation: this.world.channelNamed(plain, { ...visible, botIsMember: options.botIsMember ?? true }).id };
  }

  /** Another channel of a name that is taken already: Discord allows it. */
  secondChannel(name: string): SimPlace {
    return { conversation: this.world.addChannel(name.replace(/^#/, "")).id };
  }

  /** A thread of a channel; with `from` it is started from that message and has its id. */
  startThread(place: SimPlace, name: string, from?: SeenMessage): SimPlace {
    const parent = this.world.channel(place.conversation);
    if (parent === undefined) throw new Error(`no channel ${place.conversation}`);
    const thread = this.world.thread(parent, name, from?.id);
    this.gateway.dispatch({ t: "THREAD_CREATE", needs: INTENTS.guilds, d: () => channelPayload(thread, this.world) });
    return { conversation: parent.id, thread: thread.id };
  }

  /** The channel behind a place, to archive, lock, delete it or to take the bot's permissions away. */
  channelAt({ conversation, thread }: SimPlace): SimChannel {
    const channel = this.world.channel(thread ?? conversation);
    if (channel === undefined) throw new Error(`no channel ${thread ?? conversation}`);
    return channel;
  }

  /** A message by another bot, for what must never be an answer (B151). */
  otherBotTypes(text: string, place: SimPlace, replyTo?: SeenMessage): void {
    const author = this.world.user("other-bot", true).id;
    this.#post({
      channel: place.thread ?? place.conversation,
      author,
      content: text,
      ...(replyTo === undefined ? {} : { replyTo: replyTo.id }),
    });
  }

  onChange(seen: () => void): () => void {
    return this.world.watch(seen);
  }

  /** What a later simulator can be started from, as plain JSON: the last 200 messages. */
  snapshot(): DiscordSnapshot {
    return { port: this.#port, world: this.world.snapshot(SNAPSHOT_MESSAGES), sessions: this.gateway.snapshot(SNAPSHOT_EVENTS) };
  }

  async redeliverLast(): Promise<void> {
    this.gateway.redeliverLast();
  }

  resetConnections(): void {
    this.gateway.cut();
    this.#server.closeAllConnections();
  }

  blockBot(person: string): void {
    this.world.user(person).blocked = true;
  }

  revokeToken(): void {
    this.#tokenValid = false;
    this.gateway.closeAll(4004);
  }

  /** Switches the message content intent in the developer portal; live sessions keep what they have. */
  allowMessageContent(allowed: boolean): void {
    this.#contentAllowed = allowed;
  }

  deleteMessage({ id, conversation, thread }: SeenMessage): void {
    const message = this.world.message(thread ?? conversation, id);
    if (message === undefined) throw new Error(`message ${id} is gone`);
    this.world.remove(message);
    const payload = { id, channel_id: message.channel };
    this.gateway.dispatch({ t: "MESSAGE_DELETE", needs: 0, d: () => payload });
  }

  async stop(): Promise<void> {
    this.resetConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The bot as others see it. */
  get bot(): Json {
    return userPayload(this.world.bot);
  }
}

function asRecord(body: unknown): Json {
  return typeof body === "object" && body !== null ? Object.fromEntries(Object.entries(body)) : {};
}
