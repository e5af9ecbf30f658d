/**
 * The bridge: reads the config, makes every part and wires them together. The only place that knows them all.
 *
 *   config ──► directory, phrases        store ──► gateway ◄──dispatcher── host ◄──► channels
 */
import { userInfo } from "node:os";
import { resolve } from "node:path";
import { CHANNEL_MODULES, openSqliteStore } from "../../adapters/registry.js";
import { openSigningKey } from "../audit/key-file.js";
import { createProver } from "../audit/proof.js";
import { createBridgeClient } from "../client/bridge.js";
import type { Bridge, BridgeConfig } from "../client/types.js";
import type { RandomBytes } from "../core/ids.js";
import type { Typed } from "../core/input.js";
import { inProcessDispatcher } from "../dispatch/in-process.js";
import { type DispatchFunction, toDispatcher } from "../dispatch/legacy.js";
import { HandraiseError } from "../errors.js";
import { type Caps, DEFAULT_CAPS } from "../gateway/caps.js";
import { Gateway } from "../gateway/gateway.js";
import { HostDesk } from "../gateway/host-desk.js";
import { Signals } from "../gateway/signals.js";
import { type HostCalls, hostCalls } from "../host/calls.js";
import { Host } from "../host/host.js";
import { createPhrases } from "../host/phrases.js";
import type { Channel, ChannelHealth, ChannelMemory } from "../ports/channel.js";
import type { Clock } from "../ports/clock.js";
import type { Dispatcher, LegacyDispatcher } from "../ports/dispatcher.js";
import type { CopyReport, Submission } from "../ports/gateway.js";
import type { DirectoryParams, HostDirectory } from "../ports/host-wire.js";
import type { Log } from "../ports/log.js";
import type { Prover } from "../ports/prover.js";
import type { Store } from "../ports/store.js";
import { hostDirectory } from "../runs/host-people.js";
import { createLiveDirectory, type LiveDirectory } from "../runs/live-directory.js";
import { createSources } from "../runs/sources.js";
import { systemRandom } from "./chance.js";
import { systemClock } from "./clock.js";
import { type BridgeSettings, CONFIG_FILE, configOf, loadConfig, placeError } from "./config.js";
import { type ConfigChange, configChange } from "./config-changes.js";
import { createLog } from "./log.js";
import { Tidier } from "./tidier.js";

/** What tests and the bench may replace; everything has the real thing as its default. */
export type BridgeOptions = {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  readonly log?: Log;
  readonly store?: Store;
  /** Channels made elsewhere, instead of those of the config's accounts. */
  readonly channels?: readonly Channel[];
  readonly caps?: Caps;
  /** Two processes may share the data folder (rolling restart, tests of two instances). */
  readonly shared?: boolean;
  /** Who asks in this process; default: the OS user's name. "" is nobody: such questions take controls only (R15). */
  readonly principal?: string;
  /** Called once when the store is gone for good: from then on every call is refused with `store_unavailable`. */
  readonly onStoreLost?: (error: HandraiseError) => void;
  /** Another call path from host to gateway, made from the one of this process. A plain function opens no bridge (`dispatcher_legacy`). */
  readonly dispatcher?: (own: Dispatcher) => Dispatcher | LegacyDispatcher | DispatchFunction;
  /** Messages that met no question, in order, at most once. */
  readonly onMessage?: (message: Typed) => void;
};

/** A running bridge with its parts, for the app's own commands. */
export type OpenBridge = {
  readonly bridge: Bridge;
  readonly gateway: Gateway;
  /** For the doors that hosts on other machines come to. */
  readonly hostDesk: HostDesk;
  readonly store: Store;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly principal: string;
  /** Health by account. */
  health(): Readonly<Record<string, ChannelHealth>>;
  /**
   * Puts a new config in force without a restart: people, roles, routes, access and ask defaults in this very tick, removed accounts at once.
   * Resolves when the channels of removed accounts are closed; what needs a restart is in `restart`.
   */
  reload(next: BridgeSettings): Promise<ConfigChange>;
  close(): Promise<void>;
};

/**
 * Opens a bridge in this process: its store, its channels, its questions from an earlier life.
 * @param config A file (default `handraise.yaml`), or its shape as an object.
 * @throws `config_invalid` with line, setting and remedy; `store_busy` when another process has the data folder.
 */
export async function createBridge(config: string | BridgeConfig = CONFIG_FILE): Promise<Bridge> {
  const modules = CHANNEL_MODULES;
  const settings =
    typeof config === "string"
      ? await loadConfig(config, { modules, env: process.env })
      : configOf(config, { modules, folder: resolve(".") });
  return (await openBridge(settings)).bridge;
}

/** Makes and starts every part in the order of R33; undoes what was started when a later one fails. */
export async function openBridge(settings: BridgeSettings, options: BridgeOptions = {}): Promise<OpenBridge> {
  const parts = await makeParts(settings, options);
  const { gateway, host, hostDesk, store, channels, directory, log } = parts;
  const tidier = new Tidier(parts);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      await tidier.stop();
      hostDesk.close();
      directory.stop();
      await host.close();
      await gateway.close();
      await store.close();
    })();
    return closing;
  };
  try {
    await host.recoverInputs();
    await gateway.start();
    await host.open();
    await checkPlaces(settings, channels);
  } catch (error) {
    await close().catch((failure: unknown) => log.error({ error: String(failure) }, "bridge: closing after a failed start failed too"));
    throw error;
  }
  tidier.start();
  const principal = options.principal ?? userInfo().username;
  const bridge = createBridgeClient(gateway, { principal }, { close });
  const health = (): Record<string, ChannelHealth> =>
    Object.fromEntries([...channels].map(([account, channel]) => [account, channel.health()]));
  return { bridge, gateway, hostDesk, store, channels, principal, health, reload: reloader(parts), close };
}

