/** The bench of the store contract: what a store's test gives to each clause. */
import type { QuestionId } from "../../core/ids.js";
import type { Change, CommitResult, Store } from "../../ports/store.js";

/** What a store's test puts on the table, made anew for each clause. */
export type StoreBench = {
  /** Open and empty. */
  readonly store: Store;
  /** Closes the store and opens the same memory again, as after a restart. */
  readonly reopen: () => Promise<Store>;
  /** Another instance over the same memory, while the first one stays open. */
  readonly second: () => Promise<Store>;
  /**
   * Runs another process over the same memory (the first store is closed before) that asks questions as fast as it can, and ends it by
   * SIGKILL in the middle. Resolves with the ids it had been told were stored.
   */
  readonly askUntilKilled: () => Promise<readonly QuestionId[]>;
  /** Closes whatever is open and removes the memory. */
  readonly stop: () => Promise<void>;
};

/** Makes a bench for one clause; stopped after it, also when it failed. */
export type OpenBench = () => Promise<StoreBench>;

/** Commits and expects it to be applied; gives the events. */
export async function applied(store: Store, changes: readonly Change[]): Promise<Extract<CommitResult, { readonly ok: true }>["events"]> {
  const result = await store.commit(changes);
  if (!result.ok) throw new Error(`change ${result.at} (${changes[result.at]?.do}) was not applied: ${result.why}`);
  return result.events;
}
