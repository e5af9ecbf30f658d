/** Cases `T`: waits that outlive their process, and who answers them. */
import { describe, expect } from "vitest";
import { serveSocket } from "../../src/socket/door.js";
import { eventually } from "../fixtures/eventually.js";
import { quietLog } from "../fixtures/paper-bridge.js";
import { RawCaller } from "../fixtures/raw-socket.js";
import { filesWith, it, SHIP, shown, submission, turns, typesOf } from "./table.js";

const TEXT = { to: "alice", text: "Which name?", timeout: "1h" } as const;

describe("replay", () => {
  it("T09 three restarts under one key are one question with one id, shown once", async ({ open }) => {
    const table = await open();
    const ids = [(await table.now.bridge.ask({ ...SHIP, key: "amount" })).id];
    await shown(table.now);
    for (let life = 0; life < 3; life += 1) ids.push((await (await table.restart()).bridge.ask({ ...SHIP, key: "amount" })).id);
    expect(new Set(ids).size).toBe(1);
    expect(table.now.channel.messages).toHaveLength(1);
    expect(await table.now.bridge.list()).toHaveLength(1);
  });

  it("T20 the same submission again is the first receipt, after a restart too; another payload is a conflict", async ({ open }) => {
    const table = await open();
    const { id } = await table.now.bridge.ask(SHIP);
    const answer = { decision: "answer", value: "Ship" } as const;
    expect(await table.now.gateway.resolve(submission(table.now, id, answer))).toMatchObject({ status: "committed" });
    for (const next of [async () => table.now, () => table.restart()]) {
      const now = await next();
      expect(await now.gateway.resolve(submission(now, id, answer))).toMatchObject({ status: "already_yours", outcome: { value: "Ship" } });
      const other = submission(now, id, { ...answer, value: "Hold" });
      expect(await now.gateway.resolve(other)).toMatchObject({ status: "refused", code: "resolution_conflict" });
      expect((await typesOf(now, id)).filter((type) => type === "question.answered")).toHaveLength(1);
    }
  });

  it("T34 an answer given while no asker is there is taken by the next one, and marked as taken once", async ({ open }) => {
    const table = await open();
    const { id } = await table.now.bridge.ask({ ...SHIP, key: "k" });
    await shown(table.now);
    await table.now.channel.press("Ship", "1");
    await eventually(async () => expect(await typesOf(table.now, id)).toContain("question.answered"));
    const now = await table.restart();
    const asked = await now.bridge.ask({ ...SHIP, key: "k" });
    expect(await asked.outcome()).toMatchObject({ value: "Ship" });
    await eventually(async () => expect(await typesOf(now, id)).toContain("question.collected"));
    await asked.outcome();
    await turns();
    expect((await typesOf(now, id)).filter((type) => type === "question.collected")).toHaveLength(1);
  });

  it("T!6 X11 the same key with another question is refused as changed, and the old answer is not used", async ({ open }) => {
    const { now } = await open();
    const first = await now.bridge.ask({ ...SHIP, key: "k" });
    await now.gateway.resolve(submission(now, first.id, { decision: "answer", value: "Ship" }));
    const changed = [
      { options: ["Ship", "Hold", "Wait"] },
      { text: "Ship it now?" },
      { options: undefined, fields: [{ key: "n", type: "text" }] },
    ];
    for (const over of changed)
      await expect(now.bridge.ask({ ...SHIP, key: "k", ...over } as never)).rejects.toMatchObject({ code: "key_conflict" });
    expect(await (await now.bridge.ask({ ...SHIP, key: "k" })).outcome()).toMatchObject({ value: "Ship" });
  });
});

