import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT_OF_ERROR } from "../../src/cli/exit-codes.js";
import { runProgram } from "../../src/cli/program.js";
import type { StoredOutcome } from "../../src/core/outcome.js";
import { ERROR_CODES, HandraiseError } from "../../src/errors.js";
import { type SocketDoor, serveSocket } from "../../src/socket/door.js";
import { eventually } from "../fixtures/eventually.js";
import { KeptLog } from "../fixtures/kept-log.js";
import { KeptTerminal } from "../fixtures/kept-terminal.js";
import { MemoryGateway } from "../fixtures/memory-gateway.js";

const FIRST = "q_00000000000000000000000000";
const zone = process.env["TZ"];
let folder = "";
let gateway = new MemoryGateway();
let door: SocketDoor;
let terminal = new KeptTerminal();

beforeEach(async () => {
  process.env["TZ"] = "UTC";
  folder = await mkdtemp(join(tmpdir(), "handraise-cli-"));
  gateway = new MemoryGateway();
  terminal = new KeptTerminal();
  door = await serveSocket({ folder, gateway, principal: "tester", log: new KeptLog() });
});
afterEach(async () => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
  await door.close();
  await rm(folder, { recursive: true, force: true });
});

function run(...args: string[]): Promise<number> {
  return runProgram([...args, "--socket", folder], terminal);
}

/** Runs the command, and ends the question like this as soon as it waits. */
async function runUntil(outcome: Partial<StoredOutcome> & Pick<StoredOutcome, "status">, ...args: string[]): Promise<number> {
  const running = run(...args);
  await eventually(() => expect(gateway.waiting).toBe(1));
  const by = { person: "alice", name: "Alice Wong", channel: "telegram", account: "telegram", userId: "4242" };
  const said = { id: FIRST, at: "2026-12-01T14:03:11.204Z", by, place: "telegram:4242", via: "button" };
  gateway.end(FIRST, { ...said, ...outcome } as StoredOutcome);
  return running;
}

describe("ask", () => {
  it("says on stderr where it was shown, and prints the answer alone on stdout", async () => {
    const running = run("ask", "Ship it?", "--option", "Ship", "--option", "Hold", "--to", "alice");
    await eventually(() => expect(terminal.stderr).toEqual(["K2QM shown to alice on telegram, open"]));
    gateway.answer(FIRST, "Ship");
    expect(await running).toBe(0);
    expect(terminal.stdout).toEqual(["Ship"]);
    expect(terminal.stderr).toEqual(["K2QM shown to alice on telegram, open", "answered by Alice Wong, 14:03"]);
  });
  it("passes its options as an ask", async () => {
    const args = ["ask", "Where?", "--option", "a", "--option", "b", "--other", "--to", "alice", "--to", "slack:#x", "--audience", "ops"];
    const more = [
      "--title",
      "T",
      "--timeout",
      "none",
      "--deliver-within",
      "5m",
      "--key",
      "k",
      "--session",
      "s",
      "--agent",
      "ci",
      "--private",
    ];
    expect(await run(...args, ...more, "--detach")).toBe(14);
    expect(JSON.parse(gateway.kept.get(FIRST)?.input ?? "")).toEqual({
      text: "Where?",
      options: ["a", "b"],
      other: true,
      to: ["alice", "slack:#x"],
      audience: ["ops"],
      title: "T",
      timeout: "none",
      deliverWithin: "5m",
      key: "k",
      session: "s",
      agent: "ci",
      visibility: "private",
    });
  });
  it("with --json prints one line, the outcome", async () => {
    expect(await runUntil({ status: "answered", decision: "answer", value: "Ship" }, "ask", "Ship it?", "--json")).toBe(0);
    expect(terminal.stdout).toHaveLength(1);
    expect(JSON.parse(terminal.stdout[0] ?? "")).toMatchObject({
      id: FIRST,
      status: "answered",
      value: "Ship",
      by: { name: "Alice Wong" },
    });
  });
  it.each([
    { name: "typed", given: { value: { other: "only eu" } }, out: ["only eu"] },
    { name: "several", given: { value: ["api", "web"] }, out: ["api\nweb"] },
    { name: "a form", given: { values: { env: "prod", percent: 5 } }, out: ['{"env":"prod","percent":5}'] },
  ])("prints what was given: $name", async ({ given, out }) => {
    await runUntil(
      { status: "answered", decision: "answer", ...given } as Partial<StoredOutcome> & { status: "answered" },
      "ask",
      "Ship it?",
    );
    expect(terminal.stdout).toEqual(out);
  });
  it("R28 shows control characters on a screen, and passes the exact text through a pipe", async () => {
    const value = "\u001b[2Jprod";
    await runUntil({ status: "answered", decision: "answer", value }, "ask", "Ship it?");
    expect(terminal.stdout).toEqual([value]);
    terminal = new KeptTerminal({ screen: true });
    gateway = new MemoryGateway();
    await door.close();
    door = await serveSocket({ folder, gateway, principal: "tester", log: new KeptLog() });
    await runUntil({ status: "answered", decision: "answer", value }, "ask", "Ship it?");
    expect(terminal.stdout).toEqual(["⟨U+001B⟩[2Jprod"]);
  });
  it("with --detach prints the id, and ends with 14 because nobody has answered", async () => {
    expect(await run("ask", "Ship it?", "--detach")).toBe(14);
    expect(terminal.stdout).toEqual([FIRST]);
    expect(terminal.stderr).toEqual([`K2QM asked; go on with: handraise wait ${FIRST}`]);
    expect(await run("ask", "Ship it?", "--detach", "--json")).toBe(14);
    expect(JSON.parse(terminal.stdout[1] ?? "")).toMatchObject({ status: "open", text: "Ship it?" });
  });
  it("A03 Ctrl-C ends the waiting, not the question", async () => {
    const running = run("ask", "Ship it?");
    await eventually(() => expect(gateway.waiting).toBe(1));
    terminal.stop.abort(new Error("interrupted"));
    expect(await running).toBe(14);
    expect(terminal.stderr.at(-1)).toBe(`K2QM stays open; go on with: handraise wait ${FIRST}`);
    expect(terminal.stdout).toEqual([]);
    expect(gateway.kept.get(FIRST)?.record.status).toBe("open");
  });
});

