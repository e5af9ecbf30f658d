/**
 * The Web API methods that write: chat.*, views.*.
 *
 * Sources: docs.slack.dev method pages (errors named there), Block Kit reference, "Handling user interaction" (trigger ids),
 * platforms.md section 4.1.
 */
import { blocksProblem, viewProblem } from "./block-rules.js";
import { isObject, type Json, listAt, objectAt, parseJson, textAt } from "./json.js";
import { SlackRefusal } from "./refusal.js";
import type { SlackWorkspace, StoredConversation, StoredMessage } from "./state.js";

/** Longer `text` is cut by chat.postMessage. Source: docs.slack.dev chat.postMessage, "Truncating content". */
const TEXT_CUT = 40_000;
/** chat.update refuses longer `text`. Source: docs.slack.dev chat.update, error msg_too_long. */
const UPDATE_TEXT_MAX = 4_000;
const TS = /^\d{10}\.\d{6}$/;

/** An argument that may come as a JSON string inside a form. */
function nested(args: Json, key: string): unknown {
  const value = args[key];
  return typeof value === "string" ? parseJson(value) : value;
}

/** A message as the API and events show it. */
export function messageJson(workspace: SlackWorkspace, message: StoredMessage, { metadata }: { readonly metadata: boolean }): Json {
  const replies = workspace.conversations
    .get(message.conversation)
    ?.messages.filter(({ threadTs, onlyTo }) => threadTs === message.ts && onlyTo === undefined);
  const ours = message.user === workspace.botUserId;
  return {
    type: "message",
    user: message.user,
    ts: message.ts,
    text: message.text,
    team: workspace.teamId,
    blocks: message.blocks,
    ...(ours ? { bot_id: workspace.botId, app_id: "A0SIM" } : { client_msg_id: `client-${message.ts}` }),
    ...(message.subtype === undefined ? {} : { subtype: message.subtype }),
    ...(message.attachments === undefined ? {} : { attachments: message.attachments }),
    ...(message.files === undefined ? {} : { files: message.files }),
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    ...(replies !== undefined && replies.length > 0 ? { thread_ts: message.ts, reply_count: replies.length } : {}),
    ...(message.editedAtMs === undefined ? {} : { edited: { user: message.user, ts: String(message.editedAtMs / 1_000) } }),
    ...(metadata && message.metadata !== undefined ? { metadata: message.metadata } : {}),
  };
}

/** The conversation a write goes to; refuses what Slack refuses. */
function writable(workspace: SlackWorkspace, id: string | undefined): StoredConversation {
  const conversation = id === undefined ? undefined : workspace.conversations.get(id);
  if (conversation === undefined) throw new SlackRefusal("channel_not_found");
  if (!conversation.members.has(workspace.botUserId)) throw new SlackRefusal("not_in_channel");
  if (conversation.archived) throw new SlackRefusal("is_archived");
  // The nearest Slack has to a person who closed their direct chat to the bot.
  const closed = conversation.direct && [...conversation.members].some((id) => workspace.users.get(id)?.blocksBot === true);
  if (closed) throw new SlackRefusal("messages_tab_disabled");
  return conversation;
}

type Content = { readonly text: string; readonly blocks: readonly Json[] };

function contentOf(workspace: SlackWorkspace, args: Json): Content {
  const given = args["blocks"] === undefined ? [] : nested(args, "blocks");
  if (!Array.isArray(given)) throw new SlackRefusal("invalid_blocks_format");
  const text = textAt(args, "text") ?? "";
  if (text === "" && given.length === 0) throw new SlackRefusal("no_text");
  const problem = blocksProblem(given, "message");
  if (problem !== undefined) throw new SlackRefusal(problem.code, { response_metadata: { messages: [`[ERROR] ${problem.detail}`] } });
  const blocks = given.filter(isObject).map((block) => ({ block_id: `b${workspace.serial()}`, ...block }));
  return { text: text.slice(0, TEXT_CUT), blocks };
}

function threadOf(args: Json): { readonly threadTs?: string } {
  const thread = textAt(args, "thread_ts");
  if (thread === undefined) return {};
  if (!TS.test(thread)) throw new SlackRefusal("invalid_thread_ts");
  return { threadTs: thread };
}

function metadataOf(args: Json): { readonly metadata?: Json } {
  if (args["metadata"] === undefined) return {};
  const metadata = nested(args, "metadata");
  if (!isObject(metadata) || textAt(metadata, "event_type") === undefined || objectAt(metadata, "event_payload") === undefined) {
    throw new SlackRefusal("invalid_metadata_format");
  }
  return { metadata };
}

