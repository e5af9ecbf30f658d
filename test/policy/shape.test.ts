import { describe, expect, it } from "vitest";
import { docstringFaults, FILE_MAX_LINES, FUNCTION_MAX_LINES, nameFaults, sizeFaults } from "./rules/shape.js";
import { repository, sample } from "./rules/tree.js";

const lines = (count: number): string => "  call();\n".repeat(count);

describe("sizes", () => {
  it("functions and files are short", () => {
    expect(sizeFaults(repository())).toEqual([]);
  });

  it("can fail: one line too many in a function, an arrow, a method, a test", () => {
    const body = lines(FUNCTION_MAX_LINES - 1);
    const bad = {
      "src/core/a.ts": `export function a() {\n${body}}\n`,
      "src/core/b.ts": `export const b = () => {\n${body}};\n`,
      "src/core/c.ts": `class C {\n m() {\n${body} }\n}\n`,
      "test/core/d.test.ts": `it("d", () => {\n${body}});\n`,
      "config/e.mjs": `function e() {\n${body}}\n`,
    };
    for (const [path, text] of Object.entries(bad)) expect(sizeFaults(sample({ [path]: text }))).toHaveLength(1);
    const shorter = Object.entries(bad).map(([path, text]) => [path, text.replace("  call();\n", "")]);
    expect(sizeFaults(sample(Object.fromEntries(shorter)))).toEqual([]);
  });

  it("counts a test inside a describe or a clause list by itself", () => {
    const one = `it("one", () => {\n${lines(40)}});\n`;
    const clauses = `export function clauses() {\n${one}${one}${one}}\n`;
    expect(
      sizeFaults(sample({ "src/testing/contract/a.ts": clauses, "test/a.test.ts": `describe("a", () => {\n${one}${one}});\n` })),
    ).toEqual([]);
    expect(sizeFaults(sample({ "src/testing/contract/a.ts": clauses.replace("{\n", `{\n${lines(69)}`) }))).toHaveLength(1);
  });

  it("can fail: one line too many in a file; tables and fixtures may be long", () => {
    const text = "// a line\n".repeat(FILE_MAX_LINES + 1);
    expect(sizeFaults(sample({ "src/core/a.ts": text }))).toHaveLength(1);
    expect(
      sizeFaults(sample({ "src/core/words/en.ts": text, "test/fixtures/slack/press.ts": text, "src/core/case-table.ts": text })),
    ).toEqual([]);
    expect(sizeFaults(sample({ "src/core/a.ts": text.slice(10) }))).toEqual([]);
  });
});

describe("docstrings", () => {
  it("every exported name has one", () => {
    expect(docstringFaults(repository())).toEqual([]);
  });

  it.each([
    "export const a = 1;",
    "export function a(): void {}",
    "export async function a(): Promise<void> {}",
    "export class A {}",
    "export interface A { readonly b: string }",
    "export type A = string;",
    "/** The file. */\nimport b from './b.js';\n// A plain comment is none.\nexport const a = b;",
  ])("can fail: %s", (text) => {
    expect(docstringFaults(sample({ "src/core/a.ts": text }))).toHaveLength(1);
  });

  it("takes one docstring for several overloads, and leaves re-exports and inner names alone", () => {
    const good = [
      '/** The file. */\nexport { a } from "./a.js";',
      "/** Reads. */\nexport function b(x: string): void;\nexport function b(x: number): void;\nexport function b(): void {}",
      "const inner = 1;\nexport { inner };",
      "/** Two. */\nexport const c = 1;",
    ];
    for (const text of good) expect(docstringFaults(sample({ "src/core/x.ts": text }))).toEqual([]);
  });
});

describe("names of files", () => {
  it("are kebab-case and say what is inside", () => {
    expect(nameFaults(repository())).toEqual([]);
  });

  it.each(["src/core/questionBuilder.ts", "src/core/Question.ts", "src/core/question_builder.ts", "docs/Errors.md", "src/core/-a.ts"])(
    "can fail: %s",
    (path) => expect(nameFaults(sample({ [path]: "" }))).toHaveLength(1),
  );

  it.each(["src/core/utils.ts", "src/core/text-helpers.ts", "src/common/text.ts", "test/helper.test.ts"])("can fail: %s", (path) =>
    expect(nameFaults(sample({ [path]: "" }))).toHaveLength(1),
  );

  it("takes the usual names", () => {
    const good = [
      "README.md",
      "src/errors.ts",
      "adapters/stores/sqlite/migrations/0001-first.sql",
      ".ci/run",
      "test/e2e/one-press.test.ts",
    ];
    expect(nameFaults(sample(Object.fromEntries(good.map((path) => [path, ""]))))).toEqual([]);
  });
});
