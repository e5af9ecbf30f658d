/**
 * The room of the end-to-end tests: one simulated chat, a bridge on it through the platform's real SDK, a real SQLite file, and three
 * people: Alice and Bob of the config, Mallory whom the config does not know. It decides how each way of delivery is wired.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { CHANNEL_MODULES } from "../../adapters/registry.js";
import { type OpenBridge, openBridge } from "../../src/app/bridge.js";
import { configOf } from "../../src/app/config.js";
import type { Bridge, Outcome, Question } from "../../src/client/types.js";
import type { Typed } from "../../src/core/input.js";
import { DiscordSimulator } from "../../src/testing/sim/discord/simulator.js";
import type { ChatKind, ChatSimulator, PressResult, SeenMessage, SimPerson, SimPlace } from "../../src/testing/sim/simulator.js";
import { SlackSimulator } from "../../src/testing/sim/slack/simulator.js";
import { TelegramSimulator } from "../../src/testing/sim/telegram/simulator.js";
import { eventually } from "../fixtures/eventually.js";
import { KeptLog } from "../fixtures/kept-log.js";

/** A way of delivery: what every test of the table runs on. */
export type Way = "slack socket" | "slack http" | "discord" | "telegram polling" | "telegram webhook";
/** All five. */
export const WAYS: readonly Way[] = ["slack socket", "slack http", "discord", "telegram polling", "telegram webhook"];

/** The platform's own names of a send and an edit, for faults. */
export const METHODS: Readonly<Record<ChatKind, { readonly send: string; readonly edit: string }>> = {
  slack: { send: "chat.postMessage", edit: "chat.update" },
  discord: { send: "POST /channels/:id/messages", edit: "PATCH /channels/:id/messages/:id" },
  telegram: { send: "sendMessage", edit: "editMessageText" },
};

/** Longest wait for anything, in milliseconds. */
const LIMIT_MS = 10_000;
const SECRET = "a-secret_of-the-end-to-end-tests";
/** Times that suit the machine rather than the platform; nothing else differs from the defaults. */
const QUICK: Readonly<Record<ChatKind, Readonly<Record<string, unknown>>>> = {
  slack: { reconnectMinMs: 20, reconnectMaxMs: 200, requestTimeoutMs: 3_000 },
  discord: { reconnectMinMs: 20, reconnectMaxMs: 200, requestTimeoutMs: 3_000, storeEveryMs: 20 },
  telegram: { retryMs: 20, retryMaxMs: 200, requestTimeoutMs: 3_000 },
};

export type RoomOptions = {
  /** Changes the config before the bridge reads it. */
  readonly config?: (config: RoomConfig, room: { readonly place: string }) => object;
  readonly messageContent?: boolean;
};
type RoomConfig = {
  accounts: Record<string, Readonly<Record<string, unknown>>>;
  people: Record<string, Readonly<Record<string, unknown>>>;
  defaults: Readonly<Record<string, unknown>>;
  store: string;
};

function startSimulator(way: Way, { messageContent = true }: RoomOptions): Promise<ChatSimulator> {
  switch (way) {
    case "slack socket":
    case "slack http":
      return SlackSimulator.start({
        ...{ mode: way === "slack http" ? "http" : "socket", rateLimits: false, retryDelaysMs: [20, 200, 600], pingIntervalMs: 500 },
      });
    case "discord":
      return DiscordSimulator.start({ messageContent });
    case "telegram polling":
    case "telegram webhook":
      return TelegramSimulator.start({ webhookRetryMs: 50 });
  }
}

/** See the module's header. */
export class Room {
  readonly way: Way;
  readonly chat: ChatKind;
  readonly simulator: ChatSimulator;
  readonly alice: SimPerson;
  readonly bob: SimPerson;
  readonly mallory: SimPerson;
  /** The channel or group that all three are in. */
  readonly releases: SimPlace;
  /** The same as an asker writes it. */
  readonly to: `${ChatKind}:${string}`;
  readonly log = new KeptLog();
  /** Messages that met no question. */
  readonly passed: Typed[] = [];
  readonly #folder: string;
  readonly #options: RoomOptions;
  #url = "";
  #closeServer: (() => Promise<void>) | undefined;
  #open: OpenBridge | undefined;
  #skewMs = 0;

