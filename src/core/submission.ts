/**
 * Submission: the only place that decides what may happen to one attempt by one actor to settle a question.
 *
 *   received ──judged (refused)──► refused
 *      │  └──judged (ended)──────► already_answered | closed | already_yours
 *      └──judged (fits)──► dispatching ──commit_applied──► committed
 *                               ├──commit_lost──► received   (the question moved on: judge anew)
 *                               └──commit_unknown──► unconfirmed, or received where host and gateway share the store (R17)
 *
 * Pure. U1  A final state never changes. U2  Only `commit_applied` leads to `committed`. U3  Across processes a submission that was
 * dispatched is never dispatched again: an unknown fate is `unconfirmed` (R18). U4  A refusal frees nothing but this submission (R19).
 */
import { unreachable } from "../errors.js";

/** All states; every one but `received` and `dispatching` is final and has the name of the receipt it gives. */
export const SUBMISSION_STATES = [
  "received",
  "dispatching",
  "committed",
  "already_yours",
  "already_answered",
  "closed",
  "refused",
  "unconfirmed",
] as const;
/** How far one attempt to settle a question has come. */
export type SubmissionState = (typeof SUBMISSION_STATES)[number];

/** What can happen to it. `sharedStore`: host and gateway commit into one store, so an unknown commit can be judged anew (R17). */
export type SubmissionEvent =
  | { readonly kind: "judged"; readonly verdict: "fits" | "refused" | "already_yours" | "already_answered" | "closed" }
  | { readonly kind: "commit_applied" }
  | { readonly kind: "commit_lost" }
  | { readonly kind: "commit_unknown"; readonly sharedStore: boolean };

/** The state after one event; events that do not fit change nothing. */
export function stepSubmission(state: SubmissionState, event: SubmissionEvent): SubmissionState {
  switch (event.kind) {
    case "judged":
      if (state !== "received") return state;
      return event.verdict === "fits" ? "dispatching" : event.verdict;
    case "commit_applied":
      return state === "dispatching" ? "committed" : state;
    case "commit_lost":
      return state === "dispatching" ? "received" : state;
    case "commit_unknown":
      if (state !== "dispatching") return state;
      return event.sharedStore ? "received" : "unconfirmed";
    default:
      return unreachable(event);
  }
}
