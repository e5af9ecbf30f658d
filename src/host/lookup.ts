/** The stored facts that a text's claim rests on (core/claim.ts): read by index, before the text is stored and again when it is judged. */
import { type Candidate, type Claim, type ClaimFacts, JUST_ENDED_MS } from "../core/claim.js";
import type { Typed, Unreadable } from "../core/input.js";
import { findCodes } from "../core/reply.js";
import { parseToken } from "../core/token.js";
import type { CopyOf, Store } from "../ports/store.js";
import type { HostParts } from "./parts.js";

/** What a text may answer is not known yet; its row stays unsettled until it is (J4). */
export class NotYet extends Error {}

/** `all`: every copy that the facts name, with its question. */
export type Lookup = {
  readonly facts: Omit<ClaimFacts, "text">;
  readonly replied: CopyOf | undefined;
  readonly all: readonly CopyOf[];
  /**
   * A copy here, for this person, whose send has begun and whose message is not known yet, when the text is bound to a message or
   * thread that no copy has: it may be that copy's, so the text is kept until its fate is known (R22, R24).
   */
  readonly awaited: CopyOf | undefined;
};

/** The stored facts that a text's claim rests on: the message it replies to, the open questions here, what ended just now. */
export async function lookUpText({ store, clock, directory }: HostParts, input: Typed | Unreadable): Promise<Lookup> {
  const { account, conversation, sender } = input;
  const about = input.replyTo ?? input.thread;
  // In this order: a send that is recorded between the two reads is then found by its message, and not missed by both.
  const here = await store.openCopiesIn({ account, conversation });
  const [replied, justEnded] = await Promise.all([
    about === undefined ? undefined : repliedCopy(store, input, about),
    input.direct ? store.endedSince({ account, conversation, sinceMs: clock.now() - JUST_ENDED_MS }) : false,
  ]);
  const candidate = (found: CopyOf): Candidate => ({
    copy: found.copy.id,
    question: found.question.id,
    code: found.question.code,
    thread: found.copy.thread,
    messageIds: found.copy.messageIds,
    order: found.copy.messageOrder,
    open: found.question.status === "open",
    ownThread: found.question.body.ownThread,
    allowed: directory.judge(found.question.body.audience, { account, userId: sender.userId }).allowed,
  });
  const allowed = ({ question }: CopyOf): boolean => directory.judge(question.body.audience, { account, userId: sender.userId }).allowed;
  const awaited = about === undefined || replied !== undefined ? undefined : here.find((found) => isBeingSent(found) && allowed(found));
  return {
    facts: {
      replied: replied === undefined ? undefined : candidate(replied),
      here: here.map(candidate),
      justEnded,
      codes: input.kind === "text" ? findCodes(input.text) : [],
    },
    replied,
    all: replied === undefined ? here : [replied, ...here],
    awaited,
  };
}

/**
 * The copy whose fate must be known before this claim holds: the text is bound to a message that may be that copy's, and nothing
 * stronger than standing in the same chat binds it to anything else.
 */
export function awaitedBy(claim: Claim, { awaited }: Lookup): CopyOf | undefined {
  const weak = claim.kind === "none" || claim.kind === "which" || (claim.kind === "one" && claim.loose);
  return weak ? awaited : undefined;
}

/** The copy that has the message, by its id or by the token that stands on it. */
async function repliedCopy(store: Store, input: Typed | Unreadable, messageId: string): Promise<CopyOf | undefined> {
  const { account, conversation } = input;
  const known = await store.copyByMessage({ account, conversation, messageId });
  if (known !== undefined || input.kind !== "text" || input.answers === undefined) return known;
  const token = parseToken(input.answers.token);
  const named = token?.kind === "copy" ? await store.copy(token.copy) : undefined;
  if (named === undefined || named.copy.account !== account) return undefined;
  return named.copy.conversation === null || named.copy.conversation === conversation ? named : undefined;
}

function isBeingSent({ copy }: CopyOf): boolean {
  return copy.state === "sending" || (copy.state === "unknown" && copy.todo === "find");
}
