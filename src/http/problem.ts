/** Errors as problem documents (RFC 9457, api.md section 5), from the one table of errors. What is not ours is told without its message. */
import { ERROR_CODES, HandraiseError } from "../errors.js";

/** A problem document. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly retry: "never" | "later";
  readonly detail: string;
  readonly issues: readonly { readonly path: string; readonly code: string; readonly message: string }[];
};

/** The document of an error; anything but a `HandraiseError` is `store_unavailable`, and the log says why. */
export function problemOf(error: unknown): Problem {
  const known =
    error instanceof HandraiseError
      ? error
      : new HandraiseError("store_unavailable", "The bridge failed on this call; its log says why.", { cause: error });
  const { code, retry, detail, issues } = known;
  const { http, title } = ERROR_CODES[code];
  return { type: `urn:handraise:error:${code}`, title, status: http, code, retry, detail, issues };
}

/** The answer to a call that failed. */
export function problemResponse(error: unknown): Response {
  const problem = problemOf(error);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { "content-type": "application/problem+json", ...(problem.status === 401 ? { "www-authenticate": "Bearer" } : {}) },
  });
}
