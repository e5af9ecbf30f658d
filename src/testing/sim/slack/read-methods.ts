/**
 * The Web API methods that read or open: auth.test, conversations.*, users.info.
 *
 * Sources: docs.slack.dev method pages (errors, paging by cursor, `oldest` exclusive unless `inclusive`), platforms.md section 4.1.
 */
import { messageJson } from "./chat-methods.js";
import { flagAt, type Json, numberAt, textAt } from "./json.js";
import { SlackRefusal } from "./refusal.js";
import type { SlackWorkspace, StoredConversation, StoredMessage } from "./state.js";

/** auth.test of the bot token. */
export function authTest(workspace: SlackWorkspace): Json {
  return {
    url: "https://acme.slack.example/",
    team: "acme",
    user: "handraise",
    team_id: workspace.teamId,
    user_id: workspace.botUserId,
    bot_id: workspace.botId,
    is_enterprise_install: false,
  };
}

/** conversations.open with one user: the direct chat with the bot. */
export function openConversation(workspace: SlackWorkspace, args: Json): Json {
  const user = workspace.users.get(textAt(args, "users") ?? "");
  if (user === undefined) throw new SlackRefusal(textAt(args, "users") === workspace.botUserId ? "cannot_dm_bot" : "user_not_found");
  if (user.blocksBot) throw new SlackRefusal("user_disabled");
  return { channel: { id: user.direct } };
}

/** conversations.list: channels, not direct chats, in pages of `limit`. */
export function listConversations(workspace: SlackWorkspace, args: Json): Json {
  const all = [...workspace.conversations.values()].filter(
    ({ direct, archived }) => !direct && !(archived && flagAt(args, "exclude_archived")),
  );
  const { page, next } = paged(all, args);
  return { channels: page.map((conversation) => conversationJson(workspace, conversation)), response_metadata: { next_cursor: next } };
}

function conversationJson(workspace: SlackWorkspace, { id, name, direct, archived, members }: StoredConversation): Json {
  return {
    id,
    name,
    is_channel: !direct,
    is_im: direct,
    is_archived: archived,
    is_member: members.has(workspace.botUserId),
    num_members: members.size,
  };
}

function known(workspace: SlackWorkspace, args: Json): StoredConversation {
  const conversation = workspace.conversations.get(textAt(args, "channel") ?? "");
  if (conversation === undefined) throw new SlackRefusal("channel_not_found");
  return conversation;
}

/** conversations.info. */
export function conversationInfo(workspace: SlackWorkspace, args: Json): Json {
  return { channel: conversationJson(workspace, known(workspace, args)) };
}

/** conversations.members. */
export function conversationMembers(workspace: SlackWorkspace, args: Json): Json {
  const { page, next } = paged([...known(workspace, args).members], args);
  return { members: page, response_metadata: { next_cursor: next } };
}

/** conversations.history: newest first, without thread replies. */
export function history(workspace: SlackWorkspace, args: Json): Json {
  const conversation = readable(workspace, args);
  const found = conversation.messages.filter((message) => message.threadTs === undefined && within(message, args)).reverse();
  return messagesPage(workspace, found, args);
}

/** conversations.replies: the parent, then its replies, oldest first. */
export function replies(workspace: SlackWorkspace, args: Json): Json {
  const conversation = readable(workspace, args);
  const ts = textAt(args, "ts") ?? "";
  const parent = conversation.messages.find((message) => message.ts === ts);
  const answers = conversation.messages.filter((message) => message.threadTs === ts && within(message, args));
  if (parent === undefined && answers.length === 0) throw new SlackRefusal("thread_not_found");
  const visible = [...(parent === undefined ? [] : [parent]), ...answers].filter(({ onlyTo }) => onlyTo === undefined);
  return messagesPage(workspace, visible, args);
}

function readable(workspace: SlackWorkspace, args: Json): StoredConversation {
  const conversation = known(workspace, args);
  if (!conversation.members.has(workspace.botUserId)) throw new SlackRefusal("not_in_channel");
  return conversation;
}

function within({ ts, onlyTo }: StoredMessage, args: Json): boolean {
  if (onlyTo !== undefined) return false;
  const at = Number(ts);
  const oldest = numberAt(args, "oldest") ?? 0;
  const latest = numberAt(args, "latest") ?? Number.POSITIVE_INFINITY;
  return flagAt(args, "inclusive") ? at >= oldest && at <= latest : at > oldest && at < latest;
}

function messagesPage(workspace: SlackWorkspace, found: readonly StoredMessage[], args: Json): Json {
  const { page, next } = paged(found, args);
  return {
    messages: page.map((message) => messageJson(workspace, message, { metadata: flagAt(args, "include_all_metadata") })),
    has_more: next !== "",
    response_metadata: { next_cursor: next },
  };
}

/** Pages of `limit` (default 100, at most 999) behind an opaque cursor. */
function paged<T>(all: readonly T[], args: Json): { readonly page: readonly T[]; readonly next: string } {
  const limit = Math.min(999, numberAt(args, "limit") ?? 100);
  const cursor = textAt(args, "cursor") ?? "";
  const start = cursor === "" ? 0 : Number(Buffer.from(cursor, "base64").toString("utf8").replace("at:", ""));
  if (!Number.isInteger(start)) throw new SlackRefusal("invalid_cursor");
  const end = start + limit;
  return { page: all.slice(start, end), next: end < all.length ? Buffer.from(`at:${end}`).toString("base64") : "" };
}

/** users.info. */
export function userInfo(workspace: SlackWorkspace, args: Json): Json {
  const user = workspace.users.get(textAt(args, "user") ?? "");
  if (user === undefined) throw new SlackRefusal("user_not_found");
  return {
    user: {
      id: user.id,
      team_id: workspace.teamId,
      name: user.name.toLowerCase(),
      real_name: user.name,
      deleted: false,
      is_bot: false,
      is_admin: false,
      is_owner: false,
      is_restricted: false,
      is_ultra_restricted: false,
      profile: { real_name: user.name, display_name: user.name },
    },
  };
}
