import { describe, expect, it } from "vitest";
import { HandraiseError } from "../../src/errors.js";
import { subjectHash } from "../../src/gateway/digest.js";
import {
  type BindOptions,
  bindTools,
  schemaDigest,
  type ToolApproval,
  type ToolOutcome,
  type ToolRun,
  type Tools,
} from "../../src/harness/bind-tools.js";

const SCHEMA = { type: "object", properties: { env: { type: "string" } } };

/** A run on paper: approvals wait for the test's word, and the run ends when the test says so. */
class PaperRun implements ToolRun {
  readonly id = "run_1";
  readonly tools: Readonly<Record<string, string>> | undefined;
  readonly asked: ToolApproval[] = [];
  live = true;
  checks = 0;
  #waiting: ((outcome: ToolOutcome) => void)[] = [];

  constructor(tools?: Readonly<Record<string, string>>) {
    this.tools = tools;
  }
  assertCurrent(): void {
    this.checks += 1;
    if (!this.live) throw new HandraiseError("run_closed", "Run run_1 is closed.");
  }
  approval(ask: ToolApproval): Promise<ToolOutcome> {
    this.asked.push(ask);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
  /** Ends the oldest approval; without a word of it: approved, with the hash of what was shown. */
  end(outcome: Partial<ToolOutcome> = {}): void {
    const [ask] = this.asked.slice(-1);
    const hash = ask === undefined ? "" : subjectHash("json", ask.subject.body);
    this.#waiting.shift()?.({ id: "q_1" as ToolOutcome["id"], status: "answered", decision: "approve", subjectHash: hash, ...outcome });
  }
}

function bind(options: BindOptions = {}, run = new PaperRun()) {
  const calls: unknown[][] = [];
  const tools = {
    deploy: (...args: readonly unknown[]): string => {
      calls.push([...args]);
      return "done";
    },
  };
  return {
    run,
    calls,
    tools,
    bound: bindTools(run, tools as Tools, options) as Record<"deploy", (...args: unknown[]) => Promise<unknown>>,
  };
}
const rejection = async (promise: Promise<unknown>): Promise<HandraiseError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof HandraiseError) return error;
  throw new Error(`expected a HandraiseError, got ${String(error)}`);
};

