/**
 * Inbound, pure: what Slack sends, as our inputs. Everything unknown gives null: acknowledged and dropped.
 *
 * I1  An input is known by team/channel/ts, team/user/message ts/action_id/action_ts, view id/hash (R21). A retry mark plays no part
 *     in it and is never a reason to drop (B037).
 * I2  Only plain messages of people are text: changes, deletions, system messages and everything written by a bot are dropped
 *     (B150, B151). A file without words, or a shared message, is unreadable and may earn a hint.
 * I3  Who pressed or typed is read from the payload's own user, never from text (R12).
 */
import { z } from "zod";
import type { Input, MessageRef, Press, Submit, Typed, Unreadable } from "../../../src/core/input.js";

/** Who we are in this workspace, from auth.test. */
export type Identity = { readonly account: string; readonly teamId: string; readonly botUserId: string; readonly botId: string };

const ts = z.string().regex(/^\d{1,12}\.\d{1,6}$/);

/** A `ts` as text that compares in the platform's order: both halves padded. */
export function orderOf(stamp: string): string {
  const [seconds = "", fraction = ""] = stamp.split(".");
  return `${seconds.padStart(12, "0")}.${fraction.padEnd(6, "0")}`;
}

/** A message by its `ts`. */
export function messageRef(stamp: string): MessageRef {
  return { id: stamp, order: orderOf(stamp) };
}

/** Direct chats begin with D. Source: docs.slack.dev, conversation object (`is_im`). */
export function isDirect(conversation: string): boolean {
  return conversation.startsWith("D");
}

const user = z.object({ id: z.string().min(1), name: z.string().optional(), username: z.string().optional() });
const blockActions = z.object({
  type: z.literal("block_actions"),
  user,
  container: z.object({ message_ts: ts, channel_id: z.string().min(1), thread_ts: ts.optional() }),
  message: z.object({ thread_ts: ts.optional() }).optional(),
  response_url: z.string().optional(),
  trigger_id: z.string().optional(),
  actions: z
    .array(
      z.object({
        type: z.string(),
        action_id: z.string().min(1),
        action_ts: z.string().min(1),
        value: z.string().optional(),
        text: z.object({ text: z.string() }).nullish(),
        selected_option: z.object({ value: z.string(), text: z.object({ text: z.string() }).nullish() }).nullish(),
      }),
    )
    .min(1),
});

/** A press, the trigger that may open one modal within 3 s, and the words on what was pressed. */
type Pressed = { readonly input: Press; readonly trigger: string | undefined; readonly label: string };

/** Reads a press. Null when it is not one of a message's buttons or menus. */
export function pressOf(body: unknown, identity: Identity): Pressed | null {
  const parsed = blockActions.safeParse(body);
  const action = parsed.data?.actions[0];
  if (!parsed.success || action === undefined) return null;
  const token = action.type === "button" ? action.value : action.type === "static_select" ? action.selected_option?.value : undefined;
  if (token === undefined) return null;
  const { user: who, container, message, response_url: handle, trigger_id: trigger } = parsed.data;
  const thread = container.thread_ts ?? message?.thread_ts;
  const input: Press = {
    kind: "press",
    id: [identity.teamId, who.id, container.message_ts, action.action_id, action.action_ts].join("/"),
    account: identity.account,
    channel: "slack",
    conversation: container.channel_id,
    direct: isDirect(container.channel_id),
    sender: { userId: who.id, name: who.name ?? who.username ?? who.id },
    token,
    message: messageRef(container.message_ts),
    ...(action.type === "static_select" ? { from: "menu" as const } : {}),
    // The parent of a thread carries its own ts as thread_ts once somebody replied: it is not in the thread.
    ...(thread === undefined || thread === container.message_ts ? {} : { thread }),
    ...(handle === undefined || handle.length > 2_000 ? {} : { handle }),
  };
  return { input, trigger, label: (action.selected_option?.text ?? action.text)?.text ?? "" };
}

/** What a modal remembers of the press that opened it. */
type FormOrigin = { readonly conversation: string; readonly thread?: string | undefined; readonly handle?: string | undefined };

const formOrigin = z.object({ conversation: z.string().min(1), thread: ts.optional(), handle: z.string().max(2_000).optional() });

/** As `private_metadata`. */
export function formatOrigin(press: Press): string {
  const { conversation, thread, handle } = press;
  return JSON.stringify({ conversation, ...(thread && { thread }), ...(handle && { handle }) } satisfies FormOrigin);
}

const viewSubmission = z.object({
  type: z.literal("view_submission"),
  user,
  view: z.object({
    id: z.string().min(1),
    hash: z.string().min(1),
    callback_id: z.string().min(1),
    private_metadata: z.string(),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() }))) }),
  }),
});

