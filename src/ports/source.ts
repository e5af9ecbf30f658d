/**
 * The authority of a source: is whoever sent an input still who they were, and still allowed (R12, R16)? Types only; kept by src/runs/sources.ts
 * where the directory is, by the host itself on another machine.
 */
import type { Audience } from "../core/question.js";

/** Who sent an input, and what they want to answer. */
export type Source = { readonly account: string; readonly userId: string; readonly audience: Audience; readonly question: string };

/** Why a source is no longer current. */
export type SourceEnd = "account_removed" | "person_removed" | "visitor_ended" | "membership_changed" | "retired" | "released";

/**
 * Carried by an input from the moment it is judged until its fate is known. Once it has ended it stays so, whatever the config says later: a
 * new input gets a new one.
 */
export type SourceToken = {
  /** Synchronous, the last thing before every dispatch. @throws `authority_stale`; `facts.why` is a `SourceEnd`. */
  assertCurrent(): void;
  /** Aborts when account, person or membership ends, or a visitor's time; its reason is the same error. */
  readonly signal: AbortSignal;
  /** Ends the watching; may be repeated. From then on `assertCurrent` fails, and the signal stays as it is. */
  release(): void;
};

/** Gives tokens. A source that is not current gets one that has already ended. */
export interface Sources {
  tokenFor(source: Source): SourceToken;
  /** Ends all that are held, and all that are asked for later: after the last commit of a stop, before channels close (R33). */
  retire(): void;
}
