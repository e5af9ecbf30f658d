/**
 * The calls of the Bot API that this adapter makes, as the rest of it sees them. `client.ts` carries them out with the SDK; nothing
 * here throws: every call ends in an `Outcome`.
 */
import type { ForceReply, InlineKeyboardMarkup, MessageEntity } from "@grammyjs/types";
import type { Outcome } from "./fate.js";

/** The bot itself, from getMe. */
export type Me = { readonly id: number; readonly username: string; readonly readsAllGroupMessages: boolean };
/** What is read of a chat; `title` is a person's first name in a private chat. */
export type ChatFacts = { readonly id: number; readonly type: string; readonly title: string };
/** The webhook as Telegram has it; `url` is empty when there is none. */
export type WebhookFacts = { readonly url: string; readonly pending: number; readonly lastError: string | undefined };

/** One new message. */
export type SendCall = {
  readonly conversation: string;
  readonly thread?: string;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly markup?: InlineKeyboardMarkup | ForceReply;
  /** The message it answers; sent all the same when that is gone. */
  readonly replyTo?: string;
};
/** New content for one message; without `markup` its buttons go away. */
export type EditCall = Omit<SendCall, "thread" | "replyTo" | "markup"> & {
  readonly messageId: string;
  readonly markup?: InlineKeyboardMarkup;
};

/** The calls themselves. None of them throws. */
export type BotApi = {
  getMe(): Promise<Outcome<Me>>;
  getUpdates(call: {
    readonly offset: number;
    readonly timeoutS: number;
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): Promise<Outcome<readonly unknown[]>>;
  setWebhook(webhook: { readonly url: string; readonly secretToken: string }): Promise<Outcome<unknown>>;
  /** Ends webhook mode; waiting updates are kept. */
  deleteWebhook(): Promise<Outcome<unknown>>;
  getWebhookInfo(): Promise<Outcome<WebhookFacts>>;
  getChat(conversation: string): Promise<Outcome<ChatFacts>>;
  /** The status of a user in a chat: "member", "left", "kicked", … */
  getChatMember(member: { readonly conversation: string; readonly userId: number }): Promise<Outcome<string>>;
  /** Gives the id of the new message. */
  sendMessage(call: SendCall): Promise<Outcome<number>>;
  editMessageText(call: EditCall): Promise<Outcome<unknown>>;
  /** Changes the keyboard only; without one, it goes away. */
  editKeyboard(call: {
    readonly conversation: string;
    readonly messageId: string;
    readonly markup?: InlineKeyboardMarkup;
  }): Promise<Outcome<unknown>>;
  answerCallbackQuery(answer: { readonly id: string; readonly text?: string; readonly alert: boolean }): Promise<Outcome<unknown>>;
};
