import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RichText } from "../../src/core/prompt.js";
import { visible } from "../../src/core/visible.js";
import { richText } from "../../src/host/markdown.js";

const joined = (spans: RichText): string => spans.map(({ text }) => text).join("");
const plain = (text: string): RichText => [{ text }];

describe("richText", () => {
  it.each<[string, RichText]>([
    ["**bold** and *italic*", [{ text: "bold", bold: true }, { text: " and " }, { text: "italic", italic: true }]],
    ["***both***", [{ text: "both", bold: true, italic: true }]],
    [
      "**a *b* c**",
      [
        { text: "a ", bold: true },
        { text: "b", bold: true, italic: true },
        { text: " c", bold: true },
      ],
    ],
    ["run `rm -rf *` now", [{ text: "run " }, { text: "rm -rf *", code: "inline" }, { text: " now" }]],
    ["`` a ` b ``", [{ text: "a ` b", code: "inline" }]],
    ["**`x`**", [{ text: "x", bold: true, code: "inline" }]],
    ["Run:\n```sh\na *b*\n\nc\n```\nthen", [{ text: "Run:\n" }, { text: "a *b*\n\nc", code: "block" }, { text: "\nthen" }]],
    ["```\na\n```\n```\nb\n```", [{ text: "a", code: "block" }, { text: "\n" }, { text: "b", code: "block" }]],
    ["~~~\nx\n~~~", [{ text: "x", code: "block" }]],
    ["```\nnever closed", [{ text: "never closed", code: "block" }]],
    ["``` really read this\nx\n```", [{ text: "really read this\nx", code: "block" }]],
    ["- **a**\n- b\n  1. *c*", [{ text: "- " }, { text: "a", bold: true }, { text: "\n- b\n  1. " }, { text: "c", italic: true }]],
    ["* one\n\n* two", plain("* one\n\n* two")],
    ["- x\n  ```\n  code\n  ```", [{ text: "- x\n  " }, { text: "code", code: "block" }]],
    ["a\r\nb", plain("a\nb")],
    ["a  \nb\\\nc\n\n\nd\n", plain("a  \nb\\\nc\n\n\nd\n")],
    ["  lead and trail  ", plain("  lead and trail  ")],
    ["", []],
  ])("M1 %j", (source, spans) => {
    expect(richText(source)).toEqual(spans);
  });
  it.each([
    "# Title",
    "Title\n=====",
    "> quoted",
    "    indented by four",
    "<b>html</b> <!-- note -->",
    "<script>\nalert(1)\n</script>",
    "![alt](https://a.example/x.png)",
    "[![alt](https://a.example/x.png)]",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "---",
    "* * *",
    "a\n---\nb",
    "_italic_ and __init__.py",
    "C:\\new\\*.txt costs 5 \\* 3",
    "\\*not bold\\*",
    "2 * 3 * 4",
    "&amp; &#65; &copy;",
    "[label](http://a.example)",
    "[label](javascript:alert(1))",
    "[label](mailto:a@b.example)",
    "[label](/relative)",
    "[label](https://)",
    "[label](https://good.example@evil.example/)",
    "[label](https://a.example\\@b.example)",
    '[label](https://a.example "title")',
    "[](https://a.example)",
    "[label][ref]\n\n[ref]: https://a.example",
    "<https://a.example>",
    "https://a.example/x_y_z",
    "[ ] todo [x] done",
    "~~struck~~ www.a.example",
    "`unclosed and **unclosed",
    "+ 3 files\n- 2 files",
    "@everyone <@U0001> <!channel> :tada:",
    "Deploy v1.2-rc(3)! #1 = ok?",
  ])("M1 stays as written: %j", (source) => {
    expect(joined(richText(source))).toBe(source);
    expect(richText(source).every(({ link, bold, italic, code }) => (link ?? bold ?? italic ?? code) === undefined)).toBe(true);
  });
  it.each<[string, RichText]>([
    [
      "see [the docs](https://a.example/x?y#z)!",
      [{ text: "see " }, { text: "the docs", link: "https://a.example/x?y#z" }, { text: " (a.example)!" }],
    ],
    ["[https://a.example](https://b.example)", [{ text: "https://a.example", link: "https://b.example" }, { text: " (b.example)" }]],
    [
      "[a.example](https://a.example.evil.example/)",
      [{ text: "a.example", link: "https://a.example.evil.example/" }, { text: " (a.example.evil.example)" }],
    ],
    ["[A.example](https://a.example/page)", [{ text: "A.example", link: "https://a.example/page" }]],
    ["[https://a.example/page](https://a.example/page)", [{ text: "https://a.example/page", link: "https://a.example/page" }]],
    ["[a.example:8443](https://a.example:8443/)", [{ text: "a.example:8443", link: "https://a.example:8443/" }]],
    ["[a.example](https://a.example:8443/)", [{ text: "a.example", link: "https://a.example:8443/" }, { text: " (a.example:8443)" }]],
    // Cyrillic а: the address as the browser reads it.
    [
      "[аpple.example](https://аpple.example)",
      [{ text: "аpple.example", link: "https://аpple.example" }, { text: " (xn--pple-43d.example)" }],
    ],
    [
      "**[x *y*](https://a.example)**",
      [
        { text: "x ", bold: true, link: "https://a.example" },
        { text: "y", bold: true, italic: true, link: "https://a.example" },
        { text: " (a.example)", bold: true },
      ],
    ],
    ["[`code`](https://a.example)", [{ text: "code", code: "inline", link: "https://a.example" }, { text: " (a.example)" }]],
    ["[a\u202e.example](https://a.example)", [{ text: "a⟨U+202E⟩.example", link: "https://a.example" }, { text: " (a.example)" }]],
  ])("M3 %j", (source, spans) => {
    expect(richText(source)).toEqual(spans);
  });
  it("M4 shows what is hidden, in text, code and blocks", () => {
    expect(joined(richText("a\u200b **b\u2060** `c\u00ad`\n```\nd\u2028\n```"))).toBe("a⟨U+200B⟩ b⟨U+2060⟩ c⟨U+00AD⟩\nd⟨U+2028⟩");
  });
  it("M2 text without marks is one span, unchanged but for what R28 shows", () => {
    const unmarked = fc
      .string({ unit: "binary", minLength: 1, maxLength: 80 })
      .filter((text) => !/[*_`~[\]<>\\&#|=+\-\r]|\d[.)]/.test(text));
    fc.assert(
      fc.property(unmarked, (text) => {
        expect(richText(text)).toEqual(visible(text) === "" ? [] : [{ text: visible(text) }]);
      }),
      { numRuns: 1_000 },
    );
  });
  const soup = fc
    .array(
      fc.constantFrom(
        "*",
        "**",
        "`",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "  ",
        "\t",
        "- ",
        "1. ",
        "> ",
        "# ",
        "[",
        "]",
        "(",
        ")",
        "](https://a.example)",
        "_",
        "\\",
        "!",
        "<b>",
        "&amp;",
        "word",
        "é",
        "👍",
        "\u200b",
        "\u0000",
        "\r",
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(""));
  it("M2 loses nothing but marks: every letter, digit and emoji comes through, in order; but link addresses and a fence's language", () => {
    const kept = (text: string): string => text.replace(/[^\p{L}\p{N}👍]/gu, "");
    fc.assert(
      fc.property(
        soup.filter((text) => !/\]\(https|(```|~~~)[ \t]*word/.test(text)),
        (source) => {
          // NUL is not Markdown's: the parser gives U+FFFD for it inside code.
          expect(kept(joined(richText(source)).replace(/⟨U\+[0-9A-F]+⟩/g, ""))).toBe(kept(source));
        },
      ),
      { numRuns: 1_000 },
    );
  });
  it("never throws, makes no empty span, links only https", () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: "binary", maxLength: 200 })), (source) => {
        for (const { text, link } of richText(source)) {
          expect(text).not.toBe("");
          expect(link ?? "https://").toMatch(/^https:\/\//i);
        }
      }),
      { numRuns: 1_000 },
    );
  });
  it.each(["*", "**", "[", "`", "- ", "![", "[a](", "*a ", "> ", "1. "])("reads 4,000 characters of %j in time", (mark) => {
    const source = mark.repeat(Math.floor(4_000 / mark.length));
    const started = performance.now();
    expect(joined(richText(source)).length).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
