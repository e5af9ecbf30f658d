/**
 * Plays one random history on a bridge over real SQLite and a channel on paper, ends it in peace, and holds what was seen against the
 * rules: R1 stored before shown, R2 one outcome, R4 every acknowledged answer is it, R21 repeats change nothing, R23 no blind repeat,
 * R24 a token counts only where it stands, R26 every copy closed.
 */
import { rm } from "node:fs/promises";
import { openInlineSqliteStore } from "../../adapters/stores/sqlite/inline.js";
import { type OpenBridge, openBridge } from "../../src/app/bridge.js";
import { parseQuestionId, type QuestionId } from "../../src/core/ids.js";
import type { Input, Press, Typed } from "../../src/core/input.js";
import { HandraiseError } from "../../src/errors.js";
import type { SendResult } from "../../src/ports/channel.js";
import type { Store } from "../../src/ports/store.js";
import { FakeClock } from "../fixtures/fake-clock.js";
import { paperSettings, quietLog } from "../fixtures/paper-bridge.js";
import { PaperChannel, type PaperMessage } from "../fixtures/paper-channel.js";
import { quickFolder } from "../fixtures/quick-folder.js";
import { Mortal } from "./mortal.js";
import { judged } from "./story-rules.js";
import type { History, Mishap, Step } from "./story-steps.js";
import { type Sent, saidBy } from "./story-traces.js";

/** A store that many stories use one after another. */
export type Stage = { readonly folder: string; readonly clock: FakeClock; readonly store: Store; close(): Promise<void> };

/** An empty stage. */
export async function openStage(): Promise<Stage> {
  const folder = await quickFolder("handraise-story-");
  const clock = new FakeClock();
  const { store } = openInlineSqliteStore({ folder, clock });
  const close = async (): Promise<void> => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, clock, store, close };
}

type Life = { readonly mortal: Mortal; readonly bridge: OpenBridge };

const CALM_TURNS = 4_000;
const PEACE_ROUNDS = 200;

/** One history being played. */
export class Story {
  readonly #stage: Stage;
  readonly #number: number;
  readonly #channel: PaperChannel;
  readonly #asked = new Map<0 | 1, QuestionId>();
  readonly #read = new Map<0 | 1, string[]>();
  readonly #sent: Sent[] = [];
  readonly #again: Sent[] = [];
  readonly #faults: string[] = [];
  readonly #canFind: boolean;
  #life: Life | undefined;
  #wordsLost = false;
  #inputs = 0;

  constructor(stage: Stage, number: number, { canFind }: History) {
    this.#stage = stage;
    this.#number = number;
    this.#canFind = canFind;
    this.#channel = new PaperChannel("telegram", { canFind });
  }

