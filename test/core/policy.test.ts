import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AskFacts, normalPolicy, policyProblem, policySchema, type RunPolicy } from "../../src/core/policy.js";

const ASK: AskFacts = {
  kind: "approval",
  decisions: ["approve", "deny"],
  targets: ["alice"],
  audience: ["alice", "bob"],
  lifeMs: 60_000,
  open: 2,
};

describe("a run's policy (R15)", () => {
  const table: readonly [string, RunPolicy, Partial<AskFacts>, string | undefined][] = [
    ["no limits", {}, {}, undefined],
    ["the kind is listed", { kinds: ["approval"] }, {}, undefined],
    ["another kind", { kinds: ["question"] }, {}, "kinds"],
    ["an empty list allows nothing", { kinds: [] }, {}, "kinds"],
    ["decisions within", { decisions: ["approve", "approve_always", "deny"] }, {}, undefined],
    ["a decision beyond", { decisions: ["approve", "deny"] }, { decisions: ["approve", "approve_always", "deny"] }, "decisions"],
    ["the target is listed", { to: ["alice", "slack:#ops"] }, {}, undefined],
    ["one target of two is not", { to: ["alice"] }, { targets: ["alice", "slack:#ops"] }, "to"],
    ["the audience is within", { audience: ["alice", "bob", "carol"] }, {}, undefined],
    ["one person beyond", { audience: ["alice"] }, {}, "audience"],
    ["anyone is wider than every list", { audience: ["alice", "bob"] }, { audience: "anyone" }, "audience"],
    ["anyone where nothing is limited", {}, { audience: "anyone" }, undefined],
    ["as long as allowed", { maxTimeoutMs: 60_000 }, {}, undefined],
    ["longer", { maxTimeoutMs: 59_999 }, {}, "maxTimeoutMs"],
    ["for ever", { maxTimeoutMs: 60_000 }, { lifeMs: null }, "maxTimeoutMs"],
    ["one more fits", { maxOpen: 3 }, {}, undefined],
    ["the run is full", { maxOpen: 2 }, {}, "maxOpen"],
  ];
  it.each(table)("R15 %s", (_name, policy, ask, path) => {
    expect(policyProblem(policy, { ...ASK, ...ask })?.path).toBe(path);
  });

  const names = fc.subarray(["alice", "bob", "carol", "slack:#ops"]);
  const kinds = fc.subarray(["question", "approval", "url", "handoff"] as const);
  const decisions = fc.subarray(["answer", "decline", "approve", "deny"] as const);
  const policies: fc.Arbitrary<RunPolicy> = fc.record(
    { to: names, audience: names, kinds, decisions, maxOpen: fc.nat(4), maxTimeoutMs: fc.nat(4) },
    { requiredKeys: [] },
  );
  const asks: fc.Arbitrary<AskFacts> = fc.record({
    kind: fc.constantFrom("question", "approval", "url", "handoff"),
    decisions,
    targets: names,
    audience: fc.oneof(names, fc.constant("anyone" as const)),
    lifeMs: fc.option(fc.nat(5)),
    open: fc.nat(5),
  });
  const widened = (policy: RunPolicy, extra: RunPolicy): RunPolicy => {
    const list = <T>(one: readonly T[] | undefined, other: readonly T[] | undefined) =>
      one === undefined || other === undefined ? undefined : [...one, ...other];
    const most = (one: number | undefined, other: number | undefined) =>
      one === undefined || other === undefined ? undefined : Math.max(one, other);
    const wide = {
      to: list(policy.to, extra.to),
      audience: list(policy.audience, extra.audience),
      kinds: list(policy.kinds, extra.kinds),
      decisions: list(policy.decisions, extra.decisions),
      maxOpen: most(policy.maxOpen, extra.maxOpen),
      maxTimeoutMs: most(policy.maxTimeoutMs, extra.maxTimeoutMs),
    };
    return Object.fromEntries(Object.entries(wide).filter(([, limit]) => limit !== undefined));
  };

  /** Exactly what an ask needs, of the limits in `which`. */
  const tight = (ask: AskFacts, which: readonly string[]): RunPolicy => {
    const { targets: to, audience, kind, decisions: offered, lifeMs, open } = ask;
    const all = { to, audience, kinds: [kind], decisions: offered, maxOpen: open + 1, maxTimeoutMs: lifeMs };
    return Object.fromEntries(
      Object.entries(all).filter(([limit, value]) => which.includes(limit) && value !== null && value !== "anyone"),
    );
  };
  const limits = fc.subarray(["to", "audience", "kinds", "decisions", "maxOpen", "maxTimeoutMs"]);

  it("R15 what passes a policy passes every wider one", () => {
    fc.assert(
      fc.property(policies, asks, limits, (extra, ask, which) => {
        const policy = tight(ask, which);
        expect(policyProblem(policy, ask)).toBeUndefined();
        expect(policyProblem(widened(policy, extra), ask)).toBeUndefined();
        // And what a policy refuses, every narrower one refuses: the same said from the other end.
        if (policyProblem(widened(extra, policy), ask) !== undefined) expect(policyProblem(extra, ask)).toBeDefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it("R15 equal policies have one form, whatever the order and repeats of their lists", () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const twice = widened(policy, policy);
        const reversed = { ...twice, ...(twice.to === undefined ? {} : { to: [...twice.to].reverse() }) };
        expect(JSON.stringify(normalPolicy(reversed))).toBe(JSON.stringify(normalPolicy(policy)));
        expect(normalPolicy(normalPolicy(policy))).toEqual(normalPolicy(policy));
      }),
    );
    expect(JSON.stringify(normalPolicy({ tools: { b: "2", a: "1" } }))).toBe('{"tools":{"a":"1","b":"2"}}');
  });

  it("R15 a written policy is checked: unknown limits, no digest, no time", () => {
    expect(policySchema.safeParse({ maxOpen: 3, maxTimeout: "2h", tools: { bash: "a".repeat(64) } }).success).toBe(true);
    for (const wrong of [{ max: 3 }, { maxOpen: -1 }, { maxTimeout: "0s" }, { tools: { bash: "abc" } }, { kinds: ["order"] }])
      expect(policySchema.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
  });
});
