import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.js";
import { eventually } from "../fixtures/eventually.js";
import { KeptTerminal } from "../fixtures/kept-terminal.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";

let bridge: PaperBridge;
beforeEach(async () => {
  bridge = await openPaperBridge();
});
afterEach(() => bridge.end());

async function answered(): Promise<object> {
  const question = await bridge.bridge.ask({ to: "alice", audience: "ops", text: "Ship?", options: ["Ship", "Hold"], timeout: "1h" });
  await eventually(async () => expect(await bridge.store.copiesShown(10)).toHaveLength(1));
  await bridge.channel.press("Ship", "1");
  return question.outcome();
}
const verify = async (args: readonly string[], input = ""): Promise<{ code: number; out: string; err: string }> => {
  const terminal = new KeptTerminal({ input });
  const code = await runProgram(["proof", "verify", ...args], terminal);
  return { code, out: terminal.stdout.join("\n"), err: terminal.stderr.join("\n") };
};

describe("proof verify", () => {
  it("PR1 R6 a pressed answer's proof holds offline, from a file and from stdin, and carries no resolution id", async () => {
    const outcome = await answered();
    const file = join(bridge.folder, "outcome.json");
    await writeFile(file, JSON.stringify(outcome));
    const fromFile = await verify([file, "--data", bridge.folder]);
    expect(fromFile).toMatchObject({ code: 0, err: "" });
    expect(fromFile.out).toMatch(/^ok: signed by [\w-]{43}: .*"rule":"audience:role ops"/);
    expect(fromFile.out).toContain('"event":"telegram|');
    const fromInput = await verify(["-", "--json", "--key", join(bridge.folder, "proof.pub")], JSON.stringify(outcome));
    expect(fromInput.code).toBe(0);
    expect(JSON.parse(fromInput.out)).toMatchObject({ ok: true, statement: { status: "answered", actor: { person: "alice" } } });
    const row = await bridge.store.question(Reflect.get(outcome, "id") as never);
    expect(row?.settledBy).toMatch(/^r_/);
    expect(fromInput.out).not.toContain(String(row?.settledBy));
  });

  it("PR2 a changed outcome ends with 1, an unreadable file or key with 2", async () => {
    const outcome = await answered();
    const data = ["--data", bridge.folder];
    const forged = await verify(["-", ...data], JSON.stringify({ ...outcome, value: "Hold" }));
    expect(forged).toMatchObject({ code: 1, out: "FAIL: the signature holds, but the outcome is not what was signed" });
    expect((await verify(["-", ...data], "{}")).code).toBe(1);
    expect((await verify(["-", ...data], "no json")).code).toBe(2);
    expect((await verify([join(bridge.folder, "none"), ...data])).code).toBe(2);
    expect((await verify(["-", "--key", join(bridge.folder, "none")], "{}")).code).toBe(2);
  });
});
