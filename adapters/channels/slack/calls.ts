/**
 * What the host asks of Slack: locate, send, find, redraw, notify, read back. Each call is tried once and its fate told (C2, C3).
 *
 * CA1  Calls about one message are made in the order they were asked for (C5).
 * CA2  A drawing that is refused as too long or malformed is followed by a shorter one, which at least takes the controls of an
 *      ended prompt away (B055) and keeps those of an open one (B105).
 * CA3  A send is marked by metadata, and looked for by it: in its thread by conversations.replies, else in the history (B025, B026).
 * CA4  Private words go to the press's response_url and, where that is spent, by chat.postEphemeral; later changes of a prompt never
 *      use a response_url (B112).
 */
import { z } from "zod";
import type { Input } from "../../../src/core/input.js";
import { HandraiseError } from "../../../src/errors.js";
import type {
  Destination,
  FindOrder,
  FindResult,
  Later,
  Located,
  NoticeOrder,
  NoticeResult,
  ReadBackOrder,
  RedrawOrder,
  RedrawResult,
  SendOrder,
  SendResult,
} from "../../../src/ports/channel.js";
import { type Identity, isDirect, messageOf, messageRef, orderOf } from "./inbound.js";
import { MARKER_EVENT } from "./limits.js";
import { type MessageBody, marker, noticeMessage, promptMessage, redrawnMessage, shortMessage } from "./outbound.js";
import type { CallOutcome, Reply } from "./outcome.js";

/** Calls one method of the Web API; never rejects. */
export type Call = (method: string, args: Readonly<Record<string, unknown>>) => Promise<CallOutcome>;

type CallsOptions = {
  readonly account: string;
  readonly call: Call;
  /** Posts JSON to a response_url; false when it was refused or failed. Never rejects. */
  readonly respond: (url: string, body: unknown) => Promise<boolean>;
  readonly identity: () => Identity | undefined;
};

/** Messages asked for in one page, and pages at most. Apps under Slack's 2025 limits get 15 at a time whatever is asked. */
const PAGE = 200;
const PAGES_MAX = 25;
/** How far before the attempt a lost send is looked for: our clock and Slack's may differ. */
const FIND_BACK_MS = 300_000;
const ID = /^[CDG][A-Z0-9]{2,}$/;

const posted = z.object({ ts: z.string() });
const opened = z.object({ channel: z.object({ id: z.string() }) });
const page = z.looseObject({ response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional() });
const channels = page.extend({ channels: z.array(z.looseObject({ id: z.string(), name: z.string().optional() })) });
const messages = page.extend({ messages: z.array(z.looseObject({ ts: z.string() })) });
const marked = z.object({
  metadata: z.object({ event_type: z.literal(MARKER_EVENT), event_payload: z.looseObject({ nonce: z.string() }) }),
});

type MessageRow = z.output<typeof messages>["messages"][number];
type Paged<T> = { readonly status: "done"; readonly rows: readonly T[]; readonly whole: boolean } | Exclude<CallOutcome, { kind: "done" }>;

