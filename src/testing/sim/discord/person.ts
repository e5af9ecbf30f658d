/** A person in the Discord simulator: reads, presses, picks, types, fills in modals. */
import type { PressResult, SeenMessage, SeenModal, SimPerson, SimPlace } from "../simulator.js";
import { codePoints, type ModalBody } from "./bodies.js";
import type { Answer, Click, Interactions } from "./interactions.js";
import { readableText } from "./markdown.js";
import { menuWith, seenMessage } from "./seen.js";
import type { Attachment, NewMessage, SimChannel, SimMessageState, SimUser, World } from "./world.js";

/** Longest wait for a message, unless a test says otherwise. */
const WAIT_MS = 5_000;

type Media = Parameters<SimPerson["sendsMedia"]>[0];

/** What a person acts through. */
export type PersonRules = {
  readonly world: World;
  readonly interactions: Interactions;
  /** Posts a person's message and tells the bot. */
  readonly post: (message: NewMessage) => SimMessageState;
  readonly edited: (message: SimMessageState) => void;
};

/** One person; see `SimPerson`. */
export class DiscordPerson implements SimPerson {
  readonly name: string;
  readonly userId: string;
  readonly direct: string;
  readonly #user: SimUser;
  readonly #rules: PersonRules;

  constructor(user: SimUser, rules: PersonRules) {
    this.name = user.name;
    this.userId = user.id;
    this.direct = user.direct;
    this.#user = user;
    this.#rules = rules;
  }

  reads(place?: SimPlace): readonly SeenMessage[] {
    const { world } = this.#rules;
    const visible = world.in(this.#channel(place).id).filter(({ onlyTo }) => onlyTo === undefined || onlyTo === this.userId);
    return visible.map((message) => seenMessage(message, world));
  }

  waitsFor(
    match: (message: SeenMessage) => boolean,
    { in: place, withinMs = WAIT_MS }: Parameters<SimPerson["waitsFor"]>[1] = {},
  ): Promise<SeenMessage> {
    return new Promise((resolve, reject) => {
      const finish = (act: () => void): void => {
        clearTimeout(limit);
        unwatch();
        act();
      };
      const look = (): void => {
        const found = this.reads(place).findLast(match);
        if (found !== undefined) finish(() => resolve(found));
      };
      const unwatch = this.#rules.world.watch(look);
      const limit = setTimeout(() => {
        const there = this.reads(place).map(({ text, buttons }) => ({ text, buttons: buttons.map(({ label }) => label) }));
        finish(() => reject(new Error(`${this.name} waited ${withinMs} ms; there was ${JSON.stringify(there)}`)));
      }, withinMs);
      look();
    });
  }

  async press(label: string, options: { readonly on?: SeenMessage; readonly in?: SimPlace } = {}): Promise<PressResult> {
    return pressResult(await this.#click(label, options));
  }

  async picks(
    labels: readonly string[],
    { on, in: place }: { readonly on?: SeenMessage; readonly in?: SimPlace } = {},
  ): Promise<PressResult> {
    const candidates = on === undefined ? [...this.#messages(place)].reverse() : [this.#current(on)];
    for (const message of candidates) {
      const menu = menuWith(message, labels);
      if (menu === undefined) continue;
      if (labels.length > (menu.select.max_values ?? 1)) throw new Error(`the menu takes ${menu.select.max_values ?? 1} entries at most`);
      const answer = await this.#rules.interactions.press(this.#on(message), { customId: menu.select.custom_id, values: menu.values });
      return pressResult(answer);
    }
    throw new Error(`${this.name} sees no menu with ${labels.join(", ")}`);
  }

  async types(text: string, { replyTo, in: place }: { readonly replyTo?: SeenMessage; readonly in?: SimPlace } = {}): Promise<SeenMessage> {
    return this.#posts({ content: text }, replyTo, place);
  }

  async opensModal(label: string, options: { readonly on?: SeenMessage; readonly in?: SimPlace } = {}): Promise<SeenModal> {
    const answer = await this.#click(label, options);
    if (answer.modal === undefined) throw new Error(`"${label}" opened no modal: ${JSON.stringify(pressResult(answer))}`);
    const click = this.#on(options.on === undefined ? this.#withButton(label, options.in) : this.#current(options.on));
    return this.#modal(answer.modal, click);
  }

  async edits(message: SeenMessage, text: string): Promise<SeenMessage> {
    const stored = this.#current(message);
    this.#rules.world.edit(stored, { content: text });
    this.#rules.edited(stored);
    return seenMessage(stored, this.#rules.world);
  }

  async forwards(message: SeenMessage, to: SimPlace): Promise<SeenMessage> {
    // A forward has no content of its own: the copy stands in `message_snapshots`. Source: Message Resource, "Message Reference Types".
    return this.#posts({ forwarded: true, replyTo: message.id }, undefined, to);
  }

  async sendsMedia(
    what: Media,
    { replyTo, in: place }: { readonly replyTo?: SeenMessage; readonly in?: SimPlace } = {},
  ): Promise<SeenMessage> {
    return this.#posts(media(what, this.#rules.world), replyTo, place);
  }

  #posts(given: Partial<NewMessage>, replyTo: SeenMessage | undefined, place: SimPlace | undefined): SeenMessage {
    const { world, post } = this.#rules;
    const channel = this.#channel(place);
    const target = replyTo === undefined ? {} : { replyTo: replyTo.id };
    return seenMessage(post({ channel: channel.id, author: this.userId, ...target, ...given }), world);
  }

  #channel(place: SimPlace = { conversation: this.direct }): SimChannel {
    const { world } = this.#rules;
    const channel = world.channel(place.thread ?? place.conversation);
    if (channel === undefined) throw new Error(`no conversation ${JSON.stringify(place)}`);
    if (!world.isMember(channel, this.userId)) throw new Error(`${this.name} is not a member of ${channel.name}`);
    return channel;
  }

  #messages(place: SimPlace | undefined): readonly SimMessageState[] {
    const visible = ({ onlyTo }: SimMessageState): boolean => onlyTo === undefined || onlyTo === this.userId;
    return this.#rules.world.in(this.#channel(place).id).filter(visible);
  }

  #current({ id, thread, conversation }: SeenMessage): SimMessageState {
    const message = this.#rules.world.message(thread ?? conversation, id);
    if (message === undefined) throw new Error(`message ${id} is gone`);
    return message;
  }

