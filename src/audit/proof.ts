/**
 * Proofs: a signed statement about one answer, checkable offline with the public key alone.
 *
 * PR1  It states the question's digest, how it ended, who did it by which platform event, when, under which rule, and the digest of the
 *      whole outcome, values included. The values themselves stand in the outcome, not in the proof.
 * PR2  Any change of any field of the outcome is found: the digest covers all but the proof.
 * PR3  It never carries a resolution id (R6).
 * PR4  It proves what the platform said about the actor, and nothing about the person behind the account (docs/threat-model.md).
 */
import type { ProofFacts, Prover } from "../ports/prover.js";
import { digestOf } from "./canonical.js";
import { type PublicKeys, readSigned, type SigningKey, signText } from "./signed-text.js";

/** What a checked proof says, as its signed payload has it. */
export type ProofStatement = Readonly<Record<string, unknown>>;

/** Does a proof hold for this outcome? `why` names what does not. */
export type ProofVerdict =
  | { readonly ok: true; readonly kid: string; readonly statement: ProofStatement }
  | { readonly ok: false; readonly why: string };

/** The prover that signs with this key. About 0.1 ms a proof. */
export function createProver(key: SigningKey): Prover {
  return (facts) => signText(key, "handraise-proof", statementOf(facts));
}

/** Checks a saved outcome against its proof (PR2). Needs nothing but the public keys; never throws. */
export function verifyProof(outcome: unknown, keys: PublicKeys): ProofVerdict {
  if (typeof outcome !== "object" || outcome === null || !("proof" in outcome) || typeof outcome.proof !== "string") {
    return { ok: false, why: "it has no proof: only answered and declined outcomes carry one" };
  }
  const { proof, ...rest } = outcome;
  const read = readSigned(proof as string, "handraise-proof", keys);
  if (!read.ok) return read;
  const { payload, kid } = read;
  const given = repeatedFacts(rest);
  const differing = Object.keys(given).filter((name) => digestOf(given[name] ?? null) !== digestOf(payload[name] ?? null));
  const [first] = differing;
  if (first !== undefined) return { ok: false, why: `the signature holds, but ${first} is not what was signed` };
  if (payload["outcomeDigest"] !== digestOf(rest)) return { ok: false, why: "the signature holds, but the outcome is not what was signed" };
  return { ok: true, kid, statement: payload };
}

function statementOf({ questionDigest, outcome, event, rule }: ProofFacts): Readonly<Record<string, unknown>> {
  return { ...repeatedFacts(outcome), questionDigest, outcomeDigest: digestOf(outcome), event, rule };
}

/** The facts of an outcome that a proof states in words as well, so that a reader needs no digest for them. */
function repeatedFacts(outcome: object): Readonly<Record<string, unknown>> {
  const facts = new Map<string, unknown>(Object.entries(outcome));
  const by = facts.get("by");
  const who = new Map<string, unknown>(typeof by === "object" && by !== null ? Object.entries(by) : []);
  const actor = Object.fromEntries(["person", "channel", "account", "userId"].map((name) => [name, who.get(name) ?? null]));
  return {
    question: facts.get("id") ?? null,
    status: facts.get("status") ?? null,
    decision: facts.get("decision") ?? null,
    at: facts.get("at") ?? null,
    subjectHash: facts.get("subjectHash") ?? null,
    actor,
  };
}