/** All calls of one account. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #lines = new Map<string, Promise<unknown>>();
  readonly #names = new Map<string, string>();
  /** Places that were asked for, by id: `doctor` checks the bot's membership there. */
  readonly places = new Set<string>();

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  async locate(to: Destination): Promise<Located> {
    if (to.kind === "user") return this.#directChat(to.userId);
    const conversation = to.conversation.startsWith("#") ? await this.#byName(to.conversation) : to.conversation;
    if (typeof conversation !== "string") return conversation;
    if (!ID.test(conversation)) {
      return { status: "refused", code: "not_found", message: `"${conversation}" is no Slack conversation: give its id (C…) or #name` };
    }
    const direct = isDirect(conversation);
    if (!direct) this.places.add(conversation);
    return { status: "found", conversation, direct, ...(to.thread !== undefined && { thread: to.thread }) };
  }

  async #directChat(userId: string): Promise<Located> {
    const outcome = await this.#options.call("conversations.open", { users: userId });
    if (outcome.kind !== "done") return refusedOrLater(outcome);
    const found = opened.safeParse(outcome.reply);
    if (!found.success) return later("conversations.open gave no channel");
    return { status: "found", conversation: found.data.channel.id, direct: true };
  }

  async #byName(name: string): Promise<string | Located> {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const args = { types: "public_channel,private_channel", exclude_archived: false };
    const found = await this.#pages("conversations.list", args, (reply) => channels.safeParse(reply).data?.channels);
    if (!("status" in found)) return refusedOrLater(found);
    for (const channel of found.rows) if (channel.name !== undefined) this.#names.set(`#${channel.name}`, channel.id);
    const id = this.#names.get(name);
    return id ?? { status: "refused", code: "not_found", message: `no channel ${name} that the bot can see; invite it, or check the name` };
  }

  /** All pages of a listing, at most `PAGES_MAX`. */
  async #pages<T>(
    method: string,
    args: Readonly<Record<string, unknown>>,
    rows: (reply: Reply) => readonly T[] | undefined,
  ): Promise<Paged<T>> {
    const all: T[] = [];
    let cursor = "";
    for (let count = 0; count < PAGES_MAX; count += 1) {
      const outcome = await this.#options.call(method, { ...args, limit: PAGE, ...(cursor === "" ? {} : { cursor }) });
      if (outcome.kind !== "done") return outcome;
      all.push(...(rows(outcome.reply) ?? []));
      cursor = page.safeParse(outcome.reply).data?.response_metadata?.next_cursor ?? "";
      if (cursor === "") return { status: "done", rows: all, whole: true };
    }
    return { status: "done", rows: all, whole: false };
  }

  async send(order: SendOrder): Promise<SendResult> {
    const { view, part, nonce, conversation, thread, direct } = order;
    const outcome = await this.#options.call("chat.postMessage", {
      channel: conversation,
      ...promptMessage(view, { part, direct }),
      metadata: marker(view, nonce),
      unfurl_links: false,
      unfurl_media: false,
      ...(thread !== undefined && { thread_ts: thread }),
    });
    switch (outcome.kind) {
      case "done": {
        const sent = posted.safeParse(outcome.reply);
        if (!sent.success) return { status: "unknown", message: "chat.postMessage gave no ts" };
        return { status: "shown", message: { id: sent.data.ts, order: orderOf(sent.data.ts) } };
      }
      case "refused":
        return { status: "refused", code: outcome.code, message: outcome.message };
      case "gone":
        return { status: "refused", code: "not_found", message: outcome.message };
      case "later":
        return laterOf(outcome, "conversation");
      case "unknown":
        return { status: "unknown", message: outcome.message };
    }
  }

  async find({ nonce, conversation, thread, attemptedAtMs }: FindOrder): Promise<FindResult> {
    const oldest = (Math.max(0, attemptedAtMs - FIND_BACK_MS) / 1_000).toFixed(6);
    const where = { channel: conversation, oldest, inclusive: true, include_all_metadata: true };
    const found = await this.#messages(thread === undefined ? { ...where } : { ...where, ts: thread });
    if (!("status" in found)) {
      if (found.kind === "refused" || found.kind === "gone") return { status: "cannot" };
      return found.kind === "later" ? laterOf(found, "account") : later(found.message);
    }
    const hit = found.rows.find((row) => marked.safeParse(row).data?.metadata.event_payload.nonce === nonce);
    if (hit !== undefined) return { status: "found", message: messageRef(hit.ts) };
    return { status: found.whole ? "absent" : "cannot" };
  }

  #messages(args: Readonly<Record<string, unknown>>): Promise<Paged<MessageRow>> {
    const method = "ts" in args ? "conversations.replies" : "conversations.history";
    return this.#pages(method, args, (reply) => messages.safeParse(reply).data?.messages);
  }

  redraw(order: RedrawOrder): Promise<RedrawResult> {
    return this.#inLine(`${order.conversation}/${order.messageId}`, async () => {
      const full = await this.#update(order, redrawnMessage(order.view, order));
      if (full.kind === "refused" && (full.code === "too_long" || full.code === "rejected")) {
        return redrawResult(await this.#update(order, shortMessage(order.view, order)));
      }
      return redrawResult(full);
    });
  }

  #update({ conversation, messageId }: RedrawOrder, body: MessageBody): Promise<CallOutcome> {
    return this.#options.call("chat.update", { channel: conversation, ts: messageId, ...body });
  }

  /** CA1: after everything that was asked for this key before. */
  #inLine<T>(key: string, run: () => Promise<T>): Promise<T> {
    const before = this.#lines.get(key) ?? Promise.resolve();
    const mine = before.then(run, run);
    const line = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#lines.set(key, line);
    void line.then(() => {
      if (this.#lines.get(key) === line) this.#lines.delete(key);
    });
    return mine;
  }

  async notify({ text, handle, conversation, thread, userId, buttons }: NoticeOrder): Promise<NoticeResult> {
    const body = noticeMessage(text, buttons);
    const place = thread === undefined ? {} : { thread_ts: thread };
    if (handle !== undefined) {
      const private_ = { response_type: "ephemeral", replace_original: false, ...body, ...place };
      if (await this.#options.respond(handle, private_)) return { status: "done" };
    }
    const outcome = await this.#options.call("chat.postEphemeral", { channel: conversation, user: userId, ...body, ...place });
    switch (outcome.kind) {
      case "done":
        return { status: "done" };
      case "refused":
      case "gone":
        return { status: "gone" };
      case "later":
        return laterOf(outcome, "account");
      case "unknown":
        return { status: "unknown", message: outcome.message };
    }
  }

  /** Rejects with `bridge_unreachable` when Slack could not be asked, so that the caller may come back. */
  async readBack({ conversation, thread, direct, messageIds }: ReadBackOrder): Promise<readonly Input[]> {
    const first = [...messageIds].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))[0];
    const identity = this.#options.identity();
    if (first === undefined || identity === undefined) return [];
    const since = { channel: conversation, oldest: first, inclusive: false };
    const places = [
      ...(thread === undefined ? messageIds : [thread]).map((ts) => ({ ...since, ts })),
      ...(direct && thread === undefined ? [since] : []),
    ];
    const found = new Map<string, Input>();
    for (const place of places) {
      const answer = await this.#messages(place);
      if (!("status" in answer)) {
        // A refusal (no such thread, not a member) means that there is nothing to read.
        if (answer.kind === "refused" || answer.kind === "gone") continue;
        const facts = answer.kind === "later" ? { retryAfterMs: answer.afterMs } : {};
        throw new HandraiseError("bridge_unreachable", `${this.#options.account}: missed replies could not be read: ${answer.message}`, {
          facts,
        });
      }
      for (const row of answer.rows) {
        const input = orderOf(row.ts) > orderOf(first) ? messageOf(row, conversation, identity) : null;
        if (input !== null) found.set(input.message.order, input);
      }
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, input]) => input);
  }
}

