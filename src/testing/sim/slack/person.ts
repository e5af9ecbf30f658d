/** A scripted person on the simulated Slack: reads, presses, picks, types, fills modals in. */
import type { PressResult, SeenMessage, SeenModal, SimPerson, SimPlace } from "../simulator.js";
import { buttonsOf, type Control, controlsOf, menuOf, seenBlocks } from "./block-view.js";
import type { Attempt } from "./deliveries.js";
import { flagAt, isObject, type Json, listAt, numberAt, objectAt, textAt } from "./json.js";
import { seenMrkdwn, typedText } from "./mrkdwn.js";
import { blockActions, changedEvent, messageEvent, viewSubmission } from "./payloads.js";
import type { SlackWorkspace, StoredMessage, StoredUser, StoredView } from "./state.js";

/** What the person needs of the simulator around it. */
export type Desk = {
  readonly workspace: SlackWorkspace;
  readonly event: (payload: Json) => void;
  readonly interaction: (payload: Json) => Promise<Attempt>;
  /** Address of a response_url by its id. */
  readonly responseUrl: (id: string) => string;
};

/** Longest wait of a person for something to appear, unless told otherwise. */
const WAIT_MS = 5_000;

/** A message as a person sees it. */
function seenMessage(workspace: SlackWorkspace, message: StoredMessage): SeenMessage {
  // Blocks replace the text; the text is then only for notifications. Source: docs.slack.dev chat.postMessage, `text`.
  const body =
    message.blocks.length > 0 && message.user === workspace.botUserId
      ? seenBlocks(message.blocks)
      : seenMrkdwn(message.text, { loose: false });
  const notified = seenMrkdwn(message.text, { loose: false }).mentions;
  const shared = (message.attachments ?? []).map((attachment) => textAt(attachment, "text") ?? "");
  return {
    id: message.ts,
    conversation: message.conversation,
    from: message.user === workspace.botUserId ? "bot" : (workspace.users.get(message.user)?.name ?? message.user),
    text: [body.text, ...shared].filter((line) => line !== "").join("\n"),
    buttons: buttonsOf(message.blocks),
    menu: menuOf(message.blocks),
    mentions: [...new Set([...body.mentions, ...notified])],
    atMs: message.atMs,
    ...(message.threadTs === undefined ? {} : { thread: message.threadTs }),
    ...(message.onlyTo === undefined ? {} : { onlyTo: message.onlyTo }),
    ...(message.editedAtMs === undefined ? {} : { editedAtMs: message.editedAtMs }),
  };
}

type Where = { readonly on?: SeenMessage; readonly in?: SimPlace };

/** One person; made by `SlackSimulator.person`. */
export class SlackPerson implements SimPerson {
  readonly name: string;
  readonly userId: string;
  readonly direct: string;
  readonly #user: StoredUser;
  readonly #desk: Desk;

  constructor(user: StoredUser, desk: Desk) {
    this.#user = user;
    this.#desk = desk;
    this.name = user.name;
    this.userId = user.id;
    this.direct = user.direct;
  }

