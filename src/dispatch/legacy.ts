/**
 * A plain function as a dispatcher: it cannot promise that nothing happens between guard and dispatch, so it carries unscoped and run
 * calls only (R20). Whether something is guarded is said by `version: 2` alone, never read from the number of its arguments.
 */
import { assertAuthority, type Dispatcher, type DispatchRequest, type LegacyDispatcher, legacyRefusal } from "../ports/dispatcher.js";

/** A call path from before dispatchers: method and plain parameters to a result. */
export type DispatchFunction = (method: string, params: unknown) => Promise<unknown>;

/** Takes a guarded dispatcher as it is; anything else callable becomes a legacy one. */
export function toDispatcher(given: Dispatcher | LegacyDispatcher | DispatchFunction): Dispatcher | LegacyDispatcher {
  if ("version" in given && given.version === 2 && "call" in given && typeof given.call === "function") return given;
  return typeof given === "function"
    ? legacyDispatcher(given)
    : { version: 1, call: (request) => unscopedOrRun(request, (r) => given.call(r)) };
}

/** @throws on a source-bound call `dispatcher_legacy`, before the function is called. */
export function legacyDispatcher(run: DispatchFunction): LegacyDispatcher {
  return { version: 1, call: (request) => unscopedOrRun(request, ({ method, params }) => run(method, params)) };
}

async function unscopedOrRun(request: DispatchRequest, run: (request: DispatchRequest) => Promise<unknown>): Promise<unknown> {
  if (request.authority.kind === "source-bound") throw legacyRefusal(`${request.method} for a person's input`);
  assertAuthority(request.authority);
  return run(request);
}
