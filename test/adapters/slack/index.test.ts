import { describe, expect, it } from "vitest";
import { slackChannel, slackSettings } from "../../../adapters/channels/slack/index.js";

/** The messages of what is wrong with settings. */
function faults(settings: unknown): readonly string[] {
  const parsed = slackSettings.safeParse(settings);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("settings", () => {
  it("takes Socket Mode or HTTP mode", () => {
    expect(faults({ token: "xoxb-1", appToken: "xapp-1" })).toEqual([]);
    expect(faults({ kind: "slack", token: "xoxb-1", signingSecret: "s", apiUrl: "http://127.0.0.1:1/api/" })).toEqual([]);
  });

  it("refuses both ways at once, and neither", () => {
    expect(faults({ token: "xoxb-1", appToken: "xapp-1", signingSecret: "s" })).toEqual([
      ": give appToken (Socket Mode) or signingSecret (HTTP), not both.",
    ]);
    expect(faults({ token: "xoxb-1" })).toEqual([": give appToken (Socket Mode) or signingSecret (HTTP)."]);
  });

  it("refuses unknown keys, an empty token and an address that is none", () => {
    expect(faults({ token: "xoxb-1", appToken: "xapp-1", appTokn: "x" })[0]).toContain("appTokn");
    expect(faults({ token: "", appToken: "xapp-1" })[0]).toContain("bot token");
    expect(faults({ token: "xoxb-1", appToken: "xapp-1", apiUrl: "slack.example" })).toHaveLength(1);
  });

  it.each(["U02ALICE", "W012A3CDE"])("%s can answer", (id) => {
    expect(slackChannel.userIdProblem(id)).toBeUndefined();
  });

  it.each(["USLACKBOT", "USLACK", "alice", "@alice", "C012AB", "u02alice", "103412345678901234", ""])("%j can never answer", (id) => {
    expect(slackChannel.userIdProblem(id)).toBeTypeOf("string");
  });
});
