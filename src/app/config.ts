/**
 * The config: from a file or an object to settings that every other room can trust. It decides what starts and what does not;
 * every fault is found at once and named with its line, its setting and what to do.
 *
 *   text ──yamlSource──► values, positions ──configSchema──► shape ──rules──► BridgeSettings
 *
 * Places are only read here; whether `#releases` exists is the platform's to say. The app asks at start, by `places`, and stops with
 * `placeError` where one is not found (B089).
 */
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Place } from "../core/place.js";
import { parsePlace } from "../core/place.js";
import { HandraiseError } from "../errors.js";
import type { DirectorySettings, PersonSettings, RouteSettings } from "../runs/people.js";
import { configError, positionText, schemaProblems, settingName } from "./config-report.js";
import {
  type AccountSettings,
  type ChannelModules,
  checkAccounts,
  checkNames,
  checkPeople,
  checkRoles,
  checkRoutes,
  checkTimezone,
  listOf,
  PERSON_WORDS,
  type Report,
  reporter,
  untilMsOf,
} from "./config-rules.js";
import { type ConfigShape, configSchema, knownSettings, LATER_SETTINGS } from "./config-schema.js";
import { type ConfigProblem, type ConfigSource, objectSource, type SettingPath, yamlSource } from "./config-source.js";
import { parseEnvFile } from "./env-file.js";

export type { AccountSettings, ChannelModules } from "./config-rules.js";

/** Where `handraise` looks when no file is named. */
export const CONFIG_FILE = "handraise.yaml";
/** The data folder when `store` is left out, beside the config. */
export const DATA_FOLDER = "data";
/** Who takes a handoff over where `access.handoff` is left out. */
const HANDOFF_ROLE = "operators";
const LISTEN_DEFAULT = { host: "127.0.0.1", port: 8484 };
const FILE_MAX_BYTES = 1_048_576;

/** A place that the config names, to be looked up at start (B089). */
export type ConfiguredPlace = {
  readonly place: Place;
  /** As written: "slack:#releases". */
  readonly text: string;
  /** `routes.deploys.to.0`. */
  readonly setting: string;
  /** `handraise.yaml:12:18`; undefined for a config given as an object. */
  readonly where: string | undefined;
};

/** A config that was checked. */
export type BridgeSettings = DirectorySettings & {
  readonly accounts: Readonly<Record<string, AccountSettings>>;
  readonly defaults: { readonly to?: string; readonly timeout?: string; readonly language?: string; readonly timezone?: string };
  /** The data folder, absolute. */
  readonly folder: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly places: readonly ConfiguredPlace[];
};

/**
 * Reads a config file, and `.env` beside it.
 * @param options.env the process's environment; it beats the `.env` file.
 * @throws `config_invalid`, with one line and one issue per fault.
 */
export async function loadConfig(
  file: string,
  options: { readonly modules: ChannelModules; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<BridgeSettings> {
  const name = basename(file);
  const folder = dirname(resolve(file));
  const text = await readText(file, name);
  const beside = parseEnvFile(await readFile(join(folder, ".env"), "utf8").catch(() => ""));
  const variable = (key: string): string | undefined => options.env[key] ?? beside.get(key);
  return settingsFrom(yamlSource(text, { file: name, variable }), { modules: options.modules, folder });
}

/**
 * The same from an object, which is not expanded: `${NAME}` stays as it is.
 * @param options.folder what a relative `store` is relative to.
 * @throws `config_invalid`.
 */
export function configOf(config: unknown, options: { readonly modules: ChannelModules; readonly folder: string }): BridgeSettings {
  return settingsFrom(objectSource(config), options);
}

/** The error for a place that its platform does not know: stops the start, names the setting (B089). */
export function placeError({ setting, where, text }: ConfiguredPlace, reason: string): HandraiseError {
  const message = `${text}: ${reason}`;
  return new HandraiseError("config_invalid", `${where === undefined ? "" : `${where} `}${setting}: ${message}`, {
    issues: [{ path: setting, code: "place", message }],
  });
}

async function readText(file: string, name: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const reason = missing ? "not found. Write one as the README shows (Config file), or start with --simulated." : "cannot be read.";
    throw new HandraiseError("config_invalid", `${name}: ${reason}`, { facts: { file }, cause });
  });
  if (bytes.length > FILE_MAX_BYTES) throw new HandraiseError("config_invalid", `${name}: longer than 1 MiB.`, { facts: { file } });
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

type Surroundings = { readonly modules: ChannelModules; readonly folder: string };

function settingsFrom(source: ConfigSource, { modules, folder }: Surroundings): BridgeSettings {
  if (source.problems.some(({ position }) => position !== undefined)) throw configError(source, source.problems);
  const problems: ConfigProblem[] = [...source.problems];
  const report = reporter(problems);
  const value = withoutLater(source.value, { path: [], report });
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) {
    problems.push(...schemaProblems(parsed.error, { base: [], value, known: knownSettings }));
    throw configError(source, problems);
  }
  const shape = parsed.data;
  const accounts = checkAccounts(shape, { modules, problems });
  const around = { shape, accounts, modules, report };
  checkPeople(around);
  checkNames(around);
  checkRoles(around);
  checkRoutes(around);
  const zone = shape.defaults?.timezone;
  if (zone !== undefined) checkTimezone(report, { path: ["defaults", "timezone"], zone });
  const stored = storeFolder(shape.store, { folder, report });
  const listen = listenAddress(shape.listen, report);
  if (problems.length > 0) throw configError(source, problems);
  return { ...directoryParts(shape), ...bridgeParts(shape), accounts, folder: stored, listen, places: configuredPlaces(shape, source) };
}

