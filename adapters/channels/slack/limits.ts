/**
 * Slack's numbers and error codes, in one place. Checked 2026-12-01.
 *
 * Sources: `@slack/types` 3.2.0 typed reference and docs.slack.dev Block Kit reference (sizes), docs.slack.dev method pages (error
 * codes), docs.slack.dev "Verifying requests from Slack" (age), both gathered in platforms.md section 4.1.
 */
import type { DeliveryCode } from "../../../src/ports/channel.js";

/** Blocks of one message. */
export const MESSAGE_BLOCKS_MAX = 50;
/** Characters of one section's text; kept for rich text blocks too, whose limit is not documented. */
export const SECTION_MAX = 3_000;
/**
 * What all blocks of one message may weigh: their text plus 30 for each object. Slack documents no limit; bolt-js issue 2509 measured
 * about 13,200 characters, issue 2867 saw 11,341 characters of rich text refused.
 */
export const MESSAGE_WEIGHT_MAX = 12_000;
/** What each object of a block adds to its weight, whatever it holds. */
export const OBJECT_WEIGHT = 30;
/** Characters of a button's text, and of a menu entry's text. */
export const LABEL_MAX = 75;
/** Entries of one static select. */
export const MENU_MAX = 100;
/** What all labels of one menu may weigh together with their objects: leaves room for the rest of the message. */
export const MENU_WEIGHT_MAX = 9_000;
/** As many options are buttons; more are a menu. */
export const OPTION_BUTTONS_MAX = 5;
/** Elements of one actions block. */
export const ACTIONS_MAX = 25;
/** Notification text: chat.update refuses more than 4,000 (msg_too_long). */
export const FALLBACK_MAX = 3_000;
/** Modal title and buttons. */
export const MODAL_TITLE_MAX = 24;
/** Label and hint of a modal's input. */
export const INPUT_LABEL_MAX = 2_000;
/** Placeholder of a menu or an input. */
export const PLACEHOLDER_MAX = 150;
/** Longest value of a plain_text_input. */
export const INPUT_MAX = 3_000;
/** `private_metadata` of a view. */
export const PRIVATE_METADATA_MAX = 3_000;
/** A signed request may be this old, either way. */
export const REQUEST_AGE_MAX_S = 300;
/** Largest body taken in HTTP mode, in bytes; Slack's payloads are a small part of it. */
export const REQUEST_BODY_MAX = 1_048_576;
/** Connections that one account keeps open, so that a refresh never leaves it deaf (platforms.md section 2.3, item 5). */
export const SOCKETS = 2;

/** Event type of the metadata that marks our prompts, by which a send whose response was lost is found again. */
export const MARKER_EVENT = "handraise_prompt";

/** What a Slack error code means for us. `unknown`: it may have been carried out. */
type Verdict =
  | { readonly kind: "refused"; readonly code: DeliveryCode }
  | { readonly kind: "later"; readonly code: DeliveryCode }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown" };

const refused = (code: DeliveryCode): Verdict => ({ kind: "refused", code });
const GONE: Verdict = { kind: "gone" };
const UNKNOWN: Verdict = { kind: "unknown" };

/** Error codes by meaning (docs.slack.dev: chat.postMessage, chat.update, chat.postEphemeral, conversations.*, auth.test). */
const VERDICTS: Readonly<Record<string, Verdict>> = {
  not_in_channel: refused("not_member"),
  channel_not_found: refused("not_found"),
  user_not_found: refused("not_found"),
  users_not_found: refused("not_found"),
  user_not_visible: refused("not_found"),
  thread_not_found: refused("not_found"),
  invalid_thread_ts: refused("not_found"),
  is_archived: refused("archived"),
  user_disabled: refused("blocked"),
  messages_tab_disabled: refused("blocked"),
  cannot_dm_bot: refused("forbidden"),
  restricted_action: refused("forbidden"),
  restricted_action_read_only_channel: refused("forbidden"),
  restricted_action_thread_only_channel: refused("forbidden"),
  restricted_action_non_threadable_channel: refused("forbidden"),
  restricted_action_thread_locked: refused("forbidden"),
  access_denied: refused("forbidden"),
  ekm_access_denied: refused("forbidden"),
  missing_scope: refused("forbidden"),
  no_permission: refused("forbidden"),
  not_allowed_token_type: refused("forbidden"),
  team_access_not_granted: refused("forbidden"),
  enterprise_is_restricted: refused("forbidden"),
  org_login_required: refused("forbidden"),
  account_inactive: refused("unauthenticated"),
  invalid_auth: refused("unauthenticated"),
  not_authed: refused("unauthenticated"),
  token_expired: refused("unauthenticated"),
  token_revoked: refused("unauthenticated"),
  msg_too_long: refused("too_long"),
  msg_blocks_too_long: refused("too_long"),
  message_not_found: GONE,
  cant_update_message: GONE,
  edit_window_closed: GONE,
  ratelimited: { kind: "later", code: "rate_limited" },
  rate_limited: { kind: "later", code: "rate_limited" },
  fatal_error: UNKNOWN,
  internal_error: UNKNOWN,
  service_unavailable: UNKNOWN,
  request_timeout: UNKNOWN,
};

/** The meaning of an error code. Words we do not know are a refusal; what is no code at all (a page of HTML) is unknown. */
export function verdictOf(code: string): Verdict {
  if (Object.hasOwn(VERDICTS, code)) return VERDICTS[code] ?? UNKNOWN;
  return /^[a-z][a-z0-9_]{2,80}$/.test(code) ? refused("rejected") : UNKNOWN;
}

/** Scopes of the bot token, and what each is for; `doctor` names those that are missing. */
export const NEEDED_SCOPES: readonly { readonly scope: string; readonly why: string }[] = [
  { scope: "chat:write", why: "to show prompts" },
  { scope: "im:write", why: "to write to a person" },
  { scope: "im:history", why: "to read replies in direct chats" },
  { scope: "channels:history", why: "to read replies in channels" },
  { scope: "groups:history", why: "to read replies in private channels" },
  { scope: "channels:read", why: "to find channels by name" },
  { scope: "groups:read", why: "to find private channels by name" },
  { scope: "users:read", why: "to show names" },
];
