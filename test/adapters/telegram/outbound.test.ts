import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { optionLabels } from "../../../adapters/channels/telegram/keyboard.js";
import {
  drawnMessage,
  formMessage,
  type Message,
  pageCount,
  partCount,
  promptMessage,
  shortMessage,
} from "../../../adapters/channels/telegram/outbound.js";
import { boxed, guarded, joined, linked, type Styled, styled } from "../../../adapters/channels/telegram/styled.js";
import type { PromptView } from "../../../src/core/prompt.js";
import { approvalView, choiceView, endedView, textView } from "../../../src/testing/contract/views.js";
import { mentionsIn, parseContent, parseMarkup } from "../../../src/testing/sim/telegram/markup.js";

const DIRECT = { direct: true };
const GROUP = { direct: false };

function buttons({
  markup,
}: Message): readonly (readonly { readonly text: string; readonly callback_data?: string; readonly style?: string }[])[] {
  return markup !== undefined && "inline_keyboard" in markup ? markup.inline_keyboard : [];
}
const labelsOf = (message: Message): readonly (readonly string[])[] => buttons(message).map((row) => row.map(({ text }) => text));

/** Is this what the server would take, unchanged? */
function accepted(message: Message): boolean {
  const content = parseContent({ text: message.text, entities: [...message.entities] }, "too long");
  parseMarkup(message.markup);
  return content.text === message.text && mentionsIn(content).length === 0;
}

