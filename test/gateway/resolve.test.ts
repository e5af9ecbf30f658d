import { afterEach, describe, expect, it } from "vitest";
import { parseQuestionId, parseResolutionId, type QuestionId, type ResolutionId } from "../../src/core/ids.js";
import { HandraiseError } from "../../src/errors.js";
import type { Submission } from "../../src/ports/gateway.js";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge, paperSettings } from "../fixtures/paper-bridge.js";
import { PaperChannel } from "../fixtures/paper-channel.js";

let opened: PaperBridge | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});
const start = async (...args: Parameters<typeof openPaperBridge>): Promise<PaperBridge> => {
  opened = await openPaperBridge(...args);
  return opened;
};
const SHIP = { to: "ops", text: "Ship?", options: ["Ship", "Hold"], timeout: "1h" } as const;
const resolution = (text: string): ResolutionId => {
  const id = parseResolutionId(text);
  if (id === undefined) throw new Error("not a resolution id");
  return id;
};
const questionId = (text: string): QuestionId => {
  const id = parseQuestionId(text);
  if (id === undefined) throw new Error("not a question id");
  return id;
};
function submission(question: string, bridge: PaperBridge, over: Partial<Submission> & { readonly userId?: string } = {}): Submission {
  const { userId = "1", ...rest } = over;
  return {
    question: questionId(question),
    resolutionId: resolution("r_1"),
    decision: "answer",
    value: "Ship",
    actor: { account: "telegram", userId, name: "A", channel: "telegram" },
    place: "telegram:dm-1",
    via: "api",
    receivedAtMs: bridge.clock.now(),
    ...rest,
  };
}

describe("submissions", () => {
  it("R5 B032 O22 X05 the same call again is already_yours, another payload or actor under its id is a conflict", async () => {
    const bridge = await start();
    const { id } = await bridge.bridge.ask(SHIP);
    const first = await bridge.gateway.resolve(submission(id, bridge));
    expect(first).toMatchObject({ status: "committed", outcome: { value: "Ship" } });
    expect(await bridge.gateway.resolve(submission(id, bridge))).toMatchObject({ status: "already_yours", outcome: { value: "Ship" } });
    expect(await bridge.gateway.resolve(submission(id, bridge, { value: "Hold" }))).toMatchObject({
      status: "refused",
      code: "resolution_conflict",
    });
    expect(await bridge.gateway.resolve(submission(id, bridge, { userId: "2" }))).toMatchObject({
      status: "refused",
      code: "resolution_conflict",
    });
    const { events } = await bridge.store.events({ id: 0, limit: 100 });
    expect(events.filter(({ type }) => type === "question.answered")).toHaveLength(1);
  });

  it("R6 a resolution id is given only to a waiter that asked for it; records, lists and events never carry it", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask(SHIP);
    const marker = "r_marker_7731";
    await bridge.gateway.resolve(submission(question.id, bridge, { resolutionId: resolution(marker) }));
    const creator = { principal: "ci" };
    expect(await bridge.gateway.waitAnswer(question.id, creator, { includeResolutionId: true })).toMatchObject({ resolutionId: marker });
    const shown = JSON.stringify([
      await bridge.gateway.waitAnswer(question.id, creator),
      await bridge.gateway.get(question.id, creator),
      await bridge.gateway.list(creator),
      await question.outcome(),
      (await bridge.store.events({ id: 0, limit: 100 })).events,
    ]);
    expect(shown).not.toContain(marker);
  });

  it("R3 X07 R19 a refused value leaves the question open, is kept nowhere, and the next valid one counts", async () => {
    const bridge = await start();
    const question = await bridge.bridge.ask(SHIP);
    const marker = "not-offered-5529";
    expect(await bridge.gateway.resolve(submission(question.id, bridge, { value: marker }))).toMatchObject({
      status: "refused",
      code: "answer_invalid",
      issues: [{ path: "value", code: "not_offered" }],
    });
    expect((await question.record()).status).toBe("open");
    expect(JSON.stringify((await bridge.store.events({ id: 0, limit: 100 })).events)).not.toContain(marker);
    expect(await bridge.gateway.resolve(submission(question.id, bridge, { resolutionId: resolution("r_2") }))).toMatchObject({
      status: "committed",
    });
  });

  it("R3 a wrong decision for the kind is refused and the right one afterwards counts", async () => {
    const bridge = await start();
    const { id } = await bridge.bridge.ask({ kind: "approval", to: "alice", text: "Apply?", timeout: "1h" });
    expect(await bridge.gateway.resolve(submission(id, bridge))).toMatchObject({ status: "refused", code: "decision_invalid" });
    const approved = submission(id, bridge, { decision: "approve", value: undefined });
    expect(await bridge.gateway.resolve(approved)).toMatchObject({
      status: "committed",
      outcome: { status: "answered", decision: "approve" },
    });
  });

  it("X08 O55 H20 a question of another creator is unknown on every call, as is one that never was", async () => {
    const bridge = await start();
    const { id } = await bridge.bridge.ask({ ...SHIP, key: "k" });
    const stranger = { principal: "somebody" };
    const never = "q_00000000000000000000000000";
    const codeOf = (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => "no error",
        (error: unknown) => (error instanceof HandraiseError ? `${error.code} ${error.message.replace(/q_\w+/, "Q")}` : error),
      );
    const codes = await Promise.all([
      codeOf(bridge.gateway.get(id, stranger)),
      codeOf(bridge.gateway.get(never, stranger)),
      codeOf(bridge.gateway.cancel(id, stranger)),
      codeOf(bridge.gateway.waitAnswer(id, stranger)),
      codeOf(bridge.gateway.acknowledge(id, stranger)),
    ]);
    expect(new Set(codes)).toEqual(new Set(["question_unknown [question_unknown] No question of yours has the id Q."]));
    expect(await codeOf(bridge.gateway.get({ key: "k" }, stranger))).toContain("question_unknown");
    expect(await bridge.gateway.list(stranger)).toEqual([]);
    expect((await bridge.bridge.list()).map(({ status }) => status)).toEqual(["open"]);
  });

  it("T32 A!5 open questions are listed oldest first", async () => {
    const bridge = await start();
    const ids: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      ids.push((await bridge.bridge.ask(SHIP)).id);
      bridge.clock.advance(1_000);
    }
    for (let round = 0; round < 3; round += 1) expect((await bridge.bridge.list()).map(({ id }) => id)).toEqual(ids);
  });
});

