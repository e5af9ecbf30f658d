/** What a Discord simulator can be started again from, as plain JSON: for the local page, whose conversations outlive the program. */
import { z } from "zod";
import type { EmbedBody, RowBody } from "./bodies.js";

const embed = z.custom<EmbedBody>((value) => typeof value === "object" && value !== null);
const row = z.custom<RowBody>((value) => typeof value === "object" && value !== null);
const user = z.object({
  id: z.string(),
  name: z.string(),
  bot: z.boolean(),
  direct: z.string(),
  blocked: z.boolean(),
  stranger: z.boolean(),
});
const channel = z.object({
  id: z.string(),
  kind: z.enum(["text", "thread", "direct"]),
  name: z.string(),
  parent: z.string().exactOptional(),
  members: z.array(z.string()).exactOptional(),
  bot: z.object({ view: z.boolean(), send: z.boolean(), history: z.boolean() }),
  archived: z.boolean(),
  locked: z.boolean(),
  deleted: z.boolean(),
});
const message = z.object({
  id: z.string(),
  channel: z.string(),
  author: z.string(),
  atMs: z.number(),
  type: z.union([z.literal(0), z.literal(19)]),
  forwarded: z.boolean(),
  replyTo: z.string().exactOptional(),
  nonce: z.string().exactOptional(),
  attachments: z.array(z.object({ id: z.string(), filename: z.string(), content_type: z.string(), voice: z.boolean() })).readonly(),
  sticker: z.boolean(),
  poll: z.boolean(),
  onlyTo: z.string().exactOptional(),
  interaction: z.string().exactOptional(),
  content: z.string(),
  embeds: z.array(embed).readonly(),
  rows: z.array(row).readonly(),
  flags: z.number(),
  editedAtMs: z.number().exactOptional(),
  mentions: z.array(z.string()).readonly(),
  deleted: z.boolean(),
});

const session = z.object({
  id: z.string(),
  intents: z.number(),
  seq: z.number(),
  events: z.array(z.object({ s: z.number(), t: z.string(), d: z.record(z.string(), z.unknown()) })),
});

/** Gateway sessions with their last events: the real ones outlive the bot, and a resume replays what it missed. */
export const gatewaySnapshot = z.array(session);
/** Gateway sessions, stored. */
export type GatewaySnapshot = z.infer<typeof gatewaySnapshot>;

/** The server, people, channels, messages and the last id. Interactions are not kept: whoever pressed is gone with the process. */
export const worldSnapshot = z.object({
  guild: z.object({ id: z.string(), name: z.string() }),
  applicationId: z.string(),
  botId: z.string(),
  lastId: z.string(),
  users: z.array(user),
  channels: z.array(channel),
  messages: z.array(message),
});
/** A world, stored. */
export type WorldSnapshot = z.infer<typeof worldSnapshot>;

/** All of it. `port`: the resume address that a bot remembers names it. */
export const discordSnapshot = z.object({ port: z.number(), world: worldSnapshot, sessions: gatewaySnapshot });
/** A stored Discord simulator. */
export type DiscordSnapshot = z.infer<typeof discordSnapshot>;
