/**
 * What goes out: prompts, drawings, notices. Each call is made once; the second tries below are other calls, after a refusal that says
 * that nothing was done.
 *
 * SE1  A refusal has its own handling (B105): entities refused: once without; keyboard refused: once as text, where typing can answer;
 *      an edit too long: a shorter one; the buttons of an open prompt are never dropped.
 * SE2  Topic 1 is addressed without a thread (B080); a topic that is gone is refused, never replaced by the main chat (B082).
 */
import type { InlineKeyboardMarkup } from "@grammyjs/types";
import { cut } from "../../../src/core/cut.js";
import type {
  Later,
  Moved,
  NoticeOrder,
  NoticeResult,
  RedrawOrder,
  RedrawResult,
  SendOrder,
  SendResult,
  Unknown,
} from "../../../src/ports/channel.js";
import type { Clock } from "../../../src/ports/clock.js";
import type { Log } from "../../../src/ports/log.js";
import type { BotApi } from "./bot-api.js";
import type { CallbackWords } from "./callback-words.js";
import { type Failure, fateOf, refusedResult } from "./fate.js";
import { messageOrder } from "./inbound.js";
import { noticeRows } from "./keyboard.js";
import { Lanes } from "./lanes.js";
import { GENERAL_TOPIC, type RefusalKind } from "./limits.js";
import { drawnMessage, type Message, pageCount, promptMessage, shortMessage } from "./outbound.js";
import { guarded, styled } from "./styled.js";

/** Notices are 200 characters at most (port); this only guards against a longer one. */
const NOTICE_MAX = 1_000;
/** Pause before a drawing that was refused for an unknown reason is tried again, in milliseconds. */
const REFUSED_RETRY_MS = 60_000;

/** What a `Sender` works with; `onRefusedToken` is told when Telegram answers 401 or 404. */
export type SenderParts = {
  readonly api: BotApi;
  readonly clock: Clock;
  readonly log: Log;
  readonly account: string;
  readonly words: CallbackWords;
  readonly onRefusedToken: () => void;
};

type Target = { readonly conversation: string; readonly thread?: string; readonly direct: boolean; readonly replyTo?: string };
type Refusal = { readonly why: RefusalKind; readonly message: string };
type Failed<T> = { readonly refusal: Refusal } | { readonly result: T };

const REPLY_PREFIX = "reply:";

/** The handle of an input whose private answer is a reply to this message. */
export function replyHandle(messageId: string): string {
  return `${REPLY_PREFIX}${messageId}`;
}

