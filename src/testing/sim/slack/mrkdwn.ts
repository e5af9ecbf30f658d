/**
 * What Slack makes of text: mrkdwn to what a person sees and whom it notifies, and typed text to what an event carries.
 *
 * Sources: docs.slack.dev "Formatting message text" (escaping only & < >; `<@U…>`, `<!channel>`, `<#C…>`, links in angle brackets;
 * `verbatim`), platforms.md section 4.1 "escaping".
 */

/** What is visible, and whom it would notify. */
export type Seen = { readonly text: string; readonly mentions: readonly string[] };

const ANGLED = /<([^<>]+)>/g;
/** Without `verbatim: true` some mentions written as plain words are parsed too (docs: text object, `verbatim`). */
const LOOSE_MENTION = /(?<![\p{L}\p{N}])@(channel|here|everyone)\b/gu;

/** Decodes the three entities, each once. */
function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => (name === "amp" ? "&" : name === "lt" ? "<" : ">"));
}

/** Encodes what Slack itself encodes in the text of an event. */
function encodeEntities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A mrkdwn text as a person sees it. `loose`: words like @channel notify as well. */
export function seenMrkdwn(text: string, { loose }: { readonly loose: boolean }): Seen {
  const mentions: string[] = [];
  const shown = text.replace(ANGLED, (_, inner: string) => {
    const [target = "", label] = inner.split("|");
    if (/^[@!#]/.test(target)) {
      mentions.push(target);
      return label ?? target.replace(/^!/, "@");
    }
    return label ?? target;
  });
  if (loose) for (const match of shown.matchAll(LOOSE_MENTION)) mentions.push(`!${match[1]}`);
  return { text: decodeEntities(stripStyles(shown)), mentions };
}

/** Removes the marks of bold, italic, strike and code where Slack would: code first, its inside is kept as it is. */
function stripStyles(text: string): string {
  return text
    .split(/(```[\s\S]+?```|`[^`\n]+`)/)
    .map((piece, index) => (index % 2 === 1 ? piece.replace(/^`+|`+$/g, "") : stripMarks(piece)))
    .join("");
}

function stripMarks(text: string): string {
  return text
    .replace(/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\p{L}\p{N}*])/gu, "$1")
    .replace(/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\p{L}\p{N}_])/gu, "$1")
    .replace(/(?<![\p{L}\p{N}~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\p{L}\p{N}~])/gu, "$1");
}

/** Typed text as a message event carries it: entities encoded, addresses in angle brackets. */
export function typedText(text: string): string {
  return encodeEntities(text).replace(/\bhttps?:\/\/[^\s<>]+/g, (url) => `<${url}>`);
}
