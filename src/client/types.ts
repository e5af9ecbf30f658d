/**
 * The public types of a bridge: one shape for the in-process bridge (`createBridge`) and for `connect` (api.md, section 2).
 *
 * Plain data, no imports at run time. `status` says how far a thing has come, `kind` is the sort of a question, `type` that of a
 * field, subject or event. `answered` is the only status on which an asker goes on. An explicit `undefined` counts as absent.
 */
import type { ErrorCode, Issue } from "../errors.js";

/** "90s", "15m", "2h", "3d"; at most 6 digits, more than zero. */
export type Duration = `${number}${"s" | "m" | "h" | "d"}`;
/** `account:conversation[/thread]`, for example "slack:#releases". */
export type Place = `${string}:${string}`;
/** A person, role or route of the config. */
export type Name = string;
/** One pick of a field. `label` is what people see, default the value; both 1 to 500 characters. */
export type Option = string | { value: string; label?: string; description?: string };

type Picks = { options: readonly Option[]; prefill?: string | readonly string[] };

/** One input of a question. Required unless `optional: true`. `key`: a letter, then letters, digits and _, 64 at most. */
export type Field = { key: string; label?: string; help?: string; optional?: boolean } & (
  | ({ type: "choice" | "dropdown"; other?: boolean } & Picks)
  | ({ type: "multi"; other?: boolean; min?: number; max?: number } & Picks)
  | ({ type: "rank" } & Picks)
  | {
      type: "text";
      multiline?: boolean;
      minLength?: number;
      maxLength?: number;
      pattern?: string;
      format?: "email" | "uri" | "date-time";
      placeholder?: string;
      prefill?: string;
    }
  | { type: "number"; integer?: boolean; min?: number; max?: number; prefill?: number }
  | { type: "date"; min?: string; max?: string; prefill?: string }
  | { type: "confirm"; prefill?: boolean }
  | { type: "secret" }
);

/** Typed by the person in place of an option, only where the field says `other: true`. */
export type Other = { other: string };
/** A handle to a secret, never its value. */
export type Secret = { secret: string };

/** What every kind of question takes. Times and caps: docs of `ask`. */
export type AskBase = {
  /** Markdown subset, 1 to 4,000 characters. */
  text: string;
  /** 1 to 60 characters. */
  title?: string;
  /** Where it is shown. Default: the config's `defaults.to`. */
  to?: Name | Place | readonly (Name | Place)[];
  /**
   * Who may answer. Default: the people and roles in `to`; a shared place always needs it written. `exclude` takes people out of it: by name,
   * `requester` (the run's starter) or `owner` (the session's).
   */
  audience?: Name | readonly Name[] | { of?: Name | readonly Name[]; exclude: Name | readonly Name[] };
  /** `private`: only the audience reads what was answered. Default `shared`. */
  visibility?: "shared" | "private";
  /** Counts from the first copy shown; "none" waits for ever. Default: the config's `defaults.timeout`. */
  timeout?: Duration | "none";
  /** An absolute end in place of `timeout`: ISO 8601 with a zone. */
  expiresAt?: string;
  /** How long a channel that is down is tried. Default: the timeout, at most 10 minutes. */
  deliverWithin?: Duration;
  remindAfter?: Duration;
  escalate?: readonly { after: Duration; to: Name | Place }[];
  /** Names this question for this principal and session: the same key and the same ask give the same question (R7). */
  key?: string;
  session?: string;
  /** Shown as who asks, 1 to 60 characters. Default: the creator's name. */
  agent?: string;
  /** The thread named in `to` belongs to this asker: text typed there may answer (R24). */
  ownThread?: boolean;
  /** At most 16 pairs, kept and returned. */
  metadata?: Record<string, string>;
  callbackUrl?: string;
};

/** What each kind takes beyond `AskBase`. */
export type ByKind = {
  url: { url: string };
  handoff: { fields?: readonly Field[] };
  /** Options, or fields, or neither: one text. */
  question: {
    options?: readonly Option[];
    multi?: boolean;
    other?: boolean;
    fields?: readonly Field[];
    decisions?: readonly ("answer" | "decline")[];
    fallback?: { value: unknown } | { values: Readonly<Record<string, unknown>> };
  };
  approval: {
    subject?: { type: "command" | "diff" | "json" | "text"; body: string };
    fields?: readonly Field[];
    decisions?: readonly ("approve" | "approve_always" | "deny")[];
    quorum?: { approvals: number; denyWins?: boolean };
    /** Only a deny can stand in for a person who did not answer (R9). */
    fallback?: { value: "deny" };
  };
};

