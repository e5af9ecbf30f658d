/**
 * One conversation: its header, its messages, the reply box, and the form that may lie over them.
 *
 * A message that did not change keeps its element, so focus, scrolling and what a screen reader is reading stay where they are.
 */
import { act, element } from "./element.js";
import { formDialog } from "./form.js";
import { excerpt, messageItem } from "./message.js";

/** Names of the chats as people know them, and the sign in the header. */
export const CHATS = {
  slack: { name: "Slack", sign: "#" },
  discord: { name: "Discord", sign: "◆" },
  telegram: { name: "Telegram", sign: "➤" },
};

/** How near to the end, in pixels, counts as reading the newest message. */
const NEAR_END_PX = 80;

export class ChatColumn {
  #chat;
  #items = new Map();
  #messages = [];
  #replyTo;
  #waved;
  #started = false;

  constructor(chat) {
    this.#chat = chat;
    const { name, sign } = CHATS[chat];
    this.title = element("h2", { id: `${chat}-title` }, element("span", { class: "sign", "aria-hidden": "true" }, sign), name);
    this.speaker = element("p", { class: "speaker" });
    this.log = element("ol", { class: "log", role: "log", "aria-label": `${name} conversation`, tabindex: "0" });
    this.empty = element("p", { class: "empty" }, "No messages yet.");
    this.status = element("p", { class: "status", role: "status" });
    this.cover = element("div", { class: "covers" });
    this.composer = this.#composer(name);
    this.newer = element("button", { type: "button", class: "newer", hidden: true, onclick: () => this.scrollToEnd() }, "Newer messages ↓");
    this.room = element("div", { class: "room" }, this.empty, this.log, this.newer);
    this.log.addEventListener("scroll", () => this.#atEnd() && this.newer.setAttribute("hidden", ""), { passive: true });
    this.root = element(
      "section",
      { class: "chat", id: chat, "aria-labelledby": `${chat}-title` },
      element("header", { class: "chat-top" }, this.title, this.speaker),
      this.room,
      this.status,
      this.composer,
      this.cover,
    );
  }

  /** Draws the newest state. Returns how many messages of others came since the last one. */
  update(view, person) {
    const stay = this.#started && !this.#atEnd();
    const fresh = view.messages.filter((message) => !message.own && !this.#items.has(message.id)).length;
    this.#messages = view.messages;
    this.speaker.replaceChildren("Speaking as ", element("b", {}, person), ", in your direct chat with the bot");
    this.empty.hidden = view.messages.length > 0;
    this.#drawMessages(view.messages);
    this.#drawForm(view.form);
    this.#followReply(view.messages);
    if (!stay) this.scrollToEnd();
    else if (fresh > 0) this.newer.removeAttribute("hidden");
    const before = this.#started;
    this.#started = true;
    return before ? fresh : 0;
  }

  scrollToEnd() {
    this.log.scrollTop = this.log.scrollHeight;
    this.newer.setAttribute("hidden", "");
  }

  /** Shows one sentence under the conversation; none clears it. */
  say(sentence) {
    this.status.textContent = sentence ?? "";
  }

  #atEnd() {
    return this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR_END_PX;
  }

  #drawMessages(messages) {
    const kept = new Set(messages.map(({ id }) => id));
    for (const [id, { item }] of this.#items) {
      if (kept.has(id)) continue;
      if (item.contains(document.activeElement)) this.text.focus();
      item.remove();
      this.#items.delete(id);
    }
    let before;
    for (const message of messages) {
      const item = this.#draw(message);
      const place = before === undefined ? this.log.firstChild : before.nextSibling;
      if (place !== item) this.log.insertBefore(item, place);
      before = item;
    }
  }

