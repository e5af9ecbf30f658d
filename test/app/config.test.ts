import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BridgeSettings, configOf, loadConfig, placeError } from "../../src/app/config.js";
import { configJsonSchema } from "../../src/app/config-schema.js";
import { HandraiseError } from "../../src/errors.js";
import { createDirectory } from "../../src/runs/directory.js";
import { fakeModules } from "../fixtures/channel-modules.js";

const ENV = {
  SLACK_BOT_TOKEN: "xoxb-example",
  SLACK_APP_TOKEN: "xapp-example",
  DISCORD_TOKEN: "discord-example",
  DISCORD_OSS_TOKEN: "discord-oss-example",
  TELEGRAM_TOKEN: "telegram-example",
};
const modules = fakeModules();

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "handraise-config-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function load(text: string, env: Record<string, string> = ENV): Promise<BridgeSettings> {
  const file = join(folder, "handraise.yaml");
  await writeFile(file, text);
  return loadConfig(file, { modules, env });
}

async function faults(text: string, env: Record<string, string> = ENV): Promise<string> {
  return faultOf(() => load(text, env)).then(({ detail }) => detail);
}

async function faultOf(run: () => Promise<unknown>): Promise<HandraiseError> {
  const error: unknown = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HandraiseError)) throw new Error(`expected a HandraiseError, got ${String(error)}`);
  expect(error.code).toBe("config_invalid");
  return error;
}

/** The example of api.md, section 3, as far as it is available, line for line: the expected positions are those of that page. */
const COMPANY = `accounts:                                   # the bots we sign in as
  slack: { token: "\${SLACK_BOT_TOKEN}", appToken: "\${SLACK_APP_TOKEN}" }
  discord: { token: "\${DISCORD_TOKEN}" }
  discord-oss: { kind: discord, token: "\${DISCORD_OSS_TOKEN}" }
people:                                     # read as text: no digit is lost
  alice: { name: Alice Wong, slack: U02ALICE, discord: 103412345678901234, prefers: slack }
  bob: { slack: U02BOB }
  carol: { discord: 209988776655443322, language: de }
roles:
  { release-managers: [alice, bob], ops: [alice, carol], operators: [alice] }
routes:
  deploys: { to: ["slack:#releases", "discord-oss:#ops"], audience: release-managers,
             timeout: 4h }
access: { handoff: operators, requester: excluded, anyone: false }
defaults: { timeout: 24h, language: en, timezone: Europe/Berlin }
listen: 127.0.0.1:8484
`;
const replaced = (from: string, to: string): string => {
  expect(COMPANY).toContain(from);
  return COMPANY.replace(from, to);
};

describe("the error lines of api.md, section 3", () => {
  it("names a variable that is not set", async () => {
    expect(await faults(`accounts: { telegram: { token: "\${TELEGRAM_TOKEN}" } }\npeople: { me: { telegram: 4242 } }\n`, {})).toBe(
      "handraise.yaml:1:32 accounts.telegram.token: TELEGRAM_TOKEN is not set. Export it, or put it in .env beside this file.",
    );
  });
  it("names an account that does not exist, and the nearest one", async () => {
    expect(await faults(replaced("bob: { slack: U02BOB }", "bob: { slak: U02BOB, discord: 103412345678901299 }"))).toBe(
      'handraise.yaml:7:10 people.bob.slak: no account is called "slak" (slack, discord, discord-oss). Did you mean slack?',
    );
  });
  it("names a role that bears a person's name", async () => {
    expect(await faults(replaced("release-managers: [alice, bob], ops", "alice: [bob], release-managers: [alice, bob], ops"))).toBe(
      "handraise.yaml:10:5 roles.alice: a person is already called alice. People, roles and routes share one name space: rename one.",
    );
  });
  it("B118 names a route into a shared place without an audience", async () => {
    expect(await faults(replaced(" audience: release-managers,", ""))).toBe(
      'handraise.yaml:12:3 routes.deploys: slack:#releases is a shared place and no audience is named. Add one; "anyone" also needs access.anyone: true.',
    );
  });
  it("passes on what an adapter says of its account", async () => {
    expect(await faults(replaced(`appToken: "\${SLACK_APP_TOKEN}"`, `appToken: "\${SLACK_APP_TOKEN}", signingSecret: "x"`))).toBe(
      "handraise.yaml:2:3  accounts.slack: give appToken (Socket Mode) or signingSecret (HTTP), not both.",
    );
  });
  it("refuses a config in which nobody could answer", async () => {
    expect(await faults('accounts: { telegram: { token: "t" } }\npeople: {}\n')).toBe(
      "handraise.yaml:2:9  people: nobody could answer. Add a person with an id, such as me: { telegram: 4242 }.",
    );
  });
});

