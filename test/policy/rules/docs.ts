/**
 * The documents against the product: every error code, dependency, file, command, option and npm script that one names is in the
 * other.
 */
import { posix } from "node:path";
import { pick, type Tree } from "./tree.js";

const DOCS = /^(README|CONTRIBUTING)\.md$|^docs\/.*\.md$/;

/** What docs/errors.md must say of each code. */
export type CodeTable = Readonly<Record<string, { readonly http: number; readonly retry: string }>>;

/** The text below a level-two heading, up to the next one; "" when there is none. */
function section(text: string, heading: string): string {
  const start = text.indexOf(`\n## ${heading}\n`);
  if (start < 0) return "";
  const rest = text.slice(start + heading.length + 5);
  const end = rest.indexOf("\n## ");
  return end < 0 ? rest : rest.slice(0, end);
}

function entries(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const part of text.split(/^### /m).slice(1)) {
    const name = /^`([\w]+)`\n/.exec(part)?.[1] ?? part.split("\n")[0] ?? "";
    found.set(name, [...(found.get(name) ?? []), part]);
  }
  return found;
}

function codeListFaults(where: string, found: Map<string, string[]>, codes: readonly string[]): string[] {
  const missing = codes.filter((code) => !found.has(code)).map((code) => `${where}: no entry for ${code}`);
  const unknown = [...found.keys()]
    .filter((code) => !codes.includes(code))
    .map((code) => `${where}: an entry for "${code}", which is no code`);
  const twice = [...found].filter(([, parts]) => parts.length > 1).map(([code]) => `${where}: two entries for ${code}`);
  return [...missing, ...unknown, ...twice];
}

/** Codes and docs/errors.md against each other, with HTTP status and retry advice of each. */
export function errorDocFaults(tree: Tree, codes: CodeTable, deliveryCodes: readonly string[]): string[] {
  const text = tree.get("docs/errors.md") ?? "";
  const errors = entries(section(text, "Error codes"));
  const numbers = Object.entries(codes).flatMap(([code, { http, retry }]) => {
    const entry = errors.get(code)?.[0];
    const line = `HTTP ${http}. Retry: ${retry}.`;
    return entry === undefined || entry.includes(line) ? [] : [`docs/errors.md: ${code} must say "${line}"`];
  });
  return [
    ...codeListFaults("docs/errors.md, Error codes", errors, Object.keys(codes)),
    ...codeListFaults("docs/errors.md, Delivery codes", entries(section(text, "Delivery codes")), deliveryCodes),
    ...numbers,
  ];
}

type Manifest = Partial<
  Record<"dependencies" | "devDependencies" | "peerDependencies" | "optionalDependencies" | "scripts", Record<string, string>>
>;

function manifest(tree: Tree): Manifest {
  return JSON.parse(tree.get("package.json") ?? "{}") as Manifest;
}

/** Dependencies without a row in docs/dependencies.md, rows without a dependency, rows without a reason. */
export function dependencyDocFaults(tree: Tree): string[] {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest(tree);
  const used = new Set(Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies, ...optionalDependencies }));
  const rows = [...(tree.get("docs/dependencies.md") ?? "").matchAll(/^\| `([^`]+)` +\|(.*)\|$/gm)];
  const named = rows.map(([, name = ""]) => name);
  return [
    ...[...used].filter((name) => !named.includes(name)).map((name) => `docs/dependencies.md: no reason for ${name}`),
    ...named.filter((name) => !used.has(name)).map((name) => `docs/dependencies.md: ${name} is not in package.json`),
    ...named.filter((name, index) => named.indexOf(name) !== index).map((name) => `docs/dependencies.md: two rows for ${name}`),
    ...rows.filter(([, , reason = ""]) => reason.trim().length < 10).map(([, name]) => `docs/dependencies.md: ${name} has no reason`),
  ];
}

function numbered(text: string): { readonly line: string; readonly at: number }[] {
  return text.split("\n").map((line, index) => ({ line, at: index + 1 }));
}

/** `src/<room>/{a,b}*.ts` as a pattern over paths; a folder stands for what is in it. */
function pathPattern(name: string): RegExp {
  const escaped = name
    .replace(/\/$/, "")
    .replace(/[.+?^$()|[\]\\]/g, "\\$&")
    .replace(/<[^>]*>|…/g, "[^/]+")
    .replace(/\*\*/g, ".+")
    .replace(/(?<!\.)\*/g, "[^/]*")
    .replace(/\{([^}]*)\}/g, (_all, names: string) => `(?:${names.split(",").join("|")})`);
  return new RegExp(`^${escaped}(?:/.*)?$`);
}

const TOP_FOLDERS = "src|adapters|docs|config|test|examples|\\.ci";
const IN_BACKTICKS = new RegExp(`\`((?:${TOP_FOLDERS})/[^\`\\s]*)\``, "g");
const IN_COMMENTS = /(?<![\w./-])((?:src|adapters|docs|config|test|examples)\/[\w/-]+(?:\.[\w-]+)*\.(?:ts|mjs|md|json|yaml|sql))\b/g;

