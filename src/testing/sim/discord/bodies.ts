/**
 * What Discord takes in a request, with its limits: bodies of messages, edits, interaction replies and modals. What breaks a rule
 * is refused with 50035. Sources: discord-api-docs at 6 August 2026 (Message Resource, Components Reference, Receiving and
 * Responding), summed up in platforms.md, section 4.2.
 *
 * Lengths count code points, as the platform does. Unknown keys are ignored, as there.
 */
import { z } from "zod";

/** Length as the platform counts it. */
export function codePoints(value: string): number {
  return Array.from(value).length;
}

/** Text of `min` to `max` code points. */
function text(max: number, min = 0) {
  return z.string().superRefine((value, context) => {
    const length = codePoints(value);
    if (length <= max && length >= min) return;
    const discord = length > max ? "BASE_TYPE_MAX_LENGTH" : "BASE_TYPE_BAD_LENGTH";
    context.addIssue({ code: "custom", params: { discord }, message: `Must be between ${min} and ${max} in length.` });
  });
}

/** custom_id: 1 to 100. Source: Components Reference, "Custom ID". */
const customId = text(100, 1);

/** Button: label 80; styles 1 to 5, a link (5) has `url` and no `custom_id`. Source: Components Reference, "Button". */
const button = z
  .object({
    type: z.literal(2),
    style: z.int().min(1).max(5),
    label: text(80, 1),
    custom_id: customId.optional(),
    url: text(512).optional(),
    disabled: z.boolean().optional(),
  })
  .refine(({ style, custom_id, url }) => (style === 5 ? url !== undefined && custom_id === undefined : custom_id !== undefined), {
    params: { discord: "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED" },
    message: "A custom id is required",
  });

/** Select option: label, value, description 100 each. Source: Components Reference, "String Select". */
const selectOption = z.object({
  label: text(100, 1),
  value: text(100, 1),
  description: text(100).optional(),
  default: z.boolean().optional(),
});

/** String select: 1 to 25 options with distinct values, placeholder 150. Source: as above. */
const select = z
  .object({
    type: z.literal(3),
    custom_id: customId,
    placeholder: text(150).optional(),
    min_values: z.int().min(0).max(25).optional(),
    max_values: z.int().min(1).max(25).optional(),
    options: z.array(selectOption).min(1).max(25),
    disabled: z.boolean().optional(),
  })
  .refine(({ options }) => new Set(options.map(({ value }) => value)).size === options.length, {
    path: ["options"],
    params: { discord: "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED" },
    message: "The specified option value is already used",
  });

/** A row holds 1 to 5 buttons or one select. Source: Components Reference, "Action Row". */
const row = z.object({
  type: z.literal(1),
  components: z.union([z.array(button).min(1).max(5), z.array(select).length(1)]),
});

/** A button that was taken. */
export type ButtonBody = z.output<typeof button>;
/** A select menu that was taken. */
export type SelectBody = z.output<typeof select>;
/** A row of controls that was taken. */
export type RowBody = z.output<typeof row>;

function idsOf(rows: readonly RowBody[]): readonly string[] {
  return rows.flatMap(({ components }) => components.flatMap(({ custom_id }) => (custom_id === undefined ? [] : [custom_id])));
}

/** At most 5 rows; every custom_id once within the message. Source: Components Reference, "Custom ID", "Legacy Message Component Behavior". */
const rows = z
  .array(row)
  .max(5)
  .refine((all) => new Set(idsOf(all)).size === idsOf(all).length, {
    params: { discord: "COMPONENT_CUSTOM_ID_DUPLICATED" },
    message: "Component custom id cannot be duplicated",
  });

/** Embed limits. Source: Message Resource, "Embed Limits". */
const embed = z.object({
  title: text(256).optional(),
  description: text(4096).optional(),
  color: z.int().min(0).max(0xffffff).optional(),
  footer: z.object({ text: text(2048, 1) }).optional(),
  author: z.object({ name: text(256, 1) }).optional(),
  fields: z
    .array(z.object({ name: text(256, 1), value: text(1024, 1) }))
    .max(25)
    .optional(),
});
/** An embed that was taken. */
export type EmbedBody = z.output<typeof embed>;

/** At most 10 embeds, 6000 characters in all. Source: as above. */
const embeds = z
  .array(embed)
  .max(10)
  .refine((all) => all.reduce((sum, one) => sum + embedSize(one), 0) <= 6000, {
    params: { discord: "MAX_EMBED_SIZE_EXCEEDED" },
    message: "Embed size exceeds maximum size of 6000",
  });

function embedSize({ title, description, footer, author, fields = [] }: EmbedBody): number {
  const texts = [title, description, footer?.text, author?.name, ...fields.flatMap(({ name, value }) => [name, value])];
  return texts.reduce((sum, one) => sum + codePoints(one ?? ""), 0);
}

