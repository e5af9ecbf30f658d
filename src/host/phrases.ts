/**
 * Phrases: the host's situations in the words of the message table. Times are written in the bridge's time zone and language.
 */
import type { StoredOutcome, Value } from "../core/outcome.js";
import { type AnswerWords, type Ending, type People, type Words, wordsFor } from "../core/words/index.js";
import { formatTime } from "../core/words/time.js";
import type { Clock } from "../ports/clock.js";
import type { Directory } from "../ports/directory.js";
import type { QuestionRow } from "../ports/store.js";

/** `language`: BCP 47, English where there is no table for it; `timezone`: an IANA name such as Europe/Vienna. */
export type PhraseSettings = { readonly language: string; readonly timezone: string };

/** What is said about a question, ready to show. Nothing here decides who may read it. */
export type Phrases = {
  readonly words: Words;
  /** The line above the controls: who asks whom until when, and the code. */
  readonly frame: (question: QuestionRow) => string;
  readonly closing: (question: QuestionRow) => string;
  readonly late: (question: QuestionRow) => string;
  /** Its time is over, though the end is not written yet. */
  readonly overdue: (question: QuestionRow) => string;
  readonly notYou: (question: QuestionRow) => string;
  /** What a value or decision is called when it is said back. */
  readonly answer: (
    question: QuestionRow,
    given: { readonly decision: string; readonly values: Readonly<Record<string, Value>> },
  ) => AnswerWords;
  /** To the one who gave the answer that stands. */
  readonly alreadyYours: (question: QuestionRow) => string;
};

/** Binds the message table to a bridge's language, time zone and directory. */
export function createPhrases(
  { language, timezone }: PhraseSettings,
  { directory, clock }: { readonly directory: Directory; readonly clock: Clock },
): Phrases {
  const words = wordsFor(language);
  const time = minuteMemo(
    (ms: number, zone: boolean, nowMs: number) => formatTime(ms, { timezone, language: words.language, nowMs, zone }),
    clock,
  );
  const peopleOf = ({ body }: QuestionRow): People =>
    body.audience.kind === "anyone" ? "anyone" : directory.membersNow(body.audience).map((name) => directory.displayName(name));
  const endingOf = (question: QuestionRow): Ending => ending(question, { time: (iso) => time(Date.parse(iso)), words });
  return {
    words,
    frame: (question) => {
      // A timeout counts from the first copy shown, which is about to be this one (R8).
      const untilMs = question.expiresAtMs ?? (question.timeoutMs === null ? null : clock.now() + question.timeoutMs);
      const until = untilMs === null ? {} : { until: time(untilMs, true) };
      return words.prompt.frame({ agent: question.body.agent, people: peopleOf(question), code: question.code, ...until });
    },
    closing: (question) => words.closing(endingOf(question)),
    late: (question) => words.notices.late(endingOf(question)),
    overdue: (question) => words.notices.late({ kind: "expired", at: time(question.expiresAtMs ?? clock.now()) }),
    notYou: (question) => words.notices.notYou({ people: peopleOf(question) }),
    answer: (question, given) => answerWords(question, given, words),
    alreadyYours: (question) => words.notices.alreadyYours(givenWords(question, words)),
  };
}

/** Times are shown to the minute and most of one moment are the same few: each is formatted once a minute. */
function minuteMemo(format: (ms: number, zone: boolean, nowMs: number) => string, clock: Clock): (ms: number, zone?: boolean) => string {
  const known = new Map<string, string>();
  let minute = Number.NaN;
  return (ms, zone = false) => {
    const nowMs = clock.now();
    const now = Math.floor(nowMs / 60_000);
    if (now !== minute || known.size > 10_000) known.clear();
    minute = now;
    const key = `${Math.floor(ms / 60_000)} ${zone}`;
    const text = known.get(key) ?? format(ms, zone, nowMs);
    known.set(key, text);
    return text;
  };
}

function answerWords(
  { body }: QuestionRow,
  { decision, values }: { readonly decision: string; readonly values: Readonly<Record<string, Value>> },
  words: Words,
): AnswerWords {
  const [field] = body.fields;
  const value = field === undefined ? undefined : values[field.key];
  if (decision !== "answer" || field === undefined || value === undefined) {
    const spoken: Readonly<Record<string, string>> = words.decisions;
    return { text: spoken[decision] ?? decision, typed: false };
  }
  if (typeof value === "object" && "other" in value) return { text: value.other, typed: true };
  const text = String(value);
  const option = field.type === "choice" ? field.options.find((candidate) => candidate.value === text) : undefined;
  return option === undefined ? { text, typed: true } : { text: option.label, typed: false };
}

function givenWords(question: QuestionRow, words: Words): AnswerWords {
  const { outcome } = question;
  if (outcome === null || (outcome.status !== "answered" && outcome.status !== "declined")) return { text: "", typed: false };
  return answerWords(question, { decision: outcome.decision, values: valuesOf(question, outcome) }, words);
}

function valuesOf({ body }: QuestionRow, outcome: StoredOutcome): Readonly<Record<string, Value>> {
  if (outcome.status !== "answered") return {};
  const [field] = body.fields;
  if (outcome.values !== undefined) return outcome.values;
  return field === undefined || outcome.value === undefined ? {} : { [field.key]: outcome.value };
}

type EndingEnv = { readonly time: (iso: string) => string; readonly words: Words };

function ending(question: QuestionRow, { time, words }: EndingEnv): Ending {
  const { outcome, body } = question;
  if (outcome === null) throw new Error(`question ${question.id} has not ended`);
  const at = time(outcome.at);
  switch (outcome.status) {
    case "answered": {
      const by = [outcome.by.name];
      if (body.kind === "approval") return { kind: "approved", by, at, always: outcome.decision === "approve_always" };
      const hidden = body.visibility === "private";
      return { kind: "answered", by, at, ...(hidden ? {} : { answer: givenWords(question, words) }) };
    }
    case "declined":
      return {
        kind: outcome.decision === "deny" ? "denied" : "declined",
        by: [outcome.by.name],
        at,
        ...(outcome.note === undefined ? {} : { note: outcome.note }),
      };
    case "cancelled":
      if (outcome.code !== "withdrawn") return { kind: "run_ended", agent: body.agent, at };
      return { kind: "withdrawn", agent: body.agent, at, ...(outcome.reason === undefined ? {} : { reason: outcome.reason }) };
    case "expired":
      return { kind: "expired", at: question.expiresAtMs === null ? at : time(new Date(question.expiresAtMs).toISOString()) };
    case "undelivered":
      return { kind: "undelivered", at };
  }
}
