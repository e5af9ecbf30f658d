import { describe, expect, it } from "vitest";
import { HandraiseError } from "../../src/errors.js";
import type { AskToPlan } from "../../src/ports/directory.js";
import { createDirectory } from "../../src/runs/directory.js";
import type { DirectorySettings } from "../../src/runs/people.js";
import { FakeClock } from "../fixtures/fake-clock.js";

const HOUR_MS = 3_600_000;
const clock = new FakeClock();
const SETTINGS: DirectorySettings = {
  accounts: { slack: { kind: "slack" } },
  people: {
    alice: { ids: { slack: "U0ALICE" } },
    bob: { ids: { slack: "U0BOB" } },
    carol: { ids: { slack: "U0CAROL" } },
    vera: { ids: { slack: "U0VERA" }, untilMs: clock.now() + HOUR_MS },
  },
  roles: { operators: ["alice", "bob"], ops: ["bob", "carol"], guests: ["vera"] },
  routes: { deploys: { to: ["slack:#releases"], audience: ["ops"], options: {} } },
  access: { anyone: true },
  defaults: {},
};
const directory = createDirectory(SETTINGS, clock);
const strict = createDirectory({ ...SETTINGS, access: { anyone: true, requester: "excluded" } }, clock);
const at = (name: string) => ({ account: "slack", userId: `U0${name.toUpperCase()}` });
const audienceFor = (ask: Partial<AskToPlan>, by = directory) => by.plan({ to: ["slack:#releases"], audience: undefined, ...ask }).audience;

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof HandraiseError) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("exclude (R13)", () => {
  it("T31 X10 the owner is refused where a human other than the owner must answer; an operator is accepted; a member who is neither is refused", () => {
    const audience = audienceFor({ audience: ["operators"], exclude: ["owner"], parties: { owner: "alice", requester: "carol" } });
    expect(directory.judge(audience, at("alice"))).toEqual({ allowed: false, person: "alice", rule: null });
    expect(directory.judge(audience, at("bob"))).toEqual({ allowed: true, person: "bob", rule: "audience:role operators" });
    expect(directory.judge(audience, at("carol"))).toEqual({ allowed: false, person: "carol", rule: null });
  });
  it("R13 takes out the requester, the owner and named people, whatever role would let them in", () => {
    const parties = { requester: "alice", owner: "bob" };
    const names = ["operators", "ops"];
    expect(audienceFor({ audience: names, exclude: ["requester", "owner"], parties })).toMatchObject({ people: ["carol"] });
    expect(audienceFor({ audience: names, exclude: ["carol", "bob"] })).toMatchObject({ people: ["alice"] });
    const anyone = audienceFor({ audience: ["anyone"], exclude: ["requester"], parties });
    expect(directory.judge(anyone, at("alice")).allowed).toBe(false);
    expect(directory.judge(anyone, at("bob")).allowed).toBe(true);
    expect(directory.judge(anyone, { account: "slack", userId: "U0STRANGER" }).allowed).toBe(true);
  });
  it("R13 fails closed: a party that is not there, a role, an unknown name, and an audience of nobody refuse the ask", () => {
    expect(refusal(() => audienceFor({ audience: ["ops"], exclude: ["requester"] }))).toBe(
      "[input_invalid] audience: excludes the requester, and there is none. Ask within a run that names its owner and starter.",
    );
    expect(refusal(() => audienceFor({ audience: ["ops"], exclude: ["operators"] }))).toContain("operators is a role. Name its people.");
    expect(refusal(() => audienceFor({ audience: ["ops"], exclude: ["alcie"] }))).toContain(
      'nobody is called "alcie". Did you mean alice?',
    );
    expect(refusal(() => audienceFor({ audience: ["ops"], exclude: ["bob", "carol"] }))).toContain("excludes everybody it names");
  });
  it("R13 with access.requester: excluded whoever started a run may not approve, and may still answer questions", () => {
    const parties = { requester: "bob" };
    expect(audienceFor({ audience: ["ops"], kind: "approval", parties }, strict)).toMatchObject({ people: ["carol"] });
    expect(audienceFor({ audience: ["ops"], kind: "question", parties }, strict)).toMatchObject({ people: ["bob", "carol"] });
    expect(audienceFor({ audience: ["ops"], kind: "approval", parties })).toMatchObject({ people: ["bob", "carol"] });
    expect(audienceFor({ audience: ["ops"], kind: "approval" }, strict)).toMatchObject({ people: ["bob", "carol"] });
    expect(refusal(() => audienceFor({ audience: ["bob"], kind: "approval", parties }, strict))).toBe(
      "[not_allowed] audience: bob started this run and may not approve what it asks (access.requester: excluded). Name somebody else.",
    );
  });
  it("D4 an ask through a route may exclude, which only narrows it", () => {
    expect(directory.applyRoutes({ to: "deploys", audience: { exclude: "bob" } })["audience"]).toEqual({ of: ["ops"], exclude: "bob" });
    expect(directory.applyRoutes({ to: "deploys", audience: { of: "carol", exclude: ["bob"] } })["audience"]).toEqual({
      of: ["carol"],
      exclude: ["bob"],
    });
    expect(refusal(() => directory.applyRoutes({ to: "deploys", audience: { of: "alice", exclude: "bob" } }))).toContain("not_allowed");
    expect(directory.applyRoutes({ to: "deploys", audience: { of: 7 } })["audience"]).toEqual({ of: 7 });
  });
});

