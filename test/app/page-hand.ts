/** A person's hands on the local page without a browser: reads its state and acts through the same two addresses as the page. */
import type { ChatKind } from "../../src/testing/sim/simulator.js";
import type { MessageView, PageState } from "../../src/web/state.js";
import { eventually } from "../fixtures/eventually.js";

/** The page at `url`. */
export class PageHand {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** The state now: the first event of a new stream. */
  async state(): Promise<PageState> {
    const response = await fetch(`${this.#url}/api/events`);
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const data = /^data: (.*)$/m.exec(text.includes("\n\n") ? text : "")?.[1];
      // Leaving the loop ends the stream.
      if (data !== undefined) return JSON.parse(data);
    }
    throw new Error("the page's stream ended");
  }

  /** Messages of one chat, oldest first. */
  async reads(chat: ChatKind): Promise<readonly MessageView[]> {
    return (await this.state()).chats.find((view) => view.chat === chat)?.messages ?? [];
  }

  /** The newest message of a chat that fits, once there is one. */
  waitsFor(chat: ChatKind, match: (message: MessageView) => boolean): Promise<MessageView> {
    return eventually(async () => {
      const messages = await this.reads(chat);
      const found = messages.findLast(match);
      if (found === undefined) throw new Error(`not in ${chat}: ${JSON.stringify(messages.map(({ text }) => text))}`);
      return found;
    }, 15_000);
  }

  /** Presses a button of the newest message that has it, once there is one. */
  async press(chat: ChatKind, label: string): Promise<void> {
    const message = await this.waitsFor(chat, ({ buttons }) => buttons.some((button) => button.label === label));
    await this.#act({ do: "press", chat, message: message.id, label });
  }

  async types(chat: ChatKind, text: string): Promise<void> {
    await this.#act({ do: "type", chat, text });
  }

  async #act(action: object): Promise<void> {
    const response = await fetch(`${this.#url}/api/act`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(action),
    });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  }
}
