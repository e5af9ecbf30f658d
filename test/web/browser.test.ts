import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChatKind } from "../../src/testing/sim/simulator.js";
import { browserTestsRun, launchChromium } from "./chromium.js";
import { openRoom, type TestRoom } from "./room.js";

const CHATS: readonly ChatKind[] = ["slack", "discord", "telegram"];
const RELEASE = { text: "Where does release 42 go?", buttons: ["staging", "prod", "Other…"] };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describe.runIf(browserTestsRun())("the page in a real Chromium", () => {
  let browser: Browser;
  let room: TestRoom;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
  });
  beforeEach(async () => {
    room = await openRoom({ terminal: ["asked   slack   K7QM  Where does release 42 go?"] });
    faults.length = 0;
    await visit();
  });
  afterEach(async () => {
    await page.context().close();
    await room.stop();
    expect(faults).toEqual([]);
  });

  async function visit(options: Parameters<Browser["newContext"]>[0] = { viewport: { width: 1360, height: 820 } }): Promise<void> {
    const context = await browser.newContext(options);
    page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("ERR_CONNECTION_REFUSED")) faults.push(message.text());
    });
    await page.goto(room.page.url);
    await page.getByText("Live", { exact: true }).waitFor();
  }

  function column(chat: ChatKind): Locator {
    return page.locator(`#${chat}`);
  }
  function log(chat: ChatKind): Locator {
    return column(chat).getByRole("log");
  }
  function press(chat: ChatKind, label: string): Promise<void> {
    return column(chat).getByRole("button", { name: label, exact: true }).click();
  }
  function box(chat: ChatKind): Locator {
    return column(chat).getByRole("textbox", { name: /^Write in/ });
  }
  async function shows(chat: ChatKind, text: string): Promise<void> {
    await log(chat).getByText(text, { exact: true }).first().waitFor();
  }

  it.each(CHATS)("a press on %s counts and is confirmed in private", async (chat) => {
    await room.ask(chat, RELEASE);
    await press(chat, "prod");
    await shows(chat, "prod · you");
    const notice = log(chat).getByRole("listitem").filter({ hasText: "Recorded: prod." });
    await notice.getByText("Only you can see this").waitFor();
    expect(room.bots[chat].heard).toEqual(["press prod"]);
    expect(await column(chat).getByRole("button", { name: "prod", exact: true }).count()).toBe(0);
  });

  it.each(CHATS)("a typed reply on %s is sent by Enter", async (chat) => {
    await room.ask(chat, { text: "What should the release note say?" });
    await shows(chat, "What should the release note say?");
    await box(chat).fill("Faster & <b>safer</b>");
    await box(chat).press("Enter");
    await shows(chat, "Faster & <b>safer</b> · you");
    expect(await box(chat).inputValue()).toBe("");
    expect(await log(chat).getByRole("listitem").filter({ hasText: "You" }).locator("b").allTextContents()).toContain("You");
  });

  it.each([
    ["slack", "text later (in thread)"],
    ["discord", "text later (reply)"],
    ["telegram", "text later (reply)"],
  ] as const)("a reply on %s names the message it answers", async (chat, heard) => {
    await room.ask(chat, RELEASE);
    await column(chat).getByRole("button", { name: "Reply to: Where does release 42 go?" }).click();
    await column(chat).getByText("to: Where does release 42 go?").waitFor();
    await box(chat).fill("later");
    await column(chat).getByRole("button", { name: "Send" }).click();
    await shows(chat, "later · you");
    expect(room.bots[chat].heard).toEqual([heard]);
    expect(await column(chat).locator(".replying").isVisible()).toBe(false);
  });

  it.each(["slack", "discord"] as const)("a form on %s opens, survives a reload, and is sent", async (chat) => {
    await room.ask(chat, RELEASE);
    await press(chat, "Other…");
    const dialog = column(chat).getByRole("dialog", { name: "Other answer" });
    await dialog.waitFor();
    await page.reload();
    await dialog.getByLabel("Your answer").fill("canary");
    await dialog.getByRole("button", { name: "Send" }).click();
    await shows(chat, "canary · you");
    await dialog.waitFor({ state: "detached" });
    expect(room.bots[chat].heard).toEqual(["press Other…", "form canary"]);
  });

  it("a form that is not filled in keeps its place and says why; Escape closes it", async () => {
    await room.ask("slack", RELEASE);
    await press("slack", "Other…");
    const dialog = column("slack").getByRole("dialog");
    await dialog.getByRole("button", { name: "Send" }).click();
    await dialog.getByText("Please complete this required field.").waitFor();
    expect(await dialog.getByLabel("Your answer").getAttribute("aria-invalid")).toBe("true");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(room.bots.slack.heard).toEqual(["press Other…"]);
  });

  it("Telegram's forced reply opens the reply box", async () => {
    await room.ask("telegram", RELEASE);
    await press("telegram", "Other…");
    await column("telegram").getByText("Reply to: What should it say?", { exact: true }).first().waitFor();
    await box("telegram").fill("canary");
    await box("telegram").press("Enter");
    await shows("telegram", "canary · you");
    expect(room.bots.telegram.heard).toEqual(["press Other…", "text canary (reply)"]);
  });

  it.each(["slack", "discord"] as const)("a menu on %s is chosen from", async (chat) => {
    await room.ask(chat, { text: "Which region?", menu: ["eu-west", "us-east", "ap-south"] });
    await column(chat).getByLabel("Menu of this message").selectOption("us-east");
    await press(chat, "Choose");
    await shows(chat, "us-east · you");
    expect(room.bots[chat].heard).toEqual(["pick us-east"]);
  });

  it("works by keyboard alone", async () => {
    await room.ask("discord", RELEASE);
    await shows("discord", RELEASE.text);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the Discord reply box");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("discord-text");
    for (const expected of ["Reply to: Where does release 42 go?", "Other…", "prod"]) {
      await page.keyboard.press("Shift+Tab");
      expect(await page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent")).toBe(expected);
    }
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await page.keyboard.press("Space");
    await shows("discord", "prod · you");
    // The pressed button is gone: the focus stays with its message, so Tab goes on from there.
    expect(await page.evaluate("document.activeElement.className")).toBe("message");
  });

  it("a reload and a restart show what there is", async () => {
    await room.ask("slack", RELEASE);
    await shows("slack", RELEASE.text);
    await page.reload();
    await shows("slack", RELEASE.text);
    await room.reopen(async () => {
      await page.getByText("Not connected.").waitFor();
      await room.ask("telegram", { text: "Asked while you were away", buttons: ["ok"] });
    });
    await shows("telegram", "Asked while you were away");
    await page.getByText("Live", { exact: true }).waitFor();
    await press("telegram", "ok");
    await shows("telegram", "ok · you");
  });

  it("on a phone one conversation is shown, the others are a tap away and tell what is new", async () => {
    await page.context().close();
    await visit(PHONE);
    expect(await column("slack").isVisible()).toBe(true);
    expect(await column("telegram").isVisible()).toBe(false);
    await room.ask("telegram", RELEASE);
    const tab = page.getByRole("navigation", { name: "Conversations" }).getByRole("button", { name: /Telegram/ });
    await tab.getByText("1", { exact: true }).waitFor();
    await tab.tap();
    expect(await tab.getAttribute("aria-pressed")).toBe("true");
    const button = column("telegram").getByRole("button", { name: "staging" });
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await button.tap();
    await shows("telegram", "staging · you");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });

  it("what an agent or a person wrote is text, never markup", async () => {
    const attack = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    for (const chat of CHATS) {
      await room.ask(chat, { text: attack, buttons: ["<i>a</i>"] });
      await log(chat).getByText("<img src=x").waitFor();
      expect(await log(chat).locator("img, script, i").count()).toBe(0);
    }
    expect(await page.title()).toBe("Handraise: simulated chats");
  });

  it("names who speaks, labels every control and shows the asker's terminal", async () => {
    for (const chat of CHATS) await column(chat).getByText("Speaking as you").waitFor();
    const controls = '[...document.querySelectorAll("button, input, select, textarea, [role=log], section")]';
    const named = "one.textContent.trim() || one.ariaLabel || one.labels?.length || one.getAttribute('aria-labelledby')";
    expect(await page.evaluate(`${controls}.length`)).toBeGreaterThan(9);
    expect(await page.evaluate(`${controls}.filter((one) => !(${named})).map((one) => one.outerHTML)`)).toEqual([]);
    await page.getByRole("log", { name: "What the asker's terminal shows" }).getByText("K7QM").waitFor();
  });
});