function redrawResult(outcome: CallOutcome): RedrawResult {
  switch (outcome.kind) {
    case "done":
      return { status: "done" };
    case "later":
      return laterOf(outcome, "account");
    case "unknown":
      return { status: "unknown", message: outcome.message };
    case "gone":
      return { status: "gone", message: outcome.message };
    case "refused":
      // A refused token may come back; everything else means that this message can no longer be drawn on.
      if (outcome.code === "unauthenticated") return later(outcome.message, "unauthenticated");
      return { status: "gone", message: outcome.message };
  }
}

const RETRY_MS = 5_000;
const TOKEN_RETRY_MS = 60_000;

function later(message: string, code: "unreachable" | "unauthenticated" = "unreachable"): Later {
  return { status: "later", afterMs: code === "unreachable" ? RETRY_MS : TOKEN_RETRY_MS, scope: "account", code, message };
}

function laterOf({ code, afterMs, message }: Extract<CallOutcome, { kind: "later" }>, scope: "conversation" | "account"): Later {
  // Slack limits posting per channel and all else per method and workspace; out of reach is out of reach for all.
  return { status: "later", afterMs, scope: code === "unreachable" ? "account" : scope, code, message };
}

function refusedOrLater(outcome: Exclude<CallOutcome, { kind: "done" }>): Located {
  switch (outcome.kind) {
    case "refused":
      return { status: "refused", code: outcome.code, message: outcome.message };
    case "gone":
      return { status: "refused", code: "not_found", message: outcome.message };
    case "later":
      return laterOf(outcome, "account");
    case "unknown":
      return later(outcome.message);
  }
}