describe("promptMessage", () => {
  it("draws a choice as api.md shows it", () => {
    const plain = choiceView(["staging", "prod"], {}, { other: true });
    const view: PromptView = {
      ...plain,
      options: plain.options.map((option) => ({
        ...option,
        description: option.label === "prod" ? "everyone" : "ten per cent of traffic",
      })),
    };
    const message = promptMessage(view, 0, DIRECT);
    expect(message.text.split("\n")).toEqual([
      "Release 42",
      "Where does this release go?",
      "1 staging: ten per cent of traffic",
      "2 prod: everyone",
      "Press, or reply: write",
      "ci asks Alice · until 16:03 · K7QM",
    ]);
    expect(message.entities).toEqual([
      { type: "bold", offset: 0, length: 10 },
      { type: "blockquote", offset: 11, length: 27 },
      { type: "blockquote", offset: 39, length: 51 },
    ]);
    expect(labelsOf(message)).toEqual([
      ["staging", "prod"],
      ["Other…", "Decline"],
    ]);
  });

  it("draws an approval: subject boxed, reasons below", () => {
    const message = promptMessage(approvalView(), 0, GROUP);
    expect(message.entities).toContainEqual({ type: "pre", offset: message.text.indexOf("terraform"), length: 24, language: "bash" });
    expect(labelsOf(message)).toEqual([["Approve", "Deny"], ["Deny, say why…"]]);
    expect(
      buttons(message)
        .flat()
        .map(({ style }) => style),
    ).toEqual(["primary", "danger", undefined]);
  });

  it("opens the reply box of an open text question at once; in a direct chat no button needs to", () => {
    const direct = promptMessage(textView(), 0, DIRECT);
    expect(direct.markup).toMatchObject({ force_reply: true });
    expect(labelsOf(direct)).toEqual([["Decline"]]);
    expect(direct.text).toContain("Press, or reply: box");
  });

  it("never sends a reply box without a keyboard: such a message could not be closed", () => {
    const [write] = textView().controls;
    const only = promptMessage(textView({ controls: write === undefined ? [] : [write] }), 0, DIRECT);
    expect(labelsOf(only)).toEqual([["Write…"]]);
    expect(only.markup).toMatchObject({ force_reply: true });
    const none = promptMessage(textView({ controls: [] }), 0, DIRECT);
    expect(none.markup).toBeUndefined();
    expect(none.text).toContain("Reply: write");
  });

  it("B091 asks for a reply to the message in a group", () => {
    const group = promptMessage(textView(), 0, GROUP);
    expect(group.markup).toMatchObject({ force_reply: true });
    expect(group.text).toContain("Press, or reply: reply");
    expect(labelsOf(group)).toEqual([["Write…", "Decline"]]);
  });

  it("O11 speaks of no buttons where there are none", () => {
    const bare = promptMessage(choiceView(["Ship", "Hold"]), 0, { direct: true, bare: true });
    expect(bare.markup).toBeUndefined();
    expect(bare.text).toContain("Reply: write");
    expect(bare.text).not.toContain("Press");
  });

  it.each([
    ["80 characters", "v".repeat(80)],
    ["33 Cyrillic letters", "Ж".repeat(33)],
    ["22 CJK characters", "語".repeat(22)],
    ["16 emoji", "👍".repeat(16)],
    ["500 characters", "x".repeat(500)],
  ])("B051 B052 B061 O61 an option of %s has button data of 64 bytes at most", (_what, label) => {
    const message = promptMessage(choiceView([label, "Hold"]), 0, DIRECT);
    for (const { callback_data = "" } of buttons(message).flat()) expect(Buffer.byteLength(callback_data)).toBeLessThanOrEqual(64);
    expect(message.text).toContain(label);
    expect(accepted(message)).toBe(true);
  });

  it("O62 draws all options or none", () => {
    const view = choiceView(["a", "b", "z".repeat(500)]);
    const data = buttons(promptMessage(view, 0, DIRECT))
      .flat()
      .map(({ callback_data }) => callback_data);
    expect(data).toEqual([...view.options, ...view.controls].map(({ token }) => token));
  });

  it("B062 pages keep global ordinals", () => {
    const view = choiceView(Array.from({ length: 60 }, (_, index) => `Way ${index + 1}`));
    expect(pageCount(view)).toBe(2);
    const second = drawnMessage({ ...view, page: 1 }, DIRECT);
    expect(second.text).toContain("60 Way 60");
    expect(second.text).not.toContain("1 Way 1\n");
    expect(labelsOf(second)).toContainEqual(["‹ 1"]);
    expect(labelsOf(drawnMessage(view, DIRECT))).toContainEqual(["2 ›"]);
  });

  it("B072 cuts labels between graphemes", () => {
    const [drawn = ""] = optionLabels(choiceView([`${"a".repeat(63)}👩‍👩‍👧‍👦`, "b"]).options);
    expect(drawn).not.toMatch(/\p{Cs}/u);
    expect(drawn.length).toBeLessThanOrEqual(64);
  });

  it("keeps a title on one line", () => {
    expect(promptMessage(choiceView(["a"], { title: "Ship\nci asks Eve" }), 0, DIRECT).text.split("\n")[0]).toBe("Ship ci asks Eve");
  });
});

describe("layout", () => {
  it("B054 B055 the end fits wherever the prompt did, and shows the same parts", () => {
    const view = approvalView({ text: [{ text: "w ".repeat(700) }], subject: { type: "text", body: "s".repeat(900) } });
    const open = drawnMessage(view, DIRECT);
    const ended = drawnMessage(endedView(view, `Denied · Bob: "${"r".repeat(900)}"`), DIRECT);
    expect(open.text).toContain("s".repeat(900));
    expect(ended.text).toContain("s".repeat(900));
    expect(accepted(ended)).toBe(true);
    expect(ended.markup).toBeUndefined();
    expect(shortMessage(endedView(view, "Denied · Bob")).text).toBe("Approve?\nDenied · Bob");
  });

  it("takes any prompt: every message within bounds, every character of the subject shown, every option on one page", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 4_000, size: "max" })
      .map((value) => value.replaceAll(/\p{Cs}/gu, "?"));
    const labels = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 400, size: "max" }), {
      minLength: 0,
      maxLength: 100,
      size: "max",
    });
    fc.assert(
      fc.property(text, fc.option(text), labels, fc.boolean(), (words, subject, options, ended) => {
        const tokens = Array.from({ length: 100 }, (_, page) => `p${page}`);
        const view: PromptView = {
          ...choiceView(options.map((label) => (label.trim() === "" ? "x" : label))),
          pageTokens: tokens,
          text: [{ text: `t${words}` }],
          ...(subject === null ? {} : { subject: { type: "text", body: `s${subject}` } }),
        };
        const leading = Array.from({ length: partCount(view) - 1 }, (_, part) => promptMessage(view, part, GROUP));
        const pages = Array.from({ length: pageCount(view) }, (_, page) => drawnMessage({ ...view, page }, GROUP));
        const state = endedView(view, "Ship · Alice, 14:03");
        const all = ended ? [drawnMessage(state, GROUP)] : [...leading, ...pages];
        for (const message of all) expect(accepted(message)).toBe(true);
        const boxes = [...leading, pages[0]].flatMap((message) => (message === undefined ? [] : boxesOf(message)));
        expect(boxes.join("")).toBe(subject === null ? "" : `s${subject}`);
        const drawn = pages.flatMap((page) =>
          buttons(page)
            .flat()
            .map(({ callback_data }) => callback_data),
        );
        for (const { token } of view.options) expect(drawn.filter((data) => data === token)).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  });
});

