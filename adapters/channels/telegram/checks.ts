/** `handraise doctor` for one Telegram account. */
import type { Check } from "../../../src/ports/channel.js";
import type { BotApi, Me } from "./bot-api.js";
import type { TelegramSettings } from "./settings.js";

type Facts = { readonly webhook: TelegramSettings["webhook"]; readonly account: string; readonly groups: readonly string[] };

/** Looks at the token, privacy mode, the webhook, and the groups written to so far. */
export async function checks(api: BotApi, facts: Facts): Promise<readonly Check[]> {
  const me = await api.getMe();
  if (!me.ok) {
    const remedy =
      me.failure.kind === "refused"
        ? `Set accounts.${facts.account}.token to a valid token from @BotFather.`
        : "Check the network and, if set, apiUrl.";
    return [{ check: "token", ok: false, detail: me.failure.description, remedy }];
  }
  const groups = await Promise.all(facts.groups.map((group) => groupCheck(api, me.value, group)));
  return [{ check: "token", ok: true, detail: `@${me.value.username}` }, privacyCheck(me.value), await webhookCheck(api, facts), ...groups];
}

/** Privacy mode is no fault: people reply to the bot's message, and the prompts say so (B091). */
function privacyCheck({ readsAllGroupMessages }: Me): Check {
  if (readsAllGroupMessages) return { check: "group privacy", ok: true, detail: "off: the bot reads every message in its groups" };
  return {
    check: "group privacy",
    ok: true,
    detail: "on: in groups people press, or reply to the bot's message",
    remedy: "To read all messages: @BotFather, /setprivacy, Disable; then remove the bot from each group and add it again.",
  };
}

async function webhookCheck(api: BotApi, { webhook }: Facts): Promise<Check> {
  const info = await api.getWebhookInfo();
  if (!info.ok) return { check: "webhook", ok: false, detail: info.failure.description };
  const { url, lastError, pending } = info.value;
  if (url !== (webhook?.url ?? "")) {
    return {
      check: "webhook",
      ok: false,
      detail: url === "" ? "none is set at Telegram" : "another address is set at Telegram",
      remedy: "Another program may use this bot's token. Stop it, then start handraise, which sets what the config says.",
    };
  }
  if (lastError !== undefined)
    return {
      check: "webhook",
      ok: false,
      detail: `${lastError}; ${pending} updates wait`,
      remedy: "See that the address reaches handraise.",
    };
  return { check: "webhook", ok: true, detail: webhook === undefined ? "none; long polling" : `${pending} updates wait` };
}

async function groupCheck(api: BotApi, { id }: Me, group: string): Promise<Check> {
  const status = await api.getChatMember({ conversation: group, userId: id });
  const member = status.ok && !["left", "kicked"].includes(status.value);
  return {
    check: `group ${group}`,
    ok: member,
    detail: status.ok ? status.value : status.failure.description,
    ...(member ? {} : { remedy: "Add the bot to the group." }),
  };
}
