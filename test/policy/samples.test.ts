/** Every sample of a config, in config/ and in the documents, is one that the bridge takes. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHANNEL_MODULES } from "../../adapters/registry.js";
import { loadConfig } from "../../src/app/config.js";
import { pick, repository } from "./rules/tree.js";

/** One sample: where it stands, and its text. */
type Sample = readonly [where: string, text: string];

/** The yaml blocks of one document, by the line they begin on. Files for other programs say so by a first line `# not ours`. */
function yamlBlocks(path: string, text: string): Sample[] {
  return [...text.matchAll(/^```yaml[^\n]*\n([\s\S]*?)^```/gm)]
    .filter(([, body = ""]) => /^(accounts|people|defaults):/m.test(body))
    .map((match) => [`${path}:${text.slice(0, match.index).split("\n").length}`, match[1] ?? ""]);
}

const SAMPLES: readonly Sample[] = [
  ...pick(repository(), /^config\/.*\.example\.yaml$/),
  ...pick(repository(), /^(README\.md|docs\/.*\.md)$/).flatMap(([path, text]) => yamlBlocks(path, text)),
];

/** A value of the right form for a variable: its name says what it is for. */
function sampleValue(variable: string): string {
  if (variable.includes("TELEGRAM")) return "4242:AAHsampleSampleSampleSampleSampleSample";
  if (variable.includes("SLACK_BOT")) return "xoxb-sample";
  if (variable.includes("SLACK_APP")) return "xapp-sample";
  return "sample";
}

describe("samples of a config", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "handraise-samples-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function faultsOf(text: string): Promise<string> {
    const file = join(folder, "handraise.yaml");
    await writeFile(file, text);
    const env = Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, sampleValue(name)]));
    return loadConfig(file, { modules: CHANNEL_MODULES, env }).then(
      () => "",
      (error: unknown) => String(error),
    );
  }

  it("there is one in config", () => {
    expect(SAMPLES.map(([where]) => where)).toContain("config/handraise.example.yaml");
  });

  it.each(SAMPLES)("%s is taken", async (_where, text) => {
    expect(await faultsOf(text)).toBe("");
  });

  it("can fail: an option that does not exist", async () => {
    expect(await faultsOf("accounts: { telegram: { token: x } }\npeople: { me: { telegram: 4242 } }\ncolour: red\n")).toContain("colour");
  });
});
