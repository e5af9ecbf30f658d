import { afterEach, describe, expect, it } from "vitest";
import { type ChannelDoor, openChannelDoor } from "../../src/app/channel-door.js";
import type { Channel } from "../../src/ports/channel.js";
import { PaperChannel } from "../fixtures/paper-channel.js";

/** A channel in HTTP mode that answers with the bytes it got. */
function echoing(account: string): Channel {
  return Object.assign(new PaperChannel(account), {
    http: (...[request, response]: Parameters<NonNullable<Channel["http"]>>) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => response.end(`${request.url} ${Buffer.concat(parts).toString("hex")}`));
    },
  });
}

describe("the address that platforms call", () => {
  let door: ChannelDoor;
  afterEach(async () => {
    await door.close();
  });

  it("hands each account its own requests, bytes unread", async () => {
    const channels = new Map([
      ["slack", echoing("slack")],
      ["telegram", new PaperChannel("telegram")],
    ]);
    door = await openChannelDoor({ host: "127.0.0.1", port: 0, channels });
    const reply = await fetch(`${door.url}/channels/slack`, { method: "POST", body: Buffer.from([0xff, 0x00]) });
    expect(await reply.text()).toBe("/channels/slack ff00");
    expect(await (await fetch(`${door.url}/channels/slack/events?x=1`)).text()).toBe("/channels/slack/events?x=1 ");
    for (const path of [
      "/",
      "/channels",
      "/channels/",
      "/channels/telegram",
      "/channels/discord",
      "/channelsslack",
      "/channels/__proto__",
    ]) {
      expect((await fetch(`${door.url}${path}`)).status, path).toBe(404);
    }
  });

  it("names the port that is taken and the remedy", async () => {
    door = await openChannelDoor({ host: "127.0.0.1", port: 0, channels: new Map() });
    const port = Number(new URL(door.url).port);
    await expect(openChannelDoor({ host: "127.0.0.1", port, channels: new Map() })).rejects.toMatchObject({
      code: "config_invalid",
      detail: `listen: port ${port} on 127.0.0.1 is taken by another program. Stop that program, set listen in the config, or start with --port and another number.`,
    });
  });
});
