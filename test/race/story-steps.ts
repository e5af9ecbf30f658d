/** The steps that a random history of one bridge is made of. */
import fc from "fast-check";

/** What happens to the next call of a kind: its response is lost, it never arrives, or it is put off. */
export type Mishap = "lost" | "failed" | "later";
/** One step. `who`: Alice or Bob; `question`: the first is for both in their direct chats, the second for Alice alone. */
export type Step =
  | { readonly do: "ask"; readonly question: 0 | 1; readonly mishaps: readonly (Mishap | "none")[] }
  | { readonly do: "press"; readonly who: "1" | "2"; readonly question: 0 | 1; readonly option: 0 | 1; readonly copy: number }
  | { readonly do: "type"; readonly who: "1" | "2"; readonly question: 0 | 1; readonly option: 0 | 1; readonly bound: boolean }
  /** A press with the token of Alice's copy, said to stand in Bob's chat. */
  | { readonly do: "forge"; readonly question: 0 | 1 }
  /** Somebody of no audience presses in Alice's chat. */
  | { readonly do: "intrude"; readonly question: 0 | 1; readonly option: 0 | 1 }
  /** A reply to the prompt that is no answer: prose around an option, or another word. */
  | { readonly do: "babble"; readonly who: "1" | "2"; readonly question: 0 | 1; readonly option: 0 | 1; readonly prose: boolean }
  /** The key of a stored question with another text. */
  | { readonly do: "ask_else"; readonly question: 0 | 1 }
  | { readonly do: "repeat" }
  | { readonly do: "cancel"; readonly question: 0 | 1 }
  | { readonly do: "lose_redraw" | "lose_word" }
  | { readonly do: "restart" | "crash" | "calm" }
  | { readonly do: "wait"; readonly ms: number };
/** A history: `turns` after each step are left to the bridge before the next. */
export type History = { readonly canFind: boolean; readonly steps: readonly { readonly step: Step; readonly turns: number }[] };

const question = fc.constantFrom<0 | 1>(0, 1);
const who = fc.constantFrom<"1" | "2">("1", "2");
const option = fc.constantFrom<0 | 1>(0, 1);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      question,
      mishaps: fc.array(fc.constantFrom<Mishap | "none">("none", "none", "lost", "failed", "later"), { maxLength: 3 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("press" as const), who, question, option, copy: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("type" as const), who, question, option, bound: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("forge" as const), question }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("intrude" as const), question, option }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("babble" as const), who, question, option, prose: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("ask_else" as const), question }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("repeat" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), question }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("lose_redraw" as const, "lose_word" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("restart" as const, "crash" as const, "crash" as const, "calm" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 1_000, 5_000, 30_000, 59_999, 60_000) }) },
);

/** Random histories of up to 14 steps. */
export const histories: fc.Arbitrary<History> = fc.record({
  canFind: fc.boolean(),
  steps: fc.array(fc.record({ step, turns: fc.constantFrom(0, 0, 1, 2, 4, 8, 16, 40) }), { minLength: 2, maxLength: 14 }),
});
