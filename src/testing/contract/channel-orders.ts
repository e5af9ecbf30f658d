/** Orders for the channel contract: sends a whole view, finds its controls again. */
import { expect } from "vitest";
import type { PromptView } from "../../core/prompt.js";
import type { RedrawOrder, SendOrder } from "../../ports/channel.js";
import type { SeenButton, SeenMessage, SimPerson } from "../sim/simulator.js";
import { type BenchPlace, type ChannelBench, simPlace } from "./bench.js";

let nonces = 0;

/** One send order of a view's part, with a fresh nonce of 25 characters. */
export function sendOrder(view: PromptView, place: BenchPlace, part = 0): SendOrder {
  nonces += 1;
  return { view, part, nonce: `n${String(nonces).padStart(24, "0")}`, ...place };
}

/** Sends all parts of a view; gives the message that has the controls. */
export async function show(
  { channel }: Pick<ChannelBench, "channel">,
  view: PromptView,
  place: BenchPlace,
): Promise<{ readonly id: string; readonly order: string }> {
  let last: { readonly id: string; readonly order: string } | undefined;
  for (let part = 0; part < channel.parts(view); part += 1) {
    const sent = await channel.send(sendOrder(view, place, part));
    expect(sent).toMatchObject({ status: "shown" });
    if (sent.status === "shown") last = sent.message;
  }
  if (last === undefined) throw new Error("the view has no parts");
  return last;
}

/** The order that draws a view over a message that was shown. */
export function redrawOrder(view: PromptView, place: BenchPlace, messageId: string): RedrawOrder {
  return { view, messageId, ...place };
}

/** The message with this id as the person sees it; fails when it is not there. */
export function seenBy(person: SimPerson, place: BenchPlace, id: string): SeenMessage {
  const found = person.reads(simPlace(place)).find((message) => message.id === id);
  if (found === undefined) throw new Error(`${person.name} does not see message ${id}`);
  return found;
}

/** Every control of a message: its buttons, then its menu's entries. */
export function controlsOf(message: SeenMessage): readonly SeenButton[] {
  return [...message.buttons, ...message.menu];
}

/** The control of a message that carries this token, if it is there. */
export function controlWith(message: SeenMessage, token: string): SeenButton | undefined {
  return controlsOf(message).find(({ data }) => data === token);
}

/** Chooses the control with this token: presses the button or picks the menu's entry. */
export async function choose(person: SimPerson, message: SeenMessage, token: string): ReturnType<SimPerson["press"]> {
  const place = { conversation: message.conversation, ...(message.thread === undefined ? {} : { thread: message.thread }) };
  const button = message.buttons.find(({ data }) => data === token);
  if (button !== undefined) return person.press(button.label, { on: message, in: place });
  const entry = message.menu.find(({ data }) => data === token);
  if (entry === undefined) throw new Error(`no control carries ${token}`);
  return person.picks([entry.label], { on: message, in: place });
}
