/**
 * Races on one bridge with real SQLite: many questions at once, on each of them two people press different options, or one presses in
 * the very millisecond in which the time runs out. What the people were told is held against what the asker reads.
 */
import type { Press } from "../../src/core/input.js";
import type { NoticeOrder } from "../../src/ports/channel.js";
import { eventually } from "../fixtures/eventually.js";
import { FakeClock } from "../fixtures/fake-clock.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";
import { PaperChannel, type PaperMessage } from "../fixtures/paper-channel.js";

/** When a press comes: in any order with another person's, just before the end, at it, or while the clock moves to it. */
export type Moment = "with_another" | "just_before" | "at_the_end" | "while_it_ends";
/** Counts over all rounds. */
export type Tally = {
  rounds: number;
  presses: number;
  answered: number;
  expired: number;
  /** Presses that were told "Recorded". */
  recorded: number;
  /** Presses that were told that it was too late. */
  late: number;
  readonly faults: string[];
};

type Round = {
  readonly number: number;
  readonly moment: Moment;
  readonly id: string;
  readonly outcome: Promise<{ status: string; value?: unknown; by?: unknown }>;
};
type Pressed = { readonly round: Round; readonly press: Press; readonly label: string };

const BATCH = 100;
const TIMEOUT_MS = 60_000;
const LIMIT_MS = 60_000;
const CAPS = { perPrincipal: 1_000_000, perPerson: 1_000_000 };
const ENDS = new Set(["question.answered", "question.declined", "question.expired", "question.cancelled", "question.undelivered"]);

/** Numbers from 0 to 1 that a seed fixes. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** See the module's header. Opened once, raced many times. */
export class RaceRoom {
  readonly #bridge: PaperBridge;
  readonly #channel: PaperChannel;
  readonly #clock: FakeClock;
  readonly #chance: () => number;
  #number = 0;
  #cursor = 0;
  readonly tally: Tally = { rounds: 0, presses: 0, answered: 0, expired: 0, recorded: 0, late: 0, faults: [] };

  private constructor(bridge: PaperBridge, chance: () => number) {
    this.#bridge = bridge;
    this.#channel = bridge.channel;
    this.#clock = bridge.clock;
    this.#chance = chance;
  }

  static async open(seed: number): Promise<RaceRoom> {
    return new RaceRoom(await openPaperBridge({ caps: CAPS, fakeClock: new FakeClock(), channel: new PaperChannel() }), seeded(seed));
  }

  close(): Promise<void> {
    return this.#bridge.end();
  }

  /** Runs so many rounds, in batches; `moments` take turns. */
  async run(rounds: number, moments: readonly Moment[]): Promise<void> {
    for (let left = rounds; left > 0; left -= BATCH) await this.#batch(Math.min(BATCH, left), moments);
  }