/** What is asked. `kind` absent means a question. */
export type AskInput = AskBase &
  (
    | ({ kind?: "question" } & ByKind["question"])
    | ({ kind: "approval" } & ByKind["approval"])
    | ({ kind: "url" } & ByKind["url"])
    | ({ kind: "handoff" } & ByKind["handoff"])
  );

/** The person behind an answer. `person` is null where `anyone` was allowed and nobody is known by this id. */
export type Person = {
  person: string | null;
  name: string;
  channel: "slack" | "discord" | "telegram" | "web" | "terminal" | "api";
  account: string;
  userId: string;
};

type Ended = { id: string; at: string; key?: string; session?: string };
type Said = Ended & {
  by: Person;
  place: Place | null;
  note?: string;
  via: "button" | "menu" | "modal" | "text" | "web" | "terminal" | "api";
  votes?: readonly { by: Person; decision: string; at: string }[];
  /** Signed, checkable offline: `handraise proof verify`. Absent on answers of a bridge that did not sign yet. */
  proof?: string;
};

/** The person gave what was asked: the only outcome on which an asker goes on. */
export type Answered<I extends AskInput = AskInput> = Said &
  Given<I> & { status: "answered"; subjectHash?: string; untouched?: readonly string[] };
/** The person said no. */
export type Declined = Said & { status: "declined"; decision: "decline" | "deny" };
/** The asker's side ended it. */
export type Cancelled = Ended & { status: "cancelled"; code: "withdrawn" | "creator_closed" | "creator_revoked"; reason?: string };
/** Nobody answered in time. `fallback` is the asker's own, chosen by no person (R9). */
export type Expired<I extends AskInput = AskInput> = Ended & {
  status: "expired";
  fallback?: I extends { fallback: infer B } ? B : never;
};
/** Nobody saw it. */
export type Undelivered = Ended & { status: "undelivered"; failures: readonly { place: Place; code: string; message: string }[] };
/** How a question ended: a union on `status`. */
export type Outcome<I extends AskInput = AskInput> = Answered<I> | Declined | Cancelled | Expired<I> | Undelivered;

/** A stored question. The object is a view: dropping it changes nothing. */
export interface Question<I extends AskInput = AskInput> {
  readonly id: string;
  /** The short one people see: K7QM. */
  readonly code: string;
  /** Waits for the end. An abort ends this wait by rejecting with the signal's reason, never the question. */
  outcome(wait?: { signal?: AbortSignal }): Promise<Outcome<I>>;
  /** Waits at most `within`; time alone never throws. */
  outcome(wait: { within: Duration; signal?: AbortSignal }): Promise<Outcome<I> | { status: "open"; id: string }>;
  /** Withdraws it; resolves with whatever won. */
  cancel(reason?: string): Promise<Outcome<I>>;
  record(): Promise<QuestionRecord>;
}

/** The question as stored. `expiresAt` is null while no end is fixed: asked with "none", or not shown yet (R8). */
export type QuestionRecord = {
  id: string;
  code: string;
  kind: keyof ByKind;
  text: string;
  title?: string;
  key?: string;
  session?: string;
  /** The targets as asked. */
  to?: readonly string[];
  fields: readonly Field[];
  status: "open" | Outcome["status"];
  version: number;
  askedAt: string;
  expiresAt: string | null;
  outcome: Outcome | null;
  deliveries: readonly {
    place: Place;
    status: "pending" | "sending" | "shown" | "unknown" | "failed" | "closed";
    code?: string;
    message?: string;
  }[];
};

/** One bridge: in process, or another process's over its socket. */
export interface Bridge extends AsyncDisposable {
  /** Resolves once the question is stored; a typo in the input does not compile. */
  ask<const I extends AskInput>(input: I & Strict<I>): Promise<Question<I>>;
  /**
   * A question of this asker by its id (exact: prefix and case count), its key, or the short code of an open one.
   * @throws `question_unknown`, also for somebody else's.
   */
  question(ref: string | { key: string; session?: string }): Promise<Question>;
  /** Open questions of this asker, oldest first, at most 1,000. */
  list(filter?: { session?: string }): Promise<readonly QuestionRecord[]>;
  /** Events of this asker's questions in commit order, from now on or after a cursor. */
  events(from?: { session?: string; after?: string; signal?: AbortSignal }): AsyncIterable<BridgeEvent>;
  /** @throws `unsupported` until runs exist. */
  openRun(run: {
    principal: string;
    session: string;
    owner: string;
    startedBy?: string;
    audience?: Name | readonly Name[];
    lease?: Duration;
    signal?: AbortSignal;
  }): Promise<Run>;
  /** Ends this object; open questions stay open. */
  close(): Promise<void>;
}

