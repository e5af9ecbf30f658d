/**
 * Builds elements. Text is always set as text, never as markup: what an agent or a person wrote cannot become part of the page.
 */

/** An element with attributes (`on…` keys are listeners, `false` and `undefined` are left out) and children (elements or text). */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Sends one action to the server; resolves with its answer, or with `{ error }` as a sentence. Never rejects. */
export async function act(action) {
  try {
    const response = await fetch("/api/act", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(action),
    });
    return await response.json();
  } catch {
    return { error: "The server cannot be reached. Is it still running?" };
  }
}
