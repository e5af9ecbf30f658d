import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBridgeClient } from "../../src/client/bridge.js";
import { connect, socketPath } from "../../src/client/connect.js";
import { socketPathOf } from "../../src/client/rendezvous.js";
import { SocketCalls } from "../../src/client/socket-calls.js";
import type { Bridge } from "../../src/client/types.js";
import { HandraiseError } from "../../src/errors.js";
import { type SocketDoor, serveSocket } from "../../src/socket/door.js";
import { eventually } from "../fixtures/eventually.js";
import { KeptLog } from "../fixtures/kept-log.js";
import { MemoryGateway } from "../fixtures/memory-gateway.js";

let folder = "";
let gateway = new MemoryGateway();
const doors: SocketDoor[] = [];
const bridges: Bridge[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "handraise-connect-"));
  gateway = new MemoryGateway();
});
afterEach(async () => {
  await Promise.all(bridges.splice(0).map((bridge) => bridge.close()));
  await Promise.all(doors.splice(0).map((door) => door.close()));
  await rm(folder, { recursive: true, force: true });
});

async function serve(): Promise<SocketDoor> {
  const door = await serveSocket({ folder, gateway, principal: "tester", log: new KeptLog() });
  doors.push(door);
  return door;
}

function bridgeWith(retryMs: number): Bridge {
  const calls = new SocketCalls({ socket: socketPathOf(folder), retryMs });
  const bridge = createBridgeClient(calls, { principal: "nobody" }, { close: () => calls.close() });
  bridges.push(bridge);
  return bridge;
}

async function connected(): Promise<Bridge> {
  const bridge = await connect({ socket: folder });
  bridges.push(bridge);
  return bridge;
}

async function errorOf(run: Promise<unknown>): Promise<HandraiseError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HandraiseError)) throw new Error(`expected a HandraiseError, got ${String(error)}`);
  return error;
}