function reloader({ directory, now, channels, host, log }: Parts): OpenBridge["reload"] {
  return async (next) => {
    const change = configChange(now.settings, next);
    now.settings = change.settings;
    directory.swap(now.settings);
    const gone = change.removed.flatMap((account) => channels.get(account) ?? []);
    for (const account of change.removed) channels.delete(account);
    log.info({ generation: directory.generation, applied: change.applied, restart: change.restart }, "config: read again");
    await Promise.all(gone.map((channel) => host.drop(channel)));
    // Not waited for before the swap: whoever was taken out is out, whatever the platforms say about a route.
    await checkPlaces(now.settings, channels).catch((error: unknown) =>
      log.error({ error: String(error) }, "config: a place is not there"),
    );
    return change;
  };
}

type Parts = {
  readonly gateway: Gateway;
  readonly hostDesk: HostDesk;
  readonly host: Host;
  readonly store: Store;
  readonly channels: Map<string, Channel>;
  readonly directory: LiveDirectory;
  /** The config in force. */
  readonly now: { settings: BridgeSettings };
  readonly clock: Clock;
  readonly log: Log;
};

async function makeParts(settings: BridgeSettings, options: BridgeOptions): Promise<Parts> {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom();
  const log = options.log ?? createLog(secretsOf(settings));
  const now = { settings };
  const directory = createLiveDirectory(settings, clock);
  const sources = createSources(directory);
  const signals = new Signals();
  const store =
    options.store ??
    (await openSqliteStore({
      folder: settings.folder,
      clock,
      log,
      shared: options.shared ?? false,
      ...(options.onStoreLost === undefined ? {} : { onUnhealthy: options.onStoreLost }),
    }));
  const made = options.channels ?? (await makeChannels(settings, { clock, log, store }));
  const channels = new Map(made.map((channel) => [channel.account, channel]));
  const { timezone = "UTC", language = "en" } = settings.defaults;
  const caps = options.caps ?? DEFAULT_CAPS;
  const defaults = () => directory.settings.defaults;
  const prover = await proverOf(settings.folder, store);
  const gateway = new Gateway({ store, clock, random, directory, defaults, caps, log, signals, prover });
  const dispatcher = inProcessDispatcher({
    "question.resolve": (params, guard) => gateway.resolve(params as Submission, guard),
    "delivery.report": (params) => gateway.report(params as CopyReport),
  });
  const isRemote = (account: string): boolean => now.settings.accounts[account]?.remote === true;
  const people = (asked: DirectoryParams): HostDirectory => hostDirectory(now.settings, asked);
  const hostDesk = new HostDesk({ gateway, store, clock, random, directory, signals, isRemote, people });
  const calls = await guardedCalls(toDispatcher(options.dispatcher?.(dispatcher) ?? dispatcher), store);
  const phrases = createPhrases({ language, timezone }, { directory, clock });
  const host = new Host({
    store,
    clock,
    random,
    log,
    directory,
    sources,
    calls,
    channels,
    signals,
    phrases,
    isRemote,
    onMessage: options.onMessage,
  });
  return { gateway, hostDesk, host, store, channels, directory, now, clock, log };
}

/** Signs with the folder's key, which is made at the first start. */
async function proverOf(folder: string, store: Store): Promise<Prover> {
  try {
    return createProver(await openSigningKey(folder));
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** R20: without a guarded dispatcher nothing is opened. */
async function guardedCalls(dispatcher: Dispatcher | LegacyDispatcher, store: Store): Promise<HostCalls> {
  try {
    return hostCalls(dispatcher);
  } catch (error) {
    await store.close();
    throw error;
  }
}

type ForChannels = { readonly clock: Clock; readonly log: Log; readonly store: Store };

function makeChannels(settings: BridgeSettings, { clock, log, store }: ForChannels): Promise<readonly Channel[]> {
  return Promise.all(
    Object.entries(settings.accounts)
      .filter(([, { remote }]) => remote !== true)
      .map(([account, { kind, settings: own }]) =>
        CHANNEL_MODULES[kind].create({ account, settings: own, memory: memoryOf(store, account), clock, log }),
      ),
  );
}

function memoryOf(store: Store, account: string): ChannelMemory {
  return {
    get: (key) => store.memory({ account, key }),
    put: async (key, value) => {
      const result = await store.commit([{ do: "put_memory", account, key, value }]);
      if (!result.ok) throw new HandraiseError("store_unavailable", `${account}: ${key} could not be stored.`);
    },
  };
}

/** B089: places of the config are looked up at start; one that does not exist stops it, one out of reach is looked up when needed. */
async function checkPlaces(settings: BridgeSettings, channels: ReadonlyMap<string, Channel>): Promise<void> {
  for (const configured of settings.places) {
    const { account, conversation, thread } = configured.place;
    const located = await channels.get(account)?.locate({ kind: "place", conversation, ...(thread === undefined ? {} : { thread }) });
    if (located?.status === "refused") throw placeError(configured, located.message);
  }
}

/** Values that may never appear in a log, by their exact text (B169). */
function secretsOf(settings: BridgeSettings): readonly string[] {
  return Object.values(settings.accounts).flatMap(({ settings: own }) =>
    typeof own === "object" && own !== null
      ? Object.entries(own).flatMap(([key, value]) => (/token|secret/i.test(key) && typeof value === "string" ? [value] : []))
      : [],
  );
}
