/**
 * The numbered migrations, oldest first. Number n brings a folder from schema n - 1 to n (`PRAGMA user_version`). A migration that
 * was released never changes; a new one is appended.
 */
import { START_SQL } from "./0001-start.js";
import { AUTHORITY_SQL } from "./0002-authority.js";

/** SQL of every migration; the last one's number is the schema this program knows. */
export const MIGRATIONS: readonly string[] = [START_SQL, AUTHORITY_SQL];
