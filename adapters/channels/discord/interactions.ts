/**
 * Answering presses and sent modals. Discord wants the first answer within 3 s, and a form can only be that first answer.
 *
 *   form control ──► take ──► form (type 9) | word (type 4) | bare (type 6)          decided by the token alone (B017)
 *   anything else ─► bare (type 6) at once, beside it take ──► a word follows (O66)
 *
 * X1  The bare answer only stops the spinner: it says nothing about the input (cases/platforms.md, rule 2).
 * X2  An input that could not be stored is told to the person; when not even that works, the caller tries again.
 * X3  Every press is answered by itself, without waiting for another (B004); an answer that comes too late or twice is noted, never
 *     an error (B003).
 */
import type { Input } from "../../../src/core/input.js";
import { opensForm, parseToken } from "../../../src/core/token.js";
import { wordsFor } from "../../../src/core/words/index.js";
import type { Intake, Taken } from "../../../src/ports/channel.js";
import type { Clock } from "../../../src/ports/clock.js";
import type { Log } from "../../../src/ports/log.js";
import { type Api, type ApiResult, describeFault } from "./api.js";
import { pressedToken } from "./inbound.js";
import { FLAG_EPHEMERAL, FORM_WAIT_MS } from "./limits.js";
import { formModal, noticeMessage } from "./outbound.js";
import type { InteractionPayload } from "./payloads.js";

/** Source: Receiving and Responding, "Interaction Callback Type". */
const CALLBACK = { reply: 4, deferredReply: 5, deferredUpdate: 6, modal: 9 } as const;

/** What answering an interaction needs. */
export type Answering = {
  readonly api: Pick<Api, "respond" | "followUp">;
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the payload as an input; looks its place up, in bounded time. */
  readonly input: (interaction: InteractionPayload) => Promise<Input | null>;
};

/** Resolves when the input is stored, or the person knows that it is not. Rejects when neither could be done. */
export async function answerInteraction(interaction: InteractionPayload, answering: Answering): Promise<void> {
  if (interaction.type === 3 && isFormControl(pressedToken(interaction.data))) return openForm(interaction, answering);
  const { api } = answering;
  const acknowledged = api.respond(interaction, bareAnswer(interaction));
  const [taken, answer] = await Promise.all([stored(interaction, answering), acknowledged]);
  noteAnswer(answer, interaction, answering);
  const word = wordOf(taken);
  if (word === undefined) return;
  const told = await api.followUp(handleOf(interaction), ephemeral(word));
  if (!told.ok && taken.kind === "failed") throw taken.error; // X2
}

function isFormControl(token: string): boolean {
  const parsed = parseToken(token);
  return parsed?.kind === "copy" && opensForm(parsed.control);
}

/** A modal that was opened from a message leaves it as it is; one from anywhere else can only be answered with a message. */
function bareAnswer(interaction: InteractionPayload): unknown {
  if (interaction.message !== undefined) return { type: CALLBACK.deferredUpdate };
  return { type: CALLBACK.deferredReply, data: { flags: FLAG_EPHEMERAL } };
}

type Result = Taken | { readonly kind: "failed"; readonly error: unknown };

async function stored(interaction: InteractionPayload, { input: read, intake, log }: Answering): Promise<Result> {
  try {
    const input = await read(interaction);
    if (input !== null) return await intake.take(input);
    log.warn({ interaction: interaction.id }, "an interaction named no person and was dropped");
    return { kind: "taken" };
  } catch (error) {
    return { kind: "failed", error };
  }
}

async function openForm(interaction: InteractionPayload, answering: Answering): Promise<void> {
  const { api, clock } = answering;
  const taking = stored(interaction, answering);
  const first = await within(taking, FORM_WAIT_MS, clock);
  if (first === undefined) {
    // The form can no longer be the first answer; the person is asked to press again once the store has come to itself.
    noteAnswer(await api.respond(interaction, bareAnswer(interaction)), interaction, answering);
    const late = await taking;
    const word = late.kind === "form" ? wordsFor("en").notices.pressAgain() : wordOf(late);
    const told = word === undefined ? undefined : await api.followUp(handleOf(interaction), ephemeral(word));
    if (late.kind === "failed" && told?.ok !== true) throw late.error;
    return;
  }
  const answer = await api.respond(interaction, firstAnswer(first, interaction));
  noteAnswer(answer, interaction, answering);
  if (!answer.ok && first.kind === "failed") throw first.error; // X2
}

function firstAnswer(taken: Result, interaction: InteractionPayload): unknown {
  if (taken.kind === "form") return { type: CALLBACK.modal, data: formModal(taken.form) };
  const word = wordOf(taken);
  return word === undefined ? bareAnswer(interaction) : { type: CALLBACK.reply, data: ephemeral(word) };
}

/** What is said in private; undefined when there is nothing to say. */
function wordOf(taken: Result): string | undefined {
  switch (taken.kind) {
    case "taken":
      return undefined;
    case "word":
      return taken.text;
    case "invalid":
      // No errors beside the fields here: the words name them, and the person presses again.
      return taken.fields.map(({ key, message }) => (message.includes(key) ? message : `${key}: ${message}`)).join("\n");
    case "form":
      // A form can only be the first answer to a form control.
      return wordsFor("en").notices.pressAgain();
    case "failed":
      return wordsFor("en").notices.cannotSave();
  }
}

function ephemeral(text: string): unknown {
  const shown = noticeMessage(text);
  return { ...shown, flags: shown.flags | FLAG_EPHEMERAL };
}

function handleOf({ application_id, token }: InteractionPayload): { readonly application: string; readonly token: string } {
  return { application: application_id, token };
}

/** X3 */
function noteAnswer(answer: ApiResult, { id }: InteractionPayload, { log }: Answering): void {
  if (!answer.ok) log.debug({ interaction: id, fault: describeFault(answer.fault) }, "an interaction could not be answered");
}

/** The result, or undefined when it did not come in time; it goes on by itself. */
async function within<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const limit = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    cancel();
  }
}
