/**
 * Places on Discord: names to ids, people to direct chats, threads to their parents.
 *
 * P1  A conversation is the channel; a thread is written under its parent. A payload that says only the thread's id is looked up,
 *     within bounded time, and remembered (O24).
 * P2  A name stands for exactly one channel; several of that name are refused with their ids.
 */
import { z } from "zod";
import type { Destination, Located } from "../../../src/ports/channel.js";
import { type Api, lookFault } from "./api.js";
import type { Where } from "./inbound.js";
import { type ChannelPayload, channelPayload, DIRECT_TYPE, guildCreatePayload, NAMED_TYPES, THREAD_TYPES } from "./payloads.js";

/** Channels remembered at once; the oldest go first. */
const KNOWN_MAX = 10_000;
const SNOWFLAKE = /^\d{15,20}$/;

type ApiOfPlaces = Pick<Api, "channel" | "openDirect" | "guilds" | "guildChannels">;

/** Names, people and threads to conversations, with what was learned so far. */
export class Places {
  readonly #api: ApiOfPlaces;
  readonly #server: string | undefined;
  readonly #known = new Map<string, Where>();
  /** Direct chats by user: opening them often gets a bot limited (platforms.md, 4.2), and their ids never change. */
  readonly #direct = new Map<string, string>();
  /** Conversations that were asked for by `locate`: what `doctor` looks at. */
  readonly asked = new Set<string>();

  constructor(api: ApiOfPlaces, { server }: { readonly server: string | undefined }) {
    this.#api = api;
    this.#server = server;
  }

  /** Takes note of a channel or thread from any payload; anything else is left alone. */
  learn(payload: unknown): void {
    const parsed = channelPayload.safeParse(payload);
    if (parsed.success) this.#remember(parsed.data);
  }

  /** A server's channels and live threads, as GUILD_CREATE brings them. */
  learnServer(payload: unknown): void {
    const parsed = guildCreatePayload.safeParse(payload);
    if (!parsed.success) return;
    for (const channel of [...parsed.data.channels, ...parsed.data.threads]) this.learn(channel);
  }

  #remember({ id, type, parent_id }: Pick<ChannelPayload, "id" | "type" | "parent_id">): Where {
    const where = THREAD_TYPES.has(type) && parent_id !== undefined ? { conversation: parent_id, thread: id } : { conversation: id };
    this.#known.delete(id);
    this.#known.set(id, where);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
    return where;
  }

  /** Where a channel id belongs; `undefined` when that cannot be told now. Direct chats need no look-up (B086). */
  async whereIs(
    id: string,
    hint: { readonly direct: boolean; readonly channel?: Pick<ChannelPayload, "id" | "type" | "parent_id"> | undefined },
  ): Promise<Where | undefined> {
    if (hint.direct) return { conversation: id };
    const { channel } = hint;
    // A payload's thread without its parent says too little.
    if (channel?.id === id && (!THREAD_TYPES.has(channel.type) || channel.parent_id !== undefined)) return this.#remember(channel);
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const looked = await this.#api.channel(id);
    // A channel that is gone or hidden by now will not be told later either.
    if (!looked.ok) return looked.fault.kind === "refused" ? { conversation: id } : undefined;
    const parsed = channelPayload.safeParse(looked.data);
    return parsed.success ? this.#remember(parsed.data) : undefined;
  }

  async locate(to: Destination): Promise<Located> {
    const found = to.kind === "user" ? await this.#directChat(to.userId) : await this.#place(to);
    if (found.status === "found" && !found.direct) this.asked.add(found.thread ?? found.conversation);
    return found;
  }

  async #directChat(userId: string): Promise<Located> {
    if (!SNOWFLAKE.test(userId)) return { status: "refused", code: "not_found", message: `${userId} is not a Discord user id` };
    const known = this.#direct.get(userId);
    if (known !== undefined) return { status: "found", conversation: known, direct: true };
    const opened = await this.#api.openDirect(userId);
    if (!opened.ok) {
      const { fault } = opened;
      // The form is right, so what is refused is the recipient.
      if (fault.kind === "refused" && fault.code === 50035)
        return { status: "refused", code: "not_found", message: "the user does not exist" };
      return lookFault(fault);
    }
    const parsed = channelPayload.safeParse(opened.data);
    if (!parsed.success) return { status: "refused", code: "rejected", message: "Discord gave no channel for the direct chat" };
    if (this.#direct.size < KNOWN_MAX) this.#direct.set(userId, parsed.data.id);
    return { status: "found", conversation: parsed.data.id, direct: true };
  }

  async #place({ conversation, thread }: Extract<Destination, { kind: "place" }>): Promise<Located> {
    const named = SNOWFLAKE.test(conversation) ? conversation : await this.#byName(conversation);
    if (typeof named !== "string") return named;
    const looked = await this.#api.channel(thread ?? named);
    if (!looked.ok) return lookFault(looked.fault);
    const parsed = channelPayload.safeParse(looked.data);
    if (!parsed.success) return { status: "refused", code: "rejected", message: "Discord described the channel in an unknown way" };
    const where = this.#remember(parsed.data);
    if (thread !== undefined && where.conversation !== named) {
      return { status: "refused", code: "not_found", message: `thread ${thread} does not belong to channel ${named}` };
    }
    return { status: "found", ...where, direct: parsed.data.type === DIRECT_TYPE };
  }

  async #byName(text: string): Promise<string | Located> {
    const name = text.replace(/^#/, "");
    const servers = this.#server === undefined ? await this.#servers() : [this.#server];
    if ("status" in servers) return servers;
    const hits: string[] = [];
    for (const server of servers) {
      const listed = await this.#api.guildChannels(server);
      if (!listed.ok) return lookFault(listed.fault);
      const channels = z
        .array(
          channelPayload.catch({
            id: "0",
            type: -1,
            guild_id: undefined,
            name: undefined,
            parent_id: undefined,
            permission_overwrites: [],
          }),
        )
        .safeParse(listed.data);
      for (const channel of channels.data ?? []) if (NAMED_TYPES.has(channel.type) && channel.name === name) hits.push(channel.id);
    }
    const [only, second] = hits;
    if (only === undefined) return { status: "refused", code: "not_found", message: `no channel the bot can see is called #${name}` };
    if (second !== undefined)
      return { status: "refused", code: "not_found", message: `several channels are called #${name}: write the id (${hits.join(", ")})` }; // P2
    return only;
  }

  async #servers(): Promise<readonly string[] | Located> {
    const listed = await this.#api.guilds();
    if (!listed.ok) return lookFault(listed.fault);
    const parsed = z.array(z.object({ id: z.string() })).safeParse(listed.data);
    return (parsed.data ?? []).map(({ id }) => id);
  }
}
