/**
 * The desk: what happens to one event of Slack between its arrival and its acknowledgement.
 *
 * DK1  Nothing is confirmed before the host has stored it (R22); nothing at all when it could not be stored: the work rejects, and
 *      Slack delivers an event again or tells the person that the press failed.
 * DK2  A form is opened as the first call after the host asked for it, on the press's own trigger, before the acknowledgement (B014);
 *      when it cannot be opened the person is told, and may still type (O69).
 * DK3  A press that takes longer than `saveTimeoutMs` gets a bare acknowledgement and a private word, a modal an error beside its
 *      first field, so that what was typed stays there. An event just waits: Slack repeats it (head of cases/platforms.md, rule 1).
 */
import type { Input, Press, Submit } from "../../../src/core/input.js";
import type { FormView } from "../../../src/core/prompt.js";
import { wordsFor } from "../../../src/core/words/index.js";
import type { Intake, NoticeOrder, Taken } from "../../../src/ports/channel.js";
import type { Clock } from "../../../src/ports/clock.js";
import type { Log } from "../../../src/ports/log.js";
import { eventOf, formatOrigin, type Identity, pressOf, submitOf } from "./inbound.js";
import { PRIVATE_METADATA_MAX } from "./limits.js";
import type { Names } from "./names.js";
import { formModal } from "./outbound.js";
import type { CallOutcome } from "./outcome.js";

const { notices } = wordsFor("en");

/** Remembers what is to be confirmed with; the receiver sends it after the work is done. */
export type Ack = (response?: unknown) => Promise<void>;

type DeskOptions = {
  readonly identity: Identity;
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Log;
  readonly names: Names;
  readonly saveTimeoutMs: number;
  readonly openView: (trigger: string, view: unknown) => Promise<CallOutcome>;
  /** Says something in private; not waited for, never rejects. */
  readonly whisper: (order: NoticeOrder) => void;
  /** An event of another workspace arrived here (B088). */
  readonly foreign: () => void;
};

/** The host did not store an input; nothing may be confirmed (DK1). */
export class NotStored extends Error {
  override readonly name = "NotStored";
}

/** The desk of one open channel. */
export class Desk {
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** A message event. */
  async message(body: unknown, ack: Ack): Promise<void> {
    const input = eventOf(body, this.#options.identity);
    if (input === "foreign") {
      this.#options.foreign();
      throw new NotStored("the event belongs to another workspace");
    }
    if (input !== null) await this.#take(input);
    await ack();
  }

  /** A pressed button or a chosen menu entry. */
  async press(body: unknown, ack: Ack): Promise<void> {
    const found = pressOf(body, this.#options.identity);
    if (found === null) return ack();
    const { input, trigger, label } = found;
    const taking = this.#take(input);
    const taken = await this.#inTime(taking).catch((error: unknown) => {
      this.#say(input, notices.cannotSave());
      throw error;
    });
    if (taken === "late") {
      this.#say(input, notices.unconfirmed({ answer: label }));
      void taking.then(
        (result) => this.#lateResult(input, result),
        () => undefined,
      );
      return ack();
    }
    if (taken.kind === "word") this.#say(input, taken.text);
    if (taken.kind === "form") await this.#openForm(input, trigger, taken.form);
    await ack();
  }

  /** A modal that was sent. */
  async submit(body: unknown, ack: Ack): Promise<void> {
    const found = submitOf(body, this.#options.identity);
    if (found === null) return ack();
    const { input, fields } = found;
    const taking = this.#take(input);
    const taken = await this.#inTime(taking);
    if (taken === "late") {
      taking.catch(() => undefined);
      return ack(fieldErrors(fields, [{ key: "", message: notices.unconfirmed({ answer: Object.values(input.values)[0] ?? "" }) }]));
    }
    if (taken.kind === "invalid") return ack(fieldErrors(fields, taken.fields));
    if (taken.kind === "form") return ack({ response_action: "update", view: formModal(taken.form, originOf(input)) });
    if (taken.kind === "word") this.#say(input, taken.text);
    await ack();
  }

  async #take(input: Input): Promise<Taken> {
    const { intake, names, log } = this.#options;
    const named = await names.named(input);
    try {
      return await intake.take(named);
    } catch (error) {
      log.warn({ account: input.account, input: input.id }, "slack: an input could not be stored");
      throw new NotStored("the input could not be stored", { cause: error });
    }
  }

  async #inTime(taking: Promise<Taken>): Promise<Taken | "late"> {
    let cancel: () => void = () => undefined;
    const late = new Promise<"late">((resolve) => {
      cancel = this.#options.clock.after(this.#options.saveTimeoutMs, () => resolve("late"));
    });
    try {
      return await Promise.race([taking, late]);
    } finally {
      cancel();
    }
  }

  #lateResult(input: Press, taken: Taken): void {
    if (taken.kind === "word") this.#say(input, taken.text);
    if (taken.kind === "form") this.#say(input, notices.pressAgain());
  }

  async #openForm(input: Press, trigger: string | undefined, form: FormView): Promise<void> {
    const view = formModal(form, metadataOf(input));
    const opened = trigger === undefined ? undefined : await this.#options.openView(trigger, view);
    if (opened?.kind === "done") return;
    this.#options.log.warn(
      { input: input.id, reason: opened?.kind === "refused" ? opened.error : (opened?.kind ?? "no trigger") },
      "slack: a form did not open",
    );
    // An unknown fate may well be an open form; only a certain failure is worth a word.
    if (opened?.kind !== "unknown") this.#say(input, notices.formFailed());
  }

  #say(input: Press | Submit, text: string): void {
    const { conversation, thread, direct, sender, handle } = input;
    const about = input.kind === "press" ? { aboutMessageId: input.message.id } : {};
    const place = { conversation, direct, userId: sender.userId, ...(thread && { thread }), ...(handle && { handle }) };
    this.#options.whisper({ text, tone: "alert", ...place, ...about });
  }
}

/** The origin of a press as private_metadata; without the handle where it would be too long. */
function metadataOf(press: Press): string {
  const whole = formatOrigin(press);
  if (whole.length <= PRIVATE_METADATA_MAX) return whole;
  const { handle: _, ...bare } = press;
  return formatOrigin(bare);
}

function originOf({ conversation, thread, handle }: Submit): string {
  return JSON.stringify({ conversation, ...(thread && { thread }), ...(handle && { handle }) });
}

/** Errors beside the fields; what names no field of the modal stands beside its first one. Source: docs.slack.dev, response_action. */
function fieldErrors(known: readonly string[], faults: readonly { readonly key: string; readonly message: string }[]): unknown {
  const first = known[0] ?? "";
  const errors = Object.fromEntries(faults.map(({ key, message }) => [known.includes(key) ? key : first, message]));
  return { response_action: "errors", errors };
}
