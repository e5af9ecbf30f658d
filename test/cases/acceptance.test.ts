/** The acceptance set, as far as one bridge shows it; X01 races in test/race, X09 in test/host. */
import { rm } from "node:fs/promises";
import { describe, expect } from "vitest";
import { openInlineSqliteStore } from "../../adapters/stores/sqlite/inline.js";
import { type OpenBridge, openBridge } from "../../src/app/bridge.js";
import { eventually } from "../fixtures/eventually.js";
import { FakeClock } from "../fixtures/fake-clock.js";
import { openPaperBridge, paperSettings, quietLog } from "../fixtures/paper-bridge.js";
import { PaperChannel } from "../fixtures/paper-channel.js";
import { quickFolder } from "../fixtures/quick-folder.js";
import { Mortal } from "../race/mortal.js";
import { eventsOf, filesWith, it, SHIP, shown, submission, typesOf } from "./table.js";

const TEXT = { to: "alice", text: "Which?", timeout: "1h" } as const;

describe("acceptance", () => {
  it("X03 H!9 the store reports an error after writing: the same submission again is already_yours, one answer", async () => {
    const [folder, clock] = [await quickFolder("handraise-x03-"), new FakeClock()];
    let lost = 0;
    const { store } = openInlineSqliteStore({
      ...{ folder, clock },
      gate: (commit) => {
        commit();
        if (lost > 0) {
          lost -= 1;
          throw new Error("the reply was lost");
        }
      },
    });
    const now = await openPaperBridge({ folder, fakeClock: clock, store });
    try {
      const question = await now.bridge.ask(SHIP);
      await shown(now);
      const answer = { decision: "answer", value: "Ship" } as const;
      lost = 1;
      expect(await now.gateway.resolve(submission(now, question.id, answer))).toMatchObject({ status: "committed" });
      expect(lost).toBe(0);
      expect(await now.gateway.resolve(submission(now, question.id, answer))).toMatchObject({ status: "already_yours" });
      expect((await typesOf(now, question.id)).filter((type) => type === "question.answered")).toHaveLength(1);
    } finally {
      await now.end();
    }
  });

  it("X04 H!3 killed between the commit and the hand-over: the asker of the next life gets the answer, once", async () => {
    const [folder, clock, channel] = [await quickFolder("handraise-x04-"), new FakeClock(), new PaperChannel()];
    const { store } = openInlineSqliteStore({ folder, clock });
    const lives: OpenBridge[] = [];
    const life = async (): Promise<{ readonly mortal: Mortal; readonly open: OpenBridge }> => {
      const mortal = new Mortal();
      const open = await openBridge(paperSettings(folder), {
        ...{ clock, log: quietLog, principal: "ci", store: mortal.store(store), channels: [mortal.channel(channel)] },
      });
      lives.push(open);
      return { mortal, open };
    };
    const first = await life();
    const asked = await first.open.bridge.ask({ ...SHIP, key: "k" });
    const handed: unknown[] = [];
    void asked.outcome().then((outcome) => handed.push(outcome));
    await eventually(async () => expect((await asked.record()).deliveries[0]?.status).toBe("shown"));
    const commit = store.commit.bind(store);
    // The moment after COMMIT: what it stored stays, and nobody of this life hears of it.
    store.commit = async (changes) => {
      const result = await commit(changes);
      if (!changes.some((change) => change.do === "settle_question")) return result;
      void first.mortal.kill();
      return new Promise(() => undefined);
    };
    void channel.press("Ship", "1").catch(() => undefined);
    await first.mortal.death;
    store.commit = commit;
    const second = await life();
    expect(await (await second.open.bridge.ask({ ...SHIP, key: "k" })).outcome()).toMatchObject({ status: "answered", value: "Ship" });
    expect(handed).toEqual([]);
    const types = (await store.events({ id: 0, limit: 1_000 })).events.map(({ type }) => type);
    expect(types.filter((type) => type === "question.answered")).toHaveLength(1);
    await second.open.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("X06 text sent 1 ms after the end is nowhere: file, event, reply, record; a secret cannot be asked for", async ({ open }) => {
    const table = await open();
    const { now } = table;
    const marker = "hunter2-5f0c91e7";
    const question = await now.bridge.ask({ ...TEXT, timeout: "60s" });
    await shown(now);
    now.clock.advance(60_001);
    expect(await question.outcome()).toMatchObject({ status: "expired" });
    await now.channel.types(marker, "1", { replyTo: now.channel.messages[0]?.id ?? "" });
    await eventually(() => expect(now.channel.words).toHaveLength(1));
    const receipt = await now.gateway.resolve(submission(now, question.id, { decision: "answer", value: marker }));
    expect(receipt).toMatchObject({ status: "closed" });
    const said = [receipt, await question.record(), await eventsOf(now), now.channel.words, now.channel.messages];
    expect(JSON.stringify(said)).not.toContain(marker);
    await table.restart();
    expect(await filesWith(table.now, marker)).toEqual([]);
    await expect(table.now.bridge.ask({ ...TEXT, fields: [{ key: "s", type: "secret" }] })).rejects.toMatchObject({ code: "unsupported" });
  });

  it("X07 wrong key, null, blank, not offered, wrong type, unknown field, too long: named by field, open, stored nowhere", async ({
    open,
  }) => {
    const table = await open();
    const { now } = table;
    const fields = [{ key: "env", type: "choice", options: ["prod", "dev"] }] as const;
    const [choice, text] = [
      await now.bridge.ask({ ...TEXT, fields }),
      await now.bridge.ask({ ...TEXT, fields: [{ key: "note", type: "text", maxLength: 20 }] }),
    ];
    const marker = "wrong-d27b";
    const wrong: readonly (readonly [string, object, string, string])[] = [
      [choice.id, { [marker]: "prod" }, `values.${marker}`, "unknown_key"],
      [choice.id, { env: null }, "values.env", "required"],
      [choice.id, {}, "values.env", "required"],
      [choice.id, { env: "" }, "values.env", "blank"],
      [choice.id, { env: marker }, "values.env", "not_offered"],
      [choice.id, { env: { other: marker } }, "values.env", "not_offered"],
      [choice.id, { env: Number.NaN }, "values.env", "wrong_type"],
      [text.id, { note: [marker] }, "values.note", "wrong_type"],
      [text.id, { note: " \n " }, "values.note", "blank"],
      [text.id, { note: marker.repeat(3) }, "values.note", "too_long"],
    ];
    for (const [at, [id, values, path, code]] of wrong.entries()) {
      const receipt = await now.gateway.resolve(submission(now, id, { decision: "answer", values, as: `r_${at}` }));
      expect(receipt).toMatchObject({
        status: "refused",
        code: "answer_invalid",
        issues: expect.arrayContaining([expect.objectContaining({ path, code })]),
      });
    }
    expect((await now.bridge.list()).map(({ status }) => status)).toEqual(["open", "open"]);
    expect(JSON.stringify(await eventsOf(now))).not.toContain(marker);
    expect(await filesWith(now, marker)).toEqual([]);
  });
});
