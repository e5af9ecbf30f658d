import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CODE_ALPHABET, CODE_LENGTH } from "../../src/core/ids.js";
import { type Expectation, findCodes, type Reading, readReply, readWritten, splitCode } from "../../src/core/reply.js";
import { wordsFor } from "../../src/core/words/index.js";
import { approval, choice, GROUPS, PROSE, type ShortReading, text } from "./reply.table.js";

const { typed } = wordsFor("en");
const read = (reply: string, expectation: Expectation): Reading => readReply(reply, expectation, typed);

function short(reading: Reading): ShortReading {
  switch (reading.kind) {
    case "option":
      return reading.index;
    case "other":
      return { other: reading.text };
    case "text":
      return { text: reading.text };
    case "decision":
      return reading.decision;
    case "hint":
      return reading.code === "ambiguous" ? `?ambiguous ${reading.facts.options.join(",")}` : `?${reading.code}`;
    case "skip":
    case "help":
      return reading.kind;
  }
}

/** Labels as agents write them: words of several scripts, numbers, brackets, emoji. */
const word = fc.constantFrom(
  "prod",
  "Staging",
  "C#",
  "C++",
  "2",
  "10",
  "v1",
  "(EU)",
  "(Recommended)",
  "✅",
  "да",
  "はい",
  "don’t",
  "yes",
  "no",
  "skip",
  "e–mail",
  "?",
  "!",
);
const label = fc
  .array(word, { minLength: 1, maxLength: 4 })
  .map((words) => words.join(" "))
  .filter((words) => words.trim() !== "");
const labels = fc.uniqueArray(label, { minLength: 1, maxLength: 12 });
const anyText = fc.oneof(
  label,
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("1", "2.", "(3)", "#4", "option 5", "skip", "cancel", "help", "K7QM"),
);
const writings: readonly ((position: number) => string)[] = [
  (n) => `${n}`,
  (n) => `${n}.`,
  (n) => `${n})`,
  (n) => `(${n})`,
  (n) => ` #${n} `,
  (n) => `option ${n}`,
  (n) => String(n).replace(/\d/g, (digit) => `${digit}\ufe0f\u20e3`),
  (n) => String(n).replace(/\d/g, (digit) => String.fromCodePoint(0x0660 + Number(digit))),
  (n) => String(n).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
];

describe("the table of typed replies", () => {
  it("has at least 150 rows", () => {
    expect(GROUPS.flatMap(({ rows }) => rows).length).toBeGreaterThanOrEqual(150);
  });
  for (const { name, expectation, rows } of GROUPS) {
    describe(name, () => {
      for (const [reply, reading] of rows) {
        it(`${JSON.stringify(reply).slice(0, 40)} is ${JSON.stringify(reading).slice(0, 40)}`, () => {
          expect(short(read(reply, expectation))).toEqual(reading);
        });
      }
    });
  }
});

