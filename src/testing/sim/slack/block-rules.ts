/**
 * Block Kit as Slack checks it: the first broken rule of a message's blocks or of a view, in Slack's own wording style.
 *
 * Sources: `@slack/types` 3.2.0 typed reference (each "Maximum …" of block-kit/*.d.ts) and docs.slack.dev Block Kit reference,
 * gathered in platforms.md section 4.1. The cap on all blocks together is not documented: bolt-js issue 2509 measured about
 * 13,200 characters of text and a maintainer spoke of "12,000 text characters with a buffer for block containers"; issue 2867 saw
 * 11,341 characters of rich text refused. Here: text plus 30 for each object counts against 13,200.
 */
import { isObject, type Json, listAt, numberAt, objectAt, textAt } from "./json.js";

/** What may be in one message or view. Characters are UTF-16 units. */
const BLOCK_LIMITS = {
  blocksOfMessage: 50,
  blocksOfView: 100,
  blockId: 255,
  actionId: 255,
  section: 3_000,
  header: 150,
  actions: 25,
  contextElements: 10,
  buttonText: 75,
  buttonValue: 2_000,
  optionText: 75,
  optionValue: 150,
  selectOptions: 100,
  placeholder: 150,
  inputLabel: 2_000,
  inputHint: 2_000,
  inputMax: 3_000,
  viewTitle: 24,
  privateMetadata: 3_000,
  callbackId: 255,
  allText: 13_200,
  perObject: 30,
} as const;

const INPUT_ELEMENTS = ["plain_text_input", "static_select", "radio_buttons", "checkboxes"];

/** Why these blocks are refused; undefined when they are fine. `code` is Slack's error, `detail` its response_metadata message. */
export function blocksProblem(blocks: readonly unknown[], surface: "message" | "view"): { code: string; detail: string } | undefined {
  const max = surface === "message" ? BLOCK_LIMITS.blocksOfMessage : BLOCK_LIMITS.blocksOfView;
  if (blocks.length > max) return { code: "invalid_blocks", detail: `no more than ${max} items allowed [json-pointer:/blocks]` };
  const ids = new Set<string>();
  for (const [index, block] of blocks.entries()) {
    const detail = blockProblem(block, surface) ?? idProblem(block, ids);
    if (detail !== undefined) return { code: "invalid_blocks", detail: `${detail} [json-pointer:/blocks/${index}]` };
  }
  if (weight(blocks) > BLOCK_LIMITS.allText) return { code: "msg_blocks_too_long", detail: `blocks weigh ${weight(blocks)}` };
  return undefined;
}

function idProblem(block: unknown, ids: Set<string>): string | undefined {
  const id = textAt(block, "block_id");
  if (id === undefined) return undefined;
  if (id === "" || id.length > BLOCK_LIMITS.blockId) return `block_id must be 1 to ${BLOCK_LIMITS.blockId} characters`;
  if (ids.has(id)) return `block_id "${id}" already exists`;
  ids.add(id);
  return undefined;
}

function blockProblem(block: unknown, surface: "message" | "view"): string | undefined {
  switch (textAt(block, "type")) {
    case "section":
      return textProblem(objectAt(block, "text"), BLOCK_LIMITS.section);
    case "header":
      return plainProblem(objectAt(block, "text"), BLOCK_LIMITS.header);
    case "divider":
      return undefined;
    case "context":
      return contextProblem(block);
    case "actions":
      return actionsProblem(block);
    case "rich_text":
      return richTextProblem(block);
    case "input":
      return surface === "view" ? inputProblem(block) : "input blocks are not taken in messages by this simulator";
    default:
      return `unsupported type: ${textAt(block, "type") ?? "missing"}`;
  }
}

function textProblem(text: Json | undefined, max: number): string | undefined {
  const body = textAt(text, "text");
  if (body === undefined || body === "") return "must provide text of at least 1 character";
  if (body.length > max) return `must be no more than ${max} characters: text has ${body.length}`;
  const type = textAt(text, "type");
  return type === "mrkdwn" || type === "plain_text" ? undefined : "text type must be mrkdwn or plain_text";
}

function plainProblem(text: Json | undefined, max: number): string | undefined {
  return textAt(text, "type") === "plain_text" ? textProblem(text, max) : "must be a plain_text object";
}

