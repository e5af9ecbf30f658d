/**
 * Signed statements as compact JWS (RFC 7515) with Ed25519 (RFC 8037): three parts of base64url, readable by any JOSE library.
 *
 * SG1  A key is named by its RFC 7638 thumbprint (`kid`), never by its place in a file.
 * SG2  `typ` says what is stated, so that a signed head of a chain is never taken for a proof of an answer, and the other way round.
 * SG3  One text per signature: anything but the exact base64url form is refused, so no character can be changed unnoticed.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

/** What a statement is about. */
export type StatementType = "handraise-proof" | "handraise-head";

/** A key that signs, and its name. */
export type SigningKey = { readonly kid: string; readonly privateKey: KeyObject };
/** Public keys by `kid`. */
export type PublicKeys = ReadonlyMap<string, KeyObject>;

/** A statement whose signature holds, or why it does not. */
export type Read =
  | { readonly ok: true; readonly kid: string; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly why: string };

/** The RFC 7638 thumbprint of an Ed25519 key: 43 characters. */
export function keyId(key: KeyObject): string {
  const { crv, kty, x } = key.export({ format: "jwk" });
  return createHash("sha256").update(JSON.stringify({ crv, kty, x }), "utf8").digest("base64url");
}

/** Signs plain data. */
export function signText(key: SigningKey, type: StatementType, payload: Readonly<Record<string, unknown>>): string {
  const text = `${encode({ alg: "EdDSA", kid: key.kid, typ: type })}.${encode(payload)}`;
  return `${text}.${sign(null, Buffer.from(text, "ascii"), key.privateKey).toString("base64url")}`;
}

/** Checks a signed text with one of these keys. Never throws. */
export function readSigned(text: string, type: StatementType, keys: PublicKeys): Read {
  const [head = "", body = "", signature = "", ...more] = text.split(".");
  const [header, payload, bytes] = [parseJson(decode(head)), parseJson(decode(body)), decode(signature)];
  if (more.length > 0 || header === undefined || payload === undefined || bytes === undefined)
    return { ok: false, why: "not a signed text" };
  const { alg, kid, typ, ...others } = header;
  if (alg !== "EdDSA" || typ !== type || typeof kid !== "string" || Object.keys(others).length > 0) {
    return { ok: false, why: `not a signed text of type ${type}` };
  }
  const key = keys.get(kid);
  if (key === undefined) return { ok: false, why: `signed by the key ${kid}, which is not among the public keys given` };
  if (!verify(null, Buffer.from(`${head}.${body}`, "ascii"), key, bytes))
    return { ok: false, why: `the signature of key ${kid} does not hold` };
  return { ok: true, kid, payload };
}

/** The Ed25519 public keys of a PEM text; one file may hold several. @throws when a block is not such a key. */
export function publicKeysOf(pem: string): PublicKeys {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  const keys = blocks.map((block) => createPublicKey(block));
  for (const key of keys) if (key.asymmetricKeyType !== "ed25519") throw new TypeError("A public key is not of type Ed25519.");
  return new Map(keys.map((key) => [keyId(key), key]));
}

function encode(data: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(data), "utf8").toString("base64url");
}

function decode(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, "base64url");
  return bytes.toString("base64url") === part ? bytes : undefined; // SG3
}

function parseJson(bytes: Buffer | undefined): Record<string, unknown> | undefined {
  if (bytes === undefined) return undefined;
  try {
    const data: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof data === "object" && data !== null && !Array.isArray(data) ? { ...data } : undefined;
  } catch {
    return undefined;
  }
}