/** A creator's live authority with an end. Frozen; a copy carries no authority. */
export interface Run extends AsyncDisposable {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly ask: Bridge["ask"];
  bindTools<T extends Record<string, (...args: never[]) => unknown>>(tools: T): T;
  heartbeat(): Promise<void>;
  close(reason?: string): Promise<void>;
  retainAuthority(): { assertCurrent(): void; signal: AbortSignal; release(): void } | undefined;
}

/** Something that happened to a question. `id` is an opaque cursor, in the order of the commits. */
export type BridgeEvent = { id: string; at: string; question: string; version: number; session?: string } & (
  | {
      type: "question.asked" | "question.shown" | "question.reminded" | "question.escalated" | "question.voted" | "question.collected";
      data: Readonly<Record<string, unknown>>;
    }
  | { type: "input.refused" | "input.unconfirmed"; data: { by: Person; code: string } }
  | { [S in Outcome["status"]]: { type: `question.${S}`; data: Extract<Outcome, { status: S }> } }[Outcome["status"]]
);

/** What a submitter learns; repeatable. `outcome: null`: the vote was counted, the quorum is not reached. */
export type Receipt = { question: string } & (
  | { status: "committed" | "already_yours"; outcome: Outcome | null }
  | { status: "already_answered" | "closed"; ended: { status: Outcome["status"]; at: string } }
  | { status: "refused"; code: ErrorCode; issues: readonly Issue[] }
  | { status: "unconfirmed" }
);

/** The config file's shape as an object (api.md, section 3). */
export type BridgeConfig = {
  /** The bots to sign in as. A name other than slack, discord, telegram says its kind. */
  accounts: Record<string, { kind?: string; token: string | undefined; appToken?: string; signingSecret?: string }>;
  /** An id per account; Discord and Telegram ids once per kind. */
  people: Record<string, object>;
  roles?: Record<string, readonly Name[]>;
  routes?: Record<string, Partial<AskBase & ByKind["approval"]>>;
  access?: object;
  defaults?: { to?: Name; timeout?: Duration | "none"; language?: string; timezone?: string };
  store?: string;
  listen?: string;
  webhooks?: object;
};

// From here on: how answers get their types. `type: unknown` and `key: string` below keep TypeScript's weak-type rule from calling
// an absent flag "true".
type Any = string | number | boolean | readonly string[] | Other | Secret;
type OrOther<F> = F extends { type: unknown; other?: false } ? never : Other;
type Values<O extends readonly Option[]> = { [N in keyof O]: O[N] extends { value: infer V } ? V : O[N] }[number];
type ValueOf<F> = F extends { type: "number" }
  ? number
  : F extends { type: "confirm" }
    ? boolean
    : F extends { type: "secret" }
      ? Secret
      : F extends { type: infer T; options: infer O extends readonly Option[] }
        ? (T extends "multi" | "rank" ? readonly Values<O>[] : Values<O>) | OrOther<F>
        : string;
type ValuesOf<F extends readonly Field[]> = {
  [X in F[number] as X extends { key: string; optional?: false } ? X["key"] : never]: ValueOf<X>;
} & { [X in F[number] as X extends { key: string; optional?: false } ? never : X["key"]]?: ValueOf<X> };

/** What an answer to this ask holds: `value` for options and plain text, `values` for fields, a decision always. */
export type Given<I> = AskInput extends I
  ? { decision: "answer" | "approve" | "approve_always"; value?: Any; values?: Readonly<Record<string, Any>> }
  : {
      decision: I extends { kind: "approval" }
        ? I extends { decisions: readonly (infer D)[] }
          ? Exclude<D, "deny">
          : "approve"
        : "answer";
    } & (I extends { fields: infer F extends readonly Field[] }
      ? { values: ValuesOf<F> }
      : I extends { kind: "approval" | "url" }
        ? unknown
        : {
            value: I extends { options: infer O; multi?: infer M; other?: infer X }
              ? ValueOf<{ type: M extends true ? "multi" : "choice"; options: O } & (X extends true ? { other: true } : unknown)>
              : string;
          });

/** Refuses unknown properties at compile time; the message stands in the type. */
export type Strict<I> = {
  [P in Exclude<
    keyof I,
    "kind" | keyof AskBase | keyof ByKind[I extends { kind: infer K extends keyof ByKind } ? K : "question"]
  >]: `no such property: ${P & string}`;
} & (I extends { fields: infer F }
  ? {
      fields: {
        [N in keyof F]: {
          [P in Exclude<keyof F[N], Field extends infer U ? (U extends U ? keyof U : never) : never>]: `no such property: ${P & string}`;
        };
      };
    }
  : unknown);
