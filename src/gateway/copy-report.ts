/**
 * What a remote host's report means for the gateway's row of a copy: the events of core/delivery.ts it stands for. Pure.
 *
 * CR1  `shown`, `unknown` and `closed` are facts about the platform: they count whatever the lease. `failed` and `sending` speak for the
 *      one who holds the copy, so they count only under the last lease that was given out.
 * CR2  A report that says nothing new changes nothing: it may be repeated.
 * CR3  Looking for a message whose fate is unknown is the host's work; the row is due here only when its question has ended.
 */
import { type Copy, type CopyEffect, type CopyEvent, type CopySet, stepCopy } from "../core/delivery.js";
import type { CopyReport } from "../ports/gateway.js";
import type { DeliveryReport } from "../ports/host-wire.js";
import type { CopyRow } from "../ports/store.js";

/** How long a host that is still at it keeps the copy, in milliseconds. */
export const STILL_SENDING_MS = 60_000;
/** Pause before the end of a question is ordered again where the host cannot tell yet, in milliseconds. */
const UNKNOWN_AGAIN_MS = 30_000;

/** The lease a copy was last given out under; `attempts` counts the times it was. */
export function leaseOf({ attempts }: Pick<CopyRow, "attempts">): string {
  return String(attempts);
}

/** The columns to store and their effects; both empty when the report is nothing new (CR2). */
export function reportStep(
  copy: CopyRow,
  report: DeliveryReport,
  { open, nowMs }: { readonly open: boolean; readonly nowMs: number },
): Pick<CopyReport, "set" | "effects"> {
  const current = report.lease === leaseOf(copy);
  if (report.state === "sending")
    return copy.state === "sending" && current ? { set: { dueAtMs: nowMs + STILL_SENDING_MS }, effects: [] } : { set: {}, effects: [] };
  const { set, effects } = run(copy, eventsOf(copy, report, { open, current }), { open, nowMs });
  if (Object.keys(set).length === 0) return { set, effects };
  const shown = set.state === "shown" && report.messageIds !== undefined ? { messageIds: report.messageIds } : {};
  return { set: { ...report.place, ...set, ...shown, ...looking(set, { open, nowMs }) }, effects };
}

type Now = { readonly open: boolean; readonly nowMs: number };

function run(row: CopyRow, events: readonly CopyEvent[], now: Now): { readonly set: CopySet; readonly effects: readonly CopyEffect[] } {
  const start: Copy = { ...row, repeated: row.repeatOf !== null };
  let [copy, set] = [start, {} as CopySet];
  const effects = new Set<CopyEffect>();
  for (const event of events) {
    const step = stepCopy(copy, event, now);
    copy = { ...copy, ...step.set };
    set = { ...set, ...step.set };
    for (const effect of step.effects) effects.add(effect);
  }
  return { set, effects: [...effects] };
}

function eventsOf(
  copy: CopyRow,
  report: DeliveryReport,
  { open, current }: { readonly open: boolean; readonly current: boolean },
): readonly CopyEvent[] {
  const claimed: readonly CopyEvent[] = copy.state === "pending" ? [{ kind: "claimed", nonce: copy.nonce ?? copy.id }] : [];
  switch (report.state) {
    case "shown":
      return shownEvents(copy, report, claimed);
    case "unknown": {
      const unknown: readonly CopyEvent[] = [
        ...claimed,
        { kind: "fate_unknown", message: report.error?.message ?? "The host does not know." },
      ];
      return report.repeat === true ? [...unknown, { kind: "cannot_tell" }] : unknown;
    }
    case "failed": {
      const { code = "unreachable", message = "" } = report.error ?? {};
      const refused: CopyEvent = { kind: "refused", code, message };
      if (!current) return []; // CR1
      return copy.state === "unknown" ? [{ kind: "absent" }, refused] : [refused];
    }
    case "closed":
      if (open) return [];
      return copy.state === "shown" ? [{ kind: "drawn" }] : [{ kind: "absent" }];
    case "sending":
      return [];
  }
}

function shownEvents(copy: CopyRow, { message }: DeliveryReport, claimed: readonly CopyEvent[]): readonly CopyEvent[] {
  if (copy.state === "shown") return copy.todo === "redraw" ? [{ kind: "drawn" }] : [];
  if (message === undefined) return [];
  // A row that was given up takes the message over all the same, so that it is closed (D5).
  if (copy.state === "failed" || copy.state === "closed") return [{ kind: "pressed", message }];
  return [...claimed, { kind: "found", message, last: true }];
}

/** CR3. */
function looking(set: CopySet, { open, nowMs }: Now): CopySet {
  if (set.state !== "unknown" || set.todo !== "find") return {};
  return { dueAtMs: open ? null : nowMs + UNKNOWN_AGAIN_MS };
}
