/**
 * What `handraise doctor` looks at: the config, the data folder, the socket, and each account's own checks. It reads; it changes
 * nothing, opens no intake and takes no lease, so it may run beside a bridge.
 */
import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { CHANNEL_MODULES } from "../../adapters/registry.js";
import { dial } from "../client/link.js";
import { findSocket, folderProblem, socketPathOf } from "../client/rendezvous.js";
import type { Place } from "../core/place.js";
import { HandraiseError } from "../errors.js";
import type { Channel, ChannelMemory, Check } from "../ports/channel.js";
import { systemClock } from "./clock.js";
import { type BridgeSettings, type ChannelModules, CONFIG_FILE, loadConfig } from "./config.js";
import { createLog } from "./log.js";

/** One check of one account; `config` and `bridge` stand for what belongs to no account. */
export type DoctorLine = Check & { readonly account: string };

/** What is examined. */
export type DoctorInput = {
  /** The config file. Default: `handraise.yaml`. */
  readonly config?: string;
  /** The data folder. Default: the config's. */
  readonly data?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: those of this program. */
  readonly modules?: ChannelModules;
  /** Longest wait for one account, in milliseconds. Default 20,000. */
  readonly limitMs?: number;
};

const LIMIT_MS = 20_000;

/** Every check, config first, then the bridge's own, then the accounts in the order of the config. Never rejects for a failed check. */
export async function examine({
  config = CONFIG_FILE,
  data,
  env,
  modules = CHANNEL_MODULES,
  limitMs = LIMIT_MS,
}: DoctorInput): Promise<readonly DoctorLine[]> {
  let settings: BridgeSettings;
  try {
    settings = await loadConfig(config, { modules, env });
  } catch (error) {
    return configFaults(error);
  }
  const folder = data === undefined ? settings.folder : resolve(data);
  const accounts = Object.entries(settings.accounts)
    .filter(([, { remote }]) => remote !== true)
    .map(([account, { kind, settings: own }]) =>
      accountLines({ account, module: modules[kind], own, limitMs, places: settings.places.map(({ place }) => place) }),
    );
  const own: DoctorLine[] = [
    { account: "config", check: "config", ok: true, detail: `${config}: ${Object.keys(settings.accounts).length} accounts` },
    { account: "bridge", ...(await folderCheck(folder)) },
    { account: "bridge", ...(await socketCheck(folder)) },
  ];
  return [...own, ...(await Promise.all(accounts)).flat()];
}

function configFaults(error: unknown): readonly DoctorLine[] {
  if (!(error instanceof HandraiseError)) throw error;
  return error.detail.split("\n").map((detail) => ({ account: "config", check: "config", ok: false, detail }));
}

async function folderCheck(folder: string): Promise<Check> {
  const stat = await lstat(folder).catch(() => undefined);
  if (stat === undefined) return { check: "folder", ok: true, detail: `${folder}: not there yet, made at the first start` };
  const problem = await folderProblem(folder);
  if (problem === undefined) return { check: "folder", ok: true, detail: `${folder}: private` };
  const [what = problem, ...remedy] = problem.split(/(?<=\.) /);
  return { check: "folder", ok: false, detail: `${folder}: ${what}`, remedy: remedy.join(" ") };
}

async function socketCheck(folder: string): Promise<Check> {
  const path = socketPathOf(folder);
  try {
    const found = await findSocket(path);
    if (found === undefined) return { check: "socket", ok: true, detail: "no bridge is running on this folder" };
    const link = await dial(found);
    link.close();
    return { check: "socket", ok: true, detail: "a bridge answers on its socket" };
  } catch (error) {
    if (error instanceof HandraiseError) return { check: "socket", ok: false, detail: error.detail };
    return { check: "socket", ok: true, detail: "no bridge answers; one ended without taking its socket away, which the next start does" };
  }
}

type Account = {
  readonly account: string;
  readonly module: ChannelModules[keyof ChannelModules];
  readonly own: unknown;
  readonly limitMs: number;
  /** Every place the config names, on any account. */
  readonly places: readonly Place[];
};

async function accountLines({ account, module, own, limitMs, places }: Account): Promise<readonly DoctorLine[]> {
  const log = createLog([], { level: "silent" });
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not answer within ${limitMs} ms`)), limitMs);
  });
  try {
    const channel = await module.create({ account, settings: own, memory: noMemory(), clock: systemClock, log });
    try {
      const checks = await Promise.race([checksOf(channel, places), limit]);
      return checks.map((check) => ({ account, ...check }));
    } finally {
      await channel.close();
    }
  } catch (error) {
    const detail = error instanceof HandraiseError ? error.detail : error instanceof Error ? error.message : String(error);
    return [{ account, check: "reach", ok: false, detail, remedy: "Check the network and the token." }];
  } finally {
    clearTimeout(timer);
  }
}

/** The channel's own checks, which include the places it was asked for: those of the config. */
async function checksOf(channel: Channel, places: readonly Place[]): Promise<readonly Check[]> {
  const here = places.filter(({ account }) => account === channel.account);
  const located = await Promise.all(
    here.map(async ({ conversation, thread }): Promise<readonly Check[]> => {
      const found = await channel.locate({ kind: "place", conversation, ...(thread === undefined ? {} : { thread }) });
      if (found.status !== "refused") return [];
      return [
        {
          check: `place ${conversation}`,
          ok: false,
          detail: found.message,
          remedy: "Correct the place in the config, or add the bot to it.",
        },
      ];
    }),
  );
  return [...(await channel.check()), ...located.flat()];
}

/** What an adapter remembers between two starts is not touched. */
function noMemory(): ChannelMemory {
  const kept = new Map<string, string>();
  return {
    get: async (key) => kept.get(key),
    put: async (key, value) => {
      kept.set(key, value);
    },
  };
}
