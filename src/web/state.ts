/**
 * What the local page draws: the three conversations of one person, as plain data. Pure but for reading the simulators.
 *
 * V1  The page holds no state of its own: this snapshot is everything, so a reload shows the same (open forms included).
 * V2  Text stays text: nothing here is markup, and the page puts it in with `textContent`.
 */
import type { ChatKind, ChatSimulator, SeenButton, SeenMessage, SeenModal } from "../testing/sim/simulator.js";

/** Messages of one conversation that the page shows, newest last; older ones are left out. */
export const SHOWN_MESSAGES = 200;

/** One message as drawn. `own`: the person wrote it; `privately`: nobody else can see it. */
export type MessageView = {
  readonly id: string;
  readonly from: string;
  readonly own: boolean;
  readonly privately: boolean;
  readonly text: string;
  readonly atMs: number;
  readonly edited: boolean;
  readonly inThread: boolean;
  readonly forceReply: boolean;
  /** The message it answers: replied to, or the first one of its thread. */
  readonly about?: string;
  readonly buttons: readonly ControlView[];
  readonly menu: readonly ControlView[];
};

/** A button or menu entry; people choose it by its label. */
export type ControlView = { readonly label: string; readonly style: NonNullable<SeenButton["style"]>; readonly disabled: boolean };

/** A form (modal) that is open in front of the person. */
export type OpenFormView = { readonly id: string; readonly title: string; readonly fields: SeenModal["fields"] };

/** One conversation as drawn. */
export type ChatView = {
  readonly chat: ChatKind;
  readonly conversation: string;
  readonly messages: readonly MessageView[];
  readonly form?: OpenFormView;
};

/** The whole page. `terminal`: what the asker's terminal has printed. */
export type PageState = { readonly person: string; readonly chats: readonly ChatView[]; readonly terminal: readonly string[] };

/** Draws one conversation: the direct chat of `person` with the bot. */
export function chatView(chat: ChatSimulator, person: string, form: OpenFormView | undefined): ChatView {
  const actor = chat.person(person);
  const messages = actor
    .reads()
    .slice(-SHOWN_MESSAGES)
    .map((message) => messageView(message, person));
  return { chat: chat.channel, conversation: actor.direct, messages, ...(form === undefined ? {} : { form }) };
}

function messageView(message: SeenMessage, person: string): MessageView {
  const about = message.replyTo ?? message.thread;
  return {
    id: message.id,
    from: message.from,
    own: message.from === person,
    privately: message.onlyTo !== undefined,
    text: message.text,
    atMs: message.atMs,
    edited: message.editedAtMs !== undefined,
    inThread: message.thread !== undefined && message.thread !== message.id,
    forceReply: message.forceReply === true,
    ...(about === undefined || about === message.id ? {} : { about }),
    buttons: message.buttons.map(controlView),
    menu: message.menu.map(controlView),
  };
}

function controlView({ label, style = "default", disabled = false }: SeenButton): ControlView {
  return { label, style, disabled };
}
