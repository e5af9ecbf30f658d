/**
 * `handraise demo`: the whole path in one go, no browser and no accounts. A scripted person answers in each simulated chat: a press on Slack,
 * a typed reply on Discord, an approval on Telegram. Its data is in a temporary folder.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHANNEL_MODULES } from "../../adapters/registry.js";
import type { AskInput, Bridge, Outcome } from "../client/types.js";
import { visibleLine } from "../core/visible.js";
import type { ChatKind, SeenMessage, SimPerson } from "../testing/sim/simulator.js";
import { simulate } from "../testing/simulate.js";
import { openBridge } from "./bridge.js";
import { configOf } from "./config.js";
import { EXAMPLES } from "./examples.js";
import { createLog } from "./log.js";
import { givenText } from "./report.js";

/** What the command line gives. `json`: one line per chat on stdout, nothing else. */
export type DemoOptions = {
  readonly json?: boolean;
  /** Takes each line; default stdout. */
  readonly print?: (line: string) => void;
};

const PERSON = "alice";
/** Longest wait for a prompt or an answer. */
const WAIT_MS = 10_000;

/** How the person answers in each chat, and what is said about it. */
const SCRIPT: Readonly<
  Record<ChatKind, { readonly says: string; readonly act: (person: SimPerson, prompt: SeenMessage) => Promise<unknown> }>
> = {
  slack: { says: "presses [prod]", act: (person, prompt) => person.press("prod", { on: prompt }) },
  discord: { says: 'types "Faster and safer"', act: (person, prompt) => person.types("Faster and safer", { replyTo: prompt }) },
  telegram: { says: "presses [Approve]", act: (person, prompt) => person.press("Approve", { on: prompt }) },
};

/** Runs it. Resolves with 0 when all three were answered, 1 when not. */
export async function runDemo({ json = false, print = (line) => console.log(line) }: DemoOptions = {}): Promise<number> {
  const started = Date.now();
  const folder = await mkdtemp(join(tmpdir(), "handraise-demo-"));
  const chats = await simulate({ people: [PERSON], folder });
  try {
    const log = createLog([], { level: process.env["HANDRAISE_LOG"] ?? "warn" });
    const { bridge } = await openBridge(configOf(chats.config, { modules: CHANNEL_MODULES, folder }), { log });
    let answered = 0;
    for (const chat of ["slack", "discord", "telegram"] as const) {
      const person = chats.person(PERSON, chat);
      const outcome = await answerOne(bridge, { chat, person, print: json ? () => undefined : print });
      if (json) print(JSON.stringify(outcome));
      if (outcome.status === "answered") answered += 1;
    }
    await bridge.close();
    if (!json)
      print(
        `${answered} of 3 answered, in ${((Date.now() - started) / 1_000).toFixed(1)} s. Try it yourself: npx handraise start --simulated`,
      );
    return answered === 3 ? 0 : 1;
  } finally {
    await chats.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Scene = { readonly chat: ChatKind; readonly person: SimPerson; readonly print: (line: string) => void };

/** Ask, prompt, press, answer: one chat. */
async function answerOne(bridge: Bridge, { chat, person, print }: Scene): Promise<Outcome> {
  const input: AskInput = { ...EXAMPLES[chat], to: `${chat}:${person.direct}`, audience: PERSON, timeout: "15m" };
  print(`\n${chat.toUpperCase()}`);
  print(`  asker   asks: ${input.text}`);
  const question = await bridge.ask(input);
  const prompt = await person.waitsFor((message) => message.from === "bot" && message.text.includes(question.code), { withinMs: WAIT_MS });
  for (const line of prompt.text.split("\n")) print(`  ${PERSON}   reads: ${visibleLine(line)}`);
  const controls = [...prompt.buttons, ...prompt.menu].map(({ label }) => `[${label}]`);
  if (controls.length > 0) print(`  ${PERSON}   reads: ${controls.join(" ")}`);
  print(`  ${PERSON}   ${SCRIPT[chat].says}`);
  const waiting = question.outcome({ within: "10s" });
  await SCRIPT[chat].act(person, prompt);
  const outcome = await waiting;
  if (outcome.status === "open") throw new Error(`${chat}: no answer within 10 s`);
  print(
    `  asker   gets: ${outcome.status}${outcome.status === "answered" ? `, ${visibleLine(givenText(outcome))}, by ${outcome.by.name}` : ""}`,
  );
  const closed = await person.waitsFor(({ id, buttons }) => id === prompt.id && buttons.length === 0, { withinMs: WAIT_MS });
  for (const line of newLines(closed, { than: prompt, without: question.code })) print(`  ${PERSON}   reads: ${visibleLine(line)}`);
  return outcome;
}

/** Lines of a redrawn prompt that were not there before: the closing line. The line with the short code is the frame. */
function newLines({ text }: SeenMessage, { than, without }: { readonly than: SeenMessage; readonly without: string }): readonly string[] {
  const before = new Set(than.text.split("\n"));
  return text.split("\n").filter((line) => !before.has(line) && !line.includes(without));
}
