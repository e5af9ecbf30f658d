import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.js";
import { runProgram } from "../../src/cli/program.js";
import { KeptTerminal } from "../fixtures/kept-terminal.js";
import { blocks, root, type ShownCommand, shownCommands } from "./snippets.js";

const DOCUMENTS = ["README.md", "CONTRIBUTING.md", ...(await below("docs", ".md"))];
const SCRIPTS = await below("examples", ".sh");

async function below(folder: string, end: string): Promise<readonly string[]> {
  const names = await readdir(join(root, folder));
  return names.filter((name) => name.endsWith(end)).map((name) => `${folder}/${name}`);
}

function text(path: string): Promise<string> {
  return readFile(join(root, path), "utf8");
}

/** Fenced shell, and commands in backticks. */
async function shellOf(path: string): Promise<readonly string[]> {
  const document = await text(path);
  if (!path.endsWith(".md")) return [document];
  const inline = [...document.matchAll(/`((?:npx )?handraise [^`]*)`/g)].map(([, command = ""]) => command);
  return [...blocks(document, "sh"), ...inline];
}

async function helpOf(command: string): Promise<string | undefined> {
  const terminal = new KeptTerminal();
  const code = await runProgram([command, "--help"], terminal);
  const help = terminal.stdout.join("\n");
  return code === EXIT.done && help.includes(`handraise ${command} `) ? help : undefined;
}

/** What a shown command has that the program does not. */
async function faultsOf({ name, options }: ShownCommand): Promise<readonly string[]> {
  const help = await helpOf(name);
  if (help === undefined) return [`no command ${name}`];
  return options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(help)).map((option) => `${name} has no ${option}`);
}

/** What bash says of the text without running it; "" when nothing. */
function syntaxFault(shell: string): string {
  try {
    execFileSync("bash", ["-n"], { input: shell, stdio: ["pipe", "ignore", "pipe"] });
    return "";
  } catch (error) {
    return String(error);
  }
}

describe("shell lines in documents and examples", () => {
  it.each([...DOCUMENTS, ...SCRIPTS])("%s: each command takes the options it is shown with", async (path) => {
    const shown = (await shellOf(path)).flatMap(shownCommands);
    const faults = await Promise.all(shown.map(faultsOf));
    expect(faults.flat()).toEqual([]);
  });

  it("finds the commands of README.md, those in a pipe and in $(…) too", async () => {
    const names = (await shellOf("README.md")).flatMap(shownCommands).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(["ask", "confirm", "wait", "cancel", "list", "doctor", "start", "demo"]));
  });

  it("can fail: an unknown command, an option of another command", async () => {
    expect(await faultsOf({ name: "forget", options: [] })).toEqual(["no command forget"]);
    const shown = shownCommands('x=$(handraise ask "Ship --it?" --within 5s --to a) && true');
    expect(shown).toEqual([{ name: "ask", options: ["--within", "--to"] }]);
    expect(await faultsOf(shown[0] ?? { name: "", options: [] })).toEqual(["ask has no --within"]);
  });

  it.each(SCRIPTS)("%s is a script that bash can read", async (path) => {
    expect(syntaxFault(await text(path))).toBe("");
    expect(syntaxFault("if true; then")).not.toBe("");
  });
});

describe("examples/deploy.sh", () => {
  let folder = "";
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** The script with a `handraise` that ends like this. */
  async function deploy(answer: { readonly prints: string; readonly code: number }): Promise<{ code: number; stdout: string }> {
    folder = await mkdtemp(join(tmpdir(), "handraise-deploy-"));
    const stub = join(folder, "handraise");
    await writeFile(stub, `#!/bin/sh\nprintf '%s\\n' '${answer.prints}'\nexit ${answer.code}\n`);
    await chmod(stub, 0o755);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}` };
    return new Promise((resolve) => {
      execFile("bash", [join(root, "examples", "deploy.sh"), "42"], { env }, (error, stdout) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout });
      });
    });
  }

  it("deploys what was answered", async () => {
    expect(await deploy({ prints: "prod", code: EXIT.done })).toEqual({ code: EXIT.done, stdout: "deploying release 42 to prod\n" });
  });

  it.each(Object.entries(EXIT).filter(([, code]) => code !== EXIT.done))("deploys nothing on %s", async (_name, code) => {
    expect(await deploy({ prints: "prod", code })).toEqual({ code, stdout: "" });
  });
});
