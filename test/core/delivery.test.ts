import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COPY_AT_END, COPY_STATES, type Copy, type CopyEvent, type CopyState, stepCopy } from "../../src/core/delivery.js";

const message = { id: "m1", order: "0001" };
const NOW = 1_000;
const copyIn = (state: CopyState, over: Partial<Copy> = {}): Copy => {
  const todo = { pending: "send", sending: "send", unknown: "find", shown: null, failed: null, closed: null } as const;
  return { state, todo: todo[state], part: 0, attempts: 0, messageIds: [], repeated: false, ...over };
};
const EVENTS: Record<CopyEvent["kind"], CopyEvent> = {
  claimed: { kind: "claimed", nonce: "n" },
  part_shown: { kind: "part_shown", message, last: true },
  refused: { kind: "refused", code: "blocked", message: "blocked" },
  put_off: { kind: "put_off", retryAtMs: NOW + 500, code: "rate_limited", message: "wait" },
  fate_unknown: { kind: "fate_unknown", message: "reset" },
  found: { kind: "found", message, last: true },
  absent: { kind: "absent" },
  cannot_tell: { kind: "cannot_tell" },
  pressed: { kind: "pressed", message },
  drawn: { kind: "drawn" },
  outdated: { kind: "outdated" },
};
type Table = Record<CopyState, Record<CopyEvent["kind"], CopyState>>;
const OPEN: Table = {
  pending: {
    claimed: "sending",
    part_shown: "pending",
    refused: "failed",
    put_off: "pending",
    fate_unknown: "pending",
    found: "pending",
    absent: "pending",
    cannot_tell: "pending",
    pressed: "shown",
    drawn: "pending",
    outdated: "pending",
  },
  sending: {
    claimed: "sending",
    part_shown: "shown",
    refused: "failed",
    put_off: "pending",
    fate_unknown: "unknown",
    found: "shown",
    absent: "pending",
    cannot_tell: "sending",
    pressed: "shown",
    drawn: "sending",
    outdated: "sending",
  },
  shown: {
    claimed: "shown",
    part_shown: "shown",
    refused: "shown",
    put_off: "shown",
    fate_unknown: "shown",
    found: "shown",
    absent: "shown",
    cannot_tell: "shown",
    pressed: "shown",
    drawn: "shown",
    outdated: "shown",
  },
  unknown: {
    claimed: "unknown",
    part_shown: "shown",
    refused: "unknown",
    put_off: "unknown",
    fate_unknown: "unknown",
    found: "shown",
    absent: "pending",
    cannot_tell: "unknown",
    pressed: "shown",
    drawn: "unknown",
    outdated: "unknown",
  },
  failed: {
    claimed: "failed",
    part_shown: "failed",
    refused: "failed",
    put_off: "failed",
    fate_unknown: "failed",
    found: "failed",
    absent: "failed",
    cannot_tell: "failed",
    pressed: "shown",
    drawn: "failed",
    outdated: "failed",
  },
  closed: {
    claimed: "closed",
    part_shown: "closed",
    refused: "closed",
    put_off: "closed",
    fate_unknown: "closed",
    found: "closed",
    absent: "closed",
    cannot_tell: "closed",
    pressed: "shown",
    drawn: "closed",
    outdated: "closed",
  },
};
/** After the question's end: what differs from the table above. */
const ENDED: { readonly [S in CopyState]?: Partial<Table[S]> } = {
  pending: { claimed: "pending" },
  sending: { put_off: "closed", absent: "closed" },
  unknown: { absent: "closed" },
};

