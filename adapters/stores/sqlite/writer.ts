/**
 * Applies one change to the open transaction: the statement, and what follows from it. A condition that does not hold is told as the
 * port's reason and has changed nothing.
 */
import { unreachable } from "../../../src/errors.js";
import { Chain } from "./chain.js";
import type { Connection, Statement } from "./connection.js";
import type { Order, Value, Why } from "./protocol.js";
import { COPY_COLUMNS, QUESTION_PLACES } from "./rows.js";
import { SETTLE_REASONS, type SettleReason, STATEMENTS, type StatementName, settleSql, settleWhySql, updateCopySql } from "./statements.js";

const MESSAGE_IDS_PLACE = COPY_COLUMNS.indexOf("message_ids");
const MESSAGE_ID_PLACE = COPY_COLUMNS.indexOf("message_id");

/** Numbers of questions kept at hand; forgotten all at once beyond this. */
const KNOWN_MAX = 20_000;

/** Prepared statements of one connection and what they mean together. */
export class Writer {
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();
  /** Numbers by id. A number is never given twice, so one whose question is gone finds nothing. */
  readonly #known = new Map<string, number>();
  /** Questions inserted by the running list. */
  readonly #fresh = new Set<string>();
  readonly #counts = new OpenCounts();
  readonly #chain: Chain;

  /** `instance` names the chain of the audit that this writer continues. */
  constructor(connection: Connection, instance: string) {
    this.#connection = connection;
    this.#chain = new Chain(instance, {
      get: (name, values) => this.#named(name).get(values),
      run: (name, values) => this.run(name, values),
    });
  }

  /** The list applied last stays, or was undone: then what it seemed to have done is forgotten. */
  endList(kept: boolean): void {
    if (this.#fresh.size > 0) {
      if (!kept) for (const id of this.#fresh) this.#known.delete(id);
      this.#fresh.clear();
    }
    this.#counts.endList(kept);
    this.#chain.endList(kept);
  }

  /** The batch was taken back before its end. */
  forget(): void {
    this.#known.clear();
    this.#fresh.clear();
    this.#counts.forget();
    this.#chain.forget();
  }

  /** Writes what the lists of a batch left to be written once; before its COMMIT. */
  endBatch(): void {
    for (const [principal, person, by] of this.#counts.take()) this.run("count_open", [principal, person, by]);
    this.#chain.write();
  }

  /** Runs one of the named statements. */
  run(name: StatementName, values: readonly Value[]): { readonly changes: number; readonly lastId: number } {
    return this.#named(name).run(values);
  }

  /**
   * Applies one order; pushes id and version of an event to `events`. Returns why its condition does not hold.
   * @throws when the order names a question that does not exist, or breaks the schema.
   */
  apply(order: Order, events: number[]): Why | undefined {
    const [kind, ...values] = order;
    switch (kind) {
      case "insert_question":
        return this.#insertQuestion(values);
      case "settle_question":
        return this.#settleQuestion(values);
      case "insert_copy":
        return this.#insertCopy(values);
      case "update_copy":
        return this.#updateCopy(values);
      case "insert_event":
        return this.#insertEvent(values, events);
      case "insert_input":
      case "insert_receipt":
      case "insert_key":
        return this.run(kind, values).changes === 0 ? "exists" : undefined;
      case "take_account":
        return this.run(kind, values).changes === 0 ? "stale" : undefined;
      case "settle_input":
      case "take_aside":
      case "mark_input":
      case "extend_run":
      case "close_run":
        return this.run(kind, values).changes === 0 ? "settled" : undefined;
      case "start_clock":
      case "mark_collected":
      case "end_copies":
        return this.#onQuestion(kind, values);
      case "update_notice":
      case "insert_aside":
      case "put_memory":
      case "insert_run":
      case "put_session":
      case "revoke_keys":
      case "put_instance":
      case "drop_instance":
      case "put_audit_head":
        this.run(kind, values);
        return undefined;
      case "insert_audit":
        this.#chain.add(values);
        return undefined;
      case "move_conversation":
        for (const step of ["move_copies", "move_inputs", "move_ends", "drop_moved_ends"] as const) this.run(step, values);
        return undefined;
      default:
        return unreachable(kind);
    }
  }

  #insertQuestion(values: readonly Value[]): Why | undefined {
    const { id, principal, audience, status, run, texts, outcome } = QUESTION_PLACES;
    const { changes, lastId: n } = this.run("insert_question", values.slice(0, texts));
    if (changes === 0) return "exists";
    this.run("insert_text", [...values.slice(texts, outcome), n]);
    if (typeof values[outcome] === "string") this.run("insert_outcome", [n, values[outcome]]);
    const bound = values[run];
    if (values[status] === "open" && typeof bound === "string") this.run("note_run", [n, bound]);
    if (values[status] === "open") this.#count(values[principal], values[audience], 1);
    this.#remember(String(values[id]), n);
    this.#fresh.add(String(values[id]));
    return undefined;
  }

  /** Values: received, due, status, outcome, ended, settled by, id, 1 when all copies must have failed, 1 when its run must be live. */
  #settleQuestion([
    received = null,
    due = null,
    status = null,
    outcome = null,
    endedAtMs = null,
    settledBy = null,
    id,
    onlyFailed,
    runLive,
  ]: readonly Value[]) {
    const n = this.#numberOf(id);
    if (n === undefined) return "settled";
    const asked = { late: received !== null, early: due !== null, stale: onlyFailed === 1, run_over: runLive === 1 };
    const reasons = SETTLE_REASONS.filter((reason) => asked[reason]);
    const variant = reasons.join();
    const { changes } = this.#prepared(`settle ${variant}`, () => settleSql(reasons)).run([received, due, status, endedAtMs, settledBy, n]);
    if (changes === 0) return this.#whyNotSettled(reasons, [received, due, n]);
    this.run("insert_outcome", [n, outcome]);
    this.run("note_ends", [n, endedAtMs]);
    this.run("drop_run", [n]);
    const audience = this.#named("read_audience").get([n]);
    this.#count(audience?.[0], audience?.[1], -1);
    return undefined;
  }

  #whyNotSettled(reasons: readonly SettleReason[], values: readonly Value[]): Why {
    const row = this.#prepared(`why ${reasons.join()}`, () => settleWhySql(reasons)).get(values);
    if (row === undefined || row[0] !== 1) return "settled";
    return reasons.find((_, index) => row[index + 1] !== 1) ?? "settled";
  }

  /** Counts an open question for its principal in all and for each person of its audience (a JSON list; null: anyone). */
  #count(principal: Value | undefined, audience: Value | undefined, by: 1 | -1): void {
    for (const person of ["", ...listOf(audience)]) this.#counts.add(String(principal), person, by);
  }

  #onQuestion(name: "start_clock" | "mark_collected" | "end_copies", [id, atMs = null]: readonly Value[]): undefined {
    const n = this.#numberOf(id);
    if (n !== undefined) this.run(name, [n, atMs]);
    return undefined;
  }

  /** Values: `COPY_COLUMNS`, then the id of the question. */
  #insertCopy(values: readonly Value[]): undefined {
    const [id = null] = values;
    const question = values[COPY_COLUMNS.length];
    const n = this.#numberOf(question);
    if (n === undefined) throw new Error("insert_copy: no such question");
    this.run("insert_copy", [...values.slice(0, COPY_COLUMNS.length), n]);
    this.#keepParts(id, values[MESSAGE_IDS_PLACE], values[MESSAGE_ID_PLACE]);
    if (!this.#fresh.has(String(question))) this.run("note_late_place", [id]);
    return undefined;
  }

  /** Values: id, revision, the columns set (comma separated), then their values. */
  #updateCopy([id = null, revision = null, named, ...set]: readonly Value[]): Why | undefined {
    const columns = String(named).split(",");
    if (columns.includes("message_id") && !columns.includes("message_ids")) this.run("keep_last_message", [id]);
    const { changes } = this.#prepared(`copy ${named}`, () => updateCopySql(columns)).run([...set, id, revision]);
    if (changes === 0) return "stale";
    if (columns.includes("message_ids")) this.#keepParts(id, set[columns.indexOf("message_ids")], set[columns.indexOf("message_id")]);
    if (columns.includes("conversation")) this.run("note_late_place", [id]);
    return undefined;
  }

  /** Messages of a copy that its own row does not index: all but `last`. */
  #keepParts(copy: Value, messageIds: Value | undefined, last: Value | undefined): void {
    for (const messageId of listOf(messageIds)) if (messageId !== last) this.run("insert_part", [copy, messageId]);
  }

  #insertEvent([question, type = null, at = null, data = null]: readonly Value[], events: number[]): undefined {
    const n = this.#numberOf(question);
    if (n === undefined || this.run("raise_version", [n]).changes === 0) throw new Error("insert_event: no such question");
    const [version = null, session = null] = this.#named("read_version").get([n]) ?? [];
    const { lastId } = this.run("insert_event", [n, session, version, type, at, data]);
    events.push(lastId, Number(version));
    return undefined;
  }

  #numberOf(id: Value | undefined): number | undefined {
    const text = String(id);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const row = this.#named("find_question").get([text]);
    if (row === undefined) return undefined;
    this.#remember(text, Number(row[0]));
    return Number(row[0]);
  }

  #remember(id: string, n: number): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(id, n);
  }

  #named(name: StatementName): Statement {
    return this.#prepared(name, () => STATEMENTS[name]);
  }

  #prepared(name: string, sql: () => string): Statement {
    let statement = this.#statements.get(name);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql());
      this.#statements.set(name, statement);
    }
    return statement;
  }
}

