/** How the Discord simulator writes its state on the wire. Source: discord-api-docs, Message, Channel and User Resource; Gateway Events. */
import type { SimChannel, SimMessageState, SimUser, World } from "./world.js";

type Json = Readonly<Record<string, unknown>>;

const CHANNEL_TYPES = { text: 0, direct: 1, thread: 11 } as const;

/** A user. */
export function userPayload(user: SimUser): Json {
  return { id: user.id, username: user.name.toLowerCase(), global_name: user.name, discriminator: "0", avatar: null, bot: user.bot };
}

/** A channel, thread or direct chat. */
export function channelPayload(channel: SimChannel, world: World): Json {
  const base = { id: channel.id, type: CHANNEL_TYPES[channel.kind] };
  if (channel.kind === "direct") {
    const people = [...world.users.values()].filter(({ direct }) => direct === channel.id);
    return { ...base, last_message_id: null, recipients: people.map(userPayload) };
  }
  const shared = { ...base, name: channel.name, guild_id: world.guild.id, permission_overwrites: overwrites(channel, world) };
  if (channel.kind === "text") return { ...shared, parent_id: null, position: 0, topic: null };
  return {
    ...shared,
    parent_id: channel.parent ?? null,
    owner_id: world.bot.id,
    thread_metadata: {
      archived: channel.archived,
      locked: channel.locked,
      auto_archive_duration: 1440,
      archive_timestamp: new Date(0).toISOString(),
    },
  };
}

/** The bot's missing permissions as a member overwrite. Source: discord-api-docs, Permissions. */
function overwrites(channel: SimChannel, world: World): readonly Json[] {
  const { view, send, history } = channel.bot;
  const deny = (view ? 0 : 1 << 10) | (send ? 0 : 1 << 11) | (history ? 0 : 1 << 16);
  return deny === 0 ? [] : [{ id: world.bot.id, type: 1, allow: "0", deny: String(deny) }];
}

/** Which parts of other people's messages the reader gets: all, or nothing of what MESSAGE_CONTENT covers. */
export type ContentRule = { readonly withContent: boolean };

/**
 * One message. Without the message content intent `content`, `embeds`, `attachments`, `components` and `poll` are empty except in
 * direct chats, in the bot's own messages and in those that mention it. Source: Gateway, "Message Content Intent".
 */
export function messagePayload(message: SimMessageState, world: World, { withContent }: ContentRule): Json {
  const channel = world.channels.get(message.channel);
  const author = world.users.get(message.author) ?? world.bot;
  const readable = withContent || channel?.kind === "direct" || author === world.bot || message.mentions.includes(world.bot.id);
  const replied = message.replyTo === undefined ? undefined : world.message(message.channel, message.replyTo);
  return {
    id: message.id,
    type: message.type,
    channel_id: message.channel,
    author: userPayload(author),
    content: readable ? message.content : "",
    timestamp: new Date(message.atMs).toISOString(),
    edited_timestamp: message.editedAtMs === undefined ? null : new Date(message.editedAtMs).toISOString(),
    tts: false,
    mention_everyone: message.mentions.includes("everyone"),
    mentions: message.mentions.flatMap((id) => userList(world.users.get(id))),
    mention_roles: [],
    attachments: readable
      ? message.attachments.map(({ voice, ...rest }) => ({
          ...rest,
          size: 1_024,
          url: "",
          proxy_url: "",
          ...(voice ? { duration_secs: 2, waveform: "" } : {}),
        }))
      : [],
    embeds: readable ? message.embeds : [],
    components: readable ? message.rows : [],
    ...(message.sticker ? { sticker_items: [{ id: world.guild.id, name: "wave", format_type: 1 }] } : {}),
    ...(message.poll && readable ? { poll: { question: { text: "Which?" }, answers: [] } } : {}),
    pinned: false,
    flags: message.flags | (world.channels.get(message.id)?.kind === "thread" ? 32 : 0),
    ...reference(message),
    ...(replied === undefined || message.forwarded
      ? {}
      : { referenced_message: { ...messageCore(replied), author: userPayload(world.users.get(replied.author) ?? world.bot) } }),
  };
}

function messageCore(message: SimMessageState): Json {
  return {
    id: message.id,
    type: message.type,
    channel_id: message.channel,
    content: message.content,
    timestamp: new Date(message.atMs).toISOString(),
  };
}

function reference({ forwarded, replyTo, channel }: SimMessageState): Json {
  if (replyTo === undefined && !forwarded) return {};
  // Source: Message Resource, "Message Reference Types": 0 reply, 1 forward.
  return { message_reference: { type: forwarded ? 1 : 0, channel_id: channel, ...(replyTo === undefined ? {} : { message_id: replyTo }) } };
}

function userList(user: SimUser | undefined): readonly Json[] {
  return user === undefined ? [] : [userPayload(user)];
}

/** The member fields that guild messages and guild interactions carry. Source: Guild Resource, "Guild Member Object". */
export function memberPayload(): Json {
  return { roles: [], nick: null, avatar: null, joined_at: new Date(0).toISOString(), deaf: false, mute: false, flags: 0 };
}
