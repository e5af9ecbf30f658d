/**
 * The event feed: stored events of one creator in the order of their commits, resumable by cursor. Live events wake the reader; the
 * store is what is read.
 */
import type { BridgeEvent } from "../core/record.js";
import type { EventRow } from "../ports/store.js";
import type { Creator } from "./calls.js";
import type { GatewayParts } from "./parts.js";

const SLICE = 200;

type From = { readonly session?: string; readonly after?: string; readonly signal?: AbortSignal };

/** Yields events until the signal aborts; a cursor older than what is kept yields `reset` first, then what there is. */
export async function* eventFeed(parts: GatewayParts, creator: Creator, from: From = {}): AsyncGenerator<BridgeEvent, void, void> {
  const { signal, session } = from;
  const bell = new Bell();
  const undo = parts.signals.onEvents(() => bell.ring());
  const stop = (): void => bell.ring();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    let cursor = from.after === undefined ? (await parts.store.events({ id: 0, limit: 1 })).newest : Number(from.after);
    const first = await parts.store.events({ id: cursor, limit: 1 });
    if (first.oldest !== null && cursor + 1 < first.oldest) yield resetEvent(parts, first.oldest);
    while (!over(signal)) {
      const heard = bell.next();
      const { events } = await parts.store.events({ id: cursor, limit: SLICE, ...(session === undefined ? {} : { session }) });
      for (const event of events) {
        cursor = event.id;
        const question = await parts.store.question(event.question);
        if (question?.principal === creator.principal && !over(signal)) yield shown(event);
      }
      if (events.length < SLICE) await heard;
    }
  } finally {
    undo();
    signal?.removeEventListener("abort", stop);
  }
}

function over(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

function shown(event: EventRow): BridgeEvent {
  return {
    id: String(event.id),
    type: event.type,
    at: new Date(event.atMs).toISOString(),
    question: event.question,
    version: event.version,
    ...(event.session === null ? {} : { session: event.session }),
    data: event.data,
  };
}

function resetEvent(parts: GatewayParts, oldest: number): BridgeEvent {
  return { id: String(oldest - 1), type: "reset", at: new Date(parts.clock.now()).toISOString(), question: "", version: 0, data: {} };
}

/** Rings may come before anybody listens; none is lost. */
class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  next(): Promise<void> {
    this.#rung = false;
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#rung) resolve();
    });
  }
}
