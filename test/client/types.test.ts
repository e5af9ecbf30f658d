/** Types flow from what is asked to what is answered. The compiler judges this file (`npm run check`); running it proves the calls. */
import { describe, expect, expectTypeOf, it } from "vitest";
import { createBridgeClient } from "../../src/client/bridge.js";
import type { Answered, AskInput, Bridge, Other, Outcome, Question, Secret } from "../../src/client/types.js";
import { MemoryGateway } from "../fixtures/memory-gateway.js";

const bridge: Bridge = createBridgeClient(new MemoryGateway(), { principal: "ci" });

type AnsweredOf<Q> = Q extends Question<infer I> ? Answered<I> : never;
type ValueOf<Q> = AnsweredOf<Q> extends { value: infer V } ? V : never;
type ValuesOf<Q> = AnsweredOf<Q> extends { values: infer V } ? V : never;

describe("the type of an answer", () => {
  it("is the options of the ask", async () => {
    const question = await bridge.ask({ text: "Where?", options: ["staging", "prod"], to: "alice", timeout: "2h" });
    expectTypeOf<ValueOf<typeof question>>().toEqualTypeOf<"staging" | "prod">();
    const outcome = await question.outcome({ within: "1s" });
    if (outcome.status === "answered") expectTypeOf(outcome.value).toEqualTypeOf<"staging" | "prod">();
    expectTypeOf(outcome.status).toEqualTypeOf<"answered" | "declined" | "cancelled" | "expired" | "undelivered" | "open">();
    expect(outcome.status).toBe("open");
  });
  it("is the values of options with labels, and Other only where it was allowed", async () => {
    const labelled = await bridge.ask({ text: "Where?", options: [{ value: "pg", label: "Postgres" }, "mysql"] });
    expectTypeOf<ValueOf<typeof labelled>>().toEqualTypeOf<"pg" | "mysql">();
    const other = await bridge.ask({ text: "Where?", options: ["pg"], other: true });
    expectTypeOf<ValueOf<typeof other>>().toEqualTypeOf<"pg" | Other>();
    const multi = await bridge.ask({ text: "Which?", options: ["api", "web"], multi: true });
    expectTypeOf<ValueOf<typeof multi>>().toEqualTypeOf<readonly ("api" | "web")[]>();
    const text = await bridge.ask({ text: "What?" });
    expectTypeOf<ValueOf<typeof text>>().toEqualTypeOf<string>();
    expect(labelled.id).not.toBe(text.id);
  });
  it("is a map for fields: required ones present, optional ones perhaps", async () => {
    const form = await bridge.ask({
      to: "deploys",
      text: "Roll out 42",
      fields: [
        { key: "env", type: "choice", options: ["staging", "prod"] },
        { key: "percent", type: "number", min: 1, max: 100 },
        { key: "sure", type: "confirm" },
        { key: "password", type: "secret" },
        { key: "areas", type: "multi", options: ["api", "web"], other: true, optional: true },
      ],
    });
    type Values = ValuesOf<typeof form>;
    expectTypeOf<Values["env"]>().toEqualTypeOf<"staging" | "prod">();
    expectTypeOf<Values["percent"]>().toEqualTypeOf<number>();
    expectTypeOf<Values["sure"]>().toEqualTypeOf<boolean>();
    expectTypeOf<Values["password"]>().toEqualTypeOf<Secret>();
    expectTypeOf<Values["areas"]>().toEqualTypeOf<readonly ("api" | "web")[] | Other | undefined>();
    expect(form.code).toMatch(/QM$/);
  });
  it("has no value for an approval, and its decisions without deny", async () => {
    const approval = await bridge.ask({ kind: "approval", text: "Apply?", subject: { type: "command", body: "terraform apply" } });
    expectTypeOf<AnsweredOf<typeof approval>["decision"]>().toEqualTypeOf<"approve">();
    expectTypeOf<ValueOf<typeof approval>>().toEqualTypeOf<never>();
    const always = await bridge.ask({ kind: "approval", text: "Apply?", decisions: ["approve", "approve_always", "deny"] });
    expectTypeOf<AnsweredOf<typeof always>["decision"]>().toEqualTypeOf<"approve" | "approve_always">();
    expect(approval.id).not.toBe(always.id);
  });
  it("is a union that a switch can exhaust", () => {
    const say = (outcome: Outcome): string => {
      switch (outcome.status) {
        case "answered":
          return outcome.by.name;
        case "declined":
          return outcome.note ?? outcome.decision;
        case "cancelled":
          return outcome.code;
        case "expired":
          return outcome.at;
        case "undelivered":
          return outcome.failures.map(({ place }) => place).join();
        default:
          return outcome satisfies never;
      }
    };
    expect(say({ status: "cancelled", code: "withdrawn", id: "q", at: "now" })).toBe("withdrawn");
  });
  it("is wide where the ask is not known", () => {
    expectTypeOf<Answered<AskInput>["decision"]>().toEqualTypeOf<"answer" | "approve" | "approve_always">();
    expectTypeOf<Question>().toHaveProperty("outcome");
    expect(typeof bridge.question).toBe("function");
  });
});

describe("a typo does not compile", () => {
  it("in an ask, an option of another kind, a field, a duration", async () => {
    const asks = [
      // @ts-expect-error `option` is no property of an ask
      () => bridge.ask({ text: "Where?", option: ["staging"] }),
      // @ts-expect-error a question has no subject
      () => bridge.ask({ text: "Where?", subject: { type: "command", body: "x" } }),
      // @ts-expect-error an approval has no options
      () => bridge.ask({ kind: "approval", text: "Apply?", options: ["yes"] }),
      // @ts-expect-error `labl` is no property of a field
      () => bridge.ask({ text: "Where?", fields: [{ key: "a", type: "text", labl: "A" }] }),
      // @ts-expect-error a duration has a unit
      () => bridge.ask({ text: "Where?", timeout: "90" }),
      // @ts-expect-error an ask has a text
      () => bridge.ask({ to: "alice" }),
    ];
    expect(asks).toHaveLength(6);
  });
});
