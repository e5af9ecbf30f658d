/**
 * `handraise start`: runs a bridge until it is told to stop. With `--simulated` over simulated chats (simulated.ts), else over the accounts
 * of the config, with the unix socket for askers on this machine and HTTP for channels that platforms call.
 *
 * A changed config, or SIGHUP, is taken up while it runs (config-changes.ts says how far).
 * Ctrl-C or SIGTERM stops in the order of R33. Nothing is lost: questions stay open in the store.
 */

import { CHANNEL_MODULES } from "../../adapters/registry.js";
import type { BridgeEvent } from "../client/types.js";
import { HandraiseError } from "../errors.js";
import type { Channel } from "../ports/channel.js";
import type { Log } from "../ports/log.js";
import { serveSocket } from "../socket/door.js";
import { type OpenBridge, openBridge } from "./bridge.js";
import { openChannelDoor } from "./channel-door.js";
import { systemClock } from "./clock.js";
import { type BridgeSettings, CONFIG_FILE, loadConfig } from "./config.js";
import type { ConfigChange } from "./config-changes.js";
import { watchConfig } from "./config-watch.js";
import { createLog, type LogOptions } from "./log.js";
import { openSimulated } from "./simulated.js";

/** The page's and the bridge's usual port. */
export const DEFAULT_PORT = 8484;

/** What the command line gives. */
export type StartOptions = {
  /** The config file. Default: `handraise.yaml`. Not used with `simulated`. */
  readonly config?: string;
  readonly simulated?: boolean;
  /** Default: the config's `listen`, with `simulated` 8484. */
  readonly port?: number;
  /** The data folder. Default: the config's `store`, else `data`. */
  readonly data?: string;
  /** One JSON line on stdout when ready, and with `simulated` one per event. */
  readonly json?: boolean;
  /** Stops it. Default: Ctrl-C (SIGINT) and SIGTERM of this process. */
  readonly signal?: AbortSignal;
};

/**
 * Runs until a signal: exit code 0; or until its store is gone for good: exit code 1.
 * @throws `config_invalid` (config, port), `store_busy` (data folder): the command line prints them and exits 1.
 */
export async function runStart(options: StartOptions): Promise<number> {
  const stopping = stopSignal(options.signal);
  try {
    const running = options.simulated === true ? await startSimulated(options) : await startAccounts(options);
    const lost = await Promise.race(running.lost === undefined ? [stopping.fired] : [stopping.fired, running.lost]);
    // Without its store it can only refuse: whoever watches over the process starts it anew.
    say(options, lost === undefined ? "stopping; open questions stay open" : lost.message);
    await running.close();
    return lost === undefined ? 0 : 1;
  } finally {
    stopping.end();
  }
}

/** `lost` resolves when the store is gone for good. */
type Running = { readonly close: () => Promise<void>; readonly lost?: Promise<HandraiseError> };

async function startSimulated({ port = DEFAULT_PORT, data, json = false }: StartOptions): Promise<Running> {
  const print = json ? () => undefined : (line: string) => console.log(line);
  // For scripts the first line is the one that says ready; events that came before it follow.
  let early: string[] | undefined = json ? [] : undefined;
  const onEvent = (event: BridgeEvent): void => {
    const line = JSON.stringify(event);
    if (early === undefined) console.log(line);
    else early.push(line);
  };
  const running = await openSimulated({
    port,
    log: createLog([], quiet()),
    print,
    ...(data === undefined ? {} : { data }),
    ...(json ? { onEvent } : {}),
  });
  const { url, open } = running;
  if (json) console.log(JSON.stringify({ ready: true, url, accounts: ["slack", "discord", "telegram"], open }));
  for (const line of early ?? []) console.log(line);
  early = undefined;
  print(`ready: simulated slack, discord, telegram · ${url} · ${open} open`);
  print("Open that address in a browser to answer. Ctrl-C stops; your questions stay.");
  return running;
}

/** A person watches this terminal: only what matters, unless the environment says otherwise. */
function quiet(): LogOptions {
  return { level: process.env["HANDRAISE_LOG"] ?? "warn" };
}

