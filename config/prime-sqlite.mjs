/**
 * Keeps the compiled better-sqlite3 for the next clean install.
 *
 * better-sqlite3 looks for a ready-made binary in npm's cache, then on its download host, and else compiles for two minutes. Where
 * that host is out of reach every `npm ci` pays again. This script puts the binary that was compiled here into npm's cache, under
 * the name that the installer (prebuild-install) looks for, which carries version, Node's module version, platform and architecture.
 *
 * Does nothing when the cache has an entry already or the binary does not load; never fails a build.
 * Use after `npm ci`:  node config/prime-sqlite.mjs
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** npm's own word for its cache folder: the installer reads it from this variable, which npm sets for install scripts. */
function nameCacheFolder() {
  process.env.npm_config_cache ??= execFileSync("npm", ["config", "get", "cache"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  }).trim();
}

function prime() {
  const fromHere = createRequire(import.meta.url);
  const manifest = fromHere.resolve("better-sqlite3/package.json");
  const folder = dirname(manifest);
  const binary = join("build", "Release", "better_sqlite3.node");

  const Database = fromHere("better-sqlite3");
  new Database(":memory:").close(); // throws when the binary is not there or was made for another Node

  nameCacheFolder();
  const fromPackage = createRequire(manifest);
  const { getDownloadUrl, cachedPrebuild } = fromPackage("prebuild-install/util.js");
  const pkg = fromPackage("./package.json");
  const cached = cachedPrebuild(getDownloadUrl({ ...fromPackage("prebuild-install/rc.js")(pkg), pkg }));
  if (existsSync(cached)) return `npm's cache has better-sqlite3 ${pkg.version} already`;

  const partial = `${cached}.${process.pid}.tmp`;
  mkdirSync(dirname(cached), { recursive: true });
  try {
    execFileSync("tar", ["-czf", partial, "-C", folder, binary]);
    renameSync(partial, cached);
  } finally {
    rmSync(partial, { force: true });
  }
  return `put better-sqlite3 ${pkg.version} into npm's cache: the next clean install need not compile it`;
}

try {
  console.log(`prime-sqlite: ${prime()}`);
} catch (error) {
  console.log(`prime-sqlite: nothing done (${error instanceof Error ? error.message : String(error)})`);
}
