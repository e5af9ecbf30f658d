/**
 * Settling: the one way a question ends. Reads the row, asks the lifecycle, writes outcome, event and the end of its copies in one
 * compare-and-set; when somebody else was faster, hands back what won.
 */
import type { QuestionId, ResolutionId } from "../core/ids.js";
import { type Lifecycle, type LifecycleEvent, stepQuestion } from "../core/lifecycle.js";
import type { StoredOutcome } from "../core/outcome.js";
import type { Change, CommitResult, QuestionRow } from "../ports/store.js";
import type { GatewayParts } from "./parts.js";

/** One way to end one question: what happened, the outcome to store, when (UTC ms), and by which submission (null: by none). */
export type Settlement = {
  readonly event: LifecycleEvent;
  readonly outcome: StoredOutcome;
  readonly atMs: number;
  readonly settledBy: ResolutionId | null;
  /** Conditions of the compare-and-set beyond "open". */
  readonly when?: { readonly receivedAtMs?: number; readonly dueAtMs?: number; readonly onlyIfAllFailed?: true };
  /** Changes that stand or fall with it (the input's row, a receipt). */
  readonly alongside?: readonly Change[];
};

/** Whether this settlement is the one that stands. `not_applied` changed nothing, `alongside` included. */
export type Settled =
  | { readonly status: "applied" }
  /** The lifecycle or the store said no. `why` is the store's reason and `at` the index in `alongside`, -1 for the question itself. */
  | { readonly status: "not_applied"; readonly why: Exclude<CommitResult, { ok: true }>["why"]; readonly at: number };

/** The lifecycle state of a stored row. */
export function lifecycleOf(row: QuestionRow): Lifecycle {
  return row.status === "open" ? { kind: "open", deadlineMs: row.expiresAtMs, timeoutMs: row.timeoutMs } : { kind: row.status };
}

/** Settles `row` if the lifecycle allows it and the store's condition still holds. Wakes waiters and the host after the commit. */
export async function settle(parts: GatewayParts, row: QuestionRow, settlement: Settlement): Promise<Settled> {
  const { next } = stepQuestion(lifecycleOf(row), settlement.event);
  if (row.status !== "open") return { status: "not_applied", why: "settled", at: -1 };
  if (next.kind === "open") return { status: "not_applied", why: settlement.event.kind === "accepted" ? "late" : "early", at: -1 };
  const { outcome, atMs, settledBy, when = {}, alongside = [] } = settlement;
  const result = await parts.store.commit([
    { do: "settle_question", id: row.id, outcome, endedAtMs: atMs, settledBy, ...when },
    ...alongside,
    { do: "end_copies", question: row.id, atMs },
    { do: "insert_event", question: row.id, type: `question.${outcome.status}`, atMs, data: outcome },
  ]);
  if (!result.ok) return { status: "not_applied", why: result.why, at: result.at - 1 };
  parts.signals.ended({ ...row, status: outcome.status, outcome, endedAtMs: atMs, settledBy }, { outcome, settledBy });
  return { status: "applied" };
}

/** The words every outcome has. */
export function endedBase(
  row: QuestionRow,
  atMs: number,
): { readonly id: QuestionId; readonly at: string; readonly key?: string; readonly session?: string } {
  return {
    id: row.id,
    at: new Date(atMs).toISOString(),
    ...(row.key === null ? {} : { key: row.key }),
    ...(row.session === null ? {} : { session: row.session }),
  };
}
