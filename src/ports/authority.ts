/**
 * What the store keeps of authority: runs, sessions, keys, bridges that share a file, and the audit chain. Rows and changes as the
 * store port takes them (store.ts); who may do what is decided in src/runs and src/gateway.
 */
import type { QuestionId } from "../core/ids.js";
import type { RunPolicy } from "../core/policy.js";

/** How a run ended. `closed`: by its creator; `lease_expired`: nobody spoke for it in time; `revoked`: its key or source; `retired`: the bridge stopped or began anew. */
export type RunEnd = "closed" | "lease_expired" | "revoked" | "retired";

/** A creator's live authority with an end (R15). Opening it is one row; only `leaseUntilMs` and the end ever change. */
export type RunRow = {
  /** `run_` and 26 characters of base 32. */
  readonly id: string;
  readonly principal: string;
  readonly session: string;
  readonly owner: string;
  readonly startedBy: string | null;
  readonly onlyStarter: boolean;
  readonly policy: RunPolicy;
  /** SHA-256 (hex) of the policy's canonical JSON (RFC 8785). */
  readonly policyDigest: string;
  /** The bridge's life that holds it in its own process; null for a run held by a lease token. */
  readonly instance: string | null;
  /** SHA-256 (hex) of the lease token; null for an in-process run. */
  readonly leaseHash: string | null;
  readonly leaseMs: number;
  /** Live only while the clock is before it; null for an in-process run, which lives as long as its instance. */
  readonly leaseUntilMs: number | null;
  readonly openedAtMs: number;
  readonly status: "live" | "closed";
  readonly endedAtMs: number | null;
  readonly end: RunEnd | null;
  readonly reason: string | null;
};

/** A thread of work of one principal (R13): who owns it and who takes part. */
export type SessionRow = {
  readonly principal: string;
  readonly session: string;
  readonly owner: string;
  readonly members: readonly string[];
};

/** What a key may do (R14): one scope a key. */
export const KEY_SCOPES = ["ask", "read", "answer", "host", "admin"] as const;
/** One of `KEY_SCOPES`. */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** A key as it is kept: the secret only as its hash. Its name is the principal, so a rotated key still resumes (api.md, section 3). */
export type KeyRow = {
  /** SHA-256 (hex) of the whole key text. */
  readonly hash: string;
  readonly name: string;
  readonly scope: KeyScope;
  /** Scope `answer`: the one person it answers for. */
  readonly person: string | null;
  /** Scope `host`: the accounts it may speak for. */
  readonly accounts: readonly string[] | null;
  /** Scope `ask`: the only targets it may name; null: any. */
  readonly to: readonly string[] | null;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
};

/** A bridge that is alive on this store. Another one's in-process runs end only after its lease. */
export type InstanceRow = { readonly id: string; readonly startedAtMs: number; readonly leaseUntilMs: number };

/** One fact for the audit chain; sequence, previous hash and hash are the store's to add, in the order of commits. */
export type AuditEntry = {
  /** `question.asked`, `copy.shown`, `question.answered`, `input.refused`, `run.opened`, `key.created`, … */
  readonly type: string;
  readonly atMs: number;
  readonly question: QuestionId | null;
  /** Names, ids, codes and digests; never a refused or a secret value, never text of a person. */
  readonly data: Readonly<Record<string, unknown>>;
};
/** A fact as chained: `hash` is the SHA-256 (hex) of `chainText` (core/audit-chain.ts). */
export type AuditRow = AuditEntry & {
  readonly instance: string;
  /** From 1, without gaps, one sequence per instance. */
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
};
/** The signed end of one instance's chain. */
export type AuditHead = {
  readonly instance: string;
  readonly seq: number;
  readonly hash: string;
  readonly atMs: number;
  readonly signature: string;
};

/** Changes of authority; conditions as in store.ts (ST2). */
export type AuthorityChange =
  | { readonly do: "insert_run"; readonly row: RunRow }
  /** Fails `settled` when the run is not live at `nowMs` (closed, or its lease ran out). */
  | { readonly do: "extend_run"; readonly id: string; readonly nowMs: number; readonly leaseUntilMs: number }
  /** Fails `settled` when the run is already closed. */
  | { readonly do: "close_run"; readonly id: string; readonly atMs: number; readonly end: RunEnd; readonly reason: string | null }
  /** Makes the session or adds members; an owner once stored stays. Never fails. */
  | { readonly do: "put_session"; readonly row: SessionRow }
  /** Fails `exists` when the hash is known. */
  | { readonly do: "insert_key"; readonly row: KeyRow }
  /** Revokes every live key of this name; never fails. */
  | { readonly do: "revoke_keys"; readonly name: string; readonly atMs: number }
  | { readonly do: "put_instance"; readonly row: InstanceRow }
  | { readonly do: "drop_instance"; readonly id: string }
  /** Takes, keeps or (with `untilMs` 0) gives back one bot account; fails `stale` while another holder's lease lasts. */
  | { readonly do: "take_account"; readonly account: string; readonly holder: string; readonly nowMs: number; readonly untilMs: number }
  | { readonly do: "insert_audit"; readonly entry: AuditEntry }
  | { readonly do: "put_audit_head"; readonly head: AuditHead };

/** Reads of authority, part of the store port. */
export interface AuthorityReads {
  run(id: string): Promise<RunRow | undefined>;
  /** Live runs, oldest first. */
  liveRuns(filter: { readonly principal?: string; readonly limit: number }): Promise<readonly RunRow[]>;
  /** The nearest end of a live run's lease; null when none is held by a lease. */
  nextLeaseMs(): Promise<number | null>;
  /** Ids of open questions of runs that are closed, oldest first: what a crash left between the end of a run and the end of its questions. */
  openOfClosedRuns(limit: number): Promise<readonly QuestionId[]>;
  /** Ids of open questions of one principal, oldest first. */
  openOfPrincipal(principal: string, limit: number): Promise<readonly QuestionId[]>;
  /** Ids of open questions of one run, oldest first. */
  openOfRun(run: string, limit: number): Promise<readonly QuestionId[]>;
  session(by: { readonly principal: string; readonly session: string }): Promise<SessionRow | undefined>;
  keyByHash(hash: string): Promise<KeyRow | undefined>;
  keys(): Promise<readonly KeyRow[]>;
  instances(): Promise<readonly InstanceRow[]>;
  /** Rows of all chains, by instance in the order of their start, then by sequence; `after` is the last row seen. */
  audit(page: {
    readonly after?: { readonly instance: string; readonly seq: number };
    readonly limit: number;
  }): Promise<readonly AuditRow[]>;
  auditHeads(): Promise<readonly AuditHead[]>;
  /** This store's own chain: its instance and last row; undefined before the first. */
  auditTail(): Promise<Pick<AuditRow, "instance" | "seq" | "hash"> | undefined>;
}
