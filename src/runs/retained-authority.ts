/**
 * Authority kept beyond its run (R15): for work in the background that the person who started the run stands behind.
 *
 * RA1  It ends once and stays ended: released, its person no longer current, its principal revoked, or the bridge stopping.
 * RA2  Asked synchronously it looks for itself; it never rests on a message having arrived (R16).
 * RA3  What it owns is stopped when it ends, also when it had ended before; stopping needs no permission. A stop that fails is reported and
 *      tried again until it succeeds, and stands in `unsettled` until then.
 */
import { HandraiseError } from "../errors.js";
import type { Clock } from "../ports/clock.js";
import type { Log } from "../ports/log.js";
import type { RetainedAuthority } from "../ports/runs.js";

/** Pause before a stop that failed is tried again, in milliseconds. */
export const STOP_AGAIN_MS = 1_000;

/** Why retained authority ends without being released. */
export type RetainedEnd = "person_removed" | "revoked" | "retired";
const WORDS: Readonly<Record<RetainedEnd | "released", string>> = {
  person_removed: "whoever started it is no longer current",
  revoked: "its principal was removed",
  retired: "the bridge is stopping",
  released: "it was given back",
};

/** What the keeper works with. `isCurrent`: is this person of the directory still current? */
export type RetainedParts = { readonly clock: Clock; readonly log: Log; readonly isCurrent: (person: string) => boolean };
/** The run that authority is kept of. */
export type RetainedRun = { readonly id: string; readonly principal: string; readonly startedBy: string };

type Owned = { readonly run: string; readonly resource: string; readonly stop: (reason: unknown) => void | Promise<void> };
type Held = { readonly run: RetainedRun; readonly look: () => void; readonly end: (why: RetainedEnd) => void };

/** All retained authority of one bridge. */
export class RetainedAuthorities {
  readonly #parts: RetainedParts;
  readonly #held = new Set<Held>();
  readonly #stopping = new Map<Owned, Promise<void>>();
  #retired = false;

  constructor(parts: RetainedParts) {
    this.#parts = parts;
  }

  /** Resources whose stop has not succeeded yet: `run`, then the name they were owned by. */
  get unsettled(): readonly { readonly run: string; readonly resource: string }[] {
    return [...this.#stopping.keys()].map(({ run, resource }) => ({ run, resource }));
  }

  /** Kept from now on; ended at once where the person is not current or the bridge is stopping. */
  retain(run: RetainedRun): RetainedAuthority {
    const controller = new AbortController();
    const owned = new Set<Owned>();
    let ended: HandraiseError | undefined;
    const finish = (why: RetainedEnd | "released"): boolean => {
      if (ended !== undefined) return false;
      ended = staleError(run, why);
      this.#held.delete(held);
      return true;
    };
    const end = (why: RetainedEnd): void => {
      if (!finish(why)) return;
      controller.abort(ended);
      for (const each of [...owned]) this.#stop(each, ended);
      owned.clear();
    };
    const look = (): void => {
      if (this.#retired) end("retired");
      else if (!this.#parts.isCurrent(run.startedBy)) end("person_removed");
    };
    const held: Held = { run, look, end };
    this.#held.add(held);
    look();
    return Object.freeze({
      assertCurrent: () => {
        look();
        if (ended !== undefined) throw ended;
      },
      signal: controller.signal,
      release: () => {
        if (finish("released")) owned.clear();
      },
      own: (resource: string, stop: Owned["stop"]) => {
        const each = { run: run.id, resource, stop };
        if (ended === undefined) owned.add(each);
        else this.#stop(each, ended); // RA3
        return () => {
          owned.delete(each);
        };
      },
    });
  }

  /** The directory has changed, or a visitor's time has ended. */
  look(): void {
    for (const { look } of [...this.#held]) look();
  }

  /** A principal was removed. */
  revoke(principal: string): void {
    for (const { run, end } of [...this.#held]) if (run.principal === principal) end("revoked");
  }

  /** Ends everything held, and what is asked for later (R33). Resolves when every stop that was called has returned once. */
  async retire(): Promise<void> {
    this.#retired = true;
    this.look();
    await Promise.all(this.#stopping.values());
  }

  #stop(owned: Owned, reason: unknown): void {
    const tried = Promise.resolve()
      .then(() => owned.stop(reason))
      .then(
        () => {
          this.#stopping.delete(owned);
        },
        (error: unknown) => this.#again(owned, { reason, error }),
      );
    this.#stopping.set(owned, tried);
  }

  #again(owned: Owned, { reason, error }: { readonly reason: unknown; readonly error: unknown }): void {
    const { run, resource } = owned;
    this.#parts.log.error({ run, resource, error: String(error) }, "run: a resource could not be stopped; it is tried again");
    if (!this.#retired) this.#parts.clock.after(STOP_AGAIN_MS, () => this.#stop(owned, reason));
  }
}

function staleError({ id }: RetainedRun, why: RetainedEnd | "released"): HandraiseError {
  return new HandraiseError("authority_stale", `The authority kept of run ${id} has ended: ${WORDS[why]}. Open a run anew.`, {
    facts: { run: id, why },
  });
}
