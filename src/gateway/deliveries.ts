/**
 * Copies that a host in another process shows (`delivery.claim`, `delivery.report`): handed out with a lease, again when nothing was
 * reported in time, and moved by what the host reports. The rows are the work; nothing of it is kept in memory, so a restart loses none.
 *
 * DL1  A copy is handed out by a change of its row (`sending`, due again when the lease ends) that names the revision it was read at:
 *      two hosts never get the same lease.
 * DL2  The nonce is minted once per copy and stays over all leases, so that the platform itself can tell a second send from the first.
 * DL3  A waiting claim is woken by what is stored, and looks by itself every few seconds: for leases that end, and other instances.
 */
import { stepCopy } from "../core/delivery.js";
import { type CopyId, type RandomBytes, randomBase32 } from "../core/ids.js";
import { HandraiseError } from "../errors.js";
import type { Clock } from "../ports/clock.js";
import type { CopyReport, WorkSignals } from "../ports/gateway.js";
import type { Claimed, ClaimParams, DeliveryReport, HostOrder, Reported, WireQuestion } from "../ports/host-wire.js";
import { HOST_WAIT_MAX_MS } from "../ports/host-wire.js";
import type { CopyOf, CopyRow, QuestionRow, Store } from "../ports/store.js";
import { leaseOf, reportStep } from "./copy-report.js";

const NONCE_LENGTH = 20;
const LOOK_EVERY_MS = 5_000;
/** Copies looked at for one claim. */
const SLICE = 1_000;
/** Orders of one answer together, so that it fits a frame of the socket; one order always fits. */
const ORDERS_MAX_CHARACTERS = 600_000;
const REPORT_TRIES = 8;

/** What it works with. `report`: the gateway's own, which commits a copy's change with what it means for its question. */
export type DeliveryParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly signals: WorkSignals;
  readonly report: (report: CopyReport) => Promise<boolean>;
};

/** The question as a host may see it (R6). */
export function wireQuestion({ settledBy: _settledBy, ...question }: QuestionRow): WireQuestion {
  return question;
}

/** Hands copies out and takes reports, for hosts whose key names the accounts; who may is the caller's to check. */
export class Deliveries {
  readonly #parts: DeliveryParts;
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Waiting claims end with no orders. */
  close(): void {
    this.#closed = true;
    for (const wake of this.#waiting) wake();
  }

  /** Orders that are due, at once; else the first that come within `waitMs` (at most `HOST_WAIT_MAX_MS`). `signal` ends the wait alone. */
  async claim(params: ClaimParams, signal?: AbortSignal): Promise<Claimed> {
    const { clock, signals } = this.#parts;
    const endsAtMs = clock.now() + Math.min(params.waitMs, HOST_WAIT_MAX_MS);
    let woken = false;
    let wake = (): void => undefined;
    const stir = (): void => {
      woken = true;
      wake();
    };
    const undo = signals.onWork((work) => {
      if (work.kind !== "asked" || work.copies.some(({ account }) => params.accounts.includes(account))) stir();
    });
    this.#waiting.add(stir);
    signal?.addEventListener("abort", stir, { once: true });
    try {
      for (;;) {
        woken = false;
        const orders = await this.#handOut(params);
        const leftMs = endsAtMs - clock.now();
        if (orders.length > 0 || leftMs <= 0 || this.#closed || signal?.aborted === true) return { orders };
        if (woken) continue;
        await new Promise<void>((resolve) => {
          const cancel = clock.after(Math.min(leftMs, LOOK_EVERY_MS), resolve);
          wake = () => {
            cancel();
            resolve();
          };
        });
      }
    } finally {
      undo();
      this.#waiting.delete(stir);
      signal?.removeEventListener("abort", stir);
    }
  }

  /** @throws `question_unknown` for a copy that is not there; `store_unavailable`. */
  async report(report: DeliveryReport): Promise<Reported> {
    const { store, clock } = this.#parts;
    for (let tries = 0; tries < REPORT_TRIES; tries += 1) {
      const found = await this.copy(report.copy);
      const { copy, question } = found;
      const nowMs = clock.now();
      const { set, effects } = reportStep(copy, report, { open: question.status === "open", nowMs });
      if (Object.keys(set).length === 0) return { taken: false, copy, question: wireQuestion(question) };
      const mayEndAtMs = question.expiresAtMs ?? (question.timeoutMs === null ? null : nowMs + question.timeoutMs);
      if (!(await this.#parts.report({ copy, set, effects, mayEndAtMs }))) continue;
      const after = (await store.copy(copy.id)) ?? found;
      return { taken: true, copy: after.copy, question: wireQuestion(after.question) };
    }
    throw new HandraiseError("store_unavailable", `Copy ${report.copy} kept changing. Report it again.`, { facts: { copy: report.copy } });
  }

  /** @throws `question_unknown`. */
  async copy(id: CopyId): Promise<CopyOf> {
    const found = await this.#parts.store.copy(id);
    if (found === undefined) throw new HandraiseError("question_unknown", `There is no copy ${id}.`, { facts: { copy: id } });
    return found;
  }

  async #handOut({ accounts, max, leaseMs }: ClaimParams): Promise<readonly HostOrder[]> {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const due = (await store.dueCopies({ nowMs, limit: SLICE })).filter(({ copy }) => accounts.includes(copy.account)).slice(0, max);
    const orders = await Promise.all(fitting(due).map((found) => this.#lease(found, { nowMs, leaseMs })));
    return orders.filter((order) => order !== undefined);
  }

  /** DL1. Undefined when somebody else changed the row first. */
  async #lease(
    { copy, question }: CopyOf,
    { nowMs, leaseMs }: { readonly nowMs: number; readonly leaseMs: number },
  ): Promise<HostOrder | undefined> {
    const open = question.status === "open";
    const nonce = copy.nonce ?? randomBase32(this.#parts.random, NONCE_LENGTH); // DL2
    const { set } =
      copy.todo === "send" ? stepCopy({ ...copy, repeated: false }, { kind: "claimed", nonce }, { open, nowMs }) : { set: {} };
    const leased = { ...set, dueAtMs: nowMs + leaseMs, attempts: copy.attempts + 1 };
    const result = await this.#parts.store.commit([{ do: "update_copy", id: copy.id, revision: copy.revision, set: leased }]);
    if (!result.ok) return undefined;
    const row: CopyRow = { ...copy, ...leased, revision: copy.revision + 1 };
    const kind = open ? (copy.todo === "redraw" ? "update" : "show") : "close";
    return { lease: leaseOf(row), kind, again: copy.state === "sending", copy: row, question: wireQuestion(question) };
  }
}

/** As many as fit one answer, the first always. */
function fitting(found: readonly CopyOf[]): readonly CopyOf[] {
  let size = 0;
  const at = found.findIndex(({ question }, index) => {
    size += JSON.stringify(question).length + 1_000;
    return index > 0 && size > ORDERS_MAX_CHARACTERS;
  });
  return at < 0 ? found : found.slice(0, at);
}
