/** The three simulators as the kill test needs them: what each calls confirmed, without the limits that only pace a hurried test. */
import { DiscordSimulator } from "../../src/testing/sim/discord/simulator.js";
import type { ChatKind, ChatSimulator } from "../../src/testing/sim/simulator.js";
import { SlackSimulator } from "../../src/testing/sim/slack/simulator.js";
import { TelegramSimulator } from "../../src/testing/sim/telegram/simulator.js";
import type { Act } from "./answerer.js";

/** Slack's repeats of an event, closer together than the real 0, 1 and 5 minutes. */
const RETRY_DELAYS_MS = [0, 1_000, 5_000];

/** A simulator with what the kill test asks of it. */
export type AnySimulator = ChatSimulator & {
  /** Throws until a poll is held open (Telegram). */
  assertPolled(): void;
  /** Throws until the platform took the person's input as delivered. */
  assertConfirmed(acts: readonly Act[]): void;
};

function assertAnswered(acts: readonly Act[]): void {
  if (acts[0]?.result?.acknowledged !== true) throw new Error("the press was not acknowledged");
}

/** Starts one. */
export async function startSimulator(chat: ChatKind): Promise<AnySimulator> {
  switch (chat) {
    case "slack": {
      const simulator = await SlackSimulator.start({ rateLimits: false, retryDelaysMs: RETRY_DELAYS_MS });
      return Object.assign(simulator, { assertPolled: () => undefined, assertConfirmed: assertAnswered });
    }
    case "discord": {
      const simulator = await DiscordSimulator.start({ ackMs: 1_000 });
      return Object.assign(simulator, { assertPolled: () => undefined, assertConfirmed: assertAnswered });
    }
    case "telegram": {
      const simulator = await TelegramSimulator.start();
      return Object.assign(simulator, {
        assertPolled: () => {
          if (!simulator.polled) throw new Error("no poll is held");
        },
        assertConfirmed: (acts: readonly Act[]) => {
          if (acts.length === 0 || simulator.pendingUpdates.length > 0) throw new Error("the offset has not moved");
        },
      });
    }
  }
}
