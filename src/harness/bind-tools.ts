/**
 * Tools bound to a run: each call is asked for as an approval of exactly this call, and made only when it was given (R15, R16).
 *
 *   call ──authority? named in the policy?──► snapshot ──ask──► approved, this very subject ──authority? same cwd?──► the tool
 *             └── no: nothing is asked, nothing runs            └── anything else: nothing runs
 *
 * T1  Authority is asserted before anything, and once more right before the tool is called, with no await between (R16).
 * T2  A policy with `tools` lets through only a tool that it names with the digest of the schema given here; anything else is `not_allowed`.
 * T3  What is shown, hashed and passed on is one snapshot of name, arguments and working folder as plain data: later changes of the
 *     caller's objects reach neither the person nor the tool.
 * T4  Only `answered` with `approve` and the hash of that snapshot runs the tool. Every other end throws and names the outcome.
 * T5  The functions are those of the moment of binding; putting another one under the name changes nothing.
 */
import type { StoredOutcome } from "../core/outcome.js";
import { HandraiseError } from "../errors.js";
import { canonicalJson, sha256Hex, subjectHash } from "../gateway/digest.js";
import { type PlainData, plainCopy } from "./plain-data.js";

const TITLE_MAX = 60;

/** What binding needs of a run. */
export type ToolRun = {
  readonly id: string;
  /** The policy's tools: digest by name; absent: any tool. */
  readonly tools: Readonly<Record<string, string>> | undefined;
  /** Synchronous. @throws `run_closed`, `authority_stale`. */
  assertCurrent(): void;
  /** Asks under the run and waits for the end. @throws as an ask does; `run_closed` when the run ends meanwhile. */
  approval(ask: ToolApproval): Promise<ToolOutcome>;
};
/** An ask of kind approval. */
export type ToolApproval = {
  readonly kind: "approval";
  readonly title: string;
  readonly text: string;
  readonly subject: { readonly type: "json"; readonly body: string };
  readonly decisions: readonly ["approve", "deny"];
  readonly to?: string | readonly string[];
  readonly timeout?: string;
};
/** Of an outcome, what binding looks at. */
export type ToolOutcome = Pick<StoredOutcome, "id" | "status"> & {
  readonly decision?: string;
  readonly subjectHash?: string;
  readonly note?: string;
  readonly by?: { readonly name: string };
  readonly code?: string;
};

/** How tools are bound. */
export type BindOptions = {
  /** The working folder, shown and hashed with each call; a function is asked at each call, and again before the tool runs. */
  readonly cwd?: string | (() => string);
  /** A tool's schema by its name: plain data, digested as canonical JSON. Needed where the run's policy names tools. */
  readonly schemas?: Readonly<Record<string, unknown>>;
  /** Where approvals are shown. Default: the run's person. */
  readonly to?: string | readonly string[];
  /** How long an approval is open. Default: the config's `defaults.timeout`. */
  readonly timeout?: string;
  /** `never`: authority and policy are checked, nobody is asked. Default `always`. */
  readonly approve?: "always" | "never";
};

/** Functions by name, as they are bound. */
export type Tools = Readonly<Record<string, (...args: never[]) => unknown>>;
/** The same functions, each giving a promise. */
export type BoundTools<T extends Tools> = {
  readonly [N in keyof T]: (...args: Parameters<T[N]>) => Promise<Awaited<ReturnType<T[N]>>>;
};

type Bound = {
  readonly run: ToolRun;
  readonly options: BindOptions;
  readonly name: string;
  readonly digest: string | undefined;
  readonly call: (args: readonly unknown[]) => unknown;
};

/** SHA-256 (hex) of a tool's schema in canonical JSON, as a policy's `tools` names it. @throws `input_invalid` when it is not plain data. */
export function schemaDigest(schema: unknown): string {
  return sha256Hex(canonicalJson(plainCopy(schema, "schema")));
}

/**
 * Wraps each function of `tools`; the result is frozen. See T1 to T5.
 * @throws `input_invalid` for what is no function. The functions reject with `run_closed`, `authority_stale`, `not_allowed` (`facts.outcome`:
 *   how the approval ended), `input_invalid` for arguments that are not plain data, and whatever an ask or the tool throws.
 */
