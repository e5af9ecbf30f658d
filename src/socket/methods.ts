/**
 * What may be called over the socket, and with what: asking, and reading one's own questions (R14). Every call is made under the
 * principal that the server names; a caller that states an actor or a principal is refused (R12).
 */
import { z } from "zod";
import { fieldsOf, SOCKET_METHODS, type SocketMethod } from "../client/wire.js";
import { HandraiseError } from "../errors.js";
import type { Creator, GatewayCalls } from "../gateway/calls.js";

const text = z.string().min(1).max(200);
const ref = z.union([text, z.strictObject({ key: text, session: text.optional() })]);
const refOnly = z.strictObject({ ref });
const requestParams = z.strictObject({ input: z.unknown() });
const cancelParams = z.strictObject({ ref, reason: z.string().max(1_000).optional() });
const waitParams = z.strictObject({ ref, withinMs: z.number().min(0).optional(), includeResolutionId: z.boolean().optional() });
const listParams = z.strictObject({ session: text.optional() });
const eventsParams = z.strictObject({ session: text.optional(), after: text.optional() });

/** Words by which a caller might try to say who it is. */
const ACTOR_WORDS = ["actor", "by", "creator", "principal"] as const;

/** One call that is being carried out. */
export type Invocation = {
  readonly method: string;
  readonly params: unknown;
  /** Ends the wait or stream, never the question. */
  readonly signal: AbortSignal;
  /** Sends a part of a list, or an event; resolves when there is room for the next. */
  readonly item: (value: unknown) => Promise<void>;
};

/** Carries out one call. @throws what the gateway throws; `input_invalid`, `scope_missing`, `actor_not_allowed`. */
export async function invoke(gateway: GatewayCalls, creator: Creator, call: Invocation): Promise<unknown> {
  const method = SOCKET_METHODS.find((known) => known === call.method);
  if (method === undefined) throw unknownMethod(call.method);
  const stated = ACTOR_WORDS.find((word) => fieldsOf(call.params).has(word));
  if (stated !== undefined) {
    throw new HandraiseError("actor_not_allowed", `${stated}: who asks is the bridge's to say. Leave it out.`);
  }
  return run(gateway, creator, { ...call, method });
}

async function run(gateway: GatewayCalls, creator: Creator, call: Invocation & { readonly method: SocketMethod }): Promise<unknown> {
  const { method, params, signal, item } = call;
  switch (method) {
    case "question.request":
      return gateway.request(parse(requestParams, params).input, creator);
    case "question.cancel": {
      const { ref, ...rest } = parse(cancelParams, params);
      return gateway.cancel(ref, creator, rest);
    }
    case "question.waitAnswer": {
      const { ref, ...rest } = parse(waitParams, params);
      return gateway.waitAnswer(ref, creator, { ...rest, signal });
    }
    case "question.acknowledge":
      await gateway.acknowledge(parse(refOnly, params).ref, creator);
      return null;
    case "question.get":
      return gateway.get(parse(refOnly, params).ref, creator);
    case "question.list": {
      // One frame each: a thousand records may be longer than one frame can be.
      for (const record of await gateway.list(creator, parse(listParams, params))) await item(record);
      return null;
    }
    case "question.events": {
      for await (const event of gateway.events(creator, { ...parse(eventsParams, params), signal })) await item(event);
      // A stream that the bridge ended tells its caller so, and does not look complete.
      signal.throwIfAborted();
      return null;
    }
  }
}

function parse<T>(schema: z.ZodType<T>, params: unknown): Defined<T> {
  const parsed = schema.safeParse(params ?? {});
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, code, message }) => ({ path: path.join("."), code, message }));
    throw new HandraiseError("input_invalid", `params: ${issues[0]?.path ?? ""} ${issues[0]?.message ?? "invalid"}`, { issues });
  }
  // JSON has no `undefined`: an absent key is absent.
  return parsed.data as Defined<T>;
}

type Defined<T> = T extends readonly unknown[] | string | number | boolean | null
  ? T
  : { [P in keyof T]: undefined extends T[P] ? Defined<Exclude<T[P], undefined>> : Defined<T[P]> };

function unknownMethod(method: string): HandraiseError {
  const named = method.slice(0, 60);
  return /^(question|delivery|draft|run|keys|audit|proof)\./.test(named)
    ? new HandraiseError(
        "scope_missing",
        `${named}: the socket may ask, and read its own questions. An answer comes from a person in a chat.`,
      )
    : new HandraiseError("input_invalid", `method: "${named}" is not known.`);
}
