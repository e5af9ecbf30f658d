/** R20: what is guarded is told by `version: 2` alone; a plain function carries no person's input. */
import { describe, expect, it } from "vitest";
import { openBridge } from "../../src/app/bridge.js";
import { legacyDispatcher, toDispatcher } from "../../src/dispatch/legacy.js";
import type { DispatchAuthority } from "../../src/ports/dispatcher.js";
import { FakeClock } from "../fixtures/fake-clock.js";
import { openPaperBridge, paperSettings, quietLog } from "../fixtures/paper-bridge.js";
import { PaperChannel } from "../fixtures/paper-channel.js";
import { quickFolder } from "../fixtures/quick-folder.js";

const CURRENT: DispatchAuthority = { kind: "source-bound", assertCurrent: () => undefined };

describe("a plain function as dispatcher", () => {
  it("R20 carries unscoped and run calls, the run's authority asserted before", async () => {
    const calls: unknown[] = [];
    const legacy = legacyDispatcher(async (method, params) => calls.push([method, params]));
    await legacy.call({ method: "question.get", params: 1, options: {}, authority: { kind: "unscoped" } });
    await legacy.call({ method: "question.get", params: 2, options: {}, authority: { kind: "run", assertCurrent: () => undefined } });
    const ended = () => {
      throw new Error("ended");
    };
    const late = legacy.call({ method: "question.get", params: 3, options: {}, authority: { kind: "run", assertCurrent: ended } });
    await expect(late).rejects.toThrow("ended");
    expect(calls).toEqual([
      ["question.get", 1],
      ["question.get", 2],
    ]);
  });
  it("R20 refuses a source-bound call before the function is called", async () => {
    let called = 0;
    const legacy = legacyDispatcher(async () => {
      called += 1;
    });
    const call = legacy.call({ method: "question.resolve", options: {}, authority: CURRENT });
    await expect(call).rejects.toMatchObject({ code: "dispatcher_legacy" });
    expect(called).toBe(0);
  });
  it("R20 is never taken for a guarded one by its arguments", () => {
    const request = (_request: unknown): Promise<unknown> => Promise.resolve();
    const two = (_method: string, _params: unknown): Promise<unknown> => Promise.resolve();
    const none = (): Promise<unknown> => Promise.resolve();
    for (const given of [request, two, none]) expect(toDispatcher(given).version).toBe(1);
    const guarded = { version: 2, call: none } as const;
    expect(toDispatcher(guarded)).toBe(guarded);
    expect(toDispatcher(Object.assign(none, { call: none })).version).toBe(1);
  });
  it("R20 a host that is given one opens no channel", async () => {
    const channel = new PaperChannel();
    let opened = 0;
    channel.open = () => {
      opened += 1;
      return Promise.resolve();
    };
    const folder = await quickFolder("handraise-legacy-");
    const start = openBridge(paperSettings(folder), {
      channels: [channel],
      log: quietLog,
      clock: new FakeClock(),
      dispatcher: () => () => Promise.resolve(undefined),
    });
    await expect(start).rejects.toMatchObject({ code: "dispatcher_legacy" });
    expect(opened).toBe(0);
    // The data folder is free again.
    const again = await openPaperBridge({ folder });
    await again.end();
  });
});
