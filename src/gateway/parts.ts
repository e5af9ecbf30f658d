/** What the gateway is made of, shared by its files; and what it tells the rest of the process. */
import type { RandomBytes } from "../core/ids.js";
import type { Clock } from "../ports/clock.js";
import type { Directory } from "../ports/directory.js";
import type { Log } from "../ports/log.js";
import type { Prover } from "../ports/prover.js";
import type { Store } from "../ports/store.js";
import type { Caps } from "./caps.js";
import type { AskDefaults } from "./question-builder.js";
import type { Signals } from "./signals.js";

/** Everything the gateway works with, passed in by the app; it opens nothing itself. */
export type GatewayParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly directory: Directory;
  /** As they are now: a config may be read again. */
  readonly defaults: () => AskDefaults;
  readonly caps: Caps;
  readonly log: Log;
  /** Signs answers; absent: they carry no proof (tests, measurements). */
  readonly prover?: Prover | undefined;
  readonly signals: Signals;
};
