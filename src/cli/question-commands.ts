/**
 * `ask`, `confirm`, `wait`, `cancel`, `list`: one question from a shell, over the bridge's socket.
 *
 * CL1  stdout holds the answer and nothing else (with `--json` one line, the HTTP body); everything for people is on stderr.
 * CL2  Ctrl-C ends the wait, never the question; the line on stderr says how to go on.
 */
import { connect } from "../client/connect.js";
import type { AskInput, Bridge, Duration, Outcome, Question, QuestionRecord } from "../client/types.js";
import { HandraiseError } from "../errors.js";
import { EXIT, EXIT_OF_STATUS } from "./exit-codes.js";
import type { Terminal } from "./terminal.js";
import { endedLine, listLines, shownLine, untilText, valueText } from "./words.js";

/** Of every command that talks to a bridge. */
export type Common = { readonly json: boolean; readonly socket?: string };
/** Of `ask` and `confirm`. `detach`: do not wait. */
export type AskOptions = Common & { readonly detach: boolean };
/** Which question: by id or code, or by the key it was asked with. */
export type RefOptions = { readonly ref?: string; readonly key?: string; readonly session?: string };

/** Asks and waits; with `detach` it only asks. */
export function runAsk(input: AskInput, options: AskOptions, terminal: Terminal): Promise<number> {
  return withBridge(options, async (bridge) => {
    const question = await bridge.ask(input);
    const to = input.to === undefined ? [] : [input.to].flat();
    if (!options.detach) return waitFor(question, { ...options, to }, terminal);
    const record = await question.record();
    terminal.err(`${question.code} asked; go on with: handraise wait ${question.id}`);
    terminal.out(options.json ? JSON.stringify(record) : question.id);
    // 14 and not 0: asking is not being answered.
    return EXIT_OF_STATUS[record.status];
  });
}

/** Goes on waiting for a question that was asked earlier. */
export function runWait(by: RefOptions, options: Common & { readonly within?: Duration }, terminal: Terminal): Promise<number> {
  return withBridge(options, async (bridge) => waitFor(await questionOf(bridge, by), { ...options, to: [] }, terminal));
}

/** Withdraws a question; tells whatever won. */
export function runCancel(by: RefOptions, options: Common & { readonly reason?: string }, terminal: Terminal): Promise<number> {
  return withBridge(options, async (bridge) => {
    const question = await questionOf(bridge, by);
    return tellEnd(await question.cancel(options.reason), options, terminal);
  });
}

/** Open questions, oldest first. */
export function runList(options: Common & { readonly session?: string }, terminal: Terminal): Promise<number> {
  return withBridge(options, async (bridge) => {
    const records = await bridge.list(options.session === undefined ? {} : { session: options.session });
    if (options.json) terminal.out(JSON.stringify(records));
    else for (const line of listLines(records, { now: terminal.now() })) terminal.out(line);
    if (records.length === 0) terminal.err("nothing is open");
    return EXIT.done;
  });
}

async function withBridge({ socket }: Common, run: (bridge: Bridge) => Promise<number>): Promise<number> {
  const bridge = await connect(socket === undefined ? {} : { socket });
  try {
    return await run(bridge);
  } finally {
    await bridge.close();
  }
}

function questionOf(bridge: Bridge, { ref, key, session }: RefOptions): Promise<Question> {
  if (ref !== undefined) return bridge.question(ref);
  if (key === undefined) throw new HandraiseError("input_invalid", "Name the question: its id, its code, or --key.");
  return bridge.question({ key, ...(session === undefined ? {} : { session }) });
}

type Waiting = Common & { readonly within?: Duration; readonly to: readonly string[] };

async function waitFor(question: Question, options: Waiting, terminal: Terminal): Promise<number> {
  const telling = new AbortController();
  const told = tellShown(question, { to: options.to, signal: telling.signal }, terminal);
  try {
    const { within } = options;
    const signal = terminal.interrupted;
    const outcome = within === undefined ? await question.outcome({ signal }) : await question.outcome({ within, signal });
    telling.abort();
    await told;
    return outcome.status === "open" ? await tellOpen(question, options, terminal) : tellEnd(outcome, options, terminal);
  } catch (error) {
    if (!terminal.interrupted.aborted) {
      terminal.err(`${question.code}: the wait failed; go on with: handraise wait ${question.id}`);
      throw error;
    }
    terminal.err(`${question.code} stays open; go on with: handraise wait ${question.id}`);
    if (options.json) terminal.out(JSON.stringify({ status: "open", id: question.id }));
    return EXIT.open;
  } finally {
    telling.abort();
    await told;
  }
}

async function tellOpen(question: Question, { json }: Common, terminal: Terminal): Promise<number> {
  const { expiresAt } = await question.record();
  terminal.err(`still ${untilText(expiresAt, { now: terminal.now() })}`);
  if (json) terminal.out(JSON.stringify({ status: "open", id: question.id }));
  return EXIT.open;
}

function tellEnd(outcome: Outcome, { json }: Common, terminal: Terminal): number {
  terminal.err(endedLine(outcome, terminal));
  const value = outcome.status === "answered" ? valueText(outcome, terminal) : undefined;
  if (json) terminal.out(JSON.stringify(outcome));
  else if (value !== undefined) terminal.out(value);
  return EXIT_OF_STATUS[outcome.status];
}

const LOOK_MIN_MS = 100;
const LOOK_MAX_MS = 5_000;

/** Says once where the prompt was shown. Looks, with growing pauses, until it was, or the wait is over. Its own failure is nobody's. */
async function tellShown(
  question: Question,
  { to, signal }: { readonly to: readonly string[]; readonly signal: AbortSignal },
  terminal: Terminal,
): Promise<void> {
  for (let pauseMs = LOOK_MIN_MS; !signal.aborted; pauseMs = Math.min(LOOK_MAX_MS, pauseMs * 2)) {
    const record = await question.record().catch(() => undefined);
    if (record === undefined || signal.aborted || record.status !== "open") return;
    if (isShown(record)) {
      terminal.err(shownLine(record, { now: terminal.now(), to }));
      return;
    }
    await pauseUnless(signal, pauseMs);
  }
}

function isShown({ deliveries }: QuestionRecord): boolean {
  return deliveries.some(({ status }) => status === "shown");
}

function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