function contextProblem(block: unknown): string | undefined {
  const elements = listAt(block, "elements");
  if (elements.length === 0 || elements.length > BLOCK_LIMITS.contextElements) return "context takes 1 to 10 elements";
  for (const element of elements) {
    const problem = textProblem(isObject(element) ? element : undefined, BLOCK_LIMITS.section);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function actionsProblem(block: unknown): string | undefined {
  const elements = listAt(block, "elements");
  if (elements.length === 0 || elements.length > BLOCK_LIMITS.actions) return `actions takes 1 to ${BLOCK_LIMITS.actions} elements`;
  const ids = new Set<string>();
  for (const element of elements) {
    const id = textAt(element, "action_id") ?? "";
    if (id === "" || id.length > BLOCK_LIMITS.actionId) return "action_id must be 1 to 255 characters";
    // Equal action ids in one block refuse the whole message (O68).
    if (ids.has(id)) return `action_id "${id}" already exists in this block`;
    ids.add(id);
    const problem = elementProblem(element);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function elementProblem(element: unknown): string | undefined {
  if (textAt(element, "type") === "static_select") return selectProblem(element);
  if (textAt(element, "type") !== "button") return `unsupported element: ${textAt(element, "type") ?? "missing"}`;
  const value = textAt(element, "value");
  if (value !== undefined && value.length > BLOCK_LIMITS.buttonValue) return "value must be at most 2000 characters";
  const style = textAt(element, "style");
  if (style !== undefined && style !== "primary" && style !== "danger") return `invalid style ${style}`;
  return plainProblem(objectAt(element, "text"), BLOCK_LIMITS.buttonText);
}

function selectProblem(element: unknown): string | undefined {
  const options = listAt(element, "options");
  if (options.length === 0 || options.length > BLOCK_LIMITS.selectOptions) return "a select takes 1 to 100 options";
  const placeholder = objectAt(element, "placeholder");
  const fault = placeholder === undefined ? undefined : plainProblem(placeholder, BLOCK_LIMITS.placeholder);
  if (fault !== undefined) return fault;
  const values = new Set<string>();
  for (const option of options) {
    const value = textAt(option, "value") ?? "";
    if (value === "" || value.length > BLOCK_LIMITS.optionValue) return "an option's value must be 1 to 150 characters";
    if (values.has(value)) return `option value "${value}" already exists`;
    values.add(value);
    const problem = plainProblem(objectAt(option, "text"), BLOCK_LIMITS.optionText);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const RICH_CONTAINERS = ["rich_text_section", "rich_text_quote", "rich_text_preformatted", "rich_text_list"];

function richTextProblem(block: unknown): string | undefined {
  const containers = listAt(block, "elements");
  if (containers.length === 0) return "rich_text needs elements";
  for (const container of containers) {
    const type = textAt(container, "type") ?? "missing";
    if (!RICH_CONTAINERS.includes(type)) return `unsupported rich text container: ${type}`;
    for (const element of listAt(container, "elements")) {
      const problem = type === "rich_text_list" ? richTextProblem({ elements: [element] }) : richElementProblem(element, type);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function richElementProblem(element: unknown, container: string): string | undefined {
  const type = textAt(element, "type");
  if (type === "text") return (textAt(element, "text") ?? "") === "" ? "text of a rich text element must not be empty" : undefined;
  if (type === "link") return textAt(element, "url") === undefined ? "link needs url" : undefined;
  const mention = type === "user" || type === "broadcast" || type === "channel" || type === "emoji" || type === "usergroup";
  return mention && container !== "rich_text_preformatted" ? undefined : `unsupported rich text element: ${type ?? "missing"}`;
}

function inputProblem(block: unknown): string | undefined {
  const label = plainProblem(objectAt(block, "label"), BLOCK_LIMITS.inputLabel);
  if (label !== undefined) return label;
  const hint = objectAt(block, "hint");
  const hintFault = hint === undefined ? undefined : plainProblem(hint, BLOCK_LIMITS.inputHint);
  if (hintFault !== undefined) return hintFault;
  const element = objectAt(block, "element");
  const type = textAt(element, "type") ?? "missing";
  if (!INPUT_ELEMENTS.includes(type)) return `unsupported input element: ${type}`;
  if (type !== "plain_text_input") return type === "static_select" ? selectProblem(element) : undefined;
  const placeholder = objectAt(element, "placeholder");
  const fault = placeholder === undefined ? undefined : plainProblem(placeholder, BLOCK_LIMITS.placeholder);
  if (fault !== undefined) return fault;
  const min = numberAt(element, "min_length") ?? 0;
  const max = numberAt(element, "max_length") ?? BLOCK_LIMITS.inputMax;
  if (min < 0 || min > BLOCK_LIMITS.inputMax || max < 1 || max > BLOCK_LIMITS.inputMax || min > max)
    return "min_length and max_length: 0 to 3000";
  return (textAt(element, "initial_value") ?? "").length > BLOCK_LIMITS.inputMax ? "initial_value is too long" : undefined;
}

/** Why a view cannot be opened. */
export function viewProblem(view: Json): string | undefined {
  if (textAt(view, "type") !== "modal") return "view type must be modal";
  for (const key of ["title", "submit", "close"]) {
    const text = objectAt(view, key);
    if (text === undefined && key !== "title") continue;
    const problem = plainProblem(text, BLOCK_LIMITS.viewTitle);
    if (problem !== undefined) return `${key}: ${problem}`;
  }
  if ((textAt(view, "private_metadata") ?? "").length > BLOCK_LIMITS.privateMetadata) return "private_metadata is longer than 3000";
  if ((textAt(view, "callback_id") ?? "").length > BLOCK_LIMITS.callbackId) return "callback_id is longer than 255";
  const blocks = listAt(view, "blocks");
  if (blocks.some((block) => textAt(block, "type") === "input") && objectAt(view, "submit") === undefined) return "submit is missing";
  return blocksProblem(blocks, "view")?.detail;
}

/** What blocks weigh against the cap on all of them together. */
function weight(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + weight(entry), 0);
  if (!isObject(value)) return 0;
  const own = (textAt(value, "text") ?? "").length + BLOCK_LIMITS.perObject;
  return Object.values(value).reduce<number>((sum, entry) => sum + (typeof entry === "object" ? weight(entry) : 0), own);
}
