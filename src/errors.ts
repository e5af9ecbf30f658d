/**
 * The one table of error codes, the one error class. Callers branch on `code`; every row has an entry in docs/errors.md, and
 * test/policy compares the two both ways.
 *
 * The message says what failed, on which id and what to do next. `facts` holds ids and numbers for logs, never tokens or what a
 * person wrote. A broken invariant is an assert and a crash, not a code.
 */
export const ERROR_CODES = {
  input_invalid: { http: 400, retry: "never", title: "Input invalid" },
  answer_invalid: { http: 422, retry: "never", title: "Answer invalid" },
  decision_invalid: { http: 422, retry: "never", title: "Decision invalid" },
  unsupported: { http: 422, retry: "never", title: "Unsupported" },
  config_invalid: { http: 500, retry: "never", title: "Config invalid" },
  store_busy: { http: 503, retry: "later", title: "Store busy" },
  unauthenticated: { http: 401, retry: "never", title: "Unauthenticated" },
  scope_missing: { http: 403, retry: "never", title: "Scope missing" },
  not_allowed: { http: 403, retry: "never", title: "Not allowed" },
  actor_not_allowed: { http: 403, retry: "never", title: "Actor not allowed" },
  question_unknown: { http: 404, retry: "never", title: "Question unknown" },
  target_unknown: { http: 404, retry: "never", title: "Target unknown" },
  key_conflict: { http: 409, retry: "never", title: "Key conflict" },
  question_settled: { http: 409, retry: "never", title: "Question settled" },
  resolution_conflict: { http: 409, retry: "never", title: "Resolution conflict" },
  run_closed: { http: 409, retry: "never", title: "Run closed" },
  authority_stale: { http: 409, retry: "never", title: "Authority stale" },
  dispatcher_legacy: { http: 409, retry: "never", title: "Dispatcher legacy" },
  capacity: { http: 429, retry: "later", title: "Capacity" },
  bridge_unreachable: { http: 503, retry: "later", title: "Bridge unreachable" },
  store_unavailable: { http: 503, retry: "later", title: "Store unavailable" },
} as const satisfies Record<string, { http: number; retry: "never" | "later"; title: string }>;

/** A code callers may branch on: stable, and explained in docs/errors.md. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** One fault of an input, by its path (`fields.0.options`, `timeout`, `value`). `code` is stable; `message` is for people. */
export type Issue = { readonly path: string; readonly code: string; readonly message: string };

/** What an error carries beside its message: ids and numbers for logs, faults of an input by path, and the error behind it. */
export type ErrorDetails = {
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly issues?: readonly Issue[];
  readonly cause?: unknown;
};

/** The error of every door. `retry` says whether the same call may work later; `issues` names faults of an input by path. */
export class HandraiseError extends Error {
  override readonly name = "HandraiseError";
  readonly code: ErrorCode;
  readonly retry: "never" | "later";
  readonly facts: Readonly<Record<string, unknown>>;
  readonly issues: readonly Issue[];
  /** The message without its code, for problem documents. */
  readonly detail: string;

  constructor(code: ErrorCode, message: string, { facts = {}, issues = [], cause }: ErrorDetails = {}) {
    super(`[${code}] ${message}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retry = ERROR_CODES[code].retry;
    this.facts = facts;
    this.issues = issues;
    this.detail = message;
  }
}

/** Ends a `switch` over a union: a case that was forgotten does not compile. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
