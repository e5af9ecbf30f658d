import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rendered } from "../../../src/core/prompt.js";
import type { Expectation, Hint } from "../../../src/core/reply.js";
import { readReply } from "../../../src/core/reply.js";
import { type Ending, LANGUAGES, type Words, wordsFor } from "../../../src/core/words/index.js";
import { LINE_MAX, NOTICE_MAX, sentence } from "../../../src/core/words/sentence.js";
import { approval, choice, text } from "../reply.table.js";

const raw = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ unit: "grapheme", minLength: 100, maxLength: 400 }),
  fc.constantFrom("", "x".repeat(3_000), "👩‍👩‍👧‍👦".repeat(300), "\u200b".repeat(500), "a\nb\tc", '"quoted"'),
);
const names = fc.array(raw, { minLength: 1, maxLength: 50 });
const people = fc.oneof(fc.constant("anyone" as const), names);
const answer = fc.record({ text: raw, typed: fc.boolean() });
const count = fc.integer({ min: 1, max: 1_000_000 });
const ending: fc.Arbitrary<Ending> = fc.oneof(
  fc.record({ kind: fc.constant("answered" as const), by: names, at: raw, answer }),
  fc.record({ kind: fc.constant("answered" as const), by: names, at: raw }),
  fc.record({ kind: fc.constant("approved" as const), by: names, at: raw, always: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("denied" as const, "declined" as const), by: names, at: raw, note: raw }),
  fc.record({ kind: fc.constantFrom("denied" as const, "declined" as const), by: names, at: raw }),
  fc.record({ kind: fc.constantFrom("expired" as const, "undelivered" as const), at: raw }),
  fc.record({ kind: fc.constant("withdrawn" as const), agent: raw, at: raw, reason: raw }),
  fc.record({ kind: fc.constant("run_ended" as const), agent: raw, at: raw }),
);
const expectation: fc.Arbitrary<Expectation> = fc.oneof(
  fc
    .record({
      labels: fc.array(raw, { minLength: 1, maxLength: 100 }),
      other: fc.boolean(),
      optional: fc.boolean(),
      declinable: fc.boolean(),
    })
    .map(({ labels, ...traits }) => choice(labels, traits)),
  fc.record({ optional: fc.boolean(), declinable: fc.boolean() }).map((traits) => text(traits)),
  fc.boolean().map((declinable) => approval(["approve", "approve_always", "deny"], declinable)),
);
const hint: fc.Arbitrary<Hint> = fc.oneof(
  fc.record({
    kind: fc.constant("hint" as const),
    code: fc.constantFrom("blank" as const, "not_understood" as const, "not_optional" as const, "not_declinable" as const),
    facts: fc.constant({}),
  }),
  fc.record({
    kind: fc.constant("hint" as const),
    code: fc.constant("ambiguous" as const),
    facts: fc.record({
      options: fc.array(fc.nat(), { minLength: 2, maxLength: 100 }),
      ask: fc.constantFrom("number" as const, "name" as const),
    }),
  }),
  fc.record({ kind: fc.constant("hint" as const), code: fc.constant("out_of_range" as const), facts: fc.record({ max: count }) }),
  fc.record({
    kind: fc.constant("hint" as const),
    code: fc.constant("too_long" as const),
    facts: fc.record({ length: count, max: count }),
  }),
  fc.record({
    kind: fc.constant("hint" as const),
    code: fc.constant("too_short" as const),
    facts: fc.record({ length: count, min: count }),
  }),
);
const controls = fc.constantFrom<Rendered["controls"]>("buttons", "menu", "none");
const rendered: fc.Arbitrary<Rendered> = fc.record({
  controls,
  reply: fc.constantFrom<Rendered["reply"]>("thread", "reply", "write", "box"),
});

