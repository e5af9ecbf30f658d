/**
 * Draws the form (modal) that a chat opened in front of the person, over its conversation. Escape closes it, as in the chats.
 */
import { act, element } from "./element.js";

/** The dialog of an open form. `chat` is the chat's kind; `say` shows a sentence in its status line. */
export function formDialog(form, { chat, say }) {
  const inputs = new Map();
  const fields = form.fields.map((field) => fieldRow(field, `${chat}-${form.id}-${field.key}`, inputs));
  const send = element("button", { type: "submit", class: "control primary" }, "Send");
  const dismiss = () => act({ do: "dismiss", chat, form: form.id }).then(({ error }) => say(error));
  const cancel = element("button", { type: "button", class: "control default", onclick: dismiss }, "Cancel");
  const title = element("h3", { id: `${chat}-form-title` }, form.title);
  const dialog = element("form", { class: "form", novalidate: true }, title, ...fields, element("div", { class: "buttons" }, send, cancel));
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    void dismiss();
  });
  dialog.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.setAttribute("aria-busy", "true");
    const values = Object.fromEntries([...inputs].map(([key, { input }]) => [key, input.value]));
    const { error, fields: errors = {} } = await act({ do: "submit", chat, form: form.id, values });
    send.removeAttribute("aria-busy");
    say(error ?? Object.entries(errors).find(([key]) => !inputs.has(key))?.[1]);
    showErrors(inputs, errors);
  });
  return element("div", { class: "cover", role: "dialog", "aria-labelledby": title.id, "data-form": form.id }, dialog);
}

function fieldRow({ key, label, multiline, value }, id, inputs) {
  const input = element(multiline ? "textarea" : "input", { id, name: key, "aria-describedby": `${id}-error`, autocomplete: "off" });
  input.value = value ?? "";
  const error = element("p", { id: `${id}-error`, class: "error", role: "alert" });
  inputs.set(key, { input, error });
  return element("div", { class: "field" }, element("label", { for: id }, label), input, error);
}

function showErrors(inputs, errors) {
  let first;
  for (const [key, { input, error }] of inputs) {
    error.textContent = errors[key] ?? "";
    input.setAttribute("aria-invalid", String(errors[key] !== undefined));
    if (errors[key] !== undefined) first ??= input;
  }
  first?.focus();
}
