/**
 * The process that is killed: a real bridge with one real adapter, in which every store commit, every channel method and the intake
 * pass a fuse. The armed fuse kills the process with SIGKILL, which nothing can catch or delay.
 */
import { randomBytes } from "node:crypto";
import { CHANNEL_MODULES, openSqliteStore } from "../../adapters/registry.js";
import { type OpenBridge, openBridge } from "../../src/app/bridge.js";
import { systemClock } from "../../src/app/clock.js";
import { configOf } from "../../src/app/config.js";
import type { Channel, Intake } from "../../src/ports/channel.js";
import type { Change, Store } from "../../src/ports/store.js";
import { quietLog } from "../fixtures/paper-bridge.js";
import { type Audit, type FromChild, type Fuse, type KillAsk, parseToChild, type Site, type ToChild } from "./protocol.js";

let fuse: Fuse | undefined;

function pass(site: Site, phase: Fuse["phase"]): void {
  if (fuse?.site === site && fuse.phase === phase) process.kill(process.pid, "SIGKILL");
}

async function around<T>(site: Site, run: () => Promise<T>): Promise<T> {
  pass(site, "before");
  const result = await run();
  pass(site, "after");
  return result;
}

/** What a list of changes does, in the words of the points. */
function sitesOf(changes: readonly Change[]): readonly Site[] {
  return changes.flatMap((change): Site[] => {
    switch (change.do) {
      case "insert_question":
        return ["commit question"];
      case "insert_copy":
        return change.row.repeatOf === null ? [] : ["commit repeat"];
      case "update_copy":
        return stateSites[change.set.state ?? ""] ?? [];
      case "insert_input":
        return change.row.question === null ? [] : ["commit input"];
      case "settle_question":
        return ["commit answer"];
      case "update_notice":
        return ["commit said"];
      case "mark_collected":
        return ["commit collected"];
      default:
        return [];
    }
  });
}

const stateSites: Readonly<Record<string, Site[]>> = {
  sending: ["commit claim"],
  shown: ["commit shown"],
  closed: ["commit closed"],
  unknown: ["commit lost"],
};

function fusedStore(store: Store): Store {
  const commit: Store["commit"] = async (changes) => {
    const sites = sitesOf(changes);
    for (const site of sites) pass(site, "before");
    const result = await store.commit(changes);
    for (const site of sites) pass(site, "after");
    return result;
  };
  return proxied(store, { commit });
}

function fusedChannel(channel: Channel): Channel {
  const intakeOf = (intake: Intake): Intake => ({
    take: (input) => around("take", () => intake.take(input)),
    moved: (change) => intake.moved(change),
  });
  return proxied(channel, {
    open: (intake: Intake) => channel.open(intakeOf(intake)),
    locate: (to: Parameters<Channel["locate"]>[0]) => around("locate", () => channel.locate(to)),
    send: (order: Parameters<Channel["send"]>[0]) => around("send", () => channel.send(order)),
    find: (order: Parameters<Channel["find"]>[0]) => around("find", () => channel.find(order)),
    redraw: (order: Parameters<Channel["redraw"]>[0]) => around("redraw", () => channel.redraw(order)),
    notify: (order: Parameters<Channel["notify"]>[0]) => around("notify", () => channel.notify(order)),
  });
}

/** `target` with some of its methods replaced; the others run on the target itself, private fields and all. */
function proxied<T extends object>(target: T, replaced: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (typeof name === "string" && name in replaced) return replaced[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

let bridge: OpenBridge | undefined;

function say(message: FromChild): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

async function start({ chat, config, folder }: Extract<ToChild, { do: "start" }>): Promise<void> {
  const settings = configOf(config, { modules: CHANNEL_MODULES, folder });
  const store = fusedStore(await openSqliteStore({ folder: settings.folder, clock: systemClock, log: quietLog }));
  const memory = {
    get: (key: string) => store.memory({ account: chat, key }),
    put: async (key: string, value: string) => void (await store.commit([{ do: "put_memory", account: chat, key, value }])),
  };
  const parts = { account: chat, settings: settings.accounts[chat]?.settings, memory, clock: systemClock, log: quietLog };
  const channel = fusedChannel(await CHANNEL_MODULES[chat].create(parts));
  bridge = await openBridge(settings, {
    ...{ store, channels: [channel], log: quietLog, principal: "ci" },
    random: (count) => randomBytes(count),
  });
  await say({ said: "up" });
}

/** The asker: asks, waits, is handed the outcome, says what it got. */
async function asker(ask: KillAsk): Promise<void> {
  if (bridge === undefined) throw new Error("the bridge is not up");
  const question = await bridge.bridge.ask({ ...ask, timeout: "1h" });
  const outcome = await question.outcome();
  pass("outcome", "before");
  await say({ said: "outcome", key: ask.key, status: outcome.status, value: "value" in outcome ? outcome.value : undefined });
  pass("outcome", "after");
}

async function audit({ key, after }: { readonly key: string; readonly after: number }): Promise<Audit> {
  if (bridge === undefined) throw new Error("the bridge is not up");
  const { store } = bridge;
  const question = await store.questionByKey({ principal: "ci", session: null, key });
  if (question === undefined) throw new Error(`no question has the key ${key}`);
  const { events, newest } = await store.events({ id: after, limit: 10_000 });
  const copies = await store.copiesOf(question.id);
  // In this order: a word comes from an input that was settled before.
  const unsettled = (await store.unsettledInputs(10)).length;
  const { copyMs, noticeMs } = await store.nextDue();
  return {
    said: "audit",
    quiet: copyMs === null && noticeMs === null && unsettled === 0 && question.collectedAtMs !== null,
    events: events.filter((event) => event.question === question.id).map(({ type }) => type),
    newest,
    copies: copies.map(({ state, todo, repeatOf }) => ({ state, todo, repeat: repeatOf !== null })),
    unsettled,
    unconfirmed: events.some(
      ({ question: of, type, data }) => of === question.id && type === "question.shown" && data["state"] === "unknown",
    ),
  };
}

async function obey(order: ToChild): Promise<void> {
  switch (order.do) {
    case "start":
      fuse = order.fuse;
      return start(order);
    case "arm":
      fuse = order.fuse;
      return say({ said: "armed" });
    case "ask":
      return asker(order.ask);
    case "audit":
      return say(await audit(order));
  }
}

process.on("message", (message) => {
  obey(parseToChild(message)).catch((error: unknown) => say({ said: "failed", error: String(error) }));
});
process.on("disconnect", () => process.exit(0));
