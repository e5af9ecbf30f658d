/** A gateway over a real SQLite file whose Telegram account is served elsewhere, with both doors that hosts come to. */
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { openInlineSqliteStore } from "../../adapters/stores/sqlite/inline.js";
import { type OpenBridge, openBridge } from "../../src/app/bridge.js";
import { systemClock } from "../../src/app/clock.js";
import { newResolutionId, type QuestionId } from "../../src/core/ids.js";
import { HandraiseError } from "../../src/errors.js";
import type { HostIdentity } from "../../src/gateway/host-desk.js";
import { addHostRoutes } from "../../src/http/host-routes.js";
import type { Clock } from "../../src/ports/clock.js";
import type { Claimed, ClaimParams, DeliveryReport, HostOrder, Reported, WireSubmission } from "../../src/ports/host-wire.js";
import type { Change, Store } from "../../src/ports/store.js";
import { serveSocket } from "../../src/socket/door.js";
import { paperSettings, quietLog } from "../fixtures/paper-bridge.js";
import { quickFolder } from "../fixtures/quick-folder.js";

export const HOST_KEY = "hr_host_telegram";
const SLACK_KEY = "hr_host_slack";
export const TELEGRAM: HostIdentity = { accounts: ["telegram"] };

const KEYS: Readonly<Record<string, HostIdentity>> = { [HOST_KEY]: TELEGRAM, [SLACK_KEY]: { accounts: ["slack"] } };

export type Rig = OpenBridge & {
  readonly url: string;
  readonly port: number;
  /** The socket's public path. */
  readonly socket: string;
  readonly folder: string;
  /** What reached the desk, in order. */
  readonly arrived: { readonly method: string; readonly params: unknown }[];
  /** Changes as the gateway appends them to the writer's queue, in the tick of it. */
  onCommit: (changes: readonly Change[]) => void;
  claim(params?: Partial<ClaimParams>): Promise<readonly HostOrder[]>;
  report(report: DeliveryReport): Promise<Reported>;
  /** An open question to Alice, shown on Telegram. */
  ask(input?: Readonly<Record<string, unknown>>): Promise<QuestionId>;
  closeDoors(): Promise<void>;
  end(): Promise<void>;
};

export function answerOf(question: QuestionId, more: Partial<WireSubmission> = {}): WireSubmission {
  return {
    question,
    resolutionId: newResolutionId((count) => crypto.getRandomValues(new Uint8Array(count))),
    decision: "answer",
    value: "prod",
    actor: { account: "telegram", userId: "1", name: "Alice", channel: "telegram" },
    place: "telegram:dm-1",
    via: "button",
    event: `telegram|${question}`,
    ...more,
  };
}

export function identify(key: string | undefined): Promise<HostIdentity> {
  const known = key === undefined ? undefined : KEYS[key.replace(/^Bearer /, "")];
  return known === undefined ? Promise.reject(new HandraiseError("unauthenticated", "No such key.")) : Promise.resolve(known);
}

export async function openRig({
  clock = systemClock,
  folder: given,
}: {
  readonly clock?: Clock;
  readonly folder?: string;
} = {}): Promise<Rig> {
  const folder = given ?? (await quickFolder("handraise-dispatch-"));
  const settings = paperSettings(folder);
  const real = openInlineSqliteStore({ folder, clock, shared: false }).store;
  const watch = { onCommit: (_changes: readonly Change[]): void => undefined };
  const store = watched(real, (changes) => watch.onCommit(changes));
  const open = await openBridge(
    {
      ...settings,
      accounts: { telegram: { kind: "telegram", settings: null, remote: true }, slack: { kind: "slack", settings: null, remote: true } },
    },
    { store, clock, log: quietLog, channels: [], principal: "ci", caps: { perPrincipal: 10_000, perPerson: 10_000 } },
  );
  const arrived: Rig["arrived"] = [];
  const desk = {
    invoke: (host: HostIdentity, call: Parameters<typeof open.hostDesk.invoke>[1]) => {
      arrived.push({ method: call.method, params: call.params });
      return open.hostDesk.invoke(host, call);
    },
  };
  const doors = await openDoors(open, { desk, folder });
  const claim: Rig["claim"] = async (params = {}) => {
    const asked = { accounts: ["telegram"], max: 50, leaseMs: 60_000, waitMs: 0, ...params };
    return ((await open.hostDesk.invoke(TELEGRAM, { method: "delivery.claim", params: asked })) as Claimed).orders;
  };
  const report: Rig["report"] = async (params) => (await open.hostDesk.invoke(TELEGRAM, { method: "delivery.report", params })) as Reported;
  return Object.assign(watch, open, {
    ...doors,
    folder,
    arrived,
    claim,
    report,
    ask: async (input = {}) => {
      const { record } = await open.gateway.request(
        { to: "alice", text: "Where to?", options: ["staging", "prod"], timeout: "1h", ...input },
        { principal: "ci" },
      );
      const [order] = await claim();
      if (order !== undefined) await report({ copy: order.copy.id, lease: order.lease, state: "shown", message: { id: "m1", order: "1" } });
      return record.id as QuestionId;
    },
    end: async () => {
      await doors.closeDoors();
      await open.close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

type Doors = Pick<Rig, "url" | "port" | "socket" | "closeDoors">;

async function openDoors(
  open: OpenBridge,
  { desk, folder }: { readonly desk: Pick<OpenBridge["hostDesk"], "invoke">; readonly folder: string },
): Promise<Doors> {
  const app = new Hono();
  addHostRoutes(app, { desk, identify, log: quietLog });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const door = await serveSocket({ folder, gateway: open.gateway, principal: "ci", hosts: { desk, identify }, log: quietLog });
  let closing: Promise<void> | undefined;
  const closeDoors = (): Promise<void> => {
    closing ??= (async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
      await door.close();
    })();
    return closing;
  };
  return { url: `http://127.0.0.1:${port}`, port, socket: door.path, closeDoors };
}

function watched(store: Store, onCommit: (changes: readonly Change[]) => void): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (key === "commit") {
        return (changes: readonly Change[]) => {
          onCommit(changes);
          return target.commit(changes);
        };
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** A folder beside the rig's for a proxy's socket. */
export function proxySocket(folder: string): string {
  return join(folder, "proxy", "handraise.sock");
}