describe("how it ended", () => {
  const failures = [{ place: "telegram:4242", code: "blocked", message: "the person blocked the bot" }];
  it.each([
    {
      outcome: { status: "declined", decision: "decline", note: "freeze" } as const,
      code: 10,
      line: 'declined by Alice Wong, 14:03: "freeze"',
    },
    { outcome: { status: "declined", decision: "deny" } as const, code: 10, line: "denied by Alice Wong, 14:03" },
    { outcome: { status: "expired" } as const, code: 11, line: "expired: nobody answered by 14:03" },
    {
      outcome: { status: "expired", fallback: { value: "staging" } } as const,
      code: 11,
      line: 'expired: nobody answered by 14:03. Fallback declared by the asker, chosen by no person: {"value":"staging"}',
    },
    { outcome: { status: "cancelled", code: "withdrawn", reason: "rolled\nback" } as const, code: 12, line: 'withdrawn: "rolled back"' },
    { outcome: { status: "cancelled", code: "creator_closed" } as const, code: 12, line: "cancelled: the asker's run has ended" },
    {
      outcome: { status: "undelivered", failures } as const,
      code: 13,
      line: "undelivered: nobody has seen it. telegram:4242: the person blocked the bot",
    },
  ])("$code: $line", async ({ outcome, code, line }) => {
    expect(await runUntil(outcome, "ask", "Ship it?")).toBe(code);
    expect(terminal.stderr.at(-1)).toBe(line);
    expect(terminal.stdout).toEqual([]);
  });
});

describe("confirm", () => {
  it("asks for an approval of the exact command, and ends with 0 only when it was given", async () => {
    const code = await runUntil(
      { status: "answered", decision: "approve", subjectHash: "sha256:3f9a" },
      "confirm",
      "Apply the plan?",
      "--to",
      "ops",
      "--command",
      "terraform apply plan.out",
    );
    expect(code).toBe(0);
    expect(terminal.stderr.at(-1)).toBe("approved by Alice Wong, 14:03");
    expect(terminal.stdout).toEqual([]);
    expect(JSON.parse(gateway.kept.get(FIRST)?.input ?? "")).toEqual({
      kind: "approval",
      text: "Apply the plan?",
      to: ["ops"],
      subject: { type: "command", body: "terraform apply plan.out" },
    });
  });
  it("takes a longer subject from stdin, byte for byte", async () => {
    terminal = new KeptTerminal({ input: "--- a\n+++ b\n\n" });
    expect(await run("confirm", "Merge?", "--subject", "diff", "--detach")).toBe(14);
    expect(JSON.parse(gateway.kept.get(FIRST)?.input ?? "")).toMatchObject({ subject: { type: "diff", body: "--- a\n+++ b\n\n" } });
    expect(await run("confirm", "Merge?", "--subject", "diff", "--command", "x")).toBe(2);
    expect(await run("confirm", "Merge?", "--subject", "poem")).toBe(2);
  });
});

