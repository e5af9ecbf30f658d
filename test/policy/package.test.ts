/**
 * The published package: packed, unpacked elsewhere beside its run-time dependencies alone, and used through each of its doors.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifestOf, promisedFiles, uninstalledFaults, versionFaults } from "./rules/packages.js";
import { ROOT, repository, sample } from "./rules/tree.js";

const run = promisify(execFile);
const manifest = manifestOf(repository());

describe("the manifest", () => {
  it("lists what the product imports", () => {
    expect(uninstalledFaults(repository())).toEqual([]);
  });

  it("can fail: an import of a development package", () => {
    const tree = {
      "package.json": '{"devDependencies":{"tsx":"4.0.0"}}',
      "src/core/a.ts": 'import "tsx/esm"; import "node:fs"; import "./b.js";',
    };
    expect(uninstalledFaults(sample(tree))).toEqual(["src/core/a.ts:1: tsx/esm is no dependency of the published package"]);
  });

  it("pins every version", () => {
    expect(versionFaults(repository())).toEqual([]);
  });

  it("can fail: a range", () => {
    expect(versionFaults(sample({ "package.json": '{"dependencies":{"a":"^1.0.0","b":"1.0.0","c":"npm:d@1.0.0","e":"*"}}' }))).toHaveLength(
      2,
    );
  });
});

describe("the packed package", () => {
  let folder = "";
  let packed: readonly string[] = [];

  beforeAll(async () => {
    await run(process.execPath, [join(ROOT, "config", "build.mjs"), "--if-stale"]);
    folder = await mkdtemp(join(tmpdir(), "handraise-pack-"));
    const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { cwd: ROOT });
    const listing: unknown = JSON.parse(stdout);
    const [first] = Object.values(
      listing as Record<string, { readonly filename: string; readonly files: readonly { readonly path: string }[] }>,
    );
    packed = first?.files.map(({ path }) => path) ?? [];
    const modules = join(folder, "node_modules");
    await mkdir(join(modules, "handraise"), { recursive: true });
    await run("tar", ["-xzf", join(folder, first?.filename ?? ""), "-C", join(modules, "handraise"), "--strip-components=1"]);
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(ROOT, "node_modules", name), join(modules, name), "dir");
    }
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("has every file that exports and bin promise, the documents and the license", () => {
    const wanted = [...promisedFiles(manifest), "README.md", "LICENSE", "CHANGELOG.md", "docs/errors.md"];
    expect(wanted.filter((path) => !packed.includes(path))).toEqual([]);
  });

  it("has no sources, tests or leftovers", () => {
    expect(
      packed.filter((path) => !/^(dist\/(src|adapters)|docs|config)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(path)),
    ).toEqual([]);
    expect(packed.filter((path) => /(?<!\.d)\.ts$|build-stamp|build\.mjs/.test(path))).toEqual([]);
  });

  it("opens every door without a development package, the test runner included", async () => {
    const doors = Object.keys(manifest.exports ?? {}).filter((door) => !["./package.json", "./testing/contract"].includes(door));
    const specifiers = doors.map((door) => `handraise${door.slice(1)}`);
    const script = `const counts = {};
      for (const door of ${JSON.stringify(specifiers)}) counts[door] = Object.keys(await import(door)).length;
      console.log(JSON.stringify(counts));`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    const counts = JSON.parse(stdout) as Record<string, number>;
    expect(Object.keys(counts)).toEqual(specifiers);
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  });

  it("runs as a command", async () => {
    const command = join(folder, "node_modules", "handraise", manifest.bin?.["handraise"] ?? "");
    const { stdout } = await run(command, ["--version"], { cwd: folder });
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+/);
  });
});
