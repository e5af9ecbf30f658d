/** The bench of Discord's tests: a fresh simulator, an open channel, two people, a channel with a thread. */
import { type DiscordSettings, discordChannel } from "../../../adapters/channels/discord/index.js";
import type { Channel } from "../../../src/ports/channel.js";
import { type ChannelBench, MapMemory, machineClock, RecordingIntake, RecordingLog } from "../../../src/testing/contract/bench.js";
import { DiscordSimulator, type DiscordSimulatorOptions } from "../../../src/testing/sim/discord/simulator.js";

export type DiscordBench = ChannelBench & { readonly simulator: DiscordSimulator; readonly memory: MapMemory };

/** Times set small, so that nothing waits for a platform's pace. */
const QUICK = {
  openTimeoutMs: 3_000,
  helloTimeoutMs: 2_000,
  reconnectMinMs: 20,
  reconnectMaxMs: 400,
  stableAfterMs: 60,
  storeEveryMs: 5,
  storeRetryMinMs: 10,
  storeRetryMaxMs: 50,
  requestTimeoutMs: 3_000,
};

export async function openBench({
  simulate = {},
  settings = {},
}: {
  readonly simulate?: DiscordSimulatorOptions;
  readonly settings?: Partial<DiscordSettings>;
} = {}): Promise<DiscordBench> {
  const simulator = await DiscordSimulator.start({ ackMs: 1_000, ...simulate });
  const person = simulator.person("Alice");
  const other = simulator.person("Bob");
  const room = { ...simulator.channelNamed("#releases"), direct: false };
  const thread = { ...simulator.startThread(room, "release 42"), direct: false };
  const intake = new RecordingIntake();
  const log = new RecordingLog();
  const memory = new MapMemory();
  const { token, apiUrl } = simulator.account();
  const parsed = discordChannel.settings.parse({ token, apiUrl, ...QUICK, ...settings });
  const channels: Channel[] = [];
  const again = async (): Promise<Channel> => {
    const made = await discordChannel.create({ account: "discord", settings: parsed, memory, clock: machineClock, log });
    channels.push(made);
    return made;
  };
  const channel = await again();
  await channel.open(intake);
  return {
    ...{ channel, simulator, intake, log, memory, person, other, room, thread, again },
    direct: { conversation: person.direct, direct: true },
    unknownName: "#no-such",
    methods: { send: "POST /channels/:id/messages", edit: "PATCH /channels/:id/messages/:id" },
    refusals: [
      { fault: { kind: "refuse", code: 10003 }, code: "not_found" },
      { fault: { kind: "refuse", code: 50001 }, code: "not_member" },
      { fault: { kind: "refuse", code: 50013 }, code: "forbidden" },
      { fault: { kind: "refuse", code: 50007 }, code: "blocked" },
      { fault: { kind: "refuse", code: 50278 }, code: "blocked" },
      { fault: { kind: "refuse", code: 50083 }, code: "archived" },
      { fault: { kind: "refuse", code: 160005 }, code: "archived" },
      { fault: { kind: "refuse", code: 200000 }, code: "rejected" },
      {
        fault: {
          kind: "refuse",
          code: 50035,
          extra: { errors: { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "x" }] } } },
        },
        code: "too_long",
      },
      { fault: { kind: "refuse", code: 50035 }, code: "rejected" },
    ],
    secrets: [token],
    provokeRedelivery: async () => simulator.gateway.cut(),
    stop: async () => {
      await Promise.all(channels.map((made) => made.close()));
      await simulator.stop();
    },
  };
}
