/**
 * The directory: who is meant by a name, where people are reached, who may answer. Pure, over settings that were already checked
 * (src/app/config.ts): accounts, people, roles and routes have one source.
 *
 *   text ──resolveTarget──► person | role | route | place        one name space; a place has a colon, a name has none
 *   ask  ──applyRoutes────► ask without routes ──plan──► copies and audience
 *
 * D1  A person is known on an account by one id. An id given under the name of a platform where ids are global (discord,
 *     telegram) counts for every account of that kind; one given under an account's own name comes first.
 * D2  Fail closed (R13, B118): no audience, an empty one, an unknown name or a group that cannot be read refuses the ask.
 * D3  `anyone` is written out and allowed by `access.anyone`, or the ask is refused.
 * D4  A route is ask options under a name: an ask through it may narrow its audience, never widen it.
 */
import { type ChannelKind, formatPlace, type Place, parsePlace } from "../core/place.js";
import type { Audience } from "../core/question.js";
import { HandraiseError } from "../errors.js";
import type { AskPlan, Directory, Judged, PlannedCopy } from "../ports/directory.js";
import { didYouMean } from "./nearest.js";

/** The word that stands for everybody in an audience; no person, role or route may bear it. */
export const ANYONE = "anyone";

/** A person of the config. `ids`: an id by the name of an account, or of a kind whose ids are global, in the order written. */
export type PersonSettings = {
  readonly name?: string;
  readonly ids: Readonly<Record<string, string>>;
  /** The account, or kind with global ids, whose direct chat is used; default: the first of `ids`. */
  readonly prefers?: string;
  readonly language?: string;
  readonly timezone?: string;
};

/** Ask options under a name. `to` names people, roles and places, never another route. */
export type RouteSettings = {
  readonly to: readonly string[];
  readonly audience?: readonly string[];
  readonly visibility?: "shared" | "private";
  /** Further ask options, as they are written in an ask: title, text, timeout, … */
  readonly options: Readonly<Record<string, unknown>>;
};

