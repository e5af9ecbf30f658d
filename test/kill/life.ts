/** One life of the child process, from its start to its death. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { ChatKind } from "../../src/testing/sim/simulator.js";
import { type Audit, type FromChild, type Fuse, type KillAsk, parseFromChild, type ToChild } from "./protocol.js";

/** What every life of one rig starts with. */
export type LifeSettings = {
  readonly entry: string;
  readonly chat: ChatKind;
  readonly config: Readonly<Record<string, unknown>>;
  readonly folder: string;
};

/** An outcome as the asker was handed it. */
export type Handed = Extract<FromChild, { said: "outcome" }>;

/** Longest wait for one report of the child, in milliseconds; far beyond what a loaded machine needs. */
const REPORT_MS = 120_000;

/** A running child. `onOutcome` hears what its asker is handed. */
export class Life {
  readonly #process: ChildProcess;
  readonly #onOutcome: (handed: Handed) => void;
  readonly #waiting = new Map<FromChild["said"], { resolve: (message: FromChild) => void; reject: (error: Error) => void }>();
  /** How it ended. A point that was reached ends it by SIGKILL. */
  readonly ended: Promise<string>;
  #over: string | undefined;
  #failure: string | undefined;

  constructor(
    settings: LifeSettings,
    { fuse, onOutcome }: { readonly fuse?: Fuse | undefined; readonly onOutcome: (handed: Handed) => void },
  ) {
    const { entry, chat, config, folder } = settings;
    this.#onOutcome = onOutcome;
    this.#process = fork(entry, [], { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
    this.#process.on("message", (message) => this.#heard(parseFromChild(message)));
    this.#process.on("error", () => undefined);
    this.ended = once(this.#process, "exit").then(([code, signal]: unknown[]) => {
      this.#over = typeof signal === "string" ? signal : `code ${String(code)}${this.#failure === undefined ? "" : `: ${this.#failure}`}`;
      for (const { reject } of this.#waiting.values()) reject(new Error(`the child ended: ${this.#over}`));
      return this.#over;
    });
    this.#send({ do: "start", chat, config: { ...config }, folder, ...(fuse === undefined ? {} : { fuse }) });
  }

  /** What the child could not do, if anything. */
  get failure(): string | undefined {
    return this.#failure;
  }

  get alive(): boolean {
    return this.#over === undefined;
  }

  /** Resolves when the bridge is live, or when the child died on the way there. */
  async up(): Promise<void> {
    const up = this.#report("up").catch((error: unknown) => {
      if (this.alive) throw error;
    });
    await Promise.race([up, this.ended]);
  }

  async arm(fuse: Fuse): Promise<void> {
    const armed = this.#report("armed");
    this.#send({ do: "arm", fuse });
    await armed;
  }

  ask(ask: KillAsk): void {
    this.#send({ do: "ask", ask });
  }

  async audit(key: string, after: number): Promise<Audit> {
    const report = this.#report("audit");
    this.#send({ do: "audit", key, after });
    const audit = await report;
    if (audit.said !== "audit") throw new Error("not an audit");
    return audit;
  }

  /** Kills it from outside; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }

  #send(order: ToChild): void {
    if (this.#process.connected) this.#process.send(order, () => undefined);
  }

  #heard(message: FromChild): void {
    if (message.said === "outcome") this.#onOutcome(message);
    else if (message.said === "failed") this.#failed(message.error);
    else this.#waiting.get(message.said)?.resolve(message);
  }

  #failed(error: string): void {
    this.#failure = error;
    for (const { reject } of this.#waiting.values()) reject(new Error(error));
  }

  async #report(said: FromChild["said"]): Promise<FromChild> {
    if (this.#over !== undefined) throw new Error(`the child ended: ${this.#over}`);
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<FromChild>((resolve, reject) => {
        this.#waiting.set(said, { resolve, reject });
        timer = setTimeout(() => reject(new Error(`the child did not say "${said}" in ${REPORT_MS} ms`)), REPORT_MS);
      });
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(said);
    }
  }
}