  #draw(message) {
    const drawn = JSON.stringify(message);
    const known = this.#items.get(message.id);
    if (known?.drawn === drawn) return known.item;
    const quoted = this.#messages.find(({ id }) => id === message.about);
    const item = messageItem(message, { quoted, hands: this.#hands() });
    const focused = known?.item.contains(document.activeElement) === true ? (document.activeElement.dataset.key ?? "") : undefined;
    known?.item.replaceWith(item);
    if (focused !== undefined) refocus(item, focused);
    this.#items.set(message.id, { item, drawn });
    return item;
  }

  #hands() {
    const chat = this.#chat;
    return {
      press: async ({ id }, label) => this.#tell(await act({ do: "press", chat, message: id, label })),
      pick: async ({ id }, labels) => this.#tell(await act({ do: "pick", chat, message: id, labels })),
      reply: (message) => {
        this.#setReply(message);
        this.text.focus();
      },
    };
  }

  #tell({ error, word }) {
    this.say(error ?? word);
  }

  #drawForm(form) {
    const open = this.cover.firstElementChild;
    if (open?.dataset.form === form?.id) return;
    const focused = this.root.contains(document.activeElement);
    for (const part of [this.room, this.composer]) part.inert = form !== undefined;
    if (form === undefined) {
      this.cover.replaceChildren();
      if (open?.contains(document.activeElement) || focused) this.text.focus();
      return;
    }
    this.cover.replaceChildren(formDialog(form, { chat: this.#chat, say: (sentence) => this.say(sentence) }));
    this.cover.querySelector("input, textarea, button")?.focus();
  }

  /** Telegram opens the reply box by itself for a forced reply; so does this page, unless the person waved it off. */
  #followReply(messages) {
    if (this.#replyTo !== undefined && !messages.some(({ id }) => id === this.#replyTo.id)) this.#setReply(undefined);
    const last = messages.filter(({ privately }) => !privately).at(-1);
    if (last?.forceReply !== true || last.id === this.#waved || last.id === this.#replyTo?.id) return;
    this.#setReply(last);
    if (this.root.contains(document.activeElement)) this.text.focus();
  }

  #setReply(message) {
    if (message === undefined) this.#waved = this.#replyTo?.id;
    this.#replyTo = message;
    this.replying.hidden = message === undefined;
    this.replyingTo.textContent =
      message === undefined ? "" : `${this.#chat === "slack" ? "In thread" : "Reply"} to: ${excerpt(message.text)}`;
  }

  #composer(name) {
    const id = `${this.#chat}-text`;
    this.text = element("textarea", {
      id,
      rows: "1",
      placeholder: `Message in ${name}`,
      autocomplete: "off",
      enterkeyhint: "send",
      dir: "auto",
    });
    this.replyingTo = element("span", {});
    const drop = element("button", { type: "button", class: "drop", "aria-label": "Do not reply to that message" }, "✕");
    drop.addEventListener("click", () => {
      this.#setReply(undefined);
      this.text.focus();
    });
    this.replying = element("p", { class: "replying", hidden: true }, this.replyingTo, drop);
    const send = element("button", { type: "submit", class: "control primary send" }, "Send");
    const label = element("label", { for: id, class: "hidden" }, `Write in ${name}`);
    const form = element("form", { class: "composer" }, label, this.replying, this.text, send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send(send);
    });
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#setReply(undefined);
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.#send(send);
    });
    return form;
  }

  async #send(button) {
    const text = this.text.value;
    if (text.trim() === "" || button.getAttribute("aria-busy") === "true") return;
    const replyTo = this.#replyTo?.id;
    button.setAttribute("aria-busy", "true");
    const result = await act({ do: "type", chat: this.#chat, text, ...(replyTo === undefined ? {} : { replyTo }) });
    button.removeAttribute("aria-busy");
    this.#tell(result);
    if (result.error !== undefined) return;
    if (this.text.value === text) this.text.value = "";
    if (this.#replyTo?.id === replyTo) this.#setReply(undefined);
    this.scrollToEnd();
  }
}

/** After a redraw: the same control if it is still there and usable, else the message itself, so that Tab goes on from here. */
function refocus(item, key) {
  const same = [...item.querySelectorAll("[data-key]")].find((control) => control.dataset.key === key && !control.disabled);
  (same ?? item).focus({ preventScroll: true });
}
