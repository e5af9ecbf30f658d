/** The Slack adapter's public door. Light: Slack's SDK is loaded only when a channel is made. */
import type { ChannelModule } from "../../../src/ports/channel.js";
import { type SlackSettings, slackSettings } from "./settings.js";

export { type SlackSettings, slackSettings } from "./settings.js";

/** Pseudo users that many share or that no person writes as. */
const PSEUDO_USERS: readonly string[] = ["USLACK", "USLACKBOT"];

/** The adapter as the registry takes it. */
export const slackChannel: ChannelModule<SlackSettings> = {
  kind: "slack",
  settings: slackSettings,
  userIdProblem: (id) => {
    if (PSEUDO_USERS.includes(id)) return `${id} is Slack itself, not a person`;
    return /^[UW][A-Z0-9]{2,}$/.test(id)
      ? undefined
      : `"${id}" is no Slack member id: it begins with U or W (profile, More, Copy member ID)`;
  },
  create: async (context) => {
    const { createSlackChannel } = await import("./client.js");
    return createSlackChannel(context);
  },
};
