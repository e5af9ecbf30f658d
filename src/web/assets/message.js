/**
 * Draws one message of a conversation: who, when, text, buttons, menu.
 */
import { element } from "./element.js";

const ONLY_YOU = "Only you can see this";
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** The first words of a message, for "replying to". */
export function excerpt(text) {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "(no text)";
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/**
 * The list item of a message. `quoted` is the message it answers, if it is still there. `hands` are what its controls call:
 * press(message, label), pick(message, labels), reply(message).
 */
export function messageItem(message, { quoted, hands }) {
  const who = message.own ? "You" : message.from === "bot" ? "Handraise" : message.from;
  const item = element(
    "li",
    {
      class: "message",
      tabindex: "-1",
      "data-id": message.id,
      "data-own": String(message.own),
      "data-private": String(message.privately),
      "data-thread": String(message.inThread),
    },
    element("span", { class: "avatar", "aria-hidden": "true" }, message.own ? "You" : "H"),
  );
  const body = element("div", { class: "body" });
  body.append(head(message, who));
  if (quoted !== undefined) body.append(element("p", { class: "quote" }, `Reply to: ${excerpt(quoted.text)}`));
  body.append(element("p", { class: "text", dir: "auto" }, message.text));
  const controls = [menu(message, hands), buttons(message, hands)].filter((control) => control !== undefined);
  const foot = element("div", { class: "foot" }, ...controls);
  if (controls.length > 0) body.append(foot);
  if (!message.own && !message.privately) body.append(replyButton(message, hands));
  item.append(body);
  return item;
}

function head(message, who) {
  return element(
    "p",
    { class: "head" },
    element("b", {}, who),
    message.own ? undefined : element("span", { class: "app" }, "app"),
    element("time", { datetime: new Date(message.atMs).toISOString() }, CLOCK.format(message.atMs)),
    message.edited ? element("span", { class: "edited" }, "edited") : undefined,
    message.inThread ? element("span", { class: "edited" }, "in thread") : undefined,
    message.privately ? element("span", { class: "only-you" }, ONLY_YOU) : undefined,
  );
}

function buttons(message, hands) {
  if (message.buttons.length === 0) return undefined;
  const drawn = message.buttons.map(({ label, style, disabled }) => {
    const button = element("button", { type: "button", class: `control ${style}`, disabled, "data-key": `button ${label}` }, label);
    button.addEventListener("click", () => void busyWhile(button, hands.press(message, label)));
    return button;
  });
  return element("div", { class: "buttons", role: "group", "aria-label": "Buttons of this message" }, ...drawn);
}

function menu(message, hands) {
  if (message.menu.length === 0) return undefined;
  const id = `menu-${message.id}`;
  const select = element(
    "select",
    { id, "data-key": "menu" },
    element("option", { value: "" }, "Choose one"),
    ...message.menu.map(({ label, disabled }) => element("option", { value: label, disabled }, label)),
  );
  const choose = element("button", { type: "button", class: "control default", "data-key": "choose" }, "Choose");
  choose.addEventListener("click", () => {
    if (select.value === "") select.focus();
    else void busyWhile(choose, hands.pick(message, [select.value]));
  });
  return element("div", { class: "menu" }, element("label", { for: id, class: "hidden" }, "Menu of this message"), select, choose);
}

function replyButton(message, hands) {
  const name = `Reply to: ${excerpt(message.text)}`;
  const button = element("button", { type: "button", class: "reply", "aria-label": name, "data-key": "reply" }, "Reply");
  button.addEventListener("click", () => hands.reply(message));
  return button;
}

async function busyWhile(button, work) {
  button.setAttribute("aria-busy", "true");
  await work;
  button.removeAttribute("aria-busy");
}
