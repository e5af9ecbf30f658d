/**
 * The named points at which the process dies, along the path of one question (design, section 4).
 *
 * `child`: just before or just after a step of the program's own; the child kills itself there. `call`: the parent kills it while the
 * platform carries out a call: before it is carried out, or after, with the response never delivered. `confirmed`: the moment the
 * platform has taken the input as delivered. `first` names the point at which the life before died: then this one is in a restart.
 */
import type { ChatKind } from "../../src/testing/sim/simulator.js";
import { SITES, type Site } from "./protocol.js";

/** A platform call that the parent watches. */
export type CallKind = "send" | "edit" | "word" | "confirm";
/** Where it dies. */
export type Where =
  | { readonly kind: "child"; readonly site: Site; readonly phase: "before" | "after" }
  | { readonly kind: "call"; readonly call: CallKind; readonly phase: "before" | "after" }
  | { readonly kind: "confirmed" };

/** One named point. */
export type KillPoint = {
  readonly name: string;
  readonly where: Where;
  readonly first?: Where;
  readonly chats: readonly ChatKind[];
  /** The person presses: the point does not exist for a typed reply. */
  readonly pressOnly: boolean;
};

/** All chats, in the order of reports. */
export const CHATS = ["slack", "discord", "telegram"] as const;

/** Methods of the platforms by what they do; `confirm` is what stops the spinner or moves the offset. */
export const METHODS: Readonly<Record<ChatKind, Readonly<Record<CallKind, string>>>> = {
  slack: { send: "chat.postMessage", edit: "chat.update", word: "response_url", confirm: "" },
  discord: {
    send: "POST /channels/:id/messages",
    edit: "PATCH /channels/:id/messages/:id",
    word: "POST /webhooks/:id/:token",
    confirm: "POST /interactions/:id/:token/callback",
  },
  telegram: { send: "sendMessage", edit: "editMessageText", word: "answerCallbackQuery", confirm: "getUpdates" },
};

const RESTART_ONLY: ReadonlySet<Site> = new Set<Site>(["commit lost", "commit repeat", "find"]);
const PHASES = ["before", "after"] as const;

const singles: readonly KillPoint[] = SITES.filter((site) => !RESTART_ONLY.has(site)).flatMap((site) =>
  PHASES.map((phase) => {
    const name = `${phase} ${site}`;
    return { name, where: { kind: "child", site, phase }, chats: CHATS, pressOnly: false };
  }),
);

function callPoint(call: CallKind, phase: "before" | "after", chats: readonly ChatKind[] = CHATS): KillPoint {
  const did = phase === "before" ? "reached" : "carried out";
  const pressOnly = call === "word" || (call === "confirm" && chats.includes("discord"));
  return { name: `platform ${call} ${did}`, where: { kind: "call", call, phase }, chats, pressOnly };
}

const calls: readonly KillPoint[] = [
  callPoint("send", "before"),
  callPoint("send", "after"),
  callPoint("edit", "before"),
  callPoint("edit", "after"),
  callPoint("word", "before"),
  callPoint("word", "after"),
  { ...callPoint("confirm", "before", ["discord", "telegram"]) },
  { name: "input confirmed", where: { kind: "confirmed" }, chats: CHATS, pressOnly: true },
];

const SENT: Where = { kind: "call", call: "send", phase: "after" };
const TAKEN: Where = { kind: "child", site: "commit input", phase: "after" };
const ANSWERED: Where = { kind: "child", site: "commit answer", phase: "after" };

function restart(site: Site, first: Where, chats: readonly ChatKind[] = CHATS): readonly KillPoint[] {
  return PHASES.map((phase) => ({
    name: `restart: ${phase} ${site}`,
    where: { kind: "child", site, phase },
    first,
    chats,
    pressOnly: false,
  }));
}

const restarts: readonly KillPoint[] = [
  ...restart("commit lost", SENT),
  ...restart("find", SENT, ["slack", "discord"]),
  ...restart("commit shown", SENT, ["slack", "discord"]),
  ...restart("commit repeat", SENT, ["telegram"]),
  ...restart("commit answer", TAKEN),
  ...restart("redraw", ANSWERED),
  ...restart("notify", ANSWERED),
];

/** Every point. */
export const POINTS: readonly KillPoint[] = [...singles, ...calls, ...restarts];
