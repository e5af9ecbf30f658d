import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CUT_MARK, cut, distinctLabels, type LengthUnit, lengthIn, splitText } from "../../src/core/cut.js";

const units = fc.constantFrom<LengthUnit>("utf16", "utf8", "codepoint");
/** Letters, line ends, combining marks, emoji of several code points, flags, halves of pairs. */
const text = fc
  .array(fc.constantFrom("a", "Ж", "語", " ", "\n", "\r\n", "e\u0301", "👍", "👩‍👩‍👧‍👦", "🇩🇪", "1️⃣", "\ud83d", "\udc4d", "नि", "…"), {
    maxLength: 60,
  })
  .map((parts) => parts.join(""));
const whole = (value: string): string => value.replace(/\p{Cs}/gu, "\uFFFD");
const boundaries = (value: string): ReadonlySet<number> =>
  new Set([...new Intl.Segmenter("en").segment(value)].map(({ index }) => index).concat(value.length));

describe("lengthIn", () => {
  it.each([
    ["abc", 3, 3, 3],
    ["Ж", 1, 2, 1],
    ["語", 1, 3, 1],
    ["👍", 2, 4, 1],
    ["👩‍👩‍👧‍👦", 11, 25, 7],
    ["\ud83d", 1, 3, 1],
    ["", 0, 0, 0],
  ])("%j has %i units, %i bytes, %i code points", (value, utf16, utf8, codepoint) => {
    expect([lengthIn(value, "utf16"), lengthIn(value, "utf8"), lengthIn(value, "codepoint")]).toEqual([utf16, utf8, codepoint]);
  });
  it("B052 counts bytes of non-Latin text", () => {
    expect(lengthIn("Ж".repeat(33), "utf8")).toBe(66);
    expect(lengthIn("語".repeat(22), "utf8")).toBe(66);
    expect(lengthIn("👍".repeat(16), "utf8")).toBe(64);
  });
});

