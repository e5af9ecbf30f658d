/**
 * The tables that the directory reads: accounts, people, roles and routes of a checked config, and the ids they are known by. Pure.
 *
 * D1  A person is known on an account by one id. An id given under the name of a platform where ids are global (discord,
 *     telegram) counts for every account of that kind; one given under an account's own name comes first.
 * D5  A visitor is a person with an end (`untilMs`). From that instant on they are refused everywhere; their id stays theirs, so that
 *     `anyone` does not let them in by another name.
 */
import type { ChannelKind } from "../core/place.js";
import { HandraiseError } from "../errors.js";
import type { Clock } from "../ports/clock.js";
import { didYouMean } from "./nearest.js";

/** A person of the config. `ids`: an id by the name of an account, or of a kind whose ids are global, in the order written. */
export type PersonSettings = {
  readonly name?: string;
  readonly ids: Readonly<Record<string, string>>;
  /** The account, or kind with global ids, whose direct chat is used; default: the first of `ids`. */
  readonly prefers?: string;
  readonly language?: string;
  readonly timezone?: string;
  /** A visitor's end, UTC ms: strictly before it they count. Absent: for as long as the config names them. */
  readonly untilMs?: number;
};

/** Ask options under a name. `to` names people, roles and places, never another route. */
export type RouteSettings = {
  readonly to: readonly string[];
  readonly audience?: readonly string[];
  readonly visibility?: "shared" | "private";
  /** Further ask options, as they are written in an ask: title, text, timeout, … */
  readonly options: Readonly<Record<string, unknown>>;
};

/** What the config says about access. */
export type AccessSettings = {
  readonly anyone: boolean;
  /** `excluded`: whoever started a run may not approve what it asks. Default: allowed. */
  readonly requester?: "allowed" | "excluded";
  /** Roles that may take a handoff over. Default: `operators`. */
  readonly handoff?: readonly string[];
};

/** What the directory is made from. Names are unique over people, roles and routes. */
export type DirectorySettings = {
  readonly accounts: Readonly<Record<string, { readonly kind: ChannelKind }>>;
  readonly people: Readonly<Record<string, PersonSettings>>;
  /** Names of people. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  readonly routes: Readonly<Record<string, RouteSettings>>;
  readonly access: AccessSettings;
  readonly defaults: { readonly to?: string; readonly timeout?: string; readonly language?: string; readonly timezone?: string };
};

/** A person's direct chat: the bot's account and the person's id there. */
export type Address = { readonly account: string; readonly userId: string };

/** The settings by name, and the clock that visitors' ends are compared with. */
export type Tables = {
  readonly accounts: ReadonlyMap<string, ChannelKind>;
  readonly people: ReadonlyMap<string, PersonSettings>;
  readonly roles: ReadonlyMap<string, readonly string[]>;
  readonly routes: ReadonlyMap<string, RouteSettings>;
  readonly settings: DirectorySettings;
  readonly clock: Pick<Clock, "now">;
};

/** Platforms on which a person has one id everywhere. Source: Discord snowflakes and Telegram user ids are global; Slack ids are per workspace. */
const GLOBAL_IDS: ReadonlySet<string> = new Set<ChannelKind>(["discord", "telegram"]);

/** Does an id given under this word count for all accounts of a kind (D1)? */
export function idsAreGlobal(kind: string): kind is "discord" | "telegram" {
  return GLOBAL_IDS.has(kind);
}

/** Tables over checked settings. */
export function tablesOf(settings: DirectorySettings, clock: Pick<Clock, "now">): Tables {
  return {
    accounts: new Map(Object.entries(settings.accounts).map(([name, { kind }]) => [name, kind])),
    people: new Map(Object.entries(settings.people)),
    roles: new Map(Object.entries(settings.roles)),
    routes: new Map(Object.entries(settings.routes)),
    settings,
    clock,
  };
}

/** Is this a person of the config whose time has not run out (D5)? */
export function isCurrent({ people, clock }: Tables, name: string): boolean {
  const person = people.get(name);
  return person !== undefined && (person.untilMs === undefined || clock.now() < person.untilMs);
}

/** `not_allowed`, for a visitor whose time has run out (D5). */
export function grantEnded({ people }: Tables, { name, path }: { readonly name: string; readonly path: string }): HandraiseError {
  const endedAt = new Date(people.get(name)?.untilMs ?? 0).toISOString();
  return new HandraiseError(
    "not_allowed",
    `${path}: ${name} was a visitor until ${endedAt}. Name somebody else, or give a later \`until\`.`,
  );
}

function idOn(tables: Tables, { person, account }: { readonly person: PersonSettings; readonly account: string }): string | undefined {
  const kind = tables.accounts.get(account);
  if (kind === undefined) return undefined;
  if (Object.hasOwn(person.ids, account)) return person.ids[account];
  return idsAreGlobal(kind) && Object.hasOwn(person.ids, kind) ? person.ids[kind] : undefined;
}

/** People by account and id. */
export function knownIds(tables: Tables): ReadonlyMap<string, ReadonlyMap<string, string>> {
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

/** Where a person is reached, the preferred chat first; [] for a name that is nobody's. */
export function addresses(tables: Tables, name: string): readonly Address[] {
  const person = tables.people.get(name);
  if (person === undefined) return [];
  const words = [...(person.prefers === undefined ? [] : [person.prefers]), ...Object.keys(person.ids)];
  const accounts = new Set([...words.flatMap((word) => accountsCalled(tables, word)), ...tables.accounts.keys()]);
  return [...accounts].flatMap((account) => {
    const userId = idOn(tables, { person, account });
    return userId === undefined ? [] : [{ account, userId }];
  });
}

/** `target_unknown`, with the names that are near. Routes are near only where one may stand (`to`). */
export function unknownName(tables: Tables, { text, path }: { readonly text: string; readonly path: string }): HandraiseError {
  const names = [...tables.people.keys(), ...tables.roles.keys(), ...(path === "to" ? tables.routes.keys() : [])];
  return new HandraiseError("target_unknown", `${path}: nobody is called "${text}".${didYouMean(text, names)}`, {
    issues: [{ path, code: "unknown_name", message: `nobody is called "${text}".` }],
  });
}

/** `unsupported`: who is in a platform's group cannot be read yet. */
export function groupUnsupported(path: string, text: string): HandraiseError {
  return new HandraiseError("unsupported", `${path}: ${text} is a platform's group, which cannot be read yet. Name its people, or a role.`);
}
