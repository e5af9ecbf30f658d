import { describe, expect, it } from "vitest";
import { doctorLine } from "../../src/cli/doctor-command.js";
import { ageText, clockText, shownLine, untilText } from "../../src/cli/words.js";
import type { QuestionRecord } from "../../src/client/types.js";

const now = new Date(2026, 11, 1, 14, 3);

const RECORD: QuestionRecord = {
  id: "q_1",
  code: "K7QM",
  kind: "question",
  text: "Ship it?",
  fields: [],
  status: "open",
  version: 1,
  askedAt: now.toISOString(),
  expiresAt: new Date(2026, 11, 1, 16, 3).toISOString(),
  outcome: null,
  deliveries: [
    { place: "telegram:4242", status: "shown" },
    { place: "slack:D1", status: "failed" },
  ],
};

describe("the sentences of the command line", () => {
  it("K7QM shown to alice on telegram, open until 16:03", () => {
    expect(shownLine(RECORD, { now, to: ["alice"] })).toBe("K7QM shown to alice on telegram, open until 16:03");
    expect(shownLine({ ...RECORD, to: ["bob", "carol"] }, { now, to: [] })).toBe("K7QM shown to bob, carol on telegram, open until 16:03");
  });
  it("names the day when it is another one", () => {
    expect(clockText(new Date(2026, 11, 2, 9, 5), { now })).toBe("09:05 on 2026-12-02");
    expect(untilText(null, { now })).toBe("open");
  });
  it.each([
    [20, "20 s"],
    [125, "2 min"],
    [7_300, "2 h"],
    [200_000, "2 d"],
    [-5, "0 s"],
  ])("%d seconds: %s", (seconds, text) => {
    expect(ageText(new Date(now.getTime() - seconds * 1_000).toISOString(), now)).toBe(text);
  });
  it("a line of doctor names the remedy", () => {
    const plain = { colour: false, outIsScreen: false };
    const remedy = 'Give the bot\'s role "Read Message History".';
    expect(doctorLine({ account: "discord", check: "history", ok: false, detail: "#ops: cannot read history", remedy }, plain)).toBe(
      'discord FAIL #ops: cannot read history. Give the bot\'s role "Read Message History".',
    );
    expect(doctorLine({ account: "slack", check: "token", ok: true }, plain)).toBe("slack ok token");
    expect(doctorLine({ account: "slack", check: "token", ok: true }, { colour: true, outIsScreen: true })).toBe(
      "slack \u001b[32mok\u001b[0m token",
    );
  });
});
