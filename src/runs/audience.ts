/**
 * The audience: who may answer, fixed at ask and judged again on every path until the answer commits (R12, R13). Pure.
 *
 * E1  Fail closed (B118): an audience of nobody, an unknown name or a group that cannot be read refuses the ask.
 * E2  `anyone` is written out and allowed by `access.anyone`, or the ask is refused.
 * E3  Captured at ask: nobody joins later. Membership is read again: who was let in by a role counts only while one of those roles still
 *     names them; who was named counts while the config names them; a visitor's end counts at once (D5).
 * E4  `exclude` takes out people by name, `requester` (the run's starter) and `owner` (the session's). With `access.requester: excluded`
 *     the requester never approves, whatever the ask says. Excluded people are taken out at ask and cannot come back by a role.
 */
import { parsePlace } from "../core/place.js";
import { type Audience, EXCLUDED_PARTIES } from "../core/question.js";
import { HandraiseError } from "../errors.js";
import type { Judged, Parties } from "../ports/directory.js";
import { grantEnded, groupUnsupported, isCurrent, type Tables, unknownName } from "./people.js";

/** The word that stands for everybody in an audience; no person, role or route may bear it. */
export const ANYONE = "anyone";

/** Who is named to answer, and who is not to. */
export type AudienceWish = {
  readonly names: readonly string[];
  /** People's names, `requester`, `owner`. */
  readonly exclude?: readonly string[];
  readonly parties?: Parties;
  /** An approval is where `access.requester` counts. */
  readonly kind?: "question" | "approval";
};

/** The one function that judges an audience, on every path (R12). `person`: whose id it is, undefined for somebody unknown. */
export function judge(tables: Tables, audience: Audience, person: string | undefined): Judged {
  const allowed = allows(tables, audience, person);
  return { allowed, person: person ?? null, rule: allowed ? ruleOf(tables, audience, person) : null };
}

function ruleOf(tables: Tables, audience: Audience, person: string | undefined): string {
  if (audience.kind === "anyone" || person === undefined) return "anyone";
  const { through = {} } = audience;
  const roles = Object.hasOwn(through, person) ? (through[person] ?? []) : [];
  const role = roles.find((name) => tables.roles.get(name)?.includes(person) === true);
  return role === undefined ? `audience:person ${person}` : `audience:role ${role}`;
}

/** Whom to name as those who may answer: who was let in and still is; without any of them, who was. */
export function membersNow(tables: Tables, audience: Audience): readonly string[] {
  if (audience.kind === "anyone") return [];
  const left = audience.people.filter((person) => allows(tables, audience, person));
  return left.length === 0 ? audience.people : left;
}

function allows(tables: Tables, audience: Audience, person: string | undefined): boolean {
  if (person === undefined) return audience.kind === "anyone";
  if (!isCurrent(tables, person)) return false;
  if (audience.kind === "anyone") return audience.except?.includes(person) !== true;
  if (!audience.people.includes(person)) return false;
  const { through = {} } = audience;
  const roles = Object.hasOwn(through, person) ? through[person] : undefined;
  return roles === undefined || roles.some((role) => tables.roles.get(role)?.includes(person) === true); // E3
}

/** @throws `target_unknown`, `not_allowed`, `input_invalid`, `unsupported` (E1, E2, E4). */
export function audienceOf(tables: Tables, wish: AudienceWish): Audience {
  const excluded = excludedBy(tables, wish);
  if (wish.names.includes(ANYONE)) return anyoneAudience(tables, wish.names, excluded);
  const named = new Set<string>();
  const through = new Map<string, string[]>();
  for (const name of wish.names) {
    const role = tables.roles.get(name);
    for (const member of membersOf(tables, name)) {
      if (role === undefined) named.add(member);
      else through.set(member, [...(through.get(member) ?? []), name]);
    }
  }
  const all = [...new Set(wish.names.flatMap((name) => membersOf(tables, name)))];
  const people = all.filter((person) => !excluded.includes(person));
  if (people.length === 0) throw nobodyLeft(all, wish);
  const byRole = people.flatMap((person): [string, string[]][] => {
    const roles = through.get(person);
    return roles === undefined || named.has(person) ? [] : [[person, [...new Set(roles)]]];
  });
  return { kind: "people", people, ...(byRole.length === 0 ? {} : { through: Object.fromEntries(byRole) }) };
}

function nobodyLeft(all: readonly string[], { exclude = [] }: AudienceWish): HandraiseError {
  if (all.length === 0) return invalidAudience("names nobody. Name people or roles.");
  if (exclude.length > 0) return invalidAudience("excludes everybody it names. Name somebody else.");
  return new HandraiseError(
    "not_allowed",
    `audience: ${all.join(", ")} started this run and may not approve what it asks (access.requester: excluded). Name somebody else.`,
  );
}

/** E4: names of people. A party that is asked for and not there refuses the ask: nothing is let through by not being known. */
function excludedBy(tables: Tables, { exclude = [], parties = {}, kind }: AudienceWish): readonly string[] {
  const rule = kind === "approval" && tables.settings.access.requester === "excluded" ? parties.requester : undefined;
  const asked = exclude.map((name) => {
    const party = EXCLUDED_PARTIES.find((each) => each === name);
    if (party === undefined) return excludedPerson(tables, name);
    const person = parties[party];
    if (person === undefined)
      throw invalidAudience(`excludes the ${party}, and there is none. Ask within a run that names its owner and starter.`);
    return person;
  });
  return rule === undefined ? asked : [...asked, rule];
}

function excludedPerson(tables: Tables, name: string): string {
  if (tables.people.has(name)) return name;
  if (tables.roles.has(name)) throw invalidAudience(`exclude takes people, and ${name} is a role. Name its people.`);
  throw unknownName(tables, { text: name, path: "audience" });
}

function anyoneAudience(tables: Tables, names: readonly string[], excluded: readonly string[]): Audience {
  if (!tables.settings.access.anyone) {
    throw new HandraiseError("not_allowed", 'audience: "anyone" needs access.anyone: true in the config.');
  }
  if (names.length > 1) throw invalidAudience('"anyone" stands alone: leave the other names out.');
  return { kind: "anyone", ...(excluded.length === 0 ? {} : { except: [...new Set(excluded)].sort() }) };
}

/** The current people behind a name of an audience. @throws for what is neither a person nor a role, `not_allowed` for a visitor of the past. */
export function membersOf(tables: Tables, name: string): readonly string[] {
  if (tables.people.has(name)) {
    if (!isCurrent(tables, name)) throw grantEnded(tables, { name, path: "audience" });
    return [name];
  }
  const role = tables.roles.get(name);
  if (role !== undefined) return role.filter((person) => isCurrent(tables, person));
  if (tables.routes.has(name)) throw invalidAudience(`${name} is a route. An audience holds people and roles.`);
  const place = parsePlace(name);
  if (place === undefined) throw unknownName(tables, { text: name, path: "audience" });
  if (place.conversation.startsWith("@")) throw groupUnsupported("audience", name);
  throw invalidAudience(`${name} is a place. An audience holds people and roles.`);
}

/** `input_invalid` on `audience`. */
export function invalidAudience(message: string): HandraiseError {
  return new HandraiseError("input_invalid", `audience: ${message}`, { issues: [{ path: "audience", code: "audience", message }] });
}
