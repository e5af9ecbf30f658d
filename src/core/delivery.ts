/**
 * Delivery: the only place that decides what may happen to one copy of a prompt in one place.
 *
 *   pending ──claimed──► sending ──part_shown (last)──► shown ──drawn──► closed
 *      ▲  ▲                 │ │ └──refused──► failed      ▲
 *      │  └────put_off──────┘ └──fate_unknown──► unknown ─┘ found, pressed
 *      └──────────absent (looked for, not there)────┘
 *
 * Pure: the caller passes time and chance, stores the result and runs the effect (src/host/outbox.ts).
 * D1  `sending` and its nonce are stored before the platform is called, so a crash leaves a row to look for (B026).
 * D2  A send whose fate is unknown is never repeated blindly (R23): it is looked for; only where the platform cannot tell it is
 *     repeated once, by a labelled copy of its own, and stays `unknown` itself.
 * D3  Nothing is sent after the question ended; what may be out there is looked for and closed (R26).
 * D4  A press proves that its message exists: a copy `sending` or `unknown` takes over the pressed message's id (R24).
 * D5  `closed` and `failed` end the work on a copy, but a press on a message that was lost still reveals and closes it.
 */
import { unreachable } from "../errors.js";

/** A copy's state; the last two are final. */
export const COPY_STATES = ["pending", "sending", "shown", "unknown", "failed", "closed"] as const;
/** `shown` and `unknown` may be before people; only `pending` may be sent. The picture above says how one leads to the next. */
export type CopyState = (typeof COPY_STATES)[number];
/** What the host has to do next with a copy, once it is due. */
export type CopyTodo = "send" | "find" | "close" | "redraw";

type MessageId = { readonly id: string; readonly order: string };

/** The part of a copy's row that this machine reads. */
export type Copy = {
  readonly state: CopyState;
  readonly todo: CopyTodo | null;
  readonly part: number;
  readonly attempts: number;
  readonly messageIds: readonly string[];
  readonly repeated: boolean;
};

/** What can happen to a copy: fates of the platform's calls, and presses. Codes: `DELIVERY_CODES` (ports/channel.ts). Instants: UTC ms. */
export type CopyEvent =
  /** The host is about to call the platform for part `copy.part`. */
  | { readonly kind: "claimed"; readonly nonce: string }
  /** One message of the prompt was shown; `last`: the one with the controls. */
  | { readonly kind: "part_shown"; readonly message: MessageId; readonly last: boolean }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  /** Not carried out; may be tried at `retryAtMs`. */
  | { readonly kind: "put_off"; readonly retryAtMs: number; readonly code: string; readonly message: string }
  | { readonly kind: "fate_unknown"; readonly message: string }
  /** It was looked for and is there. */
  | { readonly kind: "found"; readonly message: MessageId; readonly last: boolean }
  /** It was looked for and is not there. */
  | { readonly kind: "absent" }
  /** The platform has no way to look. */
  | { readonly kind: "cannot_tell" }
  | { readonly kind: "pressed"; readonly message: MessageId }
  /** The latest drawing (close or redraw) is through, or its message is gone. */
  | { readonly kind: "drawn" }
  /** A shown prompt must be drawn anew (another page). */
  | { readonly kind: "outdated" };

/** The columns to change; absent ones stay. */
export type CopySet = {
  readonly state?: CopyState;
  readonly todo?: CopyTodo | null;
  readonly dueAtMs?: number | null;
  readonly part?: number;
  readonly nonce?: string | null;
  readonly attemptedAtMs?: number | null;
  readonly attempts?: number;
  readonly messageIds?: readonly string[];
  readonly messageId?: string | null;
  readonly messageOrder?: string | null;
  readonly shownAtMs?: number | null;
  readonly errorCode?: string | null;
  readonly errorMessage?: string | null;
};
/** `shown`: the question's time starts. `repeat`: make one labelled copy. `failed`: see whether any copy is left. */
export type CopyEffect = "shown" | "repeat" | "failed";
/** What one event leads to: the columns to store, then the effects to run once they are stored. Both empty when nothing changes. */
export type CopyStep = { readonly set: CopySet; readonly effects: readonly CopyEffect[] };

/** What the end of its question does to a copy (D3); a store applies it to all copies in the settling transaction. */
export const COPY_AT_END = {
  pending: { state: "closed", todo: null },
  sending: { state: "sending", todo: "find" },
  shown: { state: "shown", todo: "close" },
  unknown: { state: "unknown", todo: "find" },
  failed: { state: "failed", todo: null },
  closed: { state: "closed", todo: null },
} as const satisfies Record<CopyState, { state: CopyState; todo: CopyTodo | null }>;

const NOTHING: CopyStep = { set: {}, effects: [] };