const boxesOf = ({ text, entities }: Styled): readonly string[] =>
  entities.filter(({ type }) => type === "pre").map(({ offset, length }) => text.slice(offset, offset + length));

describe("guarded", () => {
  it("sets names as code, so that nobody is mentioned, and keeps the characters", () => {
    const before = joined([
      styled("ask @alice_w, not a@b.example "),
      styled("or @bob now", "bold"),
      linked(" @carol", "https://x.example"),
    ]);
    const after = guarded(before);
    expect(after.text).toBe(before.text);
    expect(mentionsIn(before)).toEqual(["@alice_w", "@bob"]);
    expect(mentionsIn(after)).toEqual([]);
  });

  it("holds for any text, in any style, with more names than a message has entities", () => {
    const word = fc.constantFrom("@alice ", "x", " ", "@", "@bob_1", "\n", "👍", "@@cc", "a@dd.e ");
    const parts = fc.array(
      fc.tuple(
        fc.array(word, { maxLength: 60, size: "max" }).map((words) => words.join("")),
        fc.constantFrom("bold", "italic", "code", "none", "pre", "blockquote"),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(parts, (pieces) => {
        const before = joined(
          pieces.map(([text, style]) => {
            if (style === "pre") return boxed(text);
            return style === "none"
              ? styled(text)
              : styled(text, style === "bold" || style === "italic" || style === "code" ? style : "blockquote");
          }),
        );
        const after = guarded(before);
        expect(after.text).toBe(before.text);
        expect(after.entities.length).toBeLessThanOrEqual(100);
        expect(mentionsIn(after)).toEqual([]);
        for (const { offset, length } of after.entities)
          expect(offset >= 0 && length > 0 && offset + length <= after.text.length).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe("formMessage", () => {
  const field = { key: "answer", label: `Your answer ${"x".repeat(100)}`, multiline: true, required: true };
  const sender = { userId: "42", name: "Alice" };

  it("opens the reply box, in a group for the one who pressed", () => {
    const direct = formMessage({ title: "Release 42", field }, { direct: true, sender });
    expect(direct.markup).toMatchObject({ force_reply: true });
    expect(direct.markup).not.toHaveProperty("selective");
    const group = formMessage({ title: "Release 42", field }, { direct: false, sender });
    expect(group.markup).toMatchObject({ force_reply: true, selective: true });
    expect(group.entities[0]).toMatchObject({ type: "text_mention", offset: 0, length: 5, user: { id: 42 } });
  });

  it("keeps the placeholder within 64 characters", () => {
    const { markup } = formMessage({ title: "t", field }, { direct: true, sender });
    const placeholder = markup !== undefined && "input_field_placeholder" in markup ? (markup.input_field_placeholder ?? "") : "";
    expect(placeholder.length).toBeGreaterThan(0);
    expect(placeholder.length).toBeLessThanOrEqual(64);
  });
});
