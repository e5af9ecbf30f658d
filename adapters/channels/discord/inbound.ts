/**
 * Discord's payloads become inputs, or null when they can never be one. Pure: nothing is looked up here.
 *
 * N1  What a bot or webhook wrote, system messages and edits are never inputs (B151, B149).
 * N2  A direct chat is a message or interaction without a server, whatever `channel_type` says (B086).
 * N3  Who acted comes from the payload's author, user or member alone (R12).
 * N4  A press needs nothing but its token; the menu's entry is the token, not the menu (B087).
 */
import type { Input, MessageRef } from "../../../src/core/input.js";
import { formatHandle } from "./handle.js";
import type { InteractionPayload, MessagePayload, UserPayload } from "./payloads.js";

/** Where an input belongs: for a thread its parent, looked up by the caller when the payload does not say (O24). */
export type Where = { readonly conversation: string; readonly thread?: string };

/** Who reads: the account and the bot's own user id. */
export type Reader = { readonly account: string; readonly botId: string };

/** Plain message and reply. All other types are the system's or answers to commands. Source: Message Resource, "Message Types". */
const WRITTEN_TYPES: ReadonlySet<number> = new Set([0, 19]);
/** Source: Message Resource, "Message Reference Types". */
const FORWARD = 1;

/** Later messages have greater ids; padded so that they compare as text. */
export function messageRef(id: string): MessageRef {
  return { id, order: id.padStart(20, "0") };
}

/** Could this message be an input at all? Asked before its place is looked up. */
export function isWritten({ author, webhook_id, type }: MessagePayload): boolean {
  return author.bot !== true && webhook_id === undefined && WRITTEN_TYPES.has(type); // N1
}

/** A message written by a person; null when it can be no input. Messages read back say nothing of a server, so the caller does. */
export function typedInput(
  message: MessagePayload,
  where: Where,
  reader: Reader,
  { direct = message.guild_id === undefined } = {}, // N2
): Input | null {
  if (!isWritten(message)) return null;
  const { message_reference: reference } = message;
  const forwarded = reference?.type === FORWARD;
  const common = {
    id: message.id,
    account: reader.account,
    channel: "discord",
    ...where,
    direct,
    sender: { userId: message.author.id, name: displayName(message.author, message.member?.nick) },
    message: messageRef(message.id),
    ...(reference?.message_id === undefined || forwarded ? {} : { replyTo: reference.message_id }),
  } as const;
  if (forwarded) return { ...common, kind: "unreadable", why: "forwarded" };
  const text = withoutBotMention(message.content, reader.botId);
  if (text !== "") return { ...common, kind: "text", text };
  return { ...common, kind: "unreadable", why: hasMedia(message) ? "media" : "empty" };
}

function hasMedia({ attachments, sticker_items, poll }: MessagePayload): boolean {
  return attachments.length > 0 || sticker_items.length > 0 || (poll !== undefined && poll !== null);
}

/** People address the bot by mentioning it, in front or at the end; that is not part of what they say. */
function withoutBotMention(content: string, botId: string): string {
  const mention = `<@!?${botId}>`;
  const bare = content.replace(new RegExp(`^\\s*${mention}\\s*|\\s*${mention}\\s*$`, "g"), "");
  return bare.trim() === "" ? "" : bare;
}

/** A press or a sent modal; null when the payload names nobody or no channel. */
export function interactionInput(interaction: InteractionPayload, where: Where, { account }: Reader): Input | null {
  const user = interaction.user ?? interaction.member?.user; // N3
  if (user === undefined) return null;
  const common = {
    id: interaction.id,
    account,
    channel: "discord",
    ...where,
    direct: interaction.guild_id === undefined,
    sender: { userId: user.id, name: displayName(user, interaction.member?.nick) },
    handle: formatHandle({ application: interaction.application_id, id: interaction.id, token: interaction.token }),
  } as const;
  if (interaction.type === 3) {
    const { data, message } = interaction;
    const menu = (data.values?.length ?? 0) > 0 ? { from: "menu" as const } : {};
    return { ...common, kind: "press", token: pressedToken(data), message: messageRef(message.id), ...menu };
  }
  const values = interaction.data.components.flat().map(({ custom_id, value }) => [custom_id, value] as const);
  return { ...common, kind: "submit", token: interaction.data.custom_id, values: Object.fromEntries(values) };
}

/** N4: entries of a menu carry a token each; the menu's own id matters to nobody. */
export function pressedToken({
  custom_id,
  values,
}: {
  readonly custom_id: string;
  readonly values?: readonly string[] | undefined;
}): string {
  return values?.[0] ?? custom_id;
}

function displayName({ username, global_name }: UserPayload, nick: string | undefined): string {
  return nick ?? global_name ?? username;
}