  async #batch(count: number, moments: readonly Moment[]): Promise<void> {
    this.#channel.messages.length = 0;
    this.#channel.words.length = 0;
    const rounds = await Promise.all(Array.from({ length: count }, () => this.#ask(moments)));
    const prompts = await this.#shown(rounds);
    this.#clock.advance(TIMEOUT_MS - 1);
    const at = (moment: Moment): readonly Pressed[] =>
      rounds.filter((round) => round.moment === moment).flatMap((round) => this.#presses(round, prompts));
    const early = this.#shuffled([...at("with_another"), ...at("just_before")]);
    await this.#deliver(early);
    const meeting = this.#shuffled(at("while_it_ends"));
    const delivering = this.#deliver(meeting);
    // The end comes at any step of the way in: before the row is stored, while it is being stored, while it is judged.
    for (let turns = Math.floor(this.#chance() * 12); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
    this.#clock.advance(1);
    const atEnd = this.#shuffled(at("at_the_end"));
    await Promise.all([delivering, this.#deliver(atEnd)]);
    await this.#over(rounds);
    await this.#count(rounds, [...early, ...meeting, ...atEnd]);
  }

  async #ask(moments: readonly Moment[]): Promise<Round> {
    const number = this.#number++;
    const question = await this.#bridge.bridge.ask({
      ...{ to: `telegram:-${100_000 + number}`, audience: ["alice", "bob"], text: `Race ${number}?`, key: `race-${number}` },
      ...{ options: [`Left ${number}`, `Right ${number}`], expiresAt: new Date(this.#clock.now() + TIMEOUT_MS).toISOString() },
    });
    return { number, moment: moments[number % moments.length] ?? "with_another", id: question.id, outcome: question.outcome() };
  }

  /** The prompts by question, once every copy is known to be shown. */
  async #shown(rounds: readonly Round[]): Promise<ReadonlyMap<string, PaperMessage>> {
    await eventually(async () => {
      if (this.#channel.messages.length < rounds.length) throw new Error("prompts are missing");
      if ((await this.#bridge.store.copiesSending()).length > 0) throw new Error("a send is not recorded yet");
    }, LIMIT_MS);
    return new Map(this.#channel.messages.map((message) => [message.view.question, message]));
  }

  /** One press on each option: Alice's and Bob's, or one of one of them. */
  #presses(round: Round, prompts: ReadonlyMap<string, PaperMessage>): readonly Pressed[] {
    const message = prompts.get(round.id);
    if (message === undefined) throw new Error(`round ${round.number} has no prompt`);
    const people = round.moment === "with_another" || this.#chance() < 0.5 ? ["1", "2"] : ["1"];
    return people.map((userId, index) => {
      const option = message.view.options[index];
      if (option === undefined) throw new Error("an option is missing");
      const press: Press = {
        account: this.#channel.account,
        channel: this.#channel.kind,
        conversation: message.conversation,
        direct: false,
        kind: "press",
        id: `race-${round.number}-${userId}`,
        handle: `race-${round.number}-${userId}`,
        token: option.token,
        message: { id: message.id, order: message.id },
        sender: { userId, name: `User ${userId}` },
      };
      return { round, press, label: option.label };
    });
  }

  #shuffled<T>(items: readonly T[]): readonly T[] {
    return items
      .map((item) => ({ item, at: this.#chance() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }

  async #deliver(presses: readonly Pressed[]): Promise<void> {
    await Promise.all(
      presses.map(async ({ press }) => {
        const taken = await this.#channel.deliver(press);
        if (taken.kind !== "taken") this.tally.faults.push(`${press.id} was not taken: ${taken.kind}`);
      }),
    );
  }

  /** Lets the time run until every question has ended; never past an input that is not settled. */
  async #over(rounds: readonly Round[]): Promise<void> {
    let open = rounds.length;
    for (const { outcome } of rounds) void outcome.finally(() => (open -= 1));
    await eventually(async () => {
      if ((await this.#bridge.store.unsettledInputs(1)).length > 0) throw new Error("an input is not settled");
      if (open === 0) return;
      this.#clock.advance(200);
      throw new Error(`${open} questions are open`);
    }, LIMIT_MS);
  }

  async #count(rounds: readonly Round[], presses: readonly Pressed[]): Promise<void> {
    const words = await eventually(() => {
      const said = new Map(this.#channel.words.map((word) => [word.handle, word]));
      if (said.size < presses.length) throw new Error(`${said.size} of ${presses.length} presses were told something`);
      return said;
    }, LIMIT_MS);
    const ends = await this.#ends();
    this.tally.rounds += rounds.length;
    this.tally.presses += presses.length;
    for (const round of rounds) {
      const own = presses.filter((pressed) => pressed.round === round);
      await this.#judge(round, own, { words, ends: ends.get(round.id) ?? [] });
    }
  }

  async #ends(): Promise<ReadonlyMap<string, readonly string[]>> {
    const { events, newest } = await this.#bridge.store.events({ id: this.#cursor, limit: 100_000 });
    this.#cursor = newest;
    const ends = new Map<string, string[]>();
    for (const { question, type } of events.filter((event) => ENDS.has(event.type)))
      ends.set(question, [...(ends.get(question) ?? []), type]);
    return ends;
  }

  async #judge(
    round: Round,
    presses: readonly Pressed[],
    { words, ends }: { readonly words: ReadonlyMap<string | undefined, NoticeOrder>; readonly ends: readonly string[] },
  ): Promise<void> {
    const outcome = await round.outcome;
    const { tally } = this;
    const fault = (text: string): void => void tally.faults.push(`round ${round.number} (${round.moment}): ${text}`);
    if (ends.length !== 1 || ends[0] !== `question.${outcome.status}`) fault(`ended as ${ends.join(", ")}, read as ${outcome.status}`);
    if (outcome.status === "answered") tally.answered += 1;
    else if (outcome.status === "expired") tally.expired += 1;
    else fault(`ended ${outcome.status}`);
    if (round.moment === "at_the_end" && outcome.status === "answered") fault("an answer at the deadline counted");
    if (["with_another", "just_before"].includes(round.moment) && outcome.status !== "answered")
      fault("an answer before the deadline was lost");
    for (const { press, label } of presses) {
      const text = words.get(press.handle)?.text ?? "nothing";
      const won = text === `Recorded: ${label}.`;
      if (won) tally.recorded += 1;
      else if (text.startsWith("Too late")) tally.late += 1;
      else fault(`${press.id} was told "${text}"`);
      if (won && outcome.value !== label) fault(`"${label}" was acknowledged, the asker read ${JSON.stringify(outcome.value)}`);
      if (!won && outcome.value === label) fault(`"${label}" is the outcome, its sender was told "${text}"`);
    }
  }
}
