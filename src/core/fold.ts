/**
 * Folding: when two writings count as the same word (design, section 8). Typed replies and labels are compared only through this.
 *
 * F1  Folded: compatibility forms (NFKC), case, quotes, dashes, spaces. Dropped: invisible characters, emoji, end punctuation,
 *     brackets and quotes around the whole. Nothing inside a word goes: "C", "C#", "C++" stay apart.
 * F2  A question mark ends a label but not a reply: "prod?" asks, it does not answer.
 * F3  What would fold to nothing ("👍", "...") keeps what it is made of.
 */

const EMOJI = /\p{RI}\p{RI}|\p{Extended_Pictographic}(?:[\uFE0E\uFE0F]|\p{EMod}|\u200D\p{Extended_Pictographic}|[\u{E0020}-\u{E007F}])*/gu;
const KEYCAP = /([#*0-9])\uFE0F?\u20E3/g;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const SKIN_TONES = /\p{EMod}/gu;
const SINGLE_QUOTES = /[‘’‚‛‹›´`ʼ′]/g;
const DOUBLE_QUOTES = /[“”„‟«»″]/g;
const DASHES = /[‐‑‒–—―−﹘﹣－]/g;
const END_PUNCTUATION = " .!,;:…。、।۔";
const END_PUNCTUATION_AND_QUESTION = `${END_PUNCTUATION}?؟`;
/** Opening sign to closing sign, after NFKC. */
const PAIRS: ReadonlyMap<string, string> = new Map(
  ["()", "[]", "{}", "<>", "「」", "『』", "【】", "〔〕", '""', "''"].map((pair) => [pair.charAt(0), pair.charAt(1)]),
);
/** A bracketed end of a label: after a space, or at once where the brackets are full-width. */
const SUFFIX = /^(.*\S)(?:\s+[([{<][^()[\]{}<>]*[)\]}>]|\s*[（【［｛〔][^（）【】［］｛｝〔〕]*[）】］｝〕])[\s.!,;:。]*$/su;

/** Is there nothing to read: only spaces, controls and invisible characters? */
export function isBlank(text: string): boolean {
  return /^[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

/** The folded form of what a person typed (F1, F2, F3). */
export function foldReply(text: string): string {
  return fold(text, END_PUNCTUATION);
}

/** Every folded form under which a label may be typed in whole: with and without its question mark. */
export function foldLabel(label: string): ReadonlySet<string> {
  return new Set([fold(label, END_PUNCTUATION), fold(label, END_PUNCTUATION_AND_QUESTION)]);
}

/** The folded forms of a label without its bracketed suffixes: `Staging (EU) (Recommended)` gives `staging (eu)` and `staging`. */
export function foldWithoutSuffix(label: string): ReadonlySet<string> {
  const forms = new Set<string>();
  let rest = withoutEmoji(label);
  for (;;) {
    const shorter = SUFFIX.exec(rest)?.[1];
    if (shorter === undefined) return forms;
    rest = shorter;
    for (const form of foldLabel(rest)) forms.add(form);
  }
}

/**
 * The position a reply names, in every usual writing: `1`, `1.`, `1)`, `(1)`, `#1`, `№ 1`, keycaps, full-width and circled forms, the
 * digits of any script, `option 1`. Undefined for everything else, `-1`, `1.5`, `1 2` and `1?` too.
 * @param words  What may stand before the number: "option".
 */
export function positionIn(text: string, words: readonly string[]): number | undefined {
  const folded = foldReply(text);
  const word = words.find((candidate) => folded.startsWith(candidate));
  const rest = unwrap(word === undefined ? folded : folded.slice(word.length).trim());
  const [, digits] = /^#?\s*(\d{1,9})[\s.):\]]*$/.exec(rest) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Is the whole text a number, of whatever kind, or a row of numbers (`-1`, `1.5`, `1 2`, `1,234`)? Not dates, times, versions, addresses. */
export function isBareNumber(text: string): boolean {
  const folded = foldReply(text);
  return /^[+-]?\s*\d+(?:[ ,;&]+\d+)*(?:[.,]\d+)?$/.test(folded) || /^[+-]?\s*\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(folded);
}

/** Every run of digits in a label, as numbers; also inside words and versions, so that a doubtful number is asked about. */
export function numbersIn(label: string): ReadonlySet<number> {
  return new Set((asciiDigits(keycapsAsDigits(label).normalize("NFKC")).match(/\d+/g) ?? []).map(Number));
}

function fold(text: string, end: string): string {
  const bare = plain(withoutEmoji(text));
  const folded = trimmed(bare, end);
  if (folded !== "") return folded;
  // F3: an emoji alone is compared as such, its colour and presentation aside.
  return bare === "" ? plain(text.replace(SKIN_TONES, "")) : bare;
}

function plain(text: string): string {
  // Quotes before NFKC, which would take an acute accent that stands alone apart.
  const signs = keycapsAsDigits(text).replace(SINGLE_QUOTES, "'").replace(DOUBLE_QUOTES, '"').replace(DASHES, "-").replace(/№/g, "#");
  const digits = asciiDigits(signs.replace(INVISIBLE, "").normalize("NFKC"));
  // Upper case first: it takes ß, ligatures and the final sigma to one form.
  return digits.toUpperCase().toLowerCase().normalize("NFKC").replace(/\s+/g, " ").trim();
}

/** Takes end punctuation and surrounding signs off until nothing more goes. */
function trimmed(text: string, end: string): string {
  // By hand: a pattern for "the last run of these" takes quadratic time on a long run that is not the last.
  let length = text.length;
  while (length > 0 && end.includes(text.charAt(length - 1))) length -= 1;
  const shorter = unwrap(text.slice(0, length));
  return shorter === text ? text : trimmed(shorter, end);
}

/** Without the brackets or quotes around the whole; `(a) or (b)` keeps its own. */
function unwrap(text: string): string {
  const open = text.charAt(0);
  const close = PAIRS.get(open);
  const inside = text.slice(1, -1);
  if (close === undefined || text.length < 3 || !text.endsWith(close) || inside.includes(open) || inside.includes(close)) return text;
  return inside.trim();
}

function withoutEmoji(text: string): string {
  return keycapsAsDigits(text).replace(EMOJI, " ").trim();
}

function keycapsAsDigits(text: string): string {
  return text.replace(KEYCAP, "$1").replace(/🔟/gu, "10");
}

/** The digits of every script as 0 to 9. Digits of a script stand together in Unicode, ten by ten, zero first. */
function asciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const point = digit.codePointAt(0) ?? 0;
    let first = point;
    while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
    return String((point - first) % 10);
  });
}
