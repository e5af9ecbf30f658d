import { describe, expect, it } from "vitest";
import { createRun, type RunHandle, type RunHold } from "../../src/client/run.js";
import { HandraiseError } from "../../src/errors.js";

function held(over: Partial<RunHold> = {}) {
  const calls: string[] = [];
  const controller = new AbortController();
  const note = (what: string) => async (): Promise<void> => {
    calls.push(what);
  };
  const hold: RunHold = {
    id: "run_1",
    signal: controller.signal,
    ask: () => Promise.reject(new Error("asked")),
    heartbeat: note("heartbeat"),
    close: (reason) => note(`close ${reason ?? ""}`.trim())(),
    retain: () => undefined,
    ...over,
  };
  return { run: createRun(hold), calls, controller, hold };
}
const codeOf = async (call: () => unknown): Promise<string> => {
  try {
    await call();
    return "no error";
  } catch (error) {
    return error instanceof HandraiseError ? error.code : String(error);
  }
};
const METHODS = ["heartbeat", "close", "retainAuthority", "ask"] as const;
const call = (on: RunHandle, method: (typeof METHODS)[number]): unknown => (method === "ask" ? on.ask({ text: "Ship?" }) : on[method]());

describe("a run's object (R15)", () => {
  const { run } = held();
  const derived: RunHandle = Object.create(run);
  const imitations: readonly [string, RunHandle][] = [
    ["a spread copy", { ...run }],
    ["a proxy", new Proxy(run, {})],
    ["Object.create", derived],
    ["Object.assign", Object.assign({}, run)],
  ];
  it.each(imitations)("R15 %s carries no authority: every method is refused, and nothing happens", async (_name, imitation) => {
    for (const method of METHODS) expect(await codeOf(() => call(imitation, method)), method).toBe("authority_stale");
    expect(await codeOf(() => imitation[Symbol.asyncDispose]())).toBe("authority_stale");
  });

  it("R15 a structured clone cannot be made, a subclass or a second instance neither", async () => {
    expect(() => structuredClone(run)).toThrow();
    const make: unknown = run.constructor;
    if (typeof make !== "function") throw new Error("a run has a constructor");
    expect(await codeOf(() => Reflect.construct(make, [held().hold, Symbol("createRun")]))).toBe("authority_stale");
    const Sub = class extends (make as new (...args: unknown[]) => object) {};
    expect(await codeOf(() => new Sub(held().hold, Symbol("createRun")))).toBe("authority_stale");
  });

  it("R15 a method works on its own run only, not loose and not on another object", async () => {
    const { heartbeat } = run;
    expect(await codeOf(() => heartbeat.call(undefined as never))).toBe("authority_stale");
    expect(await codeOf(() => heartbeat.call({ id: run.id } as never))).toBe("authority_stale");
    expect(await codeOf(() => run.heartbeat())).toBe("no error");
  });

  it("R15 what stands behind it is captured: neither the run nor what it was made from can be changed afterwards", async () => {
    const { run: own, calls, hold } = held();
    expect(Object.isFrozen(own)).toBe(true);
    expect(() => Object.assign(own, { id: "run_2" })).toThrow(TypeError);
    expect(() => Object.setPrototypeOf(own, {})).toThrow(TypeError);
    Object.assign(hold, { heartbeat: () => Promise.reject(new Error("replaced")) });
    await own.heartbeat();
    expect(calls).toEqual(["heartbeat"]);
  });

  it("R15 after close every call fails closed with run_closed, from the call of close on; closing twice closes once", async () => {
    const { run: own, calls } = held();
    const closing = own.close("done");
    for (const method of ["ask", "heartbeat", "retainAuthority"] as const)
      expect(await codeOf(() => call(own, method)), method).toBe("run_closed");
    await closing;
    await own.close();
    await own[Symbol.asyncDispose]();
    expect(calls).toEqual(["close done"]);
  });

  it("R15 a run that was ended elsewhere fails closed too", async () => {
    const { run: own, controller } = held();
    controller.abort();
    for (const method of ["ask", "heartbeat", "retainAuthority"] as const)
      expect(await codeOf(() => call(own, method)), method).toBe("run_closed");
  });

  it("R15 a close that could not be stored may be tried again", async () => {
    let tries = 0;
    const close = async (): Promise<void> => {
      tries += 1;
      if (tries === 1) throw new HandraiseError("store_unavailable", "The store is out of reach.");
    };
    const { run: own } = held({ close });
    expect(await codeOf(() => own.close())).toBe("store_unavailable");
    expect(await codeOf(() => own.close())).toBe("no error");
    expect(tries).toBe(2);
  });
});
