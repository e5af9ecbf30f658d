import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRAME_MAX_BYTES } from "../../src/client/frames.js";
import { findSocket, socketPathOf } from "../../src/client/rendezvous.js";
import type { ErrorCode } from "../../src/errors.js";
import { HandraiseError } from "../../src/errors.js";
import { type SocketDoor, type SocketOptions, serveSocket } from "../../src/socket/door.js";
import { eventually } from "../fixtures/eventually.js";
import { KeptLog } from "../fixtures/kept-log.js";
import { MemoryGateway } from "../fixtures/memory-gateway.js";
import { RawCaller } from "../fixtures/raw-socket.js";

let folder = "";
let gateway = new MemoryGateway();
const doors: SocketDoor[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "handraise-door-"));
  gateway = new MemoryGateway();
});
afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.close()));
  await rm(folder, { recursive: true, force: true });
});

async function serve(options: Partial<SocketOptions> = {}): Promise<SocketDoor> {
  const door = await serveSocket({ folder, gateway, principal: "tester", log: new KeptLog(), ...options });
  doors.push(door);
  return door;
}

async function codeOf(run: Promise<unknown>): Promise<ErrorCode> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HandraiseError)) throw new Error(`expected a HandraiseError, got ${String(error)}`);
  return error.code;
}

const ASK = { type: "call", id: 1, method: "question.request", params: { input: { text: "Ship it?" } } };
const WAIT = { type: "call", id: 2, method: "question.waitAnswer", params: { ref: "q_00000000000000000000000000" } };
const FIRST = "q_00000000000000000000000000";

async function waiting(door: SocketDoor): Promise<RawCaller> {
  const caller = await RawCaller.greeted(door.path);
  caller.send(ASK);
  await caller.until({ type: "result", id: 1 });
  caller.send(WAIT);
  await eventually(() => expect(gateway.waiting).toBe(1));
  return caller;
}

describe("framing and liveness are apart", () => {
  it("A!7 a lone newline in its own packet does not end the wait", async () => {
    const caller = await waiting(await serve());
    await caller.write(Buffer.from("\n"));
    expect(gateway.answer(FIRST, "yes")).toBe(true);
    expect(await caller.until({ type: "result", id: 2 })).toMatchObject({ value: { status: "ended", outcome: { value: "yes" } } });
  });
  it("A!7 an end of the caller's input does not end the wait, and its answer still comes", async () => {
    const caller = await waiting(await serve());
    caller.socket.end();
    await new Promise((done) => caller.socket.once("finish", done));
    expect(gateway.waiting).toBe(1);
    gateway.answer(FIRST, "yes");
    expect(await caller.until({ type: "result", id: 2 })).toMatchObject({ value: { status: "ended" } });
    await caller.closed;
  });
  it("A!7 a newline and then an end: told that the frame was cut, answered all the same", async () => {
    const caller = await waiting(await serve());
    caller.socket.end("\n");
    const error = await caller.until({ type: "error", id: null });
    expect(JSON.stringify(error)).toContain("ended within a frame");
    gateway.answer(FIRST, "yes");
    expect(await caller.until({ type: "result", id: 2 })).toMatchObject({ value: { status: "ended" } });
  });
  it("a connection that is gone ends its waits, never the question", async () => {
    const caller = await waiting(await serve({ limits: { pingMs: 5 } }));
    caller.socket.destroy();
    await eventually(() => expect(gateway.waiting).toBe(0));
    expect(gateway.kept.get(FIRST)?.record.status).toBe("open");
  });
  it("finds a caller that ended its input and then died, by pings", async () => {
    const caller = await waiting(await serve({ limits: { pingMs: 5 } }));
    caller.socket.end();
    await caller.until({ type: "ping" });
    expect(gateway.waiting).toBe(1);
    caller.socket.destroy();
    await eventually(() => expect(gateway.waiting).toBe(0));
  });
});

