/**
 * The dispatcher contract (R16, R17, R20): every dispatcher runs this suite against a real gateway.
 *
 *   describeDispatcherContract("http", openBench)
 *
 * The bench sees the moment in which the first byte of a call is handed over (in process: the moment in which the commit is), and what
 * arrives at the gateway. Clauses are numbered DP1, DP2, …
 */
import { afterEach, describe, expect, it } from "vitest";
import type { QuestionId } from "../../core/ids.js";
import type { DispatchAuthority, Dispatcher, DispatchRequest } from "../../ports/dispatcher.js";
import { DispatchLost } from "../../ports/dispatcher.js";

/** One dispatcher before one gateway, made anew for each clause. */
export type DispatcherBench = {
  /** A dispatcher that has not called anything yet. */
  readonly fresh: () => Dispatcher;
  /** A question that is open and shown; its only answers are "staging" and "prod". */
  readonly ask: () => Promise<QuestionId>;
  /** `question.resolve` with an answer to it that the gateway would take. */
  readonly answerTo: (question: QuestionId) => Pick<DispatchRequest, "method" | "params">;
  /** A call that changes nothing and that the gateway takes. */
  readonly harmless: () => Pick<DispatchRequest, "method" | "params">;
  readonly statusOf: (question: QuestionId) => Promise<string>;
  /** `run` is called in the tick of each dispatch. */
  readonly onDispatch: (run: () => void) => void;
  /** What has arrived at the gateway so far, as it reads it. */
  readonly arrived: () => readonly unknown[];
  /** For dispatchers over a wire. `down`: nothing listens any more. `losesAnswers`: calls are carried out, their answers are lost. */
  readonly wire?: { readonly down: () => Promise<void>; readonly losesAnswers: () => void };
  readonly stop: () => Promise<void>;
};
/** Makes a bench for one clause. */
export type OpenDispatcherBench = () => Promise<DispatcherBench>;

const STEPS_MAX = 400;
const ENDED = new Error("the authority has ended");

/** An authority that a clause ends when it likes. */
class Mortal {
  ended = false;
  asserted = 0;
  readonly authority: DispatchAuthority;
  constructor(kind: "run" | "source-bound" = "source-bound") {
    this.authority = {
      kind,
      assertCurrent: () => {
        this.asserted += 1;
        if (this.ended) throw ENDED;
      },
    };
  }
}

/** Runs all clauses. */
export function describeDispatcherContract(name: string, open: OpenDispatcherBench): void {
  describe(`dispatcher contract: ${name}`, () => {
    const benches: DispatcherBench[] = [];
    const bench: OpenDispatcherBench = async () => {
      const made = await open();
      benches.push(made);
      return made;
    };
    afterEach(async () => {
      await Promise.all(benches.splice(0).map((made) => made.stop()));
    });
    callClauses(bench);
    guardClauses(bench);
    lossClauses(bench);
  });
}

function callClauses(open: OpenDispatcherBench): void {
  it("DP1 R20 says that it is guarded by its version alone", async () => {
    expect((await open()).fresh().version).toBe(2);
  });
  it("DP2 a call under a current authority is carried out once, and its result comes back", async () => {
    const bench = await open();
    const id = await bench.ask();
    const mortal = new Mortal();
    const receipt = await bench.fresh().call({ ...bench.answerTo(id), options: {}, authority: mortal.authority });
    expect(receipt).toMatchObject({ question: id, status: "committed" });
    expect(await bench.statusOf(id)).toBe("answered");
    expect(bench.arrived()).toHaveLength(1);
    expect(mortal.asserted).toBeGreaterThan(0);
  });
  it("DP3 an unscoped call needs no authority", async () => {
    const bench = await open();
    await bench.fresh().call({ ...bench.harmless(), options: {}, authority: { kind: "unscoped" } });
    expect(bench.arrived()).toHaveLength(1);
  });
  it("DP4 an unknown method is refused with input_invalid", async () => {
    const bench = await open();
    const call = bench.fresh().call({ method: "no.such", params: {}, options: {}, authority: { kind: "unscoped" } });
    await expect(call).rejects.toMatchObject({ code: "input_invalid" });
  });
  it("DP5 R16 nothing of the authority goes to the gateway", async () => {
    const bench = await open();
    const id = await bench.ask();
    await bench.fresh().call({ ...bench.answerTo(id), options: {}, authority: new Mortal().authority });
    expect(JSON.stringify(bench.arrived())).not.toMatch(/authority|assertCurrent|source-bound/);
  });
}

