/**
 * The directory port: what gateway and host need to know about people and places: who is meant by a name, where they are reached, who may
 * answer. Implemented by src/runs/directory.ts over the config.
 */
import type { ChannelKind } from "../core/place.js";
import type { Audience } from "../core/question.js";

/** One copy to be made: a person's direct chat (`userId`) or a place (`conversation`, by id or `#name`). */
export type PlannedCopy = {
  readonly target: string;
  readonly account: string;
  readonly person: string | null;
  readonly userId: string | null;
  readonly conversation: string | null;
  readonly thread: string | null;
};

/** Where an ask is shown and who may answer it, both fixed at ask (R13). */
export type AskPlan = { readonly copies: readonly PlannedCopy[]; readonly audience: Audience };

/** People with a part in an ask, by their names in the directory: the run's starter and the session's owner. */
export type Parties = { readonly requester?: string; readonly owner?: string };
/** Of an ask, what decides where it is shown and who may answer. */
export type AskToPlan = {
  readonly to: readonly string[];
  readonly audience: readonly string[] | undefined;
  /** People who may not answer: names, `requester`, `owner`. */
  readonly exclude?: readonly string[];
  readonly kind?: "question" | "approval";
  readonly parties?: Parties;
};

/** Who sent an input, in the directory's words. `person` is null for somebody the directory does not know. */
export type Judged = {
  readonly allowed: boolean;
  readonly person: string | null;
  /** What lets them answer: `anyone`, `audience:person alice`, `audience:role ops`; null when nothing does. */
  readonly rule: string | null;
};

/** Synchronous and without I/O, so that it can stand in `assertCurrent` (R16). */
export interface Directory {
  /**
   * Routes are ask options under a name: the ask with those of its routes filled in. @throws `not_allowed` where it would widen one.
   */
  applyRoutes(ask: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** @throws `target_unknown`, `input_invalid`, `not_allowed`, `unsupported` (R10, R13). */
  plan(ask: AskToPlan): AskPlan;
  /** The one function that judges an audience, on every path (R12). */
  judge(audience: Audience, who: { readonly account: string; readonly userId: string }): Judged;
  /** Of an audience of people, those who may still answer, in the order captured; everybody of it when nobody may. [] for anyone. */
  membersNow(audience: Audience): readonly string[];
  /** The name people read: the directory's display name, or the key itself. */
  displayName(person: string): string;
  /** The platform of an account of the config; undefined for a name that is no account. */
  channelOf(account: string): ChannelKind | undefined;
}