describe("what cannot be asked", () => {
  it("R29 O76 a secret is never asked for in a chat: unsupported, nothing stored", async () => {
    const bridge = await start();
    const fields = [{ key: "token", type: "secret" }] as const;
    await expect(bridge.bridge.ask({ to: "alice", text: "Token?", timeout: "1h", fields })).rejects.toMatchObject({ code: "unsupported" });
    expect(await bridge.bridge.list()).toEqual([]);
  });

  it("R10 B021 B034 X12 O12 kinds and fields that no chat can show yet are unsupported at once, nothing stored", async () => {
    const bridge = await start();
    const startedMs = performance.now();
    const asks: readonly Record<string, unknown>[] = [
      { kind: "url", text: "Sign in", url: "https://a.example" },
      { kind: "handoff", text: "Help" },
      {
        text: "Two",
        fields: [
          { key: "a", type: "text" },
          { key: "b", type: "text" },
        ],
      },
      { text: "N", fields: [{ key: "n", type: "number" }] },
      { kind: "approval", text: "Big", subject: { type: "text", body: "x".repeat(12_001) } },
      { text: "B021", visibility: "private", to: "telegram:-100", audience: "alice" },
    ];
    for (const ask of asks)
      await expect(bridge.bridge.ask({ to: "alice", timeout: "1h", ...ask } as never)).rejects.toMatchObject({ code: "unsupported" });
    expect(performance.now() - startedMs).toBeLessThan(asks.length * 1_000);
    expect(await bridge.bridge.list()).toEqual([]);
  });
});

describe("R30 one channel's failure never stops another", () => {
  it("a channel that throws when it opens leaves the other at work, and health names it", async () => {
    const broken = new PaperChannel("slack");
    broken.open = () => Promise.reject(new HandraiseError("config_invalid", "accounts.slack.token: refused"));
    const good = new PaperChannel("telegram");
    const bridge = await start({ channel: good, channels: [good, broken] });
    const question = await bridge.bridge.ask({ ...SHIP, to: "alice" });
    await eventually(() => good.press("Ship", "1"));
    expect(await question.outcome()).toMatchObject({ value: "Ship" });
    expect(bridge.health()).toMatchObject({ telegram: { state: "up" }, slack: { state: "down" } });
  });

  it("when no channel opens the start fails with the reason", async () => {
    const broken = new PaperChannel("telegram");
    broken.open = () => Promise.reject(new HandraiseError("config_invalid", "accounts.telegram.token: refused"));
    await expect(openPaperBridge({ channel: broken })).rejects.toMatchObject({ code: "config_invalid" });
  });

  it("R10 O35 O41 a target on an account that is not configured is refused at ask", async () => {
    const bridge = await start();
    expect(Object.keys(paperSettings("x").accounts)).toEqual(["telegram"]);
    await expect(bridge.bridge.ask({ ...SHIP, to: "slack:C1", audience: "alice" })).rejects.toMatchObject({ code: "target_unknown" });
  });
});
