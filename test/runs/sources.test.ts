import { describe, expect, it } from "vitest";
import type { Source } from "../../src/ports/source.js";
import { createLiveDirectory } from "../../src/runs/live-directory.js";
import type { DirectorySettings } from "../../src/runs/people.js";
import { createSources } from "../../src/runs/sources.js";
import { FakeClock } from "../fixtures/fake-clock.js";

const DAY_MS = 86_400_000;
const BASE: DirectorySettings = {
  accounts: { slack: { kind: "slack" }, telegram: { kind: "telegram" } },
  people: { alice: { ids: { slack: "U0ALICE" } }, bob: { ids: { telegram: "2" } } },
  roles: { ops: ["alice", "bob"] },
  routes: {},
  access: { anyone: true },
  defaults: {},
};

function start(settings: DirectorySettings = BASE) {
  const clock = new FakeClock();
  const directory = createLiveDirectory(settings, clock);
  const sources = createSources(directory);
  const tokenOf = (over: Partial<Source> = {}) =>
    sources.tokenFor({ account: "slack", userId: "U0ALICE", audience: directory.audienceOf(["ops"]), question: "q_1", ...over });
  return { clock, directory, sources, tokenOf };
}
const without = (name: string, settings = BASE): DirectorySettings => ({
  ...settings,
  people: Object.fromEntries(Object.entries(settings.people).filter(([each]) => each !== name)),
});
const stale = (why: string) => expect.objectContaining({ code: "authority_stale", facts: expect.objectContaining({ why }) });

describe("the live directory", () => {
  it("V1 answers from the new settings in the same tick, everywhere at once, with one generation more", () => {
    const { directory } = start();
    const { judge } = directory;
    const audience = directory.audienceOf(["ops"]);
    expect([directory.generation, judge(audience, { account: "telegram", userId: "2" }).allowed]).toEqual([1, true]);
    directory.swap({ ...without("bob"), roles: { ops: ["alice"] } });
    expect([directory.generation, judge(audience, { account: "telegram", userId: "2" }).allowed]).toEqual([2, false]);
    expect([directory.peopleOf("ops"), directory.personOf("telegram", "2")]).toEqual([["alice"], undefined]);
  });
});

describe("source authority (R12, R16)", () => {
  it.each([
    { why: "account_removed", next: { ...BASE, accounts: { telegram: { kind: "telegram" as const } } } },
    { why: "person_removed", next: without("alice") },
    { why: "person_removed", next: { ...BASE, people: { ...without("alice").people, eve: { ids: { slack: "U0ALICE" } } } } },
    { why: "membership_changed", next: { ...BASE, roles: { ops: ["bob"] } } },
    { why: "visitor_ended", next: { ...BASE, people: { ...BASE.people, alice: { ids: { slack: "U0ALICE" }, untilMs: 1 } } } },
  ])("R16 $why: the check fails and the signal aborts in the tick of the swap, for good", ({ why, next }) => {
    const { directory, tokenOf } = start();
    const token = tokenOf();
    token.assertCurrent();
    expect(token.signal.aborted).toBe(false);
    directory.swap(next);
    expect(token.signal.aborted).toBe(true);
    expect(token.signal.reason).toEqual(stale(why));
    expect(() => token.assertCurrent()).toThrow(stale(why));
    directory.swap(BASE);
    expect(() => token.assertCurrent()).toThrow(stale(why)); // W3
    tokenOf().assertCurrent();
  });
  it("R16 a change that does not touch the source leaves it as it is", () => {
    const { directory, tokenOf } = start();
    const token = tokenOf();
    directory.swap({ ...without("bob"), accounts: { slack: { kind: "slack" } }, defaults: { timeout: "1h" } });
    token.assertCurrent();
    expect(token.signal.aborted).toBe(false);
  });
  it("R12 who may not answer gets a token that has ended already, also where anyone else may", () => {
    const { tokenOf, directory } = start();
    const none = tokenOf({ userId: "U0MALLORY" });
    expect(none.signal.aborted).toBe(true);
    expect(() => none.assertCurrent()).toThrow(stale("membership_changed"));
    tokenOf({ userId: "U0MALLORY", audience: { kind: "anyone" } }).assertCurrent();
    expect(() => tokenOf({ account: "none", audience: { kind: "anyone" } }).assertCurrent()).toThrow(stale("account_removed"));
    expect(directory.generation).toBe(1);
  });
  it("a visitor's end aborts at its instant, 60 days away, by one timer; a time that jumped is found when asked", () => {
    const clock = new FakeClock();
    const untilMs = clock.now() + 60 * DAY_MS;
    const directory = createLiveDirectory({ ...BASE, people: { ...BASE.people, alice: { ids: { slack: "U0ALICE" }, untilMs } } }, clock);
    const sources = createSources(directory);
    const source = { account: "slack", userId: "U0ALICE", audience: directory.audienceOf(["alice"]), question: "q_1" };
    const token = sources.tokenFor(source);
    expect(clock.timers).toBe(1);
    clock.advance(60 * DAY_MS - 1);
    expect([token.signal.aborted, clock.timers]).toEqual([false, 1]);
    token.assertCurrent();
    clock.advance(1);
    expect(token.signal.aborted).toBe(true);
    expect(token.signal.reason).toEqual(stale("visitor_ended"));
    expect(clock.timers).toBe(0);
    clock.jump(-DAY_MS);
    const early = sources.tokenFor(source);
    clock.jump(DAY_MS); // no timer has run
    expect(early.signal.aborted).toBe(false);
    expect(() => early.assertCurrent()).toThrow(stale("visitor_ended"));
    directory.stop();
  });
  it("release may be repeated, ends the check and leaves the signal alone", () => {
    const { directory, tokenOf } = start();
    const token = tokenOf();
    token.release();
    token.release();
    expect(() => token.assertCurrent()).toThrow(stale("released"));
    directory.swap(without("alice"));
    expect(token.signal.aborted).toBe(false);
  });
  it("R33 retiring ends what is held and what comes later", () => {
    const { sources, tokenOf } = start();
    const token = tokenOf();
    sources.retire();
    expect(token.signal.reason).toEqual(stale("retired"));
    expect(() => tokenOf().assertCurrent()).toThrow(stale("retired"));
  });
});
