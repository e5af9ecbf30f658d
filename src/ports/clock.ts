/** Time and chance as the product takes them: passed in, so that tests own both. */
export interface Clock {
  /** Wall clock in milliseconds since 1970, UTC. It may jump either way. */
  now(): number;
  /**
   * Calls `run` once after `delayMs` (0 to 2,147,483,647: longer waits are re-armed by their owner, B156). Returns the cancel.
   * Never keeps the process alive by itself.
   */
  after(delayMs: number, run: () => void): () => void;
}
