/**
 * The directory of a bridge that runs: the same questions answered from whichever settings are current (R12, X09).
 *
 * V1  One assignment swaps everything: no call sees people of one config and roles of another. Each swap has a generation number.
 * V2  Whoever must know is told in the same tick, after the swap; also when a visitor's time ends, by one timer for the nearest.
 * V3  A wall clock may jump, and a timer takes 24.8 days at most: the timer is looked after every hour. Judging never waits for it.
 */
import type { Clock } from "../ports/clock.js";
import { createDirectory, type PeopleDirectory } from "./directory.js";
import type { DirectorySettings } from "./people.js";

const LOOK_EVERY_MS = 3_600_000;

/** See the module's header. */
export interface LiveDirectory extends PeopleDirectory {
  /** From 1, one more with each swap. */
  readonly generation: number;
  readonly settings: DirectorySettings;
  /** Takes settings that were already checked, at once. */
  swap(settings: DirectorySettings): void;
  /** `run` is called after each swap and each end of a visitor. It must not throw. Returns the undo. */
  onChange(run: () => void): () => void;
  /** Ends the timer. */
  stop(): void;
}

type Now = { readonly settings: DirectorySettings; readonly directory: PeopleDirectory; readonly generation: number };

/** Starts with checked settings. */
export function createLiveDirectory(settings: DirectorySettings, clock: Clock): LiveDirectory {
  let now: Now = { settings, directory: createDirectory(settings, clock), generation: 1 };
  const listeners = new Set<() => void>();
  let cancel = (): void => undefined;
  const tell = (): void => {
    for (const run of [...listeners]) run();
  };
  const arm = (): void => {
    cancel();
    const atMs = nearestEndMs(now.settings, clock.now());
    cancel = atMs === undefined ? () => undefined : clock.after(Math.min(atMs - clock.now(), LOOK_EVERY_MS), () => look(atMs));
  };
  const look = (atMs: number): void => {
    arm();
    if (clock.now() >= atMs) tell();
  };
  arm();
  return {
    get generation() {
      return now.generation;
    },
    get settings() {
      return now.settings;
    },
    swap: (next) => {
      now = { settings: next, directory: createDirectory(next, clock), generation: now.generation + 1 };
      arm();
      tell();
    },
    onChange: (run) => {
      listeners.add(run);
      return () => listeners.delete(run);
    },
    stop: () => cancel(),
    resolveTarget: (text) => now.directory.resolveTarget(text),
    accountsOf: (person) => now.directory.accountsOf(person),
    peopleOf: (role) => now.directory.peopleOf(role),
    personOf: (account, userId) => now.directory.personOf(account, userId),
    audienceOf: (names) => now.directory.audienceOf(names),
    isCurrent: (person) => now.directory.isCurrent(person),
    languageOf: (person) => now.directory.languageOf(person),
    timezoneOf: (person) => now.directory.timezoneOf(person),
    applyRoutes: (ask) => now.directory.applyRoutes(ask),
    plan: (ask) => now.directory.plan(ask),
    judge: (audience, who) => now.directory.judge(audience, who),
    membersNow: (audience) => now.directory.membersNow(audience),
    displayName: (person) => now.directory.displayName(person),
    channelOf: (account) => now.directory.channelOf(account),
  };
}

function nearestEndMs({ people }: DirectorySettings, nowMs: number): number | undefined {
  const ends = Object.values(people).flatMap(({ untilMs }) => (untilMs === undefined || untilMs <= nowMs ? [] : [untilMs]));
  return ends.length === 0 ? undefined : Math.min(...ends);
}
