/** What the tests of the cases share: a bridge on paper over a real SQLite file, its faults, and submissions as a host sends them. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import type { CommitGate } from "../../adapters/stores/sqlite/engine.js";
import { openInlineSqliteStore } from "../../adapters/stores/sqlite/inline.js";
import type { BridgeOptions } from "../../src/app/bridge.js";
import { parseQuestionId, parseResolutionId } from "../../src/core/ids.js";
import type { BridgeEvent } from "../../src/core/record.js";
import { HandraiseError } from "../../src/errors.js";
import type { Submission } from "../../src/ports/gateway.js";
import type { EventRow } from "../../src/ports/store.js";
import { eventually } from "../fixtures/eventually.js";
import { FakeClock } from "../fixtures/fake-clock.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";
import { quickFolder } from "../fixtures/quick-folder.js";

/** The bridge of one case. `now` is the life that is open. */
export type Table = {
  readonly now: PaperBridge;
  /** The next so many COMMITs fail; the store tries each twice. */
  fail(commits: number): void;
  /** COMMITs that have failed so far. */
  readonly failed: number;
  restart(): Promise<PaperBridge>;
};

/** Opens a table; closed after the test, also when it failed. */
export type Open = (options?: BridgeOptions) => Promise<Table>;

/** Vitest's `it` with `open`. */
export const it = test.extend<{ open: Open }>({
  open: async ({ onTestFinished }, use) => {
    await use(async (options = {}) => {
      const folder = await quickFolder("handraise-case-");
      const clock = new FakeClock();
      let failing = 0;
      let failed = 0;
      const gate: CommitGate = (commit) => {
        if (failing > 0) {
          failing -= 1;
          failed += 1;
          throw new Error("the disk is full");
        }
        commit();
      };
      const life = (): BridgeOptions => ({ ...options, store: openInlineSqliteStore({ folder, clock, gate }).store });
      let now = await openPaperBridge({ folder, fakeClock: clock, ...life() });
      onTestFinished(() => now.end());
      return {
        get now() {
          return now;
        },
        get failed() {
          return failed;
        },
        fail: (commits) => {
          failing = commits;
        },
        restart: async () => {
          const { channel } = now;
          await now.close();
          now = await openPaperBridge({ folder, channel, fakeClock: clock, ...life() });
          return now;
        },
      };
    });
  },
});

/** Asked by most cases. */
export const SHIP = { to: "alice", text: "Ship?", options: ["Ship", "Hold"], timeout: "1h" } as const;
/** An approval. */
export const APPROVE = { kind: "approval", to: "alice", text: "Apply?", timeout: "1h" } as const;

/** A submission by Alice (or `userId`) as a host sends it. */
export function submission(
  bridge: PaperBridge,
  question: string,
  over: Partial<Submission> & { readonly userId?: string; readonly as?: string } = {},
): Submission {
  const { userId = "1", as = "r_1", ...rest } = over;
  const [id, resolutionId] = [parseQuestionId(question), parseResolutionId(as)];
  if (id === undefined || resolutionId === undefined) throw new Error("no such id");
  return {
    ...{ question: id, resolutionId, place: `telegram:dm-${userId}`, via: "api", receivedAtMs: bridge.clock.now() },
    actor: { account: "telegram", userId, name: `User ${userId}`, channel: "telegram" },
    ...rest,
  };
}

/** All stored events, oldest first, of one question or of all. */
export async function eventsOf({ store }: PaperBridge, question?: string): Promise<readonly EventRow[]> {
  const { events } = await store.events({ id: 0, limit: 100_000 });
  return question === undefined ? events : events.filter((event) => event.question === question);
}

/** The types of `eventsOf`. */
export async function typesOf(bridge: PaperBridge, question?: string): Promise<readonly BridgeEvent["type"][]> {
  return (await eventsOf(bridge, question)).map(({ type }) => type);
}

/** The code of the error that a call ends with, or "no error". */
export function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "no error",
    (error: unknown) => (error instanceof HandraiseError ? error.code : String(error)),
  );
}

/** Waits until every copy of every open question is shown and its time runs. */
export async function shown({ bridge, store }: PaperBridge): Promise<void> {
  await eventually(async () => {
    const open = await bridge.list();
    const waiting = open.flatMap(({ deliveries }) => deliveries).filter(({ status }) => status !== "shown");
    if (open.length === 0 || waiting.length > 0 || (await store.copiesSending()).length > 0) throw new Error("a prompt is missing");
  });
}

/** Turns of the event loop: what was going to happen without anybody's doing has happened. */
export async function turns(count = 200): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Files of the data folder that hold this text. */
export async function filesWith({ folder }: PaperBridge, text: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name);
  const held = await Promise.all(names.map(async (name) => ((await readFile(join(folder, name))).includes(text) ? [name] : [])));
  return held.flat();
}
