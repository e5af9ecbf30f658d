/** Runs many random histories and gives the shortest one that went wrong, with the seed that plays it again. */
import fc from "fast-check";
import { openStage, type Stage, Story } from "./story.js";
import { type History, histories } from "./story-steps.js";

/** `failure`: the faults, the shortest history found, and how to play it again. */
export type Played = { readonly played: number; readonly failure: string | undefined };

/** Histories per stage: then the file is as new again, so that reading all events stays quick. */
const PER_STAGE = 200;

/**
 * @param withinMs No new history is begun later than this.
 * @param path Of an earlier failure, with its seed: plays that history alone.
 */
export async function playHistories({
  seed,
  runs,
  path,
  withinMs,
}: {
  readonly seed: number;
  readonly runs: number;
  readonly path?: string | undefined;
  readonly withinMs?: number;
}): Promise<Played> {
  let stage: Stage | undefined;
  let played = 0;
  const play = async (history: History): Promise<void> => {
    if (played % PER_STAGE === 0) {
      await stage?.close();
      stage = undefined;
    }
    played += 1;
    stage ??= await openStage();
    const faults = await new Story(stage, played, history).play(history).catch((error: unknown) => [String(error)]);
    if (faults.length === 0) return;
    // What a broken history left behind must not disturb the next one.
    stage = undefined;
    throw new Error(faults.join("; "));
  };
  const result = await fc.check(fc.asyncProperty(histories, play), {
    seed,
    numRuns: runs,
    ...(path === undefined ? {} : { path }),
    ...(withinMs === undefined ? {} : { interruptAfterTimeLimit: withinMs }),
  });
  await stage?.close();
  if (!result.failed || result.counterexample === null) return { played, failure: undefined };
  const history = JSON.stringify(result.counterexample?.[0]);
  return { played, failure: `${String(result.errorInstance)}\nseed ${result.seed}, path "${result.counterexamplePath ?? ""}"\n${history}` };
}
