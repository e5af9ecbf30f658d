/** What an answer that is an error means to the one who dispatched: a refusal that is final, or a fate that nobody knows. */
import { ERROR_CODES, type ErrorCode, HandraiseError, type Issue } from "../errors.js";
import { DispatchLost } from "../ports/dispatcher.js";

/** Codes with which a gateway says that it cannot tell whether the call was carried out. */
const CANNOT_TELL: ReadonlySet<string> = new Set<ErrorCode>(["store_unavailable", "bridge_unreachable"]);

/** The error of a call that was dispatched: a `HandraiseError` that is final, else `DispatchLost`. */
export function fateOf(error: HandraiseError): HandraiseError {
  if (error instanceof DispatchLost || !CANNOT_TELL.has(error.code)) return error;
  return new DispatchLost(true, `the gateway said ${error.code}: ${error.detail}`, error);
}

/** Reads a problem document (RFC 9457). Anything that is not the gateway's own leaves the fate open: a proxy on the way may have spoken. */
export function problemError(status: number, text: string): HandraiseError {
  const from = objectOf(text);
  const code = from.get("code");
  if (typeof code !== "string" || !isErrorCode(code))
    return new DispatchLost(true, `an answer with status ${status} that is not the gateway's`);
  const detail = from.get("detail");
  const issues = from.get("issues");
  return fateOf(
    new HandraiseError(code, typeof detail === "string" ? detail : ERROR_CODES[code].title, {
      issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
    }),
  );
}

function objectOf(text: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  } catch {
    return new Map();
  }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

function isIssue(value: unknown): value is Issue {
  if (typeof value !== "object" || value === null) return false;
  return ["path", "code", "message"].every((key) => typeof Reflect.get(value, key) === "string");
}