/** Has this order, when its condition does not hold, changed nothing at all? */
export function failsClean(order: Order): boolean {
  // A question that exists has used up a number, by which `asked` is counted; a change of the last message notes the one before it first.
  return order[0] !== "insert_question" && (order[0] !== "update_copy" || !String(order[3]).includes("message_id"));
}

/** The texts of a stored JSON list; none for null. */
function listOf(json: Value | undefined): readonly string[] {
  if (typeof json !== "string" || json === "[]") return [];
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}

/** Open questions counted by the lists of a batch, to be written once. */
class OpenCounts {
  #list: [principal: string, person: string, by: number][] = [];
  #batch = new Map<string, Map<string, number>>();

  add(principal: string, person: string, by: number): void {
    this.#list.push([principal, person, by]);
  }

  endList(kept: boolean): void {
    if (this.#list.length === 0) return;
    if (kept) {
      for (const [principal, person, by] of this.#list) {
        const people = this.#batch.get(principal) ?? new Map<string, number>();
        this.#batch.set(principal, people.set(person, (people.get(person) ?? 0) + by));
      }
    }
    this.#list = [];
  }

  forget(): void {
    this.#list = [];
    this.#batch.clear();
  }

  /** The sums of the batch; then it begins anew. */
  take(): [principal: string, person: string, by: number][] {
    const sums = [...this.#batch].flatMap(([principal, people]) =>
      [...people].filter(([, by]) => by !== 0).map(([person, by]): [string, string, number] => [principal, person, by]),
    );
    this.#batch.clear();
    return sums;
  }
}
