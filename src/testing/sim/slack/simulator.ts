/**
 * Slack on loopback: Web API, Socket Mode or HTTP delivery, a workspace and its people. Strict: it refuses what Slack refuses.
 *
 *   const slack = await SlackSimulator.start();             // Socket Mode
 *   const slack = await SlackSimulator.start({ mode: "http" });   // then slack.deliverTo(url)
 *
 * Implements `ChatSimulator`; what only Slack has stands beside it (sockets, silence, refresh, raw deliveries). Facts and their
 * sources: the files beside this one and platforms.md sections 2.1, 2.2, 4.1.
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Faults } from "../faults.js";
import type { ChatSimulator, SeenMessage, SimAccount, SimCall, SimPerson, SimPlace } from "../simulator.js";
import { openView, postEphemeral, postMessage, respond, updateMessage } from "./chat-methods.js";
import { Deliveries, type DeliveryRecord } from "./deliveries.js";
import { HttpModeSender } from "./http-mode.js";
import { type Json, textAt } from "./json.js";
import { changedEvent, deletedEvent, messageEvent } from "./payloads.js";
import { SlackPerson } from "./person.js";
import { RateLimits } from "./rate-limits.js";
import {
  authTest,
  conversationInfo,
  conversationMembers,
  history,
  listConversations,
  openConversation,
  replies,
  userInfo,
} from "./read-methods.js";
import { SlackRefusal } from "./refusal.js";
import type { SlackSnapshot } from "./snapshot.js";
import { SocketModeServer } from "./socket-mode.js";
import { SlackWorkspace } from "./state.js";
import { ALL_SCOPES, webServer } from "./web-server.js";

/** Deadlines and ways of one simulator. */
export type SlackSimulatorOptions = {
  /** 0 (default): any free port. */
  readonly port?: number;
  /** How events and interactions are delivered. Default: Socket Mode. */
  readonly mode?: "socket" | "http";
  /** Time to acknowledge, in milliseconds. Default 3,000. */
  readonly ackTimeoutMs?: number;
  /** Life of a trigger id, in milliseconds. Default 3,000. */
  readonly triggerMs?: number;
  /** Waits before the first, second, … redelivery of an event. Default 0, 60,000, 300,000. */
  readonly retryDelaysMs?: readonly number[];
  /** Pause between the server's pings on a socket. Default 5,000. */
  readonly pingIntervalMs?: number;
  /** Off for load tests. Default on. */
  readonly rateLimits?: boolean;
  /** Part of every id and token, so that two workspaces differ. Default "ACME". */
  readonly team?: string;
  /** The platform's own clock. Default: the machine's. */
  readonly now?: () => number;
  /** What an earlier simulator's `snapshot` gave. Default: an empty workspace. */
  readonly restore?: SlackSnapshot;
};

const CALLS_MAX = 10_000;
const SNAPSHOT_MESSAGES = 200;

/** One simulated workspace with one app. */
export class SlackSimulator implements ChatSimulator {
  readonly channel = "slack";
  readonly faults = new Faults();
  /** The last 10,000 calls, oldest first. */
  readonly calls: SimCall[] = [];
  readonly workspace: SlackWorkspace;
  /** What the bot may do; tests take some away. */
  scopes: readonly string[] = ALL_SCOPES;
  readonly #mode: "socket" | "http";
  readonly #triggerMs: number;
  readonly #team: string;
  readonly #sockets: SocketModeServer;
  readonly #sender: HttpModeSender;
  readonly #deliveries: Deliveries;
  readonly #people = new Map<string, SlackPerson>();
  readonly #server: Server;
  #revoked = false;

