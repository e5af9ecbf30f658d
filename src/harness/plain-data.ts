/**
 * Plain data: what JSON can say without loss, so that what a person approves, what is hashed and what a tool is called with are the same.
 * Getters, classes, functions, dates and numbers that are none are refused rather than turned into something else.
 */
import { HandraiseError } from "../errors.js";

const DEPTH_MAX = 64;

/** A value of JSON. */
export type PlainData = null | boolean | number | string | readonly PlainData[] | { readonly [key: string]: PlainData };

/**
 * A deep copy of a value that is plain data; a property that is `undefined` is left out.
 * @param path what the value is called in the error: `deploy: argument 1`.
 * @throws `input_invalid` with the path of what is not plain.
 */
export function plainCopy(value: unknown, path: string, depth = 0): PlainData {
  if (depth > DEPTH_MAX) throw notPlain(path, `is nested more than ${DEPTH_MAX} deep`);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return wellFormed(value, path);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw notPlain(path, "is a number that JSON does not have");
    return value;
  }
  if (Array.isArray(value)) return Array.from(value, (item: unknown, index) => plainCopy(item, `${path}.${index}`, depth + 1));
  if (typeof value !== "object") throw notPlain(path, `is of type ${typeof value}`);
  return copyOfObject(value, path, depth);
}

function copyOfObject(value: object, path: string, depth: number): PlainData {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) throw notPlain(path, "is an object of a class");
  const copy: Record<string, PlainData> = {};
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (typeof key !== "string" || key === "__proto__") throw notPlain(path, "has a property that JSON cannot name");
    if (property === undefined || !("value" in property)) throw notPlain(`${path}.${key}`, "is computed when it is read");
    const item: unknown = property.value;
    if (item !== undefined) copy[wellFormed(key, path)] = plainCopy(item, `${path}.${key}`, depth + 1);
  }
  return copy;
}

/** Half of a surrogate pair has no UTF-8, and so no hash. */
function wellFormed(text: string, path: string): string {
  if (/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text))
    throw notPlain(path, "is text cut inside a character");
  return text;
}

function notPlain(path: string, why: string): HandraiseError {
  const message = `${why}, which cannot be shown for approval. Pass plain data.`;
  return new HandraiseError("input_invalid", `${path}: ${message}`, { issues: [{ path, code: "not_plain", message }] });
}
