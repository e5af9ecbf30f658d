/** What must hold after any history; each fault names its rule. */
import type { QuestionId } from "../../src/core/ids.js";
import { saidBy, type Traces } from "./story-traces.js";

const ENDS = new Set(["question.answered", "question.declined", "question.expired", "question.cancelled", "question.undelivered"]);

/** Adds to `traces.faults` whatever went against a rule. */
export async function judged(traces: Traces): Promise<void> {
  for (const [question, id] of traces.asked) {
    await oneOutcome(traces, { question, id });
    noBlindRepeat(traces, { question, id });
  }
  await refusedChangesNothing(traces);
  everybodyTold(traces);
}

type Asked = { readonly question: 0 | 1; readonly id: QuestionId };

async function oneOutcome(traces: Traces, { question, id }: Asked): Promise<void> {
  const { store, channel, faults } = traces;
  const row = await store.question(id);
  if (row === undefined || row.outcome === null) {
    faults.push(`R2: question ${question} has not ended`);
    return;
  }
  const { events } = await store.events({ id: 0, limit: 1_000_000 });
  const ends = events.filter((event) => event.question === id && ENDS.has(event.type)).map(({ type }) => type);
  if (ends.length !== 1) faults.push(`R2: question ${question} ended ${ends.length} times: ${ends.join(", ")}`);
  const stored = saidBy(row.outcome);
  const read = new Set(traces.read.get(question) ?? []);
  if (read.size > 1 || (read.size === 1 && !read.has(stored)))
    faults.push(`R2: the asker read ${[...read].join(" and ")}, stored is ${stored}`);
  if (read.size === 0) faults.push(`R4: the asker never read how question ${question} ended (${stored})`);
  const own = traces.sent.filter((sent) => sent.question === question).map(({ label }) => label);
  for (const { text } of channel.words) {
    const label = own.find((each) => text === `Recorded: ${each}.`);
    if (label !== undefined && stored !== `answered ${label}`) faults.push(`R4: "${label}" was acknowledged, the outcome is ${stored}`);
  }
  if (row.status === "answered" && !channel.words.some(({ text }) => text === `Recorded: ${stored.slice(9)}.`))
    faults.push(`R22: nobody was told that "${stored}" counted`);
}

/** R23: at most one message per chat, or two where the channel cannot look, the second one labelled. */
function noBlindRepeat({ channel, canFind, faults }: Traces, { question, id }: Asked): void {
  for (const conversation of ["dm-1", "dm-2"]) {
    const copies = channel.messages.filter((message) => message.view.question === id && message.conversation === conversation);
    if (copies.length > (canFind ? 1 : 2)) faults.push(`R23: question ${question} was sent ${copies.length} times to ${conversation}`);
    if (copies.filter(({ view }) => view.repeat === undefined).length > 1)
      faults.push(`R23: a repeat of question ${question} is not labelled`);
  }
}

/** R12, R24, R25: a stranger's press, a token in another chat, and prose count for nothing. */
async function refusedChangesNothing({ sent, asked, store, channel, faults }: Traces): Promise<void> {
  for (const { input, question, refused } of sent.filter((each) => each.refused !== null)) {
    const word = channel.words.find(({ handle }) => handle === input.handle);
    if (word?.text.startsWith("Recorded") === true) faults.push(`${refused}: ${input.id} was told "${word.text}"`);
    const id = asked.get(question);
    const outcome = id === undefined ? null : ((await store.question(id))?.outcome ?? null);
    if (outcome !== null && "by" in outcome && outcome.by.userId === "9") faults.push("R12: a stranger's answer is the outcome");
  }
}

/** R21, R26: an acknowledged input is told its fate, once where every word was confirmed. */
function everybodyTold({ sent, channel, faults, wordsLost }: Traces): void {
  for (const { input, acknowledged } of sent) {
    const words = channel.words.filter(({ handle }) => handle === input.handle);
    if (acknowledged && words.length === 0 && input.kind === "press")
      faults.push(`R22: press ${input.id} was acknowledged and told nothing`);
    if (!wordsLost && words.length > 1)
      faults.push(`R21: ${input.id} was told ${words.length} times: ${words.map(({ text }) => text).join(" | ")}`);
  }
}
