/**
 * The directory: who is meant by a name, where people are reached, who may answer. Pure, over settings that were already checked
 * (src/app/config.ts): accounts, people, roles and routes have one source.
 *
 *   text ──resolveTarget──► person | role | route | place        one name space; a place has a colon, a name has none
 *   ask  ──applyRoutes────► ask without routes ──plan──► copies and audience
 *
 * Who is known by which id: people.ts (D1, D5). Who may answer: audience.ts (E1 to E4).
 *
 * D4  A route is ask options under a name: an ask through it may narrow its audience, never widen it.
 */
import { formatPlace, type Place, parsePlace } from "../core/place.js";
import type { Audience } from "../core/question.js";
import { HandraiseError } from "../errors.js";
import type { Clock } from "../ports/clock.js";
import type { AskPlan, AskToPlan, Directory, PlannedCopy } from "../ports/directory.js";
import { ANYONE, audienceOf, invalidAudience, judge, membersNow, membersOf } from "./audience.js";
import { didYouMean } from "./nearest.js";
import {
  type Address,
  addresses,
  type DirectorySettings,
  grantEnded,
  groupUnsupported,
  isCurrent,
  knownIds,
  type PersonSettings,
  type RouteSettings,
  type Tables,
  tablesOf,
  unknownName,
} from "./people.js";

/** What a text in `to` means. */
export type Target =
  | { readonly kind: "person"; readonly name: string }
  | { readonly kind: "role"; readonly name: string; readonly people: readonly string[] }
  | { readonly kind: "route"; readonly name: string; readonly route: RouteSettings }
  | { readonly kind: "place"; readonly place: Place };

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
  /** Is this a person of the config, and no visitor whose time has run out? */
  isCurrent(person: string): boolean;
  /** A language tag; default the config's, then "en". */
  languageOf(person: string): string;
  /** An IANA time zone; default the config's, then "UTC". */
  timezoneOf(person: string): string;
}

/**
 * The directory over checked settings. Nothing of them is read later: a changed config needs a new directory (live-directory.ts).
 * @param clock what visitors' ends are compared with.
 */
export function createDirectory(settings: DirectorySettings, clock: Pick<Clock, "now">): PeopleDirectory {
  const tables = tablesOf(settings, clock);
  const known = knownIds(tables);
  const personOf = (account: string, userId: string): string | undefined => known.get(account)?.get(userId);
  const person = (name: string): PersonSettings | undefined => tables.people.get(name);
  return {
    resolveTarget: (text) => resolveTarget(tables, text),
    accountsOf: (name) => addresses(tables, name),
    peopleOf: (role) => tables.roles.get(role) ?? [],
    personOf,
    audienceOf: (names) => audienceOf(tables, { names }),
    languageOf: (name) => person(name)?.language ?? settings.defaults.language ?? "en",
    timezoneOf: (name) => person(name)?.timezone ?? settings.defaults.timezone ?? "UTC",
    applyRoutes: (ask) => applyRoutes(tables, ask),
    plan: (ask) => plan(tables, ask),
    judge: (audience, who) => judge(tables, audience, personOf(who.account, who.userId)),
    membersNow: (audience) => membersNow(tables, audience),
    isCurrent: (name) => isCurrent(tables, name),
    displayName: (name) => person(name)?.name ?? name,
    channelOf: (account) => tables.accounts.get(account),
  };
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

function plan(tables: Tables, ask: AskToPlan): AskPlan {
  const targets = ask.to.map((text) => ({ text, target: resolveTarget(tables, text) }));
  const copies = new Map<string, PlannedCopy>();
  for (const planned of targets.flatMap(({ text, target }) => copiesOf(tables, { text, target }))) {
    const place = planned.conversation === null ? `@${planned.person}` : formatPlaceOf(planned);
    if (!copies.has(place)) copies.set(place, planned);
  }
  const { audience: written, to, ...wish } = ask;
  return { copies: [...copies.values()], audience: audienceOf(tables, { ...wish, names: written ?? impliedNames(targets) }) };
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
      return target.people.filter((name) => isCurrent(tables, name)).map((person) => directCopy(tables, { text, person }));
    case "place": {
      const { account, conversation, thread } = target.place;
      return [{ target: text, account, person: null, userId: null, conversation, thread: thread ?? null }];
    }
    case "route":
      throw routeNotAlone(target.name);
  }
}

function directCopy(tables: Tables, { text, person }: { readonly text: string; readonly person: string }): PlannedCopy {
  if (!isCurrent(tables, person)) throw grantEnded(tables, { name: person, path: "to" });
  const [address] = addresses(tables, person);
  if (address === undefined) throw new HandraiseError("unsupported", `to: ${person} has no id on any account. Add one to the config.`);
  return { target: text, ...address, person, conversation: null, thread: null };
}

/** R13: without a written audience it is the people and roles in `to`; a shared place always needs it written. */
function impliedNames(targets: readonly Asked[]): readonly string[] {
  const shared = targets.find(({ target }) => target.kind === "place");
  if (shared !== undefined) {
    throw invalidAudience(`missing. ${shared.text} is a shared place: name who may answer. "anyone" also needs access.anyone: true.`);
  }
  return targets.map(({ text }) => text);
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
  const { names, exclude } = askedAudience(asked);
  const without = (of: readonly string[]): unknown => (exclude === undefined ? of : { of, exclude });
  if (names === undefined) return { audience: exclude === undefined ? asked : without(route.audience ?? route.to) };
  const allowed = plan(tables, { to: route.to, audience: route.audience }).audience;
  if (allowed.kind === "anyone") return { audience: without(names) };
  const wanted = names.includes(ANYONE) ? [ANYONE] : names.flatMap((text) => membersOf(tables, text));
  const wider = wanted.filter((person) => !allowed.people.includes(person));
  if (wider.length > 0) {
    throw new HandraiseError(
      "not_allowed",
      `audience: the route ${name} does not let ${wider.join(", ")} answer. An ask may narrow it only.`,
    );
  }
  return { audience: without(names) };
}

/** An ask's audience in either form; nothing where it is malformed, which the schema says next. */
function askedAudience(asked: unknown): { readonly names?: readonly string[]; readonly exclude?: unknown } {
  const names = textsOf(asked);
  if (names !== undefined) return { names };
  if (typeof asked !== "object" || asked === null || !("exclude" in asked)) return {};
  const of = textsOf("of" in asked ? asked.of : undefined);
  return { exclude: asked.exclude, ...(of === undefined ? {} : { names: of }) };
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((item): item is string => typeof item === "string") ? value : undefined;
}
