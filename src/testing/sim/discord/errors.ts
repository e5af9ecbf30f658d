/**
 * How the Discord simulator says no: the platform's JSON errors. Source: discord-api-docs, "Opcodes and Status Codes", JSON error
 * codes, and "Reference", error messages (the nested form of 50035); checked 2026-12-01 against platforms.md, section 4.2.
 */
import type { ZodError } from "zod";

/** A refusal: HTTP status and JSON body. */
export class DiscordRefusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(code: number, extra: Readonly<Record<string, unknown>> = {}) {
    const known = KNOWN.get(code);
    const message = typeof extra["message"] === "string" ? extra["message"] : (known?.message ?? "Refused");
    super(message);
    this.code = code;
    this.status = typeof extra["status"] === "number" ? extra["status"] : (known?.status ?? (code >= 400 && code < 500 ? code : 400));
    const { status: _status, ...rest } = extra;
    this.body = { ...rest, message, code };
  }
}

const KNOWN: ReadonlyMap<number, { readonly status: number; readonly message: string }> = new Map([
  [0, { status: 401, message: "401: Unauthorized" }],
  [10003, { status: 404, message: "Unknown Channel" }],
  [10004, { status: 404, message: "Unknown Guild" }],
  [10008, { status: 404, message: "Unknown Message" }],
  [10013, { status: 404, message: "Unknown User" }],
  [10015, { status: 404, message: "Unknown Webhook" }],
  [10062, { status: 404, message: "Unknown interaction" }],
  [30046, { status: 429, message: "Maximum number of edits to messages older than 1 hour reached. Try again later" }],
  [40060, { status: 400, message: "Interaction has already been acknowledged." }],
  [40094, { status: 400, message: "Maximum number of follow-ups reached" }],
  [50001, { status: 403, message: "Missing Access" }],
  [50005, { status: 403, message: "Cannot edit a message authored by another user" }],
  [50006, { status: 400, message: "Cannot send an empty message" }],
  [50007, { status: 403, message: "Cannot send messages to this user" }],
  [50013, { status: 403, message: "Missing Permissions" }],
  [50027, { status: 401, message: "Invalid Webhook Token" }],
  [50033, { status: 400, message: "Invalid Recipient(s)" }],
  [50035, { status: 400, message: "Invalid Form Body" }],
  [50083, { status: 400, message: "Thread is archived" }],
  [50278, { status: 403, message: "Cannot send messages to this user due to having no mutual guilds" }],
  [160005, { status: 400, message: "Thread is locked" }],
  [200000, { status: 400, message: "Message was blocked by automatic moderation" }],
]);

type Leaf = { _errors: { code: string; message: string }[] };
type Tree = { [key: string]: Tree | Leaf };

/** The 50035 of a body that broke zod's rules: each fault under its own path, as the platform nests them. */
export function invalidForm(error: ZodError): DiscordRefusal {
  const errors: Tree = {};
  for (const issue of error.issues) {
    const named = issue.code === "custom" ? issue.params?.["discord"] : undefined;
    const code = typeof named === "string" ? named : issue.code === "too_big" ? "BASE_TYPE_MAX_LENGTH" : "BASE_TYPE_CHOICES";
    place(errors, issue.path.map(String), { code, message: issue.message });
  }
  return new DiscordRefusal(50035, { errors });
}

function place(tree: Tree, path: readonly string[], fault: { code: string; message: string }): void {
  const [key = "_root", ...rest] = path;
  if (rest.length === 0) {
    tree[key] = { _errors: [fault] };
    return;
  }
  const found = tree[key];
  const next: Tree = found === undefined || isLeaf(found) ? {} : found;
  tree[key] = next;
  place(next, rest, fault);
}

function isLeaf(node: Tree | Leaf): node is Leaf {
  return Array.isArray(node["_errors"]);
}
