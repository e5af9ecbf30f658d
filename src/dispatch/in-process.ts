/**
 * The in-process dispatcher: host and gateway in one process (R16, R20). The authority is asserted and the call handed to the
 * gateway in one tick; what the gateway does after an await of its own it does behind the same guard, which goes no further.
 */
import { HandraiseError } from "../errors.js";
import { assertAuthority, type Dispatcher, type DispatchRequest } from "../ports/dispatcher.js";

/** Throws when the authority behind a call has ended; for a handler that awaits before it commits. */
export type Guard = () => void;
/** The gateway's methods by their wire names. */
export type Handlers = Readonly<Record<string, (params: unknown, guard: Guard) => Promise<unknown>>>;

/** @throws whatever `assertCurrent` throws, before anything is done; `input_invalid` for an unknown method. */
export function inProcessDispatcher(handlers: Handlers): Dispatcher {
  return {
    version: 2,
    async call({ method, params, authority }: DispatchRequest): Promise<unknown> {
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler === undefined) throw new HandraiseError("input_invalid", `There is no method ${method}.`, { facts: { method } });
      assertAuthority(authority);
      return handler(params, () => assertAuthority(authority));
    },
  };
}