  /** Plays the steps, then lets everything come to its end. Gives what went against the rules. */
  async play({ steps }: History): Promise<readonly string[]> {
    await this.#open();
    for (const { step, turns } of steps) {
      await this.#step(step);
      await rest(turns);
    }
    await this.#toTheEnd();
    await judged({
      ...{
        canFind: this.#canFind,
        channel: this.#channel,
        store: this.#stage.store,
        asked: this.#asked,
        sent: this.#sent,
        read: this.#read,
      },
      ...{ faults: this.#faults, wordsLost: this.#wordsLost },
    });
    await this.#life?.bridge.close();
    return this.#faults;
  }

  async #open(): Promise<void> {
    const { folder, clock, store } = this.#stage;
    const mortal = new Mortal();
    const bridge = await openBridge(paperSettings(folder), {
      ...{ clock, log: quietLog, principal: "ci", store: mortal.store(store), channels: [mortal.channel(this.#channel)] },
    });
    this.#life = { mortal, bridge };
    for (const question of this.#asked.keys()) this.#listen(question);
    for (const sent of this.#again.splice(0)) this.#deliver(sent);
  }

  #listen(question: 0 | 1): void {
    const id = this.#asked.get(question);
    const life = this.#life;
    if (id === undefined || life === undefined) return;
    const reading = async (): Promise<void> => {
      const outcome = await (await life.bridge.bridge.question(id)).outcome();
      const text = saidBy(outcome);
      this.#read.set(question, [...(this.#read.get(question) ?? []), text]);
    };
    // The wait of a life that ends rejects or never ends: the next life waits anew.
    reading().catch(() => undefined);
  }

  async #step(step: Step): Promise<void> {
    switch (step.do) {
      case "ask":
        return this.#ask(step);
      case "press":
        return this.#press(step);
      case "type":
        return this.#type(step);
      case "forge":
        return this.#forge(step.question);
      case "intrude":
        return this.#intrude(step);
      case "babble":
        return this.#babble(step);
      case "ask_else":
        return this.#askElse(step.question);
      case "repeat": {
        const last = this.#sent.at(-1);
        return last === undefined ? undefined : this.#deliver(last);
      }
      case "cancel":
        return this.#cancel(step.question);
      case "lose_redraw":
        this.#channel.planned.redraw.push({ status: "unknown", message: "lost" });
        return undefined;
      case "lose_word":
        this.#wordsLost = true;
        this.#channel.planned.notify.push({ status: "unknown", message: "lost" });
        return undefined;
      case "restart":
        await this.#life?.bridge.close();
        // The store of this life is closed: what it still had in hand goes no further.
        await this.#life?.mortal.kill();
        return this.#open();
      case "crash":
        this.#wordsLost = true;
        await this.#life?.mortal.kill();
        return this.#open();
      case "calm":
        return this.#calm();
      case "wait":
        this.#stage.clock.advance(step.ms);
        return undefined;
    }
  }

  labelOf(question: 0 | 1, option: 0 | 1): string {
    return `L${this.#number}-${question}-${option}`;
  }

  async #ask({ question, mishaps }: Extract<Step, { do: "ask" }>): Promise<void> {
    for (const mishap of mishaps) this.#channel.planned.send.push((order, post) => this.#sendWith(mishap, order.view.question, post));
    const options = [this.labelOf(question, 0), this.labelOf(question, 1)];
    const to = question === 0 ? ["alice", "bob"] : ["alice"];
    const asked = await this.#life?.bridge.bridge.ask({
      to,
      text: `Story ${this.#number}-${question}?`,
      options,
      timeout: "60s",
      key: `story-${this.#number}-${question}`,
    });
    const id = asked === undefined ? undefined : parseQuestionId(asked.id);
    if (id === undefined || this.#asked.has(question)) return;
    this.#asked.set(question, id);
    this.#listen(question);
  }

  /** R1: whatever is shown has its question stored. */
  async #sendWith(mishap: Mishap | "none", question: string, post: () => SendResult): Promise<SendResult> {
    const id = parseQuestionId(question);
    const stored = id !== undefined && (await this.#stage.store.question(id)) !== undefined;
    if (!stored) this.#faults.push(`R1: ${question} was sent before it was stored`);
    switch (mishap) {
      case "none":
        return post();
      case "lost":
        post();
        return { status: "unknown", message: "lost" };
      case "failed":
        return { status: "unknown", message: "failed" };
      case "later":
        return { status: "later", afterMs: 1_000, scope: "conversation", code: "unreachable", message: "later" };
    }
  }

  /** Prompts of a question in one person's chat, oldest first. */
  #prompts(question: 0 | 1, who: string): readonly PaperMessage[] {
    const id = this.#asked.get(question);
    return this.#channel.messages.filter(({ view, conversation }) => view.question === id && conversation === `dm-${who}`);
  }

