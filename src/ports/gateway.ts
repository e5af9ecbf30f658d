/**
 * What a host sends to the gateway through a dispatcher (`question.resolve`, `delivery.report`): plain data, the same in one process and,
 * without the parts that need a shared store, over a wire.
 */
import type { CopySet } from "../core/delivery.js";
import type { QuestionId, ResolutionId } from "../core/ids.js";
import type { Person, Via } from "../core/outcome.js";
import type { NoticeOrder } from "./channel.js";
import type { Change, CopyRow, QuestionRow } from "./store.js";

/** One attempt by one actor to settle a question. */
export type Submission = {
  readonly question: QuestionId;
  readonly resolutionId: ResolutionId;
  readonly decision?: string;
  readonly value?: unknown;
  readonly values?: unknown;
  readonly note?: unknown;
  /** From the verified platform payload (R12). */
  readonly actor: { readonly account: string; readonly userId: string; readonly name: string; readonly channel: Person["channel"] };
  readonly place: string | null;
  readonly via: Via;
  /** The stored input's id, the platform's own identity of the event; goes into proof and audit. Absent on doors without a platform. */
  readonly event?: string;
  /** The inbox write, where host and gateway share a store; else the arrival of the call. */
  readonly receivedAtMs: number;
  /** The inbox row this came from, settled in the same transaction; only from a host on the same store. */
  readonly input?: { readonly id: string; readonly notice: NoticeOrder | null; readonly account: string };
  readonly alongside?: readonly Change[];
  /** The question as a host on the same store has just read it: what is asked never changes, and the compare-and-set decides the rest. */
  readonly known?: QuestionRow;
};

/** What a host reports about a copy: the row's change, and what it means for the question. */
export type CopyReport = {
  readonly copy: CopyRow;
  readonly set: CopySet & {
    readonly conversation?: string;
    readonly thread?: string | null;
    readonly direct?: boolean;
    readonly page?: number;
  };
  /** `shown`: the question's time starts. `repeat`: a labelled repeat is to be made. `failed`: perhaps nothing is left. */
  readonly effects: readonly ("shown" | "repeat" | "failed")[];
  /** When its question's time will end if it starts now; null: never. Says only when to look. */
  readonly mayEndAtMs: number | null;
};

/** What a commit of the gateway leaves to the host. `look`: something may be due that is not named. */
export type Work =
  | { readonly kind: "asked"; readonly question: QuestionRow; readonly copies: readonly CopyRow[] }
  | { readonly kind: "ended"; readonly question: QuestionRow }
  | { readonly kind: "look" };

/** Signals inside one process: they spare a look at the store, and nothing is decided by them. */
export interface WorkSignals {
  /** `run` is called after each commit that leaves work to the host. Returns the undo. */
  onWork(run: (work: Work) => void): () => void;
  /** Events were stored. */
  events(): void;
}
