/**
 * Caps (R11): how many open questions one creator may have, in all and per person, counted before storing. Asks that are being stored
 * count too, so that a burst cannot slip under the cap.
 */
import type { Audience } from "../core/question.js";
import { HandraiseError } from "../errors.js";
import type { Store } from "../ports/store.js";

/** Most open questions one creator may have, in all and per person it may ask. */
export type Caps = { readonly perPrincipal: number; readonly perPerson: number };
/** The caps of a bridge whose config says nothing. */
export const DEFAULT_CAPS: Caps = { perPrincipal: 10_000, perPerson: 100 };

type Ticket = { readonly left: Promise<void> };

/** Counts what is open and what is on its way there. */
export class CapGuard {
  readonly #store: Store;
  readonly #caps: Caps;
  /** Asks under way by creator, and by creator and person, in the order they came. */
  readonly #underway = new Map<string, Set<Ticket>>();

  constructor(store: Store, caps: Caps) {
    this.#store = store;
    this.#caps = caps;
  }

  /** Runs `ask` when there is room for it. @throws `capacity`. */
  async within<T>({ principal, audience }: { readonly principal: string; readonly audience: Audience }, ask: () => Promise<T>): Promise<T> {
    const people = audience.kind === "people" ? audience.people : [];
    const names = [principal, ...people.map((person) => `${principal}\n${person}`)];
    let leave = (): void => undefined;
    const ticket: Ticket = {
      left: new Promise((resolve) => {
        leave = resolve;
      }),
    };
    for (const name of names) this.#enter(name, ticket);
    try {
      await Promise.all([
        this.#room(ticket, { name: principal, principal, cap: this.#caps.perPrincipal }),
        ...people.map((person) => this.#room(ticket, { name: `${principal}\n${person}`, principal, person, cap: this.#caps.perPerson })),
      ]);
      return await ask();
    } finally {
      for (const name of names) this.#drop(name, ticket);
      leave();
    }
  }

  /** Waits for earlier asks only when they decide: then they are counted either as open or as gone. */
  async #room(
    ticket: Ticket,
    at: { readonly name: string; readonly principal: string; readonly person?: string; readonly cap: number },
  ): Promise<void> {
    const { name, principal, person, cap } = at;
    const openNow = async (): Promise<number> => {
      const counts = await this.#store.openCounts({ principal, ...(person === undefined ? {} : { person }) });
      return person === undefined ? counts.principal : counts.person;
    };
    // Who is under way is noted before what is open is read: an ask that ends in between is counted twice rather than not at all.
    const underway = this.#underway.get(name)?.size ?? 0;
    if ((await openNow()) + underway <= cap) return; // Far from the cap nobody needs to know who came first.
    for (;;) {
      const queue = [...(this.#underway.get(name) ?? [])];
      const before = queue.slice(0, queue.indexOf(ticket));
      const open = await openNow();
      if (open + before.length + 1 <= cap) return;
      if (open + 1 > cap) throw full({ principal, person, open, cap });
      await Promise.race(before.map(({ left }) => left));
    }
  }

  #enter(name: string, ticket: Ticket): void {
    const queue = this.#underway.get(name);
    if (queue === undefined) this.#underway.set(name, new Set([ticket]));
    else queue.add(ticket);
  }

  #drop(name: string, ticket: Ticket): void {
    const queue = this.#underway.get(name);
    queue?.delete(ticket);
    if (queue?.size === 0) this.#underway.delete(name);
  }
}

function full({
  principal,
  person,
  open,
  cap,
}: {
  readonly principal: string;
  readonly person: string | undefined;
  readonly open: number;
  readonly cap: number;
}): HandraiseError {
  const whose = person === undefined ? "" : ` for ${person}`;
  const message = `${principal} has ${open} open questions${whose}, and ${cap} are allowed. Ask again when some have ended.`;
  return new HandraiseError("capacity", message, { facts: { open, cap, ...(person === undefined ? {} : { person }) } });
}
