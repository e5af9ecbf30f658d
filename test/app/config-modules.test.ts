/** The config over the adapters of this program: their own schemas and ids, in the words and places of api.md, section 3. */
import { describe, expect, it } from "vitest";
import { CHANNEL_MODULES } from "../../adapters/registry.js";
import { configOf } from "../../src/app/config.js";
import { HandraiseError } from "../../src/errors.js";

const SLACK = { token: "xoxb-sample", appToken: "xapp-sample" };
const DISCORD = { token: "sample-sample-sample-sample" };
const TELEGRAM = { token: "4242:AAHsampleSampleSampleSampleSampleSample" };

function faults(config: unknown): string {
  try {
    configOf(config, { modules: CHANNEL_MODULES, folder: "." });
  } catch (error) {
    if (error instanceof HandraiseError) return error.detail;
    throw error;
  }
  return "";
}

describe("the adapters of this program", () => {
  it("take accounts of all three", () => {
    const people = { me: { slack: "U02ALICE", discord: "103412345678901234", telegram: "4242" } };
    expect(faults({ accounts: { slack: SLACK, discord: DISCORD, telegram: TELEGRAM }, people })).toBe("");
  });
  it("refuse both ways of Slack at once, in the words of api.md", () => {
    const slack = { ...SLACK, signingSecret: "0123456789abcdef0123456789abcdef" };
    expect(faults({ accounts: { slack }, people: { me: { slack: "U02ALICE" } } })).toBe(
      "accounts.slack: give appToken (Socket Mode) or signingSecret (HTTP), not both.",
    );
  });
  it.each(["1087968824", "136817688", "777000", "-100123", "alice"])("B120 refuse %s as a person on Telegram", (telegram) => {
    expect(faults({ accounts: { telegram: TELEGRAM }, people: { me: { telegram } } })).toMatch(/^people\.me\.telegram: .*\.$/);
  });
  it.each(["alice", "12", "@me"])("refuse %s as a person on Discord", (discord) => {
    expect(faults({ accounts: { discord: DISCORD }, people: { me: { discord } } })).toMatch(/^people\.me\.discord: .*\.$/);
  });
  it.each(["alice", "C02GENERAL", "B0123"])("refuse %s as a person on Slack", (slack) => {
    expect(faults({ accounts: { slack: SLACK }, people: { me: { slack } } })).toMatch(/^people\.me\.slack: .*\.$/);
  });
  it("refuse what they do not know, with what is near", () => {
    expect(faults({ accounts: { telegram: { ...TELEGRAM, tokn: "x" } }, people: { me: { telegram: 4242 } } })).toMatch(
      /^accounts\.telegram\.tokn: unknown setting\. Did you mean token\?$/,
    );
  });
});
