/**
 * Control tokens: what a button, menu entry or modal carries. Opaque to the platform, at most 40 ASCII characters,
 * looked up in the store and never trusted (R24, R27): the token names a copy and one of its controls, nothing else.
 *
 *   c<copy id, 26>.<control>     o0..o99 option by its stored order   x Other…   w Write…   d Decline
 *                                a Approve   A Always approve   n Deny   r Deny, say why…   p0..p99 turn to this page   m menu
 *   s<aside id, 26>.<choice>     y Send   n No   q0..q9 "which one?"
 *
 * T1  A control that opens a form is known from the token alone, so that an adapter can open it as its first response (B017).
 * T2  Tokens of one message are distinct.
 */
import { type CopyId, parseCopyId } from "./ids.js";

/** One control of a prompt. `index` is the option's stored order from 0, `page` counts from 0; both have at most two digits in a token. */
export type Control =
  | { readonly kind: "option"; readonly index: number }
  | { readonly kind: "other" | "write" | "decline" | "approve" | "approve_always" | "deny" | "deny_why" | "menu" }
  | { readonly kind: "page"; readonly page: number };

/** A token as read: well formed, which says nothing about whether its copy or aside exists or who may press it. */
export type Token =
  | { readonly kind: "copy"; readonly copy: CopyId; readonly control: Control }
  | { readonly kind: "aside"; readonly aside: string; readonly choice: "send" | "no" | number };

const LETTERS = {
  other: "x",
  write: "w",
  decline: "d",
  approve: "a",
  approve_always: "A",
  deny: "n",
  deny_why: "r",
  menu: "m",
} as const satisfies Record<Exclude<Control["kind"], "option" | "page">, string>;

type Letter = keyof typeof LETTERS;

/** Does pressing this control open a form (a modal, or a forced reply on Telegram)? Decided from the token alone (T1). */
export function opensForm(control: Control): boolean {
  return control.kind === "other" || control.kind === "write" || control.kind === "deny_why";
}

/** Writes the token of one control: 29 to 31 ASCII characters, within Telegram's 64 bytes of `callback_data`, the tightest of the three. */
export function formatControlToken(copy: CopyId, control: Control): string {
  if (control.kind === "option") return `c${copy}.o${control.index}`;
  if (control.kind === "page") return `c${copy}.p${control.page}`;
  return `c${copy}.${LETTERS[control.kind]}`;
}

/** Writes the token of a choice under a text shown back; a number is the place in "which one?", 0 to 9. */
export function formatAsideToken(aside: string, choice: "send" | "no" | number): string {
  return `s${aside}.${choice === "send" ? "y" : choice === "no" ? "n" : `q${choice}`}`;
}

/** Reads a token; undefined for anything that is not one of ours. */
export function parseToken(text: string): Token | undefined {
  const [, family, rawId, tail] = /^([cs])([0-9a-hjkmnp-tv-z]{26})\.([A-Za-z][0-9]{0,2})$/.exec(text) ?? [];
  if (rawId === undefined || tail === undefined) return undefined;
  if (family === "s") {
    const choice = parseChoice(tail);
    return choice === undefined ? undefined : { kind: "aside", aside: rawId, choice };
  }
  const copy = parseCopyId(rawId);
  const control = parseControl(tail);
  return copy === undefined || control === undefined ? undefined : { kind: "copy", copy, control };
}

function parseControl(tail: string): Control | undefined {
  const number = tail.length > 1 ? Number(tail.slice(1)) : undefined;
  if (number !== undefined) {
    if (tail.startsWith("o")) return { kind: "option", index: number };
    return tail.startsWith("p") ? { kind: "page", page: number } : undefined;
  }
  const kind = (Object.keys(LETTERS) as Letter[]).find((candidate) => LETTERS[candidate] === tail);
  return kind === undefined ? undefined : { kind };
}

function parseChoice(tail: string): "send" | "no" | number | undefined {
  if (tail === "y") return "send";
  if (tail === "n") return "no";
  return /^q[0-9]$/.test(tail) ? Number(tail.slice(1)) : undefined;
}
