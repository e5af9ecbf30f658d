/** The gateway as the host reaches it: typed calls over a dispatcher, never the gateway itself (design, section 3). */
import type { Receipt } from "../core/record.js";
import { assertGuarded, type Dispatcher, type LegacyDispatcher } from "../ports/dispatcher.js";
import type { CopyReport, Submission } from "../ports/gateway.js";
import type { SourceToken } from "../ports/source.js";

/** What of a source's token stands behind a call (R16). */
export type SourceAuthority = Pick<SourceToken, "assertCurrent">;

/** What a host asks of the gateway: `question.resolve`, source-bound, and `delivery.report`, unscoped. False: the copy had changed. */
export interface HostCalls {
  resolve(submission: Submission, source: SourceAuthority): Promise<Receipt>;
  report(report: CopyReport): Promise<boolean>;
}

/**
 * Wraps a version-2 dispatcher; its results are the gateway's own, trusted as such in one process.
 * @throws `dispatcher_legacy` for any other, so that no channel is opened over it (R20).
 */
export function hostCalls(dispatcher: Dispatcher | LegacyDispatcher): HostCalls {
  assertGuarded(dispatcher);
  return {
    async resolve(submission, source) {
      const authority = { kind: "source-bound", assertCurrent: () => source.assertCurrent() } as const;
      return (await dispatcher.call({ method: "question.resolve", params: submission, options: {}, authority })) as Receipt;
    },
    async report(report) {
      return (await dispatcher.call({
        method: "delivery.report",
        params: report,
        options: {},
        authority: { kind: "unscoped" },
      })) as boolean;
    },
  };
}
