/**
 * The only user of the SDK (grammY): carries out calls and tells their fate.
 *
 * CL1  Every call is made once: grammY retries nothing by itself, and nothing is added here (C2).
 * CL2  What leaves this file holds no token: grammY's network errors carry the address, which does (B169). Only codes and Telegram's
 *      descriptions are kept, with the token struck out of those.
 */
import type { InlineKeyboardMarkup } from "@grammyjs/types";
import { Api, GrammyError, HttpError } from "grammy";
import type { Channel, ChannelContext } from "../../../src/ports/channel.js";
import type { BotApi, SendCall } from "./bot-api.js";
import { TelegramChannel } from "./channel.js";
import type { Failure, Outcome } from "./fate.js";
import { ALLOWED_UPDATES, UPDATES_MAX } from "./limits.js";
import type { TelegramSettings } from "./settings.js";

/** Above what Telegram holds a poll, in seconds: a poll that takes longer is lost. */
const POLL_MARGIN_S = 10;
/** Connection errors after which a call surely did not leave. Source: Node, system errors of connect and lookup. */
const UNSENT_CODES: readonly string[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
const NO_PREVIEW = { is_disabled: true } as const;

/** The Telegram channel of one account, on the real SDK. */
export function telegramClient(context: ChannelContext<TelegramSettings>): Channel {
  return new TelegramChannel(context, botApi(context.settings));
}

function botApi(settings: TelegramSettings): BotApi {
  const { token, requestTimeoutMs, pollTimeoutS, apiUrl } = settings;
  const root = apiUrl === undefined ? {} : { apiRoot: apiUrl };
  const calls = new Api(token, { ...root, timeoutSeconds: requestTimeoutMs / 1_000 }).raw;
  const polls = new Api(token, { ...root, timeoutSeconds: pollTimeoutS + POLL_MARGIN_S }).raw;
  const told = <T>(method: string, call: Promise<T>): Promise<Outcome<T>> => outcomeOf({ method, token }, call);
  return {
    getMe: async () =>
      map(await told("getMe", calls.getMe()), ({ id, username, can_read_all_group_messages }) => ({
        id,
        username,
        readsAllGroupMessages: can_read_all_group_messages,
      })),
    getUpdates: ({ offset, timeoutS, limit = UPDATES_MAX, signal }) =>
      told("getUpdates", polls.getUpdates({ offset, timeout: timeoutS, limit, allowed_updates: [...ALLOWED_UPDATES] }, signalOf(signal))),
    setWebhook: ({ url, secretToken }) =>
      told("setWebhook", calls.setWebhook({ url, secret_token: secretToken, allowed_updates: [...ALLOWED_UPDATES] })),
    deleteWebhook: () => told("deleteWebhook", calls.deleteWebhook({})),
    getWebhookInfo: async () =>
      map(await told("getWebhookInfo", calls.getWebhookInfo()), ({ url = "", pending_update_count, last_error_message }) => ({
        url,
        pending: pending_update_count,
        lastError: last_error_message,
      })),
    getChat: async (conversation) =>
      map(await told("getChat", calls.getChat({ chat_id: conversation })), ({ id, type, title, first_name }) => ({
        id,
        type,
        title: title ?? first_name ?? String(id),
      })),
    getChatMember: async ({ conversation, userId }) =>
      map(await told("getChatMember", calls.getChatMember({ chat_id: conversation, user_id: userId })), ({ status }) => status),
    sendMessage: async (call) => map(await told("sendMessage", calls.sendMessage(sendPayload(call))), ({ message_id }) => message_id),
    editMessageText: ({ conversation, messageId, text, entities, markup }) =>
      told(
        "editMessageText",
        calls.editMessageText({
          chat_id: conversation,
          message_id: Number(messageId),
          text,
          entities: [...entities],
          link_preview_options: NO_PREVIEW,
          ...keyboardOf(markup),
        }),
      ),
    editKeyboard: ({ conversation, messageId, markup }) =>
      told(
        "editMessageReplyMarkup",
        calls.editMessageReplyMarkup({ chat_id: conversation, message_id: Number(messageId), ...keyboardOf(markup) }),
      ),
    answerCallbackQuery: ({ id, text, alert }) =>
      told(
        "answerCallbackQuery",
        calls.answerCallbackQuery({ callback_query_id: id, ...(text === undefined ? {} : { text, show_alert: alert }) }),
      ),
  };
}

function keyboardOf(markup: InlineKeyboardMarkup | undefined): { readonly reply_markup?: InlineKeyboardMarkup } {
  return markup === undefined ? {} : { reply_markup: markup };
}

function sendPayload({ conversation, thread, text, entities, markup, replyTo }: SendCall): Parameters<Api["raw"]["sendMessage"]>[0] {
  return {
    chat_id: conversation,
    text,
    entities: [...entities],
    link_preview_options: NO_PREVIEW,
    ...(thread === undefined ? {} : { message_thread_id: Number(thread) }),
    ...(markup === undefined ? {} : { reply_markup: markup }),
    ...(replyTo === undefined ? {} : { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
  };
}

/** grammY takes the signal of its own polyfill, of the same shape as Node's. */
function signalOf(signal: AbortSignal | undefined): Parameters<Api["raw"]["getUpdates"]>[1] {
  return signal as Parameters<Api["raw"]["getUpdates"]>[1];
}

function map<T, U>(outcome: Outcome<T>, change: (value: T) => U): Outcome<U> {
  return outcome.ok ? { ok: true, value: change(outcome.value) } : outcome;
}

async function outcomeOf<T>(at: { readonly method: string; readonly token: string }, call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await call };
  } catch (error) {
    return { ok: false, failure: failureOf(error, at) };
  }
}

function failureOf(error: unknown, { method, token }: { readonly method: string; readonly token: string }): Failure {
  if (error instanceof GrammyError) {
    const { retry_after, migrate_to_chat_id } = error.parameters;
    return {
      kind: "refused",
      code: error.error_code,
      description: `${method}: ${error.description.replaceAll(token, "[token]")}`,
      ...(retry_after === undefined ? {} : { retryAfterS: retry_after }),
      ...(migrate_to_chat_id === undefined ? {} : { migratedTo: migrate_to_chat_id }),
    };
  }
  const code = codeOf(error instanceof HttpError ? error.error : error);
  if (UNSENT_CODES.includes(code)) return { kind: "unsent", description: `${method}: no connection to Telegram (${code})` };
  return { kind: "lost", description: `${method}: no answer from Telegram (${code})` };
}

/** The system's code of a network error, or what kind of error it is; never its message, which holds the address (CL2). */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "unknown";
  const code: unknown = Reflect.get(error, "code");
  if (typeof code === "string") return code;
  const type: unknown = Reflect.get(error, "type");
  if (typeof type === "string") return type;
  return error instanceof Error && error.message.includes("timed out") ? "timed out" : "no usable answer";
}