/** chat.postMessage. */
export function postMessage(workspace: SlackWorkspace, args: Json): Json & { readonly stored: StoredMessage } {
  const conversation = writable(workspace, textAt(args, "channel"));
  const content = contentOf(workspace, args);
  const stored = workspace.add({
    conversation: conversation.id,
    user: workspace.botUserId,
    ...content,
    ...threadOf(args),
    ...metadataOf(args),
  });
  return { channel: conversation.id, ts: stored.ts, message: messageJson(workspace, stored, { metadata: true }), stored };
}

/** chat.update. */
export function updateMessage(workspace: SlackWorkspace, args: Json): Json & { readonly stored: StoredMessage } {
  const conversation = writable(workspace, textAt(args, "channel"));
  const message = workspace.message(conversation.id, textAt(args, "ts") ?? "");
  if (message === undefined || message.onlyTo !== undefined) throw new SlackRefusal("message_not_found");
  if (message.user !== workspace.botUserId) throw new SlackRefusal("cant_update_message");
  if ((textAt(args, "text") ?? "").length > UPDATE_TEXT_MAX) throw new SlackRefusal("msg_too_long");
  const content = contentOf(workspace, args);
  message.text = content.text;
  message.former = [...(message.former ?? []), ...message.blocks];
  message.blocks = content.blocks;
  message.editedAtMs = workspace.now();
  workspace.changed();
  return {
    channel: conversation.id,
    ts: message.ts,
    text: message.text,
    message: messageJson(workspace, message, { metadata: true }),
    stored: message,
  };
}

/** chat.postEphemeral. */
export function postEphemeral(workspace: SlackWorkspace, args: Json): Json {
  const conversation = writable(workspace, textAt(args, "channel"));
  const user = textAt(args, "user") ?? "";
  if (!conversation.members.has(user)) throw new SlackRefusal("user_not_in_channel");
  const stored = workspace.add({
    conversation: conversation.id,
    user: workspace.botUserId,
    onlyTo: user,
    ...contentOf(workspace, args),
    ...threadOf(args),
  });
  return { message_ts: stored.ts };
}

/** views.open: a fresh trigger, used once, within its life. */
export function openView(workspace: SlackWorkspace, args: Json, triggerMs: number): Json {
  const trigger = workspace.triggers.get(textAt(args, "trigger_id") ?? "");
  if (trigger === undefined) throw new SlackRefusal("invalid_trigger_id");
  if (trigger.used) throw new SlackRefusal("exchanged_trigger_id");
  if (workspace.now() - trigger.madeAtMs > triggerMs) throw new SlackRefusal("expired_trigger_id");
  const view = nested(args, "view");
  const problem = isObject(view) ? viewProblem(view) : "view must be an object";
  if (!isObject(view) || problem !== undefined) {
    throw new SlackRefusal("invalid_arguments", { response_metadata: { messages: [`[ERROR] ${problem}`] } });
  }
  trigger.used = true;
  const serial = workspace.serial();
  const blocks = listAt(view, "blocks").filter(isObject);
  const stored = {
    id: `V0${serial}`,
    hash: `${Math.floor(workspace.now() / 1_000)}.h${serial}`,
    view: { ...view, blocks: blocks.map((block) => ({ block_id: `b${workspace.serial()}`, ...block })) },
    triggerId: trigger.id,
    user: trigger.user,
  };
  workspace.views.push(stored);
  workspace.changed();
  return { view: { id: stored.id, team_id: workspace.teamId, hash: stored.hash, ...stored.view } };
}

/** Five uses within 30 minutes. Source: docs.slack.dev "Handling user interaction". */
const RESPONSE_URL_USES = 5;
const RESPONSE_URL_MS = 30 * 60_000;

/** POST to a response_url: a private message, or a change of the ephemeral message it came from. */
export function respond(workspace: SlackWorkspace, id: string, args: Json): Json {
  const target = workspace.responseUrls.get(id);
  if (target === undefined) throw new SlackRefusal("invalid_url");
  if (workspace.now() - target.madeAtMs > RESPONSE_URL_MS) throw new SlackRefusal("expired_url");
  if (target.uses >= RESPONSE_URL_USES) throw new SlackRefusal("used_url");
  target.uses += 1;
  if (args["delete_original"] === true) {
    workspace.remove(target.conversation, target.messageTs);
    return {};
  }
  const content = contentOf(workspace, args);
  const original = workspace.message(target.conversation, target.messageTs);
  if (args["replace_original"] === true && original !== undefined) {
    original.text = content.text;
    original.blocks = content.blocks;
    original.editedAtMs = workspace.now();
    workspace.changed();
    return {};
  }
  const shared = args["response_type"] === "in_channel" ? {} : { onlyTo: target.user };
  workspace.add({ conversation: target.conversation, user: workspace.botUserId, ...shared, ...content, ...threadOf(args) });
  return {};
}
