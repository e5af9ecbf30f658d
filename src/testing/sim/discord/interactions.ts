/**
 * Presses, menu picks and modals in the Discord simulator, from the person's click to the bot's answer.
 * Source: discord-api-docs, "Receiving and Responding"; platforms.md, sections 2.4 and 4.2.
 *
 * IN1  The first answer must come within `ackMs` (3 s), else the token is void: 10062. A second one: 40060.
 * IN2  Follow-ups need an answered interaction (else 10015) and a token younger than `tokenLifeMs` (15 min; then 50027).
 * IN3  A modal opens only as the first answer to a press; a modal cannot be answered with a modal.
 */
import { type CallbackBody, callbackBody, type ModalBody, type ReplyBody } from "./bodies.js";
import { DiscordRefusal, invalidForm } from "./errors.js";
import type { Event } from "./gateway.js";
import { channelPayload, memberPayload, messagePayload, userPayload } from "./payloads.js";
import type { SimChannel, SimMessageState, SimUser, World } from "./world.js";

type Json = Readonly<Record<string, unknown>>;

/** How an interaction ended for the person. `modal`: the form it opened. */
export type Answer = {
  readonly acknowledged: boolean;
  readonly afterMs: number;
  readonly message?: SimMessageState;
  readonly modal?: ModalBody;
};

type Live = {
  readonly id: string;
  readonly token: string;
  readonly kind: "component" | "modal";
  readonly user: SimUser;
  readonly channel: SimChannel;
  readonly message: SimMessageState | undefined;
  readonly atMs: number;
  state: "waiting" | "answered" | "failed";
  original: SimMessageState | undefined;
  followUps: number;
  readonly finish: (answer: Answer) => void;
};

/** Who pressed, where, on what. */
export type Click = { readonly user: SimUser; readonly channel: SimChannel; readonly message: SimMessageState | undefined };

/** What the interactions are made from. */
export type InteractionRules = {
  readonly world: World;
  readonly ackMs: number;
  readonly tokenLifeMs: () => number;
  /** Leave the `channel` object out of the payload (O24). */
  readonly bareChannel: () => boolean;
  readonly dispatch: (event: Event) => void;
};

/** All interactions since the start. */
export class Interactions {
  readonly #rules: InteractionRules;
  readonly #all = new Map<string, Live>();
  /** How often each interaction was answered or tried to be. */
  readonly answers: { readonly id: string; readonly type: number; readonly afterMs: number; readonly outcome: string }[] = [];

  constructor(rules: InteractionRules) {
    this.#rules = rules;
  }

