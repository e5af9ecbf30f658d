import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../src/errors.js";
import { DELIVERY_CODES } from "../../src/ports/channel.js";
import {
  changelogFaults,
  commandFaults,
  commandLine,
  dependencyDocFaults,
  errorDocFaults,
  fileFaults,
  scriptFaults,
} from "./rules/docs.js";
import { repository, sample } from "./rules/tree.js";

describe("error codes", () => {
  const table = { lost: { http: 404, retry: "never" } };
  const doc = (errors: string, deliveries = "### `blocked`\n\nx\n"): ReturnType<typeof sample> =>
    sample({ "docs/errors.md": `# Errors\n\n## Error codes\n\n${errors}\n## Delivery codes\n\n${deliveries}` });
  const lost = "### `lost`\n\nHTTP 404. Retry: never.\n";

  it("each has one entry in docs/errors.md, and each entry is a code", () => {
    expect(errorDocFaults(repository(), ERROR_CODES, DELIVERY_CODES)).toEqual([]);
  });

  it("can fail: missing, unknown, twice, wrong number, missing delivery code", () => {
    expect(errorDocFaults(doc(lost), table, ["blocked"])).toEqual([]);
    expect(errorDocFaults(doc(""), table, ["blocked"])).toHaveLength(1);
    expect(errorDocFaults(doc(`${lost}### \`found\`\n`), table, ["blocked"])).toHaveLength(1);
    expect(errorDocFaults(doc(lost + lost), table, ["blocked"])).toHaveLength(1);
    expect(errorDocFaults(doc(lost.replace("404", "410")), table, ["blocked"])).toHaveLength(1);
    expect(errorDocFaults(doc(lost, ""), table, ["blocked"])).toHaveLength(1);
    expect(errorDocFaults(doc(lost), table, [])).toHaveLength(1);
  });
});

describe("dependencies", () => {
  const tree = (rows: string): ReturnType<typeof sample> =>
    sample({ "package.json": '{"dependencies":{"zod":"1"}}', "docs/dependencies.md": rows });

  it("each has a reason in docs/dependencies.md, and each reason a dependency", () => {
    expect(dependencyDocFaults(repository())).toEqual([]);
  });

  it("can fail: no row, a row too many, no reason, two rows", () => {
    const row = "| `zod` | parses every input |\n";
    expect(dependencyDocFaults(tree(row))).toEqual([]);
    expect(dependencyDocFaults(tree(""))).toHaveLength(1);
    expect(dependencyDocFaults(tree(`${row}| \`left-pad\` | pads on the left |\n`))).toHaveLength(1);
    expect(dependencyDocFaults(tree("| `zod` | |\n"))).toHaveLength(1);
    expect(dependencyDocFaults(tree(row + row))).toHaveLength(1);
  });
});

describe("files that documents name", () => {
  it("are there", () => {
    expect(fileFaults(repository())).toEqual([]);
  });

  it.each([
    ["a path in backticks", { "README.md": "see `src/core/gone.ts`" }],
    ["a folder in backticks", { "docs/a.md": "see `src/gone/`" }],
    ["a pattern that fits nothing", { "docs/a.md": "see `test/torture/*.torture.ts`" }],
    ["a link", { "docs/a.md": "see [it](gone.md#top)" }],
    ["a comment in code", { "src/core/a.ts": "/** More in docs/gone.md. */" }],
  ])("can fail: %s", (_what, files: Record<string, string>) => {
    expect(fileFaults(sample(files))).toHaveLength(1);
  });

  it("finds files, folders, patterns, links", () => {
    const good = {
      "docs/a.md":
        "`src/core/a.ts` `src/core/` `src/core` `src/<room>/a.ts` `src/{core,ports}/*.ts` [b](b.md) [c](../README.md#x) [d](https://example.com)",
      "docs/b.md": "",
      "README.md": "",
      "src/core/a.ts": 'const notAComment = "src/core/gone.ts";',
    };
    expect(fileFaults(sample(good))).toEqual([]);
  });
});

describe("npm scripts that documents name", () => {
  it("are there", () => {
    expect(scriptFaults(repository())).toEqual([]);
  });

  it("can fail: a script that is gone", () => {
    const tree = { "package.json": '{"scripts":{"test":"x"}}', "README.md": "npm ci && npm test\nnpm run gone\nnpm ci && npm start" };
    expect(scriptFaults(sample(tree))).toHaveLength(2);
  });
});

describe("commands that documents name", () => {
  const cli = { "src/cli/program.ts": 'program.command("ask <text>").option("--to <name...>", "who").option("-j, --json");' };

  it("are there, with their options", () => {
    expect(commandFaults(repository())).toEqual([]);
  });

  it("reads what the command line declares", () => {
    const { commands, options } = commandLine(sample(cli));
    expect([...commands]).toEqual(["ask"]);
    expect([...options]).toEqual(["--to", "--json", "--help", "--version"]);
  });

  it("can fail: an unknown command, an unknown option", () => {
    expect(commandFaults(sample({ ...cli, "README.md": 'handraise ask "x" --to a --json' }))).toEqual([]);
    expect(commandFaults(sample({ ...cli, "README.md": "npx handraise forget" }))).toHaveLength(1);
    expect(commandFaults(sample({ ...cli, "README.md": "use `handraise ask --for bob`" }))).toHaveLength(1);
  });
});

describe("the changelog", () => {
  it("has what is unreleased on top", () => {
    expect(changelogFaults(repository())).toEqual([]);
  });

  it("can fail: a release on top, no changelog", () => {
    expect(changelogFaults(sample({ "CHANGELOG.md": "# Changelog\n\n## 1.0.0\n\n## Unreleased\n" }))).toHaveLength(1);
    expect(changelogFaults(sample({}))).toHaveLength(1);
  });
});
