/**
 * The gateway's desk for hosts in other processes: the methods of ports/host-wire.ts, whatever the door (HTTP, unix socket).
 *
 * HK1  A host speaks for the accounts that its key names, and only where the bridge does not serve them itself: it claims their copies,
 *      and states who pressed or typed on them. A stated actor of any other account is `actor_not_allowed` (R12).
 * HK2  It sees the questions that have a copy in one of its accounts; any other is `question_unknown`.
 * HK3  When a submission was received is the arrival of the call, by the gateway's clock (R2).
 */
import { z } from "zod";
import { type CopyId, parseQuestionId, type QuestionId, type ResolutionId } from "../core/ids.js";
import { HandraiseError } from "../errors.js";
import type { Submission } from "../ports/gateway.js";
import {
  type DirectoryParams,
  HOST_PATHS,
  HOST_WAIT_MAX_MS,
  type HostDirectory,
  type HostMethod,
  type HostWaited,
} from "../ports/host-wire.js";
import type { QuestionRow } from "../ports/store.js";
import { Deliveries, wireQuestion } from "./deliveries.js";
import type { Gateway } from "./gateway.js";
import type { GatewayParts } from "./parts.js";

/** Who a host is: the accounts that its key names. */
export type HostIdentity = { readonly accounts: readonly string[] };
/** One call as a door hands it on. `signal` ends a wait, never a question. */
export type HostCall = { readonly method: string; readonly params: unknown; readonly signal?: AbortSignal };

/** What the desk works with. */
export type HostDeskParts = Pick<GatewayParts, "store" | "clock" | "random" | "directory" | "signals"> & {
  readonly gateway: Gateway;
  /** Is this account served by a host elsewhere, as the config says? */
  readonly isRemote: (account: string) => boolean;
  /** Who is who on these accounts, as the config stands now. */
  readonly people: (asked: DirectoryParams) => HostDirectory;
};

const INPUT_REPORTS_KEPT = 10_000;

const text = z.string().min(1).max(200);
const longText = z.string().max(2_000);
const accounts = z.array(text).min(1).max(100);
const actor = z.strictObject({ account: text, userId: text, name: longText, channel: z.enum(["slack", "discord", "telegram"]) });
const params = {
  "delivery.claim": z.strictObject({
    accounts,
    max: z.int().min(1).max(256),
    leaseMs: z.int().min(1_000).max(600_000),
    waitMs: z.int().min(0).max(HOST_WAIT_MAX_MS),
  }),
  "delivery.report": z.strictObject({
    copy: text,
    lease: text.nullable(),
    state: z.enum(["sending", "shown", "unknown", "failed", "closed"]),
    place: z.strictObject({ conversation: text, thread: text.nullable(), direct: z.boolean() }).optional(),
    message: z.strictObject({ id: text, order: text }).optional(),
    messageIds: z.array(text).max(100).optional(),
    repeat: z.boolean().optional(),
    error: z.strictObject({ code: text, message: longText }).optional(),
  }),
  "question.resolve": z.strictObject({
    question: text,
    resolutionId: z.string().min(1).max(128),
    decision: text.optional(),
    value: z.unknown().optional(),
    values: z.unknown().optional(),
    note: z.unknown().optional(),
    actor,
    place: text.nullable(),
    via: z.enum(["button", "menu", "modal", "text"]),
    event: z.string().min(1).max(1_000),
    evidence: z.strictObject({ roles: z.array(text).max(1_000).optional(), team: text.optional(), readAtMs: z.number() }).optional(),
  }),
  "question.waitAnswer": z.strictObject({
    question: text,
    withinMs: z.number().min(0).max(HOST_WAIT_MAX_MS),
    includeResolutionId: z.literal(true),
  }),
  "host.directory": z.strictObject({ accounts, generation: text.optional() }),
  "input.report": z.strictObject({
    question: text,
    event: z.string().min(1).max(1_000),
    state: z.enum(["unconfirmed", "refused"]),
    actor,
    code: text.optional(),
  }),
} as const satisfies Record<HostMethod, z.ZodType>;

/** One per gateway; doors check the key, the desk what it may do. */
export class HostDesk {
  readonly #parts: HostDeskParts;
  readonly #deliveries: Deliveries;
  readonly #reported = new Set<string>();

  constructor(parts: HostDeskParts) {
    this.#parts = parts;
    this.#deliveries = new Deliveries({ ...parts, report: (report) => parts.gateway.report(report) });
  }

  /** Waiting claims end with no orders; the gateway's own waits end with it. */
  close(): void {
    this.#deliveries.close();
  }

