/**
 * Runs as doors and clients use them (R15). Types only; kept by src/runs.
 *
 * A run is held in one of two ways: by the process that opened it (the library), or by a lease token that came back once from `open`
 * (HTTP, unix socket), with heartbeats. Whoever holds it speaks for it; nobody else does.
 */

/** Under whose authority a call is made: a principal, and for a run's asks the run that was verified. */
export type RunCreator = { readonly principal: string; readonly run: { readonly id: string; readonly policyDigest: string } };

/** A run that a live holder was verified for. */
export type RunAuthority = {
  readonly creator: RunCreator;
  /** Aborts when the run ends; its reason is a `HandraiseError`: `run_closed`. */
  readonly signal: AbortSignal;
};

/** What a holder of a lease shows. `principal`: of the key or user that makes the call. */
export type RunTicket = { readonly id: string; readonly leaseToken: string; readonly principal: string };

/** A run held by a lease, as its opener reads it. */
export type LeasedRun = {
  readonly id: string;
  readonly session: string;
  /** Text that stands for the run's authority; given out here and never again. */
  readonly leaseToken: string;
  readonly leaseMs: number;
  /** ISO 8601, UTC: the run ends then unless a heartbeat came. */
  readonly leaseUntil: string;
};

/** The keeper of runs. Methods reject with `store_unavailable` when the store cannot be reached. */
export interface RunDesk {
  /**
   * Opens a run held by a lease token; resolves once it is stored. A stated `principal` other than the caller's is refused.
   * @throws `input_invalid`, `target_unknown`, `not_allowed`.
   */
  openLeased(input: unknown, by: { readonly principal: string }): Promise<LeasedRun>;
  /** Keeps it for another lease from now on. @throws `run_closed`, `authority_stale`. */
  heartbeat(ticket: RunTicket): Promise<{ readonly leaseUntil: string }>;
  /** Resolves when the end is stored and its questions are ended; repeating it changes nothing. @throws `authority_stale`. */
  close(ticket: RunTicket, reason?: string): Promise<void>;
  /** For `request`: the creator to call the gateway with. @throws `run_closed`, `authority_stale`. */
  authorityOf(ticket: RunTicket): Promise<RunAuthority>;
  /** A principal was removed (its key revoked): its runs end `revoked`, its open questions, durable ones too, `creator_revoked`. */
  endPrincipal(principal: string): Promise<void>;
}

/** Authority kept beyond its run, for work in the background that a person stands behind. It gives no permission that the run had not. */
export type RetainedAuthority = {
  /** Synchronous. @throws `authority_stale` once released, or when whoever started the run is no longer current or the bridge stops. */
  assertCurrent(): void;
  /** Aborts with that error. */
  readonly signal: AbortSignal;
  /** Gives it back; may be repeated. What it owns is let go without being stopped. */
  release(): void;
  /**
   * `stop` is called when the authority ends, at once when it has ended already; it needs no permission. One that fails is reported and tried
   * again until it succeeds. Returns the undo.
   */
  own(resource: string, stop: (reason: unknown) => void | Promise<void>): () => void;
};
