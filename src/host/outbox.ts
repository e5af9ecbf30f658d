/**
 * The outbox of copies: sends prompts, looks for those whose send was lost, redraws and closes them. State is in the store
 * (core/delivery.ts decides); this runs the platform's calls.
 *
 * O1  A copy is claimed in the store before the platform is called, and its result stored after (B026, B029).
 * O2  Which copy is worked on when is the schedule's (schedule.ts).
 * O3  A stated wait (429) holds for the conversation or the whole account, and is stored with the copy (B099, B100); one that reaches
 *     past the question's delivery limit ends the tries now (R10, B101).
 * O4  A copy of an account that is not configured fails when nothing of it was sent; one that is out there is closed if the account comes back.
 */
import { type Copy, type CopyEvent, stepCopy } from "../core/delivery.js";
import { type CopyId, randomBase32 } from "../core/ids.js";
import { unreachable } from "../errors.js";
import type { Channel, DeliveryCode, Later, SendOrder } from "../ports/channel.js";
import type { Work } from "../ports/gateway.js";
import type { CopyOf, CopyRow, QuestionRow } from "../ports/store.js";
import type { HostParts } from "./parts.js";
import { conversationKey, Schedule } from "./schedule.js";
import { promptView } from "./view.js";

const NONCE_LENGTH = 20;
/** Pauses between tries when the platform states none: doubling from the first to the last, in milliseconds. */
const BACK_OFF_MS = { first: 1_000, last: 60_000 } as const;
const APPLY_TRIES = 8;
/** How often a prompt is looked at whose account is gone (O4). */
const WITHOUT_ACCOUNT_MS = 600_000;

type Placed = { readonly conversation: string; readonly thread: string | null; readonly direct: boolean };

/** Works on copies: see the rules above. */
export class Outbox {
  readonly #parts: HostParts;
  readonly #schedule: Schedule;
  readonly #pausedUntilMs = new Map<string, number>();
  readonly #onFound: (copy: CopyId) => void;

  /** `onFound` is told of a prompt whose send was lost and that was found: replies to it may have been missed. */
  constructor(parts: HostParts, onFound: (copy: CopyId) => void) {
    this.#parts = parts;
    this.#schedule = new Schedule(parts, (found) => this.#work(found));
    this.#onFound = onFound;
  }

  start(): void {
    this.#schedule.start();
  }

  stop(): Promise<void> {
    return this.#schedule.stop();
  }

  /** Takes what the gateway has just stored; anything else that is due is found in the store. */
  take(work: Work): void {
    switch (work.kind) {
      case "asked":
        for (const copy of work.copies) this.#schedule.offer({ copy, question: work.question });
        return;
      case "ended":
        void this.#close(work.question);
        return;
      case "look":
        this.#schedule.look();
        return;
      default:
        unreachable(work);
    }
  }

