/**
 * Rate limits of the Web API: calls per minute and method, and per channel for posting.
 *
 * Source: docs.slack.dev "Rate limits" (tier 2: 20, tier 3: 50, tier 4: 100 a minute, per method and workspace;
 * chat.postMessage about 1 a second per channel with short bursts, here 20 in any 20 s), platforms.md section 4.1 "rate".
 */
const PER_MINUTE: Readonly<Record<string, number>> = {
  "apps.connections.open": 100,
  "auth.test": 600,
  "chat.update": 50,
  "chat.postEphemeral": 100,
  "conversations.history": 50,
  "conversations.info": 50,
  "conversations.list": 20,
  "conversations.members": 100,
  "conversations.open": 50,
  "conversations.replies": 50,
  "usergroups.users.list": 20,
  "users.info": 100,
  "views.open": 100,
  "views.update": 100,
};
const POST_BURST = 20;
const POST_WINDOW_MS = 20_000;
const MINUTE_MS = 60_000;

/** Counts calls; one per simulator. */
export class RateLimits {
  readonly #calls = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a call; gives the seconds to wait when it is over the limit (it is then not counted). */
  count(method: string, channel: string | undefined): number | undefined {
    const post = method === "chat.postMessage";
    const limit = post ? POST_BURST : PER_MINUTE[method];
    if (limit === undefined) return undefined;
    const windowMs = post ? POST_WINDOW_MS : MINUTE_MS;
    const key = post ? `${method} ${channel ?? ""}` : method;
    const now = this.#now();
    const recent = (this.#calls.get(key) ?? []).filter((atMs) => atMs > now - windowMs);
    this.#calls.set(key, recent);
    const oldest = recent[0];
    if (recent.length >= limit && oldest !== undefined) return Math.max(1, Math.ceil((oldest + windowMs - now) / 1_000));
    recent.push(now);
    return undefined;
  }
}
