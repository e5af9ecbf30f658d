/**
 * Telegram's door: the account's settings and the adapter behind them. The SDK (grammY) is loaded by `create` only.
 * How it works: `inbound.ts` (updates to inputs), `outbound.ts` (prompts to messages), `receiver.ts` (polls, webhook), `client.ts` (the channel).
 */
import type { ChannelContext, ChannelModule } from "../../../src/ports/channel.js";
import { SHARED_ACCOUNTS } from "./limits.js";
import { type TelegramSettings, telegramSettings } from "./settings.js";

export type { TelegramSettings } from "./settings.js";

/** The Telegram adapter. */
export const telegramChannel: ChannelModule<TelegramSettings> = {
  kind: "telegram",
  settings: telegramSettings,
  userIdProblem,
  create: async (context: ChannelContext<TelegramSettings>) => {
    const { telegramClient } = await import("./client.js");
    return telegramClient(context);
  },
};

/** A person's id is a positive whole number; groups and channels are negative, and a few accounts are shared by many people (B120). */
function userIdProblem(id: string): string | undefined {
  if (/^-\d+$/.test(id)) return `${id} is the id of a group or channel, not of a person`;
  if (!/^[1-9]\d{0,15}$/.test(id)) return `a Telegram user id is a number like 4242; the bot @userinfobot tells yours`;
  const shared = SHARED_ACCOUNTS.get(Number(id));
  return shared === undefined ? undefined : `${id} stands for ${shared}: many people share it, so it can never answer`;
}
