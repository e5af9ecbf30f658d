/**
 * Sending, finding again, drawing over, reading back and telling: one function per clause of the channel port.
 *
 * S1  Every send has the caller's nonce and `enforce_nonce`: a second send with it within minutes gives the first message back.
 *     (discord.js's client-wide switch is ignored when a nonce is given: platforms.md, 2.4.)
 * S2  A lost send is looked for by its nonce or its controls' tokens, and a part without controls by its very text (B026).
 * S3  Drawings go through the channel route with the bot's token, never an interaction's (B020).
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Input } from "../../../src/core/input.js";
import type {
  FindOrder,
  FindResult,
  NoticeOrder,
  NoticeResult,
  ReadBackOrder,
  RedrawOrder,
  RedrawResult,
  SendOrder,
  SendResult,
} from "../../../src/ports/channel.js";
import { type Api, type ApiResult, drawFault, isDeadHandle, isGone, lookFault, sendFault } from "./api.js";
import { isOver, parseHandle, snowflakeAt } from "./handle.js";
import { messageRef, type Reader, typedInput, type Where } from "./inbound.js";
import { FLAG_EPHEMERAL, FLAG_HAS_THREAD } from "./limits.js";
import { controlTokens, noticeMessage, promptMessages, type Shown, shortMessage } from "./outbound.js";
import { channelPayload, type MessagePayload, messagePayload } from "./payloads.js";

/** Clocks of the platform and ours may differ by this much when a send is looked for. */
const CLOCK_SLACK_MS = 5 * 60_000;
/** Messages of one request, and requests of one reading back. */
const PAGE = 100;
const PAGES_MAX = 5;
/** Longest nonce. Source: Message Resource, "Create Message". */
const NONCE_MAX = 25;

const target = ({ conversation, thread }: Where): string => thread ?? conversation;

function partOf({ view, part, direct }: SendOrder): Shown | undefined {
  return promptMessages(view, { direct })[part];
}

/** Sends one message of a prompt, once (S1). */
export async function sendPart(api: Api, order: SendOrder): Promise<SendResult> {
  const shown = partOf(order);
  if (shown === undefined) return { status: "refused", code: "rejected", message: `the prompt has no part ${order.part}` };
  const sent = await api.createMessage(target(order), { ...shown, nonce: order.nonce, enforce_nonce: true }); // S1
  if (!sent.ok) return sendFault(sent.fault);
  const made = messagePayload.safeParse(sent.data);
  // A 2xx whose body says nothing: it is out there, and will be found.
  return made.success
    ? { status: "shown", message: messageRef(made.data.id) }
    : { status: "unknown", message: "Discord's answer to the send could not be read" };
}

/** Looks for a send whose fate is unknown (S2). */
export async function findPart(api: Api, order: FindOrder, botId: string): Promise<FindResult> {
  const shown = partOf(order);
  const tokens = shown?.components.length === 0 ? new Set<string>() : controlTokens(order.view);
  let after = snowflakeAt(order.attemptedAtMs - CLOCK_SLACK_MS);
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const listed = await api.messages(target(order), { after, limit: PAGE });
    if (!listed.ok) {
      const fault = lookFault(listed.fault);
      // A place that is gone or closed to us shows nothing of ours that could be adopted.
      return fault.status === "later" ? fault : { status: "absent" };
    }
    const messages = messagesIn(listed.data);
    const found = messages.find((message) => message.author.id === botId && isPart(message, { nonce: order.nonce, tokens, shown }));
    if (found !== undefined) return { status: "found", message: messageRef(found.id) };
    const newest = messages.at(-1);
    if (messages.length < PAGE || newest === undefined) return { status: "absent" };
    after = newest.id;
  }
  return { status: "absent" };
}

/** S2. */
function isPart(
  message: MessagePayload,
  { nonce, tokens, shown }: { readonly nonce: string; readonly tokens: ReadonlySet<string>; readonly shown: Shown | undefined },
): boolean {
  if (message.nonce === nonce) return true;
  if (tokens.size > 0) return tokensIn(message.components).some((token) => tokens.has(token));
  return shown !== undefined && message.content.trim() === shown.content.trim();
}

/** Every `custom_id` and menu value in a message's components, whatever their nesting. */
function tokensIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(tokensIn);
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    (key === "custom_id" || key === "value") && typeof value === "string" ? [value] : tokensIn(value),
  );
}

/** Oldest first; what cannot be read is left out. */
function messagesIn(data: unknown): readonly MessagePayload[] {
  const list = z.array(z.unknown()).safeParse(data).data ?? [];
  const messages = list.flatMap((one) => messagePayload.safeParse(one).data ?? []);
  return messages.sort((a, b) => (messageRef(a.id).order < messageRef(b.id).order ? -1 : 1));
}

