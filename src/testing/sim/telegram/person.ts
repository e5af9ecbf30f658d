/** The scripted person: reads, presses, types, forwards, sends media, as a Telegram app would do it. */
import type { PressResult, SeenMessage, SeenModal, SimPerson, SimPlace } from "../simulator.js";
import { TEXT_MAX } from "./limits.js";
import type { Chat, Message } from "./state.js";
import type { Json, User } from "./wire.js";

type Media = Parameters<SimPerson["sendsMedia"]>[0];
type Sent = { readonly text?: string; readonly extra?: Json; readonly replyTo?: string | undefined; readonly place: Placed };
/** A chat, or one topic of it. */
export type Placed = { readonly chat: Chat; readonly topic?: number };

/** What a person needs of the simulator. */
export type PersonWorld = {
  placed(user: User, place: SimPlace | undefined): Placed;
  seen(user: User, place: Placed): readonly SeenMessage[];
  write(
    user: User,
    sent: { readonly text: string; readonly extra: Json; readonly replyTo: number | undefined; readonly place: Placed },
  ): Message;
  show(message: Message): SeenMessage;
  press(user: User, place: Placed, messageId: string, data: string): Promise<PressResult>;
  edit(user: User, place: Placed, messageId: string, text: string): Message;
  onChange(seen: () => void): () => void;
};

/** Minimal payloads of messages without text. Source: Bot API, the field of each kind in Message. */
const MEDIA: Readonly<Record<Media, Json>> = {
  voice: { voice: { file_id: "voice-1", file_unique_id: "v1", duration: 3 } },
  sticker: {
    sticker: { file_id: "sticker-1", file_unique_id: "s1", type: "regular", width: 512, height: 512, is_animated: false, is_video: false },
  },
  photo: { photo: [{ file_id: "photo-1", file_unique_id: "p1", width: 90, height: 90 }] },
  poll: { poll: { id: "1", question: "?", options: [], total_voter_count: 0, is_closed: false, is_anonymous: true, type: "regular" } },
  location: { location: { latitude: 48.1, longitude: 11.5 } },
  contact: { contact: { phone_number: "+000", first_name: "Someone" } },
  file: { document: { file_id: "file-1", file_unique_id: "f1", file_name: "a.txt" } },
};

/** A person on Telegram, for tests and the demo. */
export class TelegramPerson implements SimPerson {
  readonly name: string;
  readonly userId: string;
  readonly direct: string;
  readonly #user: User;
  readonly #world: PersonWorld;

  constructor(user: User, world: PersonWorld) {
    this.#user = user;
    this.#world = world;
    this.name = user.first_name;
    this.userId = String(user.id);
    this.direct = String(user.id);
  }

  reads(place?: SimPlace): readonly SeenMessage[] {
    return this.#world.seen(this.#user, this.#world.placed(this.#user, place));
  }

  waitsFor(
    match: (message: SeenMessage) => boolean,
    { in: place, withinMs = 5_000 }: { readonly in?: SimPlace; readonly withinMs?: number } = {},
  ): Promise<SeenMessage> {
    return new Promise((resolve, reject) => {
      const look = (): boolean => {
        const found = this.reads(place).find(match);
        if (found === undefined) return false;
        clearTimeout(timer);
        forget();
        resolve(found);
        return true;
      };
      const timer = setTimeout(() => {
        forget();
        reject(new Error(`${this.name} waited ${withinMs} ms; there was ${JSON.stringify(this.reads(place).map(({ text }) => text))}`));
      }, withinMs);
      const forget = this.#world.onChange(look);
      look();
    });
  }

