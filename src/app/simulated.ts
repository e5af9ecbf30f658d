/**
 * `handraise start --simulated`: a real bridge over three simulated chats and the local page to answer in. No accounts, no tokens.
 *
 *   page ◄─► simulators ◄─(loopback, real SDKs)─► bridge ─► SQLite in the data folder
 *
 * S1  The port is taken first: a second start is refused before it touches anything.
 * S2  The data folder is taken next (its store has one owner), then what the chats were is kept in it at every change (simulated-state.ts).
 * S3  Every event of the questions is printed once, also one that came while the program was down.
 */
import { EventEmitter, once } from "node:events";
import { resolve } from "node:path";
import { CHANNEL_MODULES, openSqliteStore } from "../../adapters/registry.js";
import type { Bridge, BridgeEvent, QuestionRecord } from "../client/types.js";
import type { Log } from "../ports/log.js";
import { serveSocket } from "../socket/door.js";
import { type Simulation, simulate } from "../testing/simulate.js";
import { openChatPage } from "../web/page.js";
import { type OpenBridge, openBridge } from "./bridge.js";
import { systemClock } from "./clock.js";
import { configOf, DATA_FOLDER } from "./config.js";
import { askExamples } from "./examples.js";
import { askedLine, endedLine } from "./report.js";
import { readState, type SimulatedState, writeState } from "./simulated-state.js";
import { TerminalLines } from "./terminal-lines.js";

/** Who sits at the page. */
export const PAGE_PERSON = "you";
/** Longest wait for the first lines before the start is reported, in milliseconds. */
const TOLD_MS = 2_000;

/** How it is started. */
export type SimulatedOptions = {
  /** The data folder. Default: `data` in the working folder. */
  readonly data?: string;
  /** The page's port; 0 takes any free one. */
  readonly port: number;
  readonly log: Log;
  /** Takes each line for people, without its end. */
  readonly print: (line: string) => void;
  /** Takes each event, for `--json`. */
  readonly onEvent?: (event: BridgeEvent) => void;
};

/** What runs. `open`: questions that wait for an answer, those asked at this start included. */
export type SimulatedBridge = {
  readonly url: string;
  readonly bridge: Bridge;
  readonly open: number;
  readonly close: () => Promise<void>;
};

/**
 * Starts the simulators, the page and the bridge, and asks the examples.
 * @throws `config_invalid` when the port is taken; `store_busy` when another process has the data folder.
 */
export async function openSimulated(options: SimulatedOptions): Promise<SimulatedBridge> {
  const { log } = options;
  const folder = resolve(options.data ?? DATA_FOLDER);
  const state = readState(folder);
  const undo = new Undo();
  try {
    const chats = await simulate({ people: [PAGE_PERSON], folder, ...(state === undefined ? {} : { restore: state.chats }) });
    undo.add(() => chats.stop());
    const terminal = new TerminalLines(options.print);
    const simulators = [chats.slack, chats.discord, chats.telegram];
    const page = await openChatPage({ chats: simulators, person: PAGE_PERSON, port: options.port, terminal });
    undo.add(() => page.close());
    const store = await openSqliteStore({ folder, clock: systemClock, log, shared: false });
    const keeper = new Keeper({ folder, chats, state });
    undo.add(async () => keeper.stop());
    const open = await openBridge(configOf(chats.config, { modules: CHANNEL_MODULES, folder }), { store, log });
    undo.add(() => open.close());
    const door = await serveSocket({ folder, gateway: open.gateway, principal: open.principal, log });
    undo.add(() => door.close());
    const left = await open.bridge.list();
    for (const record of left) terminal.print(askedLine("still open", record));
    const teller = tellEvents(open, { terminal, keeper, log, onEvent: options.onEvent });
    undo.add(teller.stop);
    const asked = await askExamples(open.bridge, {
      person: PAGE_PERSON,
      place: (chat) => `${chat}:${chats.person(PAGE_PERSON, chat).direct}`,
    });
    const known = new Set(left.map(({ id }) => id));
    await teller.told(asked.filter(({ id }) => !known.has(id)).map(({ id }) => id));
    const count = (await open.bridge.list()).length;
    return { url: page.url, bridge: open.bridge, open: count, close: () => undo.run() };
  } catch (error) {
    await undo.run();
    throw error;
  }
}

type Telling = {
  readonly terminal: TerminalLines;
  readonly keeper: Keeper;
  readonly log: Log;
  readonly onEvent: ((event: BridgeEvent) => void) | undefined;
};

type Teller = {
  /** Resolves when it was printed that these were asked, at the latest after `TOLD_MS`. */
  readonly told: (questions: readonly string[]) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Prints what happens to the questions, in the order of the commits, and remembers how far it came (S3). */
function tellEvents({ bridge }: OpenBridge, { terminal, keeper, log, onEvent }: Telling): Teller {
  const stopping = new AbortController();
  const told = new Set<string>();
  const bell = new EventEmitter();
  const run = async (): Promise<void> => {
    const after = keeper.told;
    for await (const event of bridge.events({ signal: stopping.signal, ...(after === undefined ? {} : { after }) })) {
      await tell(bridge, event, terminal);
      onEvent?.(event);
      keeper.keep(event.id);
      told.add(event.question);
      bell.emit("told");
    }
  };
  const running = run().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error({ error: String(error) }, "simulated: events are no longer shown");
  });
  return {
    told: async (questions) => {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(TOLD_MS)]);
      while (!questions.every((id) => told.has(id)) && !signal.aborted) await once(bell, "told", { signal }).catch(() => undefined);
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function tell(bridge: Bridge, event: BridgeEvent, terminal: TerminalLines): Promise<void> {
  if (event.question === "") return;
  const record = async (): Promise<QuestionRecord> => (await bridge.question(event.question)).record();
  switch (event.type) {
    case "question.asked":
      terminal.print(askedLine("asked", await record()));
      return;
    case "question.answered":
    case "question.declined":
    case "question.cancelled":
    case "question.expired":
    case "question.undelivered":
      terminal.print(endedLine(await record(), event.data));
      return;
    default:
      return;
  }
}

/** Keeps the chats and the cursor in the data folder, from the first change on. */
class Keeper {
  readonly #folder: string;
  readonly #chats: Simulation;
  readonly #undo: readonly (() => void)[];
  #told: string | undefined;

  constructor({
    folder,
    chats,
    state,
  }: {
    readonly folder: string;
    readonly chats: Simulation;
    readonly state: SimulatedState | undefined;
  }) {
    this.#folder = folder;
    this.#chats = chats;
    this.#told = state?.told;
    this.keep();
    this.#undo = [chats.slack, chats.discord, chats.telegram].map((chat) => chat.onChange(() => this.keep()));
  }

  /** Cursor of the last event that was shown. */
  get told(): string | undefined {
    return this.#told;
  }

  keep(told = this.#told): void {
    this.#told = told;
    writeState(this.#folder, { chats: this.#chats.snapshot(), ...(told === undefined ? {} : { told }) });
  }

  stop(): void {
    for (const undo of this.#undo) undo();
    this.keep();
  }
}

/** What was started, undone in the opposite order, each once. */
class Undo {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (;;) {
      const step = this.#steps.pop();
      if (step === undefined) break;
      await step().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
