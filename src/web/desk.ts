/**
 * The person's hands on the local page: takes an action that the page sent and does it in the simulator of its chat.
 *
 * D1  An action names its message by id and its control by label, and is checked against what the person can see now: a page that is
 *     behind gets a sentence, never the wrong button.
 * D2  An open form is kept here, so that a reload shows it again. One form per chat; a new one takes its place.
 * D3  A button that opens a form cannot be told from another before it is pressed. On Slack and Discord our labels for such buttons end
 *     in "…"; such a press waits for the form, and is an ordinary press when none came.
 */
import { z } from "zod";
import { HandraiseError, unreachable } from "../errors.js";
import type { ChatKind, ChatSimulator, PressResult, SeenMessage, SeenModal, SimPerson } from "../testing/sim/simulator.js";
import type { OpenFormView } from "./state.js";

/** Characters that one typed message may have on the page. The platforms' own limits are enforced by the simulators. */
export const TYPED_MAX_CHARACTERS = 8_000;

const chat = z.enum(["slack", "discord", "telegram"]);
const name = z.string().min(1).max(1_000);

/** What the page may send. Unknown keys are refused. */
export const ACTION = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("press"), chat, message: name, label: name }),
  z.strictObject({ do: z.literal("pick"), chat, message: name, labels: z.array(name).min(1).max(100) }),
  z.strictObject({ do: z.literal("type"), chat, text: z.string().min(1).max(TYPED_MAX_CHARACTERS), replyTo: name.optional() }),
  z.strictObject({ do: z.literal("submit"), chat, form: name, values: z.record(name, z.string().max(TYPED_MAX_CHARACTERS)) }),
  z.strictObject({ do: z.literal("dismiss"), chat, form: name }),
]);
/** One action of the person, parsed. */
export type Action = z.infer<typeof ACTION>;

/** How it went. `word`: a sentence for the person. `fields`: errors beside the form's fields. */
export type Done = { readonly word?: string; readonly fields?: Readonly<Record<string, string>> };

type OpenForm = { readonly id: string; readonly modal: SeenModal };

/** One person's place at the three chats. `changed` is called after a form opened or closed. */
export class Desk {
  readonly #chats: readonly ChatSimulator[];
  readonly #person: string;
  readonly #changed: () => void;
  readonly #forms = new Map<ChatKind, OpenForm>();
  #serial = 0;

  constructor({
    chats,
    person,
    changed,
  }: {
    readonly chats: readonly ChatSimulator[];
    readonly person: string;
    readonly changed: () => void;
  }) {
    this.#chats = chats;
    this.#person = person;
    this.#changed = changed;
  }

  /** The form that is open in this chat, for drawing. */
  form(kind: ChatKind): OpenFormView | undefined {
    const open = this.#forms.get(kind);
    return open === undefined ? undefined : { id: open.id, title: open.modal.title, fields: open.modal.fields };
  }

  /**
   * Does one action as the person. Resolves when the platform has replied or given up.
   * @throws {HandraiseError} `input_invalid` when the message, control or form is no longer there (D1).
   */
  async act(action: Action): Promise<Done> {
    const actor = this.#actor(action.chat);
    switch (action.do) {
      case "press":
        return this.#press(actor, action);
      case "pick":
        return told(await actor.picks(action.labels, { on: this.#withControl(actor, action.message, "menu", action.labels) }));
      case "type":
        await actor.types(action.text, action.replyTo === undefined ? {} : { replyTo: seen(actor, action.replyTo) });
        return {};
      case "submit":
        return this.#submit(action);
      case "dismiss":
        this.#open(action).modal.dismiss();
        this.#setForm(action.chat, undefined);
        return {};
      default:
        return unreachable(action);
    }
  }

  async #press(actor: SimPerson, { chat: kind, message, label }: Extract<Action, { do: "press" }>): Promise<Done> {
    const on = this.#withControl(actor, message, "buttons", [label]);
    if (kind === "telegram" || !label.endsWith("…")) return told(await actor.press(label, { on })); // D3
    const modal = await actor.opensModal(label, { on }).catch(() => undefined);
    if (modal !== undefined) this.#setForm(kind, modal);
    return {};
  }

  async #submit(action: Extract<Action, { do: "submit" }>): Promise<Done> {
    const open = this.#open(action);
    const fields = await open.modal.submit(action.values);
    if (Object.keys(fields).length > 0) return { fields };
    if (this.#forms.get(action.chat) === open) this.#setForm(action.chat, undefined);
    return {};
  }

  #actor(kind: ChatKind): SimPerson {
    const found = this.#chats.find((simulator) => simulator.channel === kind);
    if (found === undefined) throw new HandraiseError("input_invalid", `There is no ${kind} chat here.`);
    return found.person(this.#person);
  }

  #withControl(actor: SimPerson, message: string, where: "buttons" | "menu", labels: readonly string[]): SeenMessage {
    const found = seen(actor, message);
    const missing = labels.find((label) => !found[where].some((control) => control.label === label && control.disabled !== true));
    if (missing === undefined) return found;
    throw new HandraiseError("input_invalid", `"${missing}" can no longer be chosen in that message.`);
  }

  #open({ chat: kind, form }: { readonly chat: ChatKind; readonly form: string }): OpenForm {
    const open = this.#forms.get(kind);
    if (open?.id !== form) throw new HandraiseError("input_invalid", "That form is no longer open.");
    return open;
  }

  #setForm(kind: ChatKind, modal: SeenModal | undefined): void {
    this.#serial += 1;
    if (modal === undefined) this.#forms.delete(kind);
    else this.#forms.set(kind, { id: `form-${this.#serial}`, modal });
    this.#changed();
  }
}

function seen(actor: SimPerson, id: string): SeenMessage {
  const found = actor.reads().find((message) => message.id === id);
  if (found === undefined) throw new HandraiseError("input_invalid", "That message is gone.");
  return found;
}

function told({ acknowledged }: PressResult): Done {
  return acknowledged ? {} : { word: "The app did not respond in time. What counted is shown above." };
}
