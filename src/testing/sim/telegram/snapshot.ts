/** What a Telegram simulator can be started again from, as plain JSON: for the local page, whose conversations outlive the program. */
import { z } from "zod";
import type { Entity, Json, Keyboard, ReplyBox } from "./wire.js";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const json = z.custom<Json>(isObject);
const user = z.object({
  id: z.number(),
  is_bot: z.boolean(),
  first_name: z.string(),
  last_name: z.string().exactOptional(),
  username: z.string().exactOptional(),
});
const message = z.object({
  id: z.number(),
  from: user,
  senderChat: json.exactOptional(),
  atMs: z.number(),
  text: z.string(),
  entities: z.array(z.custom<Entity>(isObject)),
  keyboard: z.custom<Keyboard>(isObject).optional(),
  box: z.custom<ReplyBox>(isObject).exactOptional(),
  topic: z.number().exactOptional(),
  replyTo: z.number().exactOptional(),
  extra: json,
  editedAtMs: z.number().exactOptional(),
});
const chat = z.object({
  id: z.number(),
  type: z.enum(["private", "group", "supergroup"]),
  title: z.string(),
  username: z.string().exactOptional(),
  forum: z.boolean(),
  members: z.array(z.number()),
  shut: z.string().optional(),
  migratedTo: z.number().optional(),
  topics: z.array(z.object({ id: z.number(), name: z.string(), closed: z.boolean() })),
  messages: z.array(message),
  nextId: z.number(),
});
const word = z.object({
  id: z.string(),
  chat: z.number(),
  topic: z.number().exactOptional(),
  userId: z.number(),
  text: z.string(),
  atMs: z.number(),
});

/** People and chats. */
export const worldSnapshot = z.object({ users: z.array(user), chats: z.array(chat), words: z.array(word), nextShared: z.number() });
/** Updates that nobody has confirmed: Telegram keeps them a day. */
export const updatesSnapshot = z.object({
  nextId: z.number(),
  queued: z.array(z.object({ update: z.looseObject({ update_id: z.number() }), queue: z.number(), untilMs: z.number() })),
});
/** All of it, and the next callback's number. Held polls and callbacks are not kept: they die with the process. */
export const telegramSnapshot = z.object({ world: worldSnapshot, updates: updatesSnapshot, nextCallback: z.number() });
/** People and chats, stored. */
export type WorldSnapshot = z.infer<typeof worldSnapshot>;
/** Unconfirmed updates, stored. */
export type UpdatesSnapshot = z.infer<typeof updatesSnapshot>;
/** A stored Telegram simulator. */
export type TelegramSnapshot = z.infer<typeof telegramSnapshot>;
