import { describe, expect, it } from "vitest";
import { type ErrorCode, HandraiseError } from "../../src/errors.js";
import { createDirectory } from "../../src/runs/directory.js";
import { nearestNames } from "../../src/runs/nearest.js";
import type { DirectorySettings } from "../../src/runs/people.js";

const CLOCK = { now: () => Date.parse("2026-12-01T14:00:00Z") };

const SETTINGS: DirectorySettings = {
  accounts: { slack: { kind: "slack" }, discord: { kind: "discord" }, "discord-oss": { kind: "discord" }, telegram: { kind: "telegram" } },
  people: {
    alice: { name: "Alice Wong", ids: { discord: "103412345678901234", slack: "U02ALICE" }, prefers: "slack" },
    bob: { ids: { slack: "U02BOB" } },
    carol: { ids: { "discord-oss": "209988776655443322", telegram: "4242" }, language: "de" },
  },
  roles: { ops: ["alice", "carol"], solo: ["bob"] },
  routes: {
    deploys: { to: ["slack:#releases", "discord-oss:#ops"], audience: ["ops"], options: { timeout: "4h", title: "Deploy" } },
    quiet: { to: ["bob"], visibility: "private", options: {} },
    public: { to: ["slack:#all"], audience: ["anyone"], options: {} },
  },
  access: { anyone: true },
  defaults: { timezone: "Europe/Berlin" },
};
const directory = createDirectory(SETTINGS, CLOCK);
const closed = createDirectory({ ...SETTINGS, access: { anyone: false } }, CLOCK);

function refusal(run: () => unknown): { code: ErrorCode; detail: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof HandraiseError) return { code: error.code, detail: error.detail };
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("targets", () => {
  it("has one name space of people, roles, routes and places", () => {
    expect(directory.resolveTarget("alice")).toEqual({ kind: "person", name: "alice" });
    expect(directory.resolveTarget("ops")).toEqual({ kind: "role", name: "ops", people: ["alice", "carol"] });
    expect(directory.resolveTarget("deploys")).toMatchObject({ kind: "route", name: "deploys" });
    expect(directory.resolveTarget("slack:C1/17.5")).toEqual({
      kind: "place",
      place: { account: "slack", conversation: "C1", thread: "17.5" },
    });
    expect(directory.resolveTarget("telegram:@news")).toMatchObject({ kind: "place" });
  });
  it("lists what is near an unknown name", () => {
    expect(refusal(() => directory.resolveTarget("alcie"))).toEqual({
      code: "target_unknown",
      detail: 'to: nobody is called "alcie". Did you mean alice?',
    });
    expect(refusal(() => directory.resolveTarget("deploy")).detail).toBe('to: nobody is called "deploy". Did you mean deploys?');
    expect(refusal(() => directory.resolveTarget("somebody")).detail).toBe('to: nobody is called "somebody".');
    expect(refusal(() => directory.resolveTarget("slak:#x"))).toEqual({
      code: "target_unknown",
      detail: 'to: no account is called "slak" (slack, discord, discord-oss, telegram). Did you mean slack?',
    });
  });
  it("is not fooled by names of object properties", () => {
    for (const name of ["constructor", "__proto__", "toString", "anyone", ""]) {
      expect(refusal(() => directory.resolveTarget(name)).code).toBe("target_unknown");
    }
    expect(directory.accountsOf("constructor")).toEqual([]);
    expect(directory.personOf("constructor", "toString")).toBeUndefined();
  });
  it("refuses a platform's group until it can be read", () => {
    expect(refusal(() => directory.resolveTarget("slack:@team"))).toEqual({
      code: "unsupported",
      detail: "to: slack:@team is a platform's group, which cannot be read yet. Name its people, or a role.",
    });
    expect(refusal(() => directory.audienceOf(["slack:@team"])).code).toBe("unsupported");
  });
});

