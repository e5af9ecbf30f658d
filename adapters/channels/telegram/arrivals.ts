/**
 * What arrives: one update to at most one call of the intake, and the reaction to what it says.
 *
 * AR1  `handle` resolves when the update may count as received: stored, or none of our business. It rejects when storing failed (C1).
 * AR2  A reading fault of ours skips the update; it never ends the intake (B191, B192).
 * AR3  The reaction is not waited for, but a form is: it is the only trace of the press (FO1).
 */
import type { Input, Press, Submit, Typed, Unreadable } from "../../../src/core/input.js";
import { parseToken } from "../../../src/core/token.js";
import type { ChannelMemory, Intake, Taken } from "../../../src/ports/channel.js";
import type { Log } from "../../../src/ports/log.js";
import type { CallbackWords } from "./callback-words.js";
import { type Asked, askedBy, Forms, fieldOf } from "./forms.js";
import { type Inbound, inbound } from "./inbound.js";
import { formMessage } from "./outbound.js";
import { replyHandle, type Sender } from "./sender.js";

/** What `Arrivals` works with; `botId` is 0 until Telegram was greeted. */
export type ArrivalParts = {
  readonly intake: Intake;
  readonly account: string;
  readonly memory: ChannelMemory;
  readonly log: Log;
  readonly words: CallbackWords;
  readonly sender: Sender;
  readonly botId: () => number;
};

type FormTaken = Extract<Taken, { kind: "form" }>;

/** Takes updates of one opening of the channel, one call of `handle` each. */
export class Arrivals {
  readonly #parts: ArrivalParts;
  readonly #forms: Forms;
  readonly #running = new Set<Promise<void>>();

  constructor(parts: ArrivalParts) {
    this.#parts = parts;
    this.#forms = new Forms(parts.memory);
  }

  handle(update: unknown): Promise<void> {
    const handled = this.#handle(update);
    const ended = handled.catch(() => undefined);
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
    return handled;
  }

  /** Resolves when everything that is being handled has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #handle(update: unknown): Promise<void> {
    const read = this.#read(update);
    switch (read.kind) {
      case "nothing":
        return;
      case "moved":
        return this.#parts.intake.moved({ account: this.#parts.account, from: read.from, to: read.to });
      case "input":
        return read.input.kind === "press" ? this.#press(read.input) : this.#message(read.input, read.repliesToBot);
    }
  }

  #read(update: unknown): Inbound {
    try {
      return inbound(update, { account: this.#parts.account, botId: this.#parts.botId() });
    } catch (error) {
      this.#parts.log.error(
        { account: this.#parts.account, fault: error instanceof Error ? error.name : "unknown" },
        "telegram: an update could not be read",
      ); // AR2
      return { kind: "nothing" };
    }
  }

  async #press(press: Press): Promise<void> {
    const { intake, words } = this.#parts;
    words.arrived(press.id);
    const taken = await intake.take(press);
    switch (taken.kind) {
      case "taken":
        // The word comes by `notify`, or the spinner is stopped without one. Nobody has a word about a turned page: stop it now.
        if (turnsPage(press)) void words.say(press.id, undefined, { alert: false });
        return;
      case "word":
        void words.say(press.id, taken.text, { alert: true });
        return;
      case "invalid":
        void words.say(press.id, faults(taken), { alert: true });
        return;
      case "form":
        void words.say(press.id, undefined, { alert: false });
        await this.#ask(press, taken);
    }
  }

  async #ask(press: Press, { form }: FormTaken): Promise<void> {
    const made = askedBy(form, press.message.id);
    if (made === undefined) return;
    const message = formMessage({ title: form.title, field: made.field }, press);
    const sent = await this.#parts.sender.post({ ...press, replyTo: press.message.id }, message);
    if (sent.status === "shown") return this.#forms.remember({ conversation: press.conversation, messageId: sent.message.id }, made.asked);
    // Perhaps it is there, but nobody knows its id: the press comes again and asks once more.
    if (sent.status === "unknown") throw new Error("the form's message has an unknown fate");
    this.#parts.log.warn({ account: this.#parts.account, status: sent.status }, "telegram: a form could not be opened");
  }

  async #message(input: Typed | Unreadable, repliesToBot: boolean): Promise<void> {
    const { intake } = this.#parts;
    const { conversation, replyTo } = input;
    const asked = repliesToBot && replyTo !== undefined ? await this.#forms.recall({ conversation, messageId: replyTo }) : undefined;
    if (asked === undefined) return this.#say(input, await intake.take(input));
    // FO2. What cannot be read is about the prompt behind the box, so that the host can give its hint.
    if (input.kind === "unreadable") return this.#say(input, await intake.take({ ...input, replyTo: asked.prompt }));
    const taken = await intake.take(submission(input, asked));
    if (taken.kind === "invalid") await this.#askAgain(input, { asked, said: faults(taken) });
    else this.#say(input, taken);
  }

  /** A refusal of something typed is a reply to it. */
  #say(input: Typed | Unreadable, taken: Taken): void {
    if (taken.kind !== "word") return;
    void this.#parts.sender.notify({
      text: taken.text,
      ...placeOf(input),
      userId: input.sender.userId,
      aboutMessageId: input.message.id,
      tone: "alert",
    });
  }

  async #askAgain(input: Typed, { asked, said }: { readonly asked: Asked; readonly said: string }): Promise<void> {
    const message = formMessage({ title: asked.title, field: fieldOf(asked), said }, input);
    const sent = await this.#parts.sender.post({ ...input, replyTo: input.message.id }, message);
    if (sent.status === "shown") await this.#forms.remember({ conversation: input.conversation, messageId: sent.message.id }, asked);
  }
}

function turnsPage({ token }: Press): boolean {
  const parsed = parseToken(token);
  return parsed?.kind === "copy" && parsed.control.kind === "page";
}

function submission(input: Typed, { token, key }: Asked): Submit {
  return {
    kind: "submit",
    id: input.id,
    account: input.account,
    channel: input.channel,
    ...placeOf(input),
    sender: input.sender,
    // A private word about a submission is a reply to the message that carried it.
    handle: replyHandle(input.message.id),
    token,
    values: { [key]: input.text },
  };
}

function placeOf({ conversation, thread, direct }: Input): {
  readonly conversation: string;
  readonly thread?: string;
  readonly direct: boolean;
} {
  return { conversation, direct, ...(thread === undefined ? {} : { thread }) };
}

function faults({ fields }: Extract<Taken, { kind: "invalid" }>): string {
  return fields.map(({ message }) => message).join("\n");
}
