/** A Discord message as a person sees it: texts, embeds, buttons and menu entries in reading order. */
import type { SeenButton, SeenMessage } from "../simulator.js";
import type { ButtonBody, EmbedBody, SelectBody } from "./bodies.js";
import { readableText } from "./markdown.js";
import type { SimMessageState, World } from "./world.js";

/** A stored message as a person sees it. */
export function seenMessage(message: SimMessageState, world: World): SeenMessage {
  const channel = world.channels.get(message.channel);
  const author = world.users.get(message.author);
  const { buttons, menu } = controls(message);
  return {
    id: message.id,
    conversation: channel?.parent ?? message.channel,
    ...(channel?.kind === "thread" ? { thread: channel.id } : {}),
    from: author === world.bot ? "bot" : (author?.name ?? "unknown"),
    text: [readableText(message.content), ...message.embeds.map(embedText)].filter((text) => text !== "").join("\n"),
    buttons,
    menu,
    ...(message.replyTo === undefined ? {} : { replyTo: message.replyTo }),
    ...(message.onlyTo === undefined ? {} : { onlyTo: message.onlyTo }),
    ...(message.editedAtMs === undefined ? {} : { editedAtMs: message.editedAtMs }),
    atMs: message.atMs,
    mentions: message.mentions,
  };
}

function embedText({ title, author, description, fields = [], footer }: EmbedBody): string {
  const marked = [title, description, ...fields.flatMap(({ name, value }) => [name, value])].map((text) => readableText(text ?? ""));
  return [author?.name ?? "", ...marked, footer?.text ?? ""].filter((text) => text !== "").join("\n");
}

const STYLES = { 1: "primary", 2: "default", 3: "success", 4: "danger", 5: "default" } as const;

function controls({ rows }: SimMessageState): { readonly buttons: readonly SeenButton[]; readonly menu: readonly SeenButton[] } {
  const buttons: SeenButton[] = [];
  const menu: SeenButton[] = [];
  for (const { components } of rows) {
    for (const component of components) {
      if (component.type === 2) buttons.push(seenButton(component));
      else menu.push(...component.options.map(({ label, value }) => ({ label, data: value })));
    }
  }
  return { buttons, menu };
}

function seenButton({ label, style, custom_id, url, disabled }: ButtonBody): SeenButton {
  const shown = STYLES[style === 1 || style === 3 || style === 4 || style === 5 ? style : 2];
  return { label, style: shown, data: custom_id ?? url ?? "", ...(disabled === true ? { disabled } : {}) };
}

/** The menu of a message that has these entries; a menu takes all its picks at once. */
export function menuWith(
  message: SimMessageState,
  labels: readonly string[],
): { readonly select: SelectBody; readonly values: readonly string[] } | undefined {
  for (const { components } of message.rows) {
    for (const component of components) {
      if (component.type !== 3) continue;
      const picked = component.options.filter(({ label }) => labels.includes(label));
      if (picked.length === labels.length) return { select: component, values: picked.map(({ value }) => value) };
    }
  }
  return undefined;
}