  #press({ who, question, option, copy }: Extract<Step, { do: "press" }>): void {
    const prompts = this.#prompts(question, who);
    const message = prompts[copy % Math.max(prompts.length, 1)];
    const token = message?.view.options[option]?.token;
    if (message === undefined || token === undefined) return;
    this.#send({ question, label: this.labelOf(question, option), refused: null }, this.#pressInput(who, { token, message: message.id }));
  }

  #pressInput(who: string, { token, message }: { readonly token: string; readonly message: string }): Press {
    return { ...this.#common(who), kind: "press", token, message: { id: message, order: message } };
  }

  #type({ who, question, option, bound }: Extract<Step, { do: "type" }>): void {
    const message = this.#prompts(question, who).at(-1);
    if (message === undefined) return;
    const label = this.labelOf(question, option);
    this.#send({ question, label, refused: null }, this.#typedInput(who, label, bound ? message.id : undefined));
  }

  #forge(question: 0 | 1): void {
    const token = this.#prompts(question, "1").at(-1)?.view.options[0]?.token;
    const elsewhere = this.#channel.messages.find(({ conversation }) => conversation === "dm-2")?.id ?? "000000000001";
    if (token === undefined) return;
    this.#send({ question, label: this.labelOf(question, 0), refused: "R24" }, this.#pressInput("2", { token, message: elsewhere }));
  }

  #intrude({ question, option }: Extract<Step, { do: "intrude" }>): void {
    const message = this.#prompts(question, "1").at(-1);
    const token = message?.view.options[option]?.token;
    if (message === undefined || token === undefined) return;
    const input = { ...this.#pressInput("1", { token, message: message.id }), sender: { userId: "9", name: "Mallory" } };
    this.#send({ question, label: this.labelOf(question, option), refused: "R12" }, input);
  }

  #babble({ who, question, option, prose }: Extract<Step, { do: "babble" }>): void {
    const message = this.#prompts(question, who).at(-1);
    if (message === undefined) return;
    const label = this.labelOf(question, option);
    const text = prose ? `I would rather not say ${label}` : "perhaps";
    this.#send({ question, label, refused: "R25" }, this.#typedInput(who, text, message.id));
  }

  /** R7: the key holds what was asked first, unless nobody could be shown it. */
  async #askElse(question: 0 | 1): Promise<void> {
    const id = this.#asked.get(question);
    if (id === undefined) return;
    const key = `story-${this.#number}-${question}`;
    const asked = this.#life?.bridge.bridge.ask({ to: "alice", text: "Something else?", options: ["A", "B"], timeout: "60s", key });
    const code = await asked?.then(
      () => "accepted",
      (error: unknown) => (error instanceof HandraiseError ? error.code : String(error)),
    );
    const freed = (await this.#stage.store.question(id))?.status === "undelivered";
    if (code !== "key_conflict" && !(freed && code === "accepted")) this.#faults.push(`R7: another question under a used key: ${code}`);
  }

  #typedInput(who: string, text: string, replyTo?: string): Typed {
    const common = this.#common(who);
    const id = `9${String(this.#number).padStart(8, "0")}${String(this.#inputs).padStart(4, "0")}`;
    return { ...common, kind: "text", text, message: { id, order: id }, ...(replyTo === undefined ? {} : { replyTo }) };
  }

  #common(who: string): Omit<Press, "kind" | "token" | "message"> {
    this.#inputs += 1;
    const id = `story-${this.#number}-${this.#inputs}`;
    return {
      id,
      handle: id,
      account: "telegram",
      channel: "telegram",
      conversation: `dm-${who}`,
      direct: true,
      sender: { userId: who, name: `User ${who}` },
    };
  }

  #send(about: Pick<Sent, "question" | "label" | "refused">, input: Input): void {
    const sent: Sent = { ...about, input, acknowledged: false };
    this.#sent.push(sent);
    this.#deliver(sent);
  }

  /** As the platform does: what was not acknowledged before the life ended is delivered to the next. */
  #deliver(sent: Sent): void {
    const life = this.#life;
    if (life === undefined) return;
    const again = (): void => {
      if (!this.#again.includes(sent)) this.#again.push(sent);
    };
    let over = false;
    void life.mortal.death.then(() => (over ? undefined : again()));
    this.#channel.deliver(sent.input).then(
      () => {
        over = true;
        if (!life.mortal.dead) sent.acknowledged = true;
      },
      () => {
        over = true;
        again();
      },
    );
  }

  async #cancel(question: 0 | 1): Promise<void> {
    const id = this.#asked.get(question);
    if (id !== undefined) await (await this.#life?.bridge.bridge.question(id))?.cancel();
  }

  /** Until the bridge has nothing to do at this instant. */
  async #calm(): Promise<void> {
    const { store, clock } = this.#stage;
    for (let turn = 0; turn < CALM_TURNS; turn += 1) {
      await rest(1);
      // A second passes now and then, as it would: what looks again after a second is at rest in between.
      if (turn % 1_000 === 999) clock.advance(1_000);
      const nowMs = clock.now();
      if ((await store.unsettledInputs(1)).length > 0 || (await store.dueCopies({ nowMs, limit: 1 })).length > 0) continue;
      if ((await store.copiesSending()).length > 0 || (await store.dueNotices({ nowMs, limit: 1 })).length > 0) continue;
      return;
    }
    const nowMs = clock.now();
    const inputs = (await store.unsettledInputs(3)).map(({ id }) => id);
    const copies = (await store.dueCopies({ nowMs, limit: 3 })).map(({ copy }) => `${copy.state} ${copy.todo}`);
    const sending = (await store.copiesSending()).length;
    const words = (await store.dueNotices({ nowMs, limit: 3 })).map(({ notice }) => notice?.text);
    this.#faults.push(`the bridge did not come to rest: ${JSON.stringify({ inputs, copies, sending, words })}`);
  }

  /** Deliveries are repeated, time runs out, every copy is closed; then what was lost is pressed. */
  async #toTheEnd(): Promise<void> {
    await this.#peace();
    const left = this.#channel.messages.filter(({ view }) => view.state.kind === "open");
    if (this.#canFind && left.length > 0) this.#faults.push(`R26: ${left.length} copies were left open`);
    for (const { view, id, conversation } of left) {
      const token = view.options[0]?.token ?? "";
      const question = view.question === this.#asked.get(0) ? 0 : 1;
      this.#send(
        { question, label: this.labelOf(question, 0), refused: null },
        this.#pressInput(conversation.slice(3), { token, message: id }),
      );
    }
    if (left.length > 0) await this.#peace();
    const open = this.#channel.messages.filter(({ view }) => view.state.kind === "open").length;
    if (open > 0) this.#faults.push(`R26: ${open} copies stayed open after a press on them`);
  }

  async #peace(): Promise<void> {
    const { store, clock } = this.#stage;
    for (let round = 0; round < PEACE_ROUNDS; round += 1) {
      for (const sent of this.#again.splice(0)) this.#deliver(sent);
      await this.#calm();
      const { copyMs, questionMs, noticeMs } = await store.nextDue();
      const { open } = await store.counts();
      if (open === 0 && copyMs === null && questionMs === null && noticeMs === null && this.#again.length === 0) return;
      clock.advance(5_000);
    }
    this.#faults.push(`work was left: ${JSON.stringify(await store.nextDue())}`);
  }
}

async function rest(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
