/**
 * Faults on demand: what a test tells a simulator to do to the next calls of one method.
 *
 *   faults.on("chat.postMessage", { kind: "drop_response" })   // done, but the caller never learns
 *   faults.on("sendMessage", { kind: "rate_limit", retryAfterS: 3 }, { times: 2 })
 *
 * F1  Faults of one method are taken in the order they were added, each `times` times, then the method is healthy again.
 * F2  A method name is the platform's own: `chat.update`, `sendMessage`, `POST /channels/:id/messages`.
 */
export type Fault =
  /** The call is carried out, then the connection is reset without a response. */
  | { readonly kind: "drop_response" }
  /** The call is not carried out; the connection is reset without a response. */
  | { readonly kind: "fail_before" }
  /** The call is carried out after this many milliseconds. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Not carried out: 429 in the platform's own form, with this wait in seconds. */
  | { readonly kind: "rate_limit"; readonly retryAfterS: number }
  /** Not carried out: a 5xx of the platform's edge, with no usable body. */
  | { readonly kind: "server_error"; readonly status: 500 | 502 | 503 }
  /** Not carried out: the platform's own refusal, for example Slack "not_in_channel", Discord 50001, Telegram 403 with its text. */
  | {
      readonly kind: "refuse";
      readonly code: string | number;
      readonly message?: string;
      readonly extra?: Readonly<Record<string, unknown>>;
    }
  /** Carried out, but `hook` is awaited first, with the state before it (a test kills or changes things here). */
  | { readonly kind: "hook_before"; readonly hook: () => void | Promise<void> }
  /** Carried out, then `hook` is awaited before the response leaves. */
  | { readonly kind: "hook_after"; readonly hook: () => void | Promise<void> };

type Planned = { readonly fault: Fault; left: number };

/** The faults planned for one simulator. Methods without a plan are healthy; names are not checked, so a misspelt one never fires. */
export class Faults {
  readonly #planned = new Map<string, Planned[]>();

  /** Plans `fault` for the next `times` calls of `method`. Default: once. `times: Infinity` holds until `clear`. */
  on(method: string, fault: Fault, { times = 1 }: { readonly times?: number } = {}): void {
    const planned = this.#planned.get(method) ?? [];
    planned.push({ fault, left: times });
    this.#planned.set(method, planned);
  }

  /** Takes the fault planned for this call of `method`, if any (F1). For simulators. */
  take(method: string): Fault | undefined {
    const planned = this.#planned.get(method);
    const first = planned?.[0];
    if (planned === undefined || first === undefined) return undefined;
    first.left -= 1;
    if (first.left <= 0) planned.shift();
    return first.fault;
  }

  /** Forgets every planned fault, or those of one method. */
  clear(method?: string): void {
    if (method === undefined) this.#planned.clear();
    else this.#planned.delete(method);
  }
}
