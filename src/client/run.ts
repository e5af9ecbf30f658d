/**
 * A run as its holder's code has it, over any way to the gateway (R15). No dependencies at run time.
 *
 * RN1  Authority is the private field, captured before the object is handed out: no copy, proxy, derived object or borrowed method reaches it,
 *      and only `createRun` makes one. Each of these is refused with `authority_stale`, visibly.
 * RN2  After the end every call fails closed with `run_closed`; reading answers needs no run.
 * RN3  `close` resolves when the end is stored; repeating it gives the same promise.
 */
import { HandraiseError } from "../errors.js";
import type { RetainedAuthority } from "../ports/runs.js";
import type { AskInput, Question } from "./types.js";

/** What stands behind a run: its keeper in this process, or a connection with a lease token. */
export type RunHold = {
  readonly id: string;
  /** Aborts when the run ends, whoever ended it. */
  readonly signal: AbortSignal;
  readonly ask: (input: AskInput) => Promise<Question>;
  readonly heartbeat: () => Promise<void>;
  /** Resolves once stored. */
  readonly close: (reason: string | undefined) => Promise<void>;
  /** Undefined for a run that no person started. */
  readonly retain: () => RetainedAuthority | undefined;
};

const MAKE = Symbol("createRun");

/** See the module's header. Methods are own properties, so that a copy has them, and they refuse to work for it. */
class HeldRun {
  readonly #hold: RunHold;
  #closing: Promise<void> | undefined;

  constructor(hold: RunHold, key: symbol) {
    if (key !== MAKE || new.target !== HeldRun) throw staleError();
    this.#hold = hold;
  }

  static holdOf(run: unknown): RunHold {
    return HeldRun.#brand(run).#hold;
  }

  static liveHoldOf(run: unknown): RunHold {
    const hold = HeldRun.holdOf(run);
    if (!hold.signal.aborted && HeldRun.#brand(run).#closing === undefined) return hold;
    throw new HandraiseError("run_closed", `Run ${hold.id} has ended. Open a new one.`, { facts: { run: hold.id } });
  }

  static close(run: unknown, reason: string | undefined): Promise<void> {
    const held = HeldRun.#brand(run);
    held.#closing ??= held.#hold.close(reason).catch((error: unknown) => {
      held.#closing = undefined; // It is not stored: the caller may try again.
      throw error;
    });
    return held.#closing;
  }

  static #brand(run: unknown): HeldRun {
    if (typeof run === "object" && run !== null && #hold in run) return run;
    throw staleError();
  }
}

function staleError(): HandraiseError {
  return new HandraiseError(
    "authority_stale",
    "This object carries no run's authority: call the run's methods on the very object that openRun gave.",
  );
}

/** What a run's holder can do, whatever the way to the gateway. */
export type RunHandle = {
  readonly id: string;
  readonly signal: AbortSignal;
  ask(input: AskInput): Promise<Question>;
  heartbeat(): Promise<void>;
  close(reason?: string): Promise<void>;
  retainAuthority(): RetainedAuthority | undefined;
  [Symbol.asyncDispose](): Promise<void>;
};

const METHODS = {
  async ask(this: unknown, input: AskInput): Promise<Question> {
    return HeldRun.liveHoldOf(this).ask(input);
  },
  async heartbeat(this: unknown): Promise<void> {
    return HeldRun.liveHoldOf(this).heartbeat();
  },
  async close(this: unknown, reason?: string): Promise<void> {
    return HeldRun.close(this, reason);
  },
  retainAuthority(this: unknown): RetainedAuthority | undefined {
    return HeldRun.liveHoldOf(this).retain();
  },
  async [Symbol.asyncDispose](this: unknown): Promise<void> {
    return HeldRun.close(this, undefined);
  },
};

/** The frozen run over what stands behind it. */
export function createRun(hold: RunHold): RunHandle {
  const captured = Object.freeze({ ...hold });
  const run = new HeldRun(captured, MAKE);
  return Object.freeze(Object.assign(run, METHODS, { id: captured.id, signal: captured.signal }));
}
