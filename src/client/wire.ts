/**
 * What goes over the socket, both ways. Version 1.
 *
 *   client  hello ─► call* ─► stop*            one connection carries many calls, each by its own number
 *   server  welcome ─► (item | result | error | ping)*
 *
 * `stop` ends that wait or stream on the server, never a question. `ping` is liveness, apart from data: it needs no answer.
 */
import { ERROR_CODES, type ErrorCode, HandraiseError, type Issue } from "../errors.js";

/** The version both sides speak. */
export const WIRE_VERSION = 1;

/** The methods of the socket: asking, and reading one's own questions. Nothing here answers (R14). */
export const SOCKET_METHODS = [
  "question.request",
  "question.cancel",
  "question.waitAnswer",
  "question.acknowledge",
  "question.get",
  "question.list",
  "question.events",
] as const;
/** One of them. */
export type SocketMethod = (typeof SOCKET_METHODS)[number];

/** An error in words that both sides have. */
export type WireError = {
  readonly code: string;
  readonly detail: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly issues: readonly Issue[];
};

/** What a caller sends. */
export type ClientMessage =
  | { readonly type: "hello"; readonly version: number; readonly token: string; readonly key?: string }
  | { readonly type: "call"; readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly type: "stop"; readonly id: number };

/** `id: null`: about the connection or a frame, not about one call. */
export type ServerMessage =
  | { readonly type: "welcome"; readonly version: number; readonly principal: string }
  | { readonly type: "item"; readonly id: number; readonly value: unknown }
  | { readonly type: "result"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number | null; readonly error: WireError }
  | { readonly type: "ping" };

/** Reads what a client sent; undefined for anything else. */
export function parseClientMessage(value: unknown): ClientMessage | undefined {
  const from = fieldsOf(value);
  const type = from.get("type");
  const id = from.get("id");
  if (type === "hello") {
    const version = from.get("version");
    const token = from.get("token");
    const key = from.get("key");
    if (key !== undefined && typeof key !== "string") return undefined;
    return typeof version === "number" && typeof token === "string"
      ? { type, version, token, ...(key === undefined ? {} : { key }) }
      : undefined;
  }
  if (!isCallId(id)) return undefined;
  if (type === "stop") return { type, id };
  const method = from.get("method");
  return type === "call" && typeof method === "string" ? { type, id, method, params: from.get("params") } : undefined;
}

/** Reads what a server sent; undefined for anything else. */
export function parseServerMessage(value: unknown): ServerMessage | undefined {
  const from = fieldsOf(value);
  const type = from.get("type");
  const id = from.get("id");
  switch (type) {
    case "ping":
      return { type };
    case "welcome": {
      const version = from.get("version");
      const principal = from.get("principal");
      return typeof version === "number" && typeof principal === "string" ? { type, version, principal } : undefined;
    }
    case "error":
      return isCallId(id) || id === null ? { type, id, error: parseError(from.get("error")) } : undefined;
    case "item":
    case "result":
      return isCallId(id) ? { type, id, value: from.get("value") } : undefined;
    default:
      return undefined;
  }
}

/** An error as it goes over the wire. What is not ours is told without its message, which may hold anything. */
export function toWireError(error: unknown): WireError {
  if (error instanceof HandraiseError) {
    const { code, detail, facts, issues } = error;
    return { code, detail, facts, issues };
  }
  return { code: "store_unavailable", detail: "The bridge failed on this call; its log says why.", facts: {}, issues: [] };
}

/** The error on the caller's side. */
export function fromWireError({ code, detail, facts, issues }: WireError): HandraiseError {
  return isErrorCode(code)
    ? new HandraiseError(code, detail, { facts, issues })
    : new HandraiseError("bridge_unreachable", `The bridge said ${code}, which this program does not know: ${detail}`);
}

function parseError(value: unknown): WireError {
  const from = fieldsOf(value);
  const code = from.get("code");
  const detail = from.get("detail");
  const issues = from.get("issues");
  return {
    code: typeof code === "string" ? code : "bridge_unreachable",
    detail: typeof detail === "string" ? detail : "",
    facts: Object.fromEntries(fieldsOf(from.get("facts"))),
    issues: Array.isArray(issues) ? issues.flatMap(parseIssue) : [],
  };
}

function parseIssue(value: unknown): readonly Issue[] {
  const from = fieldsOf(value);
  const [path, code, message] = [from.get("path"), from.get("code"), from.get("message")];
  return typeof path === "string" && typeof code === "string" && typeof message === "string" ? [{ path, code, message }] : [];
}

/** The fields of a JSON object; empty for anything else. */
export function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : []);
}

function isCallId(id: unknown): id is number {
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 0;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
