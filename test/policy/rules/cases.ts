/**
 * The cases that the product is held against: which tests name them, and which are left to later issues with a reason.
 *
 * K1  A case counts as tested when its id stands in a test's title or in a table of inputs, not in a comment.
 * K2  Every case is tested or left, never both; a reason is a sentence, a name one of the issues to come.
 * K3  Where the design gives a case another value than its origin had, the table says that value and why; the test holds the design's.
 */
import type { Tree } from "./tree.js";
import { pick } from "./tree.js";

/** One line on the case, by id: `B`, `O` faults of the field; `H`, `A`, `T` behaviours of the systems united here (`!`: where they fail); `X` the acceptance set. */
export type CaseIds = Readonly<Record<string, string>>;
/** What is left, by id: the issue it belongs to, and why. */
export type CasesLeft = Readonly<Record<string, { readonly to: string; readonly why: string }>>;
/** The value that the design gives a case, and why, by id. */
export type CasesChanged = Readonly<Record<string, string>>;
/** The three lists of test/fixtures. */
export type CaseLists = { readonly ids: CaseIds; readonly left: CasesLeft; readonly changed: CasesChanged };

const HOLDERS = /^(test|src\/testing\/contract)\/.*\.ts$/;
const ID = /\b(?:B\d{3}|[OHATX]\d{2}|[HAT]!\d{1,2})\b/g;
const ISSUES: ReadonlySet<string> = new Set(["issue B", "issue C", "issue D", "later"]);
const REASON_MIN = 20;

/** The lists as the repository has them. */
export function caseLists(tree: Tree): CaseLists {
  const read = (name: string) => JSON.parse(tree.get(`test/fixtures/${name}.json`) ?? "{}");
  return { ids: read("case-ids"), left: read("cases-left"), changed: read("cases-changed") };
}

/** Files by the case ids that they name, ids in order. */
export function namedCases(tree: Tree): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const [path, text] of pick(tree, HOLDERS)) {
    if (path.startsWith("test/policy/")) continue;
    for (const [id] of withoutComments(text).matchAll(ID)) found.set(id, (found.get(id) ?? new Set()).add(path));
  }
  return new Map([...found].sort(([a], [b]) => a.localeCompare(b)).map(([id, paths]) => [id, [...paths].sort()]));
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|[\s;,{(])\/\/[^\n]*/g, "$1");
}

/** What is wrong between the ids, the tests and the lists of what is left and what is changed (K2, K3). */
export function caseFaults(tree: Tree, { ids, left, changed }: CaseLists): readonly string[] {
  const named = namedCases(tree);
  const faults: string[] = [];
  for (const id of Object.keys(ids)) {
    const entry = left[id];
    if (!named.has(id) && entry === undefined) faults.push(`${id}: no test names it and it is not left to an issue`);
    if (named.has(id) && entry !== undefined) faults.push(`${id}: left to ${entry.to}, yet ${named.get(id)?.join(", ")} names it`);
    if (entry !== undefined && !ISSUES.has(entry.to)) faults.push(`${id}: "${entry.to}" is no issue to come`);
    if (entry !== undefined && entry.why.length < REASON_MIN) faults.push(`${id}: say why it is left`);
  }
  for (const id of Object.keys(left)) if (!(id in ids)) faults.push(`${id}: left, yet there is no such case`);
  for (const [id, value] of Object.entries(changed)) {
    if (!(id in ids)) faults.push(`${id}: changed, yet there is no such case`);
    if (value.length < REASON_MIN) faults.push(`${id}: say the design's value and why`);
  }
  for (const [id, paths] of named) if (!(id in ids)) faults.push(`${id}: named by ${paths.join(", ")}, yet there is no such case`);
  return faults;
}

/** The text of test/cases.md. */
export function casesDocument(tree: Tree, { ids, left, changed }: CaseLists): string {
  const named = namedCases(tree);
  const row = ([id, gist]: [string, string]): string => {
    const entry = left[id];
    const where = entry === undefined ? (named.get(id) ?? []).map((path) => `\`${path}\``).join(", ") : `${entry.to}: ${entry.why}`;
    return `| ${id} | ${cell(gist)} | ${where} | ${cell(changed[id] ?? "")} |`;
  };
  const tested = Object.keys(ids).filter((id) => left[id] === undefined).length;
  return [
    "# Cases",
    "",
    "What the tests hold the product against. `B`, `O`: faults of other systems that are absent here. `H`, `A`, `T`: behaviours of the",
    "systems that this one unites, with `!` where they fail; `X`: what none of them passes. Written by `npx tsx config/cases.ts`; do not edit.",
    "",
    `${Object.keys(ids).length} cases: ${tested} tested, ${Object.keys(left).length} left to later issues.`,
    "",
    "| id | case | tests, or the issue it is left to | where the design gives another value: that value |",
    "| --- | --- | --- | --- |",
    ...Object.entries(ids).map(row),
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
