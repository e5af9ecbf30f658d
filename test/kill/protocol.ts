/** What the kill test and its child say to each other over the process channel. */
import { z } from "zod";

/** Where in the child it dies: a store commit by what it changes, a channel's method, the intake, the hand-over to the asker. */
export const SITES = [
  "commit question",
  "commit claim",
  "commit shown",
  "commit input",
  "commit answer",
  "commit closed",
  "commit said",
  "commit collected",
  "commit lost",
  "commit repeat",
  "locate",
  "send",
  "find",
  "redraw",
  "notify",
  "take",
  "outcome",
] as const;
const site = z.enum(SITES);
/** See `SITES`. */
export type Site = z.infer<typeof site>;

const fuse = z.object({ site, phase: z.enum(["before", "after"]) });
/** The child kills itself the first time it gets there. */
export type Fuse = z.infer<typeof fuse>;

const chat = z.enum(["slack", "discord", "telegram"]);
const ask = z.object({
  to: z.string(),
  audience: z.literal("alice"),
  text: z.string(),
  options: z.tuple([z.string(), z.string()]),
  key: z.string(),
});
/** One question of the test. */
export type KillAsk = z.infer<typeof ask>;

const toChild = z.discriminatedUnion("do", [
  z.object({ do: z.literal("start"), chat, config: z.record(z.string(), z.unknown()), folder: z.string(), fuse: fuse.optional() }),
  z.object({ do: z.literal("arm"), fuse }),
  z.object({ do: z.literal("ask"), ask }),
  z.object({ do: z.literal("audit"), key: z.string(), after: z.number() }),
]);
/** Orders to the child. */
export type ToChild = z.infer<typeof toChild>;

const audit = z.object({
  said: z.literal("audit"),
  /** Nothing is left to do: no copy or word is due, no input is unsettled, the outcome is marked as collected. */
  quiet: z.boolean(),
  /** Types of the question's events. */
  events: z.array(z.string()),
  newest: z.number(),
  copies: z.array(z.object({ state: z.string(), todo: z.string().nullable(), repeat: z.boolean() })),
  unsettled: z.number(),
  /** The send of a copy was begun and never confirmed: a person may press before it is recorded, so any early point can leave one. */
  unconfirmed: z.boolean(),
});
/** The stored truth about one question. */
export type Audit = z.infer<typeof audit>;

const fromChild = z.discriminatedUnion("said", [
  z.object({ said: z.literal("up") }),
  z.object({ said: z.literal("armed") }),
  z.object({ said: z.literal("outcome"), key: z.string(), status: z.string(), value: z.unknown() }),
  z.object({ said: z.literal("failed"), error: z.string() }),
  audit,
]);
/** What the child reports. */
export type FromChild = z.infer<typeof fromChild>;

/** Parses an order; throws on anything else. */
export function parseToChild(message: unknown): ToChild {
  return toChild.parse(message);
}

/** Parses a report; throws on anything else. */
export function parseFromChild(message: unknown): FromChild {
  return fromChild.parse(message);
}
