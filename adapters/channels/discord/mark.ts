/**
 * How far the event stream is safely stored: the sequence number to resume from after a crash. The library's own number counts
 * what it has received; this one counts what the host has stored (platforms.md, 2.4, point 6).
 */
export class Mark {
  #highest = 0;
  #generation = 0;
  readonly #open = new Set<number>();

  /** A new session counts from its own number; what is still in work of the old one no longer matters to it. */
  reset(sequence: number): void {
    this.#highest = sequence;
    this.#open.clear();
    this.#generation += 1;
  }

  /** An event came; the returned function is called once it is stored, or of no interest. */
  begin(sequence: number): () => void {
    const generation = this.#generation;
    this.#open.add(sequence);
    this.#highest = Math.max(this.#highest, sequence);
    return () => {
      if (generation === this.#generation) this.#open.delete(sequence);
    };
  }

  /** Everything up to this number is stored. */
  get safe(): number {
    return this.#open.size === 0 ? this.#highest : Math.min(...this.#open) - 1;
  }
}
