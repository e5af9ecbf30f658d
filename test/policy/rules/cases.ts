/**
 * The cases that the product is held against: which tests name them, and which are left to later issues with a reason.
 *
 * K1  A case counts as tested when its id stands in a test's title or in a table of inputs, not in a comment.
 * K2  Every case is tested or left, never both; a reason is a sentence, a name one of the issues to come.
 */
import type { Tree } from "./tree.js";
import { pick } from "./tree.js";

/** One line on the fault, by id. */
export type CaseIds = Readonly<Record<string, string>>;
/** What is left, by id: the issue it belongs to, and why. */
export type CasesLeft = Readonly<Record<string, { readonly to: string; readonly why: string }>>;

const HOLDERS = /^(test|src\/testing\/contract)\/.*\.ts$/;
const ID = /\b(?:B\d{3}|O\d{2})\b/g;
const ISSUES: ReadonlySet<string> = new Set(["issue B", "issue C", "issue D", "later"]);
const REASON_MIN = 20;

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

/** What is wrong between the ids, the tests and the list of what is left (K2). */
export function caseFaults(tree: Tree, ids: CaseIds, left: CasesLeft): readonly string[] {
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
  for (const [id, paths] of named) if (!(id in ids)) faults.push(`${id}: named by ${paths.join(", ")}, yet there is no such case`);
  return faults;
}

/** The text of test/cases.md. */
export function casesDocument(tree: Tree, ids: CaseIds, left: CasesLeft): string {
  const named = namedCases(tree);
  const row = ([id, fault]: [string, string]): string => {
    const entry = left[id];
    const where = entry === undefined ? (named.get(id) ?? []).map((path) => `\`${path}\``).join(", ") : `${entry.to}: ${entry.why}`;
    return `| ${id} | ${fault.replaceAll("|", "\\|")} | ${where} |`;
  };
  const tested = Object.keys(ids).filter((id) => left[id] === undefined).length;
  return [
    "# Cases",
    "",
    "Faults of other systems that the tests show to be absent here. Written by `npx tsx config/cases.ts`; do not edit.",
    "",
    `${Object.keys(ids).length} cases: ${tested} tested, ${Object.keys(left).length} left to later issues.`,
    "",
    "| id | fault | tests, or the issue it is left to |",
    "| --- | --- | --- |",
    ...Object.entries(ids).map(row),
    "",
  ].join("\n");
}
