/** Reading unknown JSON in the Slack simulator: every reader gives undefined or an empty list for what is not there. */

/** One JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Is it a JSON object (not an array, not null)? */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object under a key. */
export function objectAt(value: unknown, key: string): Json | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : undefined;
}

/** The text under a key. */
export function textAt(value: unknown, key: string): string | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : undefined;
}

/** The list under a key; empty when there is none. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

/** Is the flag under a key set? Form bodies carry "true" and "1". */
export function flagAt(value: unknown, key: string): boolean {
  const found = isObject(value) ? value[key] : undefined;
  return found === true || found === "true" || found === "1" || found === 1;
}

/** The whole number under a key, also written as text. */
export function numberAt(value: unknown, key: string): number | undefined {
  const found = isObject(value) ? value[key] : undefined;
  const number = typeof found === "string" && found !== "" ? Number(found) : found;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Parses JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