describe("the bridge over its socket", () => {
  it("A01 A06 A07 asks, lists, gets the answer and one event", async () => {
    await serve();
    const bridge = await connected();
    const question = await bridge.ask({ text: "Which store?", options: ["pg", "mysql"], session: "S1" });
    await bridge.ask({ text: "Two?", session: "S1" });
    expect((await bridge.list({ session: "S1" })).map(({ id }) => id)).toContain(question.id);
    expect(await bridge.list({ session: "other" })).toEqual([]);
    const waiting = question.outcome();
    await eventually(() => expect(gateway.waiting).toBe(1));
    gateway.answer(question.id, "pg");
    expect(await waiting).toMatchObject({ status: "answered", value: "pg" });
    const seen: string[] = [];
    for await (const event of bridge.events({ after: "0" })) {
      seen.push(event.type);
      if (event.type === "question.answered") break;
    }
    expect(seen).toEqual(["question.asked", "question.asked", "question.answered"]);
    expect(gateway.kept.get(question.id)?.principal).toBe("tester");
  });
  it("A08 a form's values come as the same map", async () => {
    await serve();
    const question = await (await connected()).ask({ text: "Configure", fields: [{ key: "base_url", type: "text" }] });
    gateway.fill(question.id, { values: { base_url: "https://abc.net" } });
    const outcome = await question.outcome();
    expect(outcome).toMatchObject({ status: "answered", values: { base_url: "https://abc.net" } });
  });
  it("A09 a missing socket is an error at once; the end of the time comes over the wire", async () => {
    const bridge = await connected();
    const error = await errorOf(bridge.ask({ text: "Ship?" }));
    expect(error.code).toBe("bridge_unreachable");
    expect(error.detail).toBe(`No bridge answers at ${socketPathOf(folder)}: no bridge is running there. Start one with handraise start.`);
    await serve();
    const question = await bridge.ask({ text: "Ship?", timeout: "1s" });
    const waiting = question.outcome();
    gateway.end(question.id, { id: question.id, at: "2026-12-01T14:03:11.204Z", status: "expired" });
    expect(await waiting).toMatchObject({ status: "expired" });
  });
  it("tries an ask with a key while the socket is absent, then gives up", async () => {
    const late = bridgeWith(5_000).ask({ text: "Ship?", key: "release-42" });
    await serve();
    expect((await late).id).toMatch(/^q_/);
    await Promise.all(doors.splice(0).map((door) => door.close()));
    expect((await errorOf(bridgeWith(250).ask({ text: "Ship?", key: "release-42" }))).code).toBe("bridge_unreachable");
  });
  it("goes on waiting over a restart of the bridge, and acknowledges once it is handed over", async () => {
    const first = await serve();
    const bridge = bridgeWith(5_000);
    const question = await bridge.ask({ text: "Ship?" });
    const waiting = question.outcome();
    await eventually(() => expect(gateway.waiting).toBe(1));
    await first.close();
    expect(gateway.waiting).toBe(0);
    await serve();
    await eventually(() => expect(gateway.waiting).toBe(1));
    gateway.answer(question.id, "yes");
    expect(await waiting).toMatchObject({ value: "yes" });
    await eventually(() => expect(gateway.kept.get(question.id)?.collected).toBe(true));
  });
  it("resumes events after the last one seen, none twice", async () => {
    const first = await serve();
    const bridge = bridgeWith(5_000);
    const events = bridge.events({ after: "0" })[Symbol.asyncIterator]();
    await bridge.ask({ text: "One?" });
    expect((await events.next()).value).toMatchObject({ id: "1" });
    const second = events.next();
    await first.close();
    await serve();
    await bridge.ask({ text: "Two?" });
    expect((await second).value).toMatchObject({ id: "2", type: "question.asked" });
    await events.return?.();
  });
  it("never repeats an ask without a key that may have been stored", async () => {
    const door = await serve();
    let asked = 0;
    gateway.request = () => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const bridge = bridgeWith(5_000);
    const asking = errorOf(bridge.ask({ text: "Ship?" }));
    await eventually(() => expect(asked).toBe(1));
    bridges.splice(bridges.indexOf(bridge), 1);
    const closing = bridge.close();
    const error = await asking;
    expect(error.code).toBe("bridge_unreachable");
    expect(error.detail).toContain("may have been carried out");
    await closing;
    expect(asked).toBe(1);
    await door.close();
  }, 15_000);
  it("carries many calls on one connection", async () => {
    await serve();
    const bridge = await connected();
    const questions = await Promise.all(Array.from({ length: 50 }, (_, n) => bridge.ask({ text: `Number ${n}?` })));
    const waits = questions.map((question) => question.outcome());
    await eventually(() => expect(gateway.waiting).toBe(50));
    for (const { id } of questions) gateway.answer(id, id);
    const outcomes = await Promise.all(waits);
    expect(outcomes.map((outcome) => (outcome.status === "answered" ? outcome.value : ""))).toEqual(questions.map(({ id }) => id));
  });
  it("passes the bridge's errors as they are", async () => {
    await serve();
    const bridge = await connected();
    await bridge.ask({ text: "Ship?", key: "k" });
    const error = await errorOf(bridge.ask({ text: "Else?", key: "k" }));
    expect({ code: error.code, retry: error.retry, id: error.facts["id"] }).toEqual({
      code: "key_conflict",
      retry: "never",
      id: "q_00000000000000000000000000",
    });
    expect((await errorOf(bridge.ask({ text: "x".repeat(1_100_000) }))).code).toBe("input_invalid");
  });
  it("gives its token to no folder that others could have made", async () => {
    const door = await serve();
    await chmod(dirname(door.path), 0o755);
    const error = await errorOf((await connected()).list());
    expect(error.detail).toContain("is open to other users. Run chmod 700 on it.");
    await chmod(dirname(door.path), 0o700);
  });
  it("says what is not available yet", async () => {
    expect((await errorOf(connect({ url: "http://127.0.0.1:8484" }))).code).toBe("unsupported");
    expect((await errorOf(connect({ key: "hr_ask_x" }))).code).toBe("unsupported");
  });
  it("takes the socket or its data folder", () => {
    expect(socketPath(folder)).toBe(socketPathOf(folder));
    expect(socketPath(join(folder, "run", "handraise.sock"))).toBe(socketPathOf(folder));
  });
});

describe("what the client loads", () => {
  it("is its own code and Node's, nothing else", async () => {
    const loaded = await loadedFrom(new URL("../../src/client/connect.ts", import.meta.url));
    expect([...loaded].filter((name) => !name.startsWith("node:") && !name.startsWith("file:"))).toEqual([]);
    expect([...loaded].filter((name) => name.startsWith("file:")).map((name) => name.replace(/^.*\/src\//, ""))).toEqual(
      expect.arrayContaining(["client/bridge.ts", "errors.ts"]),
    );
  });
});

/** Everything that is imported from here at run time: types are erased before. */
async function loadedFrom(file: URL, seen = new Set<string>()): Promise<ReadonlySet<string>> {
  seen.add(file.href);
  const text = await readFile(file, "utf8");
  for (const [, name] of text.matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)";$/gms)) {
    if (name === undefined || seen.has(name)) continue;
    if (!name.startsWith(".")) seen.add(name);
    else {
      const next = new URL(name.replace(/\.js$/, ".ts"), file);
      if (!seen.has(next.href)) await loadedFrom(next, seen);
    }
  }
  return seen;
}
