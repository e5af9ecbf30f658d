/** A refusal in Slack's own form: `{ ok: false, error: code, … }` with status 200. */
import type { Json } from "./json.js";

/** Thrown by a method; becomes its reply. */
export class SlackRefusal extends Error {
  override readonly name = "SlackRefusal";
  readonly code: string;
  readonly extra: Json;

  constructor(code: string, extra: Json = {}) {
    super(code);
    this.code = code;
    this.extra = extra;
  }
}