/** Draws a prompt's last message anew, the shorter way when a closing edit is refused (S3, B055). */
export async function redrawPart(api: Api, order: RedrawOrder): Promise<RedrawResult> {
  const shown = promptMessages(order.view, { direct: order.direct }).at(-1);
  const edit = (body: unknown): Promise<ApiResult> => api.editMessage(target(order), order.messageId, body); // S3
  let drawn = await edit(shown);
  if (!drawn.ok && drawn.fault.kind === "refused" && drawn.fault.code === 50083) {
    // An archived thread takes no edits; waking it needs no right of its own unless it is locked.
    const woken = await api.unarchive(target(order));
    if (woken.ok) drawn = await edit(shown);
  }
  // Refused as it is: the least that matters is that the controls go and the outcome shows (B055).
  if (!drawn.ok && drawFault(drawn.fault).status === "gone" && !isGone(drawn.fault) && order.view.state.kind === "ended") {
    drawn = await edit(shortMessage(order.view));
  }
  return drawn.ok ? { status: "done" } : drawFault(drawn.fault);
}

/**
 * A private word where the platform has one: the answer to a press. When that is over, or there was none, a direct chat gets a
 * message; in a shared place a typed reply gets a reply, and a press whose token is dead goes to the person's direct chat, so that
 * nobody else reads it (B019).
 */
export async function tell(api: Api, order: NoticeOrder, nowMs: number): Promise<NoticeResult> {
  const shown = noticeMessage(order.text, order.buttons);
  const handle = order.handle === undefined ? undefined : parseHandle(order.handle);
  if (handle !== undefined && !isOver(handle, nowMs)) {
    const told = await api.followUp(handle, { ...shown, flags: shown.flags | FLAG_EPHEMERAL });
    if (told.ok) return { status: "done" };
    if (!isDeadHandle(told.fault)) return noticeFault(told);
  }
  const place = order.handle !== undefined && !order.direct ? await directChat(api, order.userId) : target(order);
  if (typeof place !== "string") return place;
  const about = order.aboutMessageId;
  const reference =
    about === undefined || place !== target(order) ? {} : { message_reference: { message_id: about, fail_if_not_exists: false } };
  const mentions = { allowed_mentions: { ...shown.allowed_mentions, replied_user: false } };
  const told = await api.createMessage(place, { ...shown, ...mentions, ...reference, nonce: noticeNonce(order), enforce_nonce: true });
  return told.ok ? { status: "done" } : noticeFault(told);
}

/** The same word about the same message is one message, however often it is tried within minutes. */
function noticeNonce({ aboutMessageId, handle, text, userId }: NoticeOrder): string {
  return createHash("sha256")
    .update(JSON.stringify([aboutMessageId, handle, text, userId]))
    .digest("base64url")
    .slice(0, NONCE_MAX);
}

async function directChat(api: Api, userId: string): Promise<string | NoticeResult> {
  const opened = await api.openDirect(userId);
  if (!opened.ok) return noticeFault(opened);
  return channelPayload.safeParse(opened.data).data?.id ?? { status: "gone" };
}

function noticeFault({ fault }: Extract<ApiResult, { ok: false }>): NoticeResult {
  const result = sendFault(fault);
  return result.status === "refused" ? { status: "gone" } : result;
}

/** Replies since the oldest of the prompts, in the channel and in the threads that were started from the prompts. */
export async function readBackFrom(api: Api, order: ReadBackOrder, reader: Reader): Promise<readonly Input[]> {
  const [first, ...others] = order.messageIds;
  if (first === undefined) return [];
  const oldest = others.reduce((least, id) => (BigInt(id) < BigInt(least) ? id : least), first);
  const { conversation, thread } = order;
  const where = thread === undefined ? { conversation } : { conversation, thread };
  // The prompts themselves are read too: they say whether a thread was started from them.
  const here = await pagesAfter(api, target(order), (BigInt(oldest) - 1n).toString());
  const inputs = here.flatMap((message) => inputFrom(message, { where, direct: order.direct, reader }));
  if (thread === undefined && !order.direct) {
    const prompts = here.filter(({ id, flags }) => order.messageIds.includes(id) && (flags & FLAG_HAS_THREAD) !== 0);
    for (const { id } of prompts) {
      const under = await pagesAfter(api, id, "0");
      inputs.push(...under.flatMap((message) => inputFrom(message, { where: { conversation, thread: id }, direct: false, reader })));
    }
  }
  return inputs.sort((a, b) => (a.id.padStart(20, "0") < b.id.padStart(20, "0") ? -1 : 1));
}

async function pagesAfter(api: Api, channel: string, from: string): Promise<readonly MessagePayload[]> {
  const all: MessagePayload[] = [];
  let after = from;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const listed = await api.messages(channel, { after, limit: PAGE });
    if (!listed.ok) return all;
    const messages = messagesIn(listed.data);
    all.push(...messages);
    const newest = messages.at(-1);
    if (messages.length < PAGE || newest === undefined) return all;
    after = newest.id;
  }
  return all;
}

function inputFrom(
  message: MessagePayload,
  { where, direct, reader }: { readonly where: Where; readonly direct: boolean; readonly reader: Reader },
): readonly Input[] {
  const input = typedInput(message, where, reader, { direct });
  return input === null ? [] : [input];
}
