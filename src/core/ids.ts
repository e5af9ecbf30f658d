/**
 * Ids: how each is minted, written and read. One parser per id; everywhere else a branded string is trusted.
 *
 * I1  A question's id holds 130 random bits and nothing about time or order.
 * I2  Chance is passed in (`RandomBytes`); this module never draws it.
 */
export type RandomBytes = (count: number) => Uint8Array;

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `q_` and 26 characters of base 32. */
export type QuestionId = Branded<"QuestionId">;
/** 26 characters of base 32: names one prompt in one place (a delivery). Part of every control's token. */
export type CopyId = Branded<"CopyId">;
/** 1 to 128 characters, opaque; fresh per submission. Correlation, never permission (R6). */
export type ResolutionId = Branded<"ResolutionId">;

/** Crockford's base 32 in lower case: no i, l, o, u, so an id read aloud is not mistaken. */
const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";
/** Short codes people type: 31 characters, without 0, 1, I, L, O. */
export const CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
/** Characters of a short code: with at least one digit in each, 643,680 different codes. */
export const CODE_LENGTH = 4;

/** Random base-32 text of `length` characters, 5 bits each. */
export function randomBase32(random: RandomBytes, length: number): string {
  let text = "";
  for (const byte of random(length)) text += BASE32.charAt(byte & 31);
  return text;
}

/** Mints a question's id from 26 random bytes: 130 random bits (I1). */
export function newQuestionId(random: RandomBytes): QuestionId {
  return `q_${randomBase32(random, 26)}` as QuestionId;
}

/** Mints a copy's id from 26 random bytes: 130 random bits, so that a control's token cannot be guessed. */
export function newCopyId(random: RandomBytes): CopyId {
  return randomBase32(random, 26) as CopyId;
}

/** Mints a resolution id: `r_` and 26 characters of base 32. One per stored input (R17). */
export function newResolutionId(random: RandomBytes): ResolutionId {
  return `r_${randomBase32(random, 26)}` as ResolutionId;
}

/**
 * A short code of 4 characters with at least one digit, so that no ordinary word at the head or end of a reply is taken for one.
 * Uniqueness among what is open in a conversation is the caller's to check.
 */
export function newCode(random: RandomBytes): string {
  for (;;) {
    let code = "";
    while (code.length < CODE_LENGTH) {
      for (const byte of random(CODE_LENGTH)) {
        // Bytes from 248 up would favour the first letters: 248 is the largest multiple of 31 in a byte.
        if (byte < 248 && code.length < CODE_LENGTH) code += CODE_ALPHABET.charAt(byte % 31);
      }
    }
    if (/[0-9]/.test(code)) return code;
  }
}

/** Reads a question id; undefined when the text cannot be one. Case counts. */
export function parseQuestionId(text: string): QuestionId | undefined {
  return /^q_[0-9a-hjkmnp-tv-z]{26}$/.test(text) ? (text as QuestionId) : undefined;
}

/** Reads a copy id, as a control's token carries it; undefined when the text cannot be one. Case counts. */
export function parseCopyId(text: string): CopyId | undefined {
  return /^[0-9a-hjkmnp-tv-z]{26}$/.test(text) ? (text as CopyId) : undefined;
}

/** Reads a caller's resolution id: 1 to 128 characters. */
export function parseResolutionId(text: string): ResolutionId | undefined {
  return text.length >= 1 && text.length <= 128 ? (text as ResolutionId) : undefined;
}
