/** The table of the Slack tests: a simulator, an open channel on it, the doubles of the host. Times are set small. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import { slackChannel, slackSettings } from "../../../adapters/channels/slack/index.js";
import type { Channel } from "../../../src/ports/channel.js";
import { type ChannelBench, MapMemory, machineClock, RecordingIntake, RecordingLog } from "../../../src/testing/contract/bench.js";
import { SlackSimulator, type SlackSimulatorOptions } from "../../../src/testing/sim/slack/simulator.js";

export type SlackBench = ChannelBench & { readonly simulator: SlackSimulator };

/** Settings that make pauses and time-outs short. */
export const QUICK = {
  requestTimeoutMs: 2_000,
  helloTimeoutMs: 1_000,
  pingTimeoutMs: 2_000,
  reconnectMinMs: 20,
  reconnectMaxMs: 100,
  stableMs: 60_000,
  closeGraceMs: 1_000,
};

export type BenchOptions = {
  readonly simulator?: SlackSimulatorOptions;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly account?: string;
};

/** A simulator whose deadlines are short. */
export function quickSimulator(options: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
  return SlackSimulator.start({ ackTimeoutMs: 500, pingIntervalMs: 200, retryDelaysMs: [20, 100, 300], rateLimits: false, ...options });
}

/** A channel on a simulator, not opened. */
export function channelOn(
  simulator: SlackSimulator,
  {
    log,
    settings = {},
    account = "slack",
  }: { readonly log: RecordingLog; readonly settings?: Readonly<Record<string, unknown>>; readonly account?: string },
): Promise<Channel> {
  const parsed = slackSettings.parse({ ...simulator.account(), ...QUICK, ...settings });
  return slackChannel.create({ account, settings: parsed, memory: new MapMemory(), clock: machineClock, log });
}

/** An HTTP server that gives each request to the listener of the moment: what the app mounts in HTTP mode. */
export async function mount(listener: () => Channel["http"]): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const listen = listener();
    if (listen === undefined) response.writeHead(404).end();
    else listen(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? (address satisfies AddressInfo).port : 0;
  return { server, url: `http://127.0.0.1:${port}/channels/slack` };
}

/** Everything on the table; the channel is open. */
export async function slackBench({ simulator: options, settings, account }: BenchOptions = {}): Promise<SlackBench> {
  const simulator = await quickSimulator(options);
  const log = new RecordingLog();
  const intake = new RecordingIntake();
  const channels: Channel[] = [];
  const make = async (): Promise<Channel> => {
    const made = await channelOn(simulator, { log, ...(settings && { settings }), ...(account && { account }) });
    channels.push(made);
    return made;
  };
  const person = simulator.person("Alice");
  const other = simulator.person("Bob");
  // Written before the bot came, so that it is no event.
  const room = simulator.channelNamed("#releases", { members: ["Alice", "Bob"], botIsMember: false });
  const root = await person.types("Release 42 is built", { in: room });
  simulator.channelNamed("#releases");
  const mounted = await mount(() => channels.at(-1)?.http);
  simulator.deliverTo(mounted.url);
  const channel = await make();
  await channel.open(intake);
  const account_ = simulator.account();
  const roomPlace = { conversation: room.conversation, direct: false };
  return {
    channel,
    simulator,
    intake,
    log,
    person,
    other,
    direct: { conversation: person.direct, direct: true },
    room: roomPlace,
    thread: { ...roomPlace, thread: root.id },
    unknownName: "#no-such",
    methods: { send: "chat.postMessage", edit: "chat.update" },
    refusals: [
      { fault: { kind: "refuse", code: "not_in_channel" }, code: "not_member" },
      { fault: { kind: "refuse", code: "channel_not_found" }, code: "not_found" },
      { fault: { kind: "refuse", code: "is_archived" }, code: "archived" },
      { fault: { kind: "refuse", code: "restricted_action" }, code: "forbidden" },
      { fault: { kind: "refuse", code: "msg_blocks_too_long" }, code: "too_long" },
      { fault: { kind: "refuse", code: "invalid_blocks" }, code: "rejected" },
      { fault: { kind: "refuse", code: "a_code_of_next_year" }, code: "rejected" },
    ],
    secrets: [account_.token, account_.appToken, account_.signingSecret].filter((secret) => secret !== undefined),
    again: make,
    stop: async () => {
      await Promise.all(channels.map((made) => made.close()));
      mounted.server.close();
      mounted.server.closeAllConnections();
      await simulator.stop();
    },
  };
}

/** Makes benches for a test file and stops them after each test. */
export function usedBenches(): (options?: BenchOptions) => Promise<SlackBench> {
  const made: SlackBench[] = [];
  afterEach(async () => {
    await Promise.all(made.splice(0).map((bench) => bench.stop()));
  });
  return async (options) => {
    const bench = await slackBench(options);
    made.push(bench);
    return bench;
  };
}

/** A promise that the test resolves. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
