/** Read-then-write transactions on one copy, as two processes of B181 make them. */
import type { CopyId } from "../../../../src/core/ids.js";
import type { Store } from "../../../../src/ports/store.js";

/** How many transactions each process makes. */
export const RAISES = 200;

/** Raises the copy's attempts by one, `RAISES` times at once; gives how often a transaction had to read again. */
export async function raise(store: Store, id: CopyId): Promise<number> {
  const tries = await Promise.all(Array.from({ length: RAISES }, () => raiseOnce(store, id)));
  return tries.reduce((sum, again) => sum + again, 0);
}

async function raiseOnce(store: Store, id: CopyId): Promise<number> {
  for (let again = 0; ; again += 1) {
    const read = await store.copy(id);
    if (read === undefined) throw new Error("the copy is gone");
    const { revision, attempts } = read.copy;
    const result = await store.commit([{ do: "update_copy", id, revision, set: { attempts: attempts + 1 } }]);
    if (result.ok) return again;
  }
}