/** One generator per notice: a notice that is added to the shape does not compile here until it has one. */
function noticesOf({ notices }: Words): Readonly<Record<keyof Words["notices"], fc.Arbitrary<string>>> {
  return {
    taken: answer.map(notices.taken),
    counted: fc.record({ decision: raw, given: count, needed: count }).map(notices.counted),
    alreadyYours: answer.map(notices.alreadyYours),
    late: ending.map(notices.late),
    unknown: fc.constant(notices.unknown()),
    notYou: people.map((who) => notices.notYou({ people: who })),
    whichQuestion: fc.record({ count, reply: raw }).map(notices.whichQuestion),
    hint: fc.record({ hint, reply: raw, expectation, controls }).map(notices.hint),
    help: expectation.map(notices.help),
    shownBack: fc.record({ reply: raw }).map(notices.shownBack),
    notSent: fc.constant(notices.notSent()),
    cannotSave: fc.constant(notices.cannotSave()),
    cannotCheck: fc.constant(notices.cannotCheck()),
    checking: fc.record({ answer: raw }).map(notices.checking),
    unconfirmed: fc.record({ answer: raw }).map(notices.unconfirmed),
    runOver: fc.record({ agent: raw }).map(notices.runOver),
    controlsOnly: fc.constant(notices.controlsOnly()),
    media: fc.constant(notices.media()),
    emptyMessage: fc.record({ bot: raw }).map(notices.emptyMessage),
    anonymous: fc.constant(notices.anonymous()),
    forwarded: fc.constant(notices.forwarded()),
    formFailed: fc.constant(notices.formFailed()),
    pressAgain: fc.constant(notices.pressAgain()),
    wrongPlace: fc.constant(notices.wrongPlace()),
    secretTyped: fc.constant(notices.secretTyped()),
  };
}

const oneVisibleLine = (line: string): boolean => line !== "" && !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(line);

