/**
 * How faults of a config are told: `handraise.yaml:7:10 people.bob.slak: what is wrong. What to do.` One line each, in the order
 * of the file, all at once. Pure.
 */
import type { z } from "zod";
import { HandraiseError, type Issue } from "../errors.js";
import { didYouMean } from "../runs/nearest.js";
import type { ConfigProblem, ConfigSource, Position, SettingPath } from "./config-source.js";

/** Lines and columns are padded to this width, so that short ones stay aligned. */
const POSITION_WIDTH = 4;

/** The error for these problems: `config_invalid`, one issue and one line each; a setting's first problem hides its further ones. */
export function configError(source: ConfigSource, problems: readonly ConfigProblem[]): HandraiseError {
  const first = new Map<string, { readonly problem: ConfigProblem; readonly position: Position | undefined }>();
  for (const problem of problems) {
    const position = problem.position ?? source.where(problem.path, problem.at);
    const key = problem.position === undefined ? problem.path.join(".") : `${problem.position.line}:${problem.position.column}`;
    if (!first.has(key)) first.set(key, { problem, position });
  }
  const ordered = [...first.values()].sort((a, b) => order(a.position) - order(b.position));
  const width = Math.max(POSITION_WIDTH, ...ordered.map(({ position }) => positionText(position).length));
  const lines = ordered.map(({ problem, position }) => {
    const setting = settingName(problem.path);
    const place = source.file === undefined ? "" : `${source.file}:${positionText(position).padEnd(width)} `;
    return `${place}${setting === "" ? "" : `${setting}: `}${problem.message}`;
  });
  const issues: Issue[] = ordered.map(({ problem }) => ({
    path: settingName(problem.path),
    code: problem.code,
    message: problem.message,
  }));
  return new HandraiseError("config_invalid", lines.join("\n"), { issues, facts: { file: source.file ?? null } });
}

/** `people.bob.slack`. */
export function settingName(path: SettingPath): string {
  return path.join(".");
}

/** `12:3`; "1:1" where the place is not known. */
export function positionText(position: Position | undefined): string {
  return position === undefined ? "1:1" : `${position.line}:${position.column}`;
}

function order(position: Position | undefined): number {
  return position === undefined ? 0 : position.line * 10_000 + position.column;
}

/**
 * A schema's issues as problems of the config.
 * @param options.base  the path of what was parsed, for an adapter's part.
 * @param options.value what was parsed, to tell a missing setting from a wrong one.
 * @param options.known the names a map knows, for "did you mean".
 */
export function schemaProblems(
  error: z.ZodError,
  options: { readonly base: SettingPath; readonly value: unknown; readonly known: (path: SettingPath) => readonly string[] },
): readonly ConfigProblem[] {
  return error.issues.flatMap((issue): readonly ConfigProblem[] => {
    const inner = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    const path = [...options.base, ...inner];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: [...path, key],
        at: "key",
        code: "unknown_setting",
        message: `unknown setting.${didYouMean(key, options.known(inner))}`,
      }));
    }
    const value = valueAt(options.value, inner);
    const generic = issue.message.startsWith("Invalid input");
    const message = generic && value === undefined ? "missing." : sentence(issue.message.replace(/^Invalid input: /, ""));
    return [{ path, at: typeof value === "object" && value !== null ? "key" : "value", code: issue.code, message }];
  });
}

function valueAt(value: unknown, path: SettingPath): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = new Map(Object.entries(at)).get(String(step));
  }
  return at;
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