describe("tools bound to a run", () => {
  it("R15 shows tool, arguments and folder, and runs once it is approved", async () => {
    const { run, bound, calls } = bind({ cwd: "/srv/app", to: "alice", timeout: "10m" });
    const result = bound.deploy({ env: "prod", tags: ["a"], skip: undefined }, 3);
    expect(run.asked).toEqual([
      {
        kind: "approval",
        title: "deploy",
        text: "Run this tool with these arguments, in this folder?",
        subject: { type: "json", body: '{"args":[{"env":"prod","tags":["a"]},3],"cwd":"/srv/app","tool":"deploy"}' },
        decisions: ["approve", "deny"],
        to: "alice",
        timeout: "10m",
      },
    ]);
    expect(calls).toEqual([]);
    run.end();
    expect(await result).toBe("done");
    expect(calls).toEqual([[{ env: "prod", tags: ["a"] }, 3]]);
  });

  it.each<{ how: string; outcome: Partial<ToolOutcome>; code: string; says: string }>([
    {
      how: "denied",
      outcome: { status: "declined", decision: "deny", note: "not today", by: { name: "Alice" } },
      code: "not_allowed",
      says: "declined by Alice (not today)",
    },
    { how: "expired", outcome: { status: "expired" }, code: "not_allowed", says: "expired" },
    { how: "undelivered", outcome: { status: "undelivered" }, code: "not_allowed", says: "undelivered" },
    { how: "withdrawn", outcome: { status: "cancelled", code: "withdrawn" }, code: "not_allowed", says: "cancelled (withdrawn)" },
    {
      how: "cancelled with its run",
      outcome: { status: "cancelled", code: "creator_closed" },
      code: "run_closed",
      says: "cancelled (creator_closed)",
    },
    {
      how: "answered about something else",
      outcome: { subjectHash: "sha256:00" },
      code: "not_allowed",
      says: "what was approved is not this call",
    },
    {
      how: "answered without a hash",
      outcome: { subjectHash: undefined as never },
      code: "not_allowed",
      says: "what was approved is not this call",
    },
    { how: "answered with another decision", outcome: { decision: "answer" }, code: "not_allowed", says: "answered" },
  ])("R15 an approval that is $how runs nothing and says how it ended", async ({ outcome, code, says }) => {
    const { run, bound, calls } = bind();
    const result = rejection(bound.deploy("prod"));
    run.end(outcome);
    const error = await result;
    expect([error.code, error.facts["outcome"], error.facts["question"]]).toEqual([code, outcome.status ?? "answered", "q_1"]);
    expect(error.detail).toContain(says);
    expect(calls).toEqual([]);
  });

  it("R16 a run that has ended asks nothing; one that ends during the approval runs nothing", async () => {
    const { run, bound, calls } = bind();
    const late = rejection(bound.deploy("prod"));
    run.live = false;
    run.end();
    expect((await late).code).toBe("run_closed");
    expect((await rejection(bound.deploy("prod"))).code).toBe("run_closed");
    expect(run.asked).toHaveLength(1);
    expect(calls).toEqual([]);
  });

  it("R16 the last check and the call are in one tick", async () => {
    const run = new PaperRun();
    let checksAtCall = 0;
    let turned = false;
    const bound = bindTools(run, {
      deploy: () => {
        checksAtCall = run.checks;
        return turned;
      },
    });
    const check = run.assertCurrent.bind(run);
    run.assertCurrent = () => {
      check();
      if (run.checks === 2) void Promise.resolve().then(() => (turned = true));
    };
    const result = bound.deploy();
    run.end();
    expect(await result).toBe(false);
    expect(checksAtCall).toBe(2);
  });

  it("T3 later changes of the caller's objects reach neither the person nor the tool", async () => {
    const { run, bound, calls } = bind();
    const given = { env: "staging", hosts: ["a"] };
    const result = bound.deploy(given);
    given.env = "prod";
    given.hosts.push("b");
    expect(run.asked[0]?.subject.body).toBe('{"args":[{"env":"staging","hosts":["a"]}],"tool":"deploy"}');
    run.end();
    await result;
    expect(calls).toEqual([[{ env: "staging", hosts: ["a"] }]]);
  });

  it("T5 a function put in its place after binding is not used; what is bound cannot be changed", async () => {
    const { run, bound, tools, calls } = bind();
    tools.deploy = () => {
      throw new Error("another tool");
    };
    const result = bound.deploy("x");
    run.end();
    expect(await result).toBe("done");
    expect(calls).toEqual([["x"]]);
    expect(Object.isFrozen(bound)).toBe(true);
  });

  it("T3 the working folder is asked at each call; one that changed since the approval runs nothing", async () => {
    let folder = "/a";
    const { run, bound, calls } = bind({ cwd: () => folder });
    const first = rejection(bound.deploy());
    folder = "/b";
    run.end();
    expect((await first).detail).toBe("deploy was not run: the working folder is no longer /a. Call it again.");
    const second = bound.deploy();
    expect(run.asked[1]?.subject.body).toContain('"cwd":"/b"');
    run.end();
    expect(await second).toBe("done");
    expect(calls).toHaveLength(1);
  });

  it("T3 what is no plain data is refused with its path, and nothing is asked", async () => {
    class Box {
      readonly env = "prod";
    }
    const computed = Object.defineProperty({}, "env", { enumerable: true, get: () => "prod" });
    const { run, bound, calls } = bind();
    const deep: unknown[] = [];
    deep.push(deep);
    for (const value of [() => 1, new Date(0), new Map(), new Box(), computed, Number.NaN, 1n, Symbol("x"), [undefined], deep, "\uD800"]) {
      const error = await rejection(bound.deploy({ to: value }));
      expect(error.code).toBe("input_invalid");
      expect(error.issues[0]?.path).toMatch(/^deploy: argument 1\.to/);
    }
    expect([run.asked, calls]).toEqual([[], []]);
  });

  it("T2 a policy with tools lets through only a tool it names with this very schema", async () => {
    const digest = schemaDigest(SCHEMA);
    const named = new PaperRun({ deploy: digest });
    const sameSchema = { properties: { env: { type: "string" } }, type: "object" };
    const fine = bind({ schemas: { deploy: sameSchema } }, named);
    const result = fine.bound.deploy("x");
    named.end();
    expect(await result).toBe("done");
    const refusals: readonly { readonly options: BindOptions; readonly tools: Readonly<Record<string, string>>; readonly says: string }[] =
      [
        { options: { schemas: { deploy: { ...SCHEMA, type: "array" } } }, tools: { deploy: digest }, says: "its schema has changed" },
        { options: {}, tools: { deploy: digest }, says: "no schema was given" },
        { options: { schemas: { deploy: SCHEMA } }, tools: { other: digest }, says: "does not name this tool" },
        { options: { schemas: { deploy: SCHEMA }, approve: "never" }, tools: {}, says: "does not name this tool" },
      ];
    for (const { options, tools, says } of refusals) {
      const { run, bound, calls } = bind(options, new PaperRun(tools));
      const error = await rejection(bound.deploy("x"));
      expect([error.code, error.detail]).toEqual(["not_allowed", expect.stringContaining(says)]);
      expect([run.asked, calls]).toEqual([[], []]);
    }
  });

  it("approve: never asks nobody and still needs a live run", async () => {
    const { run, bound, calls } = bind({ approve: "never" });
    expect(await bound.deploy("x")).toBe("done");
    run.live = false;
    expect((await rejection(bound.deploy("y"))).code).toBe("run_closed");
    expect([run.asked, calls]).toEqual([[], [["x"]]]);
  });

  it("what is no function is refused when it is bound", () => {
    expect(() => bindTools(new PaperRun(), { deploy: "rm -rf" } as unknown as Tools)).toThrow("tools.deploy: is no function.");
  });
});
