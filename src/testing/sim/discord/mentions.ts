/** Whom a message would notify in the Discord simulator. Source: discord-api-docs, Message Resource, "Allowed Mentions Object". */
import type { AllowedMentions } from "./bodies.js";

/**
 * Ids, "everyone" and "here" that a text notifies under these rules. Without `parse` every mention in the text fires; a reply
 * notifies its target unless `replied_user` is off (and is off when `allowed_mentions` is given without it).
 */
export function mentionsIn(
  content: string,
  { allowed, replied }: { readonly allowed: AllowedMentions; readonly replied?: string },
): readonly string[] {
  const { parse = ["users", "roles", "everyone"], users = [], roles = [], replied_user = allowed.parse === undefined } = allowed;
  const text = content.replaceAll(/```[\s\S]*?```|`[^`]*`/g, "");
  const found: string[] = [];
  for (const [, id = ""] of text.matchAll(/<@!?(\d+)>/g)) if (parse.includes("users") || users.includes(id)) found.push(id);
  for (const [, id = ""] of text.matchAll(/<@&(\d+)>/g)) if (parse.includes("roles") || roles.includes(id)) found.push(id);
  if (parse.includes("everyone")) for (const [, word = ""] of text.matchAll(/@(everyone|here)\b/g)) found.push(word);
  if (replied !== undefined && replied_user) found.push(replied);
  return [...new Set(found)];
}
