/**
 * The repository as the policy rules see it: paths and texts. A rule is a pure function from a tree to a list of faults, so each
 * is run twice: on the repository, where it must find nothing, and on a small bad sample, where it must find something.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Texts by path, relative to the repository's root, with forward slashes. */
export type Tree = ReadonlyMap<string, string>;

export const ROOT: string = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

const LEFT_OUT = new Set(["node_modules", "dist", "data", "coverage", ".git"]);
const TEXT = /\.(ts|mjs|js|json|md|yaml|yml|html|css|sql|svg|txt|sh|toml)$|(^|\/)(\.[a-z]+|LICENSE|run)$/;

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (LEFT_OUT.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile()) yield path;
  }
}

let read: Tree | undefined;

/** Every text file of the repository, read once. Left out: what git does not keep. */
export function repository(): Tree {
  read ??= new Map(
    [...walk(ROOT)]
      .map((path) => ({ path, name: relative(ROOT, path).split(sep).join("/") }))
      .filter(({ name }) => TEXT.test(name))
      .sort((a, b) => a.name.localeCompare(b.name))
      .map(({ path, name }) => [name, readFileSync(path, "utf8")]),
  );
  return read;
}

/** A small tree for proving that a rule can fail. */
export function sample(files: Readonly<Record<string, string>>): Tree {
  return new Map(Object.entries(files));
}

/** The tree's entries whose path fits. */
export function pick(tree: Tree, pattern: RegExp): [path: string, text: string][] {
  return [...tree].filter(([path]) => pattern.test(path));
}

/** Our own product code. */
export const PRODUCT = /^(src|adapters)\/.*\.ts$/;
/** All TypeScript and JavaScript that people write here. */
export const CODE = /^(?!.*\/fixtures\/).*\.(ts|mjs|js)$/;
