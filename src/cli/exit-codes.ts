/** What the process ends with (api.md, section 4). `0` means answered, or approved, and nothing else: a script that tests only for 0 is safe. */
import type { Outcome } from "../client/types.js";
import type { ErrorCode } from "../errors.js";

/** Exit codes by name. */
export const EXIT = {
  done: 0,
  failure: 1,
  usage: 2,
  declined: 10,
  expired: 11,
  cancelled: 12,
  undelivered: 13,
  open: 14,
  unreachable: 20,
  notAllowed: 21,
  keyConflict: 22,
} as const;

/** How a question ended, as an exit code. */
export const EXIT_OF_STATUS: Readonly<Record<Outcome["status"] | "open", number>> = {
  answered: EXIT.done,
  declined: EXIT.declined,
  expired: EXIT.expired,
  cancelled: EXIT.cancelled,
  undelivered: EXIT.undelivered,
  open: EXIT.open,
};

/** What went wrong, as an exit code. */
export const EXIT_OF_ERROR: Readonly<Record<ErrorCode, number>> = {
  input_invalid: EXIT.usage,
  answer_invalid: EXIT.usage,
  decision_invalid: EXIT.usage,
  unsupported: EXIT.usage,
  target_unknown: EXIT.usage,
  question_unknown: EXIT.usage,
  config_invalid: EXIT.failure,
  store_busy: EXIT.failure,
  store_unavailable: EXIT.failure,
  question_settled: EXIT.failure,
  resolution_conflict: EXIT.failure,
  run_closed: EXIT.failure,
  authority_stale: EXIT.failure,
  dispatcher_legacy: EXIT.failure,
  capacity: EXIT.failure,
  bridge_unreachable: EXIT.unreachable,
  unauthenticated: EXIT.notAllowed,
  scope_missing: EXIT.notAllowed,
  not_allowed: EXIT.notAllowed,
  actor_not_allowed: EXIT.notAllowed,
  key_conflict: EXIT.keyConflict,
};

/** The table as the help shows it. */
export const EXIT_HELP = `
Exit codes:
  0   answered; confirm: approved
  1   failure
  2   usage, or invalid input
  10  declined or denied
  11  expired
  12  cancelled
  13  undelivered: nobody has seen it
  14  still open (also with --detach, and after Ctrl-C)
  20  bridge unreachable
  21  not allowed
  22  key conflict
A script that tests only for 0 is safe.`;
