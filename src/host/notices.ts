/**
 * Notices: the short private words about inputs. Kept with the input's row until said, so that a crash loses none; a notice that fails
 * never frees its input (R19).
 */
import type { NoticeOrder } from "../ports/channel.js";
import type { InputRow } from "../ports/store.js";
import type { HostParts } from "./parts.js";

const SLICE = 100;
const LOOK_EVERY_MS = 30_000;
const RETRY_MS = { first: 1_000, last: 300_000 } as const;
/** Tries before a word is given up: by then the closing line has long said what counted. */
const TRIES_MAX = 8;

/** A notice still to be said, with the input's row it is kept in. */
export type DueNotice = Pick<InputRow, "id" | "noticeAccount" | "noticeAttempts"> & { readonly notice: NoticeOrder };

/** Says stored notices: at once, then again after growing pauses (2 s, 4 s, … or what the platform states), 8 tries in all. */
export class Notices {
  readonly #parts: HostParts;
  readonly #underway = new Map<string, Promise<void>>();
  #looking: Promise<void> | undefined;
  #running = false;
  #cancel: (() => void) | undefined;

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = true;
    this.#look();
  }

  /** Says nothing new; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancel?.();
    await this.#looking;
    await Promise.all(this.#underway.values());
  }

  /** Says a stored notice now; before `start` it stays due, because the channels are not open yet. */
  say(due: DueNotice): void {
    if (!this.#running || this.#underway.has(due.id)) return;
    const run = this.#say(due)
      .catch((error: unknown) => {
        this.#parts.log.error({ input: due.id, error: String(error) }, "notices: could not be recorded as said");
      })
      .finally(() => this.#underway.delete(due.id));
    this.#underway.set(due.id, run);
  }

  async #say(due: DueNotice): Promise<void> {
    const channel = this.#parts.channels.get(due.noticeAccount);
    const result = channel === undefined ? { status: "gone" as const } : await channel.notify(due.notice);
    const attempts = due.noticeAttempts + 1;
    const over = result.status === "done" || result.status === "gone" || attempts >= TRIES_MAX;
    const waitMs = Math.max(result.status === "later" ? result.afterMs : 0, Math.min(RETRY_MS.first * 2 ** attempts, RETRY_MS.last));
    const dueAtMs = this.#parts.clock.now() + waitMs;
    await this.#parts.store.commit([
      { do: "update_notice", id: due.id, notice: over ? null : due.notice, noticeDueAtMs: over ? null : dueAtMs, noticeAttempts: attempts },
    ]);
    if (!over) this.#arm(waitMs);
  }

  #arm(waitMs: number): void {
    this.#cancel?.();
    if (this.#running) this.#cancel = this.#parts.clock.after(Math.min(waitMs, LOOK_EVERY_MS), () => this.#look());
  }

  #look(): void {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookOnce(): Promise<void> {
    const { store, clock, log } = this.#parts;
    try {
      const due = await store.dueNotices({ nowMs: clock.now(), limit: SLICE });
      for (const row of due) {
        if (row.notice !== null) this.say({ ...row, notice: row.notice });
      }
      const next = (await store.nextDue()).noticeMs;
      this.#arm(next === null ? LOOK_EVERY_MS : Math.max(next - clock.now(), RETRY_MS.first));
    } catch (error) {
      log.error({ error: String(error) }, "notices: could not look for due notices");
      this.#arm(RETRY_MS.first);
    }
  }
}
