/**
 * Discord's door: the account's settings and the adapter behind them. The SDK is loaded by `create` only.
 * How it works: `outbound.ts` (prompts to messages), `inbound.ts` (payloads to inputs), `interactions.ts` (presses and their 3 s),
 * `gateway.ts` (the connection and what a restart resumes), `channel.ts` (all of it together), `client.ts` (the SDK).
 */
import type { ChannelModule } from "../../../src/ports/channel.js";
import { type DiscordSettings, discordSettingsSchema } from "./settings.js";

/** The account's part of the config. */
export type { DiscordSettings } from "./settings.js";

/** The Discord adapter. */
export const discordChannel: ChannelModule<DiscordSettings> = {
  kind: "discord",
  settings: discordSettingsSchema,
  userIdProblem,
  create: async (context) => {
    const { createDiscordChannel } = await import("./client.js");
    return createDiscordChannel(context);
  },
};

/** A user's id is a snowflake: 17 to 20 digits. Source: discord-api-docs, Reference, "Snowflakes". */
function userIdProblem(id: string): string | undefined {
  return /^\d{17,20}$/.test(id)
    ? undefined
    : "a Discord user id is 17 to 20 digits: right-click the person with Developer Mode on, Copy User ID";
}
