/**
 * Who may import whom (docs/architecture.md draws the same).
 *
 *   app -> doors -> client | durable | harness | runs | host | gateway -> ports -> core
 *
 * Within the middle, runs, durable and harness stand on the gateway, never the other way round. Beside that line: audit is written by the gateway and read by doors; dispatch is the call path to the gateway, in reach of client,
 * doors and app, never of the host, which knows only the dispatcher port; interop translates shapes; testing is published and knows
 * the ports alone. errors.ts may be imported by all. `cli` starts the program, so it alone of the doors reaches app; app never
 * reaches back. An adapter sees ports, core, errors and its own folder; only the registry sees adapters, only app sees the registry.
 */
import { importsOf, packageOf, targetOf } from "./syntax.js";
import { PRODUCT, pick, type Tree } from "./tree.js";

const BELOW_DOORS = ["client", "durable", "harness", "runs", "host", "gateway", "dispatch", "audit", "interop", "ports", "core"];
const DOORS = ["http", "socket", "mcp", "web", "webhooks"];

/** Room -> rooms it may import, besides itself and errors. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  core: [],
  ports: ["core"],
  interop: ["core"],
  audit: ["ports", "core"],
  gateway: ["audit", "ports", "core"],
  host: ["audit", "ports", "core"],
  runs: ["gateway", "audit", "ports", "core"],
  dispatch: ["gateway", "ports", "core"],
  client: ["dispatch", "ports", "core"],
  durable: ["client", "gateway", "dispatch", "ports", "core"],
  harness: ["client", "durable", "runs", "gateway", "dispatch", "ports", "core"],
  ...Object.fromEntries(DOORS.map((door) => [door, BELOW_DOORS])),
  web: [...BELOW_DOORS, "testing"], // its desk shows the simulated chats
  cli: [...BELOW_DOORS, "app"],
  app: [...DOORS, ...BELOW_DOORS, "testing", "registry"],
  testing: ["ports", "core"],
  index: ["app", ...BELOW_DOORS],
  adapter: ["ports", "core"],
  registry: ["adapter", "ports", "core"],
};

/** Imports that may name types only: the client speaks the gateway's calls, and never brings its code along. */
const ALLOWED_TYPES: Readonly<Record<string, readonly string[]>> = { client: ["gateway"] };

