/**
 * The child as one bundle in a temporary folder: it starts in a third of the time that sources or dist take, and a build that runs
 * meanwhile cannot change it half way. Nothing is replaced: the SDKs and the store's worker are in it as they are.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, "node_modules", ".cache");
/** The bundle is ESM; some of what is in it was written as CommonJS. */
const BANNER = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/** A bundle on disk. `remove` when no child runs any more. */
export type Bundle = { readonly entry: string; remove(): Promise<void> };

/** Builds the child. Native code and optional speed-ups of the SDKs stay outside. */
export async function bundleChild(): Promise<Bundle> {
  const folder = await mkdtemp(join(cache, "handraise-kill-"));
  await build({
    root,
    configFile: false,
    logLevel: "error",
    publicDir: false,
    ssr: { noExternal: true, external: ["better-sqlite3"], target: "node" },
    build: {
      ssr: true,
      target: "node20",
      outDir: folder,
      minify: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { child: join(root, "test/kill/child.ts"), worker: join(root, "adapters/stores/sqlite/worker.ts") },
        external: ["zlib-sync", "bufferutil", "utf-8-validate"],
        checks: { eval: false },
        output: { format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", banner: BANNER },
      },
    },
  });
  return { entry: join(folder, "child.js"), remove: () => rm(folder, { recursive: true, force: true }) };
}
