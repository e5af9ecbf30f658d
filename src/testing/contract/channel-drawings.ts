/** The channel contract, how it looks: CH50 to CH60. */
import { expect, it } from "vitest";
import type { PromptView } from "../../core/prompt.js";
import type { SeenMessage } from "../sim/simulator.js";
import { type ChannelBench, simPlace } from "./bench.js";
import { choose, controlsOf, controlWith, redrawOrder, seenBy, sendOrder, show } from "./channel-orders.js";
import { approvalView, choiceView, endedView, textView, tokenOn } from "./views.js";

/** Texts that mark-up, mentions and escapes would spoil (B064, B066 to B070, B074). */
export const NASTY_TEXTS = [
  "Deploy v1.2-rc(3)! #1 = ok?",
  "edit_msg *now <b",
  "if a < b && b > c: <@U0001> <!channel>",
  "@everyone @here <@&55> <@77> @channel",
  "&lt;b&gt; &amp; 100% \\* \\_ `tick` ``two`` ~strike~ ||spoiler||",
  "[label](https://evil.example) <https://evil.example|here> :smile: <:a:1>",
  "__init__.py **kwargs *args _under_ # not a heading",
  "1. not a list\n- neither\n> nor a quote",
  "日本語 العربية 👩‍👩‍👧‍👦 é ẞ",
] as const;

/** A counted list of short labels. */
const labels = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `Way ${index + 1}`);

/** Everything visible of all the bot's messages in a place. */
function readable({ person }: ChannelBench, place: { conversation: string; thread?: string }): string {
  return person
    .reads(place)
    .filter(({ from }) => from === "bot")
    .map(({ text }) => text)
    .join("\n");
}

/** Registers CH50 to CH60; `open` gives a fresh bench. */
export function drawingClauses(open: () => Promise<ChannelBench>): void {
  promptClauses(open);
  endClauses(open);
  limitClauses(open);
}

function promptClauses(open: () => Promise<ChannelBench>): void {
  it("CH50 a prompt shows title, text, options with descriptions, frame, help and controls", async () => {
    const bench = await open();
    const { person, direct } = bench;
    const plain = choiceView(["staging", "prod"], {}, { other: true });
    const view: PromptView = {
      ...plain,
      options: plain.options.map((option) => ({ ...option, description: option.label === "prod" ? "everyone" : "ten per cent" })),
    };
    const { id } = await show(bench, view, direct);
    const message = seenBy(person, direct, id);
    for (const part of ["Release 42", "Where does this release go?", "staging", "ten per cent", "everyone", "ci asks Alice"]) {
      expect(message.text).toContain(part);
    }
    expect(message.text).toMatch(/Press, or reply: (thread|reply|write)/);
    for (const { token } of [...view.options, ...view.controls]) expect(controlWith(message, token)).toBeDefined();
    expect(message.mentions).toEqual([]);
  });

  it("CH51 what a person reads is what was asked, whatever characters it has", async () => {
    const bench = await open();
    const { person, direct } = bench;
    for (const nasty of NASTY_TEXTS) {
      const line = nasty.replaceAll("\n", " ");
      const view = choiceView([line, "Hold"], { title: line, text: [{ text: nasty }], frame: [`${line} asks Alice · K7QM`] });
      const { id } = await show(bench, view, direct);
      const message = seenBy(person, direct, id);
      expect(message.text.split("\n")[0]).toBe(line);
      for (const part of nasty.split("\n")) expect(message.text.split("\n").filter((seen) => seen.endsWith(part))).not.toEqual([]);
      expect(message.text).toContain(`1 ${line}`);
      expect(message.text).toContain(`${line} asks Alice · K7QM`);
      expect(message.mentions).toEqual([]);
    }
  });

  it("CH52 a subject is shown to the character, mark-up and fences included", async () => {
    const bench = await open();
    const { person, direct } = bench;
    const body = `rm -rf "$HOME" && echo \`done\`\n\`\`\`\n@everyone <@U1> <b> & *x* _y_ ~z~\n  indented\ttab`;
    const { id } = await show(bench, approvalView({ subject: { type: "command", body } }), direct);
    const message = seenBy(person, direct, id);
    // Where three backticks would end the box, an adapter may keep them apart by a character of no width.
    const text = message.text.replaceAll("\u200b", "");
    for (const line of body.split("\n")) expect(text).toContain(line);
    expect(message.mentions).toEqual([]);
  });

  it("CH53 rich text keeps its words: bold, italic, code, blocks, links", async () => {
    const bench = await open();
    const { person, direct } = bench;
    const view = textView({
      text: [
        { text: "Look at " },
        { text: "this *bold*", bold: true },
        { text: " and " },
        { text: "that_slant", italic: true },
        { text: ", run " },
        { text: "npm `x`", code: "inline" },
        { text: ":\n" },
        { text: "line one\nline two", code: "block" },
        { text: "see " },
        { text: "the page", link: "https://docs.example/a_b*c" },
      ],
    });
    const { id } = await show(bench, view, direct);
    const { text } = seenBy(person, direct, id);
    for (const words of ["Look at this *bold* and that_slant, run npm `x`:", "line one", "line two", "the page"])
      expect(text).toContain(words);
  });

  it("CH54 a repeated prompt begins with its label", async () => {
    const bench = await open();
    const { person, direct } = bench;
    const { id } = await show(bench, choiceView(["Ship"], { repeat: "Shown again (the first may not have arrived)" }), direct);
    expect(seenBy(person, direct, id).text.split("\n")[0]).toBe("Shown again (the first may not have arrived)");
  });
}