/** What the directory is made from. Names are unique over people, roles and routes. */
export type DirectorySettings = {
  readonly accounts: Readonly<Record<string, { readonly kind: ChannelKind }>>;
  readonly people: Readonly<Record<string, PersonSettings>>;
  /** Names of people. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  readonly routes: Readonly<Record<string, RouteSettings>>;
  readonly access: { readonly anyone: boolean };
  readonly defaults: { readonly to?: string; readonly language?: string; readonly timezone?: string };
};

/** What a text in `to` means. */
export type Target =
  | { readonly kind: "person"; readonly name: string }
  | { readonly kind: "role"; readonly name: string; readonly people: readonly string[] }
  | { readonly kind: "route"; readonly name: string; readonly route: RouteSettings }
  | { readonly kind: "place"; readonly place: Place };

/** A person's direct chat: the bot's account and the person's id there. */
export type Address = { readonly account: string; readonly userId: string };

/** The gateway's directory, and what the rest asks of it. */
export interface PeopleDirectory extends Directory {
  /** @throws `target_unknown` with the nearest names; `unsupported` for a platform's group. */
  resolveTarget(text: string): Target;
  /** Where a person is reached, the preferred chat first; [] for a name that is nobody's. */
  accountsOf(person: string): readonly Address[];
  /** The people of a role; [] for a name that is no role. */
  peopleOf(role: string): readonly string[];
  /** The person whose id this is on this account. */
  personOf(account: string, userId: string): string | undefined;
  /** @throws `target_unknown`, `not_allowed`, `input_invalid`, `unsupported` (R13). */
  audienceOf(names: readonly string[]): Audience;
  /** A language tag; default the config's, then "en". */
  languageOf(person: string): string;
  /** An IANA time zone; default the config's, then "UTC". */
  timezoneOf(person: string): string;
}

/** Platforms on which a person has one id everywhere. Source: Discord snowflakes and Telegram user ids are global; Slack ids are per workspace. */
const GLOBAL_IDS: ReadonlySet<string> = new Set<ChannelKind>(["discord", "telegram"]);

/** Does an id given under this word count for all accounts of a kind (D1)? */
export function idsAreGlobal(kind: string): kind is "discord" | "telegram" {
  return GLOBAL_IDS.has(kind);
}

type People = ReadonlyMap<string, PersonSettings>;
type Tables = {
  readonly accounts: ReadonlyMap<string, ChannelKind>;
  readonly people: People;
  readonly roles: ReadonlyMap<string, readonly string[]>;
  readonly routes: ReadonlyMap<string, RouteSettings>;
  readonly settings: DirectorySettings;
};

/** The directory over checked settings. Nothing is read later: a changed config needs a new directory. */
export function createDirectory(settings: DirectorySettings): PeopleDirectory {
  const tables: Tables = {
    accounts: new Map(Object.entries(settings.accounts).map(([name, { kind }]) => [name, kind])),
    people: new Map(Object.entries(settings.people)),
    roles: new Map(Object.entries(settings.roles)),
    routes: new Map(Object.entries(settings.routes)),
    settings,
  };
  const known = knownIds(tables);
  const personOf = (account: string, userId: string): string | undefined => known.get(account)?.get(userId);
  const person = (name: string): PersonSettings | undefined => tables.people.get(name);
  return {
    resolveTarget: (text) => resolveTarget(tables, text),
    accountsOf: (name) => addresses(tables, name),
    peopleOf: (role) => tables.roles.get(role) ?? [],
    personOf,
    audienceOf: (names) => audienceOf(tables, names),
    languageOf: (name) => person(name)?.language ?? settings.defaults.language ?? "en",
    timezoneOf: (name) => person(name)?.timezone ?? settings.defaults.timezone ?? "UTC",
    applyRoutes: (ask) => applyRoutes(tables, ask),
    plan: (ask) => plan(tables, ask),
    judge: (audience, who) => judge(audience, personOf(who.account, who.userId)),
    displayName: (name) => person(name)?.name ?? name,
    channelOf: (account) => tables.accounts.get(account),
  };
}

/** The one function that judges an audience, on every path (R12). */
function judge(audience: Audience, person: string | undefined): Judged {
  const allowed = audience.kind === "anyone" || (person !== undefined && audience.people.includes(person));
  return { allowed, person: person ?? null };
}

function idOn(tables: Tables, { person, account }: { readonly person: PersonSettings; readonly account: string }): string | undefined {
  const kind = tables.accounts.get(account);
  if (kind === undefined) return undefined;
  if (Object.hasOwn(person.ids, account)) return person.ids[account];
  return idsAreGlobal(kind) && Object.hasOwn(person.ids, kind) ? person.ids[kind] : undefined;
}

function knownIds(tables: Tables): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const known = new Map<string, Map<string, string>>();
  for (const account of tables.accounts.keys()) {
    const ids = new Map<string, string>();
    for (const [name, person] of tables.people) {
      const id = idOn(tables, { person, account });
      if (id !== undefined) ids.set(id, name);
    }
    known.set(account, ids);
  }
  return known;
}

/** The accounts a word of a person's entry stands for: the account of that name, else all of the kind of that name. */
function accountsCalled(tables: Tables, word: string): readonly string[] {
  if (tables.accounts.has(word)) return [word];
  return idsAreGlobal(word) ? [...tables.accounts].filter(([, kind]) => kind === word).map(([name]) => name) : [];
}

function addresses(tables: Tables, name: string): readonly Address[] {
  const person = tables.people.get(name);
  if (person === undefined) return [];
  const words = [...(person.prefers === undefined ? [] : [person.prefers]), ...Object.keys(person.ids)];
  const accounts = new Set([...words.flatMap((word) => accountsCalled(tables, word)), ...tables.accounts.keys()]);
  return [...accounts].flatMap((account) => {
    const userId = idOn(tables, { person, account });
    return userId === undefined ? [] : [{ account, userId }];
  });
}