describe("answers", () => {
  it("T26 a blank reply is refused with a hint, and what would come after it is not asked", async ({ open }) => {
    const { now } = await open();
    const both = (async () => {
      const first = await (await now.bridge.ask(TEXT)).outcome();
      return [first, await (await now.bridge.ask({ ...TEXT, text: "And then?" })).outcome()];
    })();
    await eventually(() => expect(now.channel.messages).toHaveLength(1));
    await shown(now);
    await now.channel.types(" ", "1");
    await eventually(() => expect(now.channel.words).toHaveLength(1));
    await turns();
    expect(now.channel.messages.map(({ view }) => view.state.kind)).toEqual(["open"]);
    await now.channel.types("a name", "1");
    await eventually(() => expect(now.channel.messages).toHaveLength(2));
    await shown(now);
    now.clock.advance(11_000);
    await now.channel.types("the next", "1", { replyTo: now.channel.messages[1]?.id ?? "" });
    expect((await both).map((outcome) => (outcome.status === "answered" ? outcome.value : outcome.status))).toEqual(["a name", "the next"]);
  });

  it("T!1 of two valid answers at once one is told committed, the other that it is over", async ({ open }) => {
    const { now } = await open();
    for (let round = 0; round < 50; round += 1) {
      const { id } = await now.bridge.ask({ ...SHIP, to: "ops" });
      const give = (userId: string, value: string) =>
        now.gateway.resolve(submission(now, id, { decision: "answer", value, userId, as: `r_${round}_${userId}` }));
      const receipts = await Promise.all([give("1", "Ship"), give("2", "Hold")]);
      expect(receipts.map(({ status }) => status).sort()).toEqual(["already_answered", "committed"]);
    }
  });

  it("T!3 T!2 what was refused, and what came too late, is in no file once it is settled", async ({ open }) => {
    const table = await open();
    const { now } = table;
    const [refused, late] = ["refused-4c8e21", "too-late-9ab3d0"];
    const question = await now.bridge.ask(SHIP);
    await shown(now);
    const prompt = now.channel.messages[0]?.id ?? "";
    await now.channel.types(refused, "1", { replyTo: prompt });
    await eventually(() => expect(now.channel.words).toHaveLength(1));
    await question.cancel();
    now.clock.advance(61_000);
    await now.channel.types(late, "1", { replyTo: prompt });
    await eventually(() => expect(now.channel.words.length).toBeGreaterThan(1));
    await eventually(async () => expect(await now.store.unsettledInputs(1)).toEqual([]));
    await table.restart();
    expect(await filesWith(table.now, refused)).toEqual([]);
    expect(await filesWith(table.now, late)).toEqual([]);
    expect(await filesWith(table.now, "Ship?")).toContain("handraise.db");
  });

  it("T!5 a field of the name and value of a decision is a value; the decision stands beside it", async ({ open }) => {
    const { now } = await open();
    const fields = [{ key: "action", type: "choice", options: ["decline", "cancel", "accept"] }] as const;
    const question = await now.bridge.ask({ ...TEXT, fields });
    await now.gateway.resolve(submission(now, question.id, { decision: "answer", values: { action: "decline" } }));
    expect(await question.outcome()).toMatchObject({ status: "answered", decision: "answer", values: { action: "decline" } });
  });
});

describe("who it was", () => {
  it("T28 H23 a stated sender is refused over the socket, and so is any answer: nothing is stored", async ({ open }) => {
    const { now } = await open();
    const door = await serveSocket({ folder: now.folder, gateway: now.gateway, principal: "ci", log: quietLog });
    try {
      const { id } = await now.bridge.ask(SHIP);
      const caller = await RawCaller.greeted(door.path);
      const call = async (number: number, method: string, params: object): Promise<unknown> => {
        caller.send({ type: "call", id: number, method, params });
        return (await caller.until({ id: number }))["error"];
      };
      for (const [at, word] of ["actor", "by", "creator", "principal"].entries())
        expect(await call(at + 1, "question.request", { input: SHIP, [word]: "alice" })).toMatchObject({ code: "actor_not_allowed" });
      const answer = { question: id, resolutionId: "r_1", decision: "answer", value: "Ship" };
      expect(await call(10, "question.resolve", answer)).toMatchObject({ code: "scope_missing" });
      expect(await call(11, "question.resolve", { ...answer, actor: { account: "telegram", userId: "1" } })).toMatchObject({
        code: "scope_missing",
      });
      expect(await now.store.counts()).toMatchObject({ asked: 1, open: 1 });
      caller.socket.destroy();
    } finally {
      await door.close();
    }
  });
});