describe("people", () => {
  it("D1 counts a Discord or Telegram id for every account of its kind, a Slack id for its own", () => {
    expect(directory.accountsOf("alice")).toEqual([
      { account: "slack", userId: "U02ALICE" },
      { account: "discord", userId: "103412345678901234" },
      { account: "discord-oss", userId: "103412345678901234" },
    ]);
    expect(directory.personOf("discord-oss", "103412345678901234")).toBe("alice");
    expect(directory.personOf("discord", "209988776655443322")).toBeUndefined();
    expect(directory.personOf("telegram", "103412345678901234")).toBeUndefined();
  });
  it("reaches a person in the preferred chat, else in the first one written", () => {
    const [copy] = directory.plan({ to: ["alice"], audience: undefined }).copies;
    expect(copy).toEqual({ target: "alice", account: "slack", person: "alice", userId: "U02ALICE", conversation: null, thread: null });
    expect(directory.plan({ to: ["carol"], audience: undefined }).copies[0]?.account).toBe("discord-oss");
  });
  it("prefers an account of a kind whose id was given once", () => {
    const oss = createDirectory(
      {
        ...SETTINGS,
        people: { ...SETTINGS.people, alice: { ids: { discord: "103412345678901234" }, prefers: "discord-oss" } },
      },
      CLOCK,
    );
    expect(oss.accountsOf("alice")[0]?.account).toBe("discord-oss");
  });
  it("knows names, languages and zones", () => {
    expect([directory.displayName("alice"), directory.displayName("bob")]).toEqual(["Alice Wong", "bob"]);
    expect([directory.languageOf("carol"), directory.languageOf("bob"), directory.timezoneOf("bob")]).toEqual([
      "de",
      "en",
      "Europe/Berlin",
    ]);
    expect([directory.channelOf("discord-oss"), directory.channelOf("none")]).toEqual(["discord", undefined]);
  });
});

describe("who may answer (R13)", () => {
  it("is the audience written, else the people and roles in `to`", () => {
    expect(directory.plan({ to: ["alice"], audience: ["bob"] }).audience).toEqual({ kind: "people", people: ["bob"] });
    expect(directory.plan({ to: ["ops", "alice"], audience: undefined }).audience).toEqual({
      kind: "people",
      people: ["alice", "carol"],
      through: { carol: ["ops"] },
    });
  });
  it("makes one copy per person and place, however often they are named", () => {
    const { copies } = directory.plan({ to: ["ops", "alice", "slack:#a", "slack:#a"], audience: ["ops"] });
    expect(copies.map(({ person, conversation }) => person ?? conversation)).toEqual(["alice", "carol", "#a"]);
  });
  it("B118 refuses a shared place without an audience, and marks anyone where it is written out", () => {
    const refused = refusal(() => directory.plan({ to: ["alice", "slack:#releases"], audience: undefined }));
    expect(refused.code).toBe("input_invalid");
    expect(refused.detail).toBe(
      'audience: missing. slack:#releases is a shared place: name who may answer. "anyone" also needs access.anyone: true.',
    );
    expect(directory.plan({ to: ["slack:#releases"], audience: ["anyone"] }).audience).toEqual({ kind: "anyone" });
  });
  it("B118 refuses anyone where the config does not allow it, and an audience of nobody", () => {
    expect(refusal(() => closed.plan({ to: ["slack:#releases"], audience: ["anyone"] }))).toEqual({
      code: "not_allowed",
      detail: 'audience: "anyone" needs access.anyone: true in the config.',
    });
    expect(refusal(() => directory.audienceOf(["anyone", "bob"])).code).toBe("input_invalid");
    expect(refusal(() => directory.audienceOf([])).detail).toBe("audience: names nobody. Name people or roles.");
    expect(refusal(() => directory.audienceOf(["slack:#releases"])).detail).toContain("is a place");
    expect(refusal(() => directory.audienceOf(["deploys"])).detail).toContain("is a route");
    expect(refusal(() => directory.audienceOf(["bbo"])).detail).toBe('audience: nobody is called "bbo". Did you mean bob?');
  });
  it("R12 judges by account and id, on every path alike", () => {
    const audience = directory.audienceOf(["ops"]);
    expect(directory.judge(audience, { account: "slack", userId: "U02ALICE" })).toEqual({
      allowed: true,
      person: "alice",
      rule: "audience:role ops",
    });
    expect(directory.judge(audience, { account: "slack", userId: "U02BOB" })).toEqual({ allowed: false, person: "bob", rule: null });
    expect(directory.judge(audience, { account: "discord", userId: "U02ALICE" })).toEqual({ allowed: false, person: null, rule: null });
    expect(directory.judge({ kind: "anyone" }, { account: "slack", userId: "U0STRANGER" })).toEqual({
      allowed: true,
      person: null,
      rule: "anyone",
    });
    expect(directory.judge({ kind: "people", people: [] }, { account: "slack", userId: "U02ALICE" }).allowed).toBe(false);
  });
});

