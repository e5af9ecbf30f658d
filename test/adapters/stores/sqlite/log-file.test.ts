import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CHECKPOINT_AFTER_MS, CHECKPOINT_RETRY_MS } from "../../../../adapters/stores/sqlite/store.js";
import type { Change } from "../../../../src/ports/store.js";
import { applied } from "../../../../src/testing/contract/store-bench.js";
import { askChanges, inputRow, questionRow, typedInput } from "../../../../src/testing/contract/store-rows.js";
import { ended, HandClock, linesOf, openByWorker, startProcess, temporaryFolder } from "./bench.js";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function newFolder(): string {
  const { folder, remove } = temporaryFolder();
  undo.push(remove);
  return folder;
}

/** The files of the folder that hold this text. */
function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(text));
}

describe("the write-ahead log", () => {
  it("B184 stays under 64 MiB over 100,000 small writes with a polling reader process", { timeout: 120_000 }, async () => {
    const folder = newFolder();
    const store = await openByWorker(folder);
    undo.push(() => store.close());
    const reader = startProcess("reader", [folder]);
    undo.push(() => reader.kill("SIGKILL"));
    for await (const line of linesOf(reader)) if (line === "reading") break;
    let largest = 0;
    for (let done = 0; done < 100_000; done += 2_000) {
      const writes = Array.from({ length: 2_000 }, (_, at): Change[] => [
        { do: "put_memory", account: "a", key: `${(done + at) % 5_000}`, value: `${"v".repeat(200)}${done}` },
      ]);
      await Promise.all(writes.map((changes) => applied(store, changes)));
      largest = Math.max(largest, statSync(join(folder, "handraise.db-wal")).size);
    }
    expect(largest).toBeLessThan(64 * 1024 * 1024);
    expect((await store.counts()).walBytes).toBe(statSync(join(folder, "handraise.db-wal")).size);
    reader.kill("SIGTERM");
    expect(await ended(reader)).toBe(0);
  });

  it("X07 a refused value is nowhere within a minute of being settled, and the question stays open", async () => {
    const folder = newFolder();
    const clock = new HandClock();
    const store = await openByWorker(folder, { clock });
    undo.push(() => store.close());
    const marker = "marker-7f3kq9w2m5x8";
    const row = questionRow();
    const input = inputRow("1", row.id, { input: typedInput("1", `to ${marker} please`) });
    await applied(store, [...askChanges(row), { do: "insert_input", row: input }]);
    expect(filesWith(folder, marker)).toEqual(["handraise.db-wal"]);
    await applied(store, [{ do: "settle_input", id: input.id, verdict: "answer_invalid", notice: null, noticeDueAtMs: null }]);
    expect(clock.armed.map(({ delayMs }) => delayMs)).toEqual([CHECKPOINT_AFTER_MS]);
    expect(CHECKPOINT_AFTER_MS + CHECKPOINT_RETRY_MS).toBeLessThan(60_000);
    clock.fire();
    await expect.poll(() => filesWith(folder, marker)).toEqual([]);
    expect(await store.input(input.id)).toMatchObject({ input: null, verdict: "answer_invalid" });
    expect((await store.question(row.id))?.status).toBe("open");
  });

  it("tries the truncation again while a reader stands in the way, and does it at stop", async () => {
    const folder = newFolder();
    const clock = new HandClock();
    const store = await openByWorker(folder, { clock });
    const reader = startProcess("reader", [folder, "hold"]);
    undo.push(() => reader.kill("SIGKILL"));
    const marker = "marker-2c6tq8b0z4n1";
    const row = questionRow();
    const input = inputRow("1", row.id, { input: typedInput("1", marker) });
    await applied(store, [...askChanges(row), { do: "insert_input", row: input }]);
    for await (const line of linesOf(reader)) if (line === "reading") break;
    await applied(store, [{ do: "settle_input", id: input.id, verdict: "late", notice: null, noticeDueAtMs: null }]);
    clock.fire();
    await expect.poll(() => clock.armed.map(({ delayMs }) => delayMs)).toEqual([CHECKPOINT_RETRY_MS]);
    reader.kill("SIGKILL");
    await ended(reader);
    await store.close();
    expect(filesWith(folder, marker)).toEqual([]);
  });
});
