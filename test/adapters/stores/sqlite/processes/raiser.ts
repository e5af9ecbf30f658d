/** Raises a copy's attempts 200 times by read-then-write. Arguments: the folder, the copy. Prints how many times it was told to read again. */
import { parseCopyId } from "../../../../../src/core/ids.js";
import { openByWorker } from "../bench.js";
import { raise } from "../raise.js";

const [, , folder = "", copy = ""] = process.argv;
const id = parseCopyId(copy);
if (id === undefined) throw new Error("no copy");
const store = await openByWorker(folder, { shared: true });
process.stdout.write("ready\n");
process.stdout.write(`again ${await raise(store, id)}\n`);
await store.close();
