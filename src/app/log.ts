/** Logs by pino, as one JSON line each on stderr, with the exact secret values of the config taken out wherever they appear (B169). */
import { pino } from "pino";
import { HandraiseError } from "../errors.js";
import type { Log } from "../ports/log.js";

/** Level and destination of a log; both have defaults. */
export type LogOptions = {
  /** Default: HANDRAISE_LOG, else "warn" on a terminal and "info" elsewhere. */
  readonly level?: string;
  /** Where lines go; default stderr. */
  readonly write?: (line: string) => void;
};

const LEVELS: readonly string[] = ["silent", "error", "warn", "info", "debug"];

/**
 * @throws `config_invalid` for a level that does not exist.
 * @param secrets Exact values that are replaced by `[secret]` in every line; those shorter than 6 characters are ignored.
 */
export function createLog(secrets: readonly string[], { level, write }: LogOptions = {}): Log {
  const hide = redactor(secrets);
  const out = write ?? ((line: string) => process.stderr.write(line));
  const chosen = level ?? process.env["HANDRAISE_LOG"] ?? (process.stderr.isTTY ? "warn" : "info");
  if (!LEVELS.includes(chosen))
    throw new HandraiseError("config_invalid", `HANDRAISE_LOG: "${chosen}" is no level. Write one of ${LEVELS.join(", ")}.`);
  return pino({ level: chosen, base: null }, { write: (line: string) => out(hide(line)) });
}

/** Replaces every secret in a text, also in the forms it takes inside JSON and URLs. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = new Set(
    secrets
      .filter((secret) => secret.length >= 6)
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]),
  );
  return (text) => {
    let shown = text;
    for (const secret of known) shown = shown.replaceAll(secret, "[secret]");
    return shown;
  };
}