/** Settings of later issues are refused by name, and taken out so that the schema does not report them again. */
function withoutLater(value: unknown, at: { readonly path: SettingPath; readonly report: Report }): unknown {
  const { path, report } = at;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const matching = LATER_SETTINGS.filter((later) => path.every((step, index) => later[index] === "*" || later[index] === step));
  if (matching.length === 0) return value;
  const kept = Object.entries(value).filter(([key]) => {
    const isLater = matching.some((later) => later.length === path.length + 1 && later[path.length] === key);
    if (isLater) report([...path, key], "unsupported", "not available yet. Leave it out.");
    return !isLater;
  });
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutLater(item, { path: [...path, key], report })]));
}

function storeFolder(store: string | undefined, { folder, report }: { readonly folder: string; readonly report: Report }): string {
  if (store !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(store)) {
    const postgres = /^postgres(ql)?:/i.test(store);
    const reason = postgres ? "PostgreSQL is not available yet" : "this kind of store is not known";
    report(["store"], "store", `${reason}. Name a folder, or leave it out: SQLite in ./${DATA_FOLDER}.`, "value");
  }
  return resolve(folder, store ?? DATA_FOLDER);
}

const LISTEN = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/;

function listenAddress(listen: string | undefined, report: Report): { readonly host: string; readonly port: number } {
  if (listen === undefined) return LISTEN_DEFAULT;
  const [, six, host, digits] = LISTEN.exec(listen) ?? [];
  const port = Number(digits);
  const address = six ?? host;
  if (address === undefined || !(port <= 65_535)) {
    report(["listen"], "listen", "write host:port, such as 127.0.0.1:8484.", "value");
    return LISTEN_DEFAULT;
  }
  return { host: address, port };
}

function directoryParts(shape: ConfigShape): Pick<BridgeSettings, "people" | "roles" | "routes"> {
  const people = Object.entries(shape.people).map(([name, person]): [string, PersonSettings] => {
    const ids = Object.entries(person).filter(([word]) => !PERSON_WORDS.has(word));
    const untilMs = person.until === undefined ? undefined : untilMsOf(person.until);
    return [
      name,
      {
        ids: Object.fromEntries(ids.map(([word, id]) => [word, String(id)])),
        ...(person.name === undefined ? {} : { name: person.name }),
        ...(person.prefers === undefined ? {} : { prefers: person.prefers }),
        ...(person.language === undefined ? {} : { language: person.language }),
        ...(person.timezone === undefined ? {} : { timezone: person.timezone }),
        ...(untilMs === undefined ? {} : { untilMs }),
      },
    ];
  });
  const routes = Object.entries(shape.routes ?? {}).map(([name, route]): [string, RouteSettings] => {
    const { to, audience, visibility, ...options } = route;
    return [
      name,
      {
        to: listOf(to),
        options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
        ...(audience === undefined ? {} : { audience: listOf(audience) }),
        ...(visibility === undefined ? {} : { visibility }),
      },
    ];
  });
  return { people: Object.fromEntries(people), roles: shape.roles ?? {}, routes: Object.fromEntries(routes) };
}

function bridgeParts({ access, defaults }: ConfigShape): Pick<BridgeSettings, "access" | "defaults"> {
  return {
    access: {
      anyone: access?.anyone ?? false,
      requester: access?.requester ?? "allowed",
      handoff: listOf(access?.handoff ?? HANDOFF_ROLE),
    },
    defaults: {
      ...(defaults?.to === undefined ? {} : { to: defaults.to }),
      ...(defaults?.timeout === undefined ? {} : { timeout: defaults.timeout }),
      ...(defaults?.language === undefined ? {} : { language: defaults.language }),
      ...(defaults?.timezone === undefined ? {} : { timezone: defaults.timezone }),
    },
  };
}

function configuredPlaces(shape: ConfigShape, source: ConfigSource): readonly ConfiguredPlace[] {
  const written: { readonly path: SettingPath; readonly text: string }[] = [];
  for (const [name, { to }] of Object.entries(shape.routes ?? {})) {
    if (typeof to === "string") written.push({ path: ["routes", name, "to"], text: to });
    else written.push(...to.map((text, index) => ({ path: ["routes", name, "to", index], text })));
  }
  const to = shape.defaults?.to;
  if (to !== undefined) written.push({ path: ["defaults", "to"], text: to });
  return written.flatMap(({ path, text }) => {
    const place = parsePlace(text);
    const where = source.file === undefined ? undefined : `${source.file}:${positionText(source.where(path, "value"))}`;
    return place === undefined ? [] : [{ place, text, setting: settingName(path), where }];
  });
}
