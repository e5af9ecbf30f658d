/**
 * Must show 3: the process is killed with SIGKILL at every named point, each point once, spread over the three chats. The torture run
 * (test/torture/kill.torture.ts) does the same for every chat, 20 rounds each.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundle, bundleChild } from "./bundle.js";
import { CHATS, type KillPoint, POINTS } from "./points.js";
import { Rig } from "./rig.js";

/** Each point goes to one of its chats, so that all three get about as many. */
function spread(): Readonly<Record<(typeof CHATS)[number], readonly KillPoint[]>> {
  const shares: Record<(typeof CHATS)[number], KillPoint[]> = { slack: [], discord: [], telegram: [] };
  for (const point of POINTS) {
    const [fewest] = [...point.chats].sort((a, b) => shares[a].length - shares[b].length);
    if (fewest !== undefined) shares[fewest].push(point);
  }
  return shares;
}

describe("B026 O50 killed at every point, once", () => {
  const shares = spread();
  let bundle: Bundle | undefined;
  beforeAll(async () => {
    bundle = await bundleChild();
  });
  afterAll(async () => {
    await bundle?.remove();
  });

  it("names at least 25 points", () => {
    expect(POINTS.length).toBeGreaterThanOrEqual(25);
    expect(new Set(POINTS.map(({ name }) => name)).size).toBe(POINTS.length);
  });

  it.concurrent.each(CHATS)(
    "B109 O47 R17 R22 R23 R26 on %s no acknowledged answer is lost, none doubled, no prompt left open",
    async (chat) => {
      const rig = await Rig.open(chat, bundle?.entry ?? "");
      const faults: string[] = [];
      try {
        for (const [index, point] of shares[chat].entries()) {
          const round = await rig.round(point, index).catch((error: unknown) => ({ faults: [String(error)] }));
          faults.push(...round.faults.map((fault) => `${point.name} (round ${index}): ${fault}`));
        }
      } finally {
        await rig.close();
      }
      expect(faults).toEqual([]);
    },
    240_000,
  );
});
