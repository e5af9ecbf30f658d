/**
 * The calls this adapter makes and how each can end. The only implementation is in `client.ts`, over discord.js; everything else
 * here knows nothing of an SDK.
 *
 * A1  Nothing is retried and nothing is waited out: a call ends as it ended (C2).
 * A2  A fault holds numbers and our own words, never an address, a body or a token (B169).
 */
import type { Later, RedrawResult, Refused, Unknown } from "../../../src/ports/channel.js";
import { DEAD_HANDLES, EDIT_PAUSE_MS, GONE, REFUSALS } from "./limits.js";

/** Why a call did not go through, by class and code, never by text (C3). */
export type ApiFault =
  /** Refused by the platform; `code` is Discord's JSON error code, 0 when there was none. */
  | { readonly kind: "refused"; readonly code: number; readonly status: number; readonly tooLong: boolean }
  | { readonly kind: "limited"; readonly afterMs: number; readonly scope: "conversation" | "account" }
  | { readonly kind: "unauthenticated" }
  /** Surely not carried out: no connection came about. */
  | { readonly kind: "unreachable"; readonly why: string }
  /** May have been carried out: reset, time-out, 5xx. */
  | { readonly kind: "unknown"; readonly why: string };

/** How a call ended; `data` is what Discord sent, not yet parsed. */
export type ApiResult = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly fault: ApiFault };

/** The calls. None rejects. */
export type Api = {
  me(): Promise<ApiResult>;
  application(): Promise<ApiResult>;
  guilds(): Promise<ApiResult>;
  guild(id: string): Promise<ApiResult>;
  guildChannels(id: string): Promise<ApiResult>;
  guildMember(guild: string, user: string): Promise<ApiResult>;
  channel(id: string): Promise<ApiResult>;
  openDirect(userId: string): Promise<ApiResult>;
  /** Wakes an archived thread. */
  unarchive(channel: string): Promise<ApiResult>;
  createMessage(channel: string, body: unknown): Promise<ApiResult>;
  editMessage(channel: string, message: string, body: unknown): Promise<ApiResult>;
  /** Newest first; `after`: only later ones, those nearest to it. At most 100. */
  messages(channel: string, query: { readonly after?: string; readonly limit: number }): Promise<ApiResult>;
  /** The first answer to an interaction. */
  respond(interaction: { readonly id: string; readonly token: string }, body: unknown): Promise<ApiResult>;
  /** A further answer, by the token. */
  followUp(handle: { readonly application: string; readonly token: string }, body: unknown): Promise<ApiResult>;
};

/** Pause before an account that could not be reached is tried again. */
const UNREACHABLE_PAUSE_MS = 5_000;

/** A fault in a few words for messages and logs, without anything secret (A2). */
export function describeFault(fault: ApiFault): string {
  switch (fault.kind) {
    case "refused":
      return `${REFUSALS.get(fault.code)?.message ?? "refused"} (Discord code ${fault.code}, HTTP ${fault.status})`;
    case "limited":
      return `rate limited for ${fault.afterMs} ms`;
    case "unauthenticated":
      return "the bot token was refused";
    case "unreachable":
    case "unknown":
      return fault.why;
  }
}

function later(fault: Extract<ApiFault, { kind: "limited" | "unreachable" }>): Later {
  const message = describeFault(fault);
  return fault.kind === "limited"
    ? { status: "later", afterMs: fault.afterMs, scope: fault.scope, code: "rate_limited", message }
    : { status: "later", afterMs: UNREACHABLE_PAUSE_MS, scope: "account", code: "unreachable", message };
}

/** A send that did not go through (C3). */
export function sendFault(fault: ApiFault): Refused | Later | Unknown {
  const message = describeFault(fault);
  switch (fault.kind) {
    case "refused": {
      if (fault.code === 50035) return { status: "refused", code: fault.tooLong ? "too_long" : "rejected", message };
      return { status: "refused", code: REFUSALS.get(fault.code)?.code ?? "rejected", message };
    }
    case "unauthenticated":
      return { status: "refused", code: "unauthenticated", message };
    case "unknown":
      return { status: "unknown", message };
    case "limited":
    case "unreachable":
      return later(fault);
  }
}

/** A drawing that did not go through. A refusal that no later try would change counts as gone. */
export function drawFault(fault: ApiFault): Exclude<RedrawResult, { status: "done" | "moved" }> {
  const message = describeFault(fault);
  switch (fault.kind) {
    case "refused":
      // Too many edits of an old message: the one refusal that passes.
      if (fault.code === 30046) return { status: "later", afterMs: EDIT_PAUSE_MS, scope: "conversation", code: "rate_limited", message };
      return { status: "gone", message };
    case "unauthenticated":
      return { status: "later", afterMs: EDIT_PAUSE_MS, scope: "account", code: "unauthenticated", message };
    case "unknown":
      return { status: "unknown", message };
    case "limited":
    case "unreachable":
      return later(fault);
  }
}

/** A look-up that did not go through: it changes nothing, so what is unknown may simply be tried again. */
export function lookFault(fault: ApiFault): Refused | Later {
  const result = sendFault(fault);
  if (result.status !== "unknown") return result;
  return { status: "later", afterMs: UNREACHABLE_PAUSE_MS, scope: "account", code: "unreachable", message: result.message };
}

/** Is the interaction over, so that a private answer must go another way (B019)? */
export function isDeadHandle(fault: ApiFault): boolean {
  return fault.kind === "refused" && (DEAD_HANDLES.has(fault.code) || fault.status === 404 || fault.status === 401);
}

/** Is there nothing left to draw on? */
export function isGone(fault: ApiFault): boolean {
  return fault.kind === "refused" && GONE.has(fault.code);
}
