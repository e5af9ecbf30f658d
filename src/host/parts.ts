/** What the channel host is made of, shared by its files. */
import type { RandomBytes } from "../core/ids.js";
import type { Input, Typed } from "../core/input.js";
import type { Channel } from "../ports/channel.js";
import type { Clock } from "../ports/clock.js";
import type { Directory } from "../ports/directory.js";
import type { WorkSignals } from "../ports/gateway.js";
import type { Log } from "../ports/log.js";
import type { Sources } from "../ports/source.js";
import type { Store } from "../ports/store.js";
import type { HostCalls } from "./calls.js";
import type { Phrases } from "./phrases.js";

/** Everything the host works with, passed in by the app. `channels`: by the account's name in the config. */
export type HostParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly directory: Directory;
  readonly sources: Sources;
  readonly calls: HostCalls;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly signals: WorkSignals;
  readonly phrases: Phrases;
  /** Accounts whose copies a host elsewhere shows: their rows are left alone here. Absent: none. */
  readonly isRemote?: (account: string) => boolean;
  /** Messages that met no question, in order, at most once (R25); absent: dropped unread. */
  readonly onMessage: ((message: Typed) => void) | undefined;
};

/** The id an input is stored under (R21). */
export function inputRowId(input: Input): string {
  return `${input.account}|${input.id}`;
}
