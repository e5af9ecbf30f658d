import { renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CommitGate } from "../../../../adapters/stores/sqlite/engine.js";
import { openInlineSqliteStore } from "../../../../adapters/stores/sqlite/inline.js";
import type { CommitFault } from "../../../../adapters/stores/sqlite/protocol.js";
import type { HandraiseError } from "../../../../src/errors.js";
import type { Change, Store } from "../../../../src/ports/store.js";
import { applied } from "../../../../src/testing/contract/store-bench.js";
import {
  answerChanges,
  asideRow,
  askChanges,
  copyRow,
  inputRow,
  questionRow,
  START_MS,
} from "../../../../src/testing/contract/store-rows.js";
import { openByWorker, REAL_CLOCK, temporaryFolder } from "./bench.js";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function newFolder(): string {
  const { folder, remove } = temporaryFolder();
  undo.push(remove);
  return folder;
}

/** A store whose next commits go wrong as `play` was told. */
function faulty(): { readonly store: Store; readonly play: (...faults: readonly CommitFault[]) => void; readonly folder: string } {
  const folder = newFolder();
  const left: CommitFault[] = [];
  const gate: CommitGate = (commit) => {
    const fault = left.shift() ?? "ok";
    if (fault !== "fail_before") commit();
    if (fault !== "ok") throw new Error(fault);
  };
  const { store } = openInlineSqliteStore({ folder, clock: REAL_CLOCK, gate });
  undo.push(() => store.close());
  return { store, folder, play: (...faults) => void left.push(...faults) };
}

const UNAVAILABLE = { code: "store_unavailable", retry: "later" };

describe("a COMMIT that errors", () => {
  it("X03 was written all the same: acknowledged as stored, and once only", async () => {
    const { store, play } = faulty();
    const row = questionRow();
    const input = inputRow("1", row.id);
    await applied(store, [...askChanges(row, [copyRow(row.id)]), { do: "insert_input", row: input }]);
    play("fail_after");
    const events = await applied(store, answerChanges(row, input));
    expect(events).toEqual([{ id: 2, version: 2 }]);
    // The caller that got no reply submits again under the same id: its receipt is there, the outcome is untouched.
    expect(await store.commit(answerChanges(row, input, { value: "staging" }))).toEqual({ ok: false, at: 0, why: "settled" });
    expect(await store.receipt(input.resolutionId)).toMatchObject({ question: row.id });
    expect(await store.question(row.id)).toMatchObject({ version: 2, settledBy: input.resolutionId, outcome: { value: "prod" } });
    expect((await store.events({ id: 0, limit: 9 })).events).toHaveLength(2);
  });

  it("was not written: the batch runs once more and is acknowledged once", async () => {
    const { store, play } = faulty();
    const rows = Array.from({ length: 5 }, () => questionRow());
    play("fail_before");
    const results = await Promise.all(rows.map((row) => store.commit(askChanges(row))));
    expect(results.map((result) => result.ok)).toEqual([true, true, true, true, true]);
    expect((await store.events({ id: 0, limit: 9 })).events.map(({ id, version }) => [id, version])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
      [5, 1],
    ]);
    expect(await store.openCounts({ principal: "ci" })).toMatchObject({ principal: 5 });
  });

  it("failed, then was written on the second try without a reply: acknowledged as stored", async () => {
    const { store, play } = faulty();
    const row = questionRow();
    play("fail_before", "fail_after");
    await applied(store, askChanges(row));
    expect(await store.counts()).toMatchObject({ open: 1, asked: 1 });
  });

  it("H18 fails again and again: rejected, nothing stored, the question still open under its id and answerable", async () => {
    const { store, play } = faulty();
    const row = questionRow();
    const input = inputRow("1", row.id);
    await applied(store, [...askChanges(row), { do: "insert_input", row: input }]);
    play("fail_before", "fail_before");
    await expect(store.commit(answerChanges(row, input))).rejects.toMatchObject(UNAVAILABLE);
    expect((await store.listOpen({ limit: 9 })).map(({ id }) => id)).toEqual([row.id]);
    expect(await store.input(input.id)).toEqual(input);
    expect(await store.receipt(input.resolutionId)).toBeUndefined();
    await applied(store, answerChanges(row, input));
    expect((await store.question(row.id))?.status).toBe("answered");
  });

  it.each<[string, Change]>([
    ["an aside", { do: "insert_aside", row: asideRow("a") }],
    ["memory, which bears no id of ours", { do: "put_memory", account: "slack", key: "k", value: "v" }],
    ["an identity", { do: "insert_input", row: inputRow("i", null) }],
  ])("tells a batch of only %s apart from one that was not written", async (_name, change) => {
    const { store, play } = faulty();
    play("fail_after");
    await applied(store, [change]);
    play("fail_before");
    await applied(store, [{ do: "put_memory", account: "slack", key: "other", value: "w" }]);
    expect(await store.memory({ account: "slack", key: "other" })).toBe("w");
  });

  it("gives each list of its batch its own result", async () => {
    const { store, play } = faulty();
    const [taken, fresh] = [questionRow({ key: "k" }), questionRow()];
    await applied(store, askChanges(taken));
    for (const fault of ["fail_after", "fail_before"] as const) {
      play(fault);
      const results = await Promise.allSettled([
        store.commit(askChanges(questionRow({ key: "k" }))),
        store.commit([{ do: "insert_copy", row: copyRow(fresh.id) }]),
        store.commit(askChanges(questionRow())),
      ]);
      expect(results).toMatchObject([
        { status: "fulfilled", value: { ok: false, at: 0, why: "exists" } },
        { status: "rejected", reason: UNAVAILABLE },
        { status: "fulfilled", value: { ok: true } },
      ]);
    }
  });

  it("H!9 cannot be read back: rejected as not known, and the store says so from then on", async () => {
    const folder = newFolder();
    const path = join(folder, "handraise.db");
    const gate: CommitGate = (commit) => {
      commit();
      renameSync(path, `${path}.gone`);
      throw new Error("the disk is gone");
    };
    const { store, engine } = openInlineSqliteStore({ folder, clock: REAL_CLOCK, gate });
    await expect(store.commit(askChanges(questionRow()))).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: expect.stringContaining("not known"),
    });
    expect(engine.broken).toBe(true);
    await expect(store.commit(askChanges(questionRow()))).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.question(questionRow().id)).rejects.toMatchObject(UNAVAILABLE);
  });
});

