/**
 * The terminal as commands see it: people read stderr, scripts read stdout. Real in main.ts, kept in tests.
 */

export interface Terminal {
  /** One line to stdout: data, for scripts. */
  out(line: string): void;
  /** One line to stderr: words, for people. */
  err(line: string): void;
  /** Is stdout a screen? Then control characters of what people wrote are made visible; in a pipe the exact text goes through. */
  readonly outIsScreen: boolean;
  /** May words on stderr be coloured? Off when piped, or when NO_COLOR is set. */
  readonly colour: boolean;
  now(): Date;
  /** Fires at Ctrl-C or SIGTERM: ends a wait, never a question. */
  readonly interrupted: AbortSignal;
  /** All of stdin as text. */
  readInput(): Promise<string>;
}

const CODES = { good: 32, bad: 31, dim: 2 } as const;

/** A word in colour, where colours are on. */
export function paint(terminal: Pick<Terminal, "colour">, style: keyof typeof CODES, text: string): string {
  return terminal.colour ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
}

/** The process's own. The first Ctrl-C fires `interrupted`; a second one ends the process at once. */
export function processTerminal(): Terminal & { end(): void } {
  const stopping = new AbortController();
  const interrupt = (): void => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort(new Error("interrupted"));
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  // A reader that went away (`| head -1`) is no failure of ours.
  process.stdout.on("error", (error: Error & { readonly code?: string }) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    outIsScreen: process.stdout.isTTY === true,
    colour: process.stderr.isTTY === true && (process.env["NO_COLOR"] ?? "") === "",
    now: () => new Date(),
    interrupted: stopping.signal,
    readInput,
    end: () => {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
