import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../fixtures/eventually.js";
import { browserTestsRun, launchChromium } from "../web/chromium.js";

const START_MS = 30_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe.runIf(browserTestsRun())("handraise start --simulated, in a process of its own and a real Chromium", () => {
  let folder: string;
  let port: number;
  let browser: Browser;
  let page: Page;
  let child: ChildProcess;
  let printed = "";

  beforeAll(() => {
    execFileSync(process.execPath, ["config/build.mjs", "--if-stale"], { stdio: "inherit" }); // Nothing to do after `npm test` began.
  }, 120_000);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "handraise-test-"));
    port = await freePort();
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1360, height: 820 } });
    page.setDefaultTimeout(15_000);
  });
  afterEach(async () => {
    child.kill("SIGKILL");
    await browser.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function start(): Promise<void> {
    printed = "";
    const program = ["dist/src/cli/main.js", "start", "--simulated", "--port", String(port), "--data", folder];
    child = spawn(process.execPath, program, { env: { ...process.env, HANDRAISE_LOG: "warn" } });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    await eventually(() => expect(printed).toContain("ready: simulated slack, discord, telegram"), START_MS);
  }
  const says = (text: string): Promise<void> => eventually(() => expect(printed).toContain(text), 15_000);
  const press = (chat: string, label: string): Promise<void> =>
    page.locator(`#${chat}`).getByRole("button", { name: label, exact: true }).last().click();
  /** Answers the newest prompt by replying to it: loose text asks back within 10 s of another answer in that chat (R24). */
  async function type(chat: string, text: string): Promise<void> {
    const prompt = page
      .locator(`#${chat}`)
      .getByRole("listitem")
      .filter({ has: page.getByRole("button", { name: /^(Decline|Deny)$/ }) });
    await prompt.getByRole("button", { name: /^Reply to/ }).click();
    await page.locator(`#${chat}-text`).fill(text);
    await page.locator(`#${chat}-text`).press("Enter");
  }

  it("takes presses and typed replies in all three chats, over a reload, a kill and a restart", async () => {
    await start();
    await page.goto(`http://127.0.0.1:${port}`);
    await press("slack", "staging");
    await says("staging · you, by button");
    await press("telegram", "Approve");
    await says("approved · you, by button");
    await press("discord", "Write…");
    await page.reload();
    const form = page.locator("#discord").getByRole("dialog");
    await form.getByRole("textbox").fill("Faster");
    await form.getByRole("button", { name: "Send" }).click();
    await says("Faster · you, by modal");

    child.kill("SIGKILL");
    await page.getByText("Not connected.").waitFor();
    await start();
    expect(printed.match(/^asked /gm)).toHaveLength(3);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.locator("#slack").getByText("staging · you", { exact: false }).first().waitFor();
    for (const [chat, text, answer] of [
      ["slack", "2", "prod · you, by text"],
      ["discord", "Safer", "Safer · you, by text"],
      ["telegram", "yes", "approved · you, by text"],
    ] as const) {
      await type(chat, text);
      await says(answer);
    }

    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    await page.getByText("Not connected.").waitFor();
  }, 120_000);

  it("shows after a kill the questions that are still open, and takes their answers", async () => {
    await start();
    await page.goto(`http://127.0.0.1:${port}`);
    await page.locator("#telegram").getByRole("button", { name: "Approve", exact: true }).waitFor();
    await page.locator("#discord").getByRole("button", { name: "Write…", exact: true }).waitFor();
    child.kill("SIGKILL");
    await start();
    expect(printed.match(/^still open /gm)).toHaveLength(3);
    expect(printed).not.toMatch(/^asked /m);
    await page.getByText("Live", { exact: true }).waitFor();
    for (const chat of ["slack", "discord", "telegram"]) {
      expect(await page.locator(`#${chat}`).getByRole("listitem").count()).toBe(1);
    }
    await press("telegram", "Deny");
    await says("denied · you");
    await type("discord", "Safer");
    await says("Safer · you, by text");
  }, 120_000);
});
