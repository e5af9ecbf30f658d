/**
 * A run's policy: what its asks may be, fixed when the run is opened and never widened afterwards (R15). Pure; its digest is taken by
 * src/gateway over the canonical JSON of exactly this shape.
 *
 * P1  Names are resolved when the run is opened: `to` holds people and places, `audience` people. A role or route that is edited later
 *     widens nothing.
 * P2  An absent limit allows what the config allows; an empty list allows nothing.
 * P3  Lists are sorted and without repeats, so that equal policies have one digest.
 * P4  What passes a policy passes every wider one.
 */
import { z } from "zod";
import { type Decision, DURATION_PATTERN, parseDurationMs } from "./question.js";

/** Absent lists allow everything that the config allows. Sets are stored sorted and without repeats, so that equal policies have one digest. */
export type RunPolicy = {
  /** People and places the run's asks may be shown to. */
  readonly to?: readonly string[];
  /** People that may answer at most. */
  readonly audience?: readonly string[];
  readonly kinds?: readonly ("question" | "approval" | "url" | "handoff")[];
  readonly decisions?: readonly Decision[];
  /** Most open questions of the run at once. */
  readonly maxOpen?: number;
  /** Longest life of one ask in milliseconds; asks that wait for ever are refused then. */
  readonly maxTimeoutMs?: number;
  /** Tools by name with the SHA-256 (hex) of their schema's canonical JSON. */
  readonly tools?: Readonly<Record<string, string>>;
};

const name = z.string().min(1).max(200);
const DECISIONS = ["answer", "decline", "approve", "approve_always", "deny"] as const satisfies readonly Decision[];

/** A policy as a creator writes it; `maxTimeout` is a duration such as "2h", at most 1,000 tools, 200 names a list. */
export const policySchema = z.strictObject({
  to: z.array(name).max(200).optional(),
  audience: z.array(name).max(200).optional(),
  kinds: z.array(z.enum(["question", "approval", "url", "handoff"])).optional(),
  decisions: z.array(z.enum(DECISIONS)).optional(),
  maxOpen: z.int().min(0).max(100_000).optional(),
  maxTimeout: z
    .string()
    .regex(DURATION_PATTERN, 'write a duration like "90s", "15m", "2h" or "3d"')
    .refine((text) => parseDurationMs(text) !== undefined, "must be longer than zero")
    .optional(),
  tools: z
    .record(name, z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex"))
    .refine((tools) => Object.keys(tools).length <= 1_000, "at most 1,000 tools")
    .optional(),
});
/** The one form of a policy (P3). Names must have been resolved (P1). */
export function normalPolicy({ to, audience, kinds, decisions, maxOpen, maxTimeoutMs, tools }: RunPolicy): RunPolicy {
  return {
    ...(to === undefined ? {} : { to: sorted(to) }),
    ...(audience === undefined ? {} : { audience: sorted(audience) }),
    ...(kinds === undefined ? {} : { kinds: sorted(kinds) }),
    ...(decisions === undefined ? {} : { decisions: sorted(decisions) }),
    ...(maxOpen === undefined ? {} : { maxOpen }),
    ...(maxTimeoutMs === undefined ? {} : { maxTimeoutMs }),
    ...(tools === undefined ? {} : { tools: Object.fromEntries(Object.entries(tools).sort(([one], [other]) => compare(one, other))) }),
  };
}

function sorted<T extends string>(items: readonly T[]): readonly T[] {
  return [...new Set(items)].sort(compare);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** What of an ask a policy looks at. */
export type AskFacts = {
  readonly kind: NonNullable<RunPolicy["kinds"]>[number];
  readonly decisions: readonly Decision[];
  /** Each copy's person, else its place. */
  readonly targets: readonly string[];
  readonly audience: readonly string[] | "anyone";
  /** Milliseconds until it ends at the latest; null: never. */
  readonly lifeMs: number | null;
  /** Open questions of the run before this one. */
  readonly open: number;
};

/** Why an ask does not fit: the property at fault, and in words for whoever asked. */
export type PolicyProblem = { readonly path: keyof RunPolicy; readonly message: string };

/** The first limit that an ask breaks; undefined when it fits. */
export function policyProblem(policy: RunPolicy, ask: AskFacts): PolicyProblem | undefined {
  const { kinds, maxOpen, maxTimeoutMs } = policy;
  if (kinds !== undefined && !kinds.includes(ask.kind)) return { path: "kinds", message: `this run may not ask a ${ask.kind}` };
  const decision = firstBeyond(policy.decisions, ask.decisions);
  if (decision !== undefined) return { path: "decisions", message: `this run may not offer ${decision}` };
  const target = firstBeyond(policy.to, ask.targets);
  if (target !== undefined) return { path: "to", message: `this run may not ask ${target}` };
  const person =
    policy.audience === undefined ? undefined : ask.audience === "anyone" ? "anyone" : firstBeyond(policy.audience, ask.audience);
  if (person !== undefined) return { path: "audience", message: `this run may not let ${person} answer` };
  if (maxTimeoutMs !== undefined && (ask.lifeMs === null || ask.lifeMs > maxTimeoutMs))
    return { path: "maxTimeoutMs", message: `an ask of this run may stay open for ${maxTimeoutMs / 1_000} s at most` };
  if (maxOpen !== undefined && ask.open >= maxOpen)
    return { path: "maxOpen", message: `this run has ${ask.open} open questions, and ${maxOpen} are allowed` };
  return undefined;
}

function firstBeyond(limit: readonly string[] | undefined, items: readonly string[]): string | undefined {
  return limit === undefined ? undefined : items.find((item) => !limit.includes(item));
}
