/** The prover port: signs what is true of an answer at the moment it is committed. Implemented by src/audit/proof.ts. */
import type { AnsweredOutcome, DeclinedOutcome } from "../core/outcome.js";

/** What one proof is made of. `outcome` is the whole outcome without its proof. */
export type ProofFacts = {
  /** SHA-256 (hex) of what was asked and who may answer (R7). */
  readonly questionDigest: string;
  readonly outcome: Omit<AnsweredOutcome, "proof"> | Omit<DeclinedOutcome, "proof">;
  /** The platform's own identity of the press or text; null on doors without a platform. */
  readonly event: string | null;
  /** The rule that let the actor answer: `audience:person alice`, `audience:role ops`, `anyone`. */
  readonly rule: string;
};

/** Gives the signed statement as compact text (RFC 7515). Synchronous: it stands between the last check and the commit. */
export type Prover = (facts: ProofFacts) => string;
