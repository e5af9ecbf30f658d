/** From an address in the config to a chat: by id, by public @name, or the private chat with a user. */
import type { Destination, Located } from "../../../src/ports/channel.js";
import type { BotApi } from "./bot-api.js";
import { fateOf, refusedResult } from "./fate.js";
import { GENERAL_TOPIC } from "./limits.js";

/** A chat's number, or the public name of a group or channel. Source: Bot API, getChat.chat_id. */
const ADDRESS = /^(?:-?\d{1,16}|@[A-Za-z0-9_]{4,32})$/;

/** Asks Telegram for the chat. A group that became a supergroup is found under its new id. */
export async function locate(api: BotApi, to: Destination): Promise<Located> {
  const address = to.kind === "user" ? to.userId : to.conversation;
  if (!ADDRESS.test(address)) {
    return {
      status: "refused",
      code: "not_found",
      message: `"${address}" is no Telegram address: give the chat's number (like -1001234567890) or its public @name`,
    };
  }
  const found = await api.getChat(address);
  if (found.ok) {
    const { id, type } = found.value;
    const thread = to.kind === "place" && to.thread !== undefined && to.thread !== GENERAL_TOPIC ? { thread: to.thread } : {}; // B080
    return { status: "found", conversation: String(id), ...thread, direct: type === "private" };
  }
  const direct = to.kind === "user" || /^\d/.test(address);
  const fate = fateOf(found.failure, direct);
  if (fate.kind === "refusal") {
    // A bot cannot write first: until a person has pressed Start, their chat does not exist for it.
    const hint = direct ? ". The person must open the bot in Telegram and press Start" : "";
    return refusedResult(fate.why, `${fate.message}${hint}`);
  }
  switch (fate.result.status) {
    case "later":
      return fate.result;
    case "moved":
      return locate(api, { kind: "place", conversation: fate.result.conversation });
    case "unknown":
      return { status: "later", afterMs: 2_000, scope: "account", code: "unreachable", message: fate.result.message };
  }
}
