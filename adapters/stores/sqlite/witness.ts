/**
 * What proves, after a COMMIT that errored, that its batch is in the file. A batch is one transaction, so one row that only this batch
 * can have written proves all of it: a random id of ours. A batch without such a
 * row writes a random mark of its own.
 */
import { randomBytes } from "node:crypto";
import type { Order, Value } from "./protocol.js";

/** How to ask, after a failed COMMIT, whether the batch was stored. */
export type Witness =
  /** Nothing of the batch succeeded; there is nothing to commit. */
  | { readonly kind: "nothing" }
  /** Found by this statement if the batch was stored. */
  | { readonly kind: "row"; readonly sql: string; readonly values: readonly Value[] }
  /** As `row`; the batch has to write the mark first. */
  | { readonly kind: "batch"; readonly batch: string; readonly sql: string; readonly values: readonly Value[] };

/** Chooses the witness among the lists that succeeded. `name`: this engine's row of `writers`. */
export function witnessOf(lists: readonly (readonly Order[])[], { name }: { readonly name: string }): Witness {
  if (lists.length === 0) return { kind: "nothing" };
  for (const list of lists) {
    for (const order of list) {
      const row = rowOf(order);
      if (row !== undefined) return { kind: "row", ...row };
    }
  }
  const batch = randomBytes(16).toString("hex");
  return { kind: "batch", batch, sql: "select 1 from writers where name = ? and batch = ?", values: [name, batch] };
}

/** A row with an id that nobody else draws. An input's own id is the platform's, so its resolution id has to agree. */
function rowOf(order: Order): { readonly sql: string; readonly values: readonly Value[] } | undefined {
  const [kind, id = null] = order;
  switch (kind) {
    case "insert_question":
      return { sql: "select 1 from questions where id = ?", values: [id] };
    case "insert_copy":
      return { sql: "select 1 from copies where id = ?", values: [id] };
    case "insert_input":
      return { sql: "select 1 from inputs where id = ? and resolution_id = ?", values: [id, order[5] ?? null] };
    case "insert_receipt":
      return {
        sql: "select 1 from receipts where resolution_id = ? and actor = ? and at = ?",
        values: [id, order[3] ?? null, order[5] ?? null],
      };
    default:
      return undefined;
  }
}