  get #workspace(): SlackWorkspace {
    return this.#desk.workspace;
  }

  #stored(place: SimPlace = { conversation: this.direct }): readonly StoredMessage[] {
    const conversation = this.#workspace.conversations.get(place.conversation);
    if (conversation === undefined || !conversation.members.has(this.userId)) return [];
    return conversation.messages.filter(
      ({ onlyTo, threadTs, ts }) =>
        (onlyTo === undefined || onlyTo === this.userId) &&
        (place.thread === undefined || threadTs === place.thread || ts === place.thread),
    );
  }

  reads(place?: SimPlace): readonly SeenMessage[] {
    return this.#stored(place).map((message) => seenMessage(this.#workspace, message));
  }

  waitsFor(
    match: (message: SeenMessage) => boolean,
    { in: place, withinMs = WAIT_MS }: { readonly in?: SimPlace; readonly withinMs?: number } = {},
  ): Promise<SeenMessage> {
    return this.#until(
      () => this.reads(place).findLast(match),
      withinMs,
      () => JSON.stringify(this.reads(place).map(({ text, buttons }) => ({ text, buttons: buttons.map(({ label }) => label) }))),
    );
  }

  /** Looks after every change until there is something. */
  #until<T>(look: () => T | undefined, withinMs: number, state: () => string): Promise<T> {
    return new Promise((resolve, reject) => {
      const now = look();
      if (now !== undefined) return resolve(now);
      const timer = setTimeout(() => {
        undo();
        reject(new Error(`${this.name} waited ${withinMs} ms; there was ${state()}`));
      }, withinMs);
      const undo = this.#workspace.onChange(() => {
        const found = look();
        if (found === undefined) return;
        clearTimeout(timer);
        undo();
        resolve(found);
      });
    });
  }

  #control(label: string, { on, in: place }: Where, fits: (control: Control) => boolean): { message: StoredMessage; control: Control } {
    const messages =
      on === undefined ? this.#stored(place) : this.#stored({ conversation: on.conversation }).filter(({ ts }) => ts === on.id);
    for (const message of [...messages].reverse()) {
      // A message pressed as it was seen: its controls may be gone by now, the press is sent all the same.
      const control = controlsOf(message.blocks).find(fits) ?? (on === undefined ? undefined : controlsOf(message.former ?? []).find(fits));
      if (control !== undefined) return { message, control };
    }
    const there = messages.flatMap(({ blocks }) => [...buttonsOf(blocks), ...menuOf(blocks)].map((entry) => entry.label));
    throw new Error(`${this.name} sees no control "${label}"; there are ${JSON.stringify(there)}`);
  }

  async #act(message: StoredMessage, action: Json): Promise<{ attempt: Attempt; triggerId: string }> {
    const triggerId = `trigger-${this.#workspace.serial()}`;
    const madeAtMs = this.#workspace.now();
    this.#workspace.triggers.set(triggerId, { id: triggerId, user: this.userId, madeAtMs, used: false });
    const id = `r${this.#workspace.serial()}`;
    const thread = message.threadTs === undefined ? {} : { threadTs: message.threadTs };
    const target = { id, conversation: message.conversation, user: this.userId, messageTs: message.ts, madeAtMs, uses: 0, ...thread };
    this.#workspace.responseUrls.set(id, target);
    const responseUrl = this.#desk.responseUrl(id);
    const payload = blockActions(this.#workspace, { user: this.#user, message, triggerId, responseUrl, action });
    return { attempt: await this.#desk.interaction(payload), triggerId };
  }

  #button(label: string, where: Where): { message: StoredMessage; action: Json } {
    const fits = ({ element }: Control): boolean =>
      textAt(element, "type") === "button" && textAt(objectAt(element, "text"), "text") === label;
    const { message, control } = this.#control(label, where, fits);
    const { action_id, value, text, type, style } = control.element;
    return {
      message,
      action: { action_id, block_id: control.block["block_id"], text, value, type, ...(style === undefined ? {} : { style }) },
    };
  }

  async press(label: string, where: Where = {}): Promise<PressResult> {
    const { message, action } = this.#button(label, where);
    return this.#pressed(message, action);
  }

  async #pressed(message: StoredMessage, action: Json): Promise<PressResult> {
    const before = new Set(this.#stored({ conversation: message.conversation }).map(({ ts }) => ts));
    const { attempt } = await this.#act(message, action);
    const word = this.#stored({ conversation: message.conversation }).find(({ ts, onlyTo }) => onlyTo === this.userId && !before.has(ts));
    return {
      acknowledged: attempt.ok,
      afterMs: attempt.afterMs,
      ...(word === undefined ? {} : { word: seenMessage(this.#workspace, word).text }),
    };
  }

  async picks(labels: readonly string[], where: Where = {}): Promise<PressResult> {
    const [label = ""] = labels;
    const entry = (element: Json): Json | undefined =>
      listAt(element, "options")
        .filter(isObject)
        .find((option) => textAt(objectAt(option, "text"), "text") === label);
    const { message, control } = this.#control(label, where, ({ element }) => entry(element) !== undefined);
    const selected = entry(control.element);
    return this.#pressed(message, {
      type: "static_select",
      action_id: control.element["action_id"],
      block_id: control.block["block_id"],
      selected_option: selected,
      placeholder: control.element["placeholder"],
    });
  }

  async types(text: string, { replyTo, in: place }: { readonly replyTo?: SeenMessage; readonly in?: SimPlace } = {}): Promise<SeenMessage> {
    const encoded = typedText(text);
    const blocks = [{ type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }] }];
    return this.#says({ text: encoded, blocks: text === "" ? [] : blocks }, { ...(replyTo && { replyTo }), ...(place && { in: place }) });
  }

  #says(
    content: Pick<StoredMessage, "text" | "blocks"> & Partial<Pick<StoredMessage, "subtype" | "files" | "attachments">>,
    {
      replyTo,
      in: place = { conversation: replyTo?.conversation ?? this.direct },
    }: { readonly replyTo?: SeenMessage; readonly in?: SimPlace },
  ): SeenMessage {
    const thread = replyTo === undefined ? place.thread : (replyTo.thread ?? replyTo.id);
    const conversation = this.#workspace.conversations.get(place.conversation);
    if (conversation?.members.has(this.userId) !== true) throw new Error(`${this.name} is not in ${place.conversation}`);
    const message = this.#workspace.add({
      conversation: place.conversation,
      user: this.userId,
      ...content,
      ...(thread === undefined ? {} : { threadTs: thread }),
    });
    this.#desk.event(messageEvent(this.#workspace, message));
    return seenMessage(this.#workspace, message);
  }

  async opensModal(label: string, where: Where = {}): Promise<SeenModal> {
    const { message, action } = this.#button(label, where);
    const acting = this.#act(message, action);
    const known = new Set(this.#workspace.views);
    const opened = this.#until(
      () => this.#workspace.views.find((view) => view.user === this.userId && !known.has(view)),
      WAIT_MS,
      () => "no new modal",
    );
    const view = await opened;
    await acting;
    return this.#modal(view);
  }

  #modal(stored: StoredView): SeenModal {
    const inputs = listAt(stored.view, "blocks").filter((block) => textAt(block, "type") === "input");
    const fields = inputs.map((block) => {
      const element = objectAt(block, "element");
      const value = textAt(element, "initial_value");
      return {
        key: textAt(block, "block_id") ?? "",
        label: textAt(objectAt(block, "label"), "text") ?? "",
        multiline: flagAt(element, "multiline"),
        ...(value === undefined ? {} : { value }),
      };
    });
    const close = (): void => {
      const at = this.#workspace.views.indexOf(stored);
      if (at >= 0) this.#workspace.views.splice(at, 1);
    };
    return {
      title: textAt(objectAt(stored.view, "title"), "text") ?? "",
      fields,
      dismiss: close,
      submit: async (values) => {
        const filled = Object.fromEntries(fields.map(({ key, value }) => [key, values[key] ?? value ?? null]));
        const faults = Object.fromEntries(inputs.flatMap((block) => clientFault(block, filled[textAt(block, "block_id") ?? ""] ?? "")));
        if (Object.keys(faults).length > 0) return faults;
        const attempt = await this.#desk.interaction(viewSubmission(this.#workspace, this.#user, stored, filled));
        if (!attempt.ok) return { "": "We had some trouble connecting. Try again?" };
        const errors = textAt(attempt.body, "response_action") === "errors" ? objectAt(attempt.body, "errors") : undefined;
        if (errors !== undefined) return Object.fromEntries(Object.entries(errors).map(([key, text]) => [key, String(text)]));
        close();
        return {};
      },
    };
  }

  async edits(message: SeenMessage, text: string): Promise<SeenMessage> {
    const stored = this.#workspace.message(message.conversation, message.id);
    if (stored === undefined || stored.user !== this.userId) throw new Error(`${this.name} cannot edit ${message.id}`);
    const before = stored.text;
    stored.text = typedText(text);
    stored.editedAtMs = this.#workspace.now();
    this.#workspace.changed();
    this.#desk.event(changedEvent(this.#workspace, stored, before));
    return seenMessage(this.#workspace, stored);
  }

  async forwards(message: SeenMessage, to: SimPlace): Promise<SeenMessage> {
    const shared = { is_share: true, is_msg_unfurl: true, channel_id: message.conversation, ts: message.id, text: typedText(message.text) };
    return this.#says({ text: "", blocks: [], attachments: [shared] }, { in: to });
  }

  async sendsMedia(
    what: "voice" | "sticker" | "photo" | "poll" | "location" | "contact" | "file",
    where: { readonly replyTo?: SeenMessage; readonly in?: SimPlace } = {},
  ): Promise<SeenMessage> {
    // Slack knows files only; the other kinds reach an app as files or not at all.
    const file = { id: `F0${this.#workspace.serial()}`, name: what, mimetype: what === "voice" ? "audio/mp4" : "application/octet-stream" };
    return this.#says({ text: "", blocks: [], subtype: "file_share", files: [file] }, where);
  }
}

/** What Slack's own client refuses before anything is sent: a required field left empty, too short, too long. */
function clientFault(block: unknown, value: string): readonly [string, string][] {
  const key = textAt(block, "block_id") ?? "";
  const element = objectAt(block, "element");
  const min = numberAt(element, "min_length") ?? 0;
  const max = numberAt(element, "max_length") ?? 3_000;
  if (value === "") return flagAt(block, "optional") ? [] : [[key, "Please complete this required field."]];
  if (value.length < min) return [[key, `Must be at least ${min} characters.`]];
  return value.length > max ? [[key, `Must be no more than ${max} characters.`]] : [];
}
