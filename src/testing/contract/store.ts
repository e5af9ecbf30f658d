/**
 * The store contract: every store runs this suite against its real engine.
 *
 *   describeStoreContract("sqlite", openBench)      // in the adapter's test folder
 *
 * Clauses are numbered S1, S2, … over six files: questions, copies, inputs, what a commit is (`store-commits.ts`), housekeeping,
 * authority.
 * `store-histories.ts` compares random histories with the plain model of `store-model.ts`.
 */
import { afterEach, describe } from "vitest";
import { authorityClauses } from "./store-authority.js";
import type { OpenBench, StoreBench } from "./store-bench.js";
import { commitClauses } from "./store-commits.js";
import { copyClauses } from "./store-copies.js";
import { historyClauses } from "./store-histories.js";
import { inputClauses } from "./store-inputs.js";
import { questionClauses } from "./store-questions.js";
import { tidyClauses } from "./store-tidy.js";

/** Runs all clauses. `seed` repeats a random history that failed; `runs` of them are tried (default 100). */
export function describeStoreContract(
  name: string,
  open: OpenBench,
  options: { readonly seed?: number; readonly runs?: number } = {},
): void {
  describe(`store contract: ${name}`, () => {
    const benches: StoreBench[] = [];
    const bench: OpenBench = async () => {
      const made = await open();
      benches.push(made);
      return made;
    };
    afterEach(async () => {
      await Promise.all(benches.splice(0).map((made) => made.stop()));
    });
    questionClauses(bench);
    copyClauses(bench);
    inputClauses(bench);
    commitClauses(bench);
    tidyClauses(bench);
    authorityClauses(bench);
    historyClauses(bench, options);
  });
}
