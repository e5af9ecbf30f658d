/**
 * The payloads that Slack sends to an app: events and interactions.
 *
 * Sources: docs.slack.dev reference of the `message` event and its subtypes, "block_actions payload", "view_submission payload".
 */
import { messageJson } from "./chat-methods.js";
import { type Json, listAt, objectAt, textAt } from "./json.js";
import type { SlackWorkspace, StoredMessage, StoredUser, StoredView } from "./state.js";

const APP = "A0SIM";

/** The outer part of every event. */
export function eventBody(workspace: SlackWorkspace, event: Json): Json {
  return {
    token: "verification",
    team_id: workspace.teamId,
    api_app_id: APP,
    event,
    type: "event_callback",
    event_id: `Ev0${workspace.serial()}`,
    event_time: Math.floor(workspace.now() / 1_000),
    authorizations: [
      { enterprise_id: null, team_id: workspace.teamId, user_id: workspace.botUserId, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
    event_context: `ec-${workspace.serial()}`,
  };
}

function place(message: StoredMessage): Json {
  return { channel: message.conversation, channel_type: message.conversation.startsWith("D") ? "im" : "channel" };
}

/** A new message. */
export function messageEvent(workspace: SlackWorkspace, message: StoredMessage): Json {
  const { user, ...shown } = messageJson(workspace, message, { metadata: false });
  return eventBody(workspace, { ...shown, user, ...place(message), event_ts: message.ts });
}

/** An edit, or a link that was unfurled. */
export function changedEvent(workspace: SlackWorkspace, message: StoredMessage, previousText: string, extra: Json = {}): Json {
  const shown = messageJson(workspace, message, { metadata: false });
  return eventBody(workspace, {
    type: "message",
    subtype: "message_changed",
    hidden: true,
    ts: workspace.nextTs(),
    event_ts: message.ts,
    ...place(message),
    message: { ...shown, ...extra },
    previous_message: { ...shown, text: previousText },
  });
}

/** A deletion. */
export function deletedEvent(workspace: SlackWorkspace, message: StoredMessage): Json {
  const previous = messageJson(workspace, message, { metadata: false });
  const event = { type: "message", subtype: "message_deleted", hidden: true, deleted_ts: message.ts, previous_message: previous };
  return eventBody(workspace, { ...event, ts: workspace.nextTs(), event_ts: message.ts, ...place(message) });
}

function interaction(workspace: SlackWorkspace, user: StoredUser, triggerId: string): Json {
  return {
    user: { id: user.id, username: user.name.toLowerCase(), name: user.name, team_id: workspace.teamId },
    api_app_id: APP,
    token: "verification",
    team: { id: workspace.teamId, domain: "acme" },
    enterprise: null,
    is_enterprise_install: false,
    trigger_id: triggerId,
  };
}

/** A pressed button or a menu entry that was chosen; `action` is the element's own part. */
export function blockActions(
  workspace: SlackWorkspace,
  {
    user,
    message,
    triggerId,
    responseUrl,
    action,
  }: { user: StoredUser; message: StoredMessage; triggerId: string; responseUrl: string; action: Json },
): Json {
  const ephemeral = message.onlyTo !== undefined;
  const thread = message.threadTs === undefined ? {} : { thread_ts: message.threadTs };
  return {
    type: "block_actions",
    ...interaction(workspace, user, triggerId),
    container: { type: "message", message_ts: message.ts, channel_id: message.conversation, is_ephemeral: ephemeral, ...thread },
    channel: { id: message.conversation, name: workspace.conversations.get(message.conversation)?.name ?? "" },
    // An ephemeral message is not in the payload.
    ...(ephemeral ? {} : { message: messageJson(workspace, message, { metadata: true }) }),
    state: { values: {} },
    response_url: responseUrl,
    actions: [{ ...action, action_ts: workspace.nextTs() }],
  };
}

/** A modal that was sent, with what stands in its fields by block id. */
export function viewSubmission(
  workspace: SlackWorkspace,
  user: StoredUser,
  stored: StoredView,
  values: Readonly<Record<string, string | null>>,
): Json {
  const inputs = listAt(stored.view, "blocks").filter((block) => textAt(block, "type") === "input");
  const state = Object.fromEntries(
    inputs.map((block) => {
      const id = textAt(block, "block_id") ?? "";
      const action = textAt(objectAt(block, "element"), "action_id") ?? "action";
      return [id, { [action]: { type: "plain_text_input", value: values[id] ?? null } }];
    }),
  );
  return {
    type: "view_submission",
    ...interaction(workspace, user, `trigger-${workspace.serial()}`),
    view: {
      id: stored.id,
      team_id: workspace.teamId,
      hash: stored.hash,
      previous_view_id: null,
      root_view_id: stored.id,
      app_id: APP,
      external_id: "",
      app_installed_team_id: workspace.teamId,
      bot_id: workspace.botId,
      ...stored.view,
      state: { values: state },
    },
    response_urls: [],
  };
}
