/**
 * The audit chain's one formula, shared by the store that writes it and by whoever verifies it.
 *
 * AC1  A row's hash covers everything in the row and the hash before it, so a row that was changed, taken out or put in breaks the chain.
 * AC2  The text under the hash is a JSON list in a fixed order; `data` stands in it as JSON writes it, which reading and writing keeps.
 */

/** The facts of one row under its hash. */
export type ChainLink = {
  readonly instance: string;
  readonly seq: number;
  readonly type: string;
  readonly atMs: number;
  readonly question: string | null;
  readonly data: Readonly<Record<string, unknown>>;
};

/** What stands before the first row of a chain. */
export const CHAIN_START = "";

/** The text whose SHA-256 (hex) is the row's hash. */
export function chainText({ instance, seq, type, atMs, question, data }: ChainLink, prev: string): string {
  return JSON.stringify([prev, instance, seq, type, atMs, question, data]);
}