/** Packages of a platform or engine: the folder that owns them, and whether only its client.ts may load them. */
const SDKS: readonly { readonly pattern: RegExp; readonly owner: string; readonly onlyClient: boolean }[] = [
  { pattern: /^@slack\//, owner: "adapters/channels/slack", onlyClient: true },
  { pattern: /^(discord\.js|@discordjs\/|discord-api-types)/, owner: "adapters/channels/discord", onlyClient: true },
  { pattern: /^(grammy|@grammyjs\/)/, owner: "adapters/channels/telegram", onlyClient: true },
  { pattern: /^better-sqlite3$/, owner: "adapters/stores/sqlite", onlyClient: false },
  { pattern: /^(pg|kysely)$/, owner: "adapters/stores/postgres", onlyClient: false },
];
/** Packages of a platform's types: their types may be imported anywhere the platform is spoken, their values as any SDK's. */
const TYPE_PACKAGES = new Set(["@slack/types", "discord-api-types", "@grammyjs/types"]);

type Spot = { readonly room: string; readonly folder: string };

/** A file's room, and for adapters the folder that is its own. */
function spotOf(path: string): Spot {
  const parts = path.split("/");
  const [top, second = "", third = ""] = parts;
  if (path === "adapters/registry.ts") return { room: "registry", folder: "adapters" };
  if (top === "adapters") return { room: "adapter", folder: `adapters/${second}/${third}` };
  const room = second.replace(/\.ts$/, "");
  return { room, folder: `src/${room}` };
}

function allowed({ from, to, typeOnly }: { readonly from: string; readonly to: string; readonly typeOnly: boolean }): boolean {
  const [source, target] = [spotOf(from), spotOf(to)];
  if (target.room === "errors") return true;
  if (source.room === target.room) return source.folder === target.folder;
  if (target.room === "adapter") return source.room === "registry" && to.endsWith("/index.ts");
  if (typeOnly && ALLOWED_TYPES[source.room]?.includes(target.room)) return true;
  return (ALLOWED[source.room] ?? []).includes(target.room);
}

/** Imports between rooms that the table does not allow, rooms that it does not know, imports of files that are not there. */
export function directionFaults(tree: Tree): string[] {
  return pick(tree, PRODUCT).flatMap(([path, text]) => {
    const { room } = spotOf(path);
    if (!(room in ALLOWED)) return [`${path}: the room "${room}" is not in the table of test/policy/rules/imports.ts`];
    return importsOf(path, text).flatMap(({ specifier, typeOnly, line }) => {
      const target = targetOf(path, specifier);
      if (target === undefined) return [];
      if (!/^(src|adapters)\//.test(target)) return [`${path}:${line}: product code imports ${target}`];
      return allowed({ from: path, to: target, typeOnly }) ? [] : [`${path}:${line}: ${room} must not import ${target}`];
    });
  });
}

function sdkFault(path: string, specifier: string, typeOnly: boolean): string | undefined {
  const sdk = SDKS.find(({ pattern }) => pattern.test(specifier));
  if (!sdk) return undefined;
  const { room, folder } = spotOf(path);
  const speaksIt = folder === sdk.owner;
  if (typeOnly && TYPE_PACKAGES.has(packageOf(specifier))) {
    return speaksIt || room === "testing" ? undefined : `types of ${specifier} stay in ${sdk.owner} and src/testing`;
  }
  if (speaksIt && (!sdk.onlyClient || path === `${folder}/client.ts`)) return undefined;
  return `${specifier} may be imported only by ${sdk.owner}${sdk.onlyClient ? "/client.ts" : ""}`;
}

/** SDKs outside their one user, and packages in the pure rules. */
export function packageFaults(tree: Tree): string[] {
  return pick(tree, PRODUCT).flatMap(([path, text]) =>
    importsOf(path, text).flatMap(({ specifier, typeOnly, line }) => {
      if (specifier.startsWith(".")) return [];
      const fault = sdkFault(path, specifier, typeOnly);
      if (fault) return [`${path}:${line}: ${fault}`];
      const inCore = path.startsWith("src/core/") && specifier !== "zod";
      if (inCore) return [`${path}:${line}: core imports zod only, not ${specifier}`];
      const runnerElsewhere = specifier === "vitest" && !path.startsWith("src/testing/contract/");
      return runnerElsewhere ? [`${path}:${line}: only the contract suites may import vitest`] : [];
    }),
  );
}

function graphOf(tree: Tree): Map<string, string[]> {
  return new Map(
    pick(tree, PRODUCT).map(([path, text]) => {
      const targets = importsOf(path, text).map(({ specifier }) => targetOf(path, specifier));
      return [path, targets.filter((target) => target !== undefined && tree.has(target))] as [string, string[]];
    }),
  );
}

/** Rings of imports, imports of types included; one line per ring, from its first file by name. */
export function cycleFaults(tree: Tree): string[] {
  const graph = graphOf(tree);
  const done = new Set<string>();
  const rings = new Set<string>();
  const follow = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      const ring = trail.slice(at);
      const first = ring.indexOf([...ring].sort()[0] ?? path);
      rings.add([...ring.slice(first), ...ring.slice(0, first), ring[first]].join(" -> "));
      return;
    }
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) follow(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) follow(path, []);
  return [...rings].map((ring) => `import cycle: ${ring}`);
}

/** Relative imports of files that are not there, and imports that do not end in `.js`. */
export function missingFaults(tree: Tree): string[] {
  return pick(tree, PRODUCT).flatMap(([path, text]) =>
    importsOf(path, text).flatMap(({ specifier, line }) => {
      const target = targetOf(path, specifier);
      if (target === undefined) return [];
      if (!specifier.endsWith(".js")) return [`${path}:${line}: ${specifier} must end in .js`];
      return tree.has(target) ? [] : [`${path}:${line}: ${target} is not there`];
    }),
  );
}
