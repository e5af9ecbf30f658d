/** Asks questions as fast as it can and prints the id of each that it was told was stored, until it is killed. Argument: the folder. */
import { askChanges, questionRow } from "../../../../../src/testing/contract/store-rows.js";
import { openByWorker } from "../bench.js";

async function ask(store: Awaited<ReturnType<typeof openByWorker>>): Promise<never> {
  for (;;) {
    const row = questionRow();
    const result = await store.commit(askChanges(row));
    if (result.ok) process.stdout.write(`${row.id}\n`);
  }
}

const store = await openByWorker(process.argv[2] ?? "");
await Promise.all(Array.from({ length: 20 }, () => ask(store)));
