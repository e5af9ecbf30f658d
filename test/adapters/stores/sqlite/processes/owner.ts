/** Owns a folder until it is killed. Argument: the folder. */
import { openByWorker } from "../bench.js";

await openByWorker(process.argv[2] ?? "", { command: "handraise start" });
process.stdout.write("open\n");
setInterval(() => undefined, 1_000);