/** `parse` says which kinds of mention fire; absent: all of them. Source: Message Resource, "Allowed Mentions Object". */
const allowedMentions = z.object({
  parse: z.array(z.enum(["roles", "users", "everyone"])).optional(),
  users: z.array(z.string()).max(100).optional(),
  roles: z.array(z.string()).max(100).optional(),
  replied_user: z.boolean().optional(),
});
/** See `mentionsIn`. */
export type AllowedMentions = z.output<typeof allowedMentions>;

const flags = z.int().min(0);
/** Flags a sent message may carry: SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS. (IS_COMPONENTS_V2, 1 << 15, is not simulated.) */
const MESSAGE_FLAGS = 4 | 4096;
/** A reply to an interaction may be ephemeral (64) as well. */
const REPLY_FLAGS = MESSAGE_FLAGS | 64;

function only(allowed: number) {
  return flags.refine((value) => (value & ~allowed) === 0, {
    params: { discord: "MESSAGE_FLAGS_INVALID" },
    message: "These flags cannot be set",
  });
}

const content = {
  content: text(2000).nullish(),
  embeds: embeds.nullish(),
  components: rows.nullish(),
  allowed_mentions: allowedMentions.nullish(),
};

/** Create Message: content 2000, nonce 25. Source: Message Resource, "Create Message". */
export const messageBody = z.object({
  ...content,
  flags: only(MESSAGE_FLAGS).optional(),
  nonce: z.union([text(25), z.int()]).optional(),
  enforce_nonce: z.boolean().optional(),
  message_reference: z
    .object({
      message_id: z.string(),
      channel_id: z.string().optional(),
      fail_if_not_exists: z.boolean().optional(),
      type: z.literal(0).optional(),
    })
    .optional(),
});

/** Edit Message: what is absent stays. Source: Message Resource, "Edit Message". */
export const editBody = z.object({ ...content, flags: only(MESSAGE_FLAGS).optional() });

/** A message sent as an answer to an interaction, or as a follow-up. Source: Receiving and Responding, "Followup Messages". */
export const replyBody = z.object({ ...content, flags: only(REPLY_FLAGS).optional() });
/** See `replyBody`. */
export type ReplyBody = z.output<typeof replyBody>;

/** Text input: value and lengths to 4000, placeholder 100. Source: Components Reference, "Text Input". */
const textInput = z.object({
  type: z.literal(4),
  custom_id: customId,
  style: z.union([z.literal(1), z.literal(2)]),
  label: text(45, 1).optional(),
  min_length: z.int().min(0).max(4000).optional(),
  max_length: z.int().min(1).max(4000).optional(),
  required: z.boolean().optional(),
  value: text(4000).optional(),
  placeholder: text(100).optional(),
});

/** Label (18): label 45, description 100. Source: Components Reference, "Label". */
const label = z.object({ type: z.literal(18), label: text(45, 1), description: text(100).optional(), component: textInput });
/** Text shown in a modal (10). Source: Components Reference, "Text Display". */
const display = z.object({ type: z.literal(10), content: text(4000, 1) });
/** The older form: a row with one text input that has its own label. */
const oldRow = z.object({ type: z.literal(1), components: z.tuple([textInput.extend({ label: text(45, 1) })]) });

const modalComponent = z.union([label, display, oldRow]);

function inputIds(component: z.output<typeof modalComponent>): readonly string[] {
  if (component.type === 18) return [component.component.custom_id];
  return component.type === 1 ? component.components.map(({ custom_id }) => custom_id) : [];
}

/** Modal: custom_id 100, title 45, 1 to 5 components with distinct ids. Source: Receiving and Responding, "Modal". */
export const modalBody = z.object({
  custom_id: customId,
  title: text(45, 1),
  components: z
    .array(modalComponent)
    .min(1)
    .max(5)
    .refine((all) => new Set(all.flatMap(inputIds)).size === all.flatMap(inputIds).length, {
      params: { discord: "COMPONENT_CUSTOM_ID_DUPLICATED" },
      message: "Component custom id cannot be duplicated",
    }),
});
/** See `modalBody`. */
export type ModalBody = z.output<typeof modalBody>;

/** Callback types the product meets: 4 reply, 5 deferred reply, 6 deferred update, 7 update, 9 modal. Source: platforms.md, 2.4. */
export const callbackBody = z.discriminatedUnion("type", [
  z.object({ type: z.literal(4), data: replyBody }),
  z.object({ type: z.literal(5), data: z.object({ flags: only(64).optional() }).optional() }),
  z.object({ type: z.literal(6) }),
  z.object({ type: z.literal(7), data: editBody }),
  z.object({ type: z.literal(9), data: modalBody }),
]);
/** See `callbackBody`. */
export type CallbackBody = z.output<typeof callbackBody>;

/** No `allowed_mentions` given: every mention fires. */
export const ANY: AllowedMentions = {};