function resolveTarget(tables: Tables, text: string, path = "to"): Target {
  if (tables.people.has(text)) return { kind: "person", name: text };
  const people = tables.roles.get(text);
  if (people !== undefined) return { kind: "role", name: text, people };
  const route = tables.routes.get(text);
  if (route !== undefined) return { kind: "route", name: text, route };
  const place = parsePlace(text);
  if (place === undefined) throw unknownName(tables, { text, path });
  const kind = tables.accounts.get(place.account);
  if (kind === undefined) {
    const accounts = [...tables.accounts.keys()];
    throw new HandraiseError(
      "target_unknown",
      `${path}: no account is called "${place.account}" (${accounts.join(", ")}).${didYouMean(place.account, accounts)}`,
    );
  }
  // Telegram writes a public group or channel as @name; on the other two an @ is a group of people.
  if (place.conversation.startsWith("@") && kind !== "telegram") throw groupUnsupported(path, text);
  return { kind: "place", place };
}

function unknownName(tables: Tables, { text, path }: { readonly text: string; readonly path: string }): HandraiseError {
  const names = [...tables.people.keys(), ...tables.roles.keys(), ...(path === "to" ? tables.routes.keys() : [])];
  return new HandraiseError("target_unknown", `${path}: nobody is called "${text}".${didYouMean(text, names)}`, {
    issues: [{ path, code: "unknown_name", message: `nobody is called "${text}".` }],
  });
}

function groupUnsupported(path: string, text: string): HandraiseError {
  return new HandraiseError("unsupported", `${path}: ${text} is a platform's group, which cannot be read yet. Name its people, or a role.`);
}

function audienceOf(tables: Tables, names: readonly string[]): Audience {
  if (names.includes(ANYONE)) return anyoneAudience(tables, names);
  const people = new Set<string>();
  for (const name of names) {
    for (const member of membersOf(tables, name)) people.add(member);
  }
  if (people.size === 0) throw invalidAudience("names nobody. Name people or roles.");
  return { kind: "people", people: [...people] };
}

function anyoneAudience(tables: Tables, names: readonly string[]): Audience {
  if (!tables.settings.access.anyone) {
    throw new HandraiseError("not_allowed", 'audience: "anyone" needs access.anyone: true in the config.');
  }
  if (names.length > 1) throw invalidAudience('"anyone" stands alone: leave the other names out.');
  return { kind: "anyone" };
}

function membersOf(tables: Tables, name: string): readonly string[] {
  if (tables.people.has(name)) return [name];
  const role = tables.roles.get(name);
  if (role !== undefined) return role;
  if (tables.routes.has(name)) throw invalidAudience(`${name} is a route. An audience holds people and roles.`);
  const place = parsePlace(name);
  if (place === undefined) throw unknownName(tables, { text: name, path: "audience" });
  if (place.conversation.startsWith("@")) throw groupUnsupported("audience", name);
  throw invalidAudience(`${name} is a place. An audience holds people and roles.`);
}

function invalidAudience(message: string): HandraiseError {
  return new HandraiseError("input_invalid", `audience: ${message}`, { issues: [{ path: "audience", code: "audience", message }] });
}

function plan(tables: Tables, ask: { readonly to: readonly string[]; readonly audience: readonly string[] | undefined }): AskPlan {
  const targets = ask.to.map((text) => ({ text, target: resolveTarget(tables, text) }));
  const copies = new Map<string, PlannedCopy>();
  for (const planned of targets.flatMap(({ text, target }) => copiesOf(tables, { text, target }))) {
    const place = planned.conversation === null ? `@${planned.person}` : formatPlaceOf(planned);
    if (!copies.has(place)) copies.set(place, planned);
  }
  return { copies: [...copies.values()], audience: impliedAudience(tables, { targets, written: ask.audience }) };
}

function formatPlaceOf({ account, conversation, thread }: PlannedCopy): string {
  return formatPlace({ account, conversation: conversation ?? "", ...(thread === null ? {} : { thread }) });
}