describe("frames that are wrong", () => {
  it("A!9 a frame that is no JSON is answered, and the connection goes on", async () => {
    const caller = await waiting(await serve());
    await caller.write(Buffer.concat([Buffer.from([0, 0, 0, 5]), Buffer.from("{oops")]));
    const error = await caller.until({ type: "error", id: null });
    expect(error["error"]).toMatchObject({ code: "input_invalid", detail: "frame: a frame of 5 bytes is not JSON in UTF-8." });
    caller.send({ type: "call", id: 3, method: "question.get", params: { ref: FIRST } });
    expect(await caller.until({ type: "result", id: 3 })).toMatchObject({ value: { id: FIRST } });
  });
  it("A!9 a frame over 1 MiB is refused by its length; what runs is answered", async () => {
    const caller = await waiting(await serve());
    const header = Buffer.alloc(4);
    header.writeUInt32BE(FRAME_MAX_BYTES + 1);
    await caller.write(header);
    const error = await caller.until({ type: "error", id: null });
    expect(JSON.stringify(error)).toContain("longer than 1048576");
    gateway.answer(FIRST, "yes");
    expect(await caller.until({ type: "result", id: 2 })).toMatchObject({ value: { status: "ended" } });
    await caller.closed;
  });
  it("reads frames cut anywhere, and many in one packet", async () => {
    const caller = await RawCaller.greeted((await serve()).path);
    const body = Buffer.from(JSON.stringify({ ...ASK, params: { input: { text: "Grüße 🙂" } } }));
    const header = Buffer.alloc(4);
    header.writeUInt32BE(body.length);
    for (const byte of Buffer.concat([header, body])) await caller.write(Buffer.from([byte]));
    expect(await caller.until({ type: "result", id: 1 })).toMatchObject({ value: { record: { text: "Grüße 🙂" } } });
    caller.send({ type: "call", id: 7, method: "question.get", params: { ref: FIRST } });
    caller.send({ type: "call", id: 8, method: "question.list", params: {} });
    await caller.until({ type: "result", id: 7 });
    expect(await caller.until({ type: "item", id: 8 })).toMatchObject({ value: { id: FIRST } });
  });
  it.each([
    { name: "a message of no type", message: { hello: "there" }, says: "hello, call, stop" },
    { name: "a call without a number", message: { type: "call", method: "question.list" }, says: "hello, call, stop" },
  ])("$name is answered", async ({ message, says }) => {
    const caller = await RawCaller.greeted((await serve()).path);
    caller.send(message);
    expect(JSON.stringify(await caller.until({ type: "error", id: null }))).toContain(says);
  });
});

