/** Errors of opening, made fit to travel between threads. */
import { HandraiseError } from "../../../src/errors.js";
import { errorName } from "./connection.js";
import type { WireError } from "./protocol.js";

/** What another thread is told of an error: ours as they are, others by name. */
export function wireError(error: unknown): WireError {
  if (error instanceof HandraiseError && (error.code === "store_busy" || error.code === "config_invalid")) {
    return { code: error.code, message: error.detail, facts: error.facts };
  }
  const message = `The store could not be opened (${errorName(error)}). Look at the data folder and its disk, then start again.`;
  return { code: "store_unavailable", message };
}
