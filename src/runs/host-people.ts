/**
 * What a host on another machine may know of the directory (`host.directory`): everybody's name and roles, because prompts and notices
 * speak of them, and ids on its own accounts alone.
 */
import { createHash } from "node:crypto";
import type { HostDirectory, HostPeople } from "../ports/host-wire.js";
import { addresses, type DirectorySettings, tablesOf } from "./people.js";

/** The answer to `host.directory`. Its generation is a digest of what it says, so that it outlives a restart of the gateway. */
export function hostDirectory(
  settings: DirectorySettings,
  asked: { readonly accounts: readonly string[]; readonly generation?: string },
): HostDirectory {
  const people = hostPeople(settings, asked.accounts);
  const generation = createHash("sha256").update(JSON.stringify(people), "utf8").digest("hex").slice(0, 32);
  return { generation, people: generation === asked.generation ? null : people };
}

function hostPeople(settings: DirectorySettings, accounts: readonly string[]): HostPeople {
  // Who is current is for the host to say at the time of an input, by `untilMs`; no clock is asked here.
  const tables = tablesOf(settings, { now: () => 0 });
  const named = accounts.filter((account) => tables.accounts.has(account));
  const people = Object.entries(settings.people).map(([name, person]) => {
    const ids = addresses(tables, name).filter(({ account }) => named.includes(account));
    const known = {
      ids: Object.fromEntries(ids.map(({ account, userId }) => [account, userId])),
      ...(person.name === undefined ? {} : { name: person.name }),
      ...(person.language === undefined ? {} : { language: person.language }),
      ...(person.timezone === undefined ? {} : { timezone: person.timezone }),
      ...(person.untilMs === undefined ? {} : { untilMs: person.untilMs }),
    };
    return [name, known] as const;
  });
  const { language, timezone } = settings.defaults;
  return {
    accounts: Object.fromEntries(
      Object.entries(settings.accounts)
        .filter(([account]) => named.includes(account))
        .map(([account, { kind }]) => [account, { kind }]),
    ),
    people: Object.fromEntries(people),
    roles: settings.roles,
    access: { anyone: settings.access.anyone },
    defaults: { ...(language === undefined ? {} : { language }), ...(timezone === undefined ? {} : { timezone }) },
  };
}
