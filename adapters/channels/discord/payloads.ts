/**
 * Discord's payloads as far as this adapter reads them: what is strange fails to parse and is skipped, and never ends the process
 * (B191, B192). Source: discord-api-docs, Gateway Events, Message Resource, Receiving and Responding, checked 2026-12-01.
 */
import { z } from "zod";

const id = z.string().regex(/^\d{15,20}$/);
/** `null` and absent are one. */
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** A user, as far as it is read. */
export const userPayload = z.object({
  id,
  username: z.string().catch("unknown"),
  global_name: maybe(z.string()),
  bot: z.boolean().optional(),
});
/** See `userPayload`. */
export type UserPayload = z.output<typeof userPayload>;

const member = z.object({ nick: maybe(z.string()), user: maybe(userPayload) });

const reference = z.object({ type: z.int().optional(), message_id: maybe(id) });

/** A message of MESSAGE_CREATE or of the message routes. */
export const messagePayload = z.object({
  id,
  channel_id: id,
  guild_id: maybe(id),
  type: z.int(),
  author: userPayload,
  member: maybe(member),
  webhook_id: maybe(id),
  content: z.string().catch(""),
  flags: z.int().catch(0),
  nonce: maybe(z.union([z.string(), z.number()])),
  attachments: z.array(z.unknown()).catch([]),
  sticker_items: z.array(z.unknown()).catch([]),
  poll: z.unknown().optional(),
  message_reference: maybe(reference),
  components: z.array(z.unknown()).catch([]),
});
/** See `messagePayload`. */
export type MessagePayload = z.output<typeof messagePayload>;

const partialChannel = z.object({ id, type: z.int(), parent_id: maybe(id) });

const interactionBase = {
  id,
  token: z.string().min(1).max(1_000),
  application_id: id,
  channel_id: maybe(id),
  channel: maybe(partialChannel).catch(undefined),
  guild_id: maybe(id),
  member: maybe(member),
  user: maybe(userPayload),
};

const componentData = z.object({ custom_id: z.string(), component_type: z.int(), values: z.array(z.string()).optional() });
const pressedMessage = z.object({ id });

/** A button pressed or menu entries chosen (type 3). */
const pressPayload = z.object({ ...interactionBase, type: z.literal(3), data: componentData, message: pressedMessage });

const value = z.object({ custom_id: z.string(), value: z.string().catch("") });
/** One part of a sent modal: a Label around its input (18), or the older row of inputs (1); anything else carries no value. */
const modalPart = z.union([
  z.object({ component: value }).transform(({ component }) => [component]),
  z.object({ components: z.array(value) }).transform(({ components }) => components),
  z.unknown().transform((): z.output<typeof value>[] => []),
]);

/** A modal sent (type 5). `message`: where the button stood that opened it. */
const submitPayload = z.object({
  ...interactionBase,
  type: z.literal(5),
  data: z.object({ custom_id: z.string(), components: z.array(modalPart) }),
  message: maybe(pressedMessage).catch(undefined),
});

/** The interactions that are answered; commands and autocompletion are not ours. */
export const interactionPayload = z.discriminatedUnion("type", [pressPayload, submitPayload]);
/** See `interactionPayload`. */
export type InteractionPayload = z.output<typeof interactionPayload>;

/** A channel or thread. Types 10, 11 and 12 are threads, 1 is a direct chat. Source: Channel Resource, "Channel Types". */
export const channelPayload = z.object({
  id,
  type: z.int(),
  guild_id: maybe(id),
  name: maybe(z.string()),
  parent_id: maybe(id),
  permission_overwrites: z
    .array(z.object({ id, type: z.int(), allow: z.string(), deny: z.string() }))
    .nullish()
    .transform((list) => list ?? []),
});
/** See `channelPayload`. */
export type ChannelPayload = z.output<typeof channelPayload>;

/** Announcement, public and private threads. */
export const THREAD_TYPES: ReadonlySet<number> = new Set([10, 11, 12]);
/** A direct chat. */
export const DIRECT_TYPE = 1;
/** Channels that take messages and have a name: text, announcement, voice, stage. Forums (15, 16) take only threads. */
export const NAMED_TYPES: ReadonlySet<number> = new Set([0, 2, 5, 13]);

/** Threads that a GUILD_CREATE brings along. */
export const guildCreatePayload = z.object({ id, channels: z.array(z.unknown()).catch([]), threads: z.array(z.unknown()).catch([]) });
/** A dispatch as the gateway sends it. */
export const dispatchPayload = z.object({ t: z.string(), s: z.int(), d: z.unknown().optional() });
