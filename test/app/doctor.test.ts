import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { examine } from "../../src/app/doctor.js";
import { serveSocket } from "../../src/socket/door.js";
import { fakeModules } from "../fixtures/channel-modules.js";
import { KeptLog } from "../fixtures/kept-log.js";
import { MemoryGateway } from "../fixtures/memory-gateway.js";

const REMEDY = 'Give the bot\'s role "Read Message History".';
const modules = fakeModules([
  { check: "token", ok: true, detail: "@acme_bot" },
  { check: "history", ok: false, detail: "#ops: cannot read history", remedy: REMEDY },
]);

let folder = "";
let config = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "handraise-doctor-"));
  config = join(folder, "handraise.yaml");
  await writeFile(config, "accounts: { discord: { token: t } }\npeople: { me: { discord: 103412345678901234 } }\n");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("doctor", () => {
  it("tells the checks of every account, and of the bridge itself", async () => {
    const lines = await examine({ config, env: {}, modules });
    expect(lines.map(({ account, check, ok }) => `${account} ${check} ${ok}`)).toEqual([
      "config config true",
      "bridge folder true",
      "bridge socket true",
      "discord token true",
      "discord history false",
    ]);
    expect(lines.at(-1)).toEqual({ account: "discord", check: "history", ok: false, detail: "#ops: cannot read history", remedy: REMEDY });
  });
  it("tells every fault of the config, one line each", async () => {
    await writeFile(config, "accounts: { discord: { token: t } }\npeople: { me: { discord: x, slak: y } }\n");
    const lines = await examine({ config, env: {}, modules });
    expect(lines.map(({ detail }) => detail)).toEqual([
      'handraise.yaml:2:26 people.me.discord: "x" is no discord id: a Discord id has 17 to 20 digits.',
      'handraise.yaml:2:29 people.me.slak: no account is called "slak" (discord).',
    ]);
    expect(lines.every(({ ok }) => !ok)).toBe(true);
  });
  it("finds a folder that others can enter, and a bridge that runs", async () => {
    const data = join(folder, "data");
    await mkdir(data, { mode: 0o700 });
    const door = await serveSocket({ folder: data, gateway: new MemoryGateway(), principal: "me", log: new KeptLog() });
    expect(await examine({ config, env: {}, modules })).toContainEqual({
      account: "bridge",
      check: "socket",
      ok: true,
      detail: "a bridge answers on its socket",
    });
    await door.close();
    await chmod(data, 0o755);
    expect(await examine({ config, env: {}, modules })).toContainEqual({
      account: "bridge",
      check: "folder",
      ok: false,
      detail: `${data}: is open to other users.`,
      remedy: "Run chmod 700 on it.",
    });
  });
  it("does not wait for an account for ever, and tells what failed", async () => {
    const stuck = { ...modules, discord: { ...modules.discord, create: () => Promise.reject(new Error("no network")) } };
    expect((await examine({ config, env: {}, modules: stuck })).at(-1)).toMatchObject({
      account: "discord",
      ok: false,
      detail: "no network",
    });
    const { discord } = modules;
    const silent = {
      ...modules,
      discord: {
        ...discord,
        create: async (context: Parameters<typeof discord.create>[0]) => ({
          ...(await discord.create(context)),
          check: () => new Promise<never>(() => undefined),
        }),
      },
    };
    expect((await examine({ config, env: {}, modules: silent, limitMs: 20 })).at(-1)).toMatchObject({
      ok: false,
      detail: "did not answer within 20 ms",
    });
  });
});
