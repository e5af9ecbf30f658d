/**
 * What the server checks in a message before it takes it: text, entities, keyboards. Every refusal is in the server's own words
 * where they are known.
 */
import { CALLBACK_DATA_MAX_BYTES, ENTITIES_MAX, KEYBOARD_BUTTONS_MAX, KEYBOARD_ROW_MAX, PLACEHOLDER_MAX, TEXT_MAX } from "./limits.js";
import { type Button, badRequest, type Entity, type Json, type Keyboard, type ReplyBox } from "./wire.js";

/** A text and its entities, checked. */
export type Content = { readonly text: string; readonly entities: readonly Entity[] };
/** A keyboard, a reply box, or neither. */
export type Markup = { readonly keyboard?: Keyboard; readonly box?: ReplyBox };

/** Entities that a text may carry. Source: Bot API, MessageEntity.type. */
const ENTITY_TYPES: readonly string[] = [
  "mention hashtag cashtag bot_command url email phone_number bold italic underline strikethrough spoiler",
  "blockquote expandable_blockquote code pre text_link text_mention custom_emoji",
].flatMap((line) => line.split(" "));

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads and checks text and entities. `tooLong`: the words differ between send and edit. */
export function parseContent(body: Json, tooLong: string): Content {
  const { text, entities, parse_mode } = body as { readonly text?: unknown; readonly entities?: unknown; readonly parse_mode?: unknown };
  if (parse_mode !== undefined && parse_mode !== "") throw badRequest("unsupported parse_mode (the simulator takes entities only)");
  if (typeof text !== "string" || text.trim() === "") throw badRequest("message text is empty");
  if (/\p{Cs}/u.test(text)) throw badRequest("strings must be encoded in UTF-8");
  const parsed = (Array.isArray(entities) ? entities : []).slice(0, ENTITIES_MAX).map((entity: unknown) => parseEntity(entity, text));
  const content = trimmed({ text, entities: parsed });
  if (content.text.length > TEXT_MAX) throw badRequest(tooLong);
  return content;
}

function parseEntity(entity: unknown, text: string): Entity {
  if (!isObject(entity)) throw badRequest("can't parse entities: expected an Object");
  const { type, offset, length, url } = entity as { type?: unknown; offset?: unknown; length?: unknown; url?: unknown };
  if (typeof type !== "string" || !ENTITY_TYPES.includes(type)) throw badRequest("can't parse MessageEntity: Unsupported type specified");
  if (typeof offset !== "number" || !Number.isInteger(offset) || offset < 0)
    throw badRequest(`receive an entity with incorrect offset ${String(offset)}`);
  if (typeof length !== "number" || !Number.isInteger(length) || length < 0)
    throw badRequest(`receive an entity with incorrect length ${String(length)}`);
  if (offset + length > text.length) throw badRequest(`entity ends after the end of the text at UTF-16 offset ${offset + length}`);
  if (splitsPair(text, offset)) throw badRequest("entity begins in a middle of a UTF-16 symbol at byte offset");
  if (splitsPair(text, offset + length)) throw badRequest("entity ends in a middle of a UTF-16 symbol at byte offset");
  if (type === "text_link" && (typeof url !== "string" || url === ""))
    throw badRequest('can\'t parse MessageEntity: Field "url" must be of type String');
  return entity as Entity;
}

function splitsPair(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** The server takes spaces and line ends off both ends, as far as no entity holds them (tdlib, fix_formatted_text). */
function trimmed({ text, entities }: Content): Content {
  const firstHeld = Math.min(text.length, ...entities.map(({ offset }) => offset));
  const lastHeld = Math.max(0, ...entities.map(({ offset, length }) => offset + length));
  const start = Math.min(text.search(/[^ \n]/), firstHeld);
  const end = Math.max(text.replace(/[ \n]+$/, "").length, lastHeld);
  return { text: text.slice(start, end), entities: entities.map((entity) => ({ ...entity, offset: entity.offset - start })) };
}

/** Names the server would turn into mentions: `@name` outside code and links (tdlib, find_mentions), and mentions by id. */
export function mentionsIn({ text, entities }: Content): readonly string[] {
  const shields = entities.filter(({ type }) => type === "code" || type === "pre" || type === "text_link" || type === "text_mention");
  const byName = [...text.matchAll(/(?<![A-Za-z0-9_])@[A-Za-z0-9_]{2,32}/g)]
    .filter(({ index, 0: name }) => !shields.some(({ offset, length }) => offset < index + name.length && index < offset + length))
    .map(({ 0: name }) => name);
  const byId = entities.filter(({ type }) => type === "text_mention").map(({ user }) => String(user?.id));
  return [...byName, ...byId];
}

/** Reads and checks `reply_markup`. */
export function parseMarkup(markup: unknown): Markup {
  if (markup === undefined) return {};
  if (!isObject(markup)) throw badRequest("can't parse reply keyboard markup JSON object");
  const { inline_keyboard, force_reply, input_field_placeholder, selective } = markup as {
    readonly inline_keyboard?: unknown;
    readonly force_reply?: unknown;
    readonly input_field_placeholder?: unknown;
    readonly selective?: unknown;
  };
  if (inline_keyboard !== undefined) {
    const rows = parseRows(inline_keyboard);
    return rows.length === 0 ? {} : { keyboard: { inline_keyboard: rows, ...(force_reply === true ? { force_reply: true } : {}) } };
  }
  if (force_reply !== true) throw badRequest("can't parse reply keyboard markup JSON object");
  if (input_field_placeholder !== undefined) {
    const fits =
      typeof input_field_placeholder === "string" &&
      input_field_placeholder.length >= 1 &&
      input_field_placeholder.length <= PLACEHOLDER_MAX;
    if (!fits) throw badRequest("REPLY_MARKUP_PLACEHOLDER_INVALID");
    return { box: { force_reply: true, input_field_placeholder, selective: selective === true } };
  }
  return { box: { force_reply: true, selective: selective === true } };
}

function parseRows(value: unknown): readonly (readonly Button[])[] {
  if (!Array.isArray(value)) throw badRequest('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array');
  const rows = value.map((row: unknown): readonly Button[] => {
    if (!Array.isArray(row)) throw badRequest('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays');
    if (row.length > KEYBOARD_ROW_MAX) throw badRequest("reply markup is too long");
    return row.map(parseButton);
  });
  if (rows.flat().length > KEYBOARD_BUTTONS_MAX) throw badRequest("reply markup is too long");
  return rows.filter((row) => row.length > 0);
}

function parseButton(value: unknown): Button {
  if (!isObject(value)) throw badRequest("can't parse inline keyboard button: expected an Object");
  const button = value as Partial<Record<keyof Button, unknown>>;
  if (typeof button.text !== "string" || button.text.trim() === "") throw badRequest("can't parse inline keyboard button: text is empty");
  const kinds = [button.callback_data, button.url, button.disabled].filter((kind) => kind !== undefined);
  if (kinds.length === 0) throw badRequest("can't parse inline keyboard button: text buttons are unallowed in the inline keyboard");
  if (kinds.length > 1) throw badRequest("can't parse inline keyboard button: exactly one type must be given");
  if (button.callback_data !== undefined) {
    const bytes = typeof button.callback_data === "string" ? Buffer.byteLength(button.callback_data, "utf8") : 0;
    if (bytes < 1 || bytes > CALLBACK_DATA_MAX_BYTES) throw badRequest("BUTTON_DATA_INVALID");
  }
  if (button.style !== undefined && !["danger", "success", "primary"].includes(String(button.style)))
    throw badRequest("BUTTON_STYLE_INVALID");
  return value as Button;
}
