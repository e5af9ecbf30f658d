/**
 * The message tables, by language. A language is one file of the shape `Words` and one row here; its tests are those of every
 * table (test/core/words).
 */
import { en } from "./en.js";
import type { Words } from "./shape.js";

export type { AnswerWords, Ending, People, Words } from "./shape.js";

const TABLES: Readonly<Record<string, Words>> = { en };

/** Every language there is a table for. */
export const LANGUAGES: readonly string[] = Object.keys(TABLES);

/**
 * The table for a language tag: the whole tag, else its first part (`de-AT`: `de`), else English.
 * @param language  BCP 47, upper or lower case.
 */
export function wordsFor(language: string): Words {
  const tag = language.toLowerCase();
  const [primary = ""] = tag.split("-");
  return tableOf(tag) ?? tableOf(primary) ?? en;
}

function tableOf(tag: string): Words | undefined {
  return Object.hasOwn(TABLES, tag) ? TABLES[tag] : undefined;
}