export function bindTools<T extends Tools>(run: ToolRun, tools: T, options: BindOptions = {}): BoundTools<T> {
  const bound = Object.entries(tools).map(([name, tool]) => {
    if (typeof tool !== "function") throw new HandraiseError("input_invalid", `tools.${name}: is no function.`);
    const schemas = options.schemas ?? {};
    const digest = Object.hasOwn(schemas, name) ? schemaDigest(schemas[name]) : undefined;
    const call = (args: readonly unknown[]): unknown => Reflect.apply(tool, tools, args);
    const one: Bound = { run, options: { ...options }, name, digest, call };
    return [name, (...args: readonly unknown[]) => called(one, args)] as const;
  });
  return Object.freeze(Object.fromEntries(bound)) as BoundTools<T>;
}

async function called(bound: Bound, args: readonly unknown[]): Promise<unknown> {
  const { run, options, name, call } = bound;
  run.assertCurrent();
  assertNamed(bound);
  if (options.approve === "never") return call(args);
  const cwd = cwdOf(options);
  const body = canonicalJson({
    tool: name,
    args: args.map((value, index) => plainCopy(value, `${name}: argument ${index + 1}`)),
    ...(cwd === undefined ? {} : { cwd }),
  });
  const { to, timeout } = options;
  const outcome = await run.approval({
    kind: "approval",
    title: [...name].slice(0, TITLE_MAX).join(""),
    text: cwd === undefined ? "Run this tool with these arguments?" : "Run this tool with these arguments, in this folder?",
    subject: { type: "json", body },
    decisions: ["approve", "deny"],
    ...(to === undefined ? {} : { to }),
    ...(timeout === undefined ? {} : { timeout }),
  });
  assertApproved(bound, outcome, subjectHash("json", body));
  if (cwdOf(options) !== cwd) throw refused(bound, outcome, `the working folder is no longer ${cwd}. Call it again`);
  const approved = argsOf(body);
  run.assertCurrent(); // T1: nothing is awaited from here to the call
  return call(approved);
}

/** T2. */
function assertNamed({ run, name, digest }: Bound): void {
  if (run.tools === undefined) return;
  const named = Object.hasOwn(run.tools, name) ? run.tools[name] : undefined;
  if (named !== undefined && named === digest) return;
  const facts = { run: run.id, tool: name };
  if (named === undefined)
    throw new HandraiseError("not_allowed", `${name}: the run's policy does not name this tool. Nothing was run.`, { facts });
  const why = digest === undefined ? "no schema was given for it" : "its schema has changed since the run was opened";
  throw new HandraiseError("not_allowed", `${name}: the run's policy names this tool, but ${why}. Nothing was run.`, { facts });
}

/** T4. */
function assertApproved(bound: Bound, outcome: ToolOutcome, hash: string): void {
  if (outcome.status === "answered" && outcome.decision === "approve") {
    if (outcome.subjectHash === hash) return;
    throw refused(bound, outcome, "what was approved is not this call");
  }
  const { by, note, code } = outcome;
  const who = by === undefined ? "" : ` by ${by.name}`;
  const why = note ?? code;
  throw refused(bound, outcome, `its approval ended as ${outcome.status}${who}${why === undefined ? "" : ` (${why})`}`);
}

function refused({ run, name }: Bound, { id, status, code }: ToolOutcome, why: string): HandraiseError {
  const closed = status === "cancelled" && code === "creator_closed";
  return new HandraiseError(closed ? "run_closed" : "not_allowed", `${name} was not run: ${why}.`, {
    facts: { run: run.id, tool: name, question: id, outcome: status },
  });
}

function cwdOf({ cwd }: BindOptions): string | undefined {
  const folder: unknown = typeof cwd === "function" ? cwd() : cwd;
  if (folder === undefined || typeof folder === "string") return folder;
  throw new HandraiseError("input_invalid", "cwd: write a folder, or a function that gives one.");
}

/** A fresh copy of the arguments, read from the very text that was approved. */
function argsOf(body: string): readonly PlainData[] {
  const { args } = JSON.parse(body) as { readonly args: readonly PlainData[] };
  return args;
}