type Ending = {
  readonly step: number;
  readonly wait: () => Promise<unknown>;
  readonly reused: boolean;
  readonly kind: "run" | "source-bound";
};
type Fate = "refused" | "dispatched";

/** One call whose authority ends after `step` waits. */
async function endedAt(bench: DispatcherBench, { step, wait, reused, kind }: Ending): Promise<Fate> {
  const id = await bench.ask();
  const dispatcher = bench.fresh();
  if (reused) await dispatcher.call({ ...bench.harmless(), options: {}, authority: { kind: "unscoped" } });
  const before = bench.arrived().length;
  const mortal = new Mortal(kind);
  const dispatchedWhile: boolean[] = [];
  bench.onDispatch(() => dispatchedWhile.push(mortal.ended));
  const call = dispatcher.call({ ...bench.answerTo(id), options: {}, authority: mortal.authority }).then(
    () => "dispatched" as const,
    (error: unknown) => error,
  );
  for (let waited = 0; waited < step; waited += 1) await wait();
  mortal.ended = true;
  const fate = await call;
  bench.onDispatch(() => undefined);
  expect(dispatchedWhile.filter((ended) => ended)).toEqual([]);
  if (fate === "dispatched") {
    expect(await bench.statusOf(id)).toBe("answered");
    return "dispatched";
  }
  expect(fate).toBe(ENDED);
  expect(dispatchedWhile).toEqual([]);
  expect(bench.arrived().length).toBe(before);
  expect(await bench.statusOf(id)).toBe("open");
  return "refused";
}

const MICRO = (): Promise<void> => Promise.resolve();
const MACRO = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

function guardClauses(open: OpenDispatcherBench): void {
  it("DP6 R16 under an authority that has ended nothing is written", async () => {
    const bench = await open();
    for (const kind of ["run", "source-bound"] as const) {
      expect(await endedAt(bench, { step: 0, wait: MICRO, reused: false, kind })).toBe("refused");
    }
  });
  for (const reused of [false, true]) {
    const over = reused ? "over a connection that was used before" : "over a new connection";
    it(`DP7 R16 an authority that ends at any point of the preparation, ${over}: nothing was written`, async () => {
      const bench = await open();
      const fates: Fate[] = [];
      for (const wait of [MICRO, MACRO]) {
        // Every boundary up to the dispatch: the steps go on until the call gets through before its authority ends, three times in a row.
        let through = 0;
        for (let step = 1; through < 3 && step < STEPS_MAX; step += 1) {
          const fate = await endedAt(bench, { step, wait, reused, kind: "source-bound" });
          fates.push(fate);
          through = fate === "dispatched" ? through + 1 : 0;
          if (wait === MICRO && step >= 60) break;
        }
        if (wait === MACRO) expect(through).toBe(3);
      }
      expect(new Set(fates)).toEqual(new Set(["refused", "dispatched"]));
    });
  }
}

function lossClauses(open: OpenDispatcherBench): void {
  it("DP8 a caller that has stopped before the call sends nothing", async () => {
    const bench = await open();
    const id = await bench.ask();
    if (bench.wire === undefined) return;
    const call = bench.fresh().call({ ...bench.answerTo(id), options: {}, signal: AbortSignal.abort(), authority: new Mortal().authority });
    expect(await lostOf(call)).toMatchObject({ dispatched: false });
    expect(bench.arrived()).toEqual([]);
  });
  it("DP9 R17 a gateway that is not there: the call was not dispatched", async () => {
    const bench = await open();
    const id = await bench.ask();
    if (bench.wire === undefined) return;
    await bench.wire.down();
    const call = bench.fresh().call({ ...bench.answerTo(id), options: {}, authority: new Mortal().authority });
    expect(await lostOf(call)).toMatchObject({ dispatched: false });
  });
  it("DP10 R17 an answer that is lost: the call may have been carried out, and is not sent again", async () => {
    const bench = await open();
    const id = await bench.ask();
    if (bench.wire === undefined) return;
    bench.wire.losesAnswers();
    const call = bench.fresh().call({ ...bench.answerTo(id), options: {}, authority: new Mortal().authority });
    expect(await lostOf(call)).toMatchObject({ dispatched: true });
    expect(bench.arrived()).toHaveLength(1);
    expect(await bench.statusOf(id)).toBe("answered");
  });
}

async function lostOf(call: Promise<unknown>): Promise<DispatchLost> {
  const error: unknown = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(DispatchLost);
  return error as DispatchLost;
}
