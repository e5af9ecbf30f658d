import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible, visibleLine } from "../../src/core/visible.js";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      { maxLength: 30 },
    )
    .map((units) => units.join("")),
  fc
    .array(
      fc.constantFrom(
        "a",
        "م",
        "ی",
        "क",
        "\u094d",
        "\u200c",
        "\u200d",
        "\ufe0f",
        "\u180b",
        "ᠠ",
        "👩",
        "❤",
        "1",
        "\u20e3",
        "🏴",
        "\u{e0067}",
        "\r",
        "\n",
        "\ud83d",
      ),
      {
        maxLength: 20,
      },
    )
    .map((parts) => parts.join("")),
);

describe("visible", () => {
  it("B074 shows zero-width space, word joiner, soft hyphen and a supplementary variation selector", () => {
    const detail = "drop table a\u200bb\u2060\u00ad\u{E0100}";
    const shown = "drop table a⟨U+200B⟩b⟨U+2060⟩⟨U+00AD⟩⟨U+E0100⟩";
    expect(visible(detail)).toBe(shown);
    expect(visible(detail, { subject: true })).toBe(shown);
  });
  it("B077 goes by category: separators, next line, byte order mark, private use", () => {
    expect(visible("\u2028\u2029\u0085\ufeff\ue000")).toBe("⟨U+2028⟩⟨U+2029⟩⟨U+0085⟩⟨U+FEFF⟩⟨U+E000⟩");
  });
  it.each([
    ["plain ASCII ~!", "plain ASCII ~!"],
    ["a\nb\tc", "a\nb\tc"],
    ["a\r\nb", "a\nb"],
    ["a\rb", "a⟨U+000D⟩b"],
    ["\r\r\n\n", "⟨U+000D⟩\n\n"],
    ["\u0000\u001b[31m\u007f", "⟨U+0000⟩⟨U+001B⟩[31m⟨U+007F⟩"],
    ["a\u00a0b\u3000c", "a\u00a0b\u3000c"],
    ["a\u2003b\u202fc\u1680", "a⟨U+2003⟩b⟨U+202F⟩c⟨U+1680⟩"],
    ["\u202egnp.exe", "⟨U+202E⟩gnp.exe"],
    ["\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"],
    ["\ud83d alone \udc4d", "⟨U+D83D⟩ alone ⟨U+DC4D⟩"],
    ["\u0378 unassigned", "⟨U+0378⟩ unassigned"],
    ["\u3164\u115f\uffa0 fillers", "⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩ fillers"],
    ["x\u034fy", "x⟨U+034F⟩y"],
    ["é e\u0301 ñ 語 Ж ا", "é e\u0301 ñ 語 Ж ا"],
    // Emoji: every sequence recommended for interchange stays, whatever it is made of.
    ["👍 ✅ ❤️ 1️⃣ 🇩🇪 👩‍👩‍👧‍👦 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏳️‍🌈", "👍 ✅ ❤️ 1️⃣ 🇩🇪 👩‍👩‍👧‍👦 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏳️‍🌈"],
    ["👍\u200d👍", "👍⟨U+200D⟩👍"],
    ["a\ufe0f", "a⟨U+FE0F⟩"],
    ["❤\ufe0e", "❤⟨U+FE0E⟩"],
    ["🏴\u{e0072}\u{e006d}", "🏴⟨U+E0072⟩⟨U+E006D⟩"],
    // Joiners inside a script that joins.
    ["می‌خواهم", "می‌خواهم"],
    ["क्‍ष श्री‌मान", "क्‍ष श्री‌मान"],
    ["ශ්‍රී ലങ്ക ന്‍ ", "ශ්‍රී ലങ്ക ന്‍ "],
    ["می\u200c\u200cخ", "می⟨U+200C⟩⟨U+200C⟩خ"],
    ["rm\u200c -rf", "rm⟨U+200C⟩ -rf"],
    ["م\u200da", "م⟨U+200D⟩a"],
    ["\u200dم", "⟨U+200D⟩م"],
    ["م\u200d", "م⟨U+200D⟩"],
    ["ᠠ\u200d\u180b", "ᠠ⟨U+200D⟩⟨U+180B⟩"],
  ])("%j is shown as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });
  it.each([
    ["cmd\r\n", "cmd⟨U+000D⟩\n"],
    ["a\u00a0b\u3000", "a⟨U+00A0⟩b⟨U+3000⟩"],
    ["\ta b\n", "\ta b\n"],
    ["❤️", "❤⟨U+FE0F⟩"],
    ["👩‍💻 ✅", "👩⟨U+200D⟩💻 ✅"],
    ["می‌خواهم", "می⟨U+200C⟩خواهم"],
  ])("V3 in a subject %j is shown as %j", (text, shown) => {
    expect(visible(text, { subject: true })).toBe(shown);
  });
  it("V5 is idempotent, well-formed and shows the same text without escapes", () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, subject) => {
        const shown = visible(text, { subject });
        expect(visible(shown, { subject })).toBe(shown);
        expect(/\p{Cs}/u.test(shown)).toBe(false);
        const back = shown.replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
        // Two escaped halves side by side cannot occur: a high and a low half together are a pair.
        expect(back).toBe(subject ? text : text.replaceAll("\r\n", "\n"));
      }),
      { numRuns: 2_000 },
    );
  });
  it("V1 leaves no hidden character in a subject but LF, TAB and the space", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const rest = visible(text, { subject: true }).replace(/[\n\t ]/g, "");
        expect(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(rest)).toBe(false);
      }),
    );
  });
  it("reads 12,000 characters of emoji and letters in well under a second", () => {
    const started = performance.now();
    expect(visible("ab 👩‍💻é ".repeat(1_500))).toHaveLength(15_000);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("visibleLine", () => {
  it("has one line without outer spaces", () => {
    expect(visibleLine(" a\n\n\tb\u200b ")).toBe("a b⟨U+200B⟩");
  });
});
