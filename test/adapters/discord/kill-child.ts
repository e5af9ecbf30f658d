/** A bridge reduced to its Discord channel, in a process of its own, to be killed: memory in a file, every stored input on stdout. */
import { readFileSync, writeFileSync } from "node:fs";
import { discordChannel } from "../../../adapters/channels/discord/index.js";
import type { Input } from "../../../src/core/input.js";
import { machineClock, RecordingLog } from "../../../src/testing/contract/bench.js";

const [, , token = "", apiUrl = "", file = "", held = ""] = process.argv;

function remembered(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

const channel = await discordChannel.create({
  account: "discord",
  settings: discordChannel.settings.parse({ token, apiUrl, storeEveryMs: 1 }),
  memory: {
    get: async (key) => remembered()[key],
    put: async (key, value) => writeFileSync(file, JSON.stringify({ ...remembered(), [key]: value })),
  },
  clock: machineClock,
  log: new RecordingLog(),
});

await channel.open({
  take: (input: Input) => {
    // The store hangs on this one: it was received and is not stored when the process dies.
    if (input.kind === "text" && input.text === held) {
      process.stdout.write("holding\n");
      return new Promise(() => undefined);
    }
    process.stdout.write(`stored ${input.kind === "text" ? input.text : input.kind}\n`);
    return Promise.resolve({ kind: "taken" });
  },
  moved: async () => undefined,
});
process.stdout.write("open\n");
