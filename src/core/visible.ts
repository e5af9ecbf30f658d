/**
 * Invisible characters made visible (R28): what a person reads is what is there. The only place that decides which characters
 * of an agent's or a person's text are shown as an escape. The stored text stays as it was; this is for showing.
 *
 * V1  Shown as `⟨U+200B⟩`: controls but LF and TAB (Cc), format characters (Cf), line and paragraph separators (Zl, Zp), halves of
 *     surrogate pairs (Cs), unassigned and private characters (Cn, Co), spaces but U+0020, U+00A0 and U+3000 (Zs), and every
 *     character that is ignored by default when drawn (variation selectors, fillers, tags).
 * V2  Kept all the same: members of a recommended emoji sequence (RGI), and a single U+200C or U+200D inside a script that joins:
 *     between two visible characters of one such script, or right after its virama.
 * V3  In a subject, whose exact bytes are approved, only LF, TAB and U+0020 of all these are kept: V2 does not hold there, and a
 *     CR shows, since it changes what a script does.
 * V4  Elsewhere CR LF is one line end and becomes LF; a CR alone shows.
 * V5  `visible(visible(text))` is `visible(text)`: an escape is made of ordinary characters, and shows nothing new or less.
 *
 * Categories and sequences are those of the Unicode version that Node was built with (`process.versions.unicode`).
 */

/** `v` flag by constructor: the compiler's target has no literal for it, Node 20 does. */
const HIDDEN = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Cn}\\p{Co}\\p{Zs}\\p{Default_Ignorable_Code_Point}]";
const HIDDEN_EVERYWHERE = new RegExp(HIDDEN, "gv");
const HIDDEN_OR_EMOJI = new RegExp(`\\p{RGI_Emoji}|${HIDDEN}`, "gv");
const IS_HIDDEN = new RegExp(`^${HIDDEN}$`, "v");
/** Most texts hold nothing else: no need to look further. */
const PLAIN = /^[\n\t\x20-\x7e]*$/;

const KEPT_IN_SUBJECT: ReadonlySet<string> = new Set(["\n", "\t", " "]);
const KEPT_IN_TEXT: ReadonlySet<string> = new Set(["\n", "\t", " ", "\u00a0", "\u3000"]);

/**
 * Scripts in which U+200C and U+200D choose between letter forms: the cursive ones and those that build conjuncts.
 * Source: The Unicode Standard, version 17, chapter 23.2 (cursive connection and ligatures), chapters 9, 10, 12 to 14.
 */
const JOINING = [
  ..."Arabic Syriac Mandaic Nko Mongolian Phags_Pa Manichaean Psalter_Pahlavi Adlam Hanifi_Rohingya Sogdian Chorasmian".split(" "),
  ..."Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Balinese Javanese".split(" "),
].map((script) => new RegExp(`^\\p{Script=${script}}$`, "u"));
/** The sign that takes a consonant's vowel away; after it a joiner asks for the half or the whole letter. */
const VIRAMA = /^[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]$/;

/**
 * Shows what would be invisible in a text.
 * @param options.subject  The text is what is approved (V3). Default false.
 * @returns The text as drawn: longer by 7 to 9 characters for each escape, otherwise the same.
 */
export function visible(text: string, { subject = false }: { readonly subject?: boolean } = {}): string {
  if (PLAIN.test(text)) return text;
  if (subject) return text.replace(HIDDEN_EVERYWHERE, (found) => (KEPT_IN_SUBJECT.has(found) ? found : escapeOf(found)));
  const lines = text.replaceAll("\r\n", "\n");
  return lines.replace(HIDDEN_OR_EMOJI, (found, at: number) => (isKept(found, lines, at) ? found : escapeOf(found)));
}

/**
 * The same on one line, for values inside our own sentences: line ends and tabs become spaces, outer spaces go.
 */
export function visibleLine(text: string): string {
  return visible(text)
    .replace(/[\n\t]+/g, " ")
    .trim();
}

function isKept(found: string, text: string, at: number): boolean {
  if (KEPT_IN_TEXT.has(found)) return true;
  if (found === "\u200c" || found === "\u200d") return joins(text, at);
  return !IS_HIDDEN.test(found); // An emoji sequence.
}

/** Is the joiner at `at` inside a script that joins (V2)? */
function joins(text: string, at: number): boolean {
  const before = /.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? "";
  if (VIRAMA.test(before)) return true;
  const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x20);
  if (IS_HIDDEN.test(before) || IS_HIDDEN.test(after)) return false;
  return JOINING.some((script) => script.test(before) && script.test(after));
}

function escapeOf(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `⟨U+${hex.padStart(4, "0")}⟩`;
}
