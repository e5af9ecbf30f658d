import { describe, expect, it } from "vitest";
import { type Candidate, type ClaimFacts, claimText } from "../../src/core/claim.js";
import { findCodes } from "../../src/core/reply.js";

const q1: Candidate = {
  copy: "c1",
  question: "q1",
  code: "K7QM",
  thread: null,
  messageIds: ["m1"],
  order: "0001",
  open: true,
  ownThread: false,
  allowed: true,
};
const q2: Candidate = { ...q1, copy: "c2", question: "q2", code: "P3XD", messageIds: ["m2"], order: "0002" };

function facts(text: string, over: Partial<ClaimFacts> & { readonly at?: Partial<ClaimFacts["text"]> } = {}): ClaimFacts {
  const { at = {}, ...rest } = over;
  return {
    text: { text, direct: true, message: { id: "m9", order: "0009" }, ...at },
    replied: undefined,
    here: [],
    justEnded: false,
    codes: findCodes(text),
    ...rest,
  };
}

describe("R24 which question a typed message meets", () => {
  const rows: readonly (readonly [string, ClaimFacts, object])[] = [
    ["direct chat, nothing open", facts("2"), { kind: "none" }],
    ["direct chat, the only open question: loosely", facts("2", { here: [q1] }), { kind: "one", copy: "c1", loose: true }],
    ["direct chat, two open questions: which", facts("2", { here: [q1, q2] }), { kind: "which", copies: ["c1", "c2"] }],
    [
      "direct chat, another one ended in the last 10 s: which",
      facts("2", { here: [q1], justEnded: true }),
      { kind: "which", copies: ["c1"] },
    ],
    ["direct chat, addressed to somebody else", facts("2", { here: [{ ...q1, allowed: false }] }), { kind: "none" }],
    ["direct chat, the prompt is newer than the text", facts("2", { here: [{ ...q1, order: "0010" }] }), { kind: "none" }],
    [
      "two copies of one question are no ambiguity",
      facts("2", { here: [q1, { ...q1, copy: "c9" }] }),
      { kind: "one", copy: "c9", loose: true },
    ],
    ["a reply binds, whatever else is open", facts("2", { replied: q2, here: [q1, q2] }), { kind: "one", copy: "c2", loose: false }],
    [
      "a reply to a question of others: not yours, open or ended",
      facts("2", { replied: { ...q2, allowed: false, open: false } }),
      { kind: "not_yours", copy: "c2" },
    ],
    ["a reply to an ended question", facts("2", { replied: { ...q2, open: false }, here: [q1] }), { kind: "ended", copy: "c2" }],
    ["a code first", facts("P3XD yes", { here: [q1, q2] }), { kind: "one", copy: "c2", loose: false }],
    [
      "a code last, in a shared place",
      facts("yes p3xd", { here: [q1, q2], at: { direct: false } }),
      { kind: "one", copy: "c2", loose: false },
    ],
    ["a code is never permission", facts("P3XD yes", { here: [{ ...q2, allowed: false }] }), { kind: "not_yours", copy: "c2" }],
    ["two questions share a code", facts("K7QM yes", { here: [q1, { ...q2, code: "K7QM" }] }), { kind: "which", copies: ["c1", "c2"] }],
    ["B127 shared place: loose text is nothing", facts("Ship", { here: [q1], at: { direct: false } }), { kind: "none" }],
    [
      "shared place: somebody else's thread is nothing",
      facts("Ship", { here: [{ ...q1, thread: "t1" }], at: { direct: false, thread: "t1" } }),
      { kind: "none" },
    ],
    [
      "shared place: a thread the asker declared its own",
      facts("Ship", { here: [{ ...q1, thread: "t1", ownThread: true }], at: { direct: false, thread: "t1" } }),
      { kind: "one", copy: "c1", loose: false },
    ],
    [
      "an own thread with two open questions: which",
      facts("Ship", {
        here: [
          { ...q1, thread: "t1", ownThread: true },
          { ...q2, thread: "t1", ownThread: true },
        ],
        at: { direct: false, thread: "t1" },
      }),
      { kind: "which", copies: ["c1", "c2"] },
    ],
    [
      "B139 an own thread with a question of another person: only mine",
      facts("Ship", {
        here: [
          { ...q1, thread: "t1", ownThread: true },
          { ...q2, thread: "t1", ownThread: true, allowed: false },
        ],
        at: { direct: false, thread: "t1" },
      }),
      { kind: "one", copy: "c1", loose: false },
    ],
  ];
  it.each(rows)("%s", (_name, given, claim) => {
    expect(claimText(given)).toEqual(claim);
  });
});
