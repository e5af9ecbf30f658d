/** What a history leaves behind, for the rules to judge. */
import type { QuestionId } from "../../src/core/ids.js";
import type { Input } from "../../src/core/input.js";
import type { Store } from "../../src/ports/store.js";
import type { PaperChannel } from "../fixtures/paper-channel.js";

/** One input that a person caused, and what became of it. */
export type Sent = {
  readonly input: Input;
  readonly question: 0 | 1;
  readonly label: string;
  /** The rule by which it must never count; null: it may. */
  readonly refused: "R12" | "R24" | "R25" | null;
  acknowledged: boolean;
};
/** Everything a story leaves behind for the rules. */
export type Traces = {
  readonly canFind: boolean;
  readonly channel: PaperChannel;
  readonly store: Store;
  readonly asked: ReadonlyMap<0 | 1, QuestionId>;
  readonly sent: readonly Sent[];
  /** Outcomes as the asker read them, in every life. */
  readonly read: ReadonlyMap<0 | 1, readonly string[]>;
  readonly faults: string[];
  /** A word may have been said without our knowing: then it may come twice. */
  readonly wordsLost: boolean;
};

/** An outcome in a word or two, as the rules compare it. */
export function saidBy(outcome: { readonly status: string; readonly value?: unknown }): string {
  return typeof outcome.value === "string" ? `${outcome.status} ${outcome.value}` : outcome.status;
}
