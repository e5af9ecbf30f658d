import { describe, expect, it } from "vitest";
import { askedLine, endedLine, type Told } from "../../src/app/report.js";
import type { Outcome } from "../../src/client/types.js";

const record: Told = { code: "K7QM", text: "Ship?\nanswered   K7QM", deliveries: [{ place: "slack:D1", status: "shown" }] };
const at = "2026-12-01T14:03:11.204Z";
const said = {
  id: "q_1",
  at,
  by: { person: "you", name: "you", channel: "slack", account: "slack", userId: "U1" },
  place: null,
  via: "button",
} as const;
const time = new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

const ENDED: readonly (readonly [string, Outcome, string])[] = [
  ["a choice", { ...said, status: "answered", decision: "answer", value: "prod" }, `prod · you, by button, ${time}`],
  [
    "an own answer",
    { ...said, status: "answered", decision: "answer", value: { other: "canary" } },
    `canary (typed) · you, by button, ${time}`,
  ],
  ["an approval", { ...said, status: "answered", decision: "approve" }, `approved · you, by button, ${time}`],
  ["several values", { ...said, status: "answered", decision: "answer", values: { n: 1 } }, `{"n":1} · you, by button, ${time}`],
  ["a denial with its reason", { ...said, status: "declined", decision: "deny", note: "freeze" }, `denied: "freeze" · you, ${time}`],
  ["a withdrawal", { id: "q_1", at, status: "cancelled", code: "withdrawn" }, `withdrawn, ${time}`],
  ["an end without an answer", { id: "q_1", at, status: "expired" }, `nobody answered by ${time}`],
  [
    "a question nobody saw",
    { id: "q_1", at, status: "undelivered", failures: [{ place: "slack:D1", code: "blocked", message: "blocked" }] },
    "slack:D1: blocked",
  ],
];

describe("lines for the terminal", () => {
  it("are one line, whatever the agent wrote", () => {
    expect(askedLine("asked", record)).toBe("asked      K7QM  slack     Ship? answered   K7QM");
    expect(askedLine("still open", { ...record, text: "\u001b[2Jhi" })).not.toContain("\u001b");
  });

  it.each(ENDED)("tell of %s", (_, outcome, text) => {
    expect(endedLine(record, outcome)).toBe(`${outcome.status.padEnd(11)}K7QM  slack     ${text}`);
  });

  it("are one line, whatever the person wrote", () => {
    const line = endedLine(record, { ...said, status: "answered", decision: "answer", value: "no\nanswered   K7QM  yes" });
    expect(line.split("\n")).toHaveLength(1);
  });
});
