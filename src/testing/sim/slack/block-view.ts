/** What a person sees of blocks: lines of text, mentions, buttons, menu entries, a modal's fields. */
import type { SeenButton } from "../simulator.js";
import { flagAt, isObject, type Json, listAt, objectAt, textAt } from "./json.js";
import { type Seen, seenMrkdwn } from "./mrkdwn.js";

/** The visible text of a list of blocks, one line per visible line, and whom it notifies. */
export function seenBlocks(blocks: readonly unknown[]): Seen {
  const seen = blocks.map(seenBlock).filter(({ text }) => text !== "");
  return { text: seen.map(({ text }) => text).join("\n"), mentions: seen.flatMap(({ mentions }) => mentions) };
}

function seenBlock(block: unknown): Seen {
  switch (textAt(block, "type")) {
    case "section":
    case "header":
      return seenText(objectAt(block, "text"));
    case "context":
      return joined(
        listAt(block, "elements").map((element) => seenText(isObject(element) ? element : undefined)),
        " ",
      );
    case "rich_text":
      return joined(listAt(block, "elements").map(seenContainer), "\n");
    case "input":
      return seenText(objectAt(block, "label"));
    default:
      return { text: "", mentions: [] };
  }
}

function joined(parts: readonly Seen[], between: string): Seen {
  return { text: parts.map(({ text }) => text).join(between), mentions: parts.flatMap(({ mentions }) => mentions) };
}

function seenText(text: Json | undefined): Seen {
  const body = textAt(text, "text") ?? "";
  // plain_text is shown as it is: nothing in it is decoded or parsed.
  if (textAt(text, "type") !== "mrkdwn") return { text: body, mentions: [] };
  return seenMrkdwn(body, { loose: !flagAt(text, "verbatim") });
}

function seenContainer(container: unknown): Seen {
  const elements = listAt(container, "elements");
  if (textAt(container, "type") === "rich_text_list") return joined(elements.map(seenContainer), "\n");
  return joined(elements.map(seenRich), "");
}

function seenRich(element: unknown): Seen {
  const type = textAt(element, "type");
  if (type === "text") return { text: textAt(element, "text") ?? "", mentions: [] };
  if (type === "link") return { text: textAt(element, "text") ?? textAt(element, "url") ?? "", mentions: [] };
  if (type === "emoji") return { text: `:${textAt(element, "name") ?? ""}:`, mentions: [] };
  const who =
    textAt(element, "user_id") ?? textAt(element, "range") ?? textAt(element, "channel_id") ?? textAt(element, "usergroup_id") ?? "";
  return { text: `@${who}`, mentions: [type === "broadcast" ? `!${who}` : `@${who}`] };
}

/** An interactive element and the block it stands in. */
export type Control = { readonly block: Json; readonly element: Json };

/** All interactive elements in reading order. */
export function controlsOf(blocks: readonly Json[]): readonly Control[] {
  return blocks.flatMap((block) => {
    const found =
      textAt(block, "type") === "section" ? [block["accessory"]] : textAt(block, "type") === "actions" ? listAt(block, "elements") : [];
    return found.filter(isObject).map((element) => ({ block, element }));
  });
}

/** The buttons as a person sees them. */
export function buttonsOf(blocks: readonly Json[]): readonly SeenButton[] {
  return controlsOf(blocks).flatMap(({ element }) => {
    if (textAt(element, "type") !== "button") return [];
    const style = textAt(element, "style");
    return [
      {
        label: textAt(objectAt(element, "text"), "text") ?? "",
        style: style === "primary" || style === "danger" ? style : "default",
        data: textAt(element, "value") ?? "",
      },
    ];
  });
}

/** The entries of all menus. */
export function menuOf(blocks: readonly Json[]): readonly SeenButton[] {
  return controlsOf(blocks).flatMap(({ element }) =>
    textAt(element, "type") === "static_select"
      ? listAt(element, "options").map((option) => ({
          label: textAt(objectAt(option, "text"), "text") ?? "",
          data: textAt(option, "value") ?? "",
        }))
      : [],
  );
}
