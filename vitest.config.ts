import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Most tests wait for sockets and disks: on two cores Vitest's own choice is one worker, which takes twice as long.
    maxWorkers: 2,
  },
});
