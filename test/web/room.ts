/** Three simulators with a wire bot each, and the page over them: what the page's tests start from. */
import { DiscordSimulator } from "../../src/testing/sim/discord/simulator.js";
import type { ChatKind, ChatSimulator } from "../../src/testing/sim/simulator.js";
import { SlackSimulator } from "../../src/testing/sim/slack/simulator.js";
import { TelegramSimulator } from "../../src/testing/sim/telegram/simulator.js";
import { type ChatPage, openChatPage } from "../../src/web/page.js";
import { discordBot, type Prompt, slackBot, telegramBot, type WireBot } from "./wire-bot.js";

/** A running page for tests. */
export type TestRoom = {
  readonly chats: Readonly<Record<ChatKind, ChatSimulator>>;
  readonly bots: Readonly<Record<ChatKind, WireBot>>;
  page: ChatPage;
  /** Posts a prompt in the direct chat of "you". */
  ask(chat: ChatKind, prompt: Prompt): Promise<void>;
  /** Closes the page and serves it again on the same port, as a restarted program would. */
  reopen(between?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

/** Starts everything on free ports. */
export async function openRoom({ terminal = [] }: { readonly terminal?: readonly string[] } = {}): Promise<TestRoom> {
  const chats = { slack: await SlackSimulator.start(), discord: await DiscordSimulator.start(), telegram: await TelegramSimulator.start() };
  for (const chat of Object.values(chats)) chat.person("you");
  const bots = {
    slack: await slackBot(chats.slack.account()),
    discord: await discordBot(chats.discord.account()),
    telegram: await telegramBot(chats.telegram.account()),
  };
  const options = {
    chats: Object.values(chats),
    person: "you",
    terminal: { lines: () => terminal, onLine: () => () => undefined },
  };
  const room: TestRoom = {
    chats,
    bots,
    page: await openChatPage({ ...options, port: 0 }),
    ask: (chat, prompt) => bots[chat].post(chats[chat].person("you").direct, prompt),
    reopen: async (between = async () => undefined) => {
      const { port } = room.page;
      await room.page.close();
      await between();
      room.page = await openChatPage({ ...options, port });
    },
    stop: async () => {
      await room.page.close();
      await Promise.all(Object.values(bots).map((bot) => bot.close()));
      await Promise.all(Object.values(chats).map((chat) => chat.stop()));
    },
  };
  return room;
}
