/**
 * The signing key of a data folder: made once, kept beside the database.
 *
 * K1  `proof.key` is the private key (PKCS 8), mode 0600; `proof.pub` holds the public keys of this folder, newest last, so that
 *     proofs of a key that was replaced can still be checked.
 * K2  A new key is whole and on disk before it has its name: two bridges that start at once agree on one.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { chmod, link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { HandraiseError } from "../errors.js";
import { keyId, type PublicKeys, publicKeysOf, type SigningKey } from "./signed-text.js";

/** The private key's file in the data folder. Whoever has it can sign as this bridge. */
export const PRIVATE_KEY_FILE = "proof.key";
/** The public keys' file in the data folder, for anybody. */
export const PUBLIC_KEYS_FILE = "proof.pub";

/**
 * The folder's signing key, made at the first call; the folder must be there.
 * @throws `config_invalid` when the file is not an Ed25519 key or cannot be read or made.
 */
export async function openSigningKey(folder: string): Promise<SigningKey> {
  const path = join(folder, PRIVATE_KEY_FILE);
  try {
    const privateKey = parsePrivate((await textOf(path)) ?? (await makeKey(folder)));
    if (((await stat(path)).mode & 0o077) !== 0 && process.platform !== "win32") await chmod(path, 0o600);
    const key = { kid: keyId(createPublicKey(privateKey)), privateKey };
    await publish(folder, createPublicKey(privateKey));
    return key;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown reason";
    const message = `The signing key ${path} cannot be used: ${reason}. Restore it, or move it away: the next start makes a new one.`;
    throw new HandraiseError("config_invalid", message, { cause });
  }
}

/** The public keys in a file: `proof.pub` of a data folder or a copy of it. @throws `input_invalid` when there is none or it holds no key. */
export async function readPublicKeys(path: string): Promise<PublicKeys> {
  const text = await textOf(path).catch(() => undefined);
  try {
    const keys = publicKeysOf(text ?? "");
    if (keys.size > 0) return keys;
  } catch {
    // Said below.
  }
  throw new HandraiseError("input_invalid", `${path}: no Ed25519 public key there. Name a copy of the bridge's ${PUBLIC_KEYS_FILE}.`);
}

async function makeKey(folder: string): Promise<string> {
  const path = join(folder, PRIVATE_KEY_FILE);
  const { privateKey } = generateKeyPairSync("ed25519");
  const made = await writeNew(folder, privateKey.export({ format: "pem", type: "pkcs8" }).toString());
  try {
    await link(made, path); // K2: fails when another bridge was faster; then its key counts.
  } catch (error) {
    if (!isExists(error)) throw error;
  } finally {
    await rm(made, { force: true });
  }
  return readFile(path, "utf8");
}

async function publish(folder: string, key: KeyObject): Promise<void> {
  const path = join(folder, PUBLIC_KEYS_FILE);
  const known = (await textOf(path)) ?? "";
  if (publicKeysOf(known).has(keyId(key))) return;
  const made = await writeNew(folder, known + key.export({ format: "pem", type: "spki" }).toString());
  await rename(made, path);
}

async function writeNew(folder: string, text: string): Promise<string> {
  const path = join(folder, `proof.${randomUUID()}.new`);
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text, "utf8");
    await file.sync();
  } finally {
    await file.close();
  }
  return path;
}

function parsePrivate(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new TypeError("it is not of type Ed25519");
  return key;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function isExists(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
