import { describe, expect, it } from "vitest";
import { runDemo } from "../../src/app/demo.js";

describe("handraise demo", () => {
  it("shows ask, prompt, press and answer for all three chats, in under 15 s", async () => {
    const lines: string[] = [];
    const started = performance.now();
    expect(await runDemo({ print: (line) => lines.push(line) })).toBe(0);
    expect(performance.now() - started).toBeLessThan(15_000);
    const text = lines.join("\n");
    for (const [chat, steps] of [
      ["SLACK", ["asks: Where does this release go?", "reads: 2 prod: everyone", "presses [prod]", "gets: answered, prod, by alice"]],
      ["DISCORD", ["asks: What should", "reads: [Write…]", 'types "Faster and safer"', "gets: answered, Faster and safer, by alice"]],
      ["TELEGRAM", ["asks: Apply", "reads: terraform apply plan.out", "presses [Approve]", "gets: answered, approved, by alice"]],
    ] as const) {
      const part = text.slice(text.indexOf(chat));
      const places = steps.map((step) => part.indexOf(step));
      expect(places, `${chat}: ${steps.join(", ")} in\n${part}`).toEqual([...places].sort((a, b) => a - b));
      expect(Math.min(...places)).toBeGreaterThan(0);
      expect(part).toMatch(/reads: .*· alice, \d\d:\d\d/);
    }
    expect(text).toMatch(/3 of 3 answered, in \d+\.\d s\./);
  });

  it("prints one outcome per line for scripts", async () => {
    const lines: string[] = [];
    expect(await runDemo({ json: true, print: (line) => lines.push(line) })).toBe(0);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { status: "answered", value: "prod", by: { channel: "slack" } },
      { status: "answered", value: "Faster and safer", by: { channel: "discord" } },
      { status: "answered", decision: "approve", subjectHash: expect.stringMatching(/^sha256:/), by: { channel: "telegram" } },
    ]);
  });
});
