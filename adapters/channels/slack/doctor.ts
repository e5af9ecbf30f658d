/** What `handraise doctor` checks on Slack: sign-in, scopes, Socket Mode, history, membership in the places that were asked for. */
import { z } from "zod";
import type { Check } from "../../../src/ports/channel.js";
import type { Call } from "./calls.js";
import { NEEDED_SCOPES } from "./limits.js";
import type { CallOutcome } from "./outcome.js";

type DoctorOptions = {
  readonly call: Call;
  /** apps.connections.open with the app token; undefined in HTTP mode. */
  readonly openSocket: (() => Promise<CallOutcome>) | undefined;
  readonly places: Iterable<string>;
  readonly skew: string | undefined;
};

const scoped = z.object({ response_metadata: z.object({ scopes: z.array(z.string()) }) });
const channelInfo = z.object({
  channel: z.object({ name: z.string().optional(), is_member: z.boolean().optional(), is_archived: z.boolean().optional() }),
});

/** Runs all checks; never rejects. */
export async function doctorChecks({ call, openSocket, places, skew }: DoctorOptions): Promise<readonly Check[]> {
  const signIn = await call("auth.test", {});
  const checks: Check[] = [signInCheck(signIn)];
  if (signIn.kind === "done") checks.push(...scopeChecks(scoped.safeParse(signIn.reply).data?.response_metadata.scopes));
  if (openSocket !== undefined) checks.push(socketCheck(await openSocket()));
  if (skew !== undefined) checks.push({ check: "clock", ok: false, detail: skew, remedy: "Set this machine's clock (NTP)." });
  for (const place of places) checks.push(await membershipCheck(call, place));
  return checks;
}

function reasonOf(outcome: CallOutcome): string {
  return outcome.kind === "done" ? "" : outcome.kind === "refused" ? outcome.error : outcome.message;
}

function signInCheck(outcome: CallOutcome): Check {
  if (outcome.kind === "done") return { check: "token", ok: true };
  return { check: "token", ok: false, detail: reasonOf(outcome), remedy: "Copy the bot token (xoxb-…) of the app's OAuth page again." };
}

function scopeChecks(granted: readonly string[] | undefined): readonly Check[] {
  if (granted === undefined) return [];
  return NEEDED_SCOPES.map(({ scope, why }) => {
    const check = scope.endsWith(":history") ? `history ${scope}` : `scope ${scope}`;
    if (granted.includes(scope)) return { check, ok: true };
    return {
      check,
      ok: false,
      detail: `${scope} is missing: needed ${why}`,
      remedy: `Add ${scope} under OAuth & Permissions and reinstall the app.`,
    };
  });
}

function socketCheck(outcome: CallOutcome): Check {
  if (outcome.kind === "done") return { check: "socket mode", ok: true };
  const remedy = "Turn Socket Mode on, and give an app token (xapp-…) with connections:write.";
  return { check: "socket mode", ok: false, detail: reasonOf(outcome), remedy };
}

async function membershipCheck(call: Call, place: string): Promise<Check> {
  const outcome = await call("conversations.info", { channel: place });
  const check = `member of ${place}`;
  if (outcome.kind !== "done") return { check, ok: false, detail: reasonOf(outcome), remedy: "Check the id, and invite the bot." };
  const channel = channelInfo.safeParse(outcome.reply).data?.channel;
  if (channel?.is_archived === true) return { check, ok: false, detail: "it is archived", remedy: "Choose another channel." };
  if (channel?.is_member === true) return { check, ok: true };
  return { check, ok: false, detail: "the bot is not a member", remedy: `Invite it: /invite in #${channel?.name ?? place}.` };
}
