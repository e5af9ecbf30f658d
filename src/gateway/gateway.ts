/**
 * The gateway: the question owner, the only code that changes a question (design, section 3). Its methods are `GatewayCalls` for
 * askers' doors, `resolve` and `report` for hosts (through a dispatcher).
 */

import { type CopyId, newCode, newCopyId, parseQuestionId } from "../core/ids.js";
import type { StoredOutcome } from "../core/outcome.js";
import type { BridgeEvent, QuestionRecord, Receipt } from "../core/record.js";
import { HandraiseError } from "../errors.js";
import type { CopyReport, Submission } from "../ports/gateway.js";
import type { Change, CopyRow, QuestionRow, Standing } from "../ports/store.js";
import type { Creator, GatewayCalls, QuestionRef, Waited, WaitOptions } from "./calls.js";
import { CapGuard } from "./caps.js";
import { Deadlines, endUndelivered } from "./deadlines.js";
import { differences } from "./digest.js";
import { eventFeed } from "./feed.js";
import type { GatewayParts } from "./parts.js";
import { buildQuestion, copyRow } from "./question-builder.js";
import { recordOf } from "./record.js";
import { resolveSubmission } from "./resolve.js";
import { endedBase, settle } from "./settle.js";
import { unknownQuestion, Waits } from "./waits.js";

const CODE_TRIES = 5;
const LIST_MAX = 1_000;

