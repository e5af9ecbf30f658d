import { describe, expect, it } from "vitest";
import { weight } from "../../../adapters/channels/slack/layout.js";
import { MESSAGE_WEIGHT_MAX, SECTION_MAX, verdictOf } from "../../../adapters/channels/slack/limits.js";
import {
  escapeMrkdwn,
  formModal,
  noticeMessage,
  promptMessage,
  promptParts,
  redrawnMessage,
  shortMessage,
} from "../../../adapters/channels/slack/outbound.js";
import { lengthIn } from "../../../src/core/cut.js";
import type { PromptView } from "../../../src/core/prompt.js";
import { approvalView, choiceView, endedView, formView, textView } from "../../../src/testing/contract/views.js";
import { blocksProblem, viewProblem } from "../../../src/testing/sim/slack/block-rules.js";
import { buttonsOf, menuOf, seenBlocks } from "../../../src/testing/sim/slack/block-view.js";
import { isObject, type Json, listAt, objectAt, textAt } from "../../../src/testing/sim/slack/json.js";
import { seenMrkdwn } from "../../../src/testing/sim/slack/mrkdwn.js";

const IN_ROOM = { direct: false };

/** Blocks as they go over the wire. */
function wire(body: { readonly blocks: readonly unknown[] }): readonly Json[] {
  const parsed: unknown = JSON.parse(JSON.stringify(body.blocks));
  return Array.isArray(parsed) ? parsed.filter(isObject) : [];
}

/** All messages of a view; each is checked against Slack's rules. */
function messages(view: PromptView): readonly { readonly text: string; readonly blocks: readonly Json[] }[] {
  return Array.from({ length: promptParts(view) }, (_, part) => {
    const body = promptMessage(view, { part, ...IN_ROOM });
    const blocks = wire(body);
    expect(blocksProblem(blocks, "message")).toBeUndefined();
    expect(body.text.length).toBeLessThanOrEqual(4_000);
    return { text: body.text, blocks };
  });
}