function endClauses(open: () => Promise<ChannelBench>): void {
  it("CH55 the end takes the controls away and shows the line", async () => {
    const bench = await open();
    const { channel, person, direct, room } = bench;
    for (const place of [direct, room]) {
      for (const view of [choiceView(["Ship", "Hold"], {}, { other: true }), approvalView(), textView()]) {
        const { id } = await show(bench, view, place);
        expect(await channel.redraw(redrawOrder(endedView(view, "Ship · Alice Wong, 14:03"), place, id))).toEqual({ status: "done" });
        const message = seenBy(person, place, id);
        expect(controlsOf(message)).toEqual([]);
        expect(message.text).toContain("Ship · Alice Wong, 14:03");
        expect(message.text).not.toMatch(/Press, or reply|Reply:/);
      }
    }
  });

  it("CH56 the closing line is untrusted text and is shown as it is", async () => {
    const bench = await open();
    const { channel, person, direct } = bench;
    const view = textView();
    for (const nasty of NASTY_TEXTS) {
      const line = `${nasty.replaceAll("\n", " ")} · Alice Wong, 14:03`;
      const { id } = await show(bench, view, direct);
      expect(await channel.redraw(redrawOrder(endedView(view, line), direct, id))).toEqual({ status: "done" });
      expect(seenBy(person, direct, id).text).toContain(line);
      expect(seenBy(person, direct, id).mentions).toEqual([]);
    }
  });

  it("CH57 the end of the longest prompt fits too", async () => {
    const bench = await open();
    const { channel, person, direct } = bench;
    const view = approvalView({ text: [{ text: `${"word ".repeat(799)}end` }], subject: { type: "text", body: numbered(12_000) } });
    const { id } = await show(bench, view, direct);
    const line = `Denied · Bob, 14:03: "${"reason ".repeat(60)}"`;
    expect(await channel.redraw(redrawOrder(endedView(view, line), direct, id))).toEqual({ status: "done" });
    const message = seenBy(person, direct, id);
    expect(controlsOf(message)).toEqual([]);
    expect(message.text).toContain("Denied · Bob, 14:03");
  });
}

/** About `size` characters of numbered lines, so that a missing one is noticed. */
function numbered(size: number): string {
  const lines: string[] = [];
  for (let length = 0; length < size - 40; ) {
    const line = `line ${String(lines.length).padStart(4, "0")} ${"x".repeat(20)}`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n");
}

function limitClauses(open: () => Promise<ChannelBench>): void {
  it("CH58 a long subject goes by further messages, whole, and only the last has the controls", async () => {
    const bench = await open();
    const { channel, person, direct } = bench;
    const body = numbered(12_000);
    const view = approvalView({ subject: { type: "diff", body } });
    expect(channel.parts(view)).toBeGreaterThan(1);
    const ids: string[] = [];
    for (let part = 0; part < channel.parts(view); part += 1) {
      const sent = await channel.send(sendOrder(view, direct, part));
      expect(sent).toMatchObject({ status: "shown" });
      if (sent.status === "shown") ids.push(sent.message.id);
    }
    const messages = ids.map((id): SeenMessage => seenBy(person, direct, id));
    expect(messages.slice(0, -1).flatMap(controlsOf)).toEqual([]);
    for (const { token } of view.controls)
      expect(controlsOf(messages.at(-1) ?? seenBy(person, direct, "")).map(({ data }) => data)).toContain(token);
    const lines = new Set(messages.flatMap(({ text }) => text.split("\n").map((line) => line.trim())));
    expect(body.split("\n").filter((line) => !lines.has(line))).toEqual([]);
  });

  it.each([1, 2, 5, 25, 26, 60, 100])("CH59 each of %i options is shown in full and can be chosen", async (count) => {
    const bench = await open();
    const { channel, intake, person, direct } = bench;
    const view = choiceView(labels(count));
    const { id } = await show(bench, view, direct);
    const reached = new Set<string>();
    for (let page = 0; page < Math.max(1, view.pageTokens.length); page += 1) {
      if (page > 0) {
        const turn = view.pageTokens[page] ?? "";
        if (controlWith(seenBy(person, direct, id), turn) === undefined) break;
        expect(await channel.redraw(redrawOrder({ ...view, page }, direct, id))).toEqual({ status: "done" });
      }
      const message = seenBy(person, direct, id);
      for (const { data } of controlsOf(message)) reached.add(data);
      for (const option of view.options) {
        if (controlWith(message, option.token) !== undefined) expect(message.text).toContain(`${option.ordinal} ${option.label}`);
      }
      expect(controlWith(message, tokenOn("choice", { kind: "decline" }))).toBeDefined();
    }
    expect(view.options.filter(({ token }) => !reached.has(token))).toEqual([]);
    const last = view.options.at(-1)?.token ?? "";
    await choose(person, seenBy(person, direct, id), last);
    expect(await intake.waitsFor("press")).toMatchObject({ token: last, message: { id } });
  });

  it("CH60 long labels are cut on the buttons, stay distinct, and are whole in the text", async () => {
    const bench = await open();
    const { person, direct } = bench;
    const long = ["日本語".repeat(30), `${"same start ".repeat(8)}one`, `${"same start ".repeat(8)}two`, `${"a".repeat(79)}👩‍👩‍👧‍👦`];
    const view = choiceView(long);
    const { id } = await show(bench, view, direct);
    const message = seenBy(person, direct, id);
    const drawn = view.options.map(({ token }) => controlWith(message, token)?.label ?? "");
    expect(new Set(drawn).size).toBe(long.length);
    for (const label of drawn) expect(label).not.toMatch(/\p{Cs}/u);
    const text = readable(bench, simPlace(direct));
    for (const label of long) expect(text).toContain(label);
  });
}