/** A modal that was sent: its values by field key (our block ids), and all its fields. Null when the modal is not ours. */
export function submitOf(body: unknown, identity: Identity): { readonly input: Submit; readonly fields: readonly string[] } | null {
  const parsed = viewSubmission.safeParse(body);
  if (!parsed.success) return null;
  const { user: who, view } = parsed.data;
  const origin = formOrigin.safeParse(jsonOf(view.private_metadata));
  if (!origin.success) return null;
  const { conversation, thread, handle } = origin.data;
  const values = Object.entries(view.state.values).flatMap(([key, field]) => {
    const value = field[key]?.value;
    return value === undefined || value === null ? [] : [[key, value] as const];
  });
  const input: Submit = {
    kind: "submit",
    id: `${view.id}/${view.hash}`,
    account: identity.account,
    channel: "slack",
    conversation,
    direct: isDirect(conversation),
    sender: { userId: who.id, name: who.name ?? who.username ?? who.id },
    token: view.callback_id,
    values: Object.fromEntries(values),
    ...(thread === undefined ? {} : { thread }),
    ...(handle === undefined ? {} : { handle }),
  };
  return { input, fields: Object.keys(view.state.values) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const message = z.object({
  type: z.literal("message"),
  subtype: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  ts,
  thread_ts: ts.optional(),
  text: z.string().nullish(),
  files: z.array(z.unknown()).optional(),
  attachments: z.array(z.object({ is_share: z.boolean().optional() })).optional(),
  blocks: z.unknown().optional(),
  user_profile: z.object({ real_name: z.string().optional(), display_name: z.string().optional() }).optional(),
});

/** Message events that a person wrote. `thread_broadcast` is a reply in a thread that was also shown in the channel. */
const WRITTEN_SUBTYPES: readonly (string | undefined)[] = [undefined, "file_share", "thread_broadcast"];

/** A message of a conversation, from an event or read back from history. Null when it is not a person's own message. */
export function messageOf(body: unknown, conversation: string, identity: Identity): Typed | Unreadable | null {
  const parsed = message.safeParse(body);
  if (!parsed.success) return null;
  const { user: who, bot_id: bot, subtype, ts: stamp, thread_ts: thread, user_profile: profile, attachments } = parsed.data;
  if (who === undefined || (bot ?? null) !== null || who === identity.botUserId || who === "USLACKBOT") return null;
  if (!WRITTEN_SUBTYPES.includes(subtype)) return null;
  const common = {
    id: `${identity.teamId}/${conversation}/${stamp}`,
    account: identity.account,
    channel: "slack",
    conversation,
    direct: isDirect(conversation),
    sender: { userId: who, name: profile?.display_name || profile?.real_name || who },
    message: messageRef(stamp),
    ...(thread === undefined || thread === stamp ? {} : { thread }),
  } as const;
  if (attachments?.some(({ is_share }) => is_share === true) === true) return { ...common, kind: "unreadable", why: "forwarded" };
  const text = typedText(parsed.data.text ?? "", parsed.data.blocks, identity);
  if (text.trim() === "") return { ...common, kind: "unreadable", why: (parsed.data.files ?? []).length > 0 ? "media" : "empty" };
  return { ...common, kind: "text", text };
}

const messageEvent = z.object({
  team_id: z.string().optional(),
  authorizations: z.array(z.object({ team_id: z.string().nullish() })).optional(),
  event: z.looseObject({ type: z.literal("message"), channel: z.string().min(1), channel_type: z.string().optional() }),
});

/** A message event. `foreign`: it belongs to another workspace than this account's (B088) and must not be confirmed by it. */
export function eventOf(body: unknown, identity: Identity): Input | "foreign" | null {
  const parsed = messageEvent.safeParse(body);
  if (!parsed.success) return null;
  const { team_id: team, authorizations, event } = parsed.data;
  const installed = authorizations?.[0]?.team_id ?? team;
  if (installed !== undefined && installed !== identity.teamId) return "foreign";
  return messageOf(event, event.channel, identity);
}

const ANGLED = /<([^<>]*)>/g;

/**
 * Typed text as the person wrote it: links and mentions out of their angle brackets, the three entities decoded once, emoji names
 * back to the emoji that were typed, a leading mention of the bot removed.
 * Source: docs.slack.dev "Formatting message text", rich text `emoji` element (`unicode`).
 */
export function typedText(text: string, blocks: unknown, { botUserId }: Pick<Identity, "botUserId">): string {
  const bare = text.replace(new RegExp(`^\\s*<@${botUserId}(?:\\|[^>]*)?>[\\s,:]*`), "");
  const plain = bare.replace(ANGLED, (_, inner: string) => {
    const [target = "", label] = inner.split("|");
    if (target.startsWith("@")) return `@${label ?? target.slice(1)}`;
    if (target.startsWith("#")) return `#${label ?? target.slice(1)}`;
    if (target.startsWith("!")) return label ?? `@${target.slice(1)}`;
    return label ?? target;
  });
  const emoji = emojiOf(blocks);
  return decodeEntities(plain.replace(/:([a-z0-9_+'-]+):/g, (name, key: string) => emoji.get(key) ?? name));
}

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => (name === "amp" ? "&" : name === "lt" ? "<" : ">"));
}

const emojiElement = z.object({
  type: z.literal("emoji"),
  name: z.string(),
  unicode: z.string().regex(/^[0-9a-f]{2,6}(-[0-9a-f]{2,6})*$/i),
});

/** Emoji of a message's rich text, by their Slack name. */
function emojiOf(blocks: unknown, found = new Map<string, string>(), depth = 0): ReadonlyMap<string, string> {
  if (typeof blocks !== "object" || blocks === null || depth > 8) return found;
  const parsed = emojiElement.safeParse(blocks);
  if (parsed.success) {
    const points = parsed.data.unicode.split("-").map((hex) => Number.parseInt(hex, 16));
    if (points.every((point) => point <= 0x10ffff)) found.set(parsed.data.name, String.fromCodePoint(...points));
  }
  for (const inner of Object.values(blocks)) emojiOf(inner, found, depth + 1);
  return found;
}
