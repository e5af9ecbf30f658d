/**
 * What a person reads of Discord's markdown: marks removed, escapes decoded, one line per visible line.
 *
 * An own reading of Discord Support's "Markdown Text 101" and the reference's "Message Formatting" (checked 2026-12-01): bold,
 * italic, underline, strike, spoiler, headings, subtext, lists, quotes, code, links, mentions, emoji, timestamps; a backslash
 * before anything but letters, digits and white space shows that character.
 */
type Rule = {
  /** Only at the beginning of a line. */
  readonly atLine?: true;
  readonly find: RegExp;
  readonly show: (match: RegExpExecArray) => string;
};

/** Links end before closing punctuation. */
const LINK = /https?:\/\/[^\s<]+[^<.,:;"')\]\s]/y;

const group = (match: RegExpExecArray, index: number): string => match[index] ?? "";
const inner = (match: RegExpExecArray): string => readableText(group(match, 1));

/** Short names the client turns into pictures; a few stand for all. */
const EMOJI: Readonly<Record<string, string>> = { smile: "😄", tada: "🎉", warning: "⚠️" };

const RULES: readonly Rule[] = [
  {
    atLine: true,
    find: /(?:> [^\n]*(?:\n|$))+/y,
    show: (match) => {
      const lines = group(match, 0).replace(/\n$/, "").split("\n");
      const text = readableText(lines.map((line) => line.slice(2)).join("\n"));
      return group(match, 0).endsWith("\n") ? `${text}\n` : text;
    },
  },
  { find: /```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][\s\S]*?)\n*```/iy, show: (match) => group(match, 1) },
  { find: /\\([^0-9A-Za-z\s])/y, show: (match) => group(match, 1) },
  { find: /<(https?:\/\/[^\s>]+)>/y, show: (match) => group(match, 1) },
  { find: LINK, show: (match) => group(match, 0) },
  { find: /\[((?:\\.|[^\]\\])+)\]\(<?https?:[^\s)>]+>?\)/y, show: inner },
  { find: /<@!?(\d+)>/y, show: (match) => `@user-${group(match, 1)}` },
  { find: /<@&(\d+)>/y, show: (match) => `@role-${group(match, 1)}` },
  { find: /<#(\d+)>/y, show: (match) => `#channel-${group(match, 1)}` },
  { find: /<a?:(\w+):\d+>/y, show: (match) => `(emoji ${group(match, 1)})` },
  { find: /<t:-?\d+(?::[tTdDfFR])?>/y, show: () => "(time)" },
  { find: /:(\w+):/y, show: (match) => EMOJI[group(match, 1)] ?? group(match, 0) },
  { find: /(`+)([\s\S]*?[^`])\1(?!`)/y, show: (match) => group(match, 2) },
  { atLine: true, find: /(?:#{1,3}|-#) +([^\n]+)/y, show: inner },
  { atLine: true, find: /( *)[-*] +/y, show: (match) => `${group(match, 1)}• ` },
  { find: /\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/y, show: inner },
  { find: /__((?:\\[\s\S]|[^\\])+?)__(?!_)/y, show: inner },
  { find: /~~((?:\\[\s\S]|[^\\])+?)~~/y, show: inner },
  { find: /\|\|((?:\\[\s\S]|[^\\])+?)\|\|/y, show: (match) => `█${inner(match)}█` },
  { find: /\*(?=[^\s*])((?:\\[\s\S]|[^\\*])+?)\*(?!\*)/y, show: inner },
  { find: /_((?:\\[\s\S]|[^\\_])+?)_(?!\w)/y, show: inner },
];

/** The visible text of one message's or embed's markdown. */
export function readableText(source: string): string {
  let text = "";
  let at = 0;
  while (at < source.length) {
    const lineStart = at === 0 || source[at - 1] === "\n";
    const hit = firstHit(source, at, lineStart);
    if (hit === undefined) {
      text += source[at] ?? "";
      at += 1;
    } else {
      text += hit.text;
      at += hit.length;
    }
  }
  return text;
}

function firstHit(source: string, at: number, lineStart: boolean): { readonly text: string; readonly length: number } | undefined {
  for (const { atLine, find, show } of RULES) {
    if (atLine === true && !lineStart) continue;
    find.lastIndex = at;
    const match = find.exec(source);
    if (match !== null && match[0].length > 0) return { text: show(match), length: match[0].length };
  }
  return undefined;
}
