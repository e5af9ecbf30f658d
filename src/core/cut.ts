/**
 * Lengths and cuts, in the unit a platform counts in (R27). The only place that shortens or splits text.
 *
 * K1  Cuts fall on grapheme boundaries, so no emoji, flag or accented letter is torn (B072).
 * K2  The mark that says "cut here" is counted in the limit (B056).
 * K3  What `cut` gives is well-formed Unicode: half a surrogate pair becomes U+FFFD, which has the same length in every unit.
 * K4  `splitText` loses nothing: its pieces, joined, are the text.
 */
/**
 * What a limit counts: `utf16` code units (JavaScript's `length`; Telegram's and Slack's limits), `utf8` bytes (Telegram's
 * `callback_data`), or `codepoint`s (Discord's limits).
 */
export type LengthUnit = "utf16" | "utf8" | "codepoint";

/** A limit: at most `max` of `unit`. */
export type Limit = { readonly max: number; readonly unit: LengthUnit };

/** What stands at the end of a text that was cut, unless the caller names another mark. */
export const CUT_MARK = "…";

/** The largest part of a code point in any unit (four bytes of UTF-8): no limit below it can be split to. */
const CODE_POINT_MAX = 4;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The length of a text in a platform's unit. Half a surrogate pair counts as the U+FFFD it is sent as. */
export function lengthIn(text: string, unit: LengthUnit): number {
  switch (unit) {
    case "utf16":
      return text.length;
    case "utf8":
      return Buffer.byteLength(text, "utf8");
    case "codepoint": {
      let count = 0;
      for (const _ of text) count += 1;
      return count;
    }
  }
}

/**
 * Shortens a text to a limit. A text that fits comes back unchanged (but for K3).
 * @param limit.max   0 or more, of `limit.unit`.
 * @param limit.mark  Put at the end of what was cut and counted in `max`; default `CUT_MARK`. Left out where it does not fit itself.
 * @returns As many whole graphemes as fit with the mark; the mark alone when not even the first one does.
 */
export function cut(text: string, { max, unit, mark = CUT_MARK }: Limit & { readonly mark?: string }): string {
  const whole = wellFormed(text);
  if (fits(whole, { max, unit })) return whole;
  const end = fits(mark, { max, unit }) ? mark : "";
  return whole.slice(0, prefixLength(whole, { max: max - lengthIn(end, unit), unit })) + end;
}

/**
 * Splits a whole text into pieces of at most `max`, after line ends where there are some, else between graphemes (a single
 * grapheme longer than `max`: between its code points). No piece is empty; the empty text has none. Nothing is changed or lost (K4).
 * @param limit.max  4 or more, so that every code point fits.
 */
export function splitText(text: string, { max, unit }: Limit): readonly string[] {
  if (max < CODE_POINT_MAX) throw new RangeError(`splitText: max is ${max}, at least ${CODE_POINT_MAX}`);
  const pieces: string[] = [];
  let rest = text;
  while (!fits(rest, { max, unit })) {
    const fitting = rest.slice(0, prefixLength(rest, { max, unit }) || codePointsLength(rest, { max, unit }));
    const lineEnd = fitting.lastIndexOf("\n") + 1;
    const piece = lineEnd > 0 ? fitting.slice(0, lineEnd) : fitting;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  if (rest !== "") pieces.push(rest);
  return pieces;
}

/**
 * Labels for the entries of one menu or keyboard: each at most `max` long, no two alike (B057, O83). A label that fits and is
 * like no other stays as it is; the others begin with their position: `12 Roll back to…`. The caller prints the whole labels,
 * numbered from 1 in the same order, in the text. Same labels and limit, same result.
 * @param labels     1 to 100, in display order.
 * @param limit.max  5 or more: the longest position, a space, one character.
 */
export function distinctLabels(labels: readonly string[], { max, unit }: Limit): readonly string[] {
  if (max <= CODE_POINT_MAX) throw new RangeError(`distinctLabels: max is ${max}, more than ${CODE_POINT_MAX}`);
  let drawn: readonly string[] = labels.map(wellFormed);
  const counted = new Set(drawn.flatMap((label, index) => (fits(label, { max, unit }) ? [] : [index])));
  for (;;) {
    drawn = drawn.map((label, index) => (counted.has(index) ? withPosition(labels[index] ?? label, index + 1, { max, unit }) : label));
    const alike = repeated(drawn).filter((index) => !counted.has(index));
    // Positions differ in their first word, so two counted labels never collide and each round settles at least one more.
    if (alike.length === 0) return drawn;
    for (const index of alike) counted.add(index);
  }
}

function withPosition(label: string, position: number, { max, unit }: Limit): string {
  const front = `${position} `;
  return front + cut(label, { max: max - lengthIn(front, unit), unit });
}

/** Indexes of all entries that stand more than once. */
function repeated(texts: readonly string[]): readonly number[] {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return texts.flatMap((text, index) => ((times.get(text) ?? 0) > 1 ? [index] : []));
}

/** True without counting where the UTF-16 length alone decides: every code unit is at most three bytes and at most one code point. */
function fits(text: string, { max, unit }: Limit): boolean {
  if (unit === "codepoint" ? text.length <= max : text.length * 3 <= max) return true;
  return lengthIn(text, unit) <= max;
}

/** UTF-16 length of the longest run of whole graphemes, from the start, that fits. */
function prefixLength(text: string, limit: Limit): number {
  const length = codePointsLength(text, limit);
  if (length === text.length) return length;
  // One look at the grapheme that stands on the limit: walking the segments of a long text costs its whole length at every step.
  return graphemes.segment(text.slice(0, length + 2)).containing(length)?.index ?? length;
}

/** The same for code points. */
function codePointsLength(text: string, { max, unit }: Limit): number {
  let room = max;
  let length = 0;
  for (const point of text) {
    room -= lengthIn(point, unit);
    if (room < 0) break;
    length += point.length;
  }
  return length;
}

/** `\p{Cs}` under the `u` flag matches only halves of a pair that stand alone. */
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\uFFFD");
}
