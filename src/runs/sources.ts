/**
 * Source authority over the live directory: every token knows by itself whether it is still current, and is told when it may not be.
 *
 * W1  Current means: the account is still ours, the person of that id is still the same one, a visitor's time has not ended, and the audience
 *     still lets them in, by the one function that judges it (R12). The place is the account's: it ends with it.
 * W2  Asked synchronously, a token looks for itself: it never rests on a timer or a message having arrived (R16).
 * W3  What has ended stays ended: a person who was taken out and put back presses again (R18).
 */
import { HandraiseError } from "../errors.js";
import type { Source, SourceEnd, Sources, SourceToken } from "../ports/source.js";
import type { LiveDirectory } from "./live-directory.js";

const WORDS: Readonly<Record<SourceEnd, string>> = {
  account_removed: "the account is no longer configured",
  person_removed: "the person is no longer configured",
  visitor_ended: "the visitor's time has ended",
  membership_changed: "the person is no longer of the audience",
  retired: "the bridge is stopping",
  released: "the token was given back",
};

/** Sources of one bridge. */
export function createSources(directory: LiveDirectory): Sources {
  const held = new Set<() => void>();
  let retired = false;
  directory.onChange(() => {
    for (const look of [...held]) look();
  });
  return {
    tokenFor: (source) => tokenFor(source, { directory, held, retired: () => retired }),
    retire: () => {
      retired = true;
      for (const look of [...held]) look();
    },
  };
}

type Around = { readonly directory: LiveDirectory; readonly held: Set<() => void>; readonly retired: () => boolean };

function tokenFor(source: Source, { directory, held, retired }: Around): SourceToken {
  const { account, userId } = source;
  const person = directory.personOf(account, userId);
  const controller = new AbortController();
  let ended: HandraiseError | undefined;
  const end = (why: SourceEnd): void => {
    ended ??= new HandraiseError("authority_stale", `Who answers ${source.question} may no longer do so: ${WORDS[why]}.`, {
      facts: { question: source.question, account, why },
    });
    held.delete(look);
  };
  const look = (): void => {
    if (ended !== undefined) return;
    const why = retired() ? "retired" : endOf(source, person, directory);
    if (why === undefined) return;
    end(why);
    controller.abort(ended);
  };
  held.add(look);
  look();
  return {
    assertCurrent: () => {
      look();
      if (ended !== undefined) throw ended;
    },
    signal: controller.signal,
    release: () => end("released"),
  };
}

/** W1. */
function endOf({ account, userId, audience }: Source, person: string | undefined, directory: LiveDirectory): SourceEnd | undefined {
  if (directory.channelOf(account) === undefined) return "account_removed";
  if (directory.personOf(account, userId) !== person) return "person_removed";
  if (directory.judge(audience, { account, userId }).allowed) return undefined;
  return person !== undefined && !directory.isCurrent(person) ? "visitor_ended" : "membership_changed";
}
