import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkAnswer, type Given } from "../../src/core/answer.js";
import type { ChoiceField, QuestionBody, TextField } from "../../src/core/question.js";

const choice: ChoiceField = {
  type: "choice",
  key: "env",
  optional: false,
  other: false,
  options: [
    { value: "staging", label: "Staging" },
    { value: "prod", label: "Prod" },
  ],
};
const text: TextField = { type: "text", key: "note", optional: false, multiline: false, minLength: 2, maxLength: 10 };
const body = (over: Partial<QuestionBody> = {}): QuestionBody => ({
  kind: "question",
  agent: "ci",
  text: "Where?",
  fields: [choice],
  shape: "values",
  decisions: ["answer", "decline"],
  audience: { kind: "people", people: ["alice"] },
  to: ["alice"],
  visibility: "shared",
  ownThread: false,
  ...over,
});
const codes = (question: QuestionBody, given: Given): readonly string[] => {
  const checked = checkAnswer(question, given);
  return checked.ok ? [] : checked.issues.map(({ path, code }) => `${path} ${code}`);
};

describe("R3 X07 values are checked against the stored question", () => {
  const choiceRows: readonly (readonly [string, Given, readonly string[]])[] = [
    ["an offered value", { values: { env: "prod" } }, []],
    ["the short form", { value: "prod" }, []],
    ["a label is not a value", { values: { env: "Prod" } }, ["values.env not_offered"]],
    ["not offered", { values: { env: "qa" } }, ["values.env not_offered"]],
    ["unknown key", { values: { env: "prod", nope: 1 } }, ["values.nope unknown_key"]],
    ["missing", { values: {} }, ["values.env required"]],
    ["nothing at all", {}, ["values.env required"]],
    ["null", { values: { env: null } }, ["values.env required"]],
    ["blank", { values: { env: "  " } }, ["values.env blank"]],
    ["a number", { values: { env: Number.NaN } }, ["values.env wrong_type"]],
    ["a list", { values: { env: ["prod"] } }, ["values.env wrong_type"]],
    ["values that are no object", { values: "prod" }, ["values wrong_type"]],
    ["value and values", { value: "prod", values: { env: "prod" } }, ["value unknown_key"]],
    ["Other where it is not allowed", { values: { env: { other: "qa" } } }, ["values.env not_offered"]],
    ["Other that equals a label is that option", { values: { env: { other: " Prod " } } }, []],
    ["a decision that is not offered", { decision: "approve", values: { env: "prod" } }, ["decision not_offered"]],
    ["an inherited key", { values: Object.create({ env: "prod" }) }, ["values.env required"]],
  ];
  it.each(choiceRows)("choice: %s", (_name, given, expected) => {
    expect(codes(body(), given)).toEqual(expected);
  });

  const textRows: readonly (readonly [string, unknown, readonly string[]])[] = [
    ["fits", "hello", []],
    ["outer spaces do not count", "  hi  ", []],
    ["too short", "a", ["values.note too_short"]],
    ["too long", "12345678901", ["values.note too_long"]],
    ["blank", " \n", ["values.note blank"]],
    ["not text", 5, ["values.note wrong_type"]],
  ];
  it.each(textRows)("text: %s", (_name, value, expected) => {
    expect(codes(body({ fields: [text] }), { values: { note: value } })).toEqual(expected);
  });

  it("B152 a text field keeps inner spaces and takes 1 as text", () => {
    expect(checkAnswer(body({ fields: [{ ...text, minLength: 0 }] }), { values: { note: " a  b " } })).toMatchObject({
      ok: true,
      values: { note: "a  b" },
    });
    expect(checkAnswer(body({ fields: [{ ...text, minLength: 0 }] }), { values: { note: "1" } })).toMatchObject({
      ok: true,
      values: { note: "1" },
    });
  });

  it("O85 Other is tagged, never merged", () => {
    expect(checkAnswer(body({ fields: [{ ...choice, other: true }] }), { values: { env: { other: "only eu" } } })).toMatchObject({
      ok: true,
      values: { env: { other: "only eu" } },
    });
  });

  it("B200 decline drops its values and is not checked against the form; an answer without a required field is refused", () => {
    expect(checkAnswer(body(), { decision: "decline", values: { env: "nonsense" } })).toEqual({
      ok: true,
      decision: "decline",
      values: {},
    });
    expect(codes(body(), { decision: "answer" })).toEqual(["values.env required"]);
  });

  it("an approval takes its decisions and a note, no values", () => {
    const approval = body({ kind: "approval", fields: [], shape: "none", decisions: ["approve", "deny"] });
    expect(checkAnswer(approval, { decision: "deny", note: " too late " })).toEqual({
      ok: true,
      decision: "deny",
      values: {},
      note: "too late",
    });
    expect(codes(approval, {})).toEqual(["decision not_offered"]);
    expect(codes(approval, { decision: "answer" })).toEqual(["decision not_offered"]);
  });

  it("never throws, and what it accepts is offered or tagged", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, values) => {
        for (const given of [{ value }, { values }, { values: { env: value } }]) {
          const checked = checkAnswer(body(), given);
          if (checked.ok) expect(["staging", "prod"]).toContain(checked.values["env"]);
        }
      }),
    );
  });
});
