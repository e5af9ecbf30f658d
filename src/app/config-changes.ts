/**
 * What a new config means for a bridge that runs: which settings take effect at once, and which need a restart. Pure.
 *
 * Y1  People, roles, routes, access, and the defaults of an ask take effect at once; taking out an account does as well.
 * Y2  What was made at the start stays as it was made: a new account, an account's own settings (its token), the data folder, the address, the
 *     language and time zone of prompts. They are named, so that nobody takes them for done.
 */
import { isDeepStrictEqual } from "node:util";
import type { BridgeSettings } from "./config.js";

/** What follows from a new config. Lines name settings, never values. */
export type ConfigChange = {
  /** The settings to run with from now on. */
  readonly settings: BridgeSettings;
  /** Accounts to be closed. */
  readonly removed: readonly string[];
  /** What took effect: "people.bob removed", "roles.ops changed". */
  readonly applied: readonly string[];
  /** What needs a restart: "accounts.discord added". */
  readonly restart: readonly string[];
};

/** Compares the settings in force with those just read. */
export function configChange(running: BridgeSettings, next: BridgeSettings): ConfigChange {
  const accounts = Object.fromEntries(Object.entries(running.accounts).filter(([name]) => Object.hasOwn(next.accounts, name)));
  const { to, timeout } = next.defaults;
  const { language, timezone } = running.defaults;
  const defaults = {
    ...(to === undefined ? {} : { to }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(language === undefined ? {} : { language }),
    ...(timezone === undefined ? {} : { timezone }),
  };
  const accountLines = differences("accounts", running.accounts, next.accounts);
  const removed = Object.keys(running.accounts).filter((name) => !Object.hasOwn(next.accounts, name));
  const isRemoval = (line: string): boolean => line.endsWith(" removed");
  return {
    settings: { ...next, accounts, defaults, folder: running.folder, listen: running.listen },
    removed,
    applied: [
      ...accountLines.filter(isRemoval),
      ...(["people", "roles", "routes"] as const).flatMap((section) => differences(section, running[section], next[section])),
      ...differences("access", running.access, next.access),
      ...differences("defaults", running.defaults, { ...next.defaults, ...only({ language, timezone }) }),
    ],
    restart: [
      ...accountLines.filter((line) => !isRemoval(line)),
      ...differences(
        "defaults",
        only({ language, timezone }),
        only({ language: next.defaults.language, timezone: next.defaults.timezone }),
      ),
      ...differences("", { store: running.folder, listen: running.listen }, { store: next.folder, listen: next.listen }),
    ],
  };
}

function only(parts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

function differences(section: string, before: object, after: object): readonly string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    if (isDeepStrictEqual(old.get(name), now.get(name))) return [];
    const what = !now.has(name) ? "removed" : old.has(name) ? "changed" : "added";
    return [`${section === "" ? "" : `${section}.`}${name} ${what}`];
  });
}