  press(click: Click, data: { readonly customId: string; readonly values?: readonly string[] }): Promise<Answer> {
    const values = data.values === undefined ? {} : { values: data.values };
    return this.#start("component", click, {
      custom_id: data.customId,
      component_type: data.values === undefined ? 2 : 3,
      id: 1,
      ...values,
    });
  }

  submit(click: Click, data: { readonly modal: ModalBody; readonly values: Readonly<Record<string, string>> }): Promise<Answer> {
    const field = (id: string): Json => ({ type: 4, id: 2, custom_id: id, value: data.values[id] ?? "" });
    const components = data.modal.components.map((component): Json => {
      if (component.type === 18) return { type: 18, id: 1, component: field(component.component.custom_id) };
      if (component.type === 10) return { type: 10, id: 1 };
      return { type: 1, id: 1, components: component.components.map(({ custom_id }) => field(custom_id)) };
    });
    return this.#start("modal", click, { custom_id: data.modal.custom_id, components });
  }

  #start(kind: Live["kind"], { user, channel, message }: Click, data: Json): Promise<Answer> {
    const { world, ackMs, dispatch } = this.#rules;
    return new Promise((resolve) => {
      const live: Live = {
        ...{ id: world.ids.next(), token: `interaction-token-${world.ids.next()}${"x".repeat(160)}`, kind, user, channel, message },
        ...{ atMs: world.now(), state: "waiting", original: undefined, followUps: 0, finish: resolve },
      };
      this.#all.set(live.id, live);
      const deadline = setTimeout(() => {
        if (live.state !== "waiting") return;
        live.state = "failed"; // IN1: the person reads "This interaction failed".
        live.finish({ acknowledged: false, afterMs: world.now() - live.atMs });
      }, ackMs);
      deadline.unref();
      dispatch({ t: "INTERACTION_CREATE", needs: 0, d: () => this.#payload(live, data) });
    });
  }

  #payload({ id, token, kind, user, channel, message }: Live, data: Json): Json {
    const { world, bareChannel } = this.#rules;
    const direct = channel.kind === "direct";
    const who = direct
      ? { user: userPayload(user) }
      : { guild_id: world.guild.id, member: { ...memberPayload(), user: userPayload(user), permissions: "68608" } };
    return {
      ...{ id, token, type: kind === "component" ? 3 : 5, version: 1, application_id: world.applicationId, data, channel_id: channel.id },
      ...(bareChannel() ? {} : { channel: channelPayload(channel, world) }),
      ...who,
      ...(message === undefined ? {} : { message: messagePayload(message, world, { withContent: true }) }),
      ...{
        locale: "en-US",
        entitlements: [],
        authorizing_integration_owners: { "0": world.guild.id },
        context: direct ? 1 : 0,
        app_permissions: "68608",
      },
      attachment_size_limit: 10_485_760,
    };
  }

  /** `POST /interactions/:id/:token/callback`. */
  answer(id: string, token: string, body: unknown): void {
    const live = this.#all.get(id);
    const parsed = callbackBody.safeParse(body);
    const type = parsed.success ? parsed.data.type : 0;
    const note = (outcome: string): void => {
      const afterMs = live === undefined ? -1 : this.#rules.world.now() - live.atMs;
      this.answers.push({ id, type, afterMs, outcome });
    };
    try {
      if (live === undefined || live.token !== token || live.state === "failed") throw new DiscordRefusal(10062);
      if (live.state === "answered") throw new DiscordRefusal(40060);
      if (!parsed.success) throw invalidForm(parsed.error);
      this.#apply(live, parsed.data);
      note("ok");
    } catch (error) {
      note(error instanceof DiscordRefusal ? String(error.code) : "error");
      throw error;
    }
  }

  #apply(live: Live, body: CallbackBody): void {
    const { world } = this.#rules;
    const done = (more: Partial<Answer> = {}): void => {
      live.state = "answered";
      live.finish({ acknowledged: true, afterMs: world.now() - live.atMs, ...more });
    };
    switch (body.type) {
      case 4:
        live.original = this.#reply(live, body.data);
        done({ message: live.original });
        return;
      case 5:
        done();
        return;
      case 6:
        if (live.message === undefined) throw new DiscordRefusal(50035, { errors: {} });
        done();
        return;
      case 7: {
        if (live.message === undefined) throw new DiscordRefusal(50035, { errors: {} });
        const { content, components, embeds, allowed_mentions } = body.data;
        const change = {
          ...(content == null ? {} : { content }),
          ...(components == null ? {} : { rows: components }),
          ...(embeds == null ? {} : { embeds }),
        };
        world.edit(live.message, change, allowed_mentions ?? null);
        done();
        return;
      }
      case 9:
        if (live.kind === "modal") throw new DiscordRefusal(50035, { errors: {} }); // IN3
        done({ modal: body.data });
        return;
    }
  }

  #reply(live: Live, body: ReplyBody): SimMessageState {
    const { world } = this.#rules;
    const { content, embeds, components, flags = 0, allowed_mentions } = body;
    if ((content ?? "") === "" && (embeds ?? []).length === 0) throw new DiscordRefusal(50006);
    const shown = { content: content ?? "", embeds: embeds ?? [], rows: components ?? [], flags };
    return world.post({
      ...{ channel: live.channel.id, author: world.bot.id, interaction: live.id, allowed: allowed_mentions ?? null, ...shown },
      ...((flags & 64) === 0 ? {} : { onlyTo: live.user.id }),
    });
  }

  /** `POST /webhooks/:application/:token`. */
  followUp(application: string, token: string, body: ReplyBody): SimMessageState {
    const live = this.#byToken(application, token);
    const message = this.#reply(live, body);
    live.followUps += 1;
    live.original ??= message;
    return message;
  }

  /** The message behind `@original` or an id, for edits and deletes by token. */
  messageOf(application: string, token: string, id: string): SimMessageState {
    const live = this.#byToken(application, token);
    const found = id === "@original" ? (live.original ?? live.message) : this.#rules.world.message(live.channel.id, id);
    if (found === undefined || (found.interaction !== live.id && found !== live.message)) throw new DiscordRefusal(10008);
    return found;
  }

  #byToken(application: string, token: string): Live {
    const { world, tokenLifeMs } = this.#rules;
    const live = [...this.#all.values()].find((one) => one.token === token);
    if (application !== world.applicationId || live === undefined || live.state !== "answered") throw new DiscordRefusal(10015); // IN2
    if (world.now() - live.atMs > tokenLifeMs()) throw new DiscordRefusal(50027);
    return live;
  }
}
