import { afterEach, describe, expect, it } from "vitest";
import type { SendResult } from "../../src/ports/channel.js";
import { eventually } from "../fixtures/eventually.js";
import { openPaperBridge, type PaperBridge } from "../fixtures/paper-bridge.js";
import { PaperChannel } from "../fixtures/paper-channel.js";

let opened: PaperBridge | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});
const SHIP = { to: "telegram:-100", audience: "alice", text: "Ship?", options: ["Ship", "Hold"], timeout: "10m" } as const;
const LOST: SendResult = { status: "unknown", message: "the response was lost" };

/** What is waited for is looked at again by a timer of the bridge. */
const within = <T>(bridge: PaperBridge, check: () => T | Promise<T>): Promise<T> =>
  eventually(() => {
    bridge.clock.advance(100);
    return check();
  });

describe("replies to a prompt whose send is not settled", () => {
  it("R22 R24 a reply in a shared place that is faster than the record of the send is kept until it is known, then counts", async () => {
    opened = await openPaperBridge();
    const { channel } = opened;
    let release = (): void => undefined;
    channel.planned.send.push((_order, post) => {
      const result = post();
      return new Promise((resolve) => {
        release = () => resolve(result);
      });
    });
    const question = await opened.bridge.ask(SHIP);
    const prompt = await eventually(() => {
      expect(channel.messages).toHaveLength(1);
      return channel.messages[0];
    });
    await channel.types("Ship", "1", { conversation: "-100", replyTo: prompt?.id ?? "" });
    expect(await opened.store.unsettledInputs(10)).toHaveLength(1);
    release();
    await within(opened, async () => expect((await question.record()).status).toBe("answered"));
    expect(await question.outcome()).toMatchObject({ value: "Ship", via: "text" });
  });

  it("R22 a text of somebody else beside such a prompt is not kept", async () => {
    opened = await openPaperBridge();
    const { channel } = opened;
    let release = (): void => undefined;
    channel.planned.send.push((_order, post) => new Promise((resolve) => (release = () => resolve(post()))));
    await opened.bridge.ask(SHIP);
    await eventually(() => expect(channel.sends).toHaveLength(1));
    await channel.types("Ship", "2", { conversation: "-100", replyTo: "000000000001" });
    expect(await opened.store.unsettledInputs(10)).toHaveLength(0);
    release();
  });

  it("R24 R26 where the platform cannot look, a reply that shows the prompt's own token proves its message: it counts and is closed", async () => {
    opened = await openPaperBridge({ channel: new PaperChannel("telegram", { canFind: false }) });
    const { channel } = opened;
    channel.planned.send.push((_order, post) => {
      post();
      return LOST;
    });
    const question = await opened.bridge.ask(SHIP);
    await eventually(() => expect(channel.messages).toHaveLength(2));
    const [first] = channel.messages;
    const press = channel.pressOn("Ship", "1");
    const message = { id: first?.id ?? "", order: first?.id ?? "" };
    const { token: _token, ...common } = press;
    const answers = { message, token: first?.view.options[1]?.token ?? "" };
    await channel.deliver({
      ...common,
      id: "reply",
      kind: "text",
      text: "Ship",
      message: { id: "9", order: "9" },
      replyTo: message.id,
      answers,
    });
    expect(await question.outcome()).toMatchObject({ value: "Ship", via: "text" });
    await eventually(() => expect(channel.messages.map(({ view }) => view.state.kind)).toEqual(["ended", "ended"]));
  });

  it("R33 replies to a prompt that was found after its send was lost are read back", async () => {
    opened = await openPaperBridge();
    const { channel } = opened;
    channel.planned.send.push((order, post) => {
      post();
      const replyTo = channel.messages[0]?.id ?? "";
      const { conversation } = order;
      const sender = { userId: "1", name: "Alice" };
      const message = { id: "999999999999", order: "999999999999" };
      channel.missed = [
        {
          id: "missed",
          account: "telegram",
          channel: "telegram",
          conversation,
          direct: false,
          sender,
          kind: "text",
          text: "2",
          message,
          replyTo,
        },
      ];
      return LOST;
    });
    const question = await opened.bridge.ask(SHIP);
    expect(await question.outcome()).toMatchObject({ value: "Hold", via: "text" });
    expect(channel.messages).toHaveLength(1);
  });

  it("R26 D3 a prompt that is found after its question ended is looked for as it was sent, and closed", async () => {
    opened = await openPaperBridge();
    const { channel } = opened;
    channel.planned.send.push((_order, post) => {
      post();
      return LOST;
    });
    channel.planned.find.push({ status: "later", afterMs: 1_000, scope: "conversation", code: "unreachable", message: "not now" });
    const looked: unknown[] = [];
    const find = channel.find.bind(channel);
    channel.find = (order) => {
      looked.push(order.view.state.kind);
      return find(order);
    };
    const question = await opened.bridge.ask(SHIP);
    await eventually(() => expect(looked).toEqual(["open"]));
    await question.cancel();
    await within(opened, () => expect(channel.messages.map(({ view }) => view.state.kind)).toEqual(["ended"]));
    expect(new Set(looked)).toEqual(new Set(["open"]));
  });

  it("R24 in a direct chat a reply to a prompt whose send is not settled waits for it, and is not asked which question it is for", async () => {
    opened = await openPaperBridge();
    const { channel } = opened;
    const other = await opened.bridge.ask({ ...SHIP, to: "alice", text: "Other?" });
    await eventually(async () => expect((await other.record()).deliveries[0]?.status).toBe("shown"));
    let release = (): void => undefined;
    channel.planned.send.push((_order, post) => {
      const result = post();
      return new Promise((resolve) => {
        release = () => resolve(result);
      });
    });
    const question = await opened.bridge.ask({ ...SHIP, to: "alice" });
    await eventually(() => expect(channel.messages).toHaveLength(2));
    await channel.types("Hold", "1", { replyTo: channel.messages[1]?.id ?? "" });
    release();
    await within(opened, async () => expect((await question.record()).status).toBe("answered"));
    expect((await other.record()).status).toBe("open");
    await eventually(() => expect(channel.words.map(({ text }) => text)).toEqual(["Recorded: Hold."]));
  });
});
