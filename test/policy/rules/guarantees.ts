/** docs/guarantees.md against the tests: each promise names tests that exist and that name its rule; no rule is passed over. */
import type { Tree } from "./tree.js";

const PAGE = "docs/guarantees.md";
const RULES = 35;
const ROW = /^\| (R\d+) \|[^|]*\|([^|]*)\|$/;

/** What is wrong with the page. */
export function guaranteeFaults(tree: Tree, rules: number = RULES): readonly string[] {
  const page = tree.get(PAGE);
  if (page === undefined) return [`${PAGE} is missing`];
  const faults = page.split("\n").flatMap((line) => {
    const [, rule, cell] = ROW.exec(line) ?? [];
    return rule === undefined || cell === undefined ? [] : rowFaults(tree, { rule, cell });
  });
  const spoken = new Set([...page.matchAll(/\bR(\d+)(?: to R(\d+))?/g)].flatMap(([, from, to]) => span(Number(from), Number(to ?? from))));
  for (const number of span(1, rules)) if (!spoken.has(number)) faults.push(`${PAGE}: says nothing about R${number}`);
  return faults;
}

function rowFaults(tree: Tree, { rule, cell }: { readonly rule: string; readonly cell: string }): readonly string[] {
  const paths = [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
  if (paths.length === 0) return [`${PAGE}: ${rule} is proven by nothing`];
  return paths.flatMap((path) => {
    const text = tree.get(path);
    if (text === undefined) return [`${PAGE}: ${rule} names ${path}, which does not exist`];
    const titles = [...text.matchAll(/\b(?:it|describe)(?:\.\w+)*\([^"`]{0,200}["`]([^"`\n]*)/g)].map(([, title]) => title);
    return titles.some((title) => new RegExp(`\\b${rule}\\b`).test(title ?? "")) ? [] : [`${PAGE}: no test in ${path} names ${rule}`];
  });
}

function span(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
