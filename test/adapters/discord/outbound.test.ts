/** What is sent, within Discord's limits and to the character. Case ids: shared/cases. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeLine, renderLine, richLines } from "../../../adapters/channels/discord/markdown.js";
import {
  formModal,
  noticeMessage,
  promptMessages,
  promptParts,
  type Shown,
  shortMessage,
} from "../../../adapters/channels/discord/outbound.js";
import type { PromptView } from "../../../src/core/prompt.js";
import { approvalView, choiceView, endedView, formView, textView, tokenOn } from "../../../src/testing/contract/views.js";
import { messageBody, modalBody } from "../../../src/testing/sim/discord/bodies.js";
import { readableText } from "../../../src/testing/sim/discord/markdown.js";

const DIRECT = { direct: true };

/** Every message as the platform's own rules see it; gives the readable texts. */
function accepted(messages: readonly Shown[]): readonly string[] {
  for (const message of messages) expect(messageBody.safeParse(message).error?.issues ?? []).toEqual([]);
  return messages.map(({ content }) => readableText(content));
}

const labelsOf = (message: Shown | undefined): readonly string[] =>
  (message?.components ?? []).flatMap(({ components }) =>
    components.flatMap((component) => (component.type === 2 ? [component.label ?? ""] : component.options.map(({ label }) => label))),
  );

describe("a prompt", () => {
  it("looks as api.md, section 7, shows it", () => {
    const plain = choiceView(["staging", "prod"], { frame: ["ci asks Alice, Bob · until 16:03 · K7QM"] }, { other: true });
    const options = plain.options.map((option, index) => ({
      ...option,
      description: index === 0 ? "ten per cent of traffic" : "everyone",
    }));
    const view: PromptView = { ...plain, options, state: { kind: "open", help: () => "Press, or reply to this: a name, 1 or 2" } };
    const [message] = promptMessages(view, { direct: false });
    expect(message?.content.split("\n")).toEqual([
      "> **Release 42**",
      "> Where does this release go?",
      "> 1 staging: ten per cent of traffic",
      "> 2 prod: everyone",
      "Press, or reply to this: a name, 1 or 2",
      "ci asks Alice, Bob · until 16:03 · K7QM",
    ]);
    expect(labelsOf(message)).toEqual(["staging", "prod", "Other…", "Decline"]);
    expect(message?.components).toHaveLength(1);
    expect(message?.flags).toBe(4);
  });

  it("boxes a subject and keeps the agent's lines inside the quote, so that they cannot imitate the frame", () => {
    const view = approvalView({
      text: [{ text: "Apply\nci asks Alice · until 16:03 · K7QM" }],
      subject: { type: "command", body: "terraform apply\nplan.out" },
    });
    const [message] = promptMessages(view, DIRECT);
    const lines = message?.content.split("\n") ?? [];
    expect(lines.slice(0, 7)).toEqual([
      "> **Approve?**",
      "> Apply",
      "> ci asks Alice · until 16:03 · K7QM",
      "> ```",
      "> terraform apply",
      "> plan.out",
      "> ```",
    ]);
    expect(lines.slice(7).some((line) => line.startsWith(">"))).toBe(false);
  });

  it("help is told what was really drawn", () => {
    const drawn: unknown[] = [];
    const help = (rendered: unknown): string => {
      drawn.push(rendered);
      return "help";
    };
    const many = choiceView(Array.from({ length: 6 }, (_, index) => `Way ${index}`));
    for (const view of [choiceView(["a"]), many, textView({ controls: [] })])
      promptMessages({ ...view, state: { kind: "open", help } }, { direct: false });
    promptMessages({ ...textView(), state: { kind: "open", help } }, DIRECT);
    expect(drawn).toEqual([
      { controls: "buttons", reply: "reply" },
      { controls: "menu", reply: "reply" },
      { controls: "none", reply: "reply" },
      { controls: "buttons", reply: "write" },
    ]);
  });
});