  /** @throws `input_invalid`, `scope_missing`, `actor_not_allowed`, `question_unknown`, `store_unavailable`. */
  async invoke(host: HostIdentity, { method, params: given, signal }: HostCall): Promise<unknown> {
    const receivedAtMs = this.#parts.clock.now(); // HK3
    switch (methodOf(method)) {
      case "delivery.claim": {
        const claim = parse("delivery.claim", given);
        this.#mayServe(host, claim.accounts);
        return this.#deliveries.claim(claim, signal);
      }
      case "delivery.report": {
        const { copy, ...report } = parse("delivery.report", given);
        const found = await this.#deliveries.copy(copy as CopyId);
        if (!this.#serves(host, found.copy.account)) throw unknownTo(copy);
        return this.#deliveries.report({ copy: copy as CopyId, ...report });
      }
      case "question.resolve":
        return this.#resolve(host, parse("question.resolve", given), receivedAtMs);
      case "question.waitAnswer":
        return this.#wait(host, parse("question.waitAnswer", given), signal);
      case "host.directory": {
        const asked = parse("host.directory", given);
        this.#mayServe(host, asked.accounts);
        return this.#parts.people(asked);
      }
      case "input.report":
        return this.#reportInput(host, parse("input.report", given), receivedAtMs);
    }
  }

  async #resolve(host: HostIdentity, given: Parsed<"question.resolve">, receivedAtMs: number): Promise<unknown> {
    this.#mayState(host, given.actor);
    await this.#visible(host, given.question);
    const { evidence: _evidence, question, resolutionId, ...rest } = given;
    const submission = { ...rest, question: question as QuestionId, resolutionId: resolutionId as ResolutionId, receivedAtMs };
    return this.#parts.gateway.resolve(submission satisfies Submission);
  }

  async #wait(host: HostIdentity, { question, withinMs }: Parsed<"question.waitAnswer">, signal?: AbortSignal): Promise<HostWaited> {
    const { store, gateway } = this.#parts;
    const row = await this.#visible(host, question);
    const limits = { withinMs, includeResolutionId: true, ...(signal === undefined ? {} : { signal }) };
    const waited = await gateway.waitAnswer(row.id, { principal: row.principal }, limits);
    if (waited.status === "open") return { status: "open", id: row.id };
    const now = await store.question(row.id);
    return { ...waited, question: now === undefined ? null : wireQuestion(now) };
  }

  async #reportInput(host: HostIdentity, report: Parsed<"input.report">, atMs: number): Promise<unknown> {
    this.#mayState(host, report.actor);
    const { id } = await this.#visible(host, report.question);
    const key = `${report.event}|${report.state}`;
    if (this.#reported.has(key)) return { taken: false };
    const { account, userId, channel } = report.actor;
    const data = { by: { account, userId, channel }, ...(report.code === undefined ? {} : { code: report.code }) };
    await this.#parts.store.commit([{ do: "insert_event", question: id, type: `input.${report.state}`, atMs, data }]);
    if (this.#reported.size >= INPUT_REPORTS_KEPT) this.#reported.clear();
    this.#reported.add(key);
    this.#parts.signals.events();
    return { taken: true };
  }

  #serves({ accounts: own }: HostIdentity, account: string): boolean {
    return own.includes(account) && this.#parts.isRemote(account);
  }

  #mayServe(host: HostIdentity, wanted: readonly string[]): void {
    const other = wanted.find((account) => !host.accounts.includes(account));
    if (other !== undefined) throw new HandraiseError("scope_missing", `accounts: this key does not name ${other}.`);
    const here = wanted.find((account) => !this.#parts.isRemote(account));
    if (here !== undefined)
      throw new HandraiseError(
        "not_allowed",
        `accounts: ${here} is not served elsewhere. Write \`remote: true\` for it in the bridge's config.`,
      );
  }

  /** HK1. */
  #mayState(host: HostIdentity, stated: Submission["actor"]): void {
    if (!this.#serves(host, stated.account) || this.#parts.directory.channelOf(stated.account) !== stated.channel)
      throw new HandraiseError("actor_not_allowed", `actor: this key may not say who acts on ${stated.account} (${stated.channel}).`);
  }

  /** HK2. */
  async #visible(host: HostIdentity, id: string): Promise<QuestionRow> {
    const parsed = parseQuestionId(id);
    const row = parsed === undefined ? undefined : await this.#parts.store.question(parsed);
    if (row === undefined) throw unknownTo(id);
    const copies = await this.#parts.store.copiesOf(row.id);
    if (!copies.some(({ account }) => this.#serves(host, account))) throw unknownTo(id);
    return row;
  }
}

type Parsed<M extends HostMethod> = Defined<z.output<(typeof params)[M]>>;
/** JSON has no `undefined`: an absent key is absent. */
type Defined<T> = T extends readonly unknown[] | string | number | boolean | null
  ? T
  : { [P in keyof T]: undefined extends T[P] ? (unknown extends T[P] ? T[P] : Defined<Exclude<T[P], undefined>>) : Defined<T[P]> };

function parse<M extends HostMethod>(method: M, given: unknown): Parsed<M> {
  const parsed = params[method].safeParse(given ?? {});
  if (parsed.success) return parsed.data as Parsed<M>;
  const issues = parsed.error.issues.map(({ path, code, message }) => ({ path: path.join("."), code, message }));
  throw new HandraiseError("input_invalid", `${method}: ${issues[0]?.path ?? ""} ${issues[0]?.message ?? "invalid"}`, { issues });
}

function methodOf(method: string): HostMethod {
  const known = (Object.keys(HOST_PATHS) as HostMethod[]).find((name) => name === method);
  if (known === undefined) throw new HandraiseError("input_invalid", `method: "${method.slice(0, 60)}" is none of a host's.`);
  return known;
}

function unknownTo(id: string): HandraiseError {
  return new HandraiseError("question_unknown", `${id} is not known here, or has no copy in an account of this key.`);
}
