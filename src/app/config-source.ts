/**
 * A config as it was written: plain values, and where each of them stands. YAML 1.2 with line numbers, or an object.
 *
 * S1  Ids keep every digit: a number under `people` is taken as the text it was written as (a Discord id is above 2^53).
 * S2  `${NAME}` inside any text of a file becomes the variable's value, after parsing, so a value can never add settings.
 *     `$${` stands for a plain `${`. An object is taken as it is.
 * S3  Nothing of a file is executed or expanded without bound: 10,000 values, 20 levels.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

/** A setting's path: `["people", "bob", "slack"]`. */
export type SettingPath = readonly (string | number)[];
/** Line and column from 1. */
export type Position = { readonly line: number; readonly column: number };
/** `key`: where the setting's name stands; `value`: where its value begins. */
export type Spot = "key" | "value";

/** One fault of a config. */
export type ConfigProblem = {
  readonly path: SettingPath;
  readonly at: Spot;
  readonly code: string;
  /** What is wrong and what to do; ends in a full stop. */
  readonly message: string;
  /** Only for faults of the file itself, which have no setting. */
  readonly position?: Position;
};

/** What was written, where each setting stands, and what could not be read. */
export type ConfigSource = {
  /** The file's name as people know it; undefined for an object. */
  readonly file: string | undefined;
  readonly value: unknown;
  /** Where a setting stands; its nearest ancestor when it is missing; undefined for an object. */
  where(path: SettingPath, at: Spot): Position | undefined;
  /** Faults found while reading. */
  readonly problems: readonly ConfigProblem[];
};

const VALUES_MAX = 10_000;
const DEPTH_MAX = 20;
const VARIABLE = /\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A config given as an object: no positions, no variables. */
export function objectSource(value: unknown): ConfigSource {
  const problems: ConfigProblem[] = [];
  return { file: undefined, value: plainObject(value, { path: [], problems }), where: () => undefined, problems };
}

/** An explicit `undefined` counts as absent; a number under `people` must be exact to be an id. */
function plainObject(value: unknown, at: { readonly path: SettingPath; readonly problems: ConfigProblem[] }): unknown {
  const { path, problems } = at;
  if (typeof value === "number" && path[0] === "people") {
    if (Number.isSafeInteger(value)) return String(value);
    problems.push({ path, at: "value", code: "inexact", message: "this number has lost digits. Write the id as text, in quotes." });
    return "0";
  }
  if (Array.isArray(value)) return value.map((item, index) => plainObject(item, { path: [...path, index], problems }));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, plainObject(item, { path: [...path, key], problems })]));
}

/**
 * A config file's text.
 * @param options.variable the value of an environment variable, or of the `.env` file beside the config.
 */
export function yamlSource(
  text: string,
  options: { readonly file: string; readonly variable: (name: string) => string | undefined },
): ConfigSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: "1.2" });
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const problems: ConfigProblem[] = document.errors.map((error) => ({
    path: [],
    at: "value",
    code: "yaml",
    message: `${error.message.replace(/\s+/g, " ").replace(/\.$/, "")}.`,
    position: position(error.pos[0]),
  }));
  const reader = new Reader(document, { variable: options.variable, problems });
  const value = problems.length > 0 ? {} : reader.read(document.contents, []);
  const where = (path: SettingPath, at: Spot): Position => position(offsetOf(document, { path, at }));
  return { file: options.file, value: value ?? {}, where, problems };
}

class Reader {
  readonly #document: Document;
  readonly #variable: (name: string) => string | undefined;
  readonly #problems: ConfigProblem[];
  #count = 0;

  constructor(document: Document, from: { readonly variable: (name: string) => string | undefined; readonly problems: ConfigProblem[] }) {
    this.#document = document;
    this.#variable = from.variable;
    this.#problems = from.problems;
  }

  read(node: unknown, path: SettingPath): unknown {
    this.#count += 1;
    if (this.#count > VALUES_MAX || path.length > DEPTH_MAX) {
      if (this.#count <= VALUES_MAX + 1) this.#report(path, "too_large", "too many values, or nested too deep.");
      return undefined;
    }
    if (isAlias(node)) return this.read(node.resolve(this.#document), path);
    if (isScalar(node)) return this.#scalar(node, path);
    if (isSeq(node)) return node.items.map((item, index) => this.read(item, [...path, index]));
    return isMap(node) ? this.#map(node.items, path) : null;
  }

  #map(items: readonly { readonly key: unknown; readonly value: unknown }[], path: SettingPath): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (const { key, value: item } of items) {
      const name = isScalar(key) ? String(key.source ?? key.value) : "";
      if (name === "" || name === "__proto__") {
        this.#report([...path, name], "key", "a setting's name is a word.");
        continue;
      }
      value[name] = this.read(item, [...path, name]);
    }
    return value;
  }

  #scalar(node: { readonly value: unknown; readonly source?: string | undefined }, path: SettingPath): unknown {
    if (typeof node.value === "string") return this.#substitute(node.value, path);
    const isId = path[0] === "people" && path.length > 2;
    return isId && node.value !== null && node.source !== undefined ? node.source : node.value;
  }

  #substitute(text: string, path: SettingPath): string {
    return text.replace(VARIABLE, (written: string, escaped: string | undefined, name: string | undefined) => {
      if (escaped !== undefined || name === undefined) return "${";
      const value = this.#variable(name);
      if (value !== undefined && value !== "") return value;
      const state = value === undefined ? "is not set" : "is empty";
      this.#report(path, "variable_missing", `${name} ${state}. Export it, or put it in .env beside this file.`, "value");
      return written;
    });
  }

  #report(path: SettingPath, code: string, message: string, at: Spot = "key"): void {
    this.#problems.push({ path, at, code, message });
  }
}

/** The offset of a setting, or of its nearest ancestor that exists. */
function offsetOf(document: Document, { path, at }: { readonly path: SettingPath; readonly at: Spot }): number {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const [index, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    const last = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.source ?? key.value) === String(step));
      if (pair === undefined) return offset;
      const keyOffset = startOf(pair.key);
      node = pair.value;
      offset = last && at === "value" && isPlaced(node) ? startOf(node) : keyOffset;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      if (!isPlaced(node)) return offset;
      offset = startOf(node);
    } else return offset;
  }
  return offset;
}

function isPlaced(node: unknown): node is Node {
  return (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) && Array.isArray(node.range);
}

function startOf(node: unknown): number {
  return isPlaced(node) ? (node.range?.[0] ?? 0) : 0;
}
