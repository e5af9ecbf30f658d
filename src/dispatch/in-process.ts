/**
 * The in-process dispatcher: host and gateway in one process (R16, R20). The authority is asserted and the call handed to the
 * gateway in one tick; the authority object goes no further.
 */
import { HandraiseError } from "../errors.js";
import type { Dispatcher, DispatchRequest } from "../ports/dispatcher.js";

/** The gateway's methods by their wire names. */
export type Handlers = Readonly<Record<string, (params: unknown) => Promise<unknown>>>;

/** @throws whatever `assertCurrent` throws, before anything is done; `input_invalid` for an unknown method. */
export function inProcessDispatcher(handlers: Handlers): Dispatcher {
  return {
    version: 2,
    async call({ method, params, authority }: DispatchRequest): Promise<unknown> {
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler === undefined) throw new HandraiseError("input_invalid", `There is no method ${method}.`, { facts: { method } });
      if (authority.kind !== "unscoped") authority.assertCurrent();
      return handler(params);
    },
  };
}