  #withButton(label: string, place: SimPlace | undefined): SimMessageState {
    const messages = this.#messages(place);
    const seen = messages.map((message) => seenMessage(message, this.#rules.world));
    const index = seen.findLastIndex(({ buttons }) => buttons.some((button) => button.label === label));
    const found = messages[index];
    if (found === undefined)
      throw new Error(
        `${this.name} sees no button "${label}" among ${JSON.stringify(seen.flatMap(({ buttons }) => buttons.map((button) => button.label)))}`,
      );
    return found;
  }

  async #click(label: string, { on, in: place }: { readonly on?: SeenMessage; readonly in?: SimPlace }): Promise<Answer> {
    const message = on === undefined ? this.#withButton(label, place) : this.#current(on);
    // `on` may be an older look at the message: the person's screen can lag behind an edit.
    const looks = [...seenMessage(message, this.#rules.world).buttons, ...(on?.buttons ?? [])];
    const button = looks.find((one) => one.label === label);
    if (button === undefined) throw new Error(`message ${message.id} has no button "${label}"`);
    if (button.disabled === true) throw new Error(`"${label}" is disabled`);
    return this.#rules.interactions.press(this.#on(message), { customId: button.data });
  }

  #on(message: SimMessageState): Click {
    const channel = this.#rules.world.channel(message.channel);
    if (channel === undefined) throw new Error(`channel ${message.channel} is gone`);
    return { user: this.#user, channel, message };
  }

  #modal(modal: ModalBody, click: Click): SeenModal {
    const fields = modal.components.flatMap((component) => {
      if (component.type === 10) return [];
      const input = component.type === 18 ? component.component : component.components[0];
      const label = component.type === 18 ? component.label : (component.components[0].label ?? "");
      return [{ input, label }];
    });
    return {
      title: modal.title,
      fields: fields.map(({ input, label }) => ({
        key: input.custom_id,
        label,
        multiline: input.style === 2,
        ...(input.value === undefined ? {} : { value: input.value }),
      })),
      submit: async (values) => {
        const all = Object.fromEntries(fields.map(({ input }) => [input.custom_id, values[input.custom_id] ?? input.value ?? ""]));
        for (const key of Object.keys(values)) if (!(key in all)) throw new Error(`the modal has no field "${key}"`);
        for (const { input } of fields) checkLength(input, all[input.custom_id] ?? "");
        const answer = await this.#rules.interactions.submit(click, { modal, values: all });
        if (!answer.acknowledged) throw new Error("This interaction failed");
        return {};
      },
      dismiss: () => undefined,
    };
  }
}

/** The client itself refuses a value that is too short or too long. Source: Components Reference, "Text Input". */
function checkLength(
  {
    custom_id,
    required = true,
    min_length = 0,
    max_length = 4000,
  }: { custom_id: string; required?: boolean | undefined; min_length?: number | undefined; max_length?: number | undefined },
  value: string,
): void {
  const length = codePoints(value);
  if (length === 0 && !required) return;
  if (length < Math.max(min_length, required ? 1 : 0) || length > max_length)
    throw new Error(`${custom_id}: ${length} characters are not allowed`);
}

function pressResult({ acknowledged, afterMs, message }: Answer): PressResult {
  const word = message?.onlyTo === undefined ? {} : { word: readableText(message.content) };
  return { acknowledged, afterMs, ...word };
}

const FILES = {
  voice: ["voice-message.ogg", "audio/ogg"],
  photo: ["photo.png", "image/png"],
  file: ["notes.pdf", "application/pdf"],
  location: ["map.png", "image/png"],
  contact: ["card.vcf", "text/vcard"],
} as const;

/** Discord has no location or contact messages: both are files there. */
function media(what: Media, world: World): Partial<NewMessage> {
  if (what === "sticker") return { sticker: true };
  if (what === "poll") return { poll: true };
  const [filename, content_type] = FILES[what];
  const attachment: Attachment = { id: world.ids.next(), filename, content_type, voice: what === "voice" };
  // IS_VOICE_MESSAGE, 1 << 13. Source: Message Resource, "Message Flags".
  return { attachments: [attachment], ...(what === "voice" ? { flags: 1 << 13 } : {}) };
}
