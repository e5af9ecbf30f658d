/**
 * Claim: which one question a typed message belongs to (R24). Pure: the host looks the facts up, this decides.
 *
 * K1  Bound by reply-to or by the thread that the prompt started; by a thread the asker declared its own; by the short code; in a
 *     direct chat by being the only open question there.
 * K2  Text meets only questions addressed to its sender (B139), with a copy older than it by the platform's own order.
 * K3  Two candidates, or another question that ended there in the last 10 s: ask which. In shared places loose text is nothing.
 * K4  Who is not of the audience reads only "not for you", whatever the state (R26). A code is never permission.
 */
import type { Typed } from "./input.js";

/** How long after an end in a direct chat loose text is not taken for the next question (R24), in milliseconds. */
export const JUST_ENDED_MS = 10_000;

/** A copy with its question, as far as a claim needs them. */
export type Candidate = {
  readonly copy: string;
  readonly question: string;
  readonly code: string;
  readonly thread: string | null;
  readonly messageIds: readonly string[];
  /** Order of its message, null while the send's fate is unknown: then any text is later. */
  readonly order: string | null;
  readonly open: boolean;
  readonly ownThread: boolean;
  /** Is the sender of this text in the audience? */
  readonly allowed: boolean;
};

/** All that a claim is decided from, as the host read it from the store just before; nothing else is looked at. */
export type ClaimFacts = {
  readonly text: Pick<Typed, "text" | "direct" | "thread" | "replyTo" | "message">;
  /** The copy whose message it replies to, or whose message started its thread; open or ended. */
  readonly replied: Candidate | undefined;
  /** Copies of open questions in this conversation, oldest first. */
  readonly here: readonly Candidate[];
  /** Did a question with a copy here end in the last `JUST_ENDED_MS`? */
  readonly justEnded: boolean;
  /** Words of the text that may be short codes: its first and last (`findCodes`). */
  readonly codes: readonly string[];
};

/** What a typed message meets. Copies are named by id, one per question; only `one` may settle anything. */
export type Claim =
  /** Meets nothing: not ours. */
  | { readonly kind: "none" }
  /** Meets a question that is not for this person. */
  | { readonly kind: "not_yours"; readonly copy: string }
  /** Meets a question that has ended. */
  | { readonly kind: "ended"; readonly copy: string }
  /** `loose`: bound only by being in a direct chat (section 8, rule 7). */
  | { readonly kind: "one"; readonly copy: string; readonly loose: boolean }
  | { readonly kind: "which"; readonly copies: readonly string[] };

const NONE: Claim = { kind: "none" };

/** Decides what a typed message meets. */
export function claimText(facts: ClaimFacts): Claim {
  const { text, replied } = facts;
  if (replied !== undefined) {
    if (!replied.allowed) return { kind: "not_yours", copy: replied.copy }; // K4
    if (!replied.open) return { kind: "ended", copy: replied.copy };
    return { kind: "one", copy: replied.copy, loose: false };
  }
  return byCode(facts) ?? byThread(facts) ?? (text.direct ? inDirect(facts) : NONE); // K3
}

/** One candidate per question: two copies of one question in a conversation are no ambiguity. */
function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const seen = new Map(candidates.map((candidate) => [candidate.question, candidate]));
  return [...seen.values()];
}

function isOlder(candidate: Candidate, text: ClaimFacts["text"]): boolean {
  return candidate.order === null || candidate.order < text.message.order; // K2
}

function byCode({ text, here, codes }: ClaimFacts): Claim | undefined {
  const bearing = here.filter((candidate) => isOlder(candidate, text) && codes.includes(candidate.code));
  const [first] = bearing;
  if (first === undefined) return undefined;
  const mine = distinct(bearing.filter(({ allowed }) => allowed));
  const [only] = mine;
  if (only === undefined) return { kind: "not_yours", copy: first.copy };
  return oneOrWhich(only, mine, false);
}

function oneOrWhich(only: Candidate, candidates: readonly Candidate[], loose: boolean): Claim {
  if (candidates.length > 1) return { kind: "which", copies: candidates.map(({ copy }) => copy) };
  return { kind: "one", copy: only.copy, loose };
}

function byThread({ text, here }: ClaimFacts): Claim | undefined {
  if (text.thread === undefined) return undefined;
  const declared = distinct(
    here.filter((candidate) => candidate.ownThread && candidate.thread === text.thread && candidate.allowed && isOlder(candidate, text)),
  );
  const [only] = declared;
  if (only === undefined) return undefined;
  return oneOrWhich(only, declared, false);
}

function inDirect({ text, here, justEnded }: ClaimFacts): Claim {
  const mine = distinct(here.filter((candidate) => candidate.allowed && isOlder(candidate, text)));
  const [only] = mine;
  if (only === undefined) return NONE;
  return justEnded ? { kind: "which", copies: mine.map(({ copy }) => copy) } : oneOrWhich(only, mine, true);
}
