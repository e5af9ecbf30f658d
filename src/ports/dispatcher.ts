/**
 * The dispatcher port: the guarded call path from a host to the gateway (R16, R20). In process, over HTTP or a socket, or custom.
 *
 * `assertCurrent` is synchronous and the last thing before the dispatch, with no await between; it throws when the authority it
 * stands for has ended. It is never serialised.
 *
 * How a call fails: `DispatchLost` when the way to the gateway failed or the gateway cannot tell; any other `HandraiseError` is final:
 * the guard's or the gateway's own refusal, and nothing was changed.
 */
import { HandraiseError } from "../errors.js";

/**
 * No answer came from the gateway. `dispatched` false: the call surely did not reach it (not one byte was written), so it may be
 * dispatched again while its authority is current. True: it may have been carried out (R17).
 */
export class DispatchLost extends HandraiseError {
  readonly dispatched: boolean;
  constructor(dispatched: boolean, reason: string, cause?: unknown) {
    const fate = dispatched ? "Whether the call was carried out is not known" : "The call was not sent";
    super("bridge_unreachable", `${fate}: ${reason}.`, cause === undefined ? {} : { cause });
    this.dispatched = dispatched;
  }
}

/** What stands behind a call; the guard of the last two is called right before the dispatch. */
export type DispatchAuthority =
  | { readonly kind: "unscoped" }
  | { readonly kind: "run"; readonly assertCurrent: () => void }
  | { readonly kind: "source-bound"; readonly assertCurrent: () => void };

/** One call. `params` is plain data; `authority` stays in this process, checked right before the dispatch. */
export type DispatchRequest = {
  /** A gateway method: `question.resolve`, `question.cancel`, … */
  readonly method: string;
  readonly params?: unknown;
  readonly options: { readonly timeoutMs?: number };
  readonly signal?: AbortSignal;
  readonly authority: DispatchAuthority;
};

/** Guarded by `version: 2` alone, never told from the number of its arguments (R20). Rejects with the gateway's error or the guard's. */
export interface Dispatcher {
  readonly version: 2;
  call(request: DispatchRequest): Promise<unknown>;
}

/** One that may await between guard and dispatch: unscoped and run calls only. Made from a plain function (src/dispatch/legacy.ts). */
export interface LegacyDispatcher {
  readonly version: 1;
  call(request: DispatchRequest): Promise<unknown>;
}

/** @throws `dispatcher_legacy`: answers of people need a guarded dispatcher, so a host without one opens no channel (R20). */
export function assertGuarded(dispatcher: Dispatcher | LegacyDispatcher): asserts dispatcher is Dispatcher {
  if (dispatcher.version !== 2) throw legacyRefusal("A channel host");
}

/** The refusal of R20 for whoever needs the guard. */
export function legacyRefusal(who: string): HandraiseError {
  const remedy = "Give it an object with `version: 2` that calls `authority.assertCurrent()` right before each dispatch and retry.";
  return new HandraiseError("dispatcher_legacy", `${who} needs a guarded dispatcher, and this one is a plain function. ${remedy}`);
}

/** The guard of a request: to be called in the tick of its dispatch, and again in that of every retry (R16). */
export function assertAuthority({ kind, ...authority }: DispatchAuthority): void {
  if (kind !== "unscoped" && "assertCurrent" in authority) authority.assertCurrent();
}