  /** The newest message that has a button with this label, or `on` as it is now. */
  #withButton(
    label: string,
    { on, in: place }: { readonly on?: SeenMessage; readonly in?: SimPlace },
  ): { message: SeenMessage; data: string } {
    const messages = this.reads(place ?? (on === undefined ? undefined : placeOf(on)));
    const candidates = on === undefined ? messages.toReversed() : messages.filter(({ id }) => id === on.id);
    for (const message of candidates) {
      const button = message.buttons.find((candidate) => candidate.label === label);
      if (button?.disabled === true) throw new Error(`the button "${label}" is disabled`);
      if (button !== undefined) return { message, data: button.data };
    }
    const labels = candidates.map(({ buttons }) => buttons.map((button) => button.label));
    throw new Error(`${this.name} sees no button "${label}"; there were ${JSON.stringify(labels)}`);
  }

  async press(label: string, options: { readonly on?: SeenMessage; readonly in?: SimPlace } = {}): Promise<PressResult> {
    const { message, data } = this.#withButton(label, options);
    return this.#world.press(this.#user, this.#world.placed(this.#user, placeOf(message)), message.id, data);
  }

  /** Telegram has no menus: presses the buttons one after another and gives the last result. */
  async picks(labels: readonly string[], options: { readonly on?: SeenMessage; readonly in?: SimPlace } = {}): Promise<PressResult> {
    let result: PressResult = { acknowledged: true, afterMs: 0 };
    for (const label of labels) result = await this.press(label, options);
    return result;
  }

  async types(text: string, { replyTo, in: place }: { readonly replyTo?: SeenMessage; readonly in?: SimPlace } = {}): Promise<SeenMessage> {
    if (text.trim() === "" || text.length > TEXT_MAX) throw new Error(`a message has 1 to ${TEXT_MAX} characters`);
    return this.#send({ text, replyTo: replyTo?.id, place: this.#world.placed(this.#user, place) });
  }

  #send({ text = "", extra = {}, replyTo, place }: Sent): SeenMessage {
    const message = this.#world.write(this.#user, { text, extra, replyTo: replyTo === undefined ? undefined : Number(replyTo), place });
    return this.#world.show(message);
  }

  async opensModal(label: string, options: { readonly on?: SeenMessage; readonly in?: SimPlace } = {}): Promise<SeenModal> {
    const { message } = this.#withButton(label, options);
    const place = placeOf(message);
    const before = new Set(this.reads(place).map(({ id }) => id));
    await this.press(label, { on: message, in: place });
    const box = await this.waitsFor(({ id, forceReply }) => forceReply === true && !before.has(id), { in: place });
    return {
      title: box.text.split("\n")[0] ?? "",
      // The app's reply box has no keys: one field, and whatever key the caller uses is taken.
      fields: [{ key: "reply", label: box.text, multiline: true }],
      submit: async (values) => {
        await this.types(Object.values(values)[0] ?? "", { replyTo: box, in: place });
        return {};
      },
      dismiss: () => undefined,
    };
  }

  async edits(message: SeenMessage, text: string): Promise<SeenMessage> {
    const place = this.#world.placed(this.#user, placeOf(message));
    return this.#world.show(this.#world.edit(this.#user, place, message.id, text));
  }

  async forwards(message: SeenMessage, to: SimPlace): Promise<SeenMessage> {
    // Bot API: forward_origin of type "user" names the first sender.
    const extra = { forward_origin: { type: "user", date: Math.floor(message.atMs / 1_000), sender_user: this.#user } };
    return this.#send({ text: message.text, extra, place: this.#world.placed(this.#user, to) });
  }

  async sendsMedia(
    what: Media,
    { replyTo, in: place }: { readonly replyTo?: SeenMessage; readonly in?: SimPlace } = {},
  ): Promise<SeenMessage> {
    return this.#send({ extra: MEDIA[what], replyTo: replyTo?.id, place: this.#world.placed(this.#user, place) });
  }

  /** Several photos sent as one album, without a caption. */
  async sendsAlbum(count: number, { replyTo, in: place }: { readonly replyTo?: SeenMessage; readonly in?: SimPlace } = {}): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const extra = { ...MEDIA.photo, media_group_id: `album-${replyTo?.id ?? "0"}` };
      this.#send({ extra, replyTo: replyTo?.id, place: this.#world.placed(this.#user, place) });
    }
  }

  /** A photo with a caption. */
  async sendsCaptioned(
    caption: string,
    { replyTo, in: place }: { readonly replyTo?: SeenMessage; readonly in?: SimPlace } = {},
  ): Promise<SeenMessage> {
    return this.#send({ extra: { ...MEDIA.photo, caption }, replyTo: replyTo?.id, place: this.#world.placed(this.#user, place) });
  }
}

function placeOf({ conversation, thread }: SeenMessage): SimPlace {
  return thread === undefined ? { conversation } : { conversation, thread };
}
