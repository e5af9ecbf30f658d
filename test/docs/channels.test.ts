/** The pages of the channels against the adapters: their configs load, their remedies, scopes and numbers are those of the code. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { NEEDED_SCOPES } from "../../adapters/channels/slack/limits.js";
import { CHANNEL_MODULES } from "../../adapters/registry.js";
import { loadConfig } from "../../src/app/config.js";
import { blocks, root } from "./snippets.js";

const KINDS = ["slack", "discord", "telegram"] as const;
const page = (kind: string): Promise<string> => readFile(join(root, "docs", `${kind}.md`), "utf8");

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))));

/** The message of the fault; "" when the config is taken. */
async function configFault(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "handraise-page-"));
  folders.push(folder);
  const file = join(folder, "handraise.yaml");
  await writeFile(file, text);
  const value = (name: string): string => (name === "TELEGRAM_TOKEN" ? "4242:AAHsampleSampleSampleSampleSampleSample" : "sample");
  const env = Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, value(name)]));
  return loadConfig(file, { modules: CHANNEL_MODULES, env }).then(
    () => "",
    (error: unknown) => String(error),
  );
}

/** All code of one adapter. */
async function sourceOf(kind: string): Promise<string> {
  const path = join(root, "adapters", "channels", kind);
  const names = (await readdir(path)).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(names.map((name) => readFile(join(path, name), "utf8")));
  return texts.join("\n");
}

/** The last cells of the rows below "prints these". */
function remedies(markdown: string): readonly string[] {
  const [, table = ""] = /prints these:\n\n([\s\S]*?)\n\n/.exec(markdown) ?? [];
  return table
    .split("\n")
    .slice(2)
    .map((row) => (row.split("|").at(-2) ?? "").trim().replace(/^nothing; /, ""));
}

/** The literal with this text, whatever its `${…}` stand for. */
function isInSource(remedy: string, source: string): boolean {
  const literals = [...source.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/g)].map(
    ([, plain, template]) => plain ?? template ?? "",
  );
  return literals.some((literal) => {
    const parts = literal.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^$()|[\]{}\\]/g, "\\$&"));
    // What is left without its `${…}` must say something: a literal of variables alone would fit all.
    return parts.join("").length >= 15 && new RegExp(`^${parts.join(".+")}$`).test(remedy);
  });
}

describe.each(KINDS)("docs/%s.md", (kind) => {
  it("shows configs that load", async () => {
    const configs = blocks(await page(kind), "yaml").filter((text) => /^accounts:/m.test(text));
    expect(configs.length).toBeGreaterThanOrEqual(1);
    for (const config of configs) expect(await configFault(config)).toBe("");
  });

  it("gives the remedies that doctor prints, word for word", async () => {
    const named = remedies(await page(kind));
    const source = await sourceOf(kind);
    expect(named.length).toBeGreaterThanOrEqual(3);
    expect(named.filter((remedy) => !isInSource(remedy, source))).toEqual([]);
    expect(isInSource("Turn it off and on again.", source)).toBe(false);
  });
});

describe("docs/slack.md", () => {
  it("has every scope that doctor asks for, in the manifest and in the table", async () => {
    const text = await page("slack");
    const [manifest = ""] = blocks(text, "yaml");
    for (const { scope } of NEEDED_SCOPES) {
      expect(manifest).toContain(`- ${scope}\n`);
      expect(text).toContain(`| \`${scope}\` |`);
    }
  });
});
