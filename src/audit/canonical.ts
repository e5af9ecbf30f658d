/** Digests of plain data: SHA-256 over its one canonical text (RFC 8785), so that key order and white space do not count. */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

/** SHA-256 (hex) of the RFC 8785 text of plain data. @throws when the data has no JSON form. */
export function digestOf(data: unknown): string {
  const text = canonicalize(data);
  if (text === undefined) throw new TypeError("This value has no JSON form.");
  return createHash("sha256").update(text, "utf8").digest("hex");
}
