import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SUBMISSION_STATES, type SubmissionEvent, type SubmissionState, stepSubmission } from "../../src/core/submission.js";

const EVENTS = {
  "judged fits": { kind: "judged", verdict: "fits" },
  "judged refused": { kind: "judged", verdict: "refused" },
  "judged already_yours": { kind: "judged", verdict: "already_yours" },
  "judged already_answered": { kind: "judged", verdict: "already_answered" },
  "judged closed": { kind: "judged", verdict: "closed" },
  commit_applied: { kind: "commit_applied" },
  commit_lost: { kind: "commit_lost" },
  "commit_unknown shared": { kind: "commit_unknown", sharedStore: true },
  "commit_unknown remote": { kind: "commit_unknown", sharedStore: false },
} as const satisfies Record<string, SubmissionEvent>;
type Name = keyof typeof EVENTS;
const stays = (state: SubmissionState): Record<Name, SubmissionState> => ({
  "judged fits": state,
  "judged refused": state,
  "judged already_yours": state,
  "judged already_answered": state,
  "judged closed": state,
  commit_applied: state,
  commit_lost: state,
  "commit_unknown shared": state,
  "commit_unknown remote": state,
});
const TABLE: Record<SubmissionState, Record<Name, SubmissionState>> = {
  received: {
    ...stays("received"),
    "judged fits": "dispatching",
    "judged refused": "refused",
    "judged already_yours": "already_yours",
    "judged already_answered": "already_answered",
    "judged closed": "closed",
  },
  dispatching: {
    ...stays("dispatching"),
    commit_applied: "committed",
    commit_lost: "received",
    "commit_unknown shared": "received",
    "commit_unknown remote": "unconfirmed",
  },
  committed: stays("committed"),
  already_yours: stays("already_yours"),
  already_answered: stays("already_answered"),
  closed: stays("closed"),
  refused: stays("refused"),
  unconfirmed: stays("unconfirmed"),
};

describe("submission", () => {
  for (const state of SUBMISSION_STATES) {
    for (const name of Object.keys(EVENTS) as Name[]) {
      it(`${state} on ${name} becomes ${TABLE[state][name]}`, () => {
        expect(stepSubmission(state, EVENTS[name])).toBe(TABLE[state][name]);
      });
    }
  }

  it("U1 U2 U3 hold in random histories", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...(Object.keys(EVENTS) as Name[])), { maxLength: 30 }), (history) => {
        let state: SubmissionState = "received";
        let dispatchedRemotely = false;
        for (const name of history) {
          const next: SubmissionState = stepSubmission(state, EVENTS[name]);
          if (state !== "received" && state !== "dispatching") expect(next).toBe(state); // U1
          if (next === "committed" && state !== "committed") expect(name).toBe("commit_applied"); // U2
          if (dispatchedRemotely) expect(next).not.toBe("dispatching"); // U3
          if (state === "dispatching" && name === "commit_unknown remote") dispatchedRemotely = true;
          state = next;
        }
      }),
    );
  });
});