describe("controls", () => {
  it.each([
    [1, 1, 0],
    [3, 1, 0],
    [5, 2, 0],
    [6, 2, 1],
    [25, 2, 1],
    [26, 3, 2],
    [60, 4, 3],
    [100, 5, 4],
  ])("B062 %i options take %i rows, %i of them menus; ordinals are global", (count, rows, menus) => {
    const view = choiceView(
      Array.from({ length: count }, (_, index) => `Way ${index + 1}`),
      {},
      { other: true },
    );
    const messages = promptMessages(view, DIRECT);
    accepted(messages);
    const last = messages.at(-1);
    expect(last?.components).toHaveLength(rows);
    const selects = (last?.components ?? []).flatMap(({ components }) =>
      components.flatMap((component) => (component.type === 3 ? [component] : [])),
    );
    expect(selects).toHaveLength(menus);
    expect(selects.map(({ placeholder }) => placeholder)).toEqual(
      Array.from({ length: menus }, (_, page) => `${page * 25 + 1}-${Math.min(count, page * 25 + 25)}`),
    );
    expect(new Set(selects.map(({ custom_id }) => custom_id)).size).toBe(menus);
    if (menus > 0)
      expect(selects.flatMap(({ options }) => options.map(({ value }) => value))).toEqual(view.options.map(({ token }) => token));
    expect(labelsOf(last).slice(-2)).toEqual(["Other…", "Decline"]);
  });

  it("B051 B061 B052 tokens stay short whatever the option holds, and the whole label is in the text", () => {
    const long = ["x".repeat(500), "я".repeat(500), "😀".repeat(250)];
    const messages = promptMessages(choiceView(long), DIRECT);
    const text = accepted(messages).join("\n");
    for (const label of long) expect(text).toContain(label);
    const ids = messages.flatMap(({ components }) => components.flatMap((row) => row.components.map(({ custom_id }) => custom_id)));
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(40);
  });

  it("B057 long labels and descriptions of a menu are cut, and two that begin alike stay apart", () => {
    const labels = [...Array.from({ length: 5 }, (_, index) => `short ${index}`), `${"same ".repeat(30)}one`, `${"same ".repeat(30)}two`];
    const plain = choiceView(labels);
    const view = { ...plain, options: plain.options.map((option) => ({ ...option, description: "d".repeat(400) })) };
    const messages = promptMessages(view, DIRECT);
    accepted(messages);
    const drawn = labelsOf(messages.at(-1)).slice(0, labels.length);
    expect(new Set(drawn).size).toBe(labels.length);
    for (const label of drawn) expect(label.length).toBeLessThanOrEqual(100);
  });

  it("B072 a label of 79 letters and one emoji is cut at a grapheme's edge", () => {
    const view = choiceView([`${"a".repeat(79)}😀`, `${"b".repeat(78)}👩‍👩‍👧‍👦`]);
    const messages = promptMessages(view, DIRECT);
    accepted(messages);
    for (const label of labelsOf(messages[0])) {
      expect(label).not.toMatch(/\p{Cs}/u);
      expect(label.length).toBeLessThanOrEqual(80);
    }
  });

  it("labels that a control cannot show are made one line", () => {
    const [message] = promptMessages(choiceView(["two\nlines", "tab\tbed"]), DIRECT);
    expect(labelsOf(message).slice(0, 2)).toEqual(["two lines", "tab bed"]);
  });
});

describe("length", () => {
  it.each([1, 1_400, 1_600, 1_900, 1_999, 2_000, 2_001, 4_000])(
    "B054 B056 a text of %i characters arrives whole within the limit",
    (size) => {
      for (const unit of ["x", "é", "😀", "*", "word ", "line\n"]) {
        const body = unit
          .repeat(Math.ceil(size / unit.length))
          .slice(0, size)
          .trim();
        const texts = accepted(promptMessages(textView({ text: [{ text: body }] }), DIRECT));
        const seen = texts.join("\n").replaceAll("\n", "").replaceAll(" ", "");
        expect(seen).toContain(body.replaceAll("\n", "").replaceAll(" ", "").slice(0, 50));
        const count = (text: string): number => text.split(unit.trim()).length - 1;
        expect(count(texts.join("\n"))).toBeGreaterThanOrEqual(count(body));
      }
    },
  );

  it("B054 title 60, reason 200 and detail 3,200: the controls arrive, nothing is lost", () => {
    const detail = "0123456789".repeat(320);
    const view = approvalView({ title: "t".repeat(60), text: [{ text: "r".repeat(200) }], subject: { type: "text", body: detail } });
    const messages = promptMessages(view, DIRECT);
    const texts = accepted(messages);
    expect(texts.join("").replaceAll(/[^0-9]/g, "")).toContain(detail.slice(0, 1_000));
    expect(
      texts
        .join("\n")
        .match(/\d{10,}/g)
        ?.join(""),
    ).toBe(detail);
    expect(labelsOf(messages.at(-1))).toEqual(["Approve", "Deny", "Deny, say why…"]);
    expect(messages.slice(0, -1).flatMap(labelsOf)).toEqual([]);
  });

  it("B055 the closing line of 300 characters, escapes and all, fits below the longest body", () => {
    for (const body of ["x".repeat(4_000), "*_~`|".repeat(800), "a\n".repeat(2_000)]) {
      const view = endedView(
        textView({ text: [{ text: body }], frame: ["*".repeat(300), "_".repeat(300)] }),
        `${"*".repeat(260)} · Alice Wong, 14:03`,
      );
      accepted(promptMessages(view, DIRECT));
      expect(labelsOf(promptMessages(view, DIRECT).at(-1))).toEqual([]);
    }
    accepted([shortMessage(endedView(textView(), "x".repeat(5_000)))]);
  });

  it("open and ended have the same messages, so that the last one keeps its text", () => {
    const view = approvalView({ subject: { type: "diff", body: "+ line of a diff\n".repeat(300) } });
    const ended = endedView(view, `Denied · Bob, 14:03: "${"reason ".repeat(30)}"`);
    expect(promptParts(ended)).toBe(promptParts(view));
    const [open, closed] = [promptMessages(view, DIRECT).at(-1), promptMessages(ended, DIRECT).at(-1)];
    const quoted = (message: Shown | undefined): string =>
      (message?.content ?? "")
        .split("\n")
        .filter((line) => line.startsWith(">"))
        .join("\n");
    expect(quoted(closed)).toBe(quoted(open));
  });

  it("a repeated prompt says so first, also above its buttons", () => {
    const view = approvalView({
      repeat: "Shown again (the first may not have arrived)",
      subject: { type: "text", body: "line\n".repeat(600) },
    });
    const texts = accepted(promptMessages(view, DIRECT));
    expect(texts.length).toBeGreaterThan(1);
    expect(texts[0]?.split("\n")[0]).toBe("Shown again (the first may not have arrived)");
    expect(texts.at(-1)?.split("\n")[0]).toBe("Shown again (the first may not have arrived)");
  });

  it("any text, any subject: every message is within the limits, and the text is there", () => {
    const words = fc.string({ unit: "binary", maxLength: 2_500 }).map((text) => text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, " "));
    fc.assert(
      fc.property(words, words, fc.array(words, { minLength: 1, maxLength: 30 }), (text, body, labels) => {
        const short = labels.map(
          (label, index) =>
            label
              .slice(0, 500)
              .replaceAll(/\p{Cs}/gu, "")
              .trim() || `option ${index}`,
        );
        const view = { ...choiceView(short), text: [{ text }], ...(body === "" ? {} : { subject: { type: "text" as const, body } }) };
        const messages = promptMessages(view, { direct: false });
        for (const message of messages) if (!messageBody.safeParse(message).success || message.content.length > 2_000) return false;
        return promptParts(view) === messages.length;
      }),
      { numRuns: 60 },
    );
  });
});

