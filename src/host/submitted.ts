/** One submission under its source's token: the token is asked right before the dispatch and given back when the fate is known (R16). */
import type { Receipt } from "../core/record.js";
import { HandraiseError } from "../errors.js";
import type { Submission } from "../ports/gateway.js";
import type { SourceToken } from "../ports/source.js";
import type { HostCalls } from "./calls.js";

/** Undefined when the source had ended before the dispatch: nothing was sent. @throws what the dispatcher throws, and when the bridge stops. */
export async function submitted(calls: HostCalls, submission: Submission, source: SourceToken): Promise<Receipt | undefined> {
  try {
    return await calls.resolve(submission, source);
  } catch (error) {
    const stale = error instanceof HandraiseError && error.code === "authority_stale" && source.signal.aborted;
    // A bridge that stops says nothing about the person: the row stays, and is judged anew at the next start.
    if (stale && error.facts["why"] !== "retired") return undefined;
    throw error;
  } finally {
    source.release();
  }
}