describe("routes (D4)", () => {
  it("fills in what the ask leaves out", () => {
    expect(directory.applyRoutes({ to: "deploys", text: "Ship?" })).toEqual({
      to: ["slack:#releases", "discord-oss:#ops"],
      audience: ["ops"],
      timeout: "4h",
      title: "Deploy",
      text: "Ship?",
    });
    expect(directory.applyRoutes({ to: "deploys", title: "Mine", timeout: "1h" })).toMatchObject({ title: "Mine", timeout: "1h" });
    expect(directory.applyRoutes({ to: "deploys", expiresAt: "2030-01-01T00:00:00Z" })).not.toHaveProperty("timeout");
  });
  it("lets an ask narrow the audience, never widen it", () => {
    expect(directory.applyRoutes({ to: ["deploys"], audience: "carol" })["audience"]).toEqual(["carol"]);
    expect(refusal(() => directory.applyRoutes({ to: "deploys", audience: ["alice", "bob"] }))).toEqual({
      code: "not_allowed",
      detail: "audience: the route deploys does not let bob answer. An ask may narrow it only.",
    });
    expect(refusal(() => directory.applyRoutes({ to: "deploys", audience: "anyone" })).code).toBe("not_allowed");
    expect(refusal(() => directory.applyRoutes({ to: "quiet", audience: "ops" })).code).toBe("not_allowed");
    expect(refusal(() => directory.applyRoutes({ to: "quiet", visibility: "shared" })).code).toBe("not_allowed");
    expect(directory.applyRoutes({ to: "public", audience: "bob" })["audience"]).toEqual(["bob"]);
  });
  it("is used when it is the default, and stands alone", () => {
    const byDefault = createDirectory({ ...SETTINGS, defaults: { to: "deploys" } }, CLOCK);
    expect(byDefault.applyRoutes({ text: "Ship?" })).toMatchObject({ audience: ["ops"] });
    expect(byDefault.applyRoutes({ text: "Ship?", to: "bob" })).toEqual({ text: "Ship?", to: "bob" });
    expect(refusal(() => directory.applyRoutes({ to: ["deploys", "bob"] })).code).toBe("input_invalid");
  });
  it("leaves what is no route, or malformed, to the next judge", () => {
    for (const ask of [{ to: "alice" }, { to: 7 }, { to: ["deploys", 7] }, {}]) expect(directory.applyRoutes(ask)).toBe(ask);
    expect(directory.applyRoutes({ to: "deploys", audience: 7 })["audience"]).toBe(7);
  });
});

describe("nearest names", () => {
  it.each([
    { text: "alcie", names: ["alice", "bob"], near: ["alice"] },
    { text: "ALICE", names: ["alice"], near: ["alice"] },
    { text: "bo", names: ["bob", "boa", "carol"], near: ["boa", "bob"] },
    { text: "release-managr", names: ["release-managers", "ops"], near: ["release-managers"] },
    { text: "x", names: ["alice", "ops"], near: [] },
    { text: "", names: ["a"], near: ["a"] },
  ])("$text", ({ text, names, near }) => {
    expect(nearestNames(text, names)).toEqual(near);
  });
});