describe("who may call, and what", () => {
  it("does nothing before the token was right", async () => {
    const door = await serve();
    for (const first of [{ type: "hello", version: 1, token: "guess" }, ASK]) {
      const caller = await RawCaller.dial(door.path);
      caller.send(first);
      expect((await caller.until({ type: "error", id: null }))["error"]).toMatchObject({ code: "unauthenticated" });
      caller.socket.end();
      await caller.closed;
    }
    expect(gateway.kept.size).toBe(0);
  });
  it("refuses another version, and a caller that says nothing", async () => {
    const door = await serve({ limits: { helloMs: 20 } });
    const newer = await RawCaller.dial(door.path);
    newer.send({ type: "hello", version: 2, token: "x" });
    expect((await newer.until({ type: "error" }))["error"]).toMatchObject({ code: "unsupported" });
    const mute = await RawCaller.dial(door.path);
    expect((await mute.until({ type: "error" }))["error"]).toMatchObject({ code: "unauthenticated", detail: "No hello came in time." });
    newer.socket.destroy();
    mute.socket.destroy();
  });
  it.each([
    { method: "question.resolve", params: { ref: FIRST, value: "yes" }, code: "scope_missing" },
    { method: "delivery.claim", params: {}, code: "scope_missing" },
    { method: "keys.create", params: {}, code: "scope_missing" },
    { method: "nonsense", params: {}, code: "input_invalid" },
    { method: "constructor", params: {}, code: "input_invalid" },
    { method: "question.request", params: { input: { text: "x" }, principal: "root" }, code: "actor_not_allowed" },
    { method: "question.cancel", params: { ref: FIRST, actor: "alice" }, code: "actor_not_allowed" },
    { method: "question.get", params: { ref: FIRST, more: 1 }, code: "input_invalid" },
    { method: "question.get", params: null, code: "input_invalid" },
    { method: "question.waitAnswer", params: { ref: FIRST, withinMs: "soon" }, code: "input_invalid" },
    { method: "question.get", params: { ref: "q_nobody" }, code: "question_unknown" },
  ])("R14 $method: $code", async ({ method, params, code }) => {
    const caller = await RawCaller.greeted((await serve()).path);
    caller.send({ type: "call", id: 5, method, params });
    expect((await caller.until({ type: "error", id: 5 }))["error"]).toMatchObject({ code });
    expect([...gateway.kept.values()].every(({ record }) => record.status === "open")).toBe(true);
  });
  it("asks under the principal that the server names", async () => {
    const caller = await RawCaller.greeted((await serve()).path);
    caller.send(ASK);
    await caller.until({ type: "result", id: 1 });
    expect(gateway.kept.get(FIRST)?.principal).toBe("tester");
    expect(await caller.until({ type: "welcome" })).toMatchObject({ principal: "tester" });
  });
  it("O14 passes issues with their paths", async () => {
    const caller = await RawCaller.greeted((await serve()).path);
    caller.send({ ...ASK, params: { input: { header: "Deployment target", multi: "yes" } } });
    const { error } = await caller.until({ type: "error", id: 1 });
    expect(error).toMatchObject({ issues: [{ path: "text" }, { path: "multi" }] });
  });
  it("tells nothing of a fault that is not ours, and logs it", async () => {
    const log = new KeptLog();
    gateway.get = () => Promise.reject(new Error("secret detail"));
    const caller = await RawCaller.greeted((await serve({ log })).path);
    caller.send({ type: "call", id: 1, method: "question.get", params: { ref: FIRST } });
    const error = await caller.until({ type: "error", id: 1 });
    expect(JSON.stringify(error)).not.toContain("secret detail");
    expect(error["error"]).toMatchObject({ code: "store_unavailable" });
    expect(log.lines.some(({ level, facts }) => level === "error" && facts["method"] === "question.get")).toBe(true);
  });
  it("caps the calls of one connection", async () => {
    const caller = await waiting(await serve({ limits: { callsMax: 1 } }));
    caller.send({ ...WAIT, id: 3 });
    expect((await caller.until({ type: "error", id: 3 }))["error"]).toMatchObject({ code: "capacity" });
  });
  it("stops one wait of many on a connection", async () => {
    const caller = await waiting(await serve());
    caller.send({ ...WAIT, id: 3 });
    await eventually(() => expect(gateway.waiting).toBe(2));
    caller.send({ type: "stop", id: 2 });
    await caller.until({ type: "error", id: 2 });
    gateway.answer(FIRST, "yes");
    expect(await caller.until({ type: "result", id: 3 })).toMatchObject({ value: { status: "ended" } });
  });
});