/** One per bridge. It holds timers, waits and asks under way; what counts is in the store, so a restart loses nothing. */
export class Gateway implements GatewayCalls {
  readonly #parts: GatewayParts;
  readonly #deadlines: Deadlines;
  readonly #caps: CapGuard;
  readonly #waits: Waits;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#deadlines = new Deadlines(parts);
    this.#caps = new CapGuard(parts.store, parts.caps);
    this.#waits = new Waits(parts);
  }

  /** Starts the clock: what ran out is ended first. The host settles left-over inputs before this (R33). */
  start(): Promise<void> {
    return this.#deadlines.start();
  }

  async close(): Promise<void> {
    await this.#deadlines.stop();
    this.#waits.close();
    this.#parts.signals.events();
  }

  async request(input: unknown, creator: Creator): Promise<{ readonly record: QuestionRecord; readonly created: boolean }> {
    const { directory, defaults, clock, random, store } = this.#parts;
    const built = buildQuestion(input, { directory, defaults: defaults(), principal: creator.principal, nowMs: clock.now(), random });
    const known = await this.#byKey(built.row);
    if (known !== undefined) return { record: await this.#recordOf(known), created: false };
    return this.#caps.within({ principal: creator.principal, audience: built.row.body.audience }, async () => {
      const row = await this.#withFreeCode(built.row);
      const result = await store.commit([
        { do: "insert_question", row },
        ...built.copies.map((copy): Change => ({ do: "insert_copy", row: copy })),
        {
          do: "insert_event",
          question: row.id,
          type: "question.asked",
          atMs: row.askedAtMs,
          data: { to: row.body.to, kind: row.body.kind },
        },
      ]);
      if (!result.ok) {
        const taken = await this.#byKey(row);
        if (taken === undefined)
          throw new HandraiseError(
            "store_unavailable",
            `Question ${row.id} could not be stored: ${result.why}. Ask again with the same key.`,
          );
        return { record: await this.#recordOf(taken), created: false };
      }
      this.#deadlines.poke(Math.min(row.expiresAtMs ?? Number.POSITIVE_INFINITY, row.deliverByMs ?? Number.POSITIVE_INFINITY));
      this.#parts.signals.work({ kind: "asked", question: row, copies: built.copies });
      return { record: recordOf({ ...row, version: result.events[0]?.version ?? row.version }, built.copies), created: true };
    });
  }

  async cancel(ref: QuestionRef, creator: Creator, { reason }: { readonly reason?: string } = {}): Promise<StoredOutcome> {
    for (;;) {
      const row = await this.#find(ref, creator);
      if (row.outcome !== null) return row.outcome;
      const atMs = this.#parts.clock.now();
      const outcome: StoredOutcome = {
        ...endedBase(row, atMs),
        status: "cancelled",
        code: "withdrawn",
        ...(reason === undefined ? {} : { reason: reason.slice(0, 500) }),
      };
      const result = await settle(this.#parts, row, { event: { kind: "withdrawn" }, outcome, atMs, settledBy: null });
      if (result.status === "applied") return outcome;
    }
  }

  waitAnswer(ref: QuestionRef, creator: Creator, options: WaitOptions = {}): Promise<Waited> {
    const id = typeof ref === "string" ? parseQuestionId(ref) : undefined;
    // No frame of an async function stays behind a wait by id: there may be 100,000 of them.
    if (id !== undefined) return this.#waits.wait(id, creator, options);
    return this.#find(ref, creator).then((row) => this.#waits.wait(row.id, creator, options));
  }

  async acknowledge(ref: QuestionRef, creator: Creator): Promise<void> {
    const standing = await this.#standing(ref, creator);
    if (standing.outcome === null)
      throw new HandraiseError("input_invalid", `Question ${standing.id} is still open: there is no outcome to acknowledge.`);
    if (standing.collectedAtMs !== null) return;
    const atMs = this.#parts.clock.now();
    await this.#parts.store.commit([
      { do: "mark_collected", id: standing.id, atMs },
      { do: "insert_event", question: standing.id, type: "question.collected", atMs, data: {} },
    ]);
    this.#parts.signals.events();
  }

  async get(ref: QuestionRef, creator: Creator): Promise<QuestionRecord> {
    return this.#recordOf(await this.#find(ref, creator));
  }

  async list(creator: Creator, { session }: { readonly session?: string } = {}): Promise<readonly QuestionRecord[]> {
    const rows = await this.#parts.store.listOpen({
      principal: creator.principal,
      limit: LIST_MAX,
      ...(session === undefined ? {} : { session }),
    });
    return Promise.all(rows.map((row) => this.#recordOf(row)));
  }

  events(
    creator: Creator,
    from: { readonly session?: string; readonly after?: string; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<BridgeEvent> {
    return eventFeed(this.#parts, creator, from);
  }

  /** For hosts: judges and commits one submission. `guard` throws when the authority behind it has ended, and then nothing is changed. */
  resolve(submission: Submission, guard?: () => void): Promise<Receipt> {
    return resolveSubmission(this.#parts, submission, guard);
  }

  /** For hosts: what became of a copy. False when the row had changed meanwhile: read it again. */
  async report({ copy, set, effects, mayEndAtMs }: CopyReport): Promise<boolean> {
    const { store, clock, signals } = this.#parts;
    const atMs = clock.now();
    const changes: Change[] = [{ do: "update_copy", id: copy.id, revision: copy.revision, set }];
    if (effects.includes("shown")) {
      const place = `${copy.account}:${set.conversation ?? copy.conversation ?? ""}`;
      changes.push(
        { do: "start_clock", id: copy.question, atMs },
        { do: "insert_event", question: copy.question, type: "question.shown", atMs, data: { place, state: set.state ?? copy.state } },
      );
    }
    if (effects.includes("repeat")) changes.push({ do: "insert_copy", row: this.#repeatOf(copy, atMs) });
    const result = await store.commit(changes);
    if (!result.ok) return false;
    if (effects.includes("shown") && mayEndAtMs !== null) this.#deadlines.poke(mayEndAtMs);
    if (effects.includes("failed")) await this.#afterFailure(copy, atMs);
    if (effects.includes("repeat")) signals.work({ kind: "look" });
    else if (effects.length > 0) signals.events();
    return true;
  }

  async #afterFailure(copy: CopyRow, nowMs: number): Promise<void> {
    const row = await this.#parts.store.question(copy.question);
    if (row?.status === "open") await endUndelivered(this.#parts, row, nowMs);
  }

  #repeatOf(copy: CopyRow, nowMs: number): CopyRow {
    const { target, account, person, userId, conversation, thread } = copy;
    const planned = { target, account, person, userId, conversation, thread };
    const id: CopyId = newCopyId(this.#parts.random);
    return { ...copyRow({ id, question: copy.question, planned, nowMs, repeatOf: copy.id }), direct: copy.direct };
  }

  /** The question its key names, if what is asked is the same (R7). @throws `key_conflict`. */
  async #byKey(row: QuestionRow): Promise<QuestionRow | undefined> {
    if (row.key === null) return undefined;
    const known = await this.#parts.store.questionByKey({ principal: row.principal, session: row.session, key: row.key });
    if (known === undefined || known.status === "undelivered") return undefined;
    if (known.digest === row.digest) return known;
    const facts = { question: known.id, key: row.key };
    throw new HandraiseError(
      "key_conflict",
      `Key ${row.key} already names ${known.id}, which asks something else: ${differences(known.body, row.body)}. Use a new key.`,
      {
        facts,
      },
    );
  }

  /** A code that no open question bears, as far as a few tries find one; two that share one are told apart by asking which (R24). */
  async #withFreeCode(row: QuestionRow): Promise<QuestionRow> {
    let code = row.code;
    for (let tries = 0; tries < CODE_TRIES; tries += 1) {
      if ((await this.#parts.store.openByCode(code)).length === 0) break;
      code = newCode(this.#parts.random);
    }
    return { ...row, code };
  }

  async #find(ref: QuestionRef, creator: Creator): Promise<QuestionRow> {
    const { store } = this.#parts;
    if (typeof ref !== "string") {
      const row = await store.questionByKey({ principal: creator.principal, session: ref.session ?? null, key: ref.key });
      if (row === undefined)
        throw new HandraiseError("question_unknown", `No question of yours has the key ${ref.key}.`, { facts: { key: ref.key } });
      return row;
    }
    const id = parseQuestionId(ref);
    if (id !== undefined) {
      const row = await store.question(id);
      if (row === undefined || row.principal !== creator.principal) throw unknownQuestion(id);
      return row;
    }
    const own = (await store.openByCode(ref.toUpperCase())).filter((row) => row.principal === creator.principal);
    const [only] = own;
    if (only === undefined) throw new HandraiseError("question_unknown", `No open question of yours is called ${ref}.`);
    if (own.length > 1)
      throw new HandraiseError(
        "input_invalid",
        `${ref} names ${own.length} open questions: ${own.map(({ id: each }) => each).join(", ")}. Give the id.`,
      );
    return only;
  }

  async #standing(ref: QuestionRef, creator: Creator): Promise<Standing> {
    const id = typeof ref === "string" ? parseQuestionId(ref) : undefined;
    if (id === undefined) return this.#find(ref, creator);
    const standing = await this.#parts.store.standing(id);
    if (standing === undefined || standing.principal !== creator.principal) throw unknownQuestion(id);
    return standing;
  }

  async #recordOf(row: QuestionRow): Promise<QuestionRecord> {
    return recordOf(row, await this.#parts.store.copiesOf(row.id));
  }
}
