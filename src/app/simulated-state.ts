/**
 * What the simulated chats were when the program stopped: one JSON file in the data folder, so that a restart shows the conversations
 * with the questions that are still open, and the bridge finds its messages again.
 *
 * SS1  Written before the bridge learns that its message was sent (the simulators tell of a change before they reply), so the file is never
 *      behind the store after a kill. A power cut may lose the last change: these are no real chats.
 * SS2  Put in place by a rename: a kill leaves the old file or the new one.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { HandraiseError } from "../errors.js";
import { type SimulationSnapshot, simulationSnapshot } from "../testing/simulate.js";

/** Name of the file in the data folder. */
export const STATE_FILE = "simulated-chats.json";

const STATE = z.object({ version: z.literal(1), chats: simulationSnapshot, told: z.string().exactOptional() });

/** `told`: cursor of the last event that the terminal showed. */
export type SimulatedState = { readonly chats: SimulationSnapshot; readonly told?: string };

/**
 * Reads the file; undefined when there is none.
 * @throws `config_invalid` when it cannot be read as what it should be; the message says what to remove.
 */
export function readState(folder: string): SimulatedState | undefined {
  const file = join(folder, STATE_FILE);
  const text = readText(file);
  if (text === undefined) return undefined;
  const parsed = STATE.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const remedy = "Remove the data folder to start with empty chats, or name another one with --data.";
  throw new HandraiseError("config_invalid", `${file}: not the simulated chats of this version. ${remedy}`, { facts: { file } });
}

/** Writes the file, private to this user (SS2). Synchronous: see SS1. */
export function writeState(folder: string, state: SimulatedState): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, STATE_FILE);
  writeFileSync(`${file}.new`, JSON.stringify({ version: 1, ...state }), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