/** Files and folders that documents (in backticks, as links) or comments in code name, and that are not there. */
export function fileFaults(tree: Tree): string[] {
  const paths = [...tree.keys()];
  const there = (name: string): boolean => paths.some((path) => pathPattern(name).test(path));
  const missing = (path: string, at: number, name: string): string[] => (there(name) ? [] : [`${path}:${at}: ${name} is not there`]);
  const inDocs = pick(tree, DOCS).flatMap(([path, text]) =>
    numbered(text).flatMap(({ line, at }) => [
      ...[...line.matchAll(IN_BACKTICKS)].flatMap(([, name = ""]) => missing(path, at, name)),
      ...[...line.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].flatMap(([, link = ""]) =>
        missing(path, at, posix.join(posix.dirname(path), link)),
      ),
    ]),
  );
  const inCode = pick(tree, /^(src|adapters|config)\/.*\.(ts|mjs)$/).flatMap(([path, text]) =>
    numbered(text)
      .filter(({ line }) => /^\s*(\/?\*|\/\/)/.test(line))
      .flatMap(({ line, at }) => [...line.matchAll(IN_COMMENTS)].flatMap(([, name = ""]) => missing(path, at, name))),
  );
  return [...inDocs, ...inCode];
}

/** npm scripts that documents name and package.json does not have. */
export function scriptFaults(tree: Tree): string[] {
  const scripts = manifest(tree).scripts ?? {};
  return pick(tree, DOCS).flatMap(([path, text]) =>
    numbered(text).flatMap(({ line, at }) =>
      [...line.matchAll(/\bnpm (?:run ([\w:-]+)|(test|start))\b/g)]
        .map(([, run, short]) => run ?? short ?? "")
        .filter((name) => !(name in scripts))
        .map((name) => `${path}:${at}: there is no script "${name}"`),
    ),
  );
}

/** Commands and options that the command line declares: the string given to `.command(…)`, `new Command(…)`, `.option(…)`. */
export function commandLine(tree: Tree): { readonly commands: ReadonlySet<string>; readonly options: ReadonlySet<string> } {
  const texts = pick(tree, /^src\/cli\/.*\.ts$/).map(([, text]) => text);
  const commands = texts.flatMap((text) =>
    [...text.matchAll(/(?:\.command|new Command|Command)\(\s*(?:program,\s*)?["'`]([\w-]+)/g)].map(([, name = ""]) => name),
  );
  const options = texts.flatMap((text) => [...text.matchAll(/["'`][^"'`\n]*?(--[a-z][\w-]*)/g)].map(([, name = ""]) => name));
  return { commands: new Set(commands), options: new Set([...options, "--help", "--version"]) };
}

/** Commands and options of `handraise` that documents show and src/cli does not declare. */
export function commandFaults(tree: Tree): string[] {
  if (pick(tree, /^src\/cli\//).length === 0) return [];
  const { commands, options } = commandLine(tree);
  return pick(tree, DOCS).flatMap(([path, text]) =>
    numbered(text).flatMap(({ line, at }) =>
      [...line.matchAll(/(?:^|[`(]|\$ |npx (?:-y )?|&& |\| )handraise ([a-z][\w-]*)([^`|&]*)/g)].flatMap(([, command = "", rest = ""]) => {
        if (!commands.has(command)) return [`${path}:${at}: there is no command "handraise ${command}"`];
        return [...rest.matchAll(/(?<=\s)--[a-z][\w-]*/g)]
          .filter(([option]) => !options.has(option))
          .map(([option]) => `${path}:${at}: handraise has no option ${option}`);
      }),
    ),
  );
}

/** The changelog: what is not released yet stands on top. */
export function changelogFaults(tree: Tree): string[] {
  const headings = [...(tree.get("CHANGELOG.md") ?? "").matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings[0] === "Unreleased" ? [] : [`CHANGELOG.md: the first heading must be "Unreleased", not "${headings[0] ?? ""}"`];
}