describe("readReply", () => {
  it("says what an ambiguous reply fits and what would tell the options apart", () => {
    expect(read("yes", choice(["Yes", "Yes!"]))).toEqual({ kind: "hint", code: "ambiguous", facts: { options: [0, 1], ask: "number" } });
    expect(read("2", choice(["Wait 2 days", "Now"]))).toEqual({ kind: "hint", code: "ambiguous", facts: { options: [0, 1], ask: "name" } });
  });
  it("B144 says how many options there are", () => {
    expect(read("7", choice(["Ship", "Hold"]))).toEqual({ kind: "hint", code: "out_of_range", facts: { max: 2 } });
  });
  it("says how long a text is and may be", () => {
    expect(read("abcdef", text({ maxLength: 5 }))).toEqual({ kind: "hint", code: "too_long", facts: { length: 6, max: 5 } });
    expect(read("a", text({ minLength: 2 }))).toEqual({ kind: "hint", code: "too_short", facts: { length: 1, min: 2 } });
  });
  it("B062 reads a typed 26 of 60 options", () => {
    const options = Array.from(
      { length: 60 },
      (_, index) => `Choice ${String.fromCharCode(65 + (index % 26))}${index < 26 ? "" : "+"}${index < 52 ? "" : "+"}`,
    );
    expect(read("26", choice(options))).toEqual({ kind: "option", index: 25 });
  });
  it("two labels that differ in an invisible character need the number", () => {
    const expectation = choice(["prod", "pr\u200bod"]);
    expect(short(read("PROD", expectation))).toBe("?ambiguous 0,1");
    expect(short(read("2", expectation))).toBe(1);
  });
  it("an option's label, typed back, is that option: the first label wins nothing, the exact one does", () => {
    fc.assert(
      fc.property(labels, fc.boolean(), (all, other) => {
        const expectation = choice(all, { other });
        for (const [index, own] of all.entries()) {
          expect(read(own, expectation)).toEqual({ kind: "option", index });
          expect(read(`  ${own}\n`, expectation)).toEqual({ kind: "option", index });
        }
      }),
    );
  });
  it("a label typed carelessly is that option or a hint, never another option and never Other", () => {
    const careless = fc.constantFrom<(own: string) => string>(
      (own) => own.toUpperCase(),
      (own) => own.toLowerCase(),
      (own) => (/[\p{L}\p{N}]/u.test(own) ? `${own} 🎉` : own),
      (own) => own.replaceAll(" ", "  "),
      (own) => own.replaceAll("’", "'").replaceAll("–", "-"),
    );
    fc.assert(
      fc.property(labels, careless, fc.boolean(), (all, write, other) => {
        for (const [index, own] of all.entries()) {
          const reading = read(write(own), choice(all, { other }));
          if (all.some((rival, at) => at !== index && rival === write(own))) continue;
          if (reading.kind === "option") expect(reading.index).toBe(index);
          else expect(reading).toMatchObject({ kind: "hint", code: "ambiguous" });
        }
      }),
    );
  });
  it("an option's position, in every writing, is that option unless a label or value claims the number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(), fc.constantFrom(...writings), (count, pick, write) => {
        const options = Array.from({ length: count }, (_, index) => `Choice ${"ab".repeat(index + 1)}`);
        const index = pick % count;
        expect(read(write(index + 1), choice(options, { other: true }))).toEqual({ kind: "option", index });
        expect(read(write(count + 1), choice(options, { other: true }))).toMatchObject({ kind: "hint", code: "out_of_range" });
      }),
    );
    fc.assert(
      fc.property(labels, fc.nat(), fc.constantFrom(...writings), (all, pick, write) => {
        const index = pick % all.length;
        const reply = write(index + 1);
        const reading = read(reply, choice(all, { other: true }));
        if (reading.kind === "option" && reading.index !== index) expect(all[reading.index]).toContain(String(index + 1));
        else if (reading.kind !== "option") expect(reading).toMatchObject({ kind: "hint", code: "ambiguous" });
      }),
    );
  });
  it("two readings never disagree: the order of the options does not change which one a name means", () => {
    fc.assert(
      fc.property(labels, anyText, (all, reply) => {
        const forward = read(reply, choice(all, { other: true }));
        expect(read(reply, choice(all, { other: true }))).toEqual(forward);
        const turned = all.toReversed();
        const backward = read(reply, choice(turned, { other: true }));
        const positional = /\p{N}/u.test(reply);
        if (forward.kind === "option" && !positional) {
          expect(backward.kind === "option" ? turned[backward.index] : backward).toBe(all[forward.index]);
        } else if (forward.kind !== "option" && !positional) expect(backward.kind).toBe(forward.kind);
      }),
    );
  });
  it("two readings never disagree: with and without Other the same option, command and hint of ambiguity", () => {
    fc.assert(
      fc.property(labels, anyText, (all, reply) => {
        const closed = read(reply, choice(all));
        const open = read(reply, choice(all, { other: true }));
        if (open.kind === "other") expect(closed).toMatchObject({ kind: "hint", code: "not_understood" });
        else if (!(open.kind === "hint" && open.code === "too_long")) expect(open).toEqual(closed);
      }),
    );
  });
  it("Y5 a number, position, command word or code is never Other", () => {
    const bare = fc.oneof(
      fc.integer({ min: -5_000, max: 5_000 }).map(String),
      fc.float({ noNaN: true, noDefaultInfinity: true, min: -100, max: 100 }).map((value) => value.toFixed(2)),
      fc.tuple(fc.integer({ min: 1, max: 300 }), fc.constantFrom(...writings)).map(([n, write]) => write(n)),
      fc.constantFrom("skip", "Cancel", "decline!", "HELP", "back", "K7QM", "k7qm", "(K7QM)"),
    );
    fc.assert(
      fc.property(bare, (reply) => {
        expect(read(reply, choice(["alpha", "beta"], { other: true, code: "K7QM" })).kind).not.toBe("other");
      }),
    );
  });
  it("takes any text without throwing, and keeps own words as written", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (reply) => {
        for (const expectation of [choice(["Ship", "Hold"], { other: true }), text(), approval()]) {
          const reading = read(reply, expectation);
          if (reading.kind === "other" || reading.kind === "text") expect(reading.text).toBe(reply.trim());
        }
      }),
      { numRuns: 1_000 },
    );
  });
  const long = 40_000;
  it.each([
    ["brackets", `${"(".repeat(long / 2)} ${")".repeat(long / 2)}`],
    ["spaces before the code", `a${" ".repeat(long)}b K7QM`],
    ["spaces after the code", `K7QM${" ".repeat(long)}-${" ".repeat(long)}b`],
    ["dots inside", `a${".".repeat(long)}b`],
    ["one long word", "a".repeat(long)],
    ["numbers", "1,".repeat(long / 2)],
    ["spaced numbers", `${"1 ".repeat(long / 2)}x`],
    ["emoji", "👩‍👩‍👧‍👦".repeat(long / 11)],
    ["digits of another script", "٣".repeat(long)],
    ["joiners", `👩${"\u200d".repeat(long)}`],
  ])("reads 40,000 characters (the most a platform delivers) against 100 long labels in time: %s", (_, reply) => {
    const options = Array.from({ length: 100 }, (_, index) => `${"(a ".repeat(160)}${index}`);
    const started = performance.now();
    for (const other of [false, true]) expect(read(reply, choice(options, { other, code: "K7QM" })).kind).not.toBe("option");
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("prose", () => {
  it("is a corpus of at least 100 sentences", () => {
    expect(new Set(PROSE).size).toBeGreaterThanOrEqual(100);
  });
  const questions = [
    ["Ship", "Hold"],
    ["Yes", "No"],
    ["staging", "prod"],
    ["OK", "Cancel"],
    ["Staging (Recommended)", "Prod"],
  ];
  it("B128 R25 never settles a question: no option, no decision, no skip", () => {
    for (const sentence of PROSE) {
      for (const options of questions) {
        expect(read(sentence, choice(options, { optional: true })), sentence).toMatchObject({ kind: "hint", code: "not_understood" });
      }
      expect(read(sentence, approval(["approve", "approve_always", "deny"])), sentence).toMatchObject({
        kind: "hint",
        code: "not_understood",
      });
    }
  });
  it("O85 with Other it is the person's own words, whole, and never a pick", () => {
    for (const sentence of PROSE) {
      for (const options of questions) {
        expect(read(sentence, choice(options, { other: true, optional: true })), sentence).toEqual({ kind: "other", text: sentence });
      }
    }
  });
  it("O86 O46 an unrelated message is neither a refusal nor silence turned into consent", () => {
    expect(short(read("what time is it?", approval()))).toBe("?not_understood");
    expect(short(read("what time is it?", choice(["Yes", "No"])))).toBe("?not_understood");
    expect(short(read(" ", approval()))).toBe("?blank");
  });
});

describe("readWritten", () => {
  const limits = { minLength: 0, maxLength: 10 };
  it("T!12 own words that equal a number, a label or a command stay own words", () => {
    for (const words of ["3", "Ship", "cancel", "skip", "K7QM"]) expect(readWritten(words, limits)).toEqual({ kind: "text", text: words });
  });
  it("checks blank and length", () => {
    expect(readWritten(" \u200b ", limits)).toMatchObject({ code: "blank" });
    expect(readWritten("x".repeat(11), limits)).toMatchObject({ code: "too_long" });
    expect(readWritten("x", { minLength: 2, maxLength: 10 })).toMatchObject({ code: "too_short" });
  });
});

describe("codes", () => {
  it.each([
    ["K7QM yes", ["K7QM"]],
    ["yes k7qm", ["K7QM"]],
    ["K7QM: yes", ["K7QM"]],
    ["(K7QM) yes", ["K7QM"]],
    ["Ｋ７ＱＭ yes", ["K7QM"]],
    ["K7QM yes P3XD", ["K7QM", "P3XD"]],
    ["K7QM", ["K7QM"]],
    ["yes K7QM please", []],
    ["K7QMX yes", []],
    ["K7Q0 yes", []],
    ["", []],
    ["next week", ["NEXT", "WEEK"]],
    [`${"x".repeat(80)}K7QM`, []],
  ])("findCodes %j gives %j", (reply, codes) => {
    expect(findCodes(reply)).toEqual(codes);
  });
  it.each([
    ["K7QM yes", "yes"],
    ["yes K7QM", "yes"],
    ["  k7qm:  yes ", "yes"],
    ["K7QM - yes", "yes"],
    ["yes, K7QM", "yes,"],
    ["K7QM -1", "-1"],
    ["K7QM", ""],
    ["K7QM K7QM", "K7QM"],
    ["K7QM a\n\nb  c", "a\n\nb  c"],
    ["P3XD yes", undefined],
    ["say K7QM now", undefined],
    ["", undefined],
  ])("splitCode %j gives %j", (reply, rest) => {
    expect(splitCode(reply, "K7QM")).toBe(rest);
  });
  it("a code before or after any option's label reads as that option", () => {
    const code = fc
      .array(fc.constantFrom(...CODE_ALPHABET.split("")), { minLength: CODE_LENGTH, maxLength: CODE_LENGTH })
      .map((letters) => letters.join(""));
    fc.assert(
      fc.property(labels, code, fc.nat(), (all, own, pick) => {
        const index = pick % all.length;
        const expectation = choice(all, { code: own });
        expect(read(`${own} ${all[index]}`, expectation)).toEqual({ kind: "option", index });
        expect(read(`${all[index]} ${own.toLowerCase()}`, expectation)).toEqual({ kind: "option", index });
      }),
    );
  });
});
