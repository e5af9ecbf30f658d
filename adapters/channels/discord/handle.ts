/**
 * The handle of an interaction: what is needed to answer the one who pressed in private, for 15 minutes.
 * `application/id/token`: none of the three holds a slash.
 */
import { DISCORD_EPOCH_MS, HANDLE_LIFE_MS } from "./limits.js";

/** The parts of an interaction that its answers need. */
export type Handle = { readonly application: string; readonly id: string; readonly token: string };

/** The handle as it is stored, about 250 characters. */
export function formatHandle({ application, id, token }: Handle): string {
  return `${application}/${id}/${token}`;
}

/** Undefined for what is no handle of ours. */
export function parseHandle(text: string): Handle | undefined {
  const [, application, id, token] = /^(\d{15,20})\/(\d{15,20})\/(\S+)$/.exec(text) ?? [];
  return application === undefined || id === undefined || token === undefined ? undefined : { application, id, token };
}

/** When a snowflake was made, in milliseconds since 1970. */
export function snowflakeMs(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
}

/** The first snowflake of a millisecond: everything made later is greater. */
export function snowflakeAt(ms: number): string {
  return (BigInt(Math.max(0, Math.floor(ms) - DISCORD_EPOCH_MS)) << 22n).toString();
}

/** Is its token too old to be tried? A clock far behind makes us try once in vain, one far ahead goes the other way at once. */
export function isOver({ id }: Handle, nowMs: number): boolean {
  return nowMs - snowflakeMs(id) > HANDLE_LIFE_MS;
}
