/**
 * The unix socket dispatcher: a host in another process of this machine (R16, R17). Dialled and greeted before a call is made; on the
 * greeted socket the authority is asserted and the frame written in one tick. It stands here, beside the link it works with.
 *
 * SD1  What was written is never written again. A link that was lost before is dialled anew once, behind a guard of its own.
 */

import type { WireDispatcher } from "../dispatch/http.js";
import { fateOf } from "../dispatch/wire-error.js";
import { HandraiseError } from "../errors.js";
import { assertAuthority, DispatchLost, type DispatchRequest } from "../ports/dispatcher.js";
import { HOST_PATHS, type HostMethod } from "../ports/host-wire.js";
import { dial, type Link, LinkLost } from "./link.js";
import { findSocket } from "./rendezvous.js";

const TIMEOUT_MS = 60_000;
const TRIES = 2;

/** Where the bridge's socket is. */
export type SocketDispatcherOptions = {
  /** The socket's public path. */
  readonly socket: string;
  /** A key of scope `host`. */
  readonly key: string;
};

/** Calls reject with `DispatchLost`, the guard's error, or the gateway's. */
export function socketDispatcher({ socket, key }: SocketDispatcherOptions): WireDispatcher {
  let link: Promise<Link> | undefined;
  const greeted = async (): Promise<Link> => {
    const known = await link?.catch(() => undefined);
    if (known?.usable === true) return known;
    link = dialAnew(socket, key);
    return link;
  };
  return {
    version: 2,
    async call(request) {
      const method = hostMethod(request.method);
      const signal = limited(request);
      for (let left = TRIES - 1; ; left -= 1) {
        try {
          return await callOver(await greeted(), { method, request, signal });
        } catch (error) {
          const unsent = error instanceof DispatchLost && !error.dispatched;
          if (!unsent || left === 0 || signal.aborted) throw error; // SD1
        }
      }
    },
    close: () => {
      void link?.then(
        (open) => open.close(),
        () => undefined,
      );
      link = undefined;
    },
  };
}

async function dialAnew(socket: string, key: string): Promise<Link> {
  const to = await findSocket(socket);
  if (to === undefined) throw new DispatchLost(false, `no bridge serves ${socket}`);
  try {
    return await dial({ ...to, key });
  } catch (error) {
    throw new DispatchLost(false, error instanceof Error ? error.message : String(error), error);
  }
}

type Over = { readonly method: HostMethod; readonly request: DispatchRequest; readonly signal: AbortSignal };

async function callOver(link: Link, { method, request, signal }: Over): Promise<unknown> {
  let dispatched = false;
  const guard = (): void => {
    assertAuthority(request.authority);
    dispatched = true;
  };
  try {
    return await link.call({ method, params: request.params ?? {}, signal, guard });
  } catch (error) {
    if (signal.aborted)
      throw new DispatchLost(dispatched, request.signal?.aborted === true ? "the caller stopped waiting" : "no answer in time", error);
    if (error instanceof LinkLost) throw new DispatchLost(dispatched, error.message, error);
    throw dispatched && error instanceof HandraiseError ? fateOf(error) : error;
  }
}

function limited({ signal, options }: DispatchRequest): AbortSignal {
  const limit = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

function hostMethod(method: string): HostMethod {
  const known = (Object.keys(HOST_PATHS) as HostMethod[]).find((name) => name === method);
  if (known === undefined) throw new HandraiseError("input_invalid", `There is no method ${method}.`, { facts: { method } });
  return known;
}
