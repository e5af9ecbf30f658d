import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSimulated, type SimulatedBridge } from "../../src/app/simulated.js";
import { STATE_FILE } from "../../src/app/simulated-state.js";
import { eventually } from "../fixtures/eventually.js";
import { KeptLog } from "../fixtures/kept-log.js";
import { PageHand } from "./page-hand.js";

const CHATS = ["slack", "discord", "telegram"] as const;

describe("a bridge over simulated chats", () => {
  let folder: string;
  let lines: string[];
  let log: KeptLog;
  const running: SimulatedBridge[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "handraise-test-"));
    lines = [];
    log = new KeptLog();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.close()));
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<{ readonly simulated: SimulatedBridge; readonly page: PageHand }> {
    const simulated = await openSimulated({ data: folder, port: 0, log, print: (line) => lines.push(line) });
    running.push(simulated);
    return { simulated, page: new PageHand(simulated.url) };
  }
  const codes = (): readonly string[] => lines.map((line) => line.slice(11, 15));
  const printed = (text: string): Promise<void> => eventually(() => expect(lines.join("\n")).toContain(text), 10_000);

  it("asks one question in each chat, and prints each answer as it arrives", async () => {
    const { simulated, page } = await start();
    expect(simulated.open).toBe(3);
    expect(lines).toEqual([
      expect.stringMatching(/^asked {6}\w{4} {2}slack {5}Where does this release go\?$/),
      expect.stringMatching(/^asked {6}\w{4} {2}discord {3}What should the release note say\?$/),
      expect.stringMatching(/^asked {6}\w{4} {2}telegram {2}Apply the plan\?$/),
    ]);
    await page.press("slack", "prod");
    await printed("prod · you, by button");
    await page.waitsFor("discord", ({ text }) => text.includes("What should the release note say?"));
    await page.types("discord", "Faster");
    await printed("Faster · you, by text");
    await page.press("telegram", "Approve");
    await printed("approved · you, by button");
    for (const chat of CHATS)
      await page.waitsFor(chat, ({ text, edited, buttons }) => edited && text.includes("· you, ") && buttons.length === 0);
    expect((await page.state()).terminal).toEqual(lines);
    expect(log.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("shows after a restart what was open, asks nothing twice, and asks anew what was answered", async () => {
    const first = await start();
    await first.page.press("slack", "staging");
    await printed("staging · you");
    const before = { telegram: await first.page.reads("telegram"), discord: await first.page.reads("discord") };
    expect(before.telegram).toHaveLength(1);
    const [, discord, telegram] = codes();
    await running.pop()?.close();

    lines.length = 0;
    const { simulated, page } = await start();
    expect(simulated.open).toBe(3);
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^still open ${discord} {2}discord`)),
      expect.stringMatching(new RegExp(`^still open ${telegram} {2}telegram`)),
      expect.stringMatching(/^asked {6}\w{4} {2}slack/),
    ]);
    await page.waitsFor("slack", ({ buttons }) => buttons.length > 0);
    expect(await page.reads("telegram")).toEqual(before.telegram);
    expect(await page.reads("discord")).toEqual(before.discord);
    await page.press("telegram", "Deny");
    await printed(`declined   ${telegram}  telegram  denied · you`);
    await page.types("discord", "Safer");
    await printed(`answered   ${discord}  discord   Safer · you, by text`);
  });

  it("refuses a second bridge on the same folder and leaves the first one's chats alone", async () => {
    const { page } = await start();
    await page.waitsFor("slack", ({ buttons }) => buttons.length > 0);
    await expect(start()).rejects.toMatchObject({ code: "store_busy" });
    await page.press("slack", "prod");
    await printed("prod · you");
  });

  it("refuses a port that is taken before it touches the data", async () => {
    const { simulated } = await start();
    const port = Number(new URL(simulated.url).port);
    const other = await mkdtemp(join(tmpdir(), "handraise-test-"));
    const opening = openSimulated({ data: other, port, log, print: () => undefined });
    await expect(opening).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining(`Port ${port} on 127.0.0.1 is taken`),
    });
    await expect(stat(join(other, "handraise.db"))).rejects.toMatchObject({ code: "ENOENT" });
    await rm(other, { recursive: true });
  });

  it("keeps the chats private to this user, and says what to do with a file that is not its own", async () => {
    await start();
    expect((await stat(join(folder, STATE_FILE))).mode & 0o777).toBe(0o600);
    await running.pop()?.close();
    await writeFile(join(folder, STATE_FILE), "{}");
    await expect(start()).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("Remove the data folder to start with empty chats, or name another one with --data."),
    });
  });
});
