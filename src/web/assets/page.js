/**
 * The page: takes the state from the server, hands each conversation its part, and switches between them on narrow screens.
 */
import { CHATS, ChatColumn } from "./chat.js";
import { element } from "./element.js";

const columns = new Map(Object.keys(CHATS).map((chat) => [chat, new ChatColumn(chat)]));
const tabs = new Map();
const connection = document.getElementById("connection");
const terminal = document.getElementById("terminal");

/** The conversation that the address asks for; the first one when it asks for none. */
function asked() {
  const chat = new URLSearchParams(location.search).get("chat");
  return columns.has(chat) ? chat : "slack";
}

/** Shows this conversation where only one fits, and remembers it in the address. */
function show(chat) {
  document.body.dataset.tab = chat;
  for (const [name, { button, badge }] of tabs) {
    button.setAttribute("aria-pressed", String(name === chat));
    if (name === chat) badge.textContent = "";
  }
  if (chat !== asked()) history.replaceState(null, "", `?chat=${chat}`);
  columns.get(chat).scrollToEnd();
}

function addTab(chat) {
  const badge = element("span", { class: "badge" });
  const button = element("button", { type: "button", "aria-controls": chat, onclick: () => show(chat) }, CHATS[chat].name, badge);
  tabs.set(chat, { button, badge });
  document.getElementById("tabs").append(button);
}

function drawTerminal(lines) {
  const stay = terminal.scrollHeight - terminal.scrollTop - terminal.clientHeight > 40;
  const shown = [...terminal.children];
  if (shown.some((item, index) => item.textContent !== lines[index])) terminal.replaceChildren();
  for (const line of lines.slice(terminal.childElementCount)) terminal.append(element("li", {}, line));
  document.querySelector(".terminal").hidden = lines.length === 0;
  if (!stay) terminal.scrollTop = terminal.scrollHeight;
}

function draw(state) {
  for (const view of state.chats) {
    const fresh = columns.get(view.chat).update(view, state.person);
    const { badge } = tabs.get(view.chat);
    if (fresh > 0 && document.body.dataset.tab !== view.chat) badge.textContent = String(Number(badge.textContent || 0) + fresh);
  }
  drawTerminal(state.terminal);
}

function connected(yes) {
  document.body.dataset.connected = String(yes);
  connection.textContent = yes ? "Live" : "Not connected. Trying again… (is npm start still running?)";
}

/** Listens to the server for as long as the page is open; the browser reconnects by itself unless it gave up. */
function listen() {
  const events = new EventSource("/api/events");
  events.addEventListener("state", (event) => {
    connected(true);
    draw(JSON.parse(event.data));
  });
  events.addEventListener("error", () => {
    connected(false);
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2_000);
  });
}

for (const [chat, column] of columns) {
  addTab(chat);
  document.getElementById("chats").append(column.root);
}
for (const link of document.querySelectorAll(".skips a")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    show(link.dataset.chat);
    columns.get(link.dataset.chat).text.focus();
  });
}
show(asked());
terminal.tabIndex = 0; // It scrolls, so the keyboard must reach it.
listen();
