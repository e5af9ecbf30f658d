/**
 * One chat's simulator, data folder and chain of lives. Each round asks one question, kills the process at a named point, starts it
 * again and counts what must never happen. The life that ends one round in peace is the one that the next round kills.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatKind } from "../../src/testing/sim/simulator.js";
import { eventually } from "../fixtures/eventually.js";
import { Answerer, type Scene } from "./answerer.js";
import { type AnySimulator, startSimulator } from "./chats.js";
import { type Handed, Life } from "./life.js";
import { type KillPoint, METHODS, type Where } from "./points.js";
import type { Audit, Fuse, KillAsk } from "./protocol.js";

/** What one round found; everything but `ms` must be 0, and `extra` at most 1 where the point allows it. */
export type Round = {
  readonly lost: number;
  readonly doubled: number;
  readonly leftOpen: number;
  /** Copies beyond the first. */
  readonly extra: number;
  readonly ms: number;
  /** Everything that was not as it must be, in words. */
  readonly faults: readonly string[];
};

/** Longest wait for a point, an outcome or peace, in milliseconds. */
const LIMIT_MS = 60_000;
const AGAIN = "Shown again";

/** See the module's header. */
export class Rig {
  readonly chat: ChatKind;
  readonly #simulator: AnySimulator;
  readonly #folder: string;
  readonly #entry: string;
  readonly #handed: Handed[] = [];
  #life: Life | undefined;
  #cursor = 0;

  private constructor(parts: { readonly simulator: AnySimulator; readonly folder: string; readonly entry: string }) {
    this.#simulator = parts.simulator;
    this.#folder = parts.folder;
    this.#entry = parts.entry;
    this.chat = parts.simulator.channel;
  }

  static async open(chat: ChatKind, entry: string): Promise<Rig> {
    const folder = await mkdtemp(join(tmpdir(), "handraise-kill-"));
    const simulator = await startSimulator(chat);
    simulator.person("alice");
    return new Rig({ simulator, folder, entry });
  }