  /** R26: the end of a question is drawn on every copy of it. */
  async #close(question: QuestionRow): Promise<void> {
    try {
      for (const copy of await this.#parts.store.copiesOf(question.id)) this.#schedule.offer({ copy, question });
    } catch (error) {
      this.#parts.log.error(
        { question: question.id, error: String(error) },
        "outbox: copies could not be read; they are closed at the next look",
      );
      this.#schedule.look();
    }
  }

  /**
   * One event on a copy, against its newest row; used by the intake for presses that prove a message (R24).
   * @param known The row as the caller has just written or read it: tried first, and read again when it has changed since.
   */
  async apply(
    copyId: CopyId,
    eventOf: (now: CopyOf) => CopyEvent,
    { also = {}, known }: { readonly also?: Partial<Placed & Pick<CopyRow, "page">>; readonly known?: CopyOf } = {},
  ): Promise<void> {
    for (let tries = 0; tries < APPLY_TRIES; tries += 1) {
      const now = (tries === 0 ? known : undefined) ?? (await this.#parts.store.copy(copyId));
      if (now === undefined) return;
      const { question } = now;
      const nowMs = this.#parts.clock.now();
      const { set, effects } = stepCopy(asCopy(now.copy), eventOf(now), { open: question.status === "open", nowMs });
      if (Object.keys(set).length === 0) return;
      const mayEndAtMs = question.expiresAtMs ?? (question.timeoutMs === null ? null : nowMs + question.timeoutMs);
      if (await this.#parts.calls.report({ copy: now.copy, set: { ...also, ...set }, effects, mayEndAtMs })) {
        if (set.dueAtMs !== undefined && set.dueAtMs !== null) this.#schedule.again(copyId, set.dueAtMs);
        return;
      }
    }
    this.#parts.log.warn({ copy: copyId }, "outbox: a copy kept changing; it is looked at again later");
  }

  async #work(found: CopyOf): Promise<void> {
    if (found.copy.todo === null) return;
    const channel = this.#parts.channels.get(found.copy.account);
    if (channel === undefined) return this.#withoutAccount(found);
    const waitMs = this.#pauseOf(found.copy) - this.#parts.clock.now();
    if (waitMs > 0) await this.#putOff(found, { afterMs: waitMs, code: "rate_limited", message: "The platform asked to wait." });
    else if (found.copy.todo === "send") await this.#send(channel, found);
    else if (found.copy.todo === "find") await this.#find(channel, found);
    else await this.#draw(channel, found);
  }

  /** O4 */
  async #withoutAccount(found: CopyOf): Promise<void> {
    const { account, id, state } = found.copy;
    const why = { code: "account_removed", message: `The account ${account} is not in the config.` } as const;
    if (state === "pending") return this.#refuse(found, why);
    const retryAtMs = this.#parts.clock.now() + WITHOUT_ACCOUNT_MS;
    await this.apply(id, () => ({ kind: "put_off", retryAtMs, ...why }));
  }

  async #send(channel: Channel, { copy, question }: CopyOf): Promise<void> {
    if (question.status !== "open" || copy.state !== "pending") return; // D3
    const place = await this.#locate(channel, { copy, question });
    if (place === undefined) return;
    const claimed = await this.#claim(copy, place);
    if (claimed === undefined) return;
    const order = this.#orderOf({ copy: claimed, question }, place);
    const result = await channel.send(order);
    const last = order.part === channel.parts(order.view) - 1;
    switch (result.status) {
      case "shown":
        await this.apply(copy.id, () => ({ kind: "part_shown", message: result.message, last }), { known: { copy: claimed, question } });
        return;
      case "refused":
        await this.#refuse({ copy: claimed, question }, result);
        return;
      case "later":
        await this.#putOff({ copy: claimed, question }, result);
        return;
      case "unknown":
        await this.apply(copy.id, () => ({ kind: "fate_unknown", message: result.message }));
        return;
      case "moved":
        await this.#move(claimed, result.conversation);
        await this.#putOff({ copy: claimed, question }, { afterMs: 0, code: "rejected", message: "The conversation has moved." });
        return;
    }
  }

  async #locate(channel: Channel, { copy, question }: CopyOf): Promise<Placed | undefined> {
    if (copy.conversation !== null && copy.messageIds.length > 0)
      return { conversation: copy.conversation, thread: copy.thread, direct: copy.direct };
    const to =
      copy.userId !== null && copy.conversation === null
        ? ({ kind: "user", userId: copy.userId } as const)
        : ({ kind: "place", conversation: copy.conversation ?? "", ...(copy.thread === null ? {} : { thread: copy.thread }) } as const);
    const located = await channel.locate(to);
    if (located.status === "found")
      return { conversation: located.conversation, thread: located.thread ?? copy.thread, direct: located.direct };
    if (located.status === "refused") await this.#refuse({ copy, question }, located);
    else await this.#putOff({ copy, question }, located);
    return undefined;
  }

  /** O1. Undefined when somebody else changed the row first. */
  async #claim(copy: CopyRow, place: Placed): Promise<CopyRow | undefined> {
    const nonce = copy.nonce ?? randomBase32(this.#parts.random, NONCE_LENGTH);
    const { set } = stepCopy(asCopy(copy), { kind: "claimed", nonce }, { open: true, nowMs: this.#parts.clock.now() });
    const result = await this.#parts.store.commit([{ do: "update_copy", id: copy.id, revision: copy.revision, set: { ...set, ...place } }]);
    return result.ok ? { ...copy, ...set, ...place, revision: copy.revision + 1 } : undefined;
  }

  #orderOf(found: CopyOf, place: Placed): SendOrder {
    const { copy } = found;
    return {
      view: promptView(found, this.#parts),
      part: copy.part,
      nonce: copy.nonce ?? "",
      conversation: place.conversation,
      direct: place.direct,
      ...(place.thread === null ? {} : { thread: place.thread }),
    };
  }

  async #find(channel: Channel, { copy, question }: CopyOf): Promise<void> {
    if (copy.conversation === null) {
      await this.apply(copy.id, () => ({ kind: "absent" }));
      return;
    }
    // Looked for as it was sent: the question may have ended since, and an ended prompt has other text and no controls (D3).
    const asked = { ...question, status: "open", outcome: null } as const;
    const order = this.#orderOf({ copy, question: asked }, { conversation: copy.conversation, thread: copy.thread, direct: copy.direct });
    const result = channel.supports.find
      ? await channel.find({ ...order, attemptedAtMs: copy.attemptedAtMs ?? this.#parts.clock.now() })
      : ({ status: "cannot" } as const);
    const last = order.part === channel.parts(order.view) - 1;
    switch (result.status) {
      case "found":
        await this.apply(copy.id, () => ({ kind: "found", message: result.message, last }));
        if (last) this.#onFound(copy.id);
        return;
      case "absent":
        await this.apply(copy.id, () => ({ kind: "absent" }));
        return;
      case "cannot":
        await this.apply(copy.id, () => ({ kind: "cannot_tell" }));
        return;
      case "later":
        await this.#putOff({ copy, question }, result);
        return;
    }
  }

  async #draw(channel: Channel, { copy, question }: CopyOf): Promise<void> {
    if (copy.state !== "shown" || copy.messageId === null || copy.conversation === null) return;
    const result = await channel.redraw({
      view: promptView({ copy, question }, this.#parts),
      messageId: copy.messageId,
      conversation: copy.conversation,
      direct: copy.direct,
      ...(copy.thread === null ? {} : { thread: copy.thread }),
    });
    // Something newer may have to be drawn by now: only the drawing that was ordered is done.
    const drawn = (now: CopyOf): CopyEvent => (now.copy.todo === copy.todo ? { kind: "drawn" } : { kind: "outdated" });
    if (result.status === "done" || result.status === "gone") await this.apply(copy.id, drawn, { known: { copy, question } });
    else if (result.status === "moved") await this.#move(copy, result.conversation);
    else if (result.status === "later") await this.#putOff({ copy, question }, result);
    else await this.#putOff({ copy, question }, { afterMs: backOffMs(copy.attempts), code: "unreachable", message: result.message });
  }

  async #move(copy: CopyRow, to: string): Promise<void> {
    await this.#parts.store.commit([{ do: "move_conversation", account: copy.account, from: copy.conversation ?? "", to }]);
  }

  async #refuse({ copy }: CopyOf, { code, message }: { readonly code: DeliveryCode; readonly message: string }): Promise<void> {
    this.#parts.log.warn({ copy: copy.id, question: copy.question, account: copy.account, code }, "outbox: a copy was refused");
    await this.apply(copy.id, () => ({ kind: "refused", code, message }));
  }

  async #putOff(
    { copy, question }: CopyOf,
    later: Pick<Later, "afterMs" | "code" | "message"> & { readonly scope?: Later["scope"] },
  ): Promise<void> {
    const afterMs = later.scope === undefined ? later.afterMs : Math.max(later.afterMs, backOffMs(copy.attempts));
    const retryAtMs = this.#parts.clock.now() + afterMs;
    if (later.scope !== undefined && later.code === "rate_limited")
      this.#pausedUntilMs.set(pauseKey(copy, later.scope), this.#parts.clock.now() + later.afterMs);
    const neverShown = copy.state === "pending" || copy.state === "sending";
    if (neverShown && question.deliverByMs !== null && retryAtMs >= question.deliverByMs && later.afterMs > 0) {
      await this.#refuse({ copy, question }, { code: later.code, message: later.message }); // O3
      return;
    }
    await this.apply(copy.id, () => ({ kind: "put_off", retryAtMs, code: later.code, message: later.message }));
  }

  #pauseOf(copy: CopyRow): number {
    return Math.max(this.#pausedUntilMs.get(pauseKey(copy, "account")) ?? 0, this.#pausedUntilMs.get(pauseKey(copy, "conversation")) ?? 0);
  }
}

function pauseKey(copy: CopyRow, scope: Later["scope"]): string {
  return scope === "account" ? copy.account : conversationKey(copy);
}

function backOffMs(attempts: number): number {
  return Math.min(BACK_OFF_MS.first * 2 ** Math.min(attempts, 10), BACK_OFF_MS.last);
}

/** What the delivery machine reads of a row. */
export function asCopy(row: CopyRow): Copy {
  return {
    state: row.state,
    todo: row.todo,
    part: row.part,
    attempts: row.attempts,
    messageIds: row.messageIds,
    repeated: row.repeatOf !== null,
  };
}