describe("membership is read again (R13)", () => {
  const audience = audienceFor({ audience: ["ops", "alice"] });
  const changed = (settings: Partial<DirectorySettings>) => createDirectory({ ...SETTINGS, ...settings }, clock);
  it("X09 who was let in by a role is refused once no such role names them, also after coming back under another role", () => {
    const without = changed({ roles: { ...SETTINGS.roles, ops: ["carol"], guests: ["bob"] } });
    expect(directory.judge(audience, at("bob")).allowed).toBe(true);
    expect(without.judge(audience, at("bob")).allowed).toBe(false);
    expect(without.judge(audience, at("carol")).allowed).toBe(true);
  });
  it("X09 who was named counts while the config names them, whatever their roles", () => {
    expect(changed({ roles: {} }).judge(audience, at("alice")).allowed).toBe(true);
    const { alice: _alice, ...others } = SETTINGS.people;
    expect(changed({ people: others }).judge(audience, at("alice"))).toEqual({ allowed: false, person: null, rule: null });
  });
  it("R13 nobody joins a question that was asked before", () => {
    const wider = changed({ roles: { ...SETTINGS.roles, ops: ["bob", "carol", "vera"] } });
    expect(wider.judge(audience, at("vera")).allowed).toBe(false);
  });
});

describe("visitors", () => {
  it("R12 a visitor counts strictly before the end, and is refused everywhere from then on, also where anyone may answer", () => {
    const own = new FakeClock(clock.now());
    const now = createDirectory(SETTINGS, own);
    const named = now.audienceOf(["vera"]);
    const asGuest = now.audienceOf(["guests"]);
    own.advance(HOUR_MS - 1);
    expect([named, asGuest, { kind: "anyone" as const }].map((audience) => now.judge(audience, at("vera")).allowed)).toEqual([
      true,
      true,
      true,
    ]);
    own.advance(1);
    expect([named, asGuest, { kind: "anyone" as const }].map((audience) => now.judge(audience, at("vera")).allowed)).toEqual([
      false,
      false,
      false,
    ]);
  });
  it("R10 an ask to a visitor of the past is refused at once; a role goes on without them", () => {
    const own = new FakeClock(clock.now() + HOUR_MS);
    const later = createDirectory({ ...SETTINGS, roles: { ...SETTINGS.roles, ops: ["carol", "vera"] } }, own);
    expect(refusal(() => later.plan({ to: ["vera"], audience: ["bob"] }))).toBe(
      "[not_allowed] to: vera was a visitor until 2026-12-01T15:00:00.000Z. Name somebody else, or give a later `until`.",
    );
    expect(refusal(() => later.plan({ to: ["slack:#a"], audience: ["vera"] }))).toContain("[not_allowed] audience: vera was a visitor");
    expect(later.plan({ to: ["ops"], audience: undefined }).copies.map(({ person }) => person)).toEqual(["carol"]);
    expect(refusal(() => later.plan({ to: ["guests"], audience: undefined }))).toContain("names nobody");
  });
});
