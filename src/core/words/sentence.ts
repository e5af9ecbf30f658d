/**
 * Sentences of bounded length with untrusted values in them. Every notice, help and closing line is made here, in every language.
 *
 * S1  A value (a name, an answer, a reason) is one visible line (R28): it cannot break the sentence or hide anything.
 * S2  The whole is at most `max` UTF-16 units for any value: the values are cut, the words never are. Short values stay whole;
 *     the long ones share the room that is left.
 */
import { cut } from "../cut.js";
import { visibleLine } from "../visible.js";

/** UTF-16 units of a notice (design, section 9). The tightest platform limit is Telegram's answerCallbackQuery: 0 to 200 characters. */
export const NOTICE_MAX = 200;
/** UTF-16 units of a line of a prompt: the frame, the help, the closing line (B055: the closing edit has a budget too). */
export const LINE_MAX = 300;

/** A tag for template literals: the fixed words and, cut to fit, the values. */
export type Sentence = (words: TemplateStringsArray, ...values: readonly string[]) => string;

/**
 * Makes the tag for a limit. The fixed words must leave room for the values (test/core/words checks each sentence).
 * @param max  UTF-16 units of the whole sentence.
 */
export function sentence(max: number): Sentence {
  return (words, ...values) => {
    const room = max - words.join("").length;
    const shown = shareRoom(values.map(visibleLine), Math.max(0, room));
    return cut(words.map((word, index) => word + (shown[index] ?? "")).join(""), { max, unit: "utf16" });
  };
}

/** Cuts values so that together they fit: each gets an equal share, and what a short one leaves goes to the longer ones. */
function shareRoom(values: readonly string[], room: number): readonly string[] {
  const byLength = values.map((value, index) => ({ value, index })).sort((a, b) => a.value.length - b.value.length);
  const shown: string[] = [];
  let left = room;
  for (const [place, { value, index }] of byLength.entries()) {
    const share = Math.floor(left / (byLength.length - place));
    const fitting = cut(value, { max: share, unit: "utf16" });
    shown[index] = fitting;
    left -= fitting.length;
  }
  return shown;
}
