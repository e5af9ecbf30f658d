/** What a test or benchmark may do to COMMIT, described by plain data so that it can cross into the worker thread. */
import type { CommitGate } from "./engine.js";
import type { SqliteFaults } from "./protocol.js";

/**
 * A gate that plays `faults`, one entry of `commits` per commit, then lets everything pass. `crash` ends the thread in the middle of a
 * commit by `crash`. `onFailed` is called before an injected failure, so that the file can be made unreadable.
 */
export function faultyGate(
  faults: SqliteFaults,
  { crash, onFailed }: { readonly crash: () => never; readonly onFailed: () => void },
): CommitGate {
  const left = [...(faults.commits ?? [])];
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  return (commit) => {
    if (faults.commitDelayMs !== undefined) Atomics.wait(sleeper, 0, 0, faults.commitDelayMs);
    const fault = left.shift() ?? "ok";
    if (fault === "crash") crash();
    if (fault !== "fail_before") commit();
    if (fault === "ok") return;
    onFailed();
    throw new Error(`commit ${fault}`);
  };
}