  async close(): Promise<void> {
    await this.#life?.kill();
    await this.#simulator.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #start(fuse?: Fuse): Life {
    const { chat } = this;
    const config = {
      accounts: { [chat]: this.#simulator.account() },
      people: { alice: { name: "Alice Wong", [chat]: this.#simulator.person("alice").userId } },
      access: { anyone: false },
      defaults: { timeout: "1h" },
    };
    const life = new Life(
      { entry: this.#entry, chat, config, folder: this.#folder },
      { fuse, onOutcome: (handed) => this.#handed.push(handed) },
    );
    this.#life = life;
    return life;
  }

  async #living(): Promise<Life> {
    if (this.#life?.alive === true) return this.#life;
    const life = this.#start();
    await life.up();
    return life;
  }

  /** Asks, dies at the point, starts again, answers to the end. */
  async round(point: KillPoint, number: number): Promise<Round> {
    const startedAt = performance.now();
    const scene = this.#scene(point, number);
    const person = new Answerer(this.#simulator.person("alice"), scene);
    const undo = this.#simulator.onChange(() => setImmediate(() => person.choosesQuestion()));
    try {
      const verdict = await this.#play({ point, scene, person });
      return { ...verdict, ms: Math.round(performance.now() - startedAt) };
    } catch (error) {
      const state = { acts: person.acts, recorded: person.recorded(), prompts: person.prompts() };
      throw new Error(`${String(error)} ${JSON.stringify(state)}`);
    } finally {
      undo();
    }
  }

  async #play({ point, scene, person }: Pick<Ending, "point" | "scene" | "person">): Promise<Omit<Round, "ms">> {
    const { to, key, text, options } = scene;
    const ask: KillAsk = { to, audience: "alice", text, options: [...options], key };
    let life = await this.#living();
    const died = await this.#watch(life, point.first ?? point.where, person);
    const answering = person.answers(LIMIT_MS);
    answering.catch(() => undefined);
    life.ask(ask);
    await this.#diesAt(life, died);
    if (point.first !== undefined) {
      if (point.where.kind !== "child") throw new Error("only a child's fuse can be set before a start");
      life = this.#start(point.where);
      await life.up();
      if (life.alive) life.ask(ask);
      await this.#diesAt(life, life.ended);
    }
    life = this.#start();
    await life.up();
    life.ask(ask);
    return this.#verdict({ life, point, scene, person, answering });
  }

  #scene(point: KillPoint, number: number): Scene {
    const shared = number % 3 === 2 && this.#simulator.channelNamed("releases", { members: ["alice"] });
    const label = String(number).padStart(5, "0");
    return {
      chat: this.chat,
      place: shared === false ? undefined : shared,
      to: shared === false ? "alice" : `${this.chat}:${shared.conversation}`,
      key: `round-${label}`,
      text: `Build ${label}: go?`,
      options: [`Ship ${label}`, `Hold ${label}`],
      mode: point.pressOnly || number % 2 === 0 ? "press" : "text",
      copy: number % 4 < 2 ? "first" : "last",
    };
  }

  /** Sets the point up; resolves with a promise of the life's end. */
  async #watch(life: Life, where: Where, person: Answerer): Promise<{ readonly ended: Promise<string> }> {
    if (where.kind === "child") {
      await life.arm(where);
    } else if (where.kind === "call") {
      if (where.call === "confirm") await eventually(() => this.#simulator.assertPolled(), LIMIT_MS);
      const kind = where.phase === "before" ? "hook_before" : "hook_after";
      this.#simulator.faults.on(METHODS[this.chat][where.call], { kind, hook: () => life.kill() });
    } else {
      const confirmed = eventually(() => this.#simulator.assertConfirmed(person.acts), LIMIT_MS);
      confirmed.then(
        () => life.kill(),
        () => undefined,
      );
    }
    return { ended: life.ended };
  }

  async #diesAt(life: Life, death: { readonly ended: Promise<string> } | Promise<string>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`the point was not reached in ${LIMIT_MS} ms ${life.failure ?? ""}`), LIMIT_MS);
    });
    const how = await Promise.race(["ended" in death ? death.ended : death, limit]);
    clearTimeout(timer);
    this.#simulator.faults.clear();
    if (how === "SIGKILL") return;
    if (life.alive) await life.kill();
    throw new Error(`the child ended otherwise: ${how}`);
  }

  async #verdict(at: Ending): Promise<Omit<Round, "ms">> {
    const { life, scene, person, answering } = at;
    const faults: string[] = [];
    const handed = await this.#outcome(at).catch((error: unknown) => {
      faults.push(String(error));
      return undefined;
    });
    await answering.catch((error: unknown) => faults.push(String(error)));
    const audit = await this.#peace(life, scene, faults);
    const lost = lostOf({ person, value: handed?.value, chat: this.chat });
    const doubled = this.#doubledOf(scene, audit);
    const seen = await this.#copies(at, { mayRepeat: this.chat === "telegram" && audit?.unconfirmed === true, faults });
    if (audit !== undefined && audit.unsettled > 0) faults.push(`${audit.unsettled} inputs were left unsettled`);
    if (lost.length > 0 || doubled.length > 0 || faults.length > 0)
      faults.push(JSON.stringify({ audit, acts: person.acts, recorded: person.recorded(), prompts: person.prompts(), handed }));
    return { lost: lost.length, doubled: doubled.length, ...seen, faults: [...lost, ...doubled, ...faults] };
  }

  /** The asker is handed the outcome, while the person does what a person does. */
  #outcome({ life, scene, person }: Ending): Promise<Handed> {
    const known = this.#handed.filter(({ key }) => key === scene.key).length;
    return eventually(() => {
      person.insists();
      const outcomes = this.#handed.filter(({ key }) => key === scene.key);
      const last = outcomes.at(-1);
      if (last === undefined || outcomes.length < Math.max(known, 1))
        throw new Error(`no outcome reached the asker; ${life.failure ?? ""}`);
      return last;
    }, LIMIT_MS);
  }

  /** Waits until nothing is left to do. */
  async #peace(life: Life, scene: Scene, faults: string[]): Promise<Audit | undefined> {
    let last: Audit | undefined;
    try {
      await eventually(async () => {
        last = await life.audit(scene.key, this.#cursor);
        if (!last.quiet) throw new Error("work was left to do");
      }, LIMIT_MS);
    } catch (error) {
      faults.push(String(error));
    }
    return last;
  }

  #doubledOf(scene: Scene, audit: Audit | undefined): readonly string[] {
    if (audit === undefined) return ["the store could not be read"];
    this.#cursor = audit.newest;
    const answered = audit.events.filter((type) => type === "question.answered").length;
    const values = new Set(this.#handed.filter(({ key }) => key === scene.key).map(({ status, value }) => `${status} ${String(value)}`));
    return [
      ...(answered === 1 ? [] : [`${answered} question.answered events`]),
      ...(values.size <= 1 ? [] : [`the asker read ${[...values].join(" and ")}`]),
    ];
  }

  async #copies(
    { life, scene, person }: Ending,
    { mayRepeat, faults }: { readonly mayRepeat: boolean; readonly faults: string[] },
  ): Promise<{ leftOpen: number; extra: number }> {
    const extra = person.prompts().length - 1;
    if (extra < 0) faults.push("the prompt was never shown");
    if (extra > (mayRepeat ? 1 : 0)) faults.push(`${extra} extra copies`);
    const labelled = person.prompts().filter(({ text }) => text.includes(AGAIN)).length;
    if (extra === 1 && labelled !== 1) faults.push(`${labelled} copies say "${AGAIN}"`);
    for (const on of person.openPrompts().filter(({ text }) => mayRepeat && !text.includes(AGAIN))) {
      const word = await person.pressesLeftover(on);
      if (!/already answered|Too late/.test(word)) faults.push(`a press on the first copy read "${word}"`);
      await eventually(() => {
        if (person.openPrompts().some(({ id }) => id === on.id)) throw new Error("the press did not close the first copy");
      }, LIMIT_MS).catch((error: unknown) => faults.push(String(error)));
      await this.#peace(life, scene, faults);
    }
    const leftOpen = person.openPrompts().length;
    if (leftOpen > 0) faults.push(`${leftOpen} prompts were left open`);
    return { leftOpen, extra: Math.max(extra, 0) };
  }
}

type Ending = {
  readonly life: Life;
  readonly point: KillPoint;
  readonly scene: Scene;
  readonly person: Answerer;
  readonly answering: Promise<void>;
};

/** Answers that were acknowledged and did not reach the asker. */
function lostOf({
  person,
  value,
  chat,
}: {
  readonly person: Answerer;
  readonly value: unknown;
  readonly chat: ChatKind;
}): readonly string[] {
  const [first, second] = person.acts;
  const said = [...new Set(person.recorded())].filter((label) => label !== value).map((label) => `"${label}" was called recorded`);
  const only = first !== undefined && second === undefined && first.choice !== value ? [`"${first.choice}" was given`] : [];
  const passedOver =
    chat === "slack" && second?.result?.acknowledged === true && second.choice !== value && !person.toldOtherwise()
      ? [`"${second.choice}" was acknowledged and nothing was said`]
      : [];
  return [...said, ...only, ...passedOver].map((fault) => `${fault}; the asker read ${JSON.stringify(value)}`);
}
