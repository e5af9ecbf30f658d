/** R8, R10, R12, R17: copies handed out to a host elsewhere, what it reports of them, and what its key may say. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CopyId, QuestionId } from "../../src/core/ids.js";
import type { Receipt } from "../../src/core/record.js";
import type { HostDirectory, HostOrder, HostWaited } from "../../src/ports/host-wire.js";
import type { CopyRow, QuestionRow } from "../../src/ports/store.js";
import { eventually } from "../fixtures/eventually.js";
import { FakeClock } from "../fixtures/fake-clock.js";
import { answerOf, openRig, type Rig, TELEGRAM } from "./rig.js";

const CI = { principal: "ci" };
const ASK = { to: "alice", text: "Where to?", options: ["staging", "prod"], timeout: "1h" };
const PLACE = { conversation: "dm-1", thread: null, direct: true };
let rig: Rig;
let clock: FakeClock;

beforeEach(async () => {
  clock = new FakeClock();
  rig = await openRig({ clock });
});
afterEach(() => rig.end());

async function asked(input: Readonly<Record<string, unknown>> = {}): Promise<QuestionId> {
  return (await rig.gateway.request({ ...ASK, ...input }, CI)).record.id as QuestionId;
}
async function order(): Promise<HostOrder> {
  const [first] = await rig.claim();
  if (first === undefined) throw new Error("an order is due");
  return first;
}
async function question(id: QuestionId): Promise<QuestionRow> {
  const row = await rig.store.question(id);
  if (row === undefined) throw new Error("the question is stored");
  return row;
}
async function onlyCopy(id: QuestionId): Promise<CopyRow> {
  const [copy] = await rig.store.copiesOf(id);
  if (copy === undefined) throw new Error("it has a copy");
  return copy;
}
function shown(of: HostOrder, id = "m1") {
  return rig.report({ copy: of.copy.id, lease: of.lease, state: "shown", place: PLACE, message: { id, order: "1" }, messageIds: [id] });
}
const invoke = (method: string, params: unknown, host = TELEGRAM): Promise<unknown> => rig.hostDesk.invoke(host, { method, params });

describe("claims", () => {
  it("hand a copy out once per lease, and again with the same id and nonce when nothing was reported", async () => {
    const id = await asked();
    const first = await order();
    expect(first).toMatchObject({ kind: "show", again: false, question: { id }, copy: { account: "telegram", userId: "1" } });
    expect(await rig.claim()).toEqual([]);
    clock.advance(60_000);
    const second = await order();
    expect(second).toMatchObject({ kind: "show", again: true, copy: { id: first.copy.id, nonce: first.copy.nonce } });
    expect(second.lease).not.toBe(first.lease);
  });
  it("of two at once give a copy to one", async () => {
    await asked();
    const orders = (await Promise.all(Array.from({ length: 8 }, () => rig.claim()))).flat();
    expect(orders).toHaveLength(1);
  });
  it("wait for the first order, and are woken by the ask", async () => {
    const waiting = rig.claim({ waitMs: 55_000 });
    const id = await asked();
    expect(await waiting).toMatchObject([{ kind: "show", question: { id } }]);
  });
  it("that wait end with nothing when their time is over", async () => {
    const waiting = rig.claim({ waitMs: 1_000 });
    await eventually(() => expect(clock.timers).toBeGreaterThan(1));
    clock.advance(1_000);
    expect(await waiting).toEqual([]);
  });
  it("never show who settled a question", async () => {
    await asked();
    expect(JSON.stringify(await rig.claim())).not.toContain("settledBy");
  });
  it("R12 for an account that the key does not name, or that the bridge serves itself, are refused", async () => {
    const of = (accounts: readonly string[]) => ({ accounts, max: 1, leaseMs: 1_000, waitMs: 0 });
    await expect(invoke("delivery.claim", of(["slack"]))).rejects.toMatchObject({ code: "scope_missing" });
    await expect(invoke("delivery.claim", of(["other"]), { accounts: ["other"] })).rejects.toMatchObject({ code: "not_allowed" });
  });
});

describe("reports", () => {
  it("R8 the first copy shown starts the question's time; repeated they change nothing", async () => {
    const id = await asked();
    const first = await order();
    clock.advance(5_000);
    expect(await shown(first)).toMatchObject({ taken: true, copy: { state: "shown", conversation: "dm-1", messageId: "m1" } });
    expect((await question(id)).expiresAtMs).toBe(clock.now() + 3_600_000);
    clock.advance(5_000);
    expect(await shown(first)).toMatchObject({ taken: false });
    expect((await question(id)).expiresAtMs).toBe(clock.now() - 5_000 + 3_600_000);
  });
  it("R10 a refusal of the only copy ends it undelivered, with the reason", async () => {
    const id = await asked();
    const { copy, lease } = await order();
    await rig.report({ copy: copy.id, lease, state: "failed", error: { code: "blocked", message: "The person blocked the bot." } });
    expect((await question(id)).outcome).toMatchObject({ status: "undelivered", failures: [{ code: "blocked" }] });
  });
  it("a refusal under a lease that was given out anew is not heard; that it was shown is", async () => {
    const id = await asked();
    const first = await order();
    clock.advance(60_000);
    const second = await order();
    const late = { copy: first.copy.id, lease: first.lease, state: "failed", error: { code: "blocked", message: "" } } as const;
    expect(await rig.report(late)).toMatchObject({ taken: false });
    expect((await question(id)).status).toBe("open");
    expect(await shown(first)).toMatchObject({ taken: true });
    expect(await shown(second)).toMatchObject({ taken: false });
  });
  it("R23 of an unknown fate that the platform cannot tell make one labelled repeat, once", async () => {
    const id = await asked();
    const first = await order();
    const { copy, lease } = first;
    const report = { copy: copy.id, lease, state: "unknown" } as const;
    await rig.report(report);
    expect((await question(id)).expiresAtMs).not.toBeNull();
    await rig.report({ ...report, repeat: true });
    await rig.report({ ...report, repeat: true });
    expect((await rig.store.copiesOf(id)).map(({ repeatOf }) => repeatOf)).toEqual([null, copy.id]);
    expect(await rig.claim()).toMatchObject([{ kind: "show", copy: { repeatOf: copy.id } }]);
    expect(await shown(first)).toMatchObject({
      taken: true,
      copy: { state: "shown" },
    });
  });
  it("R26 the end of a question is ordered until it was reported as closed", async () => {
    const id = await asked();
    await shown(await order());
    await rig.gateway.cancel(id, CI);
    expect(await order()).toMatchObject({ kind: "close", question: { status: "cancelled", outcome: { code: "withdrawn" } } });
    clock.advance(60_000);
    const again = await order();
    expect(again.kind).toBe("close");
    await rig.report({ copy: again.copy.id, lease: again.lease, state: "closed" });
    expect((await onlyCopy(id)).state).toBe("closed");
    clock.advance(120_000);
    expect(await rig.claim()).toEqual([]);
  });
  it("R26 a question that ended while its copy was handed out: shown all the same, it is ordered to be closed", async () => {
    const id = await asked();
    const first = await order();
    await rig.gateway.cancel(id, CI);
    await shown(first);
    expect(await onlyCopy(id)).toMatchObject({ state: "shown", todo: "close" });
    expect(await order()).toMatchObject({ kind: "close" });
  });
  it("R8 a copy that was handed out and never reported counts as shown when the tries are over", async () => {
    const id = await asked({ deliverWithin: "2m" });
    await order();
    const handedOutMs = clock.now();
    clock.advance(125_000);
    await eventually(async () => expect((await question(id)).expiresAtMs).toBe(handedOutMs + 3_600_000));
    expect(await onlyCopy(id)).toMatchObject({ state: "unknown" });
  });
  it("R10 with no host at all it ends undelivered when the tries are over", async () => {
    const id = await asked({ deliverWithin: "2m" });
    clock.advance(125_000);
    await eventually(async () => expect((await question(id)).status).toBe("undelivered"));
  });
  it("of a copy of another account are refused as unknown", async () => {
    await asked();
    const { copy, lease } = await order();
    const report = invoke("delivery.report", { copy: copy.id, lease, state: "closed" }, { accounts: ["slack"] });
    await expect(report).rejects.toMatchObject({ code: "question_unknown" });
    await expect(rig.report({ copy: "nope" as CopyId, lease: null, state: "closed" })).rejects.toMatchObject({ code: "question_unknown" });
  });
});

describe("submissions", () => {
  it("R2 are received when the call arrives, whatever the host says of time", async () => {
    const id = await asked();
    await shown(await order());
    clock.advance(3_600_000 - 1);
    const receipt = (await invoke("question.resolve", answerOf(id))) as Receipt;
    expect(receipt).toMatchObject({ status: "committed", outcome: { at: new Date(clock.now()).toISOString(), value: "prod" } });
    const stated = invoke("question.resolve", { ...answerOf(id), receivedAtMs: 1 });
    await expect(stated).rejects.toMatchObject({ code: "input_invalid" });
  });
  it("R12 for an actor of an account that the key does not name: actor_not_allowed, the question open", async () => {
    const id = await asked();
    await shown(await order());
    const actor = { account: "slack", userId: "1", name: "Alice", channel: "slack" } as const;
    await expect(invoke("question.resolve", answerOf(id, { actor }))).rejects.toMatchObject({ code: "actor_not_allowed" });
    const wrongKind = { account: "telegram", userId: "1", name: "Alice", channel: "slack" } as const;
    await expect(invoke("question.resolve", answerOf(id, { actor: wrongKind }))).rejects.toMatchObject({ code: "actor_not_allowed" });
    expect((await question(id)).status).toBe("open");
  });
  it("R12 to a question that is shown in none of its accounts: unknown", async () => {
    const id = await asked();
    const actor = { account: "slack", userId: "1", name: "Alice", channel: "slack" } as const;
    const call = invoke("question.resolve", answerOf(id, { actor }), { accounts: ["slack"] });
    await expect(call).rejects.toMatchObject({ code: "question_unknown" });
    const wait = invoke("question.waitAnswer", { question: id, withinMs: 0, includeResolutionId: true }, { accounts: ["slack"] });
    await expect(wait).rejects.toMatchObject({ code: "question_unknown" });
  });
  it("R5, R17 the question's waiter tells a host by resolution id whether its own submission settled it", async () => {
    const id = await asked();
    await shown(await order());
    const wait = { question: id, withinMs: 0, includeResolutionId: true };
    expect(await invoke("question.waitAnswer", wait)).toEqual({ status: "open", id });
    const mine = answerOf(id);
    await invoke("question.resolve", mine);
    const waited = (await invoke("question.waitAnswer", wait)) as HostWaited;
    expect(waited).toMatchObject({ status: "ended", resolutionId: mine.resolutionId, question: { status: "answered" } });
    expect(await invoke("question.resolve", mine)).toMatchObject({ status: "already_yours" });
    expect(await invoke("question.resolve", { ...mine, value: "staging" })).toMatchObject({
      status: "refused",
      code: "resolution_conflict",
    });
  });
  it("R18 an input whose fate stayed unknown is an event of its question, stored once", async () => {
    const id = await asked();
    const { actor } = answerOf(id);
    const report = { question: id, event: "telegram|77", state: "unconfirmed", actor };
    expect(await invoke("input.report", report)).toEqual({ taken: true });
    expect(await invoke("input.report", report)).toEqual({ taken: false });
    const { events } = await rig.store.events({ id: 0, limit: 100 });
    expect(events.filter(({ type }) => type === "input.unconfirmed")).toMatchObject([
      { question: id, data: { by: { account: "telegram", userId: "1" } } },
    ]);
  });
});

describe("the directory for a host", () => {
  it("has everybody's name, and ids on its own accounts alone", async () => {
    const given = (await invoke("host.directory", { accounts: ["telegram"] })) as HostDirectory;
    expect(given.people).toMatchObject({
      accounts: { telegram: { kind: "telegram" } },
      roles: { ops: ["alice", "bob"] },
      people: { alice: { name: "Alice Wong", ids: { telegram: "1" } } },
    });
    const slack = (await invoke("host.directory", { accounts: ["slack"] }, { accounts: ["slack"] })) as HostDirectory;
    expect(slack.people?.people["alice"]).toEqual({ name: "Alice Wong", ids: {} });
    expect(await invoke("host.directory", { accounts: ["telegram"], generation: given.generation })).toEqual({
      generation: given.generation,
      people: null,
    });
  });
});
