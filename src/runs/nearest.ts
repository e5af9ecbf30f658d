/** What somebody may have meant: names that differ from a mistyped one by a letter or two. Pure. */

/** At most this many suggestions. */
const SUGGESTIONS_MAX = 3;

/** The names nearest to `text`, nearest first, at most 3; [] when none is near (more than 2 edits, or more than a third of its length). */
export function nearestNames(text: string, names: Iterable<string>): readonly string[] {
  const wanted = text.toLowerCase();
  const limit = Math.max(1, Math.min(2, Math.floor(wanted.length / 3)));
  return [...new Set(names)]
    .map((name) => ({ name, edits: editsBetween(wanted, name.toLowerCase()) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ name }) => name);
}

/** ` Did you mean alice?`, with its leading space; "" when no name is near. */
export function didYouMean(text: string, names: Iterable<string>): string {
  const near = nearestNames(text, names);
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
function editsBetween(from: string, to: string): number {
  const a = Array.from(from);
  const b = Array.from(to);
  let before: number[] = [];
  let last = b.map((_, j) => j + 1);
  last.unshift(0);
  for (const [i, letter] of a.entries()) {
    const row = [i + 1];
    for (const [j, other] of b.entries()) {
      const replaced = (last[j] ?? 0) + (letter === other ? 0 : 1);
      const swapped = i > 0 && j > 0 && letter === b[j - 1] && a[i - 1] === other ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min((last[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1, replaced, swapped));
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
