/**
 * A real Chromium for the page's tests: found on the PATH or where Playwright keeps its own.
 *
 * Without one the browser tests are skipped with a printed line; with HANDRAISE_BROWSER=required (CI) that is a failure.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "msedge"];
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The Chromium to use; undefined when there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), chromium.executablePath()].find(runs);
}

/** Should the browser tests run? Prints why not; throws where a browser is required. */
export function browserTestsRun(): boolean {
  if (findChromium() !== undefined) return true;
  if (process.env["HANDRAISE_BROWSER"] === "required") throw new Error("HANDRAISE_BROWSER=required, but no Chromium was found on the PATH");
  process.stderr.write("browser tests skipped: no Chromium on the PATH\n");
  return false;
}

/** Starts the Chromium that `findChromium` found. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("no Chromium");
  return chromium.launch({ executablePath, args: ARGUMENTS });
}