  private constructor(parts: {
    readonly way: Way;
    readonly simulator: ChatSimulator;
    readonly folder: string;
    readonly options: RoomOptions;
  }) {
    this.way = parts.way;
    this.simulator = parts.simulator;
    this.chat = parts.simulator.channel;
    this.#folder = parts.folder;
    this.#options = parts.options;
    this.alice = this.simulator.person("alice");
    this.bob = this.simulator.person("bob");
    this.mallory = this.simulator.person("mallory");
    this.releases = this.simulator.channelNamed("releases", { members: ["alice", "bob", "mallory"] });
    this.to = `${this.chat}:${this.releases.conversation}`;
  }

  static async open(way: Way, options: RoomOptions = {}): Promise<Room> {
    const simulator = await startSimulator(way, options);
    const room = new Room({ way, simulator, folder: await mkdtemp(join(tmpdir(), "handraise-e2e-")), options });
    await room.#mount();
    try {
      await room.start();
    } catch (error) {
      await room.close();
      throw error;
    }
    return room;
  }

  /** The address that the platform calls, as `channel-door.ts` mounts it: the channel of the moment, 503 while the bridge is down. */
  async #mount(): Promise<void> {
    const server = createServer((request, response) => {
      const listen = this.#open?.channels.get(this.chat)?.http;
      if (listen === undefined) response.writeHead(503).end();
      else listen(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    this.#url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/channels/${this.chat}`;
    if (this.simulator instanceof SlackSimulator) this.simulator.deliverTo(this.#url);
    this.#closeServer = async () => {
      server.close();
      server.closeAllConnections();
    };
  }

  #config(): object {
    const { chat } = this;
    const webhook = this.way === "telegram webhook" ? { webhook: { url: this.#url, secretToken: SECRET } } : {};
    const content = this.#options.messageContent === false ? { messageContent: false } : {};
    const config: RoomConfig = {
      accounts: { [chat]: { ...this.simulator.account(), ...QUICK[chat], ...webhook, ...content } },
      people: { alice: { name: "Alice", [chat]: this.alice.userId }, bob: { name: "Bob", [chat]: this.bob.userId } },
      defaults: { timeout: "1h" },
      store: this.#folder,
    };
    return this.#options.config?.(config, { place: this.to }) ?? config;
  }

  /** Starts the bridge, or starts it again. */
  async start(): Promise<void> {
    const settings = configOf(this.#config(), { modules: CHANNEL_MODULES, folder: this.#folder });
    this.#open = await openBridge(settings, {
      log: this.log,
      principal: "ci",
      onMessage: (message) => this.passed.push(message),
      clock: { now: () => Date.now() + this.#skewMs, after: afterMs },
    });
  }

  /** Stops the bridge in order, as Ctrl-C does. */
  async stop(): Promise<void> {
    const open = this.#open;
    await open?.close();
    this.#open = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#closeServer?.();
    await this.simulator.stop();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Moves the bridge's wall clock on. */
  skew(ms: number): void {
    this.#skewMs += ms;
  }

  get parts(): OpenBridge {
    if (this.#open === undefined) throw new Error("the bridge is down");
    return this.#open;
  }
  get bridge(): Bridge {
    return this.parts.bridge;
  }

  /** Every copy of a prompt in a place, as the person sees it now: those with this text, notices left out. */
  prompts(person: SimPerson, text: string, place?: SimPlace): readonly SeenMessage[] {
    return person.reads(place).filter((message) => message.from === "bot" && message.onlyTo === undefined && message.text.includes(text));
  }

  /** Waits for the prompt with this text that can be pressed. */
  prompt(person: SimPerson, text: string, place?: SimPlace): Promise<SeenMessage> {
    return person.waitsFor((message) => message.text.includes(text) && isOpen(message), {
      withinMs: LIMIT_MS,
      ...(place === undefined ? {} : { in: place }),
    });
  }

  /** Waits until the prompt has lost its controls and shows `line`. */
  closed(person: SimPerson, prompt: SeenMessage, line: string): Promise<SeenMessage> {
    return eventually(() => {
      const now = person.reads(placeOf(prompt)).find(({ id }) => id === prompt.id);
      if (now === undefined) throw new Error("the prompt is gone");
      if (isOpen(now) || !now.text.includes(line)) throw new Error(`not closed with "${line}": ${JSON.stringify(now)}`);
      return now;
    }, LIMIT_MS);
  }

  /** Waits until the person was told `word`: with the press, in the place, or in the direct chat. */
  async told(person: SimPerson, word: RegExp, { result, place }: { result?: PressResult; place?: SimPlace } = {}): Promise<string> {
    return eventually(() => {
      if (result?.word !== undefined && word.test(result.word)) return result.word;
      const reads = [...person.reads(place), ...(place === undefined ? [] : person.reads())];
      const found = reads.find(({ from, text }) => from === "bot" && word.test(text));
      if (found !== undefined) return found.text;
      const there = JSON.stringify({ word: result?.word, reads: reads.map(({ text }) => text) });
      throw new Error(`${person.name} was not told ${word}: ${there}`);
    }, LIMIT_MS);
  }

  /** How many events of this kind a question has had. */
  async count(question: { readonly id: string }, type: string): Promise<number> {
    const { events } = await this.parts.store.events({ id: 0, limit: 1_000 });
    return events.filter((event) => event.question === question.id && event.type === type).length;
  }
}

function afterMs(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), 2_147_483_647));
  return () => clearTimeout(timer);
}

/** Can something be pressed on it? */
export function isOpen({ buttons, menu }: SeenMessage): boolean {
  return menu.length > 0 || buttons.some(({ disabled }) => disabled !== true);
}

/** Where a message stands. */
export function placeOf({ conversation, thread }: SeenMessage): SimPlace {
  return thread === undefined ? { conversation } : { conversation, thread };
}

/** The outcome, waited for at most ten seconds. */
export async function outcomeOf(question: Pick<Question, "outcome">): Promise<Outcome> {
  const outcome = await question.outcome({ within: "10s" });
  if (outcome.status === "open") throw new Error(`question ${outcome.id} is still open`);
  return outcome;
}

/** Takes the option of this label, by button or menu, whichever the prompt has; turns the pages of the prompt where it has some. */
export async function choose(person: SimPerson, label: string, on: SeenMessage): Promise<PressResult> {
  const place = placeOf(on);
  const named = (entries: SeenMessage["buttons"]): string | undefined =>
    entries.map((entry) => entry.label).find((candidate) => candidate === label || candidate.endsWith(` ${label}`));
  const now = person.reads(place).find(({ id }) => id === on.id) ?? on;
  const pressed = named(now.buttons);
  if (pressed !== undefined) return person.press(pressed, { on: now, in: place });
  const picked = named(now.menu);
  if (picked !== undefined) return person.picks([picked], { on: now, in: place });
  const next = now.buttons.find((button) => button.label.endsWith(" ›"))?.label;
  if (next === undefined)
    throw new Error(`no control "${label}" in ${JSON.stringify([...now.buttons, ...now.menu].map((entry) => entry.label))}`);
  await person.press(next, { on: now, in: place });
  await person.waitsFor(({ id, buttons }) => id === now.id && buttons.every((button) => button.label !== next), { in: place });
  return choose(person, label, now);
}

/** One room for all tests of a `describe`, opened before the first and closed after the last. Every test has a text of its own. */
export function sharedRoom(way: Way, options: RoomOptions = {}): { readonly now: Room } {
  let room: Room | undefined;
  beforeAll(async () => {
    room = await Room.open(way, options);
  });
  afterAll(async () => {
    await room?.close();
  });
  return {
    get now(): Room {
      if (room === undefined) throw new Error("the room is not open yet");
      return room;
    },
  };
}
