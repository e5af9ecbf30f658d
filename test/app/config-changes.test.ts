import { describe, expect, it } from "vitest";
import { configChange } from "../../src/app/config-changes.js";
import { changeLine } from "../../src/app/start.js";
import { paperSettings } from "../fixtures/paper-bridge.js";

const RUNNING = { ...paperSettings("data"), accounts: { telegram: { kind: "telegram" as const, settings: { token: "xoxb-1" } } } };

describe("what a new config means for a bridge that runs", () => {
  it("Y1 Y2 names what took effect and what needs a restart, and runs on with what was made at the start", () => {
    const { carol: _carol, ...people } = RUNNING.people;
    const change = configChange(RUNNING, {
      ...RUNNING,
      accounts: { telegram: { kind: "telegram", settings: { token: "xoxb-2" } }, slack: { kind: "slack", settings: {} } },
      people: { ...people, bob: { ids: { telegram: "22" } }, dave: { ids: { telegram: "4" } } },
      access: { anyone: false },
      folder: "elsewhere",
    });
    expect(change.applied).toEqual(["people.bob changed", "people.carol removed", "people.dave added", "access.anyone changed"]);
    expect(change.restart).toEqual(["accounts.telegram changed", "accounts.slack added", "store changed"]);
    expect(change.removed).toEqual([]);
    expect(change.settings.accounts).toEqual(RUNNING.accounts);
    expect(change.settings.folder).toBe("data");
    expect(change.settings.people["dave"]).toEqual({ ids: { telegram: "4" } });
    expect(changeLine(change)).toBe(
      `config read again: ${change.applied.join(", ")} · needs a restart: accounts.telegram changed, accounts.slack added, store changed`,
    );
    expect(JSON.stringify([change.applied, change.restart])).not.toMatch(/xoxb|22/); // settings, never values
  });
  it("an account taken out and put back needs a restart, and nothing changed says so", () => {
    const out = configChange(RUNNING, { ...RUNNING, accounts: {} });
    expect(out).toMatchObject({ removed: ["telegram"], applied: ["accounts.telegram removed"], restart: [] });
    expect(configChange(out.settings, RUNNING)).toMatchObject({ removed: [], applied: [], restart: ["accounts.telegram added"] });
    expect(changeLine(configChange(RUNNING, RUNNING))).toBe("config read again: nothing to do");
  });
});
