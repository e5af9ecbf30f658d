/**
 * The schedule of the outbox: which copy is worked on when. The store says what is due; this keeps calls to one conversation in order
 * and never asks the store again for what it has just been handed.
 *
 * V1  Calls to one conversation go one after another (B024); conversations run beside each other.
 * V2  A copy is worked on once at a time; what changes meanwhile is looked at when that work has ended.
 * V3  Due copies are looked up at start, at the nearest stored instant and every `LOOK_EVERY_MS`; new work in this process is offered
 *     with its rows. One timer, whatever the number of copies.
 */
import type { CopyId } from "../core/ids.js";
import type { Clock } from "../ports/clock.js";
import type { CopyOf, CopyRow } from "../ports/store.js";
import type { HostParts } from "./parts.js";

const SLICE = 256;
const LOOK_EVERY_MS = 30_000;
/** Pause before another look after a failure, or while what is due is under way. */
const RETRY_MS = 1_000;
/** How long a stop waits for calls under way, in milliseconds. */
const STOP_WITHIN_MS = 5_000;

type Underway = { readonly run: Promise<void>; again: boolean };

/** Runs `work` for copies that are due. */
export class Schedule {
  readonly #parts: HostParts;
  readonly #work: (found: CopyOf) => Promise<void>;
  readonly #underway = new Map<CopyId, Underway>();
  readonly #lanes = new Map<string, Promise<void>>();
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #running = false;
  #cancel: (() => void) | undefined;
  #armedAtMs = Number.POSITIVE_INFINITY;

  constructor(parts: HostParts, work: (found: CopyOf) => Promise<void>) {
    this.#parts = parts;
    this.#work = work;
  }

  start(): void {
    this.#running = true;
    this.look();
  }

  /** Starts nothing new; resolves when what is under way has ended, after `STOP_WITHIN_MS` at the latest: the rows say how to go on. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancel?.();
    await this.#looking;
    await endedWithin(
      this.#parts.clock,
      [...this.#underway.values()].map(({ run }) => run),
    );
  }

  /** Works on a copy as it was just read or written. */
  offer(found: CopyOf): void {
    if (!this.#running || found.copy.todo === null || this.#parts.isRemote?.(found.copy.account) === true) return;
    const underway = this.#underway.get(found.copy.id);
    if (underway !== undefined)
      underway.again = true; // V2
    else this.#begin(found);
  }

  /** A copy has something to do from `dueAtMs` on. */
  again(id: CopyId, dueAtMs: number): void {
    const underway = this.#underway.get(id);
    if (dueAtMs > this.#parts.clock.now()) this.#wakeAt(dueAtMs);
    else if (underway !== undefined) underway.again = true;
    else void this.#follow(id);
  }

  /** Looks up what is due now, one look at a time. */
  look(): void {
    if (!this.#running) return;
    // A look that is under way may have read before what this one is for was written.
    this.#lookAgain = true;
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
      if (this.#lookAgain) this.look();
    });
  }

  #wakeAt(atMs: number): void {
    if (!this.#running || atMs >= this.#armedAtMs) return;
    this.#cancel?.();
    this.#armedAtMs = atMs;
    const waitMs = Math.min(Math.max(atMs - this.#parts.clock.now(), 0), LOOK_EVERY_MS);
    this.#cancel = this.#parts.clock.after(waitMs, () => {
      this.#armedAtMs = Number.POSITIVE_INFINITY;
      this.look();
    });
  }

  async #lookOnce(): Promise<void> {
    const { store, clock, log } = this.#parts;
    try {
      let nowMs = clock.now();
      do {
        this.#lookAgain = false;
        nowMs = clock.now();
        await this.#offerDue(nowMs);
      } while (this.#lookAgain && this.#running);
      const { copyMs } = await store.nextDue();
      // What was due at this look is under way, and hides what comes due next: then it is looked again soon.
      const nextMs = copyMs !== null && copyMs <= nowMs ? nowMs + RETRY_MS : (copyMs ?? nowMs + LOOK_EVERY_MS);
      this.#wakeAt(nextMs);
    } catch (error) {
      this.#lookAgain = false;
      log.error({ error: String(error) }, "schedule: could not look for due copies");
      this.#wakeAt(clock.now() + RETRY_MS);
    }
  }

  async #offerDue(nowMs: number): Promise<void> {
    const { store } = this.#parts;
    for (;;) {
      const limit = SLICE + this.#underway.size;
      const due = await store.dueCopies({ nowMs, limit });
      const fresh = due.filter(({ copy }) => !this.#underway.has(copy.id) && this.#parts.isRemote?.(copy.account) !== true);
      for (const found of fresh) this.offer(found);
      if (due.length < limit || fresh.length === 0) return;
    }
  }

  #begin(found: CopyOf): void {
    const { copy } = found;
    const lane = conversationKey(copy);
    const before = this.#lanes.get(lane);
    // Behind another call of this conversation the row may be old by the time it is its turn.
    const turn = before === undefined ? this.#work(found) : before.then(() => (this.#running ? this.#anew(copy.id) : undefined));
    const run = turn
      .catch((error: unknown) => {
        this.#parts.log.error({ copy: copy.id, error: String(error) }, "schedule: a copy could not be worked on");
        this.#wakeAt(this.#parts.clock.now() + RETRY_MS);
      })
      .finally(() => {
        if (this.#lanes.get(lane) === run) this.#lanes.delete(lane);
        this.#underway.delete(copy.id);
        if (underway.again) void this.#follow(copy.id);
      });
    const underway: Underway = { run, again: false };
    this.#lanes.set(lane, run);
    this.#underway.set(copy.id, underway);
  }

  async #anew(id: CopyId): Promise<void> {
    const found = await this.#parts.store.copy(id);
    if (found !== undefined && found.copy.todo !== null) await this.#work(found);
  }

  /** V2: what changed while it was worked on, or was written by somebody else. */
  async #follow(id: CopyId): Promise<void> {
    try {
      const found = await this.#parts.store.copy(id);
      const dueAtMs = found?.copy.dueAtMs ?? null;
      if (found === undefined || dueAtMs === null) return;
      if (dueAtMs <= this.#parts.clock.now()) this.offer(found);
      else this.#wakeAt(dueAtMs);
    } catch (error) {
      this.#parts.log.error({ copy: id, error: String(error) }, "schedule: a copy could not be read again");
      this.#wakeAt(this.#parts.clock.now() + RETRY_MS);
    }
  }
}

/** One conversation: a direct chat by its user, before and after it was located. */
export function conversationKey(copy: CopyRow): string {
  return `${copy.account}|${copy.userId ?? copy.conversation ?? copy.target}`;
}

async function endedWithin(clock: Clock, running: readonly Promise<unknown>[]): Promise<void> {
  let cancel = (): void => undefined;
  const limit = new Promise<void>((resolve) => {
    cancel = clock.after(STOP_WITHIN_MS, resolve);
  });
  await Promise.race([Promise.all(running), limit]);
  cancel();
}
