/**
 * The page's own files, read once when it is served: nothing outside this list can be fetched.
 */
import { readFile } from "node:fs/promises";

/** One file of the page with its content type. */
export type Asset = { readonly text: string; readonly type: string };

const FILES = [
  ["index.html", "text/html; charset=utf-8"],
  ["page.css", "text/css; charset=utf-8"],
  ["chats.css", "text/css; charset=utf-8"],
  ["looks.css", "text/css; charset=utf-8"],
  ["page.js", "text/javascript; charset=utf-8"],
  ["chat.js", "text/javascript; charset=utf-8"],
  ["message.js", "text/javascript; charset=utf-8"],
  ["form.js", "text/javascript; charset=utf-8"],
  ["element.js", "text/javascript; charset=utf-8"],
  ["icon.svg", "image/svg+xml"],
] as const;

/** Reads the page's files (src/web/assets, beside this module in the build too), by their path on the page. */
export async function readAssets(): Promise<ReadonlyMap<string, Asset>> {
  const read = FILES.map(async ([name, type]): Promise<[string, Asset]> => {
    return [`/${name}`, { text: await readFile(new URL(`./assets/${name}`, import.meta.url), "utf8"), type }];
  });
  return new Map(await Promise.all(read));
}
