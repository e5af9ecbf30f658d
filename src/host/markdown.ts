/**
 * The agent's Markdown as styled text (design, section 6). The only reader of mark-up; adapters write their own from the result.
 *
 * M1  Read: **bold**, *italic*, `code`, fenced blocks, [label](https address), all of them also inside lists. Everything else stays as
 *     it was written: headings, quotes, HTML, images, tables, list marks, `_`, backslashes, entities, links that are not plain https.
 * M2  Only the marks of M1 go; every other character of the source is in the result, in order. Text without marks is one span.
 * M3  A link says where it leads: where its label is not its host, the host follows in brackets, outside the link and as the
 *     browser reads it (international names in ASCII), so that a label cannot pass for another address.
 * M4  Every span is made visible (R28). CR LF is a line end.
 *
 * A block's text has no fence lines; the line ends around it stay in the spans beside it.
 */
import { fromMarkdown } from "mdast-util-from-markdown";
import type { RichSpan, RichText } from "../core/prompt.js";
import { visible } from "../core/visible.js";

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>["children"][number];
type Link = Extract<Node, { type: "link" }>;
type Style = Omit<RichSpan, "text">;

/** Constructs of CommonMark whose characters stay as written while what is inside them is still read (M1). Names: micromark. */
const LITERAL = [
  "autolink",
  "blockQuote",
  "characterReference",
  "codeIndented",
  "definition",
  "hardBreakEscape",
  "headingAtx",
  "htmlFlow",
  "htmlText",
  "setextUnderline",
];

/** A text without one of these has no mark of M1: most prompts, which then need no parser. */
const MARKS = /[*`~[]/;

/**
 * Reads an agent's text. Never throws, whatever the text.
 * @param text  As asked: at most 4,000 characters at the door.
 */
export function richText(text: string): RichText {
  const source = text.replaceAll("\r\n", "\n");
  if (!MARKS.test(source)) return source === "" ? [] : [{ text: visible(source) }];
  const reader = new Reader(source);
  reader.read(fromMarkdown(source, { extensions: [{ disable: { null: LITERAL } }] }), {});
  return reader.end();
}

/** Walks the tree along the source: what lies between two marks goes out as it stands. */
class Reader {
  readonly #source: string;
  readonly #spans: RichSpan[] = [];
  /** Everything before it is out. */
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  end(): RichText {
    this.#upTo(this.#source.length, {});
    return this.#spans.map((span) => ({ ...span, text: visible(span.text) }));
  }

  read(node: Node, style: Style): void {
    const { start, end } = offsets(node);
    if (node.type === "strong") this.#marked(node, { style: { ...style, bold: true }, outside: style, mark: 2 });
    else if (node.type === "emphasis") this.#marked(node, { style: { ...style, italic: true }, outside: style, mark: 1 });
    else if (node.type === "inlineCode") this.#replaced(node, { span: { ...style, code: "inline", text: node.value }, outside: style });
    // A fence with nothing behind it is no block: it stays as written.
    else if (node.type === "code" && node.value !== "") {
      this.#replaced(node, { span: { ...style, code: "block", text: blockText(node) }, outside: style });
    } else if (node.type === "link") this.#link(node, style);
    else if ("children" in node) {
      this.#upTo(start, style);
      for (const child of node.children) this.read(child, style);
    }
    this.#upTo(end, style);
  }

  /** `**` or `*` around children; underscores are not ours and stay (`__init__`). */
  #marked(
    node: Extract<Node, { type: "strong" | "emphasis" }>,
    { style, outside, mark }: { style: Style; outside: Style; mark: number },
  ): void {
    const { start, end } = offsets(node);
    this.#upTo(start, outside);
    const ours = this.#source.charAt(start) === "*";
    if (ours) this.#at = start + mark;
    for (const child of node.children) this.read(child, ours ? style : outside);
    this.#upTo(ours ? end - mark : end, ours ? style : outside);
    this.#at = end;
  }

  #replaced(node: Node, { span, outside }: { span: RichSpan; outside: Style }): void {
    const { start, end } = offsets(node);
    this.#upTo(start, outside);
    this.#put(span);
    this.#at = end;
  }

  #link(node: Link, style: Style): void {
    const { start, end } = offsets(node);
    const host = hostOf(node);
    const [first, last] = [node.children[0], node.children.at(-1)];
    if (host !== undefined && first !== undefined && last !== undefined) {
      this.#upTo(start, style);
      this.#at = offsets(first).start;
      for (const child of node.children) this.read(child, { ...style, link: node.url });
      const label = this.#source.slice(offsets(first).start, offsets(last).end);
      if (!namesHost(label, host)) this.#put({ ...style, text: ` (${host})` });
      this.#at = end;
    }
  }

  #upTo(offset: number, style: Style): void {
    if (offset > this.#at) this.#put({ ...style, text: this.#source.slice(this.#at, offset) });
    this.#at = Math.max(this.#at, offset);
  }

  /** Joins runs of one style, so that text without marks is one span (M2); two blocks stay two. */
  #put(span: RichSpan): void {
    if (span.text === "") return;
    const last = this.#spans.at(-1);
    const alike = last !== undefined && span.code !== "block" && sameStyle(last, span);
    if (alike) this.#spans[this.#spans.length - 1] = { ...last, text: last.text + span.text };
    else this.#spans.push(span);
  }
}

function sameStyle(a: Style, b: Style): boolean {
  return a.bold === b.bold && a.italic === b.italic && a.code === b.code && a.link === b.link;
}

function offsets({ position }: Node): { readonly start: number; readonly end: number } {
  const { start, end } = position ?? {};
  if (start?.offset === undefined || end?.offset === undefined) throw new Error("a node of the Markdown tree has no position");
  return { start: start.offset, end: end.offset };
}

/** A language name beside the opening fence is mark-up; anything else there is text and stays, as the block's first line. */
function blockText({ value, lang, meta }: Extract<Node, { type: "code" }>): string {
  const info = [lang, meta].filter((part) => part !== null && part !== undefined).join(" ");
  return info === "" || /^[A-Za-z][\w+#.-]{0,19}$/.test(info) ? value : `${info}\n${value}`;
}

/** The host of a link we show as one: https, no user name or password before the host, no title. */
function hostOf({ url, title }: Link): string | undefined {
  if (!/^https:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url) || (title !== null && title !== undefined)) return undefined;
  const { host, username, password } = new URL(url);
  return username === "" && password === "" ? host : undefined;
}

/** Does the label itself say the host: alone, or as the host of an address? */
function namesHost(label: string, host: string): boolean {
  const [, named] = /^(?:https:\/\/)?([^\s/?#]+)(?:[/?#]\S*)?$/i.exec(label) ?? [];
  return named?.toLowerCase() === host;
}
