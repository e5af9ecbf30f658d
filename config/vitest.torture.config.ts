import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Long runs that kill, restart and race the real thing: apart from `npm test`, one file at a time so that timings stay meaningful. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/torture/**/*.torture.ts"],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