describe("delivery of one copy", () => {
  for (const state of COPY_STATES) {
    for (const kind of Object.keys(EVENTS) as CopyEvent["kind"][]) {
      it(`${state} on ${kind}: ${OPEN[state][kind]} while the question is open`, () => {
        const { set } = stepCopy(copyIn(state), EVENTS[kind], { open: true, nowMs: NOW });
        expect(set.state ?? state).toBe(OPEN[state][kind]);
      });
      it(`${state} on ${kind}: ${ENDED[state]?.[kind] ?? OPEN[state][kind]} after its end`, () => {
        const { set, effects } = stepCopy(copyIn(state), EVENTS[kind], { open: false, nowMs: NOW });
        expect(set.state ?? state).toBe(ENDED[state]?.[kind] ?? OPEN[state][kind]);
        expect(effects).toEqual([]);
      });
    }
  }

  it("D1 a claim stores nonce and instant before the platform is called", () => {
    const { set } = stepCopy(copyIn("pending"), { kind: "claimed", nonce: "abc" }, { open: true, nowMs: NOW });
    expect(set).toMatchObject({ state: "sending", nonce: "abc", attemptedAtMs: NOW, dueAtMs: null });
  });

  it("D2 R23 a lost send is looked for; where that cannot be told one repeat is made, never two", () => {
    expect(stepCopy(copyIn("sending"), EVENTS.fate_unknown, { open: true, nowMs: NOW }).set).toMatchObject({
      state: "unknown",
      todo: "find",
    });
    expect(stepCopy(copyIn("unknown"), EVENTS.cannot_tell, { open: true, nowMs: NOW }).effects).toEqual(["repeat"]);
    expect(stepCopy(copyIn("unknown", { repeated: true }), EVENTS.cannot_tell, { open: true, nowMs: NOW }).effects).toEqual([]);
    expect(stepCopy(copyIn("unknown"), EVENTS.cannot_tell, { open: false, nowMs: NOW }).effects).toEqual([]);
  });

  it("R8 a copy whose fate is unknown counts as shown from its attempt", () => {
    expect(stepCopy(copyIn("sending"), EVENTS.fate_unknown, { open: true, nowMs: NOW }).effects).toEqual(["shown"]);
  });

  it("R27 the controls come only when every part was delivered", () => {
    const first = stepCopy(copyIn("sending"), { kind: "part_shown", message, last: false }, { open: true, nowMs: NOW });
    expect(first.set).toMatchObject({ state: "pending", part: 1, nonce: null, todo: "send", messageIds: ["m1"] });
    expect(first.effects).toEqual([]);
  });

  it("R26 D5 a press on a lost message after the end reveals and closes it", () => {
    const { set } = stepCopy(copyIn("unknown", { todo: null }), EVENTS.pressed, { open: false, nowMs: NOW });
    expect(set).toMatchObject({ state: "shown", todo: "close", messageId: "m1" });
  });

  it("drawing ends a close, and a redraw leaves the prompt shown", () => {
    expect(stepCopy(copyIn("shown", { todo: "close" }), EVENTS.drawn, { open: false, nowMs: NOW }).set).toMatchObject({
      state: "closed",
      todo: null,
    });
    expect(stepCopy(copyIn("shown", { todo: "redraw" }), EVENTS.drawn, { open: true, nowMs: NOW }).set).toMatchObject({
      state: "shown",
      todo: null,
    });
  });

  it("D3 the end of a question leaves no copy to be sent", () => {
    for (const state of COPY_STATES)
      expect(COPY_AT_END[state].todo === "find" || COPY_AT_END[state].todo === "close" || COPY_AT_END[state].todo === null).toBe(true);
    expect(COPY_AT_END.pending.state).toBe("closed");
  });

  it("D2 D3 hold in random histories: no send after the end, at most one repeat, an end once shown is closed", () => {
    const kinds = fc.constantFrom(...(Object.keys(EVENTS) as CopyEvent["kind"][]));
    fc.assert(
      fc.property(fc.array(kinds, { maxLength: 40 }), fc.nat(40), fc.boolean(), (events, endsAt, canLook) => {
        // A platform that cannot look never finds, and never knows a message absent (D2).
        const history = canLook
          ? events.filter((kind) => kind !== "cannot_tell")
          : events.filter((kind) => kind !== "found" && kind !== "absent");
        let copy = copyIn("pending");
        let repeats = 0;
        for (const [index, kind] of history.entries()) {
          const open = index < endsAt;
          if (index === endsAt) copy = { ...copy, ...COPY_AT_END[copy.state] };
          const { set, effects } = stepCopy(copy, EVENTS[kind], { open, nowMs: NOW });
          if (!open) {
            expect(set.state).not.toBe("sending");
            expect(set.state).not.toBe("pending");
            expect(set.todo === "send").toBe(false);
          }
          if (effects.includes("repeat")) repeats += 1;
          const { state = copy.state, todo = copy.todo, part = copy.part, attempts = copy.attempts, messageIds = copy.messageIds } = set;
          copy = { ...copy, state, todo, part, attempts, messageIds };
          if (!open && copy.state === "shown") expect(copy.todo).toBe("close");
        }
        expect(repeats).toBeLessThanOrEqual(1);
      }),
    );
  });
});
