import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTime } from "../../../src/core/words/time.js";

const at = Date.parse("2026-12-01T15:03:00Z");
const base = { timezone: "Europe/Berlin", language: "en", nowMs: at };

describe("formatTime", () => {
  it.each([
    ["the same day", at, base, "16:03"],
    ["with the zone", at, { ...base, zone: true }, "16:03 CET"],
    ["in summer", Date.parse("2026-07-01T14:03:00Z"), { ...base, zone: true }, "1 Jul 16:03 CEST"],
    ["UTC", at, { ...base, timezone: "UTC", zone: true }, "15:03 UTC"],
    ["New York", at, { ...base, timezone: "America/New_York", zone: true }, "10:03 EST"],
    ["a zone without a short name", at, { ...base, timezone: "America/Sao_Paulo", zone: true }, "12:03 GMT-3"],
    ["tomorrow", at + 86_400_000, base, "2 Dec 16:03"],
    ["another year", Date.parse("2027-01-10T08:00:00Z"), base, "10 Jan 2027 09:00"],
    ["just after midnight there, still today in UTC", Date.parse("2026-12-01T23:05:00Z"), base, "2 Dec 00:05"],
    ["German", at + 86_400_000, { ...base, language: "de" }, "2. Dez. 16:03"],
  ])("%s", (_, ms, format, expected) => {
    expect(formatTime(ms, format)).toBe(expected);
  });
  it("refuses a time zone that does not exist", () => {
    expect(() => formatTime(at, { ...base, timezone: "Mars/Base" })).toThrow(RangeError);
  });
  it("is short for every instant, whatever the day", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date("2200-01-01"), noInvalidDate: true }), (date) => {
        expect(formatTime(date.getTime(), { ...base, zone: true })).toMatch(
          /^(\d{1,2} [A-Z][a-z]{2,3} (\d{4} )?)?\d{2}:\d{2} [A-Z+:\d]{2,9}$/,
        );
      }),
    );
  });
});