describe("a config file", () => {
  it("reads the whole example, and its directory finds everybody", async () => {
    const settings = await load(COMPANY);
    expect(settings.accounts["discord-oss"]).toEqual({ kind: "discord", settings: { token: "discord-oss-example" } });
    expect(settings.folder).toBe(join(folder, "data"));
    expect(settings.listen).toEqual({ host: "127.0.0.1", port: 8484 });
    expect(settings.access).toEqual({ anyone: false, requester: "excluded", handoff: ["operators"] });
    const directory = createDirectory(settings, { now: Date.now });
    expect(directory.personOf("discord-oss", "103412345678901234")).toBe("alice");
    expect(directory.timezoneOf("alice")).toBe("Europe/Berlin");
    expect(directory.languageOf("carol")).toBe("de");
  });
  it("reads a visitor's end: a date to its end in UTC, an instant as it is written", async () => {
    const ends = async (until: string) => (await load(replaced("U02BOB }", `U02BOB, until: ${until} }`))).people["bob"]?.untilMs;
    expect(await ends("2027-01-10")).toBe(Date.parse("2027-01-11T00:00:00Z"));
    expect(await ends("2027-01-10T18:00:00+01:00")).toBe(Date.parse("2027-01-10T17:00:00Z"));
    expect(await ends("2027-01-10T18:00Z")).toBe(Date.parse("2027-01-10T18:00:00Z"));
  });
  it("reads the shortest config", async () => {
    const settings = await load(
      `accounts: { telegram: { token: "\${TELEGRAM_TOKEN}" } }\npeople: { me: { telegram: 4242 } }\ndefaults: { to: me, timeout: 24h }\n`,
    );
    expect(settings.people["me"]).toEqual({ ids: { telegram: "4242" } });
    expect(settings.defaults).toEqual({ to: "me", timeout: "24h" });
  });
  it("keeps every digit of an id that is written as a number", async () => {
    const settings = await load(COMPANY);
    expect(settings.people["alice"]?.ids["discord"]).toBe("103412345678901234");
    expect(String(Number("103412345678901234"))).not.toBe("103412345678901234");
  });
  it("takes .env beside it, and the environment before it", async () => {
    await writeFile(join(folder, ".env"), "# tokens\nexport TELEGRAM_TOKEN='from file' # here\nOTHER=\"a\\nb\"\n");
    const text = `accounts: { telegram: { token: "\${TELEGRAM_TOKEN}" } }\npeople: { me: { telegram: 4242 } }\n`;
    expect((await load(text, {})).accounts["telegram"]?.settings).toEqual({ token: "from file" });
    expect((await load(text, { TELEGRAM_TOKEN: "exported" })).accounts["telegram"]?.settings).toEqual({ token: "exported" });
  });
  it("never reads a variable's value as settings, and knows an empty one", async () => {
    const text = `accounts: { telegram: { token: "\${TELEGRAM_TOKEN}" } }\npeople: { me: { telegram: 4242 } }\n`;
    const settings = await load(text, { TELEGRAM_TOKEN: `" }, slack: { token: "x \${HOME}` });
    expect(settings.accounts).toEqual({ telegram: { kind: "telegram", settings: { token: `" }, slack: { token: "x \${HOME}` } } });
    expect(await faults(text, { TELEGRAM_TOKEN: "" })).toContain("TELEGRAM_TOKEN is empty. Export it");
    expect(
      (
        await load(
          text.replace(`\${TELEGRAM`, () => `$\${TELEGRAM`),
          {},
        )
      ).accounts["telegram"]?.settings,
    ).toEqual({
      token: `\${TELEGRAM_TOKEN}`,
    });
  });
  it("names a file that is not there, and one that is no YAML", async () => {
    const missing = await faultOf(() => loadConfig(join(folder, "none.yaml"), { modules, env: {} }));
    expect(missing.detail).toBe("none.yaml: not found. Write one as the README shows (Config file), or start with --simulated.");
    expect(await faults("accounts: { telegram: { token: x }\npeople: [\n")).toMatch(/^handraise\.yaml:\d+:\d+\s+\S.*\.$/m);
    expect(await faults("people: { a: { telegram: 1 } }\npeople: { b: { telegram: 2 } }\n")).toMatch(/^handraise\.yaml:2:1 {2}.*unique/);
  });
  it("is bounded: nested aliases do not grow without end", async () => {
    const bomb = [
      "a: &a [1,1,1,1,1,1,1,1,1,1]",
      ...["b", "c", "d", "e", "f"].map((name, i) => {
        const before = "abcdef".charAt(i);
        return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(",")}]`;
      }),
    ].join("\n");
    expect(await faults(bomb)).toContain("too many values");
  });
});

type Fault = { readonly name: string; readonly text: string; readonly line: string };
const FAULTS: readonly Fault[] = [
  { name: "an unknown section", text: `${COMPANY}acess: {}\n`, line: "handraise.yaml:17:1 acess: unknown setting. Did you mean access?" },
  {
    name: "an unknown setting of an account",
    text: replaced(`discord: { token: "\${DISCORD_TOKEN}" }`, `discord: { token: "\${DISCORD_TOKEN}", tokn: x }`),
    line: "handraise.yaml:3:41 accounts.discord.tokn: unknown setting. Did you mean token?",
  },
  {
    name: "a missing token",
    text: replaced(`discord: { token: "\${DISCORD_TOKEN}" }`, "discord: {}"),
    line: "handraise.yaml:3:3  accounts.discord.token: missing. Paste the bot's token.",
  },
  {
    name: "an account of no kind",
    text: replaced("discord-oss: { kind: discord,", "oss: {").replace(', "discord-oss:#ops"', ""),
    line: "handraise.yaml:4:3  accounts.oss: say its kind: slack, discord or telegram.",
  },
  {
    name: "an account named after another platform",
    text: replaced(`discord: { token: "\${DISCORD_TOKEN}" }`, 'discord: { kind: slack, token: "x" }'),
    line: "handraise.yaml:3:20 accounts.discord.kind: an account called discord is of kind discord. Rename the account.",
  },
  {
    name: "B120 a pseudo account that many share",
    text: 'accounts: { telegram: { token: "x" } }\npeople: { admins: { telegram: 1087968824 } }\n',
    line: "handraise.yaml:2:31 people.admins.telegram: 1087968824 is shared by many (an anonymous admin, a channel), so it can never answer. Name a person.",
  },
  {
    name: "an id of the wrong form",
    text: replaced("bob: { slack: U02BOB }", "bob: { slack: bob }"),
    line: 'handraise.yaml:7:17 people.bob.slack: "bob" is no slack id: a Slack id begins with U, such as U02ALICE.',
  },
  {
    name: "one id for two people",
    text: replaced("carol: { discord: 209988776655443322", "carol: { discord-oss: 103412345678901234"),
    line: "handraise.yaml:8:25 people.carol.discord-oss: this id is already alice's. One id is one person.",
  },
  {
    name: "a person without an id",
    text: replaced("bob: { slack: U02BOB }", "bob: { language: de }"),
    line: "handraise.yaml:7:3  people.bob: no chat to reach bob. Add an id, such as telegram: 4242.",
  },
  {
    name: "a preference for a chat the person is not in",
    text: replaced("prefers: slack", "prefers: telegram"),
    line: 'handraise.yaml:6:85 people.alice.prefers: alice has no id for "telegram".',
  },
  {
    name: "a member nobody knows",
    text: replaced("ops: [alice, carol]", "ops: [alice, carrol]"),
    line: 'handraise.yaml:10:50 roles.ops.1: nobody is called "carrol". Did you mean carol?',
  },
  {
    name: "a role within a role",
    text: replaced("ops: [alice, carol]", "ops: [operators]"),
    line: "handraise.yaml:10:43 roles.ops.0: operators is a role. List its people.",
  },
  {
    name: "a platform's group in a role",
    text: replaced("ops: [alice, carol]", 'ops: [alice, "slack:@oncall"]'),
    line: "handraise.yaml:10:50 roles.ops.1: slack:@oncall: platform groups cannot be read yet. List its people.",
  },
  {
    name: "a role without people",
    text: replaced("ops: [alice, carol]", "ops: []"),
    line: "handraise.yaml:10:37 roles.ops: names nobody. Name people, or leave it out.",
  },
  {
    name: "a person called anyone",
    text: replaced("bob: { slack: U02BOB }", "anyone: { slack: U02BOB }").replace("[alice, bob]", "[alice]"),
    line: 'handraise.yaml:7:3  people.anyone: "anyone" stands for everybody. Rename it.',
  },
  {
    name: "a name that would be read as a place",
    text: replaced("operators: [alice]", '"on:call": [alice], operators: [alice]'),
    line: 'handraise.yaml:10:58 roles.on:call: "on:call" is no name: a letter, then letters, digits, _, . and -, 64 at most. Rename it.',
  },
  {
    name: "a route to an account that does not exist",
    text: replaced('"discord-oss:#ops"', '"discord-os:#ops"'),
    line: 'handraise.yaml:12:38 routes.deploys.to.1: no account is called "discord-os" (slack, discord, discord-oss). Did you mean discord-oss?',
  },
  {
    name: "a route to itself",
    text: replaced('to: ["slack:#releases", "discord-oss:#ops"]', "to: deploys"),
    line: "handraise.yaml:12:18 routes.deploys.to: deploys is a route. A route leads to people, roles and places.",
  },
  {
    name: "anyone where access does not allow it",
    text: replaced("audience: release-managers", "audience: anyone"),
    line: 'handraise.yaml:12:69 routes.deploys.audience: "anyone" also needs access.anyone: true.',
  },
  {
    name: "a timeout without a unit",
    text: replaced("timeout: 24h", "timeout: 24"),
    line: 'handraise.yaml:15:22 defaults.timeout: write a duration like "90s", "15m", "2h" or "3d", or "none".',
  },
  {
    name: "a time zone nobody knows",
    text: replaced("Europe/Berlin", "Europe/Berln"),
    line: 'handraise.yaml:15:51 defaults.timezone: no time zone is called "Europe/Berln". Write one such as Europe/Berlin.',
  },
  {
    name: "a default target nobody knows",
    text: replaced("defaults: {", "defaults: { to: alcie,"),
    line: 'handraise.yaml:15:17 defaults.to: nobody is called "alcie". Did you mean alice?',
  },
  {
    name: "an access rule for the requester that is none",
    text: replaced("requester: excluded", "requester: no"),
    line: "handraise.yaml:14:42 access.requester: write allowed or excluded.",
  },
  {
    name: "a role for handoffs that does not exist",
    text: replaced("handoff: operators", "handoff: [operators, opps]"),
    line: 'handraise.yaml:14:32 access.handoff.1: no role is called "opps". Did you mean ops?',
  },
  {
    name: "a visitor's end on a day that is none",
    text: replaced("bob: { slack: U02BOB }", "bob: { slack: U02BOB, until: 2027-02-30 }"),
    line: "handraise.yaml:7:32 people.bob.until: write a date such as 2027-01-10 (to its end, UTC), or an instant such as 2027-01-10T18:00:00+01:00.",
  },
  {
    name: "a person called as a party of a run",
    text: replaced("operators: [alice] }", "operators: [alice], owner: [alice] }"),
    line: 'handraise.yaml:10:78 roles.owner: "owner" stands for a person of a run (audience.exclude). Rename it.',
  },
  {
    name: "PostgreSQL, which comes later",
    text: `${COMPANY}store: "postgres://localhost/handraise"\n`,
    line: "handraise.yaml:17:8 store: PostgreSQL is not available yet. Name a folder, or leave it out: SQLite in ./data.",
  },
  {
    name: "an address to listen on that is none",
    text: replaced("listen: 127.0.0.1:8484", "listen: 127.0.0.1"),
    line: "handraise.yaml:16:9 listen: write host:port, such as 127.0.0.1:8484.",
  },
  {
    name: "a quorum, which comes later and must not be without effect",
    text: replaced("audience: release-managers,", "audience: release-managers, quorum: { approvals: 2 },"),
    line: "handraise.yaml:12:87 routes.deploys.quorum: not available yet. Leave it out.",
  },
];

describe("every fault names line, setting and remedy", () => {
  it.each(FAULTS)("$name", async ({ text, line }) => {
    expect(await faults(text)).toBe(line);
  });
  it("O14 tells all faults at once, in the order of the file, each with its path", async () => {
    const text = replaced("bob: { slack: U02BOB }", "bob: { slak: U02BOB }").replace("Europe/Berlin", "Mars/Base").replace("24h", "1 day");
    const shape = await faultOf(() => load(text.replace("alice, carol", "")));
    expect(shape.issues.map(({ path }) => path)).toEqual(["roles.ops", "defaults.timeout"]);
    const names = await faultOf(() => load(text.replace("1 day", "1d")));
    expect(names.issues.map(({ path }) => path)).toEqual(["people.bob.slak", "defaults.timezone"]);
    expect(names.detail.split("\n")).toHaveLength(2);
  });
});

describe("places of a config", () => {
  it("B089 a place that its platform does not know stops the start and names the setting", async () => {
    const settings = await load(replaced("slack:#releases", "slack:#no-such"));
    expect(settings.places.map(({ text, setting, where }) => ({ text, setting, where }))).toEqual([
      { text: "slack:#no-such", setting: "routes.deploys.to.0", where: "handraise.yaml:12:19" },
      { text: "discord-oss:#ops", setting: "routes.deploys.to.1", where: "handraise.yaml:12:37" },
    ]);
    const [first] = settings.places;
    if (first === undefined) throw new Error("no place");
    expect(placeError(first, "no such channel. Invite the bot, or correct the name.").detail).toBe(
      "handraise.yaml:12:19 routes.deploys.to.0: slack:#no-such: no such channel. Invite the bot, or correct the name.",
    );
  });
});

describe("a config as an object", () => {
  const config = { accounts: { telegram: { token: "t" } }, people: { me: { telegram: "4242" } } };
  const of = (value: unknown): BridgeSettings => configOf(value, { modules, folder });
  it("gives the same settings, and counts an explicit undefined as absent", () => {
    expect(of({ ...config, store: undefined }).people).toEqual({ me: { ids: { telegram: "4242" } } });
    expect(of({ ...config, people: { me: { telegram: 4242, language: undefined } } }).people["me"]?.ids).toEqual({ telegram: "4242" });
  });
  it("names the setting without a line", async () => {
    const missing = await faultOf(async () => of({ ...config, accounts: { telegram: { token: undefined } } }));
    expect(missing.detail).toBe("accounts.telegram.token: missing. Paste the bot's token.");
    const none = await faultOf(async () => of({ accounts: config.accounts }));
    expect(none.detail).toBe("people: nobody could answer. Add a person with an id, such as me: { telegram: 4242 }.");
  });
  it("refuses a number that has lost digits", async () => {
    const lossy = await faultOf(async () => of({ ...config, people: { me: { telegram: 2 ** 60 } } }));
    expect(lossy.detail).toBe("people.me.telegram: this number has lost digits. Write the id as text, in quotes.");
  });
});

describe("the files for a new config", () => {
  it("the example starts", async () => {
    const text = await readFile(new URL("../../config/handraise.example.yaml", import.meta.url), "utf8");
    const settings = await load(text);
    expect(Object.keys(settings.accounts)).toEqual(["slack", "discord", "discord-oss", "telegram"]);
  });
  it("the JSON schema is that of the program", async () => {
    const written: unknown = JSON.parse(await readFile(new URL("../../config/handraise.schema.json", import.meta.url), "utf8"));
    expect(written).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  });
});
