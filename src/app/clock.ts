/** The machine's own clock. Timers never keep the process alive by themselves. */
import type { Clock } from "../ports/clock.js";

/** Wall clock and timers of Node. Source: Node timers take at most 2,147,483,647 ms; longer waits are re-armed by their owner (B156). */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), 2_147_483_647));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
