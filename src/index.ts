/** The library's public names: what an asker in this process needs, and nothing else. */
export { createBridge } from "./app/bridge.js";
export type * from "./client/types.js";
export { type ErrorCode, HandraiseError, type Issue } from "./errors.js";
