/** How the account is doing, from everything it is made of: the worst thing first, in words that name it. */
import type { ChannelHealth } from "../../../src/ports/channel.js";
import type { LinkState } from "./links.js";

/** What health is judged by. */
export type Signs = {
  readonly phase: "closed" | "opening" | "open";
  readonly everOpened: boolean;
  /** Slack's error for the bot token, while it is refused. */
  readonly tokenProblem: string | undefined;
  readonly skew: string | undefined;
  /** Empty in HTTP mode. */
  readonly links: readonly LinkState[];
  /** Events of other workspaces that arrived here. */
  readonly foreign: number;
};

/** State and reason of `ChannelHealth`. */
export function conditionOf({ phase, everOpened, tokenProblem, skew, links, foreign }: Signs): Pick<ChannelHealth, "state" | "reason"> {
  if (phase === "closed") return everOpened ? { state: "down", reason: "closed" } : { state: "starting" };
  if (tokenProblem !== undefined) return { state: "down", reason: `Slack refuses the bot token (${tokenProblem})` };
  if (phase === "opening") return { state: "down", reason: "Slack is out of reach" };
  if (skew !== undefined) return { state: "degraded", reason: skew };
  if (links.includes("quiet")) return { state: "degraded", reason: "no sign of life from Slack; connecting anew" };
  const up = links.filter((state) => state === "up").length;
  if (links.length > 0 && up === 0) return { state: "down", reason: "no connection to Slack" };
  if (up < links.length) return { state: "degraded", reason: `${up} of ${links.length} connections are up` };
  if (foreign > 0) return { state: "degraded", reason: "events of another workspace arrive here: each workspace needs an app of its own" };
  return { state: "up" };
}