/** Everything one account sends. */
export class Sender {
  readonly #parts: SenderParts;
  readonly #lanes = new Lanes();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  settled(): Promise<void> {
    return this.#lanes.settled();
  }

  send(order: SendOrder): Promise<SendResult> {
    const { view, part } = order;
    return this.#lanes.run(order.conversation, async () => {
      const sent = await this.#post(order, promptMessage(view, part, order));
      if (!("refusal" in sent)) return sent.result;
      const answerable = view.typed !== "no" && pageCount(view) === 1;
      if (sent.refusal.why !== "bad_keyboard" || !answerable) return this.#final(sent.refusal);
      this.#parts.log.warn({ account: this.#parts.account, question: view.question }, "telegram: buttons were refused; sent as text");
      const bare = await this.#post(order, promptMessage(view, part, { direct: order.direct, bare: true }));
      return "refusal" in bare ? this.#final(bare.refusal) : bare.result;
    });
  }

  /** Sends one message as it is. */
  post(target: Target, message: Message): Promise<SendResult> {
    return this.#lanes.run(target.conversation, async () => {
      const sent = await this.#post(target, message);
      return "refusal" in sent ? this.#final(sent.refusal) : sent.result;
    });
  }

  #final({ why, message }: Refusal): SendResult {
    return refusedResult(why, message);
  }

  async #post(target: Target, message: Message): Promise<Failed<SendResult>> {
    const { api, clock } = this.#parts;
    const { conversation, thread, replyTo } = target;
    const paused = this.#lanes.paused(conversation, clock.now());
    if (paused !== undefined) return { result: paused };
    const call = {
      conversation,
      text: message.text,
      ...(message.markup === undefined ? {} : { markup: message.markup }),
      ...(thread === undefined || thread === GENERAL_TOPIC ? {} : { thread }), // SE2
      ...(replyTo === undefined ? {} : { replyTo }),
    };
    let sent = await api.sendMessage({ ...call, entities: message.entities });
    if (!sent.ok && this.#fails(sent.failure, target, "bad_entities")) sent = await api.sendMessage({ ...call, entities: [] }); // SE1
    if (!sent.ok) return this.#failed(sent.failure, target);
    return { result: { status: "shown", message: { id: String(sent.value), order: messageOrder(sent.value) } } };
  }

  #fails(failure: Failure, { direct }: { readonly direct: boolean }, why: RefusalKind): boolean {
    const fate = fateOf(failure, direct);
    return fate.kind === "refusal" && fate.why === why;
  }

  /** Tells a failed call's fate, and remembers what it says about the conversation and the token. */
  #failed(failure: Failure, { conversation, direct }: Pick<Target, "conversation" | "direct">): Failed<Later | Unknown | Moved> {
    const fate = fateOf(failure, direct);
    if (fate.kind === "refusal") {
      if (fate.why === "unauthenticated") this.#parts.onRefusedToken();
      return { refusal: { why: fate.why, message: fate.message } };
    }
    if (fate.result.status === "later" && fate.result.scope === "conversation") {
      this.#lanes.pause(conversation, fate.result, this.#parts.clock.now());
    }
    return { result: fate.result };
  }

  redraw(order: RedrawOrder): Promise<RedrawResult> {
    return this.#lanes.run(`${order.conversation}/${order.messageId}`, async () => {
      const message = drawnMessage(order.view, order);
      const keyboard = keyboardOf(message);
      const drawn = await this.#edit(order, message);
      if ("result" in drawn) return drawn.result;
      const { why } = drawn.refusal;
      if (why !== "too_long" && why !== "rejected") return this.#undrawn(drawn.refusal);
      // SE1: what is open keeps its words and its buttons; what has ended at least loses them (B055, B105).
      if (order.view.state.kind === "open") return this.#keyboardOnly(order, keyboard);
      const short = await this.#edit(order, shortMessage(order.view));
      return "result" in short ? short.result : this.#keyboardOnly(order, undefined);
    });
  }

  async #keyboardOnly(order: RedrawOrder, markup: InlineKeyboardMarkup | undefined): Promise<RedrawResult> {
    const { conversation, messageId } = order;
    const changed = await this.#parts.api.editKeyboard({ conversation, messageId, ...(markup === undefined ? {} : { markup }) });
    if (changed.ok) return { status: "done" };
    const failed = this.#failed(changed.failure, order);
    return "result" in failed ? failed.result : this.#undrawn(failed.refusal);
  }

  async #edit(order: RedrawOrder, message: Message): Promise<Failed<RedrawResult>> {
    const { api, clock } = this.#parts;
    const { conversation, messageId } = order;
    const paused = this.#lanes.paused(conversation, clock.now());
    if (paused !== undefined) return { result: paused };
    const markup = keyboardOf(message);
    const call = { conversation, messageId, text: message.text, ...(markup === undefined ? {} : { markup }) };
    let drawn = await api.editMessageText({ ...call, entities: message.entities });
    if (!drawn.ok && this.#fails(drawn.failure, order, "bad_entities")) drawn = await api.editMessageText({ ...call, entities: [] });
    return drawn.ok ? { result: { status: "done" } } : this.#failed(drawn.failure, order);
  }

  /** What a refused drawing means for its copy: nothing left to draw, or another try later. */
  #undrawn({ why, message }: Refusal): RedrawResult {
    switch (why) {
      case "not_modified":
        return { status: "done" }; // B104
      case "no_message":
      case "not_editable":
      case "not_found":
      case "not_member":
      case "blocked":
      case "forbidden":
      case "archived":
        return { status: "gone", message }; // B106
      case "unauthenticated":
        return { status: "later", afterMs: REFUSED_RETRY_MS, scope: "account", code: "unauthenticated", message };
      default:
        return { status: "later", afterMs: REFUSED_RETRY_MS, scope: "conversation", code: "rejected", message };
    }
  }

  async notify(order: NoticeOrder): Promise<NoticeResult> {
    const { handle, text, tone, direct, buttons = [] } = order;
    const replyTo = handle?.startsWith(REPLY_PREFIX) === true ? handle.slice(REPLY_PREFIX.length) : order.aboutMessageId;
    const callback = handle === undefined || handle.startsWith(REPLY_PREFIX) ? undefined : handle;
    if (callback !== undefined && buttons.length === 0) {
      if (await this.#parts.words.say(callback, text, { alert: tone === "alert" })) return { status: "done" };
      // The press was answered before, or is too old (B018): in a private chat a refusal still gets its word, as a reply to the prompt.
      if (!direct || tone === "calm") return { status: "gone" };
    }
    const rows = noticeRows(buttons);
    const message: Message = {
      ...guarded(styled(cut(text, { max: NOTICE_MAX, unit: "utf16" }))),
      ...(rows.length === 0 ? {} : { markup: { inline_keyboard: rows } }),
    };
    return this.#noticed({ ...order, ...(replyTo === undefined ? {} : { replyTo }) }, message);
  }

  async #noticed(target: Target, message: Message): Promise<NoticeResult> {
    const sent = await this.post(target, message);
    switch (sent.status) {
      case "shown":
        return { status: "done" };
      case "refused":
        return { status: "gone" };
      case "moved": {
        // Message ids of the old chat mean nothing in the new one.
        const again = await this.post({ conversation: sent.conversation, direct: target.direct }, message);
        return again.status === "shown" ? { status: "done" } : { status: "gone" };
      }
      case "later":
      case "unknown":
        return sent;
    }
  }
}

function keyboardOf({ markup }: Message): InlineKeyboardMarkup | undefined {
  return markup !== undefined && "inline_keyboard" in markup ? markup : undefined;
}