type Asked = { readonly text: string; readonly target: Target };

function copiesOf(tables: Tables, { text, target }: Asked): readonly PlannedCopy[] {
  switch (target.kind) {
    case "person":
      return [directCopy(tables, { text, person: target.name })];
    case "role":
      return target.people.map((person) => directCopy(tables, { text, person }));
    case "place": {
      const { account, conversation, thread } = target.place;
      return [{ target: text, account, person: null, userId: null, conversation, thread: thread ?? null }];
    }
    case "route":
      throw routeNotAlone(target.name);
  }
}

function directCopy(tables: Tables, { text, person }: { readonly text: string; readonly person: string }): PlannedCopy {
  const [address] = addresses(tables, person);
  if (address === undefined) throw new HandraiseError("unsupported", `to: ${person} has no id on any account. Add one to the config.`);
  return { target: text, ...address, person, conversation: null, thread: null };
}

/** R13: the written audience; else the people and roles in `to`; a shared place always needs it written. */
function impliedAudience(
  tables: Tables,
  { targets, written }: { readonly targets: readonly Asked[]; readonly written: readonly string[] | undefined },
): Audience {
  if (written !== undefined) return audienceOf(tables, written);
  const shared = targets.find(({ target }) => target.kind === "place");
  if (shared !== undefined) {
    throw invalidAudience(`missing. ${shared.text} is a shared place: name who may answer. "anyone" also needs access.anyone: true.`);
  }
  return audienceOf(
    tables,
    targets.map(({ text }) => text),
  );
}

function routeNotAlone(name: string): HandraiseError {
  const message = `${name} is a route and stands alone. Ask once per route.`;
  return new HandraiseError("input_invalid", `to: ${message}`, { issues: [{ path: "to", code: "route_not_alone", message }] });
}

type Ask = Readonly<Record<string, unknown>>;

/** D4. An ask that names no route, or is malformed, comes back as it is: the schema judges it next. */
function applyRoutes(tables: Tables, ask: Ask): Ask {
  const asked = textsOf(ask["to"] ?? tables.settings.defaults.to);
  const name = asked?.find((text) => tables.routes.has(text));
  const route = name === undefined ? undefined : tables.routes.get(name);
  if (asked === undefined || name === undefined || route === undefined) return ask;
  if (asked.length > 1) throw routeNotAlone(name);
  if (route.visibility === "private" && ask["visibility"] === "shared") {
    throw new HandraiseError("not_allowed", `visibility: the route ${name} is private.`);
  }
  const { timeout, ...options } = route.options;
  return {
    ...options,
    ...(timeout === undefined || ask["expiresAt"] !== undefined ? {} : { timeout }),
    ...(route.visibility === undefined ? {} : { visibility: route.visibility }),
    ...ask,
    to: [...route.to],
    ...narrowedAudience(tables, { name, route, asked: ask["audience"] }),
  };
}

function narrowedAudience(
  tables: Tables,
  { name, route, asked }: { readonly name: string; readonly route: RouteSettings; readonly asked: unknown },
): { readonly audience?: unknown } {
  const own = route.audience === undefined ? {} : { audience: [...route.audience] };
  if (asked === undefined) return own;
  const names = textsOf(asked);
  if (names === undefined) return { audience: asked };
  const allowed = plan(tables, { to: route.to, audience: route.audience }).audience;
  if (allowed.kind === "anyone") return { audience: names };
  const wanted = names.includes(ANYONE) ? [ANYONE] : names.flatMap((text) => membersOf(tables, text));
  const wider = wanted.filter((person) => !allowed.people.includes(person));
  if (wider.length > 0) {
    throw new HandraiseError(
      "not_allowed",
      `audience: the route ${name} does not let ${wider.join(", ")} answer. An ask may narrow it only.`,
    );
  }
  return { audience: names };
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((item): item is string => typeof item === "string") ? value : undefined;
}