describe.each(LANGUAGES)("the %s table", (language) => {
  const words = wordsFor(language);
  it.each(Object.entries(noticesOf(words)))("the notice %s is one visible line of at most 200 characters for any input", (_, notice) => {
    fc.assert(
      fc.property(notice, (line) => {
        expect(line.length).toBeLessThanOrEqual(NOTICE_MAX);
        expect(oneVisibleLine(line)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
  it("closing and prompt lines are one visible line of at most 300 characters for any input", () => {
    const lines = fc.oneof(
      ending.map(words.closing),
      fc.record({ agent: raw, people, until: raw, code: fc.constant("K7QM") }).map(words.prompt.frame),
      fc.record({ given: fc.nat(), needed: count, by: fc.array(raw, { maxLength: 50 }) }).map(words.prompt.votes),
      fc.record({ code: fc.constant("K7QM"), title: raw }).map(words.controls.question),
      fc.tuple(rendered, expectation).map(([what, about]) => words.prompt.help(what, { expectation: about, typed: true })),
    );
    fc.assert(
      fc.property(lines, (line) => {
        expect(line.length).toBeLessThanOrEqual(LINE_MAX);
        expect(oneVisibleLine(line)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
  it("the code is never cut off the frame", () => {
    fc.assert(
      fc.property(fc.record({ agent: raw, people, until: raw, code: fc.constant("K7QM") }), (about) => {
        expect(words.prompt.frame(about).endsWith("K7QM")).toBe(true);
      }),
    );
  });
  it("form titles fit Slack's 24 characters", () => {
    const { forms } = words.controls;
    for (const title of [forms.otherTitle, forms.whyTitle, forms.writeTitle, forms.submit]) expect(title.length).toBeLessThanOrEqual(24);
  });
  it("every typed word is read: in lower case, folded alike, none in two lists", () => {
    const all = Object.values(words.typed).flat();
    expect(new Set(all).size).toBe(all.length);
    for (const word of words.typed.approve)
      expect(readReply(word, approval(), words.typed)).toEqual({ kind: "decision", decision: "approve" });
    for (const word of words.typed.deny) expect(readReply(word, approval(), words.typed)).toEqual({ kind: "decision", decision: "deny" });
    for (const word of words.typed.decline)
      expect(readReply(word, approval(), words.typed)).toEqual({ kind: "decision", decision: "decline" });
    for (const word of words.typed.skip) expect(readReply(word, choice(["a"], { optional: true }), words.typed)).toEqual({ kind: "skip" });
    for (const word of words.typed.help) expect(readReply(word, text(), words.typed)).toEqual({ kind: "help" });
    for (const word of words.typed.option) expect(readReply(`${word} 1`, choice(["a"]), words.typed)).toEqual({ kind: "option", index: 0 });
  });
  it("decisions said back are never read as another decision", () => {
    const { approvals } = words.controls;
    const offered: Expectation = {
      kind: "approval",
      decisions: ["approve", "approve_always", "deny"],
      labels: approvals,
      declinable: true,
    };
    for (const decision of ["approve", "approve_always", "deny"] as const) {
      expect(readReply(approvals[decision], offered, words.typed)).toEqual({ kind: "decision", decision });
      expect(readReply(words.decisions[decision], offered, words.typed)).toEqual({ kind: "decision", decision });
    }
  });
});

describe("English", () => {
  const { notices, prompt, closing, controls: labels } = wordsFor("en");
  const two = choice(["staging", "prod"]);
  it.each([
    [notices.taken({ text: "prod", typed: false }), "Recorded: prod."],
    [notices.taken({ text: "only eu", typed: true }), 'Recorded: "only eu".'],
    [notices.counted({ decision: "approve", given: 1, needed: 2 }), "Recorded: approve. 1 of 2."],
    [notices.alreadyYours({ text: "prod", typed: false }), "You already answered: prod."],
    [notices.notYou({ people: ["Alice", "Bob"] }), "This is for Alice and Bob. Nothing was changed."],
    [
      notices.late({ kind: "answered", by: ["Bob"], at: "14:03", answer: { text: "staging", typed: false } }),
      'Too late: Bob answered "staging" at 14:03.',
    ],
    [notices.late({ kind: "answered", by: ["Bob"], at: "14:03" }), "Too late: Bob answered at 14:03."],
    [notices.late({ kind: "denied", by: ["Bob"], at: "14:03" }), "Too late: Bob denied at 14:03."],
    [notices.late({ kind: "expired", at: "16:03" }), "Too late: time ran out at 16:03 and nobody answered."],
    [notices.late({ kind: "withdrawn", agent: "ci", at: "14:10", reason: "rolled back" }), 'Withdrawn by ci at 14:10: "rolled back".'],
    [notices.late({ kind: "withdrawn", agent: "ci", at: "14:10" }), "Withdrawn by ci at 14:10."],
    [notices.unknown(), "I don't know this question any more."],
    [notices.whichQuestion({ count: 2, reply: "yes" }), 'Two questions are open for you. Which one is "yes" for?'],
    [notices.whichQuestion({ count: 1, reply: "yes" }), 'Another question here has just ended. Is "yes" for this one?'],
    [notices.runOver({ agent: "ci" }), "ci's run has ended, so this can't be answered any more. Nothing was recorded."],
    [
      notices.unconfirmed({ answer: "prod" }),
      "I can't tell yet whether \"prod\" was recorded, and I won't send it again. The question above will show what counted. Pressing again is safe.",
    ],
    [closing({ kind: "answered", by: ["Alice Wong"], at: "14:03", answer: { text: "prod", typed: false } }), "prod · Alice Wong, 14:03"],
    [
      closing({ kind: "answered", by: ["Alice Wong"], at: "14:03", answer: { text: "edit_msg *now <b", typed: true } }),
      '"edit_msg *now <b" · Alice Wong, 14:03',
    ],
    [closing({ kind: "answered", by: ["Alice Wong"], at: "14:03" }), "Answered · Alice Wong, 14:03"],
    [closing({ kind: "approved", by: ["Alice Wong", "Bob"], at: "14:03", always: false }), "Approved · Alice Wong and Bob, 14:03"],
    [closing({ kind: "denied", by: ["Bob"], at: "14:03", note: "freeze until Monday" }), 'Denied · Bob, 14:03: "freeze until Monday"'],
    [closing({ kind: "declined", by: ["Bob"], at: "14:03" }), "Declined · Bob, 14:03"],
    [closing({ kind: "expired", at: "16:03" }), "Nobody answered by 16:03"],
    [closing({ kind: "withdrawn", agent: "ci", at: "14:10", reason: "rolled back" }), 'Withdrawn by ci, 14:10: "rolled back"'],
    [prompt.frame({ agent: "ci", people: ["Alice", "Bob"], until: "16:03", code: "K7QM" }), "ci asks Alice, Bob · until 16:03 · K7QM"],
    [prompt.frame({ agent: "ci", people: "anyone", code: "K7QM" }), "ci asks anyone · K7QM"],
    [prompt.frame({ agent: "ci", people: ["A", "B", "C", "D", "E"], code: "K7QM" }), "ci asks A, B, C and 2 more · K7QM"],
    [prompt.votes({ given: 1, needed: 2, by: ["Bob"] }), "1 of 2 approvals: Bob"],
    [prompt.repeat, "Shown again (the first may not have arrived)"],
    [labels.question({ code: "K7QM", title: "Release 42" }), "K7QM Release 42"],
  ])("says %j", (said, expected) => {
    expect(said).toBe(expected);
  });
  it.each<[Rendered, Expectation, string]>([
    [{ controls: "buttons", reply: "thread" }, two, "Press, or reply in this thread: a name, 1 or 2"],
    [{ controls: "buttons", reply: "reply" }, two, "Press, or reply to this: a name, 1 or 2"],
    [{ controls: "menu", reply: "reply" }, choice(Array.from("abcdefg")), "Choose from the menu, or reply to this: a name or 1 to 7"],
    [{ controls: "none", reply: "thread" }, two, 'Reply in this thread: a name, 1 or 2; "decline" if you will not answer'],
    [
      { controls: "none", reply: "write" },
      choice(["a"], { other: true, optional: true, declinable: false }),
      'Just write: a name or 1, or your own words; "skip" leaves it out',
    ],
    [{ controls: "buttons", reply: "thread" }, text(), "Press Write…, or reply in this thread"],
    [{ controls: "buttons", reply: "box" }, text(), "Write in the reply box"],
    [{ controls: "buttons", reply: "reply" }, approval(), "Press, or reply to this: yes or no"],
    [
      { controls: "none", reply: "reply" },
      approval(["approve", "approve_always", "deny"], false),
      "Reply to this: yes, always approve or no",
    ],
  ])("helps with %o", (what, about, expected) => {
    expect(prompt.help(what, { expectation: about, typed: true })).toBe(expected);
  });
  it("helps only with what can be pressed when typed text cannot answer", () => {
    expect(prompt.help({ controls: "buttons", reply: "thread" }, { expectation: two, typed: false })).toBe("Press");
    expect(prompt.help({ controls: "none", reply: "thread" }, { expectation: two, typed: false })).toBe("");
  });
  it("O11 speaks of pressing only where there are buttons", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Rendered["reply"]>("thread", "reply", "write", "box"),
        hint,
        fc.constantFrom(two, text(), approval()),
        (reply, misread, about) => {
          expect(prompt.help({ controls: "none", reply }, { expectation: about, typed: true })).not.toMatch(/press|button/i);
          expect(notices.hint({ hint: misread, reply: "x", expectation: about, controls: "none" })).not.toMatch(/press|button/i);
        },
      ),
    );
  });
  const hintFor = (reply: string, about: Expectation, shown: Rendered["controls"] = "buttons"): string => {
    const reading = readReply(reply, about, wordsFor("en").typed);
    return reading.kind === "hint"
      ? notices.hint({ hint: reading, reply, expectation: about, controls: shown })
      : `no hint: ${reading.kind}`;
  };
  it.each([
    [hintFor("both", two), "I can't read that as an answer, so nothing was recorded. Reply staging, prod, 1 or 2."],
    [hintFor("3", two), "There is no such option, so nothing was recorded. Reply staging, prod, 1 or 2."],
    [hintFor("2", choice(["Wait 2 days", "Now"])), '"2" fits two options. Press the one you mean.'],
    [hintFor("2", choice(["Wait 2 days", "Now"]), "none"), '"2" fits two options. Reply with its whole name.'],
    [hintFor("yes", choice(["Yes", "Yes!"]), "none"), '"yes" fits two options. Reply with its number.'],
    [hintFor("yes", choice(["Yes", "Yes!"]), "menu"), '"yes" fits two options. Choose the one you mean from the menu.'],
    [
      hintFor("?", choice(Array.from("abcdefg"))),
      "I can't read that as an answer, so nothing was recorded. Reply with a name or a number from 1 to 7.",
    ],
    [hintFor("maybe", approval()), "I can't read that as an answer, so nothing was recorded. Reply yes or no."],
    [hintFor(" ", text()), "That reply is empty, so nothing was recorded. Reply with your text."],
    [hintFor("x".repeat(3_200), text()), "That is 3,200 characters; at most 3,000 fit. Nothing was recorded."],
    [hintFor("a", text({ minLength: 5 })), "That is too short: at least 5 characters are needed. Nothing was recorded."],
    [hintFor("skip", two), "This can't be skipped, so nothing was recorded. Reply staging, prod, 1 or 2."],
    [hintFor("cancel", choice(["a", "b"], { declinable: false })), "This can't be declined, so nothing was recorded. Reply a, b, 1 or 2."],
    [
      notices.help(choice(["a", "b", "c"], { optional: true, other: true })),
      'Reply a, b, c or 1 to 3, or in your own words. "skip" leaves it out. "decline" says that you will not answer.',
    ],
  ])("hints %j", (said, expected) => {
    expect(said).toBe(expected);
  });
});

describe("sentence", () => {
  it("keeps short values whole and lets long ones share", () => {
    const short = sentence(30);
    expect(short`${"aaa"}: ${"x".repeat(50)} (${"y".repeat(50)})`).toBe(`aaa: ${"x".repeat(10)}… (${"y".repeat(10)}…)`);
  });
  it("makes values visible and one line", () => {
    expect(sentence(60)`<${"a\u200b\n b"}>`).toBe("<a⟨U+200B⟩  b>");
  });
});

describe("wordsFor", () => {
  it("falls back from region to language to English", () => {
    for (const language of ["en", "EN", "en-GB", "xx", "", "toString", "__proto__"]) expect(wordsFor(language).language).toBe("en");
  });
});