describe("the socket's name", () => {
  it("stands in a folder of its own, private, with a private token", async () => {
    const door = await serve();
    expect(door.path).toBe(join(folder, "run", "handraise.sock"));
    const modes = await Promise.all(
      [dirname(door.path), door.path, join(dirname(door.path), "handraise.token")].map(async (path) => (await lstat(path)).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    expect((await readdir(dirname(door.path))).toSorted()).toEqual(["handraise.sock", "handraise.token"]);
    await door.close();
    expect(await readdir(dirname(door.path))).toEqual([]);
  });
  it("A!8 a second live server on the same path is refused, and the first goes on", async () => {
    const door = await serve();
    expect(await codeOf(serve())).toBe("store_busy");
    const caller = await RawCaller.greeted(door.path);
    caller.send({ type: "call", id: 1, method: "question.list", params: {} });
    await caller.until({ type: "result", id: 1 });
  });
  it("A!8 closing the first never removes the second's socket", async () => {
    const first = await serve();
    // Somebody removed the name of the first while it ran, so the second could take it.
    await rm(first.path);
    const second = await serve();
    await first.close();
    expect((await lstat(second.path)).isSocket()).toBe(true);
    const caller = await RawCaller.greeted(second.path);
    expect(await caller.until({ type: "welcome" })).toMatchObject({ version: 1 });
  });
  it("of many that start at once, one wins", async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => serve()));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const codes = results.flatMap((result) =>
      result.status === "rejected" && result.reason instanceof HandraiseError ? [result.reason.code] : [],
    );
    expect(new Set(codes)).toEqual(new Set(["store_busy"]));
    expect(codes).toHaveLength(7);
  });
  it("takes over the name that a killed server left behind", async () => {
    const path = socketPathOf(folder);
    await mkdir(dirname(path), { mode: 0o700 });
    await writeFile(path, "");
    await writeFile(join(dirname(path), "handraise.lock"), "999999999 dead");
    const door = await serve();
    expect((await lstat(door.path)).isSocket()).toBe(true);
    expect((await readdir(dirname(path))).toSorted()).toEqual(["handraise.sock", "handraise.token"]);
  });
  it("refuses a folder that others can enter, and a link", async () => {
    const run = join(folder, "run");
    await mkdir(run);
    await chmod(run, 0o755);
    expect(await codeOf(serve())).toBe("config_invalid");
    await rm(run, { recursive: true });
    await mkdir(join(folder, "elsewhere"), { mode: 0o700 });
    await symlink(join(folder, "elsewhere"), run);
    expect(await codeOf(serve())).toBe("config_invalid");
  });
  it("uses a short private folder where the path is too long for a socket, and takes it away again", async () => {
    folder = join(folder, "a".repeat(120));
    await mkdir(folder);
    const door = await serve();
    const found = await findSocket(door.path);
    if (found === undefined) throw new Error("not found");
    expect(found.path).not.toBe(door.path);
    expect((await lstat(dirname(found.path))).mode & 0o777).toBe(0o700);
    const caller = await RawCaller.greeted(door.path);
    caller.socket.end();
    expect(await codeOf(serve())).toBe("store_busy");
    await door.close();
    await expect(lstat(dirname(found.path))).rejects.toThrow("ENOENT");
    expect(await readdir(join(folder, "run"))).toEqual([]);
  });
  it("clears the short folder that a killed server left behind", async () => {
    folder = join(folder, "b".repeat(120));
    const run = join(folder, "run");
    await mkdir(run, { recursive: true, mode: 0o700 });
    const left = await mkdtemp(join(tmpdir(), "handraise-"));
    await writeFile(join(run, "handraise.pointer"), `${join(left, "handraise.sock")}\n`);
    const door = await serve();
    await expect(lstat(left)).rejects.toThrow("ENOENT");
    expect((await readFile(join(run, "handraise.pointer"), "utf8")).trim()).toBe((await findSocket(door.path))?.path);
  });
  it("never takes a name behind which something else answers", async () => {
    const path = socketPathOf(folder);
    await mkdir(dirname(path), { mode: 0o700 });
    const other = createServer((socket) => socket.end());
    await new Promise<void>((done) => other.listen(path, done));
    expect(await codeOf(serve())).toBe("store_busy");
    expect((await lstat(path)).isSocket()).toBe(true);
    await new Promise((done) => other.close(done));
  });
});

describe("closing", () => {
  it("ends waits so that callers dial again, lets other calls finish, and can be repeated", async () => {
    const door = await serve();
    const caller = await waiting(door);
    let release = (): void => undefined;
    const held = new Promise<void>((done) => {
      release = done;
    });
    const request = gateway.request.bind(gateway);
    gateway.request = async (input, creator) => {
      await held;
      return request(input, creator);
    };
    caller.send({ ...ASK, id: 3 });
    caller.send({ type: "call", id: 4, method: "question.get", params: { ref: FIRST } });
    await caller.until({ type: "result", id: 4 });
    const closing = door.close();
    expect((await caller.until({ type: "error", id: 2 }))["error"]).toMatchObject({ code: "bridge_unreachable" });
    release();
    await caller.until({ type: "result", id: 3 });
    caller.socket.end();
    await Promise.all([closing, door.close()]);
    expect(gateway.kept.size).toBe(2);
    expect(gateway.kept.get(FIRST)?.record.status).toBe("open");
  });
});
