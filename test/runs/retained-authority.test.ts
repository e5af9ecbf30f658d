import { describe, expect, it } from "vitest";
import { HandraiseError } from "../../src/errors.js";
import { RetainedAuthorities, STOP_AGAIN_MS } from "../../src/runs/retained-authority.js";
import { eventually } from "../fixtures/eventually.js";
import { FakeClock } from "../fixtures/fake-clock.js";
import { quietLog } from "../fixtures/paper-bridge.js";

const RUN = { id: "run_1", principal: "ci", startedBy: "bob" };

function keeper() {
  const clock = new FakeClock();
  const current = new Set(["bob", "alice"]);
  const errors: unknown[] = [];
  const log = { ...quietLog, error: (facts: unknown) => errors.push(facts) };
  const all = new RetainedAuthorities({ clock, log, isCurrent: (person) => current.has(person) });
  return { all, clock, current, errors };
}

const whyOf = (run: () => void): unknown => {
  try {
    run();
    return "current";
  } catch (error) {
    return error instanceof HandraiseError && error.code === "authority_stale" ? error.facts["why"] : error;
  }
};

describe("retained authority (R15)", () => {
  it("R15 is current until released; releasing twice is releasing once, and stops nothing", () => {
    const { all } = keeper();
    const kept = all.retain(RUN);
    let stops = 0;
    kept.own("server", () => {
      stops += 1;
    });
    expect(whyOf(() => kept.assertCurrent())).toBe("current");
    kept.release();
    kept.release();
    expect(whyOf(() => kept.assertCurrent())).toBe("released");
    expect(kept.signal.aborted).toBe(false);
    expect(stops).toBe(0);
  });

  it("R15 R16 ends in the very call when its person is gone, before anybody was told, and stays ended when they come back", () => {
    const { all, current } = keeper();
    const kept = all.retain(RUN);
    current.delete("bob");
    expect(whyOf(() => kept.assertCurrent())).toBe("person_removed");
    expect(kept.signal.aborted).toBe(true);
    current.add("bob");
    expect(whyOf(() => kept.assertCurrent())).toBe("person_removed");
  });

  it("R15 a revoked principal takes its own authority away and nobody else's", () => {
    const { all } = keeper();
    const [mine, other] = [all.retain(RUN), all.retain({ ...RUN, principal: "deploy" })];
    all.revoke("ci");
    expect(whyOf(() => mine.assertCurrent())).toBe("revoked");
    expect(whyOf(() => other.assertCurrent())).toBe("current");
  });

  it("R33 a stopping bridge ends all of it, what is asked for later too, and waits for the stops", async () => {
    const { all } = keeper();
    const kept = all.retain(RUN);
    const stopped: unknown[] = [];
    kept.own("server", async (reason) => {
      await Promise.resolve();
      stopped.push(reason);
    });
    await all.retire();
    expect(whyOf(() => kept.assertCurrent())).toBe("retired");
    expect(stopped).toEqual([kept.signal.reason]);
    expect(whyOf(() => all.retain(RUN).assertCurrent())).toBe("retired");
    expect(all.unsettled).toEqual([]);
  });

  it("R15 a stop works after permission is gone; one that fails is reported and kept until it succeeds; what was let go is not stopped", async () => {
    const { all, clock, current, errors } = keeper();
    const kept = all.retain(RUN);
    let tries = 0;
    let letGo = 0;
    kept.own("cache", () => {
      letGo += 1;
    })();
    current.delete("bob");
    all.look();
    kept.own("server", () => {
      tries += 1;
      if (tries < 3) throw new Error("still busy");
    });
    for (const failed of [1, 2]) {
      await eventually(() => expect(errors).toHaveLength(failed));
      expect(all.unsettled).toEqual([{ run: "run_1", resource: "server" }]);
      clock.advance(STOP_AGAIN_MS);
    }
    await eventually(() => expect(all.unsettled).toEqual([]));
    expect([tries, letGo]).toEqual([3, 0]);
  });
});
