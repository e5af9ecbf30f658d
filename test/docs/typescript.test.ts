import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { type Simulation, simulate } from "../../src/testing/simulate.js";
import { blocks, projectWith, root } from "./snippets.js";

const run = promisify(execFile);
/** Compilers and programs of their own start slowly on a busy machine. */
const PATIENCE_MS = 90_000;
const COMPILER = join(root, "node_modules", "typescript-native", "bin", "tsc");
const readme = await readFile(join(root, "README.md"), "utf8");
const snippets = blocks(readme, "ts");
const testing = blocks(await readFile(join(root, "docs", "testing.md"), "utf8"), "ts");

let folder = "";
let chats: Simulation | undefined;
afterEach(async () => {
  await chats?.stop();
  chats = undefined;
  if (folder !== "") await rm(folder, { recursive: true, force: true });
  folder = "";
});

/** What the compiler says of these files; "" when nothing. */
async function faults(files: Readonly<Record<string, string>>): Promise<string> {
  folder = await projectWith(files);
  const said = await run(process.execPath, [COMPILER, "-p", folder], { cwd: folder }).catch((error: unknown) => error);
  return typeof said === "object" && said !== null && "stdout" in said ? String(said.stdout) : String(said);
}

/** A config file for the simulated chats, in the place where the program looks for it. */
async function withAlice(): Promise<Simulation> {
  chats = await simulate({ people: ["alice"] });
  await writeFile(join(folder, "handraise.yaml"), JSON.stringify({ ...chats.config, store: "data" }));
  return chats;
}

/** Where Vitest finds the package: these sources. */
function vitestConfig(): string {
  const alias = [
    { find: /^handraise$/.source, file: "index.ts" },
    { find: /^handraise\/testing$/.source, file: "testing/index.ts" },
  ].map(({ find, file }) => `{ find: /${find}/, replacement: ${JSON.stringify(join(root, "src", file))} }`);
  return `export default { resolve: { alias: [${alias.join(", ")}] } };`;
}

function runFile(name: string): Promise<{ readonly stdout: string }> {
  return run(process.execPath, ["--import", "tsx", name], {
    cwd: folder,
    env: { ...process.env, HANDRAISE_LOG: "silent" },
    timeout: 30_000,
  });
}

describe("TypeScript in README.md", { timeout: PATIENCE_MS }, () => {
  it("compiles at the strictest settings, every snippet", async () => {
    expect(snippets.length).toBeGreaterThanOrEqual(3);
    expect(await faults(Object.fromEntries(snippets.map((text, index) => [`snippet-${index + 1}.ts`, text])))).toBe("");
  });

  it("can fail: a misspelt property of the first snippet", async () => {
    const misspelt = (snippets[0] ?? "").replace("options:", "option:");
    expect(await faults({ "snippet.ts": misspelt })).toContain("no such property: option");
  });

  it("the first one runs: a person presses, the program prints what they chose", async () => {
    folder = await projectWith({ "snippet.ts": snippets[0] ?? "" });
    const simulation = await withAlice();
    const program = runFile("snippet.ts");
    await simulation.person("alice").press("staging", { withinMs: 45_000 });
    expect((await program).stdout).toBe("alice chose staging\n");
  });

  it("the one on testing runs by itself", async () => {
    const text = snippets.find((snippet) => snippet.includes("handraise/testing")) ?? "";
    folder = await projectWith({ "snippet.ts": text });
    expect((await runFile("snippet.ts")).stdout).toBe("answered\n");
  });
});

describe("TypeScript in docs/testing.md", { timeout: PATIENCE_MS }, () => {
  it("compiles at the strictest settings, every snippet", async () => {
    expect(testing.length).toBeGreaterThanOrEqual(2);
    expect(await faults(Object.fromEntries(testing.map((text, index) => [`snippet-${index + 1}.ts`, text])))).toBe("");
  });

  it("the one on faults runs: a lost response shows no second prompt", async () => {
    folder = await projectWith({ "snippet.ts": testing.find((text) => text.includes("faults.on")) ?? "" });
    expect((await runFile("snippet.ts")).stdout).toBe("answered 1\n");
  });

  it("the first test passes in Vitest", async () => {
    folder = await projectWith({ "first.test.ts": testing[0] ?? "", "vitest.config.ts": vitestConfig() });
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const said = await run(process.execPath, [vitest, "run", "--root", folder], { cwd: folder, timeout: 60_000 });
    expect(said.stdout).toContain("1 passed");
  });
});

describe("examples/ask.ts", { timeout: PATIENCE_MS }, () => {
  it("runs: a person types a reply, the program prints it", async () => {
    folder = await projectWith({ "ask.ts": await readFile(join(root, "examples", "ask.ts"), "utf8") });
    const simulation = await withAlice();
    const program = runFile("ask.ts");
    const prompt = await simulation.person("alice").waitsFor(({ from }) => from === "bot", { withinMs: 45_000 });
    await simulation.person("alice").types("prod", { replyTo: prompt });
    expect((await program).stdout).toBe("alice chose prod\n");
  });
});
