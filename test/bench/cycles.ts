/**
 * The main figure: ask durably, answer once, wake the waiter, with the full product around it (validation, audience, delivery, inbox,
 * receipts, events, closing), over a real SQLite file and a channel on paper. Ratios are to the floor of the same run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openSqliteStore } from "../../adapters/registry.js";
import { type OpenBridge, openBridge } from "../../src/app/bridge.js";
import { systemClock } from "../../src/app/clock.js";
import type { BridgeSettings } from "../../src/app/config.js";
import type { Store } from "../../src/ports/store.js";
import { paperSettings, quietLog } from "../fixtures/paper-bridge.js";
import { PaperChannel } from "../fixtures/paper-channel.js";

const CAPS = { perPrincipal: 10_000_000, perPerson: 10_000_000 };

export type BenchBridge = OpenBridge & {
  readonly channel: PaperChannel;
  readonly folder: string;
  readonly end: () => Promise<void>;
  readonly onShown: (run: (question: string) => void) => void;
};

/** A bridge for measuring. `onShown` tells when a question's prompt is stored as shown: that is when a person could press. */
export async function openBenchBridge({
  folder,
  people = 1,
}: {
  readonly folder?: string;
  readonly people?: number;
} = {}): Promise<BenchBridge> {
  const home = folder ?? (await mkdtemp(join(tmpdir(), "handraise-bench-")));
  let shown: (question: string) => void = () => undefined;
  const real = await openSqliteStore({ folder: home, clock: systemClock, log: quietLog });
  const store = watched(real, (question) => shown(question));
  const channel = new PaperChannel("telegram", { quiet: true });
  const open = await openBridge(crowd(home, people), { store, channels: [channel], log: quietLog, caps: CAPS, principal: "bench" });
  const end = async (): Promise<void> => {
    await open.close();
    if (folder === undefined) await rm(home, { recursive: true, force: true });
  };
  return {
    ...open,
    channel,
    folder: home,
    end,
    onShown: (run) => {
      shown = run;
    },
  };
}

/** Everybody in a direct chat of their own: calls to one conversation go one after another, as the platforms want it. */
function crowd(folder: string, count: number): BridgeSettings {
  const people = Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { ids: { telegram: String(index + 1) } }]));
  return { ...paperSettings(folder), people, roles: {} };
}

function watched(store: Store, shown: (question: string) => void): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      if (name !== "commit") {
        const value: unknown = Reflect.get(target, name, receiver);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (changes: Parameters<Store["commit"]>[0]) => {
        const result = await target.commit(changes);
        if (result.ok)
          for (const change of changes) if (change.do === "insert_event" && change.type === "question.shown") shown(change.question);
        return result;
      };
    },
  });
}

export type CycleFigures = {
  readonly perSecond: number;
  readonly wakeP50Ms: number;
  readonly wakeP99Ms: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
};

/** Where a shown prompt can be pressed. */
export type Pressable = {
  readonly question: string;
  readonly conversation: string;
  readonly message: string;
  readonly tokens: readonly string[];
};

/** Calls `shown` with every prompt that the channel posts. */
export function watchPrompts({ channel }: BenchBridge, shown: (prompt: Pressable) => void): void {
  const send = channel.send.bind(channel);
  channel.send = async (order) => {
    const result = await send(order);
    const { view, conversation } = order;
    const tokens = view.options.map(({ token }) => token);
    if (result.status === "shown") shown({ question: view.question, conversation, message: result.message.id, tokens });
    return result;
  };
}

/** The person of this conversation presses the first option. */
export function pressFirst({ channel }: BenchBridge, { conversation, message, tokens }: Pressable, id: string): Promise<unknown> {
  const sender = { userId: conversation.slice("dm-".length), name: "P" };
  const press = { account: "telegram", channel: "telegram", conversation, direct: true, sender, token: tokens[0] ?? "" } as const;
  return channel.deliver({ ...press, kind: "press", id, message: { id: message, order: message } });
}

/** Presses every prompt once it is stored as shown; says when. */
function pressAll(bench: BenchBridge): Map<string, number> {
  const pressedAt = new Map<string, number>();
  const prompts = new Map<string, Pressable>();
  watchPrompts(bench, (prompt) => prompts.set(prompt.question, prompt));
  bench.onShown((question) => {
    const prompt = prompts.get(question);
    if (prompt === undefined) return;
    prompts.delete(question);
    pressedAt.set(question, performance.now());
    void pressFirst(bench, prompt, `p-${question}`);
  });
  return pressedAt;
}

/** Runs ask-to-answer cycles with `waits` of them under way at any time, for about `seconds`. */
export async function measureCycles({ waits, seconds }: { readonly waits: number; readonly seconds: number }): Promise<CycleFigures> {
  const bench = await openBenchBridge({ people: waits });
  const pressedAt = pressAll(bench);
  const wakes: number[] = [];
  const ask = { text: "Where does release 42 go?", options: ["staging", "prod"], timeout: "2h" } as const;
  const lane = async (person: number, untilMs: number): Promise<number> => {
    for (let done = 0; ; done += 1) {
      if (performance.now() >= untilMs) return done;
      const question = await bench.bridge.ask({ ...ask, to: `p${person}` });
      await question.outcome();
      wakes.push(performance.now() - (pressedAt.get(question.id) ?? 0));
      pressedAt.delete(question.id);
    }
  };
  const lanes = (count: number, untilMs: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, (_, person) => lane(person, untilMs)));
  await lanes(Math.min(waits, 64), performance.now() + 500);
  wakes.length = 0;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startMs = performance.now();
  const counts = await lanes(waits, startMs + seconds * 1_000);
  const tookMs = performance.now() - startMs;
  delay.disable();
  await bench.end();
  const perSecond = counts.reduce((sum, count) => sum + count, 0) / (tookMs / 1_000);
  return { perSecond, ...percentiles(wakes), loopP99Ms: delay.percentile(99) / 1e6, loopMaxMs: delay.max / 1e6 };
}

function percentiles(wakes: readonly number[]): Pick<CycleFigures, "wakeP50Ms" | "wakeP99Ms"> {
  const sorted = wakes.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { wakeP50Ms: at(0.5), wakeP99Ms: at(0.99) };
}
