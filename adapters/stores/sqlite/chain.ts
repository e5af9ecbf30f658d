/**
 * The audit chain of one writer: entries of the lists that stay are linked just before their batch's COMMIT, in the order of the lists.
 *
 * CH1  The end of the chain is read from the file for each batch, never remembered: a batch that was taken back or run again leaves no gap.
 */
import { createHash } from "node:crypto";
import { CHAIN_START, chainText } from "../../../src/core/audit-chain.js";
import type { StatementName } from "./statements.js";
import type { Row, Value } from "./values.js";

/** The statements it needs, of the writer's connection. */
export type ChainStatements = {
  readonly get: (name: StatementName, values: readonly Value[]) => Row | undefined;
  readonly run: (name: StatementName, values: readonly Value[]) => { readonly lastId: number };
};

type Entry = readonly Value[];

/** Gathers entries by list, links them by batch. */
export class Chain {
  readonly #instance: string;
  readonly #statements: ChainStatements;
  #writer: number | undefined;
  #list: Entry[] = [];
  #batch: Entry[] = [];

  constructor(instance: string, statements: ChainStatements) {
    this.#instance = instance;
    this.#statements = statements;
  }

  /** Values: type, time, question, data as JSON. */
  add(entry: Entry): void {
    this.#list.push(entry);
  }

  /** The list applied last stays, or was undone. */
  endList(kept: boolean): void {
    if (this.#list.length === 0) return;
    if (kept) this.#batch.push(...this.#list);
    this.#list = [];
  }

  /** The batch was taken back before its end. */
  forget(): void {
    this.#list = [];
    this.#batch = [];
    this.#writer = undefined;
  }

  /** Links the batch's entries (CH1). */
  write(): void {
    if (this.#batch.length === 0) return;
    const entries = this.#batch;
    this.#batch = [];
    const writer = this.#writerNumber();
    const [last = 0, before = CHAIN_START] = this.#statements.get("audit_end", [writer]) ?? [];
    let [seq, prev] = [Number(last), String(before)];
    for (const [type = null, at = null, question = null, data = null] of entries) {
      seq += 1;
      const link = { instance: this.#instance, seq, type: String(type), atMs: Number(at), question: textOrNull(question) };
      const hash = createHash("sha256")
        .update(chainText({ ...link, data: JSON.parse(String(data)) }, prev))
        .digest("hex");
      this.#statements.run("chain_audit", [writer, seq, type, at, question, data, prev, hash]);
      prev = hash;
    }
  }

  /** This writer's number; given with its first entry. Forgotten with a batch that was taken back, which may have given it. */
  #writerNumber(): number {
    const known = this.#writer ?? this.#statements.get("find_audit_writer", [this.#instance])?.[0];
    const writer = typeof known === "number" ? known : this.#statements.run("insert_audit_writer", [this.#instance]).lastId;
    this.#writer = writer;
    return writer;
  }
}

function textOrNull(value: Value): string | null {
  return typeof value === "string" ? value : null;
}