describe("wait, cancel, list", () => {
  beforeEach(async () => {
    await gateway.request({ text: "Where does release 42 go?", key: "release-42", session: "ticket-7" }, { principal: "tester" });
  });
  it("wait --within ends with 14 and says how long it is open", async () => {
    const kept = gateway.kept.get(FIRST);
    if (kept === undefined) throw new Error("not kept");
    kept.record = { ...kept.record, expiresAt: "2026-12-01T16:03:00.000Z" };
    expect(await run("wait", "K2QM", "--within", "1s", "--json")).toBe(14);
    expect(terminal.stderr).toEqual(["K2QM shown to alice on telegram, open until 16:03", "still open until 16:03"]);
    expect(terminal.stdout).toEqual([JSON.stringify({ status: "open", id: FIRST })]);
  });
  it("wait finds a question by its id, its code or its key, and prints the stored answer", async () => {
    gateway.answer(FIRST, "prod");
    expect(await run("wait", FIRST)).toBe(0);
    expect(await run("wait", "--key", "release-42", "--session", "ticket-7")).toBe(0);
    expect(terminal.stdout).toEqual(["prod", "prod"]);
    expect(await run("wait", "K2QM")).toBe(2);
    expect(await run("wait")).toBe(2);
    expect(terminal.stderr.at(-1)).toBe("[input_invalid] Name the question: its id, its code, or --key.");
  });
  it("cancel ends with 12, or with the code of the answer that was faster", async () => {
    expect(await run("cancel", "K2QM", "--reason", "rolled back")).toBe(12);
    expect(terminal.stderr).toEqual(['withdrawn: "rolled back"']);
    await gateway.request({ text: "Ship?" }, { principal: "tester" });
    const second = FIRST.replace(/0$/, "1");
    gateway.answer(second, "prod");
    expect(await run("cancel", second)).toBe(0);
    expect(terminal.stdout).toEqual(["prod"]);
  });
  it("list shows code, age, where and what, oldest first", async () => {
    await gateway.request({ text: "Rotate\nkeys?", session: "other" }, { principal: "tester" });
    await gateway.request({ text: "Not yours" }, { principal: "somebody else" });
    expect(await run("list")).toBe(0);
    expect(terminal.stdout).toEqual(["K2QM  2 min  alice  Where does release 42 go?", "K3QM  2 min  alice  Rotate keys?"]);
    expect(await run("list", "--session", "ticket-7", "--json")).toBe(0);
    expect(JSON.parse(terminal.stdout[2] ?? "")).toMatchObject([{ code: "K2QM" }]);
    expect(await run("list", "--session", "none")).toBe(0);
    expect(terminal.stderr).toEqual(["nothing is open"]);
  });
});

describe("what goes wrong", () => {
  it("20: no bridge is there", async () => {
    await door.close();
    expect(await run("ask", "Ship it?", "--json")).toBe(20);
    expect(terminal.stderr[0]).toContain("[bridge_unreachable] No bridge answers at");
    expect(JSON.parse(terminal.stdout[0] ?? "")).toMatchObject({
      type: "urn:handraise:error:bridge_unreachable",
      title: "Bridge unreachable",
      status: 503,
      retry: "later",
    });
  });
  it("22: the key names another question", async () => {
    await run("ask", "One?", "--key", "k", "--detach");
    expect(await run("ask", "Two?", "--key", "k", "--detach")).toBe(22);
    expect(terminal.stderr.at(-1)).toContain("[key_conflict] Key k already names");
  });
  it("21: not allowed", async () => {
    gateway.request = () => Promise.reject(new HandraiseError("not_allowed", "audience: no."));
    expect(await run("ask", "One?")).toBe(21);
  });
  it("1: a fault that is nobody's", async () => {
    gateway.list = () => Promise.reject(new Error("oops"));
    expect(await run("list")).toBe(1);
  });
  it.each([
    [["ask"]],
    [["ask", "Where?", "--timeout", "90"]],
    [["ask", "Where?", "--option"]],
    [["ask", "Where?", "more"]],
    [["ask", "Where?", "--opton", "a"]],
    [["start", "--port", "http"]],
    [["wait", "K2QM", "--within", "soon"]],
    [["nonsense"]],
    [[]],
  ])("2: usage %j", async (args) => {
    expect(await runProgram(args, terminal)).toBe(2);
    expect(terminal.stderr.join("\n")).not.toBe("");
    expect(terminal.stdout).toEqual([]);
    expect(gateway.kept.size).toBe(0);
  });
  it("has an exit code for every error", () => {
    expect(Object.keys(EXIT_OF_ERROR).toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
    expect(Object.values(EXIT_OF_ERROR)).not.toContain(0);
  });
});

describe("help", () => {
  it("lists the commands that exist, and the exit codes", async () => {
    expect(await runProgram(["--help"], terminal)).toBe(0);
    const help = terminal.stdout.join("\n");
    for (const command of ["start", "demo", "doctor", "ask", "confirm", "wait", "cancel", "list"])
      expect(help).toMatch(new RegExp(`^  ${command} `, "m"));
    expect(help).toContain("10  declined or denied");
    expect(help).toContain("A script that tests only for 0 is safe.");
    expect(help).not.toContain("inbox");
  });
  it("tells its version", async () => {
    expect(await runProgram(["--version"], terminal)).toBe(0);
    expect(terminal.stdout).toEqual(["0.1.0"]);
  });
  it("colours words for people only where they are wanted", async () => {
    terminal = new KeptTerminal({ colour: true });
    await runUntil({ status: "answered", decision: "answer", value: "Ship" }, "ask", "Ship it?");
    expect(terminal.stderr.at(-1)).toBe("\u001b[32manswered\u001b[0m by Alice Wong, 14:03");
    expect(terminal.stdout).toEqual(["Ship"]);
  });
});
