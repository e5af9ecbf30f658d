import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EXPIRY_GRACE_MS, type Lifecycle, type LifecycleEvent, receivedInTime, stepQuestion } from "../../src/core/lifecycle.js";
import { DECISIONS } from "../../src/core/question.js";

const DEADLINE = 1_000_000;
const open: Lifecycle = { kind: "open", deadlineMs: DEADLINE, timeoutMs: 60_000 };
const states: Record<Lifecycle["kind"], Lifecycle> = {
  open,
  answered: { kind: "answered" },
  declined: { kind: "declined" },
  cancelled: { kind: "cancelled" },
  expired: { kind: "expired" },
  undelivered: { kind: "undelivered" },
};
const events: Record<LifecycleEvent["kind"], LifecycleEvent> = {
  accepted: { kind: "accepted", decision: "answer", receivedAtMs: DEADLINE - 1 },
  withdrawn: { kind: "withdrawn" },
  clock_checked: { kind: "clock_checked", nowMs: DEADLINE, olderInputUnsettled: false },
  nothing_shown: { kind: "nothing_shown" },
  copy_shown: { kind: "copy_shown", atMs: 5 },
};
const stays = (kind: Lifecycle["kind"]): Record<LifecycleEvent["kind"], Lifecycle["kind"]> => ({
  accepted: kind,
  withdrawn: kind,
  clock_checked: kind,
  nothing_shown: kind,
  copy_shown: kind,
});
/** Every state and every event: a new one does not compile until its cells are decided. */
const TABLE: Record<Lifecycle["kind"], Record<LifecycleEvent["kind"], Lifecycle["kind"]>> = {
  open: { accepted: "answered", withdrawn: "cancelled", clock_checked: "expired", nothing_shown: "undelivered", copy_shown: "open" },
  answered: stays("answered"),
  declined: stays("declined"),
  cancelled: stays("cancelled"),
  expired: stays("expired"),
  undelivered: stays("undelivered"),
};

describe("question lifecycle", () => {
  for (const [state, row] of Object.entries(TABLE)) {
    for (const [event, next] of Object.entries(row)) {
      it(`${state} on ${event} becomes ${next}`, () => {
        const step = stepQuestion(states[state as Lifecycle["kind"]], events[event as LifecycleEvent["kind"]]);
        expect(step.next.kind).toBe(next);
        expect(step.effects).toEqual(state === "open" && next !== "open" ? ["wake", "close_copies"] : []);
      });
    }
  }

  it("R2 L2 an answer strictly before the deadline counts, one at it does not", () => {
    expect(stepQuestion(open, { kind: "accepted", decision: "answer", receivedAtMs: DEADLINE - 1 }).next.kind).toBe("answered");
    expect(stepQuestion(open, { kind: "accepted", decision: "answer", receivedAtMs: DEADLINE }).next.kind).toBe("open");
    expect(receivedInTime(null, Number.MAX_SAFE_INTEGER)).toBe(true);
  });

  it("R2 L3 expiry waits for an older unsettled input, at most five seconds", () => {
    const at = (nowMs: number): string => stepQuestion(open, { kind: "clock_checked", nowMs, olderInputUnsettled: true }).next.kind;
    expect(at(DEADLINE)).toBe("open");
    expect(at(DEADLINE + EXPIRY_GRACE_MS - 1)).toBe("open");
    expect(at(DEADLINE + EXPIRY_GRACE_MS)).toBe("expired");
  });

  it("R8 L4 time starts with the first copy shown, once; no timeout means no deadline", () => {
    const unshown: Lifecycle = { kind: "open", deadlineMs: null, timeoutMs: 60_000 };
    const first = stepQuestion(unshown, { kind: "copy_shown", atMs: 500 }).next;
    expect(first).toEqual({ kind: "open", deadlineMs: 60_500, timeoutMs: 60_000 });
    expect(stepQuestion(first, { kind: "copy_shown", atMs: 9_000 }).next).toEqual(first);
    const endless: Lifecycle = { kind: "open", deadlineMs: null, timeoutMs: null };
    expect(stepQuestion(endless, { kind: "clock_checked", nowMs: Number.MAX_SAFE_INTEGER, olderInputUnsettled: false }).next.kind).toBe(
      "open",
    );
  });

  it("declining decisions end as declined, the others as answered", () => {
    const status = (decision: (typeof DECISIONS)[number]): string =>
      stepQuestion(open, { kind: "accepted", decision, receivedAtMs: 1 }).next.kind;
    expect(Object.fromEntries(DECISIONS.map((decision) => [decision, status(decision)]))).toEqual({
      answer: "answered",
      approve: "answered",
      approve_always: "answered",
      decline: "declined",
      dismiss: "declined",
      deny: "declined",
    });
  });

  it("L1 L2 L5 hold in random histories, clock jumps included", () => {
    const time = fc.integer({ min: 0, max: 2 * DEADLINE });
    const event: fc.Arbitrary<LifecycleEvent> = fc.oneof(
      fc.record({ kind: fc.constant("accepted" as const), decision: fc.constantFrom(...DECISIONS), receivedAtMs: time }),
      fc.record({ kind: fc.constant("clock_checked" as const), nowMs: time, olderInputUnsettled: fc.boolean() }),
      fc.record({ kind: fc.constant("copy_shown" as const), atMs: time }),
      fc.constantFrom<LifecycleEvent>({ kind: "withdrawn" }, { kind: "nothing_shown" }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.option(time, { nil: null }), (history, deadlineMs) => {
        let state: Lifecycle = { kind: "open", deadlineMs, timeoutMs: 1_000 };
        let ends = 0;
        for (const each of history) {
          const { next, effects } = stepQuestion(state, each);
          if (state.kind !== "open")
            expect(next).toBe(state); // L1
          else if (next.kind === "open")
            expect(next.deadlineMs === state.deadlineMs || state.deadlineMs === null).toBe(true); // L5
          else {
            ends += 1;
            expect(effects).toContain("wake");
            if (each.kind === "accepted" && state.deadlineMs !== null) expect(each.receivedAtMs).toBeLessThan(state.deadlineMs); // L2
          }
          state = next;
        }
        expect(ends).toBeLessThanOrEqual(1);
      }),
    );
  });
});
