/** `doctor`: what works and what does not, one line per check, each failure with its remedy. */
import type { DoctorLine } from "../app/doctor.js";
import { EXIT } from "./exit-codes.js";
import { paint, type Terminal } from "./terminal.js";

/** What the command line gives. */
export type DoctorOptions = { readonly json: boolean; readonly config?: string; readonly data?: string };

/** Resolves to 0 when every check passed, 1 when not. */
export async function runDoctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  const { examine } = await import("../app/doctor.js");
  const { config, data } = options;
  const lines = await examine({ ...(config === undefined ? {} : { config }), ...(data === undefined ? {} : { data }), env: process.env });
  if (options.json) terminal.out(JSON.stringify(lines));
  else for (const line of lines) terminal.out(doctorLine(line, terminal));
  return lines.every(({ ok }) => ok) ? EXIT.done : EXIT.failure;
}

/** `discord FAIL #ops: cannot read history. Give the bot's role "Read Message History".` */
export function doctorLine({ account, check, ok, detail, remedy }: DoctorLine, terminal: Pick<Terminal, "colour" | "outIsScreen">): string {
  const colour = terminal.colour && terminal.outIsScreen;
  const verdict = ok ? paint({ colour }, "good", "ok") : paint({ colour }, "bad", "FAIL");
  const what = detail === undefined ? check : detail.replace(/\.$/, "");
  return `${account} ${verdict} ${what}${ok ? "" : "."}${remedy === undefined ? "" : ` ${remedy}`}`;
}
