import { generateKeyPairSync, type KeyObject } from "node:crypto";
import fc from "fast-check";
import { calculateJwkThumbprint, compactVerify } from "jose";
import { describe, expect, it } from "vitest";
import { createProver, verifyProof } from "../../src/audit/proof.js";
import { keyId, publicKeysOf, readSigned, signText } from "../../src/audit/signed-text.js";
import type { AnsweredOutcome } from "../../src/core/outcome.js";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = { kid: keyId(publicKey), privateKey };
const pem = (of: KeyObject): string => of.export({ format: "pem", type: "spki" }).toString();
const keys = publicKeysOf(pem(publicKey));
const OUTCOME: Omit<AnsweredOutcome, "proof"> = {
  id: "q_00000000000000000000000000",
  at: "2026-12-01T14:03:11.204Z",
  key: "release-42",
  by: { person: "alice", name: "Alice Wong", channel: "slack", account: "slack", userId: "U02ALICE" },
  place: "slack:D02",
  via: "button",
  note: "go",
  status: "answered",
  decision: "answer",
  values: { env: "prod", areas: ["a", "b"], other: { other: "tomorrow" } },
  subjectHash: "sha256:00",
};
const FACTS = { questionDigest: "d1", outcome: OUTCOME, event: "slack|E1", rule: "audience:role ops" };
const proven = { ...OUTCOME, proof: createProver(key)(FACTS) };

/** Every path to a plain value in plain data. */
function leaves(data: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof data !== "object" || data === null) return [path];
  return Object.entries(data).flatMap(([name, value]) => leaves(value, [...path, name]));
}
function changed(data: unknown, [name, ...rest]: readonly string[], to: unknown): unknown {
  if (name === undefined) return to;
  const copy: unknown = Array.isArray(data) ? [...data] : { ...(data as object) };
  Reflect.set(copy as object, name, changed(Reflect.get(data as object, name), rest, to));
  return copy;
}

describe("proofs", () => {
  it("PR1 a proof states question, end, actor, platform event, time and rule, and holds after a trip through JSON in another key order", () => {
    const saved: unknown = Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(proven)) as object).reverse());
    const verdict = verifyProof(saved, keys);
    expect(verdict).toMatchObject({
      ok: true,
      kid: key.kid,
      statement: {
        question: OUTCOME.id,
        questionDigest: "d1",
        subjectHash: "sha256:00",
        status: "answered",
        decision: "answer",
        at: OUTCOME.at,
        actor: { person: "alice", channel: "slack", account: "slack", userId: "U02ALICE" },
        event: "slack|E1",
        rule: "audience:role ops",
      },
    });
  });

  it("PR2 a change of any field, an added one and a missing one are found", () => {
    for (const path of leaves(OUTCOME)) {
      expect(verifyProof(changed(proven, path, "forged"), keys), path.join(".")).toMatchObject({ ok: false });
    }
    expect(verifyProof({ ...proven, extra: 1 }, keys)).toMatchObject({
      ok: false,
      why: expect.stringContaining("outcome is not what was signed"),
    });
    for (const name of Object.keys(OUTCOME)) {
      const without = Object.fromEntries(Object.entries(proven).filter(([each]) => each !== name));
      expect(verifyProof(without, keys), name).toMatchObject({ ok: false });
    }
    expect(verifyProof({ ...proven, status: "declined" }, keys)).toMatchObject({
      why: "the signature holds, but status is not what was signed",
    });
  });

  it("SG3 a change of any character of the proof is found", () => {
    fc.assert(
      fc.property(fc.nat(proven.proof.length - 1), fc.constantFrom(..."ABwxyz019-_.=+ "), (at, char) => {
        fc.pre(proven.proof.charAt(at) !== char);
        const proof = proven.proof.slice(0, at) + char + proven.proof.slice(at + 1);
        expect(verifyProof({ ...OUTCOME, proof }, keys)).toMatchObject({ ok: false });
      }),
      { numRuns: 500 },
    );
  });

  it("SG1 SG2 another key, a signed head and an outcome without a proof do not pass", () => {
    const other = generateKeyPairSync("ed25519").publicKey;
    expect(verifyProof(proven, publicKeysOf(pem(other)))).toMatchObject({
      ok: false,
      why: expect.stringContaining("not among the public keys"),
    });
    expect(verifyProof(proven, publicKeysOf(pem(other) + pem(publicKey)))).toMatchObject({ ok: true });
    // Under the right name, another key's signature does not hold.
    expect(verifyProof(proven, new Map([[key.kid, other]]))).toMatchObject({ ok: false, why: expect.stringContaining("does not hold") });
    const head = signText(key, "handraise-head", { instance: "i", seq: 1 });
    expect(readSigned(head, "handraise-head", keys)).toMatchObject({ ok: true });
    expect(verifyProof({ ...OUTCOME, proof: head }, keys)).toMatchObject({ ok: false });
    expect(verifyProof(OUTCOME, keys)).toMatchObject({ ok: false, why: expect.stringContaining("no proof") });
    expect(verifyProof("text", keys)).toMatchObject({ ok: false });
  });

  it("SG1 jose reads the same statement, and names the key the same", async () => {
    const { payload, protectedHeader } = await compactVerify(proven.proof, publicKey);
    expect(protectedHeader).toEqual({ alg: "EdDSA", kid: key.kid, typ: "handraise-proof" });
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({ question: OUTCOME.id, rule: "audience:role ops" });
    expect(await calculateJwkThumbprint(publicKey.export({ format: "jwk" }) as { kty: string })).toBe(key.kid);
  });
});
