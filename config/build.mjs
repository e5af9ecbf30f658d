/**
 * Builds dist: compiles src and adapters with the native TypeScript compiler and copies what is not TypeScript beside them.
 *
 *   node config/build.mjs              always
 *   node config/build.mjs --if-stale   only when a source, the compiler's settings or this file changed since the last build
 *
 * The build is made in a side folder and put in place by a rename, so a failed or interrupted build never leaves half a dist and
 * two builds at once do not mix. Prints nothing but errors.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const staged = join(root, "node_modules", ".cache", `handraise-build-${process.pid}`);
const stampName = ".build-stamp";
const SOURCES = ["src", "adapters"];
const SETTINGS = ["tsconfig.json", "config/tsconfig.build.json", "config/build.mjs", "package-lock.json"];
/** Programs that npm links as commands: they get the executable bit. */
const COMMANDS = ["src/cli/main.js"];

/** Every file below a folder of the repository, as paths relative to the root. */
function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** One digest over names, sizes and change times: a changed, added or removed file changes it. */
function stamp(files) {
  const hash = createHash("sha256");
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function compile() {
  const compiler = join(root, "node_modules", "typescript-native", "bin", "tsc");
  const settings = join(root, "config", "tsconfig.build.json");
  execFileSync(process.execPath, [compiler, "-p", settings, "--outDir", staged], { stdio: ["ignore", process.stderr, "inherit"] });
}

function copyAssets(files) {
  for (const file of files.filter((name) => !name.endsWith(".ts"))) {
    mkdirSync(dirname(join(staged, file)), { recursive: true });
    cpSync(join(root, file), join(staged, file));
  }
}

function markCommands() {
  for (const command of COMMANDS) {
    const file = join(staged, command);
    if (!existsSync(file)) continue;
    const text = readFileSync(file, "utf8");
    if (!text.startsWith("#!")) writeFileSync(file, `#!/usr/bin/env node\n${text}`);
    chmodSync(file, 0o755);
  }
}

function putInPlace() {
  const old = `${staged}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(staged, dist);
  rmSync(old, { recursive: true, force: true });
}

const files = SOURCES.flatMap(filesBelow);
const now = stamp([...files, ...SETTINGS.filter((file) => existsSync(join(root, file)))]);
const built = existsSync(join(dist, stampName)) ? readFileSync(join(dist, stampName), "utf8") : "";

if (!process.argv.includes("--if-stale") || built !== now) {
  try {
    rmSync(staged, { recursive: true, force: true });
    mkdirSync(staged, { recursive: true });
    compile();
    copyAssets(files);
    markCommands();
    writeFileSync(join(staged, stampName), now);
    putInPlace();
  } catch (error) {
    console.error(`build failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}
