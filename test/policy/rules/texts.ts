/** What no file may contain: paths of one machine, hosts of package registries, put-off work, muted checks, tests that do not run. */
import { CODE, pick, type Tree } from "./tree.js";

type Ban = { readonly what: string; readonly pattern: RegExp; readonly where: RegExp };

const ANY = /^(?!package-lock\.json$)/;
/** Spelled in two parts so that this file does not find itself. */
const words = (...parts: readonly string[]): string => parts.map((part) => part.replace("·", "")).join("|");

const BANS: readonly Ban[] = [
  {
    what: "a path of one machine",
    pattern: new RegExp(
      `(?<![\\w.~/*-])(?:${words("/wo·rk", "/ro·ot", "/ho·me", "/Us·ers", "/t·mp", "/o·pt", "[A-Z]:\\\\Us·ers")})[/\\\\]\\w`,
    ),
    where: ANY,
  },
  {
    what: "the host of a package registry",
    pattern: new RegExp(
      words(
        "npm·js\\.(org|com)",
        "yarn·pkg\\.com",
        "npm·mirror\\.com",
        "py·pi\\.org",
        "deb·ian\\.org",
        "ubu·ntu\\.com",
        "crat·es\\.io",
        "proxy\\.go·lang",
      ),
      "i",
    ),
    where: /^/,
  },
  { what: "put-off work", pattern: new RegExp(`\\b(?:${words("TO·DO", "FIX·ME", "XX·X", "HA·CK")})\\b`), where: ANY },
  {
    what: "a muted check",
    pattern: new RegExp(
      words(
        "@ts-ig·nore",
        "@ts-no·check",
        "biome-ig·nore",
        "eslint-dis·able",
        "oxlint-dis·able",
        "prettier-ig·nore",
        "(?:c8|v8|istanbul) ig·nore",
      ),
    ),
    where: /\.(ts|mjs|js|css|html)$/,
  },
  { what: "an expected type error outside a test", pattern: /@ts-expect-error/, where: /^(src|adapters|config)\// },
  {
    what: "a test that does not run, or keeps others from running",
    pattern: /\b(?:it|test|describe|suite)(?:\.\w+)*\.(?:only|skip|todo|fails)\b/,
    where: /^(test|src\/testing)\/(?!policy\/)/,
  },
  { what: "a default export", pattern: /^export default\b/m, where: /^(src|adapters|test|examples)\/.*\.ts$/ },
];

function faultsOf(path: string, text: string, { what, pattern }: Ban): string[] {
  return text
    .split("\n")
    .map((line, index) => ({ line, at: index + 1 }))
    .filter(({ line }) => pattern.test(line))
    .map(({ at }) => `${path}:${at}: ${what}`);
}

/** Banned texts anywhere in the repository. */
export function textFaults(tree: Tree): string[] {
  return BANS.flatMap((ban) => pick(tree, ban.where).flatMap(([path, text]) => faultsOf(path, text, ban)));
}

/** Addresses in the lock file: it must install from whichever registry the machine is set up for. */
export function lockFaults(tree: Tree): string[] {
  return pick(tree, /(^|\/)package-lock\.json$/).flatMap(([path, text]) =>
    text
      .split("\n")
      .map((line, index) => ({ line, at: index + 1 }))
      .filter(({ line }) => /^\s*"resolved":\s*"(?!file:)/.test(line))
      .map(({ at }) => `${path}:${at}: records where a package came from`),
  );
}

/** Code that waits for a time instead of for an event: a bare sleep in a test. */
export function sleepFaults(tree: Tree): string[] {
  return pick(tree, CODE)
    .filter(([path]) => /^test\/(?!policy\/)/.test(path))
    .flatMap(([path, text]) =>
      text
        .split("\n")
        .map((line, index) => ({ line, at: index + 1 }))
        .filter(({ line }) => /await (?:sleep|delay)\(|await setTimeout\(|await new Promise[^;]*setTimeout\(\w+, *[1-9]/.test(line))
        .map(({ at }) => `${path}:${at}: a bare sleep; wait for the event, up to a limit`),
    );
}
