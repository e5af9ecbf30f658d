/**
 * `.env` beside the config: `NAME=value` lines, `export` before them, quotes around a value, `#` comments. Nothing is expanded
 * inside, and nothing is put into the process's own environment. Pure.
 */
const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^#]*?))\s*(?:#.*)?$/;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** Names and values of an env file. Lines that are not `NAME=value` are passed over; the last of two equal names counts. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const [, name, double, single, plain] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    values.set(name, double?.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter) ?? single ?? plain ?? "");
  }
  return values;
}
