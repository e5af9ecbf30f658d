/** The Bot API's objects as the simulator writes them (core.telegram.org/bots/api, "Available types"), and its refusals. */

/** A user or bot. */
export type User = {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
};
/** A MessageEntity. */
export type Entity = {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly user?: { readonly id: number };
  readonly language?: string;
};
/** An InlineKeyboardButton. */
export type Button = {
  readonly text: string;
  readonly style?: "danger" | "success" | "primary";
  readonly callback_data?: string;
  readonly url?: string;
  readonly disabled?: Readonly<Record<string, never>>;
};
/** An InlineKeyboardMarkup. */
export type Keyboard = { readonly inline_keyboard: readonly (readonly Button[])[]; readonly force_reply?: boolean };
/** A ForceReply. */
export type ReplyBox = { readonly force_reply: true; readonly input_field_placeholder?: string; readonly selective?: boolean };
/** Any JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** An answer with `ok: false`. Thrown by methods, written by the server with the HTTP status of its code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly errorCode: number;
  readonly parameters: Json | undefined;

  constructor(errorCode: number, description: string, parameters?: Json) {
    super(description);
    this.errorCode = errorCode;
    this.parameters = parameters;
  }
}

/** A 400 in the server's own words. */
export function badRequest(text: string, parameters?: Json): Refusal {
  return new Refusal(400, `Bad Request: ${text}`, parameters);
}

/** A 429 with its wait. Source: Bot API, ResponseParameters.retry_after. */
export function tooManyRequests(retryAfterS: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${retryAfterS}`, { retry_after: retryAfterS });
}

/** A 403 in the server's own words. */
export function forbidden(text: string): Refusal {
  return new Refusal(403, `Forbidden: ${text}`);
}
