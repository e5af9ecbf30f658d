/**
 * Who may talk to the local page: only the page itself, opened on this machine.
 *
 * The page presses buttons for a person, so another web page in the same browser must not be able to use it.
 *
 * G1  The Host header names 127.0.0.1 or localhost with our own port: a foreign name that resolves to 127.0.0.1 (DNS rebinding) is refused.
 * G2  A request that says where it comes from (Origin, Sec-Fetch-Site) must come from the page itself.
 * G3  A request that changes something carries JSON: a form or a plain `fetch` of another origin cannot send that without a preflight,
 *     and no preflight is ever answered.
 */
import type { IncomingHttpHeaders } from "node:http";

/** What the guard looks at. `port` is the one the page listens on. */
export type Knock = {
  readonly method: string;
  readonly port: number;
  readonly headers: Pick<IncomingHttpHeaders, "host" | "origin" | "content-type"> & { readonly "sec-fetch-site"?: string | undefined };
};

/** Why this request is refused, as a sentence for people; undefined when it may pass. */
export function refusal({ method, port, headers }: Knock): string | undefined {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!own.includes(headers.host ?? "")) return "This page answers only on 127.0.0.1 and localhost."; // G1
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) return "This request comes from another page."; // G2
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return "This request comes from another page."; // G2
  if (method === "GET" || method === "HEAD") return undefined;
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  return type === "application/json" ? undefined : "Send JSON (content-type: application/json)."; // G3
}
