/**
 * The example questions of the simulated bridge: one in each chat, so that there is something to answer at once.
 *
 * EX1  Each has a key with a number, so that asking again after a restart is the same question while it is open (R7). One that has
 *      ended is asked anew under the next number.
 */
import type { AskInput, Bridge, Question } from "../client/types.js";
import { HandraiseError } from "../errors.js";
import type { ChatKind } from "../testing/sim/simulator.js";

/** The session of the examples. */
export const EXAMPLE_SESSION = "examples";

type Example = Pick<AskInput, "text"> & AskInput;

/** One question per chat: pick an option, write a text, approve a command. */
export const EXAMPLES: Readonly<Record<ChatKind, Example>> = {
  slack: {
    title: "Release 42",
    text: "Where does this release go?",
    options: [
      { value: "staging", description: "ten per cent of traffic" },
      { value: "prod", description: "everyone" },
    ],
    other: true,
  },
  discord: { title: "Release 42", text: "What should the release note say?" },
  telegram: { kind: "approval", text: "Apply the plan?", subject: { type: "command", body: "terraform apply plan.out" } },
};

/** Where and whom to ask: the direct chat's place in each chat. */
export type ExampleTarget = { readonly person: string; readonly place: (chat: ChatKind) => `${ChatKind}:${string}` };

/** Asks what is not open yet (EX1). Resolves with the three questions when they are stored. */
export async function askExamples(bridge: Bridge, { person, place }: ExampleTarget): Promise<readonly Question[]> {
  const asked: Question[] = [];
  for (const chat of ["slack", "discord", "telegram"] as const) {
    const key = await freeKey(bridge, `example-${chat}`);
    const input: AskInput = {
      ...EXAMPLES[chat],
      to: place(chat),
      audience: person,
      agent: "example",
      timeout: "24h",
      session: EXAMPLE_SESSION,
      key,
    };
    asked.push(await bridge.ask(input));
  }
  return asked;
}

/** The first key of this series whose question is open or was never asked. */
async function freeKey(bridge: Bridge, series: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const key = `${series}-${number}`;
    const known = await bridge.question({ key, session: EXAMPLE_SESSION }).catch((error: unknown) => {
      if (error instanceof HandraiseError && error.code === "question_unknown") return undefined;
      throw error;
    });
    if (known === undefined || (await known.record()).status === "open") return key;
  }
}