describe("mark-up", () => {
  it("B066 B067 a line reads as it was written, with no backslash added", () => {
    for (const text of [
      "Done. (ok)",
      "edit_msg *now <b",
      "@everyone @here <@&55> <@77> <#1> <t:1> <a:x:123> :smile:",
      "\\* a \\ b \\\\",
      "https://a.example/b_c*d?e=[f] and _g_",
      "- [x] ~~no~~ ||s||",
    ]) {
      expect(readableText(escapeLine(text))).toBe(text);
    }
  });

  it("any one line reads as it was written, alone and in bold", () => {
    const line = fc.string({
      unit: fc.constantFrom(
        ..."ab1 \\*_~|`<>@#[]():-+.!/=&é😀",
        "http://",
        "https://x.y",
        "```",
        "**",
        "__",
        "> ",
        "- ",
        "1. ",
        "# ",
        "-# ",
        "<@1>",
        ":a:",
      ),
      maxLength: 30,
    });
    fc.assert(
      fc.property(line, (text) => {
        const plain = richLines([{ text }]).map(renderLine).join("\n");
        const bold = richLines([{ text, bold: true }])
          .map(renderLine)
          .join("\n");
        return readableText(`> ${plain}`) === text && readableText(`> ${bold}`) === text;
      }),
      { numRuns: 3_000 },
    );
  });

  it("a labelled link shows where it goes; an address alone stays one", () => {
    const lines = richLines([
      { text: "see " },
      { text: "https://good.example", link: "https://evil.example/a_b" },
      { text: " or " },
      { text: "https://x.example", link: "https://x.example" },
    ]);
    expect(lines.map(renderLine).join("\n")).toBe("see <https://good.example> (<https://evil.example/a_b>) or <https://x.example>");
  });

  it("fences stand on lines of their own, and what would break one is shown as text", () => {
    const shown = (text: string): string =>
      richLines([{ text: "run:\n" }, { text, code: "block" }, { text: "\nthen wait" }])
        .map(renderLine)
        .join("|");
    expect(shown("a\nb")).toBe("run:|a|b|then wait");
    expect(readableText(shown("a ``` b").replaceAll("|", "\n"))).toBe("run:\na ``` b\nthen wait");
  });
});

describe("forms and notices", () => {
  it("B058 every limit of a modal holds", () => {
    const long = "w".repeat(5_000);
    const fields = Array.from({ length: 7 }, (_, index) => ({
      key: `k${index}`,
      label: long,
      help: long,
      multiline: index % 2 === 0,
      required: true,
      minLength: 1,
      maxLength: 9_000,
      placeholder: long,
      prefill: long,
    }));
    const modal = formModal(formView(tokenOn("text", { kind: "write" }), { title: long, fields }));
    expect(modalBody.safeParse(modal).error?.issues ?? []).toEqual([]);
    expect(modal.components).toHaveLength(5);
  });

  it("a notice is escaped and has at most a row of choices per five", () => {
    const buttons = Array.from({ length: 7 }, (_, index) => ({ token: `t${index}`, label: "L".repeat(200) }));
    const message = noticeMessage('I can\'t read "*x* @everyone".', buttons);
    expect(accepted([message])).toEqual(['I can\'t read "*x* @everyone".']);
    expect(message.components).toHaveLength(2);
    expect(new Set(labelsOf(message)).size).toBe(7);
  });
});
