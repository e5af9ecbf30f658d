/** R16, R17, R20: the dispatcher contract, in process, over HTTP, over the unix socket, and by a custom one, before a real gateway. */
import { Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { socketDispatcher } from "../../src/client/socket-dispatcher.js";
import { httpDispatcher, type WireDispatcher } from "../../src/dispatch/http.js";
import { inProcessDispatcher } from "../../src/dispatch/in-process.js";
import type { Dispatcher } from "../../src/ports/dispatcher.js";
import type { Submission } from "../../src/ports/gateway.js";
import { type DispatcherBench, describeDispatcherContract } from "../../src/testing/contract/dispatcher.js";
import { openFaultProxy } from "../fixtures/fault-proxy.js";
import { answerOf, HOST_KEY, openRig, proxySocket, type Rig } from "./rig.js";

const realWrite = Socket.prototype.write;

afterEach(() => {
  Socket.prototype.write = realWrite;
});

/** Tells of each write of an answer to a socket, before it is made. */
function onAnswerWritten(run: () => void): void {
  Socket.prototype.write = function (this: Socket, ...args: Parameters<Socket["write"]>): boolean {
    const [chunk] = args;
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk);
    if (bytes.includes("question.resolve") || bytes.includes("/v1/host/answer")) run();
    return Reflect.apply(realWrite, this, args);
  } as Socket["write"];
}

type Places = { readonly rig: Rig; readonly url: string; readonly socket: string };

async function wireBench(make: (at: Places) => WireDispatcher, framing: "http" | "frames"): Promise<DispatcherBench> {
  const rig = await openRig();
  const proxy = await openFaultProxy(framing === "http" ? { gateway: rig.port } : { gateway: rig.socket, socket: proxySocket(rig.folder) });
  const made: WireDispatcher[] = [];
  let proxied = false;
  return {
    fresh: () => {
      const places = proxied ? { url: proxy.url, socket: proxySocket(rig.folder) } : { url: rig.url, socket: rig.socket };
      const dispatcher = make({ rig, ...places });
      made.push(dispatcher);
      return dispatcher;
    },
    ask: () => rig.ask(),
    answerTo: (question) => ({ method: "question.resolve", params: answerOf(question) }),
    harmless: () => ({ method: "host.directory", params: { accounts: ["telegram"] } }),
    statusOf: async (question) => (await rig.store.question(question))?.status ?? "unknown",
    onDispatch: onAnswerWritten,
    arrived: () => rig.arrived,
    wire: {
      down: async () => {
        await rig.closeDoors();
      },
      losesAnswers: () => {
        proxied = true;
        proxy.plan({ side: "response", kind: "cut", match: framing === "http" ? "HTTP/1.1 200" : '"result"' });
      },
    },
    stop: async () => {
      for (const dispatcher of made) dispatcher.close();
      await proxy.close();
      await rig.end();
    },
  };
}

async function localBench(wrap: (own: Dispatcher) => Dispatcher): Promise<DispatcherBench> {
  const rig = await openRig();
  const arrived: unknown[] = [];
  let onDispatch = (): void => undefined;
  rig.onCommit = (changes) => {
    if (!changes.some((change) => change.do === "settle_question")) return;
    arrived.push(changes);
    onDispatch();
  };
  const own = inProcessDispatcher({
    "question.resolve": (params, guard) => rig.gateway.resolve(params as Submission, guard),
    "host.directory": async (params) => {
      arrived.push(params);
    },
  });
  return {
    fresh: () => wrap(own),
    ask: () => rig.ask(),
    answerTo: (question) => ({ method: "question.resolve", params: { ...answerOf(question), receivedAtMs: Date.now() } }),
    harmless: () => ({ method: "host.directory", params: {} }),
    statusOf: async (question) => (await rig.store.question(question))?.status ?? "unknown",
    onDispatch: (run) => {
      onDispatch = run;
    },
    arrived: () => arrived,
    stop: () => rig.end(),
  };
}

describeDispatcherContract("in process", () => localBench((own) => own));
describeDispatcherContract("custom", () => localBench((own) => ({ version: 2, call: (request) => own.call(request) })));
describeDispatcherContract("HTTP", () => wireBench(({ url }) => httpDispatcher({ url, key: HOST_KEY }), "http"));
describeDispatcherContract("unix socket", () => wireBench(({ socket }) => socketDispatcher({ socket, key: HOST_KEY }), "frames"));

it("the clauses can fail: a dispatcher that awaits between guard and dispatch is found by DP7's stepping", async () => {
  const bench = await localBench((own) => ({
    version: 2,
    call: async (request) => {
      if (request.authority.kind !== "unscoped") request.authority.assertCurrent();
      await Promise.resolve();
      return own.call({ ...request, authority: { kind: "unscoped" } });
    },
  }));
  try {
    const id = await bench.ask();
    let ended = false;
    const dispatchedAfterEnd: boolean[] = [];
    bench.onDispatch(() => dispatchedAfterEnd.push(ended));
    const authority = { kind: "source-bound", assertCurrent: () => undefined } as const;
    const call = bench.fresh().call({ ...bench.answerTo(id), options: {}, authority });
    ended = true;
    await call;
    expect(dispatchedAfterEnd).toEqual([true]);
  } finally {
    await bench.stop();
  }
});
