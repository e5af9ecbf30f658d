/** Lines for people: printed, and kept for the foot of the local page. */

/** Lines kept. */
export const KEPT_LINES = 200;

/** The asker's terminal as the page shows it. */
export class TerminalLines {
  readonly #print: (line: string) => void;
  readonly #kept: string[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Prints one line. */
  print(line: string): void {
    this.#print(line);
    this.#kept.push(line);
    if (this.#kept.length > KEPT_LINES) this.#kept.shift();
    for (const watcher of this.#watchers) watcher();
  }

  /** The last lines, oldest first. */
  lines(): readonly string[] {
    return this.#kept;
  }

  /** Calls `seen` after every line. Returns the undo. */
  onLine(seen: () => void): () => void {
    this.#watchers.add(seen);
    return () => this.#watchers.delete(seen);
  }
}
