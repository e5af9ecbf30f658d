/**
 * The floor under the store: what this disk and better-sqlite3 alone reach in the same run. Ratios to these travel between machines,
 * the numbers themselves do not.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Connection } from "../../adapters/stores/sqlite/connection.js";
import { migrate } from "../../adapters/stores/sqlite/migrate.js";
import {
  COPY_COLUMNS,
  copyValues,
  INPUT_COLUMNS,
  inputValues,
  QUESTION_COLUMNS,
  QUESTION_TEXT_COLUMNS,
  questionValues,
} from "../../adapters/stores/sqlite/rows.js";
import { answeredOutcome, copyRow, inputRow, questionRow, START_MS } from "../../src/testing/contract/store-rows.js";

/** How long each figure is measured, in milliseconds. Default of all functions here: 1,000. */
type Span = { readonly spanMs?: number };

function inFolder<T>(run: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "handraise-floor-"));
  try {
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `step` until the span is over; steps a second. */
function rate(step: () => void, spanMs: number): number {
  for (let warm = 0; warm < 20; warm += 1) step();
  const start = performance.now();
  let steps = 0;
  while (performance.now() - start < spanMs) {
    step();
    steps += 1;
  }
  return (steps * 1_000) / (performance.now() - start);
}

/** Overwrites of one 4 KiB block with fdatasync, a second. */
export function fdatasyncPerSecond({ spanMs = 1_000 }: Span = {}): number {
  return inFolder((folder) => {
    const block = Buffer.alloc(4_096, 7);
    const file = openSync(join(folder, "block"), "w");
    try {
      return rate(() => {
        writeSync(file, block, 0, block.length, 0);
        fdatasyncSync(file);
      }, spanMs);
    } finally {
      closeSync(file);
    }
  });
}

/** One row of a typical ask's size, `group` rows a commit, synchronous FULL, one table without further indexes: rows a second. */
export function plainRowsPerSecond({ group, spanMs = 1_000 }: Span & { readonly group: number }): number {
  return inFolder((folder) => {
    const db = new Database(join(folder, "plain.db"));
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    db.exec("create table rows (n integer primary key, id text, body text)");
    const insert = db.prepare<[string, string]>("insert into rows (id, body) values (?, ?)");
    const body = JSON.stringify(questionRow());
    const [begin, commit] = [db.prepare("begin immediate"), db.prepare("commit")];
    let next = 0;
    const perSecond = rate(() => {
      begin.run();
      for (let at = 0; at < group; at += 1) insert.run(`q_${(next++).toString(36).padStart(26, "0")}`, body);
      commit.run();
    }, spanMs);
    db.close();
    return perSecond * group;
  });
}

/** What a plain loop writes for one cycle: the rows of an ask with one copy, shown, answered, closed, collected. */
export type PlainCycle = { readonly ask: () => void; readonly rest: () => void };

/**
 * A plain loop over the store's own tables and indexes that writes the rows of whole cycles, `group` cycles a commit: no conditions, no
 * savepoints, no port, no thread. `askOnly`: only the three rows of an ask.
 */
export function plainCyclesPerSecond({
  group,
  askOnly = false,
  spanMs = 1_000,
}: Span & { readonly group: number; readonly askOnly?: boolean }): number {
  return inFolder((folder) => {
    const path = join(folder, "plain.db");
    writeFileSync(path, "");
    const connection = new Connection(path);
    migrate(connection);
    const cycle = plainCycle(connection);
    const [begin, commit] = [connection.prepare("begin immediate"), connection.prepare("commit")];
    const perSecond = rate(() => {
      begin.run([]);
      for (let at = 0; at < group; at += 1) {
        cycle.ask();
        if (!askOnly) cycle.rest();
      }
      commit.run([]);
    }, spanMs);
    connection.close();
    return perSecond * group;
  });
}

function plainCycle({ db }: Connection): PlainCycle {
  const places = (count: number): string => Array.from({ length: count }, () => "?").join(", ");
  const question = db.prepare(`insert into questions (${QUESTION_COLUMNS.join(", ")}) values (${places(QUESTION_COLUMNS.length)})`);
  const texts = db.prepare(
    `insert into question_texts (${QUESTION_TEXT_COLUMNS.join(", ")}, n) values (${places(QUESTION_TEXT_COLUMNS.length + 1)})`,
  );
  const copy = db.prepare(`insert into copies (${COPY_COLUMNS.join(", ")}, question) values (${places(COPY_COLUMNS.length + 1)})`);
  const event = db.prepare("insert into events (question, session, version, type, at, data) values (?, null, ?, ?, ?, ?)");
  const claimed = db.prepare("update copies set state = 'sending', due_at = null, nonce = ?, attempted_at = ? where n = ?");
  const shown = db.prepare(
    "update copies set state = 'shown', todo = null, message_ids = ?, message_id = ?, message_order = ?, shown_at = ? where n = ?",
  );
  const clock = db.prepare("update questions set expires_at = ?, deliver_by = null, version = ? where n = ?");
  const input = db.prepare(`insert into inputs (${INPUT_COLUMNS}) values (${places(INPUT_COLUMNS.split(",").length)})`);
  const settled = db.prepare("update questions set status = 'answered', ended_at = ?, settled_by = ?, version = ? where n = ?");
  const outcome = db.prepare("insert into outcomes (n, outcome) values (?, ?)");
  const receipt = db.prepare("insert into receipts (resolution_id, question, actor, payload_digest, at) values (?, ?, ?, ?, ?)");
  const blanked = db.prepare("update inputs set state = 'settled', input = null, verdict = 'committed' where n = ?");
  const closing = db.prepare("update copies set todo = ?, state = ?, due_at = ? where n = ?");
  const collected = db.prepare("update questions set collected_at = ?, version = ? where n = ?");
  const template = { question: questionRow(), copy: copyRow(questionRow().id) };
  let n = 0;
  return {
    ask: () => {
      n += 1;
      const id = questionRow().id;
      const values = questionValues({ ...template.question, id, version: 1 });
      question.run(...values.slice(0, QUESTION_COLUMNS.length));
      texts.run(...values.slice(QUESTION_COLUMNS.length, -1), n);
      copy.run(...copyValues({ ...template.copy, id: copyRow(id).id }).slice(0, -1), n);
      event.run(n, 1, "question.asked", START_MS, "{}");
    },
    rest: () => {
      const message = `1800000000.${n}`;
      claimed.run("nonce", START_MS, n);
      shown.run(JSON.stringify([message]), message, message, START_MS, n);
      clock.run(START_MS + 60_000, 2, n);
      event.run(n, 2, "question.shown", START_MS, "{}");
      const row = inputRow(`${n}`, template.question.id);
      input.run(...inputValues(row));
      outcome.run(n, JSON.stringify(answeredOutcome(template.question.id)));
      settled.run(START_MS, row.resolutionId, 3, n);
      receipt.run(row.resolutionId, template.question.id, "slack:U02ALICE", "1".repeat(64), START_MS);
      blanked.run(n);
      event.run(n, 3, "question.answered", START_MS, '{"value":"prod"}');
      closing.run("close", "shown", START_MS, n);
      closing.run(null, "closed", null, n);
      collected.run(START_MS, 4, n);
      event.run(n, 4, "question.collected", START_MS, "{}");
    },
  };
}
