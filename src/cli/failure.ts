/** How a failed command ends: words on stderr, the HTTP problem on stdout with `--json`, an exit code of the table. */
import { ERROR_CODES, HandraiseError } from "../errors.js";
import { EXIT, EXIT_OF_ERROR } from "./exit-codes.js";
import { paint, type Terminal } from "./terminal.js";

/** Tells what went wrong; resolves to the exit code. What is not ours is a failure, told by its message. */
export function fail(error: unknown, terminal: Terminal, { json }: { readonly json: boolean }): number {
  if (!(error instanceof HandraiseError)) {
    terminal.err(`${paint(terminal, "bad", "failed")}: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.failure;
  }
  // A config's faults are lines of their own, each with file, line and setting.
  terminal.err(error.code === "config_invalid" ? error.detail : error.message);
  if (json) terminal.out(JSON.stringify(problemOf(error)));
  return EXIT_OF_ERROR[error.code];
}

/** The problem document of HTTP (RFC 9457) for this error. */
export function problemOf({ code, retry, detail, issues }: HandraiseError): Readonly<Record<string, unknown>> {
  const { http: status, title } = ERROR_CODES[code];
  return { type: `urn:handraise:error:${code}`, title, status, code, retry, detail, issues };
}
