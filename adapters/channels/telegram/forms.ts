/**
 * Forms without modals: a message with the reply box open, remembered by its id, and the reply to it as a submission.
 *
 * FO1  What a reply box asks for is stored under chat and message before the press counts as received, so a reply after a restart is understood.
 * FO2  Every reply to such a message is a submission, whoever wrote it: the host judges who may answer.
 */
import { z } from "zod";
import type { FormFieldView, FormView } from "../../../src/core/prompt.js";
import type { ChannelMemory } from "../../../src/ports/channel.js";

const remembered = z.object({
  token: z.string(),
  title: z.string(),
  key: z.string(),
  label: z.string(),
  /** The prompt whose button opened it. */
  prompt: z.string(),
});
/** What a message with an open reply box asks for. */
export type Asked = z.output<typeof remembered>;

/** The one field a reply box can ask for: the first. */
export function askedBy(
  { token, title, fields }: FormView,
  prompt: string,
): { readonly asked: Asked; readonly field: FormFieldView } | undefined {
  const field = fields[0];
  return field === undefined ? undefined : { asked: { token, title, key: field.key, label: field.label, prompt }, field };
}

/** The field again, for asking once more after a value that could not be taken. */
export function fieldOf({ key, label }: Asked): FormFieldView {
  return { key, label, multiline: true, required: true };
}

/** The reply boxes of one account, in its durable memory. */
export class Forms {
  readonly #memory: ChannelMemory;

  constructor(memory: ChannelMemory) {
    this.#memory = memory;
  }

  async remember(at: { readonly conversation: string; readonly messageId: string }, asked: Asked): Promise<void> {
    await this.#memory.put(keyOf(at), JSON.stringify(asked));
  }

  /** What the message asks for; undefined when it is no reply box of ours. */
  async recall(at: { readonly conversation: string; readonly messageId: string }): Promise<Asked | undefined> {
    const stored = await this.#memory.get(keyOf(at));
    if (stored === undefined) return undefined;
    const parsed = remembered.safeParse(JSON.parse(stored));
    return parsed.success ? parsed.data : undefined;
  }
}

function keyOf({ conversation, messageId }: { readonly conversation: string; readonly messageId: string }): string {
  return `form:${conversation}/${messageId}`;
}
