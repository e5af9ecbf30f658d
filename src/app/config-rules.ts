/**
 * What must hold between the settings of a config, once their shape is right: accounts of a kind, ids that can be people, one name
 * space, audiences that somebody is in. Pure; every fault is found at once.
 *
 * G1  Accounts: a name that is a platform's is of that kind; any other says its kind. The adapter's schema judges the rest. One that a
 *     host elsewhere serves says `remote: true` and holds no secrets here.
 * G2  People: an id per account, in the form its platform writes them; never a pseudo account that many share (B120); no id twice.
 * G3  People, roles and routes share one name space; a name has no colon, so it is never read as a place.
 *     A visitor's `until` is a date or an instant.
 * G4  A route that shows in a shared place names its audience; "anyone" also needs access.anyone (B118).
 */
import type { ChannelKind } from "../core/place.js";
import { parsePlace } from "../core/place.js";
import { EXCLUDED_PARTIES } from "../core/question.js";
import type { ChannelModule } from "../ports/channel.js";
import { ANYONE } from "../runs/audience.js";
import { didYouMean } from "../runs/nearest.js";
import { idsAreGlobal } from "../runs/people.js";
import { schemaProblems } from "./config-report.js";
import { CHANNEL_KINDS, type ConfigShape, UNTIL_REMEDY } from "./config-schema.js";
import type { ConfigProblem, SettingPath, Spot } from "./config-source.js";

/** The adapters by kind, as src/app gets them from adapters/registry.ts. */
export type ChannelModules = Readonly<Record<ChannelKind, ChannelModule<unknown>>>;
/** An account whose settings its adapter has parsed. */
export type AccountSettings = {
  readonly kind: ChannelKind;
  /** Null for an account that a host elsewhere serves. */
  readonly settings: unknown;
  readonly remote?: true;
};

/** Words of a person's entry that are not accounts. */
export const PERSON_WORDS: ReadonlySet<string> = new Set(["name", "prefers", "language", "timezone", "until", "delegate"]);

const ACCOUNT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const NAME = /^\p{L}[\p{L}\p{M}\p{N}_.-]{0,63}$/u;

/** Collects problems. */
export type Report = (path: SettingPath, code: string, message: string, at?: Spot) => void;

/** Fills `problems` by `report` calls. */
export function reporter(problems: ConfigProblem[]): Report {
  return (path, code, message, at = "key") => {
    problems.push({ path, at, code, message });
  };
}

/** G1. Accounts whose settings could be parsed; the others are reported. */
export function checkAccounts(shape: ConfigShape, by: { readonly modules: ChannelModules; readonly problems: ConfigProblem[] }) {
  const report = reporter(by.problems);
  const accounts: Record<string, AccountSettings> = {};
  const entries = Object.entries(shape.accounts);
  if (entries.length === 0) report(["accounts"], "empty", "no bot to sign in as. Add an account, or start with --simulated.", "value");
  for (const [name, { kind: written, remote, ...settings }] of entries) {
    const path = ["accounts", name];
    const kind = kindOf(name, { written, report });
    if (kind === undefined) continue;
    if (remote === true) {
      for (const key of Object.keys(settings))
        report([...path, key], "remote", `${name} is served by a host elsewhere, which has its own. Leave it out.`);
      accounts[name] = { kind, settings: null, remote };
      continue;
    }
    const parsed = by.modules[kind].settings.safeParse(settings);
    if (parsed.success) accounts[name] = { kind, settings: parsed.data };
    else {
      by.problems.push(...schemaProblems(parsed.error, { base: path, value: settings, known: () => knownOf(by.modules[kind].settings) }));
      // Further rules go on as if the account were there, so that its people are not reported as well.
      accounts[name] = { kind, settings: undefined };
    }
  }
  return accounts;
}

function kindOf(name: string, by: { readonly written: ChannelKind | undefined; readonly report: Report }): ChannelKind | undefined {
  const path = ["accounts", name];
  if (!ACCOUNT_NAME.test(name) || PERSON_WORDS.has(name)) {
    const reason = PERSON_WORDS.has(name) ? "is a setting of people" : "is no name: a letter, then letters, digits, _ and -";
    by.report(path, "account_name", `"${name}" ${reason}. Rename it.`);
    return undefined;
  }
  const named = CHANNEL_KINDS.find((kind) => kind === name);
  if (named !== undefined && by.written !== undefined && by.written !== named) {
    by.report([...path, "kind"], "account_kind", `an account called ${name} is of kind ${named}. Rename the account.`, "value");
    return undefined;
  }
  const kind = by.written ?? named;
  if (kind === undefined) by.report(path, "account_kind", `say its kind: slack, discord or telegram.${didYouMean(name, CHANNEL_KINDS)}`);
  return kind;
}

/** The settings an adapter's schema knows, where it is a plain object; [] otherwise. */
function knownOf(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null || !("shape" in schema)) return [];
  return typeof schema.shape === "object" && schema.shape !== null ? Object.keys(schema.shape) : [];
}

