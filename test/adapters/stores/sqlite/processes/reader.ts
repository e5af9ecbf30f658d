/** Reads the database again and again, or holds one read open. Arguments: the folder; "hold". Ends with 0 on SIGTERM. */
import { join } from "node:path";
import Database from "better-sqlite3";

const [, , folder = "", mode = "poll"] = process.argv;
const db = new Database(join(folder, "handraise.db"), { readonly: true });
const read = db.prepare("select count(*), max(length(value)) from memory");
process.once("SIGTERM", () => process.exit(0));
if (mode === "hold") db.exec("begin");
read.get();
process.stdout.write("reading\n");
setInterval(() => read.get(), 1);
