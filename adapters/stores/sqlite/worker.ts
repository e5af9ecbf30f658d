/**
 * The worker thread: opens the engine, says so, then pumps messages. A thread of its own, so that a slow disk never holds the event
 * loop that answers people and platforms (B189); the figures stand in index.ts.
 */
import { renameSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { Engine } from "./engine.js";
import { DATABASE_FILE } from "./folder.js";
import { faultyGate } from "./gate.js";
import type { EngineSettings, FromEngine, Greeting, ToEngine } from "./protocol.js";
import { Pump } from "./pump.js";
import { wireError } from "./wire.js";

function start(settings: EngineSettings): void {
  const port = parentPort;
  if (port === null) throw new Error("the store's worker was started without a parent");
  const say = (message: Greeting | FromEngine): void => port.postMessage(message);
  let engine: Engine;
  try {
    engine = new Engine(settings, gateOf(settings));
  } catch (error) {
    say({ kind: "failed", error: wireError(error) });
    return;
  }
  const pump = new Pump(engine, say);
  port.on("message", (message: ToEngine) => pump.push(message));
  say({ kind: "open", tightened: engine.tightened, schema: engine.schema, instance: engine.instance });
}

function gateOf({ faults, folder }: EngineSettings): ReturnType<typeof faultyGate> | undefined {
  if (faults.commitDelayMs === undefined && faults.commits === undefined) return undefined;
  const path = join(folder, DATABASE_FILE);
  return faultyGate(faults, {
    crash: () => process.exit(1),
    onFailed: () => {
      if (faults.unreadable === true) renameSync(path, `${path}.gone`);
    },
  });
}

start(workerData);