type Around = {
  readonly shape: ConfigShape;
  readonly accounts: Readonly<Record<string, AccountSettings>>;
  readonly modules: ChannelModules;
  readonly report: Report;
};

/** G2. */
export function checkPeople(around: Around): void {
  const people = Object.entries(around.shape.people);
  if (people.length === 0)
    around.report(["people"], "empty", "nobody could answer. Add a person with an id, such as me: { telegram: 4242 }.", "value");
  const owners = new Map<string, string>();
  for (const [name, person] of people) {
    const ids = Object.keys(person).filter((word) => !PERSON_WORDS.has(word));
    for (const word of ids) checkId(around, { name, word, id: String(person[word]), owners });
    if (ids.length === 0) around.report(["people", name], "no_id", `no chat to reach ${name}. Add an id, such as telegram: 4242.`);
    if (person.prefers !== undefined && !prefersHasId(around.accounts, { prefers: person.prefers, ids })) {
      around.report(
        ["people", name, "prefers"],
        "prefers",
        `${name} has no id for "${person.prefers}".${didYouMean(person.prefers, ids)}`,
        "value",
      );
    }
    if (person.until !== undefined && untilMsOf(person.until) === undefined)
      around.report(["people", name, "until"], "until", UNTIL_REMEDY, "value");
    if (person.timezone !== undefined) checkTimezone(around.report, { path: ["people", name, "timezone"], zone: person.timezone });
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const DAY_MS = 86_400_000;

/** The end of a visitor's time, UTC ms: a date counts to its end, an instant as it is; undefined for any other text and for days that are none. */
export function untilMsOf(text: string): number | undefined {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  if (INSTANT.test(text)) return ms;
  // `Date.parse` takes the 31st of any month and rolls it over.
  return DATE.test(text) && new Date(ms).toISOString().startsWith(text) ? ms + DAY_MS : undefined;
}

/** The word itself has an id, or it is an account of a kind whose ids are global and given once. */
function prefersHasId(
  accounts: Readonly<Record<string, AccountSettings>>,
  { prefers, ids }: { readonly prefers: string; readonly ids: readonly string[] },
): boolean {
  const kind = Object.hasOwn(accounts, prefers) ? accounts[prefers]?.kind : undefined;
  return ids.includes(prefers) || (kind !== undefined && idsAreGlobal(kind) && ids.includes(kind));
}

type IdEntry = { readonly name: string; readonly word: string; readonly id: string; readonly owners: Map<string, string> };

function checkId(around: Around, { name, word, id, owners }: IdEntry): void {
  const path = ["people", name, word];
  const kind = kindOfWord(around.accounts, word);
  if (kind === undefined) {
    const accounts = Object.keys(around.accounts);
    around.report(path, "account_unknown", `no account is called "${word}" (${accounts.join(", ")}).${didYouMean(word, accounts)}`);
    return;
  }
  const problem = around.modules[kind].userIdProblem(id);
  if (problem !== undefined) {
    around.report(path, "user_id", /[.?!]$/.test(problem) ? problem : `${problem}.`, "value");
    return;
  }
  // Where ids are global, one id is one person on every account of the kind.
  const key = `${idsAreGlobal(kind) ? kind : word} ${id}`;
  const owner = owners.get(key);
  if (owner !== undefined && owner !== name)
    around.report(path, "user_id_taken", `this id is already ${owner}'s. One id is one person.`, "value");
  owners.set(key, name);
}

function kindOfWord(accounts: Readonly<Record<string, AccountSettings>>, word: string): ChannelKind | undefined {
  if (Object.hasOwn(accounts, word)) return accounts[word]?.kind;
  return idsAreGlobal(word) && Object.values(accounts).some(({ kind }) => kind === word) ? word : undefined;
}

/** An IANA zone that this machine knows. */
export function checkTimezone(report: Report, { path, zone }: { readonly path: SettingPath; readonly zone: string }): void {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    report(path, "timezone", `no time zone is called "${zone}". Write one such as Europe/Berlin.`, "value");
  }
}

/** G3. */
export function checkNames({ shape, report }: Around): void {
  const taken = new Map<string, string>();
  const sections = [
    { section: "people", what: "person", names: Object.keys(shape.people) },
    { section: "roles", what: "role", names: Object.keys(shape.roles ?? {}) },
    { section: "routes", what: "route", names: Object.keys(shape.routes ?? {}) },
  ];
  for (const { section, what, names } of sections) {
    for (const name of names) {
      const path = [section, name];
      const other = taken.get(name);
      if (!NAME.test(name))
        report(path, "name", `"${name}" is no name: a letter, then letters, digits, _, . and -, 64 at most. Rename it.`);
      else if (name === ANYONE) report(path, "name", `"${ANYONE}" stands for everybody. Rename it.`);
      else if (EXCLUDED_PARTIES.some((party) => party === name))
        report(path, "name", `"${name}" stands for a person of a run (audience.exclude). Rename it.`);
      else if (other !== undefined)
        report(path, "name_taken", `a ${other} is already called ${name}. People, roles and routes share one name space: rename one.`);
      taken.set(name, taken.get(name) ?? what);
    }
  }
}

/** Members of roles, and the names that `access` and `defaults` point to. */
export function checkRoles({ shape, accounts, report }: Around): void {
  const { handoff = [] } = shape.access ?? {};
  for (const [index, role] of listOf(handoff).entries()) {
    const path = typeof handoff === "string" ? ["access", "handoff"] : ["access", "handoff", index];
    const known = Object.keys(shape.roles ?? {});
    if (!known.includes(role)) report(path, "role", `no role is called "${role}".${didYouMean(role, known)}`, "value");
  }
  for (const [role, members] of Object.entries(shape.roles ?? {})) {
    for (const [index, member] of members.entries()) {
      if (!Object.hasOwn(shape.people, member)) report(["roles", role, index], "member", memberProblem(shape, member), "value");
    }
  }
  const to = shape.defaults?.to;
  if (to !== undefined) {
    const problem = targetProblem({ shape, accounts, routes: true }, to);
    if (problem !== undefined) report(["defaults", "to"], "target_unknown", problem, "value");
  }
}

function memberProblem(shape: ConfigShape, member: string): string {
  if (Object.hasOwn(shape.roles ?? {}, member)) return `${member} is a role. List its people.`;
  if (parsePlace(member) !== undefined) return `${member}: platform groups cannot be read yet. List its people.`;
  return `nobody is called "${member}".${didYouMean(member, Object.keys(shape.people))}`;
}

type Names = { readonly shape: ConfigShape; readonly accounts: Readonly<Record<string, AccountSettings>>; readonly routes: boolean };

function targetProblem({ shape, accounts, routes }: Names, text: string): string | undefined {
  const isRoute = Object.hasOwn(shape.routes ?? {}, text);
  if (isRoute && !routes) return `${text} is a route. A route leads to people, roles and places.`;
  if (isRoute || Object.hasOwn(shape.people, text) || Object.hasOwn(shape.roles ?? {}, text)) return undefined;
  const place = parsePlace(text);
  if (place === undefined) {
    const names = [...Object.keys(shape.people), ...Object.keys(shape.roles ?? {})];
    return `nobody is called "${text}".${didYouMean(text, names)}`;
  }
  const account = Object.hasOwn(accounts, place.account) ? accounts[place.account] : undefined;
  if (account === undefined) {
    const known = Object.keys(accounts);
    return `no account is called "${place.account}" (${known.join(", ")}).${didYouMean(place.account, known)}`;
  }
  if (place.conversation.startsWith("@") && account.kind !== "telegram") {
    return `${text}: platform groups cannot be read yet. Name people, a role or a place.`;
  }
  return undefined;
}

/** G4. */
export function checkRoutes({ shape, accounts, report }: Around): void {
  for (const [name, route] of Object.entries(shape.routes ?? {})) {
    const targets = listOf(route.to);
    for (const [index, target] of targets.entries()) {
      const path = Array.isArray(route.to) ? ["routes", name, "to", index] : ["routes", name, "to"];
      const problem = targetProblem({ shape, accounts, routes: false }, target);
      if (problem !== undefined) report(path, "target_unknown", problem, "value");
    }
    const shared = targets.find((target) => !isName(shape, target));
    if (route.audience === undefined && shared !== undefined) {
      report(
        ["routes", name],
        "audience_missing",
        `${shared} is a shared place and no audience is named. Add one; "anyone" also needs access.anyone: true.`,
      );
    }
    if (route.audience !== undefined) checkAudience({ shape, report }, { name, written: route.audience });
  }
}

function checkAudience(
  { shape, report }: Pick<Around, "shape" | "report">,
  { name, written }: { readonly name: string; readonly written: string | readonly string[] },
): void {
  const members = listOf(written);
  for (const [index, member] of members.entries()) {
    const path = typeof written === "string" ? ["routes", name, "audience"] : ["routes", name, "audience", index];
    if (member === ANYONE) {
      if (members.length > 1) report(path, "audience", '"anyone" stands alone: leave the other names out.', "value");
      else if (shape.access?.anyone !== true) report(path, "audience", '"anyone" also needs access.anyone: true.', "value");
    } else if (Object.hasOwn(shape.routes ?? {}, member)) {
      report(path, "audience", `${member} is a route. An audience holds people and roles.`, "value");
    } else if (!isName(shape, member)) {
      report(path, "audience", audienceProblem(shape, member), "value");
    }
  }
}

function audienceProblem(shape: ConfigShape, member: string): string {
  if (parsePlace(member) !== undefined) return `${member}: platform groups cannot be read yet. Name people or roles.`;
  return `nobody is called "${member}".${didYouMean(member, [...Object.keys(shape.people), ...Object.keys(shape.roles ?? {})])}`;
}

function isName(shape: ConfigShape, text: string): boolean {
  return Object.hasOwn(shape.people, text) || Object.hasOwn(shape.roles ?? {}, text);
}

/** One name or several, as a list. */
export function listOf(names: string | readonly string[]): readonly string[] {
  return typeof names === "string" ? [names] : names;
}
