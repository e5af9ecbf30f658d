/** `proof verify`: checks a saved outcome against its signed proof. Offline: it reads two files and asks nobody. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { PUBLIC_KEYS_FILE, readPublicKeys } from "../audit/key-file.js";
import { type ProofVerdict, verifyProof } from "../audit/proof.js";
import { HandraiseError } from "../errors.js";
import { EXIT } from "./exit-codes.js";
import { paint, type Terminal } from "./terminal.js";

/** What the command line gives. `key`: a file of public keys; default: the data folder's. `file`: "-" is stdin. */
export type VerifyOptions = { readonly file: string; readonly json: boolean; readonly key?: string; readonly data?: string };

/** Adds the command. `run` carries it out and tells its failures. */
export function addProofCommands(
  program: Command,
  { terminal, run }: { readonly terminal: Terminal; readonly run: (json: boolean, work: () => Promise<number>) => Promise<void> },
): void {
  program
    .command("proof")
    .description("check signed proofs of answers")
    .command("verify")
    .argument("<file>", "a saved outcome (JSON); - reads stdin")
    .description("is this outcome exactly what the bridge signed? Works offline; 0 only when it is")
    .option("--key <file>", "the public keys: a copy of the bridge's proof.pub (default: the data folder's)")
    .option("--data <folder>", "the data folder (default: ./data)")
    .option("--json", "one line on stdout: the verdict")
    .action((file: string, { key, data, json = false }: { key?: string; data?: string; json?: boolean }) =>
      run(json, () => runVerify({ file, json, ...(key === undefined ? {} : { key }), ...(data === undefined ? {} : { data }) }, terminal)),
    );
}

/** Resolves to 0 when the proof holds, 1 when not. @throws `input_invalid` when a file cannot be read or is not JSON. */
async function runVerify({ file, json, key, data = "data" }: VerifyOptions, terminal: Terminal): Promise<number> {
  const outcome = parse(file, file === "-" ? await terminal.readInput() : await textOf(file));
  const verdict = verifyProof(outcome, await readPublicKeys(key ?? join(data, PUBLIC_KEYS_FILE)));
  if (json) terminal.out(JSON.stringify(verdict));
  else terminal.out(verdictLine(verdict, terminal));
  return verdict.ok ? EXIT.done : EXIT.failure;
}

function verdictLine(verdict: ProofVerdict, terminal: Terminal): string {
  const colour = terminal.colour && terminal.outIsScreen;
  if (!verdict.ok) return `${paint({ colour }, "bad", "FAIL")}: ${verdict.why}`;
  const { question, status, decision, at, actor, event, rule } = verdict.statement;
  const said = { question, status, decision, at, actor, event, rule };
  return `${paint({ colour }, "good", "ok")}: signed by ${verdict.kid}: ${JSON.stringify(said)}`;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new HandraiseError("input_invalid", `${file}: cannot be read. Name a file with a saved outcome, or - for stdin.`, { cause });
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HandraiseError("input_invalid", `${file}: not JSON. Save the outcome as \`handraise ask --json\` prints it.`, { cause });
  }
}
