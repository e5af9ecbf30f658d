/** Who the bot is, from auth.test. */
import { z } from "zod";
import type { Identity } from "./inbound.js";
import type { Reply } from "./outcome.js";

const authTest = z.object({ team_id: z.string(), team: z.string().optional(), user_id: z.string(), bot_id: z.string() });

/** The identity and the workspace's name. */
export type Signed = { readonly identity: Identity; readonly teamName: string };

/** Reads auth.test's reply; undefined when the token is not a bot's. */
export function identityOf(reply: Reply, account: string): Signed | undefined {
  const parsed = authTest.safeParse(reply);
  if (!parsed.success) return undefined;
  const { team_id: teamId, team, user_id: botUserId, bot_id: botId } = parsed.data;
  return { identity: { account, teamId, botUserId, botId }, teamName: team ?? teamId };
}
