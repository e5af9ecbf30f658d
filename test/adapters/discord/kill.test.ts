/** kill -9 and restart: the session is resumed, and nothing that was not stored is lost. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../../../src/testing/contract/bench.js";
import { DiscordSimulator } from "../../../src/testing/sim/discord/simulator.js";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

it("B049 O49 what was received but not stored, and what came while it was dead, is taken after the restart", async () => {
  const simulator = await DiscordSimulator.start();
  const folder = mkdtempSync(join(tmpdir(), "handraise-kill-"));
  const alice = simulator.person("Alice");
  const { token, apiUrl } = simulator.account();
  const start = (held: string): { readonly child: ChildProcess; readonly said: string[] } => {
    const script = join(import.meta.dirname, "kill-child.ts");
    const child = spawn(process.execPath, ["--import", "tsx", script, token, apiUrl, join(folder, "memory.json"), held], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    const said: string[] = [];
    child.stdout?.on("data", (chunk) => said.push(...String(chunk).split("\n").filter(Boolean)));
    return { child, said };
  };
  const says = (said: readonly string[], word: string) =>
    eventually(
      word,
      () => (said.includes(word) ? true : undefined),
      () => said,
    );
  try {
    const first = start("held");
    await says(first.said, "open");
    await alice.types("before");
    await says(first.said, "stored before");
    await alice.types("held");
    await says(first.said, "holding");
    first.child.kill("SIGKILL");
    await eventually("the death of the process", () => (simulator.gateway.sockets === 0 ? true : undefined));
    await alice.types("while it was dead");
    const second = start("");
    await says(second.said, "stored held");
    await says(second.said, "stored while it was dead");
    const connections = simulator.calls
      .filter(({ method }) => method.startsWith("gateway "))
      .map(({ method, outcome }) => `${method} ${outcome}`);
    expect(connections).toEqual(["gateway IDENTIFY ok", "gateway RESUME ok"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await simulator.stop();
  }
});
