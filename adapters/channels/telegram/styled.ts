/**
 * Text with entities: how this adapter writes. No parse mode is ever used, so nothing is escaped and nothing can fail to parse (B064, B066).
 *
 * ST1  Offsets and lengths are UTF-16 units (Bot API, MessageEntity).
 * ST2  Telegram turns `@name` into a mention by itself. A name outside code and links is set as code: the same characters, no mention (R28).
 * ST3  At most `ENTITIES_MAX` entities: beyond it the server drops some, so style goes before the guard of ST2 does.
 */
import type { MessageEntity } from "@grammyjs/types";
import { ENTITIES_MAX } from "./limits.js";

/** A text and its entities, offsets in UTF-16 units. */
export type Styled = { readonly text: string; readonly entities: readonly MessageEntity[] };
/** Nothing: `joined` leaves it out. */
export const EMPTY: Styled = { text: "", entities: [] };

/** A text in one style, or in none. */
export function styled(text: string, ...styles: readonly ("bold" | "italic" | "code" | "blockquote")[]): Styled {
  return { text, entities: text === "" ? [] : styles.map((type) => ({ type, offset: 0, length: text.length })) };
}

/** A text boxed as code; `language` colours it. */
export function boxed(text: string, language?: string): Styled {
  const entity: MessageEntity = { type: "pre", offset: 0, length: text.length, ...(language === undefined ? {} : { language }) };
  return { text, entities: text === "" ? [] : [entity] };
}

/** A text that opens an address. */
export function linked(text: string, url: string): Styled {
  return { text, entities: text === "" ? [] : [{ type: "text_link", offset: 0, length: text.length, url }] };
}

/** A person's name that notifies exactly this person. */
export function mentioned(name: string, userId: number): Styled {
  return {
    text: name,
    entities: [{ type: "text_mention", offset: 0, length: name.length, user: { id: userId, is_bot: false, first_name: name } }],
  };
}

/** One after another, with `between` in the gaps; empty parts are left out. */
export function joined(parts: readonly Styled[], between = ""): Styled {
  let text = "";
  const entities: MessageEntity[] = [];
  for (const part of parts) {
    if (part.text === "") continue;
    if (text !== "") text += between;
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + text.length });
    text += part.text;
  }
  return { text, entities };
}

/** The same with one more style around the whole. */
export function within(part: Styled, type: "blockquote" | "bold"): Styled {
  return part.text === "" ? part : { text: part.text, entities: [{ type, offset: 0, length: part.text.length }, ...part.entities] };
}

/** A piece of a text with the entities that reach into it. */
export function slice({ text, entities }: Styled, start: number, end: number): Styled {
  const inside = entities.flatMap((entity): MessageEntity[] => {
    const from = Math.max(entity.offset, start);
    const to = Math.min(entity.offset + entity.length, end);
    return from < to ? [{ ...entity, offset: from - start, length: to - from }] : [];
  });
  return { text: text.slice(start, end), entities: inside };
}

type Range = { readonly start: number; readonly end: number };
/** tdlib takes these for a mention: `@` not after a word character, then 2 to 32 of A-Z a-z 0-9 _ (find_mentions). */
const NAME = /(?<![A-Za-z0-9_])@[A-Za-z0-9_]{2,}/g;
/** Inside these the server finds no mentions. */
const SHIELDS: readonly string[] = ["code", "pre", "text_link", "text_mention"];

/** A text as it is sent: names guarded (ST2), entities within bounds (ST3). */
export function guarded({ text, entities }: Styled): Styled {
  const blocks = entities.filter(({ type }) => type === "blockquote" || type === "pre");
  const inline = entities.filter((entity) => !blocks.includes(entity));
  const names = rangesOf(text).filter((range) => !shielded(range, entities));
  if (names.length === 0 && entities.length <= ENTITIES_MAX) return { text, entities };
  const guards = names.map(codeOver);
  const styles = inline.flatMap((entity) => without(entity, names));
  if (blocks.length + guards.length + styles.length <= ENTITIES_MAX) return { text, entities: [...blocks, ...guards, ...styles] };
  // Too many: styles go, and with them what shielded some names; all names outside boxes get one guard if they must.
  const bare = rangesOf(text).filter((range) => !shielded(range, blocks));
  const room = ENTITIES_MAX - blocks.length;
  const few = bare.length === 0 || bare.length <= room ? bare : [span(bare)];
  return { text, entities: [...blocks, ...few.map(codeOver)] };
}

function rangesOf(text: string): readonly Range[] {
  return [...text.matchAll(NAME)].map((found) => ({ start: found.index, end: found.index + found[0].length }));
}

function shielded({ start, end }: Range, entities: readonly MessageEntity[]): boolean {
  return entities.some(({ type, offset, length }) => SHIELDS.includes(type) && offset <= start && end <= offset + length);
}

function codeOver({ start, end }: Range): MessageEntity {
  return { type: "code", offset: start, length: end - start };
}

/** One range over all: what is left when there are more names than a message has entities. */
function span(ranges: readonly Range[]): Range {
  return { start: Math.min(...ranges.map(({ start }) => start)), end: Math.max(...ranges.map(({ end }) => end)) };
}

/** The parts of an entity outside the ranges: code may not overlap other styles (Bot API, "Formatting options"). */
function without(entity: MessageEntity, ranges: readonly Range[]): readonly MessageEntity[] {
  let left: readonly Range[] = [{ start: entity.offset, end: entity.offset + entity.length }];
  for (const { start, end } of ranges) {
    left = left.flatMap((part) => [
      { start: part.start, end: Math.min(part.end, start) },
      { start: Math.max(part.start, end), end: part.end },
    ]);
    left = left.filter((part) => part.start < part.end);
  }
  return left.map(({ start, end }) => ({ ...entity, offset: start, length: end - start }));
}
