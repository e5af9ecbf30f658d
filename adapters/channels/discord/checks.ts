/**
 * `handraise doctor` for a Discord account: token, message content intent, membership in a server, and in each place that is
 * written to the right to see it, to write and to read back.
 *
 * Permissions: base roles, then the channel's overwrites for everyone, for the bot's roles together, for the bot.
 * Source: discord-api-docs, Permissions, "Permission Overwrites", checked 2026-12-01.
 */
import { z } from "zod";
import type { Check } from "../../../src/ports/channel.js";
import { type Api, type ApiResult, describeFault } from "./api.js";
import { FLAGS_MESSAGE_CONTENT } from "./limits.js";
import { type ChannelPayload, channelPayload, DIRECT_TYPE, THREAD_TYPES } from "./payloads.js";

/** Source: Permissions, "Bitwise Permission Flags". */
const ADMINISTRATOR = 1n << 3n;
const NEEDED = [
  { bit: 1n << 10n, check: "view", lacks: "cannot see it", name: "View Channel" },
  { bit: 1n << 11n, check: "send", lacks: "cannot write", name: "Send Messages" },
  { bit: 1n << 16n, check: "history", lacks: "cannot read history", name: "Read Message History" },
] as const;
const SEND_IN_THREADS = { bit: 1n << 38n, check: "send", lacks: "cannot write", name: "Send Messages in Threads" } as const;

const bits = z.string().regex(/^\d+$/).transform(BigInt);
const application = z.object({ flags: z.int().catch(0) });
const listed = z.array(z.object({ id: z.string() }));
const guild = z.object({ owner_id: z.string(), roles: z.array(z.object({ id: z.string(), permissions: bits })) });
const member = z.object({ roles: z.array(z.string()) });

/** What is looked at. `places`: channel ids that prompts go to. */
export type Checked = { readonly api: Api; readonly botId: string; readonly messageContent: boolean; readonly places: ReadonlySet<string> };

/** The lines of `handraise doctor` for this account; nothing here changes anything on Discord. */
export async function checkAccount({ api, botId, messageContent, places }: Checked): Promise<readonly Check[]> {
  const me = await api.me();
  if (!me.ok) return [failed("token", me, "Copy the bot token again from the Developer Portal (Bot, Reset Token).")];
  const checks: Check[] = [{ check: "token", ok: true }, await intentCheck(api, messageContent), await membershipCheck(api)];
  for (const place of places) checks.push(...(await placeChecks(api, place, botId)));
  return checks;
}

function failed(check: string, { fault }: Extract<ApiResult, { ok: false }>, remedy: string): Check {
  return { check, ok: false, detail: describeFault(fault), remedy };
}

async function intentCheck(api: Api, wanted: boolean): Promise<Check> {
  const asked = await api.application();
  if (!asked.ok) return failed("intents", asked, "Try again.");
  const flags = application.safeParse(asked.data).data?.flags ?? 0;
  const allowed = (flags & FLAGS_MESSAGE_CONTENT) !== 0;
  if (wanted && allowed) return { check: "intents", ok: true };
  if (!wanted)
    return {
      check: "intents",
      ok: true,
      detail: "message content is off: typed replies in servers are read only when they mention the bot",
    };
  return {
    check: "intents",
    ok: false,
    detail: "the message content intent is not switched on",
    remedy: "Switch on Message Content Intent in the Developer Portal (Bot), or set messageContent: false.",
  };
}

async function membershipCheck(api: Api): Promise<Check> {
  const asked = await api.guilds();
  if (!asked.ok) return failed("servers", asked, "Try again.");
  const count = listed.safeParse(asked.data).data?.length ?? 0;
  if (count > 0) return { check: "servers", ok: true, detail: `member of ${count}` };
  return {
    check: "servers",
    ok: false,
    detail: "the bot is in no server",
    remedy: "Invite it: Developer Portal, OAuth2, URL Generator, scope bot.",
  };
}

async function placeChecks(api: Api, place: string, botId: string): Promise<readonly Check[]> {
  const looked = await api.channel(place);
  if (!looked.ok)
    return [
      { check: "view", ok: false, detail: `${place}: ${describeFault(looked.fault)}`, remedy: `Give the bot's role "View Channel".` },
    ];
  const channel = channelPayload.safeParse(looked.data).data;
  if (channel === undefined || channel.type === DIRECT_TYPE || channel.guild_id === undefined) return [];
  const name = `#${channel.name ?? place}`;
  const isThread = THREAD_TYPES.has(channel.type);
  const granted = await permissionsIn(api, channel, botId);
  if (granted === undefined)
    return [{ check: "view", ok: false, detail: `${name}: the bot's rights could not be read`, remedy: "Try again." }];
  return NEEDED.map((needed) => (isThread && needed.check === "send" ? SEND_IN_THREADS : needed)).map(
    ({ bit, check, lacks, name: right }) =>
      (granted & bit) !== 0n
        ? { check, ok: true, detail: name }
        : { check, ok: false, detail: `${name}: ${lacks}`, remedy: `Give the bot's role "${right}".` },
  );
}

/** The bot's rights in a channel; a thread has those of its parent. */
async function permissionsIn(api: Api, channel: ChannelPayload, botId: string): Promise<bigint | undefined> {
  const { guild_id: server = "" } = channel;
  const holder = THREAD_TYPES.has(channel.type) && channel.parent_id !== undefined ? await api.channel(channel.parent_id) : undefined;
  const parent = holder === undefined ? channel : holder.ok ? channelPayload.safeParse(holder.data).data : undefined;
  const [asked, mine] = await Promise.all([api.guild(server), api.guildMember(server, botId)]);
  if (parent === undefined || !asked.ok || !mine.ok) return undefined;
  const rights = guild.safeParse(asked.data).data;
  const own = member.safeParse(mine.data).data;
  if (rights === undefined || own === undefined) return undefined;
  const roles = new Set([...own.roles, server]);
  const base = rights.roles.filter(({ id }) => roles.has(id)).reduce((sum, { permissions }) => sum | permissions, 0n);
  if (rights.owner_id === botId || (base & ADMINISTRATOR) !== 0n) return ~0n;
  return overwritten(base, parent, { server, roles: own.roles, botId });
}

function overwritten(
  base: bigint,
  { permission_overwrites }: ChannelPayload,
  { server, roles, botId }: { readonly server: string; readonly roles: readonly string[]; readonly botId: string },
): bigint {
  const steps = [(id: string) => id === server, (id: string) => roles.includes(id), (id: string) => id === botId];
  let granted = base;
  for (const applies of steps) {
    const mine = permission_overwrites.filter(({ id }) => applies(id));
    const deny = mine.reduce((sum, one) => sum | BigInt(one.deny), 0n);
    const allow = mine.reduce((sum, one) => sum | BigInt(one.allow), 0n);
    granted = (granted & ~deny) | allow;
  }
  return granted;
}