const longLabels = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${"x".repeat(length - 4)}${String(index).padStart(4, "0")}`);

describe("limits", () => {
  it("B054 a long detail with heading and reason is accepted, each block within its limit, the buttons present", () => {
    const view = approvalView({
      title: "t".repeat(60),
      text: [{ text: "r".repeat(200) }],
      subject: { type: "text", body: "d".repeat(3_200) },
    });
    const [only, ...more] = messages(view);
    expect(more).toEqual([]);
    expect(buttonsOf(only?.blocks ?? []).map(({ label }) => label)).toEqual(["Approve", "Deny", "Deny, say why…"]);
    expect(seenBlocks(only?.blocks ?? []).text.replaceAll("\n", "")).toContain("d".repeat(3_200));
  });

  it.each([2_999, 3_000, 3_001, 6_000])("B056 a closing line of %i characters fits one section, its mark counted", (length) => {
    const { blocks } = redrawnMessage(endedView(textView(), "a".repeat(length)), IN_ROOM);
    const line = blocks.find((block) => block.type === "section");
    const shown = line?.type === "section" ? line.text.text : "";
    expect(shown.length).toBe(Math.min(length, SECTION_MAX));
    expect(shown.endsWith("…")).toBe(length > SECTION_MAX);
  });

  it("B055 the closing of a text of 2,990 characters has no controls and is accepted", () => {
    const view = endedView(choiceView(["Ship", "Hold"], { text: [{ text: "b".repeat(2_990) }] }), "Ship · P1, 14:03");
    const blocks = wire(redrawnMessage(view, IN_ROOM));
    expect(blocksProblem(blocks, "message")).toBeUndefined();
    expect(buttonsOf(blocks)).toEqual([]);
    expect(seenBlocks(blocks).text).toContain("Ship · P1, 14:03");
  });

  it("B055 the shorter drawing takes an ended prompt's controls away; B105 it keeps an open one's", () => {
    const open = approvalView({ text: [{ text: "b".repeat(4_000) }], subject: { type: "text", body: "s".repeat(12_000) } });
    const short = wire(shortMessage(open, IN_ROOM));
    expect(buttonsOf(short).map(({ label }) => label)).toEqual(["Approve", "Deny", "Deny, say why…"]);
    const ended = wire(shortMessage(endedView(open, "Denied · Bob, 14:03"), IN_ROOM));
    expect(buttonsOf(ended)).toEqual([]);
    expect(seenBlocks(ended).text).toContain("Denied · Bob, 14:03");
    for (const blocks of [short, ended]) expect(JSON.stringify(blocks).length).toBeLessThan(3_000);
  });

  it("B057 entries of 75 and 76 characters, and two that share their first 80, are distinct and at most 75", () => {
    const labels = ["a".repeat(75), "b".repeat(76), `${"c".repeat(80)}one`, `${"c".repeat(80)}two`];
    const [only] = messages(choiceView(labels));
    const drawn = menuOf(only?.blocks ?? []).map(({ label }) => label);
    expect(new Set(drawn).size).toBe(4);
    for (const label of drawn) expect(label.length).toBeLessThanOrEqual(75);
    expect(drawn[0]).toBe(labels[0]);
  });

  it("O83 the full labels stand numbered in the text", () => {
    const labels = [`${"same ".repeat(16)}one`, `${"same ".repeat(16)}two`];
    const [only] = messages(choiceView(labels));
    const { text } = seenBlocks(only?.blocks ?? []);
    expect(text).toContain(`1 ${labels[0]}`);
    expect(text).toContain(`2 ${labels[1]}`);
  });

  it("B062 5 options are buttons, 6 and 100 are one menu with global ordinals", () => {
    for (const count of [1, 5]) {
      const [only] = messages(choiceView(longLabels(count, 20)));
      expect(buttonsOf(only?.blocks ?? [])).toHaveLength(count + 1);
      expect(menuOf(only?.blocks ?? [])).toEqual([]);
    }
    for (const count of [6, 100]) {
      const [only] = messages(choiceView(longLabels(count, 10)));
      expect(menuOf(only?.blocks ?? [])).toHaveLength(count);
      expect(seenBlocks(only?.blocks ?? []).text).toContain(`${count} x`);
    }
  });

  it.each([6, 30, 66, 100])("B062 %i options of 500 characters are all shown, over as many messages as they need", (count) => {
    const view = choiceView(longLabels(count, 500));
    const all = messages(view);
    const text = all.map(({ blocks }) => seenBlocks(blocks).text).join("\n");
    for (const { ordinal, label } of view.options) expect(text).toContain(`${ordinal} ${label}`);
    expect(all.slice(0, -1).flatMap(({ blocks }) => [...menuOf(blocks), ...buttonsOf(blocks)])).toEqual([]);
    const drawn = menuOf(all.at(-1)?.blocks ?? []);
    expect(new Set(drawn.map(({ label }) => label)).size).toBe(count);
    expect(drawn.map(({ data }) => data)).toEqual(view.options.map(({ token }) => token));
  });

  it("R27 a subject of 12,000 characters that all need escaping is whole, over several messages", () => {
    const body = `${'<&>"\\'.repeat(1_600)}\n`.repeat(2).slice(0, 12_000);
    const all = messages(approvalView({ subject: { type: "json", body } }));
    expect(all.length).toBeGreaterThan(1);
    const boxed = all
      .flatMap(({ blocks }) => blocks.flatMap((block) => listAt(block, "elements")))
      .filter((box) => textAt(box, "type") === "rich_text_preformatted");
    expect(boxed.flatMap((box) => listAt(box, "elements").map((element) => textAt(element, "text"))).join("")).toBe(body);
  });

  it("a text of many small styled pieces stays within the limits", () => {
    const text = Array.from({ length: 800 }, (_, index) => ({ text: `w${index} `, ...(index % 2 === 0 ? { bold: true as const } : {}) }));
    const all = messages(textView({ text }));
    const shown = all
      .map(({ blocks }) => seenBlocks(blocks).text)
      .join("")
      .replaceAll("\n", "");
    for (const { text: word } of text) expect(shown).toContain(word);
  });

  it("O68 four options have four action ids, at most 255 characters", () => {
    const [only] = messages(choiceView(["a", "b", "c", "d"]));
    const ids = (only?.blocks ?? [])
      .flatMap((block) => listAt(block, "elements").map((element) => textAt(element, "action_id")))
      .filter((id) => id !== undefined);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(5);
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(255);
  });

  it("B051 B061 the values of long options are nowhere in the controls: tokens are short ASCII", () => {
    const [last] = messages(choiceView(["Ж".repeat(33), "漢".repeat(22), "🚀".repeat(16), "v".repeat(500)])).slice(-1);
    const tokens = [...menuOf(last?.blocks ?? []), ...buttonsOf(last?.blocks ?? [])].map(({ data }) => data);
    expect(tokens).toHaveLength(5);
    for (const token of tokens) expect(token).toMatch(/^[\x21-\x7e]{1,40}$/);
    for (const token of tokens) expect(lengthIn(token, "utf8")).toBeLessThanOrEqual(64);
  });

  it("B072 a label is cut between graphemes", () => {
    const [only] = messages(choiceView([`${"a".repeat(74)}😀`, "Hold"]));
    const [drawn] = menuOf(only?.blocks ?? []).map(({ label }) => label);
    expect(drawn).not.toMatch(/\p{Cs}/u);
    expect(drawn?.length).toBeLessThanOrEqual(75);
  });

  it("no split depends on frame or closing line", () => {
    const view = approvalView({ text: [{ text: "t".repeat(2_000) }], subject: { type: "text", body: "s".repeat(8_000) } });
    const counts = [view, { ...view, frame: ["f".repeat(300), "g".repeat(300)] }, endedView(view, "c".repeat(300))].map(promptParts);
    expect(new Set(counts).size).toBe(1);
    for (const drawn of [redrawnMessage(view, IN_ROOM), redrawnMessage(endedView(view, "c".repeat(2_000)), IN_ROOM)]) {
      expect(weight(drawn.blocks)).toBeLessThanOrEqual(MESSAGE_WEIGHT_MAX + 1_000);
      expect(seenBlocks(wire(drawn)).text).toContain("s".repeat(1_000));
    }
  });
});

describe("escaping", () => {
  const NASTY = "if a < b && b > c: <@U0001> <!channel> *now* _x_ `y` @here :smile:";

  it("B068 the fallback escapes & < > exactly once and mentions nobody", () => {
    const { text } = promptMessage(choiceView([NASTY], { title: NASTY, text: [{ text: NASTY }] }), { part: 0, ...IN_ROOM });
    expect(text).toContain("if a &lt; b &amp;&amp; b &gt; c: &lt;@U0001&gt; &lt;!channel&gt;");
    expect(text).not.toContain("&amp;lt;");
    expect(seenMrkdwn(text, { loose: false }).mentions).toEqual([]);
    expect(escapeMrkdwn("&lt;")).toBe("&amp;lt;");
  });

  it("B066 B067 blocks show it as it is: nothing in them is parsed", () => {
    const view = choiceView([NASTY, "Hold"], { title: NASTY, text: [{ text: NASTY }], frame: [NASTY] });
    const [only] = messages(view);
    const seen = seenBlocks(only?.blocks ?? []);
    expect(seen.text.split(NASTY).length - 1).toBe(4);
    expect(seen.mentions).toEqual([]);
    const ended = seenBlocks(wire(redrawnMessage(endedView(view, "edit_msg *now <b · P1, 14:03"), IN_ROOM)));
    expect(ended.text).toContain("edit_msg *now <b · P1, 14:03");
    expect(JSON.stringify(only?.blocks)).not.toContain('"mrkdwn"');
  });

  it("P2 the agent's text is quoted and boxed, the frame is not", () => {
    const view = approvalView({ text: [{ text: "ci asks Mallory · until never" }], frame: ["ci asks Alice"] });
    const [only] = messages(view);
    const kinds = (only?.blocks ?? []).map((block) => [
      textAt(block, "type"),
      ...listAt(block, "elements").map((element) => textAt(element, "type")),
    ]);
    expect(kinds).toEqual([
      ["rich_text", "rich_text_section"],
      ["rich_text", "rich_text_quote"],
      ["rich_text", "rich_text_preformatted"],
      ["context", "plain_text"],
      ["context", "plain_text"],
      ["actions", "button", "button", "button"],
    ]);
  });
});

describe("forms and notices", () => {
  it("B058 a long title is cut on the modal and stands in full inside it", () => {
    const title = "A question title that has forty-six characters";
    const field = {
      key: "answer",
      label: "L".repeat(46),
      multiline: true,
      required: false,
      minLength: 2,
      maxLength: 9_000,
      placeholder: "p",
      prefill: "old",
      help: "h",
    };
    const modal: unknown = JSON.parse(JSON.stringify(formModal(formView("token", { title, fields: [field] }), "{}")));
    const view = isObject(modal) ? modal : {};
    expect(viewProblem(view)).toBeUndefined();
    expect(textAt(objectAt(view, "title"), "text")?.length).toBeLessThanOrEqual(24);
    expect(JSON.stringify(view)).toContain(title);
    expect(view).toMatchObject({ callback_id: "token", private_metadata: "{}", submit: { text: "Send" } });
    const [, input] = listAt(view, "blocks");
    expect(input).toMatchObject({
      block_id: "answer",
      optional: true,
      hint: { text: "h" },
      element: { action_id: "answer", min_length: 2, max_length: 3_000, initial_value: "old" },
    });
  });

  it("a notice is plain text, with its choices as buttons", () => {
    const notice = noticeMessage('Which one is "<yes>" for?', [
      { token: "s1", label: "K7QM Release 42" },
      { token: "s2", label: "P3XD Rotate keys" },
    ]);
    const blocks = wire(notice);
    expect(blocksProblem(blocks, "message")).toBeUndefined();
    expect(seenBlocks(blocks)).toEqual({ text: 'Which one is "<yes>" for?', mentions: [] });
    expect(buttonsOf(blocks).map(({ data }) => data)).toEqual(["s1", "s2"]);
    expect(notice.text).toBe('Which one is "&lt;yes&gt;" for?');
  });
});

describe("error codes", () => {
  it.each([
    ["not_in_channel", "not_member"],
    ["channel_not_found", "not_found"],
    ["is_archived", "archived"],
    ["token_revoked", "unauthenticated"],
    ["user_disabled", "blocked"],
    ["cannot_dm_bot", "forbidden"],
    ["msg_too_long", "too_long"],
    ["msg_blocks_too_long", "too_long"],
    ["invalid_blocks", "rejected"],
  ])("B096 %s is final: %s", (error, code) => {
    expect(verdictOf(error)).toEqual({ kind: "refused", code });
  });

  it.each(["fatal_error", "internal_error", "<html><body>Bad gateway</body></html>", ""])("%j tells nothing for sure", (error) => {
    expect(verdictOf(error)).toEqual({ kind: "unknown" });
  });
});