describe("the worker thread", () => {
  it("makes the instance unhealthy once when the file cannot be read back", async () => {
    const unhealthy: HandraiseError[] = [];
    const faults = { commits: ["fail_after"], unreadable: true } as const;
    const store = await openByWorker(newFolder(), { faults, onUnhealthy: (error) => unhealthy.push(error) });
    await expect(store.commit(askChanges(questionRow()))).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.question(questionRow().id)).rejects.toMatchObject(UNAVAILABLE);
    expect(unhealthy.map(({ code }) => code)).toEqual(["store_unavailable"]);
    await store.close().catch(() => undefined);
  });

  it("ends in the middle of a commit: everything pending is rejected, nothing hangs, what was told is there after", async () => {
    const folder = newFolder();
    const unhealthy: HandraiseError[] = [];
    const told = questionRow();
    const store = await openByWorker(folder, { faults: { commits: ["ok", "crash"] }, onUnhealthy: (error) => unhealthy.push(error) });
    await applied(store, askChanges(told));
    const pending = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => store.commit(askChanges(questionRow()))),
      store.tidy({ nowMs: START_MS, endedBeforeMs: 0, limit: 1 }),
    ]);
    expect(pending.map(({ status }) => status)).toEqual(pending.map(() => "rejected"));
    expect(pending[0]).toMatchObject({ reason: UNAVAILABLE });
    await expect(store.question(told.id)).rejects.toMatchObject(UNAVAILABLE);
    expect(unhealthy).toHaveLength(1);
    await store.close().catch(() => undefined);
    const after = await openByWorker(folder);
    undo.push(() => after.close());
    expect((await after.question(told.id))?.id).toBe(told.id);
    expect(await after.counts()).toMatchObject({ asked: 1 });
  });

  it("commits what was asked before close, and rejects what comes after", async () => {
    const folder = newFolder();
    const store = await openByWorker(folder);
    const rows = Array.from({ length: 50 }, () => questionRow());
    const commits = Promise.all(rows.map((row) => applied(store, askChanges(row))));
    const closing = store.close();
    await commits;
    await closing;
    await expect(store.question(questionRow().id)).rejects.toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining("closed") });
    await store.close();
    const after = await openByWorker(folder);
    undo.push(() => after.close());
    expect(await after.counts()).toMatchObject({ open: 50 });
  });
});
