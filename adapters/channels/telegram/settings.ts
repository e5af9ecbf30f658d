/** The account's part of the config. */
import { z } from "zod";
import { SECRET_TOKEN_PATTERN } from "./limits.js";

/** Shape of a bot token as BotFather gives it. Source: Bot API, "Authorizing your bot". */
const TOKEN_PATTERN = /^\d+:[A-Za-z0-9_-]+$/;

/** Telegram delivers to a webhook on these ports only (Bot API, setWebhook); loopback is for tests and tunnels. */
const webhook = z.strictObject({
  url: z.url("give the address that Telegram calls, for example https://bot.example/channels/telegram"),
  secretToken: z
    .string("a webhook needs a secret: 1 to 256 of A-Z a-z 0-9 _ -; make one with `openssl rand -hex 32`")
    .regex(SECRET_TOKEN_PATTERN, "a webhook's secret is 1 to 256 of A-Z a-z 0-9 _ -"),
});

/** Settings of a Telegram account. Times are tuned by tests; the defaults suit the platform. */
export const telegramSettings = z.strictObject({
  token: z.string("give the token from @BotFather").regex(TOKEN_PATTERN, "a Telegram token looks like 123456:ABC-DEF…; ask @BotFather"),
  /** Left out: long polling, which needs no public address. */
  webhook: webhook.optional(),
  /** Root of the Bot API, without a slash at the end. Default: Telegram's own; another one for a local Bot API server or a simulator. */
  apiUrl: z
    .url()
    .refine((url) => !url.endsWith("/"), "leave out the slash at the end")
    .optional(),
  /** Seconds a poll is held open by Telegram, 0 to 50. */
  pollTimeoutS: z.int().min(0).max(50).default(30),
  /** Longest wait for the response to one call. */
  requestTimeoutMs: z.int().min(50).max(120_000).default(20_000),
  /** A press that got no private word by then is answered without one, so that the button stops spinning. */
  callbackWordMs: z.int().min(10).max(10_000).default(2_000),
  /** A webhook's delivery that is not stored by then is refused, so that Telegram repeats it. */
  storeTimeoutMs: z.int().min(10).max(50_000).default(2_000),
  /** First pause after a failed poll; doubles up to `retryMaxMs`. */
  retryMs: z.int().min(1).max(60_000).default(1_000),
  retryMaxMs: z.int().min(1).max(600_000).default(30_000),
});
/** The settings as the adapter gets them, defaults filled in. */
export type TelegramSettings = z.output<typeof telegramSettings>;