  private constructor(options: SlackSimulatorOptions) {
    const { mode = "socket", ackTimeoutMs = 3_000, triggerMs = 3_000, pingIntervalMs = 5_000, team = "ACME", now = Date.now } = options;
    this.#mode = mode;
    this.#triggerMs = triggerMs;
    this.#team = team;
    this.workspace = new SlackWorkspace({ team, now });
    this.#sockets = new SocketModeServer({ faults: this.faults, ackTimeoutMs, pingIntervalMs });
    this.#sender = new HttpModeSender({ secret: this.#secret, ackTimeoutMs, now });
    this.#deliveries = new Deliveries(mode === "socket" ? this.#sockets : this.#sender, options.retryDelaysMs ?? [0, 60_000, 300_000]);
    if (options.restore !== undefined) {
      this.workspace.restore(options.restore);
      this.#sockets.serial = options.restore.envelopes;
    }
    this.#server = webServer({
      faults: this.faults,
      limits: options.rateLimits === false ? undefined : new RateLimits(now),
      run: (method, args) => this.#run(method, args),
      tokenProblem: (method, token) => this.#tokenProblem(method, token),
      scopes: () => this.scopes,
      log: (call) => this.#log(call),
      now,
    });
    this.#server.on("upgrade", (request, socket, head) => this.#sockets.upgrade(request, socket, head));
  }

  /** Starts on 127.0.0.1. */
  static async start(options: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
    const simulator = new SlackSimulator(options);
    await new Promise<void>((resolve, reject) => {
      simulator.#server.once("error", reject);
      simulator.#server.listen(options.port ?? 0, "127.0.0.1", resolve);
    });
    return simulator;
  }

  get #token(): string {
    return `xoxb-sim-${this.#team}-bot`;
  }
  get #appToken(): string {
    return `xapp-sim-${this.#team}-app`;
  }
  get #secret(): string {
    return `signing-secret-${this.#team}`;
  }
  get #origin(): string {
    const address = this.#server.address();
    return `127.0.0.1:${isAddress(address) ? address.port : 0}`;
  }

  account(): SimAccount {
    const way = this.#mode === "socket" ? { appToken: this.#appToken } : { signingSecret: this.#secret };
    return { kind: "slack", token: this.#token, ...way, apiUrl: `http://${this.#origin}/api/` };
  }

  #log(call: SimCall): void {
    this.calls.push(call);
    if (this.calls.length > CALLS_MAX) this.calls.splice(0, this.calls.length - CALLS_MAX);
  }

  /** Calls of one method so far. */
  callsOf(method: string): readonly SimCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  #tokenProblem(method: string, token: string | undefined): string | undefined {
    if (token === undefined) return "not_authed";
    if (method === "apps.connections.open") return token === this.#appToken ? undefined : "invalid_auth";
    if (token !== this.#token) return "invalid_auth";
    return this.#revoked ? "token_revoked" : undefined;
  }

  #run(method: string, args: Json): Json {
    switch (method) {
      case "auth.test":
        return authTest(this.workspace);
      case "apps.connections.open":
        return { url: `ws://${this.#origin}/link/?ticket=${this.#sockets.ticket()}` };
      case "chat.postMessage": {
        const { stored, ...result } = postMessage(this.workspace, args);
        this.#event(messageEvent(this.workspace, stored));
        return result;
      }
      case "chat.update": {
        const before = this.workspace.message(textAt(args, "channel") ?? "", textAt(args, "ts") ?? "")?.text ?? "";
        const { stored, ...result } = updateMessage(this.workspace, args);
        this.#event(changedEvent(this.workspace, stored, before));
        return result;
      }
      case "chat.postEphemeral":
        return postEphemeral(this.workspace, args);
      case "views.open":
        return openView(this.workspace, args, this.#triggerMs);
      case "response_url":
        return respond(this.workspace, textAt(args, "__id") ?? "", args);
      default:
        return this.#read(method, args);
    }
  }

  #read(method: string, args: Json): Json {
    const methods: Readonly<Record<string, (workspace: SlackWorkspace, args: Json) => Json>> = {
      "conversations.open": openConversation,
      "conversations.list": listConversations,
      "conversations.info": conversationInfo,
      "conversations.members": conversationMembers,
      "conversations.history": history,
      "conversations.replies": replies,
      "users.info": userInfo,
    };
    const run = methods[method];
    if (run === undefined) throw new SlackRefusal("unknown_method");
    return run(this.workspace, args);
  }

  /** Delivers an event if the app is subscribed where it happened (history scope of that kind of conversation). */
  #event(payload: Json): void {
    const channel = textAt(payload["event"], "channel") ?? "";
    const conversation = this.workspace.conversations.get(channel);
    const needed = channel.startsWith("D") ? "im:history" : "channels:history";
    if (conversation?.members.has(this.workspace.botUserId) === true && this.scopes.includes(needed)) this.#deliveries.event(payload);
  }

  person(name: string): SimPerson {
    const known = this.#people.get(name);
    if (known !== undefined) return known;
    const person = new SlackPerson(this.workspace.userNamed(name), {
      workspace: this.workspace,
      event: (payload) => this.#event(payload),
      interaction: (payload) => this.#deliveries.interaction(payload),
      responseUrl: (id) => `http://${this.#origin}/response/${id}`,
    });
    this.#people.set(name, person);
    return person;
  }

  channelNamed(
    name: string,
    { members = [], botIsMember = true }: { readonly members?: readonly string[]; readonly botIsMember?: boolean } = {},
  ): SimPlace {
    const conversation = this.workspace.channelNamed(name.replace(/^#/, ""));
    for (const member of members) conversation.members.add(this.person(member).userId);
    if (botIsMember) conversation.members.add(this.workspace.botUserId);
    else conversation.members.delete(this.workspace.botUserId);
    return { conversation: conversation.id };
  }

  /** Archives a channel: writes are refused from now on. */
  archive({ conversation }: SimPlace): void {
    const found = this.workspace.conversations.get(conversation);
    if (found !== undefined) found.archived = true;
  }

  onChange(seen: () => void): () => void {
    return this.workspace.onChange(seen);
  }

  /** What a later simulator can be started from, as plain JSON: of each conversation the last 200 messages. */
  snapshot(): SlackSnapshot {
    return { ...this.workspace.snapshot(SNAPSHOT_MESSAGES), envelopes: this.#sockets.serial };
  }

  async redeliverLast(): Promise<void> {
    await (this.#mode === "socket" ? this.#sockets : this.#sender).repeatLast();
  }

  resetConnections(): void {
    this.#sockets.cut();
    this.#server.closeAllConnections();
  }

  blockBot(person: string): void {
    this.workspace.userNamed(person).blocksBot = true;
  }

  revokeToken(): void {
    this.#revoked = true;
  }

  deleteMessage({ conversation, id }: SeenMessage): void {
    const removed = this.workspace.remove(conversation, id);
    if (removed !== undefined && removed.onlyTo === undefined) this.#event(deletedEvent(this.workspace, removed));
  }

  /** Socket Mode's server: connections, silence, refresh. */
  get sockets(): SocketModeServer {
    return this.#sockets;
  }
  /** HTTP mode's sender: the last request, for replays. */
  get sender(): HttpModeSender {
    return this.#sender;
  }
  /** Every delivery attempt that has ended. */
  get deliveries(): readonly DeliveryRecord[] {
    return this.#deliveries.records;
  }
  /** Events without an acknowledgement so far. */
  get pendingEvents(): number {
    return this.#deliveries.pending;
  }

  /** Where HTTP mode delivers to: the app's request URL. */
  deliverTo(url: string): void {
    this.#sender.url = url;
  }

  /** Delivers an event as given (see `payloads.ts` for whole ones). */
  deliverEvent(payload: Json): void {
    this.#deliveries.event(payload);
  }

  /** Delivers an interaction as given; true when it was acknowledged. */
  async deliverInteraction(payload: Json): Promise<boolean> {
    return (await this.#deliveries.interaction(payload)).ok;
  }

  async stop(): Promise<void> {
    this.#deliveries.stop();
    await this.#sockets.stop();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function isAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
