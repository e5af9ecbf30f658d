/**
 * A run's policy: what its asks may be, fixed when it is opened and never widened afterwards (R15). Pure; its digest is taken by
 * src/runs over the canonical JSON of exactly this shape.
 */
import type { Decision } from "./question.js";

/** Absent lists allow everything that the config allows. Sets are stored sorted and without repeats, so that equal policies have one digest. */
export type RunPolicy = {
  /** Names and places the run's asks may be shown to. */
  readonly to?: readonly string[];
  /** People and roles that may answer at most. */
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
