/**
 * Three simulated chats in one call, and the config that points a bridge at them.
 *
 *   const chats = await simulate({ people: ["alice"] });
 *   const bridge = await createBridge(chats.config);
 *   await bridge.ask({ to: "alice", text: "Ship?", options: ["prod", "staging"] });
 *   await chats.person("alice").press("prod");            // in whichever chat the button shows up
 *
 * The bridge uses its real SDKs over loopback; nothing of the product is replaced.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { RoamingPerson } from "./roaming-person.js";
import { DiscordSimulator } from "./sim/discord/simulator.js";
import { discordSnapshot } from "./sim/discord/snapshot.js";
import type { ChatKind, SimAccount, SimPerson } from "./sim/simulator.js";
import { SlackSimulator } from "./sim/slack/simulator.js";
import { slackSnapshot } from "./sim/slack/snapshot.js";
import { TelegramSimulator } from "./sim/telegram/simulator.js";
import { telegramSnapshot } from "./sim/telegram/snapshot.js";

/** The three chats as they were, for starting them again with the same people, messages and ids: plain JSON. */
export const simulationSnapshot = z.object({ slack: slackSnapshot, discord: discordSnapshot, telegram: telegramSnapshot });
/** Stored chats, parsed. */
export type SimulationSnapshot = z.infer<typeof simulationSnapshot>;

/** What is simulated. */
export type SimulateOptions = {
  /** Names as the config and the asks use them; each person is in all three chats and has opened the direct chat with the bot. */
  readonly people: readonly string[];
  /** Shared conversations by name, with their members; one in each chat. Default: none. */
  readonly channels?: Readonly<Record<string, readonly string[]>>;
  /** The bridge's data folder. Default: a temporary one, removed by `stop`. */
  readonly folder?: string;
  /** What `snapshot` of an earlier simulation gave: the chats go on from there. Default: empty chats. */
  readonly restore?: SimulationSnapshot;
};

/** A config for `createBridge`: the accounts `slack`, `discord` and `telegram`, the people with their ids, a timeout of one hour. */
export type SimulatedConfig = {
  accounts: Record<ChatKind, SimAccount>;
  people: Record<string, Record<ChatKind, string>>;
  defaults: { to?: string; timeout: "1h" };
  store: string;
  listen: string;
};

/** Running simulators. `config.defaults.to` is the first person. */
export type Simulation = {
  readonly config: SimulatedConfig;
  readonly slack: SlackSimulator;
  readonly discord: DiscordSimulator;
  readonly telegram: TelegramSimulator;
  /** The person in all chats at once: acts where the button or menu shows up, and waits for it. */
  person(name: string): RoamingPerson;
  /** The person in one chat. */
  person(name: string, chat: ChatKind): SimPerson;
  /** The place of a shared conversation in one chat, for `to`: "slack:C0RELEASES". */
  place(channel: string, chat: ChatKind): `${ChatKind}:${string}`;
  /** The chats as they are now. */
  snapshot(): SimulationSnapshot;
  /** Stops the simulators and removes the temporary data folder. Close the bridge first. */
  stop(): Promise<void>;
};

/** Starts a simulated Slack, Discord and Telegram on loopback. */
export async function simulate({ people, channels = {}, folder, restore }: SimulateOptions): Promise<Simulation> {
  const [slack, discord, telegram] = await Promise.all([
    SlackSimulator.start(restore === undefined ? {} : { restore: restore.slack }),
    DiscordSimulator.start(restore === undefined ? {} : { restore: restore.discord }),
    TelegramSimulator.start(restore === undefined ? {} : { restore: restore.telegram }),
  ]);
  const chats = { slack, discord, telegram };
  const all = [slack, discord, telegram];
  const temporary = folder === undefined ? await mkdtemp(join(tmpdir(), "handraise-")) : undefined;
  function person(name: string): RoamingPerson;
  function person(name: string, chat: ChatKind): SimPerson;
  function person(name: string, chat?: ChatKind): RoamingPerson | SimPerson {
    return chat === undefined ? new RoamingPerson(all.map((simulator) => simulator.person(name))) : chats[chat].person(name);
  }
  const place = (channel: string, chat: ChatKind): `${ChatKind}:${string}` => {
    const { conversation } = chats[chat].channelNamed(channel, { members: channels[channel] ?? [] });
    return `${chat}:${conversation}`;
  };
  for (const channel of Object.keys(channels)) for (const { channel: chat } of all) place(channel, chat);
  return {
    config: simulatedConfig(chats, { people, store: folder ?? temporary ?? "data" }),
    ...chats,
    person,
    place,
    snapshot: () => ({ slack: slack.snapshot(), discord: discord.snapshot(), telegram: telegram.snapshot() }),
    stop: async () => {
      await Promise.all(all.map((simulator) => simulator.stop()));
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    },
  };
}

type Chats = Pick<Simulation, ChatKind>;

/** The config of a bridge that signs in to these simulators. Makes the people where they do not exist yet. */
function simulatedConfig(chats: Chats, { people, store }: { readonly people: readonly string[]; readonly store: string }): SimulatedConfig {
  const { slack, discord, telegram } = chats;
  const ids = (name: string): Record<ChatKind, string> => ({
    slack: slack.person(name).userId,
    discord: discord.person(name).userId,
    telegram: telegram.person(name).userId,
  });
  const [first] = people;
  return {
    accounts: { slack: slack.account(), discord: discord.account(), telegram: telegram.account() },
    people: Object.fromEntries(people.map((name) => [name, ids(name)])),
    defaults: { ...(first === undefined ? {} : { to: first }), timeout: "1h" },
    store,
    listen: "127.0.0.1:0",
  };
}
