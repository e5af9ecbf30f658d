/** The Telegram bench of the channel contract and of the case tests: the real SDK against the simulator. */
import { telegramChannel } from "../../../adapters/channels/telegram/index.js";
import type { Channel } from "../../../src/ports/channel.js";
import { type ChannelBench, MapMemory, machineClock, RecordingIntake, RecordingLog } from "../../../src/testing/contract/bench.js";
import { type TelegramPerson, TelegramSimulator, type TelegramSimulatorOptions } from "../../../src/testing/sim/telegram/index.js";

export type TelegramBench = ChannelBench & {
  readonly simulator: TelegramSimulator;
  readonly person: TelegramPerson;
  readonly other: TelegramPerson;
  readonly memory: MapMemory;
};

type Options = {
  readonly simulator?: TelegramSimulatorOptions;
  /** Settings beside token and apiUrl, as a config would write them. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Default true. */
  readonly opened?: boolean;
};

/** Small times, so that waits in tests are short. */
const QUICK = { pollTimeoutS: 20, callbackWordMs: 150, retryMs: 10, retryMaxMs: 50, requestTimeoutMs: 3_000 };

export async function openTelegramBench({ simulator: simulated = {}, settings = {}, opened = true }: Options = {}): Promise<TelegramBench> {
  const simulator = await TelegramSimulator.start({ callbackAnswerMs: 1_000, webhookRetryMs: 20, ...simulated });
  const { token, apiUrl } = simulator.account();
  const memory = new MapMemory();
  const intake = new RecordingIntake();
  const log = new RecordingLog();
  const made: Channel[] = [];
  const again = async (): Promise<Channel> => {
    const parsed = telegramChannel.settings.parse({ token, apiUrl, ...QUICK, ...settings });
    const channel = await telegramChannel.create({ account: "telegram", settings: parsed, memory, clock: machineClock, log });
    made.push(channel);
    return channel;
  };
  const person = simulator.person("alice");
  const other = simulator.person("bob");
  const forum = simulator.channelNamed("releases", { members: ["alice", "bob"], topics: true });
  const topic = simulator.topicNamed(forum, "Release 42");
  const channel = await again();
  if (opened) await channel.open(intake);
  return {
    channel,
    simulator,
    intake,
    log,
    person,
    other,
    memory,
    direct: { conversation: person.direct, direct: true },
    room: { ...forum, direct: false },
    thread: { ...topic, direct: false },
    unknownName: "@no_such_group",
    methods: { send: "sendMessage", edit: "editMessageText" },
    refusals: [
      { fault: { kind: "refuse", code: 403, message: "Forbidden: bot was kicked from the supergroup chat" }, code: "not_member" },
      { fault: { kind: "refuse", code: 403, message: "Forbidden: some words nobody knows yet" }, code: "not_member" },
      { fault: { kind: "refuse", code: 400, message: "Bad Request: chat not found" }, code: "not_found" },
      { fault: { kind: "refuse", code: 400, message: "Bad Request: message thread not found" }, code: "not_found" },
      { fault: { kind: "refuse", code: 400, message: "Bad Request: TOPIC_CLOSED" }, code: "archived" },
      {
        fault: { kind: "refuse", code: 400, message: "Bad Request: not enough rights to send text messages to the chat" },
        code: "forbidden",
      },
      { fault: { kind: "refuse", code: 400, message: "Bad Request: message is too long" }, code: "too_long" },
      { fault: { kind: "refuse", code: 400, message: "Bad Request: something new" }, code: "rejected" },
    ],
    secrets: [token],
    again,
    stop: async () => {
      await Promise.all(made.map((each) => each.close()));
      await simulator.stop();
    },
  };
}
