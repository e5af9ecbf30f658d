import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { runStart } from "../../src/app/start.js";
import { connect } from "../../src/client/connect.js";
import { type Simulation, simulate } from "../../src/testing/simulate.js";
import { eventually } from "../fixtures/eventually.js";

describe("handraise start with accounts", () => {
  let chats: Simulation;
  let folder: string;
  let stop: AbortController;
  const out: string[] = [];
  const err: string[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "handraise-test-"));
    chats = await simulate({ people: ["alice"], folder: join(folder, "data") });
    stop = new AbortController();
    out.length = 0;
    err.length = 0;
    vi.stubEnv("HANDRAISE_LOG", "warn");
    vi.spyOn(console, "log").mockImplementation((line: unknown) => void out.push(String(line)));
    vi.spyOn(console, "error").mockImplementation((line: unknown) => void err.push(String(line)));
    await writeFile(join(folder, "handraise.yaml"), stringify(chats.config));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await chats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("says when it is ready, takes askers on its socket, and stops when it is told to", async () => {
    const running = runStart({ config: join(folder, "handraise.yaml"), signal: stop.signal });
    await eventually(() => expect(err.join("\n")).toContain("ready: "), 15_000);
    expect(err).toEqual([
      expect.stringMatching(/^ready: slack acme.*, discord acme.*, telegram @handraise_test_bot.* · http:\/\/127\.0\.0\.1:\d+ · 0 open$/),
    ]);
    expect(out).toEqual([]);
    const bridge = await connect({ socket: join(folder, "data", "run", "handraise.sock") });
    const question = await bridge.ask({ to: "alice", text: "Ship?", options: ["Ship", "Hold"] });
    await chats.person("alice").press("Hold");
    expect(await question.outcome({ within: "10s" })).toMatchObject({ status: "answered", value: "Hold" });
    await bridge.close();
    stop.abort();
    expect(await running).toBe(0);
    const later = await connect({ socket: join(folder, "data", "run", "handraise.sock") });
    await expect(later.list()).rejects.toMatchObject({ code: "bridge_unreachable" });
    await later.close();
  });

  it("X09 SIGHUP and a changed file are taken up while it runs: who was taken out is refused; a faulty file changes nothing", async () => {
    const config = join(folder, "handraise.yaml");
    const written = { ...chats.config, people: { ...chats.config.people, zoe: { telegram: "99" } }, access: { anyone: true } };
    await writeFile(config, stringify(written));
    const running = runStart({ config, signal: stop.signal });
    await eventually(() => expect(err.join("\n")).toContain("ready: "), 15_000);
    await writeFile(config, stringify(written).replace("zoe:", "zoe\n"));
    process.emit("SIGHUP");
    await eventually(
      () => expect(err.join("\n")).toMatch(/config not read again, the one before stays in force:\nhandraise\.yaml:\d+/),
      15_000,
    );
    const bridge = await connect({ socket: join(folder, "data", "run", "handraise.sock") });
    const question = await bridge.ask({ to: "alice", text: "Ship?", options: ["Ship", "Hold"] });
    await eventually(async () => expect((await question.record()).deliveries.map(({ status }) => status)).toEqual(["shown"]), 15_000);
    await writeFile(config, stringify({ ...written, people: { zoe: { telegram: "99" } }, defaults: { timeout: "1h", to: "zoe" } }));
    await eventually(() => expect(err.join("\n")).toContain("config read again: people.alice removed"), 15_000);
    await chats.person("alice").press("Hold");
    expect((await question.record()).status).toBe("open");
    await bridge.close();
    stop.abort();
    expect(await running).toBe(0);
    expect(process.listenerCount("SIGHUP")).toBe(0);
  });

  it("prints one line for scripts", async () => {
    const running = runStart({ config: join(folder, "handraise.yaml"), signal: stop.signal, json: true });
    await eventually(() => expect(out).toHaveLength(1), 15_000);
    expect(JSON.parse(out[0] ?? "")).toMatchObject({
      ready: true,
      open: 0,
      accounts: [
        { account: "slack", kind: "slack", bot: "acme" },
        { account: "discord", kind: "discord" },
        { account: "telegram", kind: "telegram", bot: "@handraise_test_bot" },
      ],
    });
    stop.abort();
    expect(await running).toBe(0);
    expect(err).toEqual([]);
  });

  it("refuses a port that is taken, and leaves the folder free", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const config = join(folder, "handraise.yaml");
    await expect(runStart({ config, port, signal: stop.signal })).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining(`port ${port} on 127.0.0.1 is taken`),
    });
    await new Promise((resolve) => taken.close(resolve));
    const running = runStart({ config, port, signal: stop.signal, json: true });
    await eventually(() => expect(JSON.parse(out[0] ?? "{}")).toMatchObject({ url: `http://127.0.0.1:${port}` }), 15_000);
    stop.abort();
    expect(await running).toBe(0);
  });

  it("with --simulated says ready first and then tells every event, for scripts", async () => {
    const running = runStart({ simulated: true, port: 0, data: join(folder, "other"), signal: stop.signal, json: true });
    await eventually(() => expect(out.length).toBeGreaterThanOrEqual(4), 15_000);
    const [ready, ...events] = out.map((line): unknown => JSON.parse(line));
    expect(ready).toMatchObject({ ready: true, accounts: ["slack", "discord", "telegram"], open: 3 });
    expect(events.slice(0, 3)).toMatchObject(Array(3).fill({ type: expect.stringMatching(/^question\./) }));
    stop.abort();
    expect(await running).toBe(0);
  });
});
