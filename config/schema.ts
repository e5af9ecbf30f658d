/** Writes config/handraise.schema.json from the config's zod schema: `npx tsx config/schema.ts`. A test compares the two. */
import { writeFileSync } from "node:fs";
import { configJsonSchema } from "../src/app/config-schema.js";

writeFileSync(new URL("handraise.schema.json", import.meta.url), `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
