/** The library's names for askers in another process ("handraise/client"): no dependencies at run time. */

export { type ErrorCode, HandraiseError, type Issue } from "../errors.js";
export { type ConnectOptions, connect } from "./connect.js";
export type * from "./types.js";
