/**
 * The channel host: shows copies, takes inputs, submits them to the gateway through a dispatcher.
 *
 * Order of a start (R33): left-over inputs are settled, then (by the app) what ran out is ended, then channels open; after that copies
 * whose send was cut short are looked for before any new send of theirs, and missed replies are read back.
 * Order of a stop: intake, commits, notices, what is left of sources, channels.
 */
import type { CopyId } from "../core/ids.js";
import type { Channel } from "../ports/channel.js";
import type { CopyOf, InputRow } from "../ports/store.js";
import { HostIntake } from "./intake.js";
import { Judge } from "./judge.js";
import { NotYet } from "./lookup.js";
import { Notices } from "./notices.js";
import { Outbox } from "./outbox.js";
import type { HostParts } from "./parts.js";

const SLICE = 500;
/** Most shown copies whose replies are read back at start; older ones are answered by their buttons, or by replying again. */
const READ_BACK_MAX = 500;

/** One per bridge, over all its accounts. Called in the order `recoverInputs`, `open`, `close`. */
export class Host {
  readonly #parts: HostParts;
  readonly #outbox: Outbox;
  readonly #notices: Notices;
  readonly #judge: Judge;
  readonly #intake: HostIntake;
  #waiting: InputRow[] = [];
  #undo: (() => void) | undefined;
  #background: Promise<unknown> = Promise.resolve();

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#outbox = new Outbox(parts, (copy) => {
      this.#background = Promise.all([this.#background, this.#readBackOf(copy)]);
    });
    this.#notices = new Notices(parts);
    this.#judge = new Judge(parts, { outbox: this.#outbox, notices: this.#notices });
    this.#intake = new HostIntake(parts, { judge: this.#judge, outbox: this.#outbox });
  }

  /** Settles inputs that an earlier life stored and did not take to their end (R17); those that wait for a copy's fate go on after `open`. */
  async recoverInputs(): Promise<void> {
    for (;;) {
      const rows = await this.#parts.store.unsettledInputs(SLICE);
      this.#waiting = [];
      for (const row of rows) await this.#recover(row);
      if (rows.length < SLICE || this.#waiting.length === rows.length) return;
    }
  }

  async #recover(row: InputRow): Promise<void> {
    try {
      await this.#judge.settle(row);
    } catch (error) {
      if (!(error instanceof NotYet)) throw error;
      this.#waiting.push(row);
    }
  }

  /** Opens the channels and starts the work on copies and notices. A channel that is out of reach does not hold the others up (R30). */
  async open(): Promise<void> {
    await this.#reconcile();
    await this.#openChannels();
    this.#undo = this.#parts.signals.onWork((work) => this.#outbox.take(work));
    this.#outbox.start();
    this.#notices.start();
    for (const row of this.#waiting.splice(0)) this.#judge.begin(row);
    this.#background = this.#readBack().catch((error: unknown) => {
      this.#parts.log.error({ error: String(error) }, "host: missed replies could not be read back");
    });
  }

  /** R30: one channel's failure never stops another; when none opens, the start fails with the first one's reason. */
  async #openChannels(): Promise<void> {
    const channels = [...this.#parts.channels.values()];
    const opened = await Promise.allSettled(channels.map((channel) => channel.open(this.#intake)));
    const failures = opened.flatMap((result, index) =>
      result.status === "rejected" ? [{ account: channels[index]?.account, reason: result.reason as unknown }] : [],
    );
    for (const { account, reason } of failures)
      this.#parts.log.error({ account, error: String(reason) }, "host: a channel could not be opened");
    if (failures.length > 0 && failures.length === channels.length) throw failures[0]?.reason;
  }

  /** An account that the app has taken out of `channels`: its inputs are refused, its channel closes, its copies that wait fail. */
  async drop(channel: Channel): Promise<void> {
    this.#intake.close(channel.account);
    this.#outbox.take({ kind: "look" });
    await this.#closeChannel(channel);
  }

  async close(): Promise<void> {
    this.#undo?.();
    this.#intake.stop();
    await this.#judge.stop();
    await this.#outbox.stop();
    await this.#notices.stop();
    this.#parts.sources.retire();
    await Promise.all([...this.#parts.channels.values()].map((channel) => this.#closeChannel(channel)));
    await this.#background;
  }

  async #closeChannel(channel: Channel): Promise<void> {
    try {
      await channel.close();
    } catch (error) {
      this.#parts.log.error({ account: channel.account, error: String(error) }, "host: a channel did not close cleanly");
    }
  }

  /** D1: a copy left in `sending` may be out there. It is looked for before anything is sent in its place. */
  async #reconcile(): Promise<void> {
    for (const { copy } of await this.#parts.store.copiesSending()) {
      if (this.#parts.isRemote?.(copy.account) === true) continue;
      await this.#outbox.apply(copy.id, () => ({ kind: "fate_unknown", message: "The bridge stopped while it was being sent." }));
    }
  }

  /** One call per conversation, newest prompts first (R33); what comes back goes the way of every input. */
  async #readBack(): Promise<void> {
    const shown = await this.#parts.store.copiesShown(READ_BACK_MAX);
    const places = new Map<string, CopyOf[]>();
    for (const found of shown) {
      const { account, conversation, thread } = found.copy;
      const place = `${account}|${conversation}|${thread ?? ""}`;
      places.set(place, [...(places.get(place) ?? []), found]);
    }
    for (const copies of places.values()) {
      const channel = this.#parts.channels.get(copies[0]?.copy.account ?? "");
      if (channel?.supports.readBack === true) await this.#readPlace(channel, copies);
    }
  }

  /** A prompt that was found after its send was lost: replies to it could not be read back at the start. */
  async #readBackOf(id: CopyId): Promise<void> {
    const found = await this.#parts.store.copy(id).catch(() => undefined);
    const channel = this.#parts.channels.get(found?.copy.account ?? "");
    if (found?.question.status === "open" && channel?.supports.readBack === true) await this.#readPlace(channel, [found]);
  }

  async #readPlace(channel: Channel, copies: readonly CopyOf[]): Promise<void> {
    const [first] = copies;
    if (first === undefined || first.copy.conversation === null) return;
    const { conversation, thread, direct } = first.copy;
    const messageIds = copies.flatMap(({ copy }) => (copy.messageId === null ? [] : [copy.messageId]));
    try {
      const inputs = await channel.readBack({ conversation, direct, messageIds, ...(thread === null ? {} : { thread }) });
      for (const input of inputs) await this.#intake.take(input);
    } catch (error) {
      this.#parts.log.warn({ account: channel.account, error: String(error) }, "host: replies of one conversation could not be read back");
    }
  }
}
