/** The channels this program knows, by kind. Light to import: an SDK is loaded only when an account of its kind is opened. */
import type { ChannelKind } from "../src/core/place.js";
import type { ChannelModule } from "../src/ports/channel.js";
import { discordChannel } from "./channels/discord/index.js";
import { slackChannel } from "./channels/slack/index.js";
import { telegramChannel } from "./channels/telegram/index.js";

/** Imported by src/app alone. */
export const CHANNEL_MODULES: Readonly<Record<ChannelKind, ChannelModule<unknown>>> = {
  slack: slackChannel,
  discord: discordChannel,
  telegram: telegramChannel,
};

export { openSqliteStore } from "./stores/sqlite/index.js";