/** One event on one copy. `open` says whether its question is still open; events that no longer fit change nothing. */
export function stepCopy(copy: Copy, event: CopyEvent, { open, nowMs }: { readonly open: boolean; readonly nowMs: number }): CopyStep {
  switch (event.kind) {
    case "claimed":
      if (copy.state !== "pending" || !open) return NOTHING; // D3
      return { set: { state: "sending", todo: "send", dueAtMs: null, nonce: event.nonce, attemptedAtMs: nowMs }, effects: [] }; // D1
    case "part_shown":
    case "found":
      return copy.state === "sending" || copy.state === "unknown" ? arrived(copy, event, { open, nowMs }) : NOTHING;
    case "refused":
      // A pending copy is refused while its place is looked up.
      if (copy.state !== "sending" && copy.state !== "pending") return NOTHING;
      return {
        set: { state: "failed", todo: null, dueAtMs: null, errorCode: event.code, errorMessage: event.message },
        effects: open ? ["failed"] : [],
      };
    case "put_off":
      return putOff(copy, event, open);
    case "fate_unknown":
      if (copy.state !== "sending") return NOTHING;
      return { set: { state: "unknown", todo: "find", dueAtMs: nowMs, errorMessage: event.message }, effects: open ? ["shown"] : [] };
    case "absent":
      if (copy.state !== "sending" && copy.state !== "unknown") return NOTHING;
      return open
        ? { set: { state: "pending", todo: "send", dueAtMs: nowMs, attempts: copy.attempts + 1 }, effects: [] }
        : { set: { state: "closed", todo: null, dueAtMs: null }, effects: [] };
    case "cannot_tell":
      if (copy.todo !== "find") return NOTHING; // D2: asked once
      return { set: { state: "unknown", todo: null, dueAtMs: null }, effects: open && !copy.repeated ? ["repeat"] : [] }; // D2
    case "pressed":
      return pressed(copy, event.message, { open, nowMs });
    case "drawn":
      if (copy.state !== "shown" || copy.todo === null) return NOTHING;
      return { set: { state: copy.todo === "close" ? "closed" : "shown", todo: null, dueAtMs: null, attempts: 0 }, effects: [] };
    case "outdated":
      return copy.state === "shown" && open ? { set: { todo: "redraw", dueAtMs: nowMs }, effects: [] } : NOTHING;
    default:
      return unreachable(event);
  }
}

type Now = { readonly open: boolean; readonly nowMs: number };

function arrived(copy: Copy, event: { readonly message: MessageId; readonly last: boolean }, { open, nowMs }: Now): CopyStep {
  const messageIds = [...copy.messageIds, event.message.id];
  if (!event.last) {
    // Between parts the copy is `pending` again: the next part is claimed with a nonce of its own.
    const next = { messageIds, part: copy.part + 1, nonce: null, attempts: 0 };
    return open
      ? { set: { ...next, state: "pending", todo: "send", dueAtMs: nowMs }, effects: [] }
      : { set: { ...next, state: "closed", todo: null, dueAtMs: null }, effects: [] };
  }
  return {
    set: {
      state: "shown",
      todo: open ? null : "close",
      dueAtMs: open ? null : nowMs,
      messageIds,
      attempts: 0,
      messageId: event.message.id,
      messageOrder: event.message.order,
      shownAtMs: nowMs,
      errorCode: null,
      errorMessage: null,
    },
    effects: open ? ["shown"] : [],
  };
}

function putOff(
  copy: Copy,
  event: { readonly retryAtMs: number; readonly code: string; readonly message: string },
  open: boolean,
): CopyStep {
  const later = { dueAtMs: event.retryAtMs, attempts: copy.attempts + 1, errorCode: event.code, errorMessage: event.message };
  switch (copy.state) {
    case "sending":
      return open
        ? { set: { ...later, state: "pending", todo: "send" }, effects: [] }
        : { set: { state: "closed", todo: null, dueAtMs: null }, effects: [] };
    case "pending":
    case "unknown":
    case "shown":
      return copy.todo === null ? NOTHING : { set: later, effects: [] };
    case "failed":
    case "closed":
      return NOTHING;
    default:
      return unreachable(copy.state);
  }
}

function pressed(copy: Copy, message: MessageId, { open, nowMs }: Now): CopyStep {
  if (copy.state === "shown" || (copy.state === "closed" && copy.messageIds.includes(message.id))) return NOTHING;
  return {
    set: {
      state: "shown",
      todo: open ? null : "close",
      dueAtMs: open ? null : nowMs,
      messageIds: copy.messageIds.includes(message.id) ? copy.messageIds : [...copy.messageIds, message.id],
      messageId: message.id,
      messageOrder: message.order,
      shownAtMs: nowMs,
    },
    effects: open ? ["shown"] : [],
  }; // D4, D5
}
