/**
 * What a host in another process and the gateway say to each other, through a dispatcher over HTTP or the unix socket. Plain JSON both
 * ways; every method needs a key of scope `host` and concerns only the accounts that the key names (R12).
 *
 * HW1  The gateway's row of a copy says what the host has reported; how a copy is sent, looked for and drawn is the host's own row.
 * HW2  An order is handed out with a lease and again, with the same copy id, when nothing was reported in time. A host that knows the
 *      copy already carries on with its own row; one that does not looks for the message first where `again` is set.
 * HW3  Every call but `question.resolve` may be repeated after a lost response: claims are leases, reports and reads change nothing twice.
 */

import type { CopyId, QuestionId } from "../core/ids.js";
import type { StoredOutcome } from "../core/outcome.js";
import type { ChannelKind } from "../core/place.js";
import type { Submission } from "./gateway.js";
import type { CopyRow, QuestionRow } from "./store.js";

/** A host's methods and their HTTP paths, each a `POST` of JSON. */
export const HOST_PATHS = {
  "delivery.claim": "/v1/host/claim",
  "delivery.report": "/v1/host/report",
  "question.resolve": "/v1/host/answer",
  "question.waitAnswer": "/v1/host/outcome",
  "host.directory": "/v1/host/directory",
  "input.report": "/v1/host/input",
} as const;
/** One of them. */
export type HostMethod = keyof typeof HOST_PATHS;

/** Longest `waitMs` and `withinMs` of one call; a caller that wants more calls again. */
export const HOST_WAIT_MAX_MS = 55_000;

/** A question as a host may see it: who settled it by which submission stays with the gateway (R6). */
export type WireQuestion = Omit<QuestionRow, "settledBy">;

/** What the platform said about the person when it was read, for audiences that a platform knows (R13). */
export type Evidence = { readonly roles?: readonly string[]; readonly team?: string; readonly readAtMs: number };

/** `question.resolve`: a submission without what needs a shared store. The arrival of the call is when it was received (R2). */
export type WireSubmission = Omit<Submission, "known" | "input" | "alongside" | "receivedAtMs" | "event"> & {
  /** The platform's identity of the input, as the host stored it (`account|id`). */
  readonly event: string;
  readonly evidence?: Evidence;
};

/** `delivery.claim`: orders for these accounts, waiting up to `waitMs` for the first. `max` 1..256, `leaseMs` 1,000..600,000. */
export type ClaimParams = {
  readonly accounts: readonly string[];
  readonly max: number;
  readonly leaseMs: number;
  readonly waitMs: number;
};
/** `show`: send it. `update`: draw it anew. `close`: its question has ended, draw or hide that everywhere. */
export type HostOrder = {
  /** Opaque; goes back with the report. */
  readonly lease: string;
  readonly kind: "show" | "update" | "close";
  /** It was handed out before and nothing was reported. */
  readonly again: boolean;
  /** `nonce` stays the same over all leases of a copy: use it for the platform's own deduplication. */
  readonly copy: CopyRow;
  readonly question: WireQuestion;
};
/** The orders, longest due first; empty when the wait ran out. */
export type Claimed = { readonly orders: readonly HostOrder[] };

/** What a host says of a copy. `sending`: still at it, the lease begins anew. */
export type DeliveryState = "sending" | "shown" | "unknown" | "failed" | "closed";
/** `delivery.report`. Facts (`shown`, `unknown`, `closed`) count whatever the lease; `failed` and `sending` only under the last lease. */
export type DeliveryReport = {
  readonly copy: CopyId;
  /** Null where no order stands behind it: a press has shown that a lost message exists. */
  readonly lease: string | null;
  readonly state: DeliveryState;
  readonly place?: { readonly conversation: string; readonly thread: string | null; readonly direct: boolean };
  /** The message with the controls; required for `shown`. */
  readonly message?: { readonly id: string; readonly order: string };
  /** All messages of the prompt, in order. */
  readonly messageIds?: readonly string[];
  /** With `unknown`: the platform cannot tell, so one labelled repeat is to be made (R23). The gateway makes it once. */
  readonly repeat?: boolean;
  /** Required for `failed`; a code of `DELIVERY_CODES` (ports/channel.ts). */
  readonly error?: { readonly code: string; readonly message: string };
};
/** How copy and question stand after it. `taken` is false when the report came too late to say anything new. */
export type Reported = { readonly taken: boolean; readonly copy: CopyRow; readonly question: WireQuestion };

/** What `question.waitAnswer` gives a host, for a question with a copy in one of its accounts. `resolutionId` is absent where no submission ended it. The row as it stands now comes along. */
export type HostWaited =
  | {
      readonly status: "ended";
      readonly outcome: StoredOutcome;
      readonly resolutionId?: string;
      readonly question: WireQuestion | null;
    }
  | { readonly status: "open"; readonly id: QuestionId };

/** `host.directory`: who is who on these accounts. `generation`: of the answer that the host has. */
export type DirectoryParams = { readonly accounts: readonly string[]; readonly generation?: string };
/** The shape of the directory's settings (src/runs/directory.ts); ids of other accounts are left out, names are not. */
export type HostPeople = {
  readonly accounts: Readonly<Record<string, { readonly kind: ChannelKind }>>;
  readonly people: Readonly<
    Record<
      string,
      {
        readonly ids: Readonly<Record<string, string>>;
        readonly name?: string;
        readonly language?: string;
        readonly timezone?: string;
        /** A visitor's end, UTC ms. */
        readonly untilMs?: number;
      }
    >
  >;
  readonly roles: Readonly<Record<string, readonly string[]>>;
  readonly access: { readonly anyone: boolean };
  readonly defaults: { readonly language?: string; readonly timezone?: string };
};
/** `people` is null when nothing has changed since the generation that was named. */
export type HostDirectory = { readonly generation: string; readonly people: HostPeople | null };