describe("cut", () => {
  it.each([
    [2_999, 2_999],
    [3_000, 3_000],
    [3_001, 3_000],
    [6_000, 3_000],
  ])("B056 %i characters are cut to %i, the mark included", (length, expected) => {
    const result = cut("x".repeat(length), { max: 3_000, unit: "utf16" });
    expect(result).toHaveLength(expected);
    expect(result.endsWith(CUT_MARK)).toBe(length > 3_000);
  });
  it("B072 never tears an emoji at the limit", () => {
    const label = `${"a".repeat(79)}👍`;
    expect(cut(label, { max: 80, unit: "utf16" })).toBe(`${"a".repeat(79)}…`);
    expect(cut(label, { max: 80, unit: "codepoint" })).toBe(label);
    expect(cut(`${"a".repeat(70)}👩‍👩‍👧‍👦`, { max: 80, unit: "utf16" })).toBe(`${"a".repeat(70)}…`);
  });
  it.each([
    ["👩‍👩‍👧‍👦!", { max: 5, unit: "utf16" }, "…"],
    ["Жук", { max: 5, unit: "utf8" }, "Ж…"],
    ["Жук", { max: 2, unit: "utf8" }, "Ж"],
    ["abc", { max: 2, unit: "utf8" }, "ab"],
    ["abc", { max: 0, unit: "utf16" }, ""],
    ["abcdef", { max: 5, unit: "utf16", mark: " (…)" }, "a (…)"],
    ["ab\ud83d", { max: 5, unit: "utf16" }, "ab\uFFFD"],
    ["", { max: 0, unit: "codepoint" }, ""],
  ] as const)("%j in %o gives %j", (value, limit, expected) => {
    expect(cut(value, limit)).toBe(expected);
  });
  it("K1 K2 K3 holds for any text: within the limit, well-formed, on a boundary, unchanged when it fits", () => {
    fc.assert(
      fc.property(text, units, fc.integer({ min: 0, max: 80 }), (value, unit, max) => {
        const result = cut(value, { max, unit });
        expect(lengthIn(result, unit)).toBeLessThanOrEqual(max);
        expect(result).toBe(whole(result));
        if (lengthIn(value, unit) <= max) expect(result).toBe(whole(value));
        else {
          const marked = lengthIn(CUT_MARK, unit) <= max;
          const kept = marked ? result.slice(0, -1) : result;
          expect(whole(value).startsWith(kept)).toBe(true);
          expect(boundaries(whole(value)).has(kept.length)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("splitText", () => {
  it("breaks after line ends, else between graphemes", () => {
    expect(splitText("one\ntwo\nthree", { max: 8, unit: "utf16" })).toEqual(["one\ntwo\n", "three"]);
    expect(splitText("aaaa👍👍", { max: 5, unit: "utf16" })).toEqual(["aaaa", "👍👍"]);
    expect(splitText("abc\r\ndef", { max: 4, unit: "utf16" })).toEqual(["abc", "\r\n", "def"]);
  });
  it("gives no piece for no text and one for a text that fits", () => {
    expect(splitText("", { max: 4, unit: "utf8" })).toEqual([]);
    expect(splitText("abcd", { max: 4, unit: "utf8" })).toEqual(["abcd"]);
  });
  it("splits a grapheme longer than the limit between its code points", () => {
    const pieces = splitText(`a${"\u0301".repeat(9)}`, { max: 4, unit: "utf16" });
    expect(pieces.map((piece) => piece.length)).toEqual([4, 4, 2]);
  });
  it("refuses a limit no code point may fit", () => {
    expect(() => splitText("abcdef", { max: 3, unit: "utf8" })).toThrow("at least 4");
  });
  it("K4 loses nothing, for any text and limit", () => {
    fc.assert(
      fc.property(text, units, fc.integer({ min: 4, max: 40 }), (value, unit, max) => {
        const pieces = splitText(value, { max, unit });
        expect(pieces.join("")).toBe(value);
        for (const piece of pieces) {
          expect(piece).not.toBe("");
          expect(lengthIn(piece, unit)).toBeLessThanOrEqual(max);
        }
      }),
      { numRuns: 500 },
    );
  });
  it("splits 200,000 characters in far less than a second", () => {
    const started = performance.now();
    expect(splitText("word ".repeat(40_000), { max: 3_000, unit: "utf16" })).toHaveLength(67);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("distinctLabels", () => {
  it("B057 leaves 75 characters alone and cuts 76", () => {
    const [fitting, long] = distinctLabels(["a".repeat(75), "b".repeat(76)], { max: 75, unit: "utf16" });
    expect(fitting).toBe("a".repeat(75));
    expect(long).toBe(`2 ${"b".repeat(72)}…`);
  });
  it("O83 keeps two labels apart that share their first 80 characters", () => {
    const front = "Roll back the release and ".repeat(4).slice(0, 80);
    const labels = distinctLabels([`${front}then page`, `${front}then wait`], { max: 75, unit: "utf16" });
    expect(labels.map((label) => label.slice(0, 10))).toEqual(["1 Roll bac", "2 Roll bac"]);
  });
  it("counts equal labels and one that looks like a counted one", () => {
    expect(distinctLabels(["same", "1 same", "same", "other"], { max: 20, unit: "utf16" })).toEqual([
      "1 same",
      "2 1 same",
      "3 same",
      "other",
    ]);
  });
  it("holds for any labels: distinct, within the limit, deterministic", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 100 }), units, fc.integer({ min: 5, max: 40 }), (labels, unit, max) => {
        const drawn = distinctLabels(labels, { max, unit });
        expect(new Set(drawn).size).toBe(labels.length);
        for (const label of drawn) expect(lengthIn(label, unit)).toBeLessThanOrEqual(max);
        expect(distinctLabels(labels, { max, unit })).toEqual(drawn);
      }),
    );
  });
});
