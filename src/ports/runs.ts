/** What is kept of a run's authority after the run (R15). Types only. */

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
