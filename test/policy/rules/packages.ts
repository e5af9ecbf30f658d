/** The manifest against the code: what the product imports is installed with it, at an exact version. */
import { importsOf, packageOf } from "./syntax.js";
import { PRODUCT, pick, type Tree } from "./tree.js";

/** The parts of package.json that the rules read. */
export type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
};

export function manifestOf(tree: Tree): Manifest {
  return JSON.parse(tree.get("package.json") ?? "{}") as Manifest;
}

/** Imports of product code that an installed package would not find: not a dependency, nor a peer. */
export function uninstalledFaults(tree: Tree): string[] {
  const { dependencies, peerDependencies } = manifestOf(tree);
  const installed = new Set(Object.keys({ ...dependencies, ...peerDependencies }));
  return pick(tree, PRODUCT).flatMap(([path, text]) =>
    importsOf(path, text)
      .filter(({ specifier }) => !/^(\.|node:)/.test(specifier) && !installed.has(packageOf(specifier)))
      .map(({ specifier, line }) => `${path}:${line}: ${specifier} is no dependency of the published package`),
  );
}

/** Versions that are not exact: the same install everywhere, until someone decides otherwise. */
export function versionFaults(tree: Tree): string[] {
  const { dependencies, devDependencies } = manifestOf(tree);
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name, version]) => `package.json: ${name} has the version "${version}", which is not exact`);
}

/** Every file that the manifest promises: the targets of `exports` and `bin`, without their leading `./`. */
export function promisedFiles({ exports = {}, bin = {} }: Manifest): string[] {
  const targets = [...Object.values(exports), ...Object.values(bin)].flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target),
  );
  return targets.map((target) => target.replace(/^\.\//, ""));
}