async function startAccounts(options: StartOptions): Promise<Running> {
  const file = options.config ?? CONFIG_FILE;
  const settings = withOptions(await loadConfig(file, { modules: CHANNEL_MODULES, env: process.env }), options);
  const log = createLog([]);
  let lose: (error: HandraiseError) => void = () => undefined;
  const lost = new Promise<HandraiseError>((resolve) => {
    lose = resolve;
  });
  const open = await openBridge(settings, { onStoreLost: (error) => lose(error) });
  try {
    const socket = await serveSocket({ folder: settings.folder, gateway: open.gateway, principal: open.principal, log });
    const door = await openChannelDoor({ ...settings.listen, channels: open.channels }).catch(async (error: unknown) => {
      await socket.close();
      throw error;
    });
    const watching = await watchAccounts({ file, options, open, log });
    const count = (await open.bridge.list()).length;
    if (options.json === true) console.log(JSON.stringify({ ready: true, url: door.url, accounts: accountsOf(open), open: count }));
    say(options, readyLine(open, { url: door.url, open: count }));
    return {
      lost,
      close: async () => {
        await watching.close();
        await door.close();
        await socket.close();
        await open.close();
      },
    };
  } catch (error) {
    await open.close();
    throw error;
  }
}

type ToWatch = { readonly file: string; readonly options: StartOptions; readonly open: OpenBridge; readonly log: Log };

/** Reads the config again when its file or `.env` changes, and on SIGHUP. A faulty one changes nothing. */
async function watchAccounts({ file, options, open, log }: ToWatch): Promise<{ readonly close: () => Promise<void> }> {
  const reload = async (): Promise<void> => {
    try {
      const next = withOptions(await loadConfig(file, { modules: CHANNEL_MODULES, env: process.env }), options);
      say(options, changeLine(await open.reload(next)));
    } catch (error) {
      log.error({ file, error: String(error) }, "config: not read again; the one before stays in force");
      say(
        options,
        `config not read again, the one before stays in force:\n${error instanceof HandraiseError ? error.detail : String(error)}`,
      );
    }
  };
  const watching = await watchConfig({ file, clock: systemClock, reload });
  const onHangup = (): void => void watching.reload();
  process.on("SIGHUP", onHangup);
  return {
    close: async () => {
      process.off("SIGHUP", onHangup);
      await watching.close();
    },
  };
}

/** "config read again: people.bob removed · needs a restart: accounts.discord added" */
export function changeLine({ applied, restart }: Pick<ConfigChange, "applied" | "restart">): string {
  const later = restart.length === 0 ? "" : ` · needs a restart: ${restart.join(", ")}`;
  return `config read again: ${applied.length === 0 ? "nothing to do" : applied.join(", ")}${later}`;
}

function withOptions(settings: BridgeSettings, { port, data }: StartOptions): BridgeSettings {
  return {
    ...settings,
    ...(port === undefined ? {} : { listen: { ...settings.listen, port } }),
    ...(data === undefined ? {} : { folder: data }),
  };
}

/** "ready: telegram @acme_bot, slack acme · http://127.0.0.1:8484 · 3 open" */
export function readyLine(
  bridge: Pick<OpenBridge, "channels" | "health">,
  { url, open }: { readonly url: string; readonly open: number },
): string {
  const states = bridge.health();
  const named = [...bridge.channels.values()].map((channel) => accountText(channel, states[channel.account]?.state));
  return `ready: ${named.join(", ")} · ${url} · ${open} open`;
}

function accountText({ account, botName }: Channel, state: string | undefined): string {
  return state === undefined || state === "up" ? `${account} ${botName}` : `${account} (${state}, still trying)`;
}

function accountsOf(bridge: OpenBridge): readonly Readonly<Record<string, unknown>>[] {
  const states = bridge.health();
  return [...bridge.channels.values()].map(({ account, kind, botName }) => ({
    account,
    kind,
    bot: botName,
    state: states[account]?.state,
  }));
}

/** Words for people go to stderr, so that stdout is for scripts (api.md, section 4). */
function say({ json }: StartOptions, line: string): void {
  if (json !== true) console.error(line);
}

/** Fires when `given` aborts; without it at the first SIGINT or SIGTERM. */
function stopSignal(given: AbortSignal | undefined): { readonly fired: Promise<undefined>; readonly end: () => void } {
  let fire: () => void = () => undefined;
  const fired = new Promise<undefined>((resolve) => {
    // Called with the signal's name, which is nobody's business.
    fire = () => resolve(undefined);
  });
  if (given === undefined) {
    process.on("SIGINT", fire);
    process.on("SIGTERM", fire);
  }
  given?.addEventListener("abort", fire, { once: true });
  if (given?.aborted === true) fire();
  return {
    fired,
    end: () => {
      process.off("SIGINT", fire);
      process.off("SIGTERM", fire);
      given?.removeEventListener("abort", fire);
    },
  };
}
