/** The program as a process: what a shell sees. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SocketDoor, serveSocket } from "../../src/socket/door.js";
import { eventually } from "../fixtures/eventually.js";
import { KeptLog } from "../fixtures/kept-log.js";
import { MemoryGateway } from "../fixtures/memory-gateway.js";

const FIRST = "q_00000000000000000000000000";
let folder = "";
let gateway = new MemoryGateway();
let door: SocketDoor;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "handraise-main-"));
  gateway = new MemoryGateway();
  door = await serveSocket({ folder, gateway, principal: "tester", log: new KeptLog() });
});
afterEach(async () => {
  await door.close();
  await rm(folder, { recursive: true, force: true });
});

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

function start(...args: string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, ["--import", "tsx", "src/cli/main.ts", ...args], {
    env: { ...process.env, HANDRAISE_SOCKET: folder, FORCE_COLOR: "1", TZ: "UTC" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return { child, ended: new Promise((done) => child.once("close", (code) => done({ code, stdout, stderr }))) };
}

describe("handraise, from a shell", () => {
  it("prints the answer alone on stdout, without colours in a pipe, and ends", async () => {
    const { ended } = start("ask", "Ship it?", "--option", "Ship", "--to", "alice");
    await eventually(() => expect(gateway.waiting).toBe(1), 15_000);
    gateway.answer(FIRST, "Ship");
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Ship\n" });
    expect(stderr).toContain("answered by Alice Wong, 14:03");
    expect(stderr).not.toContain("\u001b");
    await eventually(() => expect(gateway.kept.get(FIRST)?.collected).toBe(true));
  });
  it("Ctrl-C ends the waiting with 14, and the question stays open", async () => {
    const { child, ended } = start("ask", "Ship it?");
    await eventually(() => expect(gateway.waiting).toBe(1), 15_000);
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 14, stdout: "" });
    expect(stderr).toContain(`stays open; go on with: handraise wait ${FIRST}`);
    expect(gateway.kept.get(FIRST)?.record.status).toBe("open");
  });
  it("ends with the code of a wrong command", async () => {
    const { code, stdout, stderr } = await start("ask").ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("missing required argument 'text'");
  });
});
