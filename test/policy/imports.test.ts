import { describe, expect, it } from "vitest";
import { cycleFaults, directionFaults, missingFaults, packageFaults } from "./rules/imports.js";
import { repository, sample } from "./rules/tree.js";

describe("direction of imports", () => {
  it("holds between the rooms", () => {
    expect(directionFaults(repository())).toEqual([]);
  });

  it.each([
    ["core knows no port", "src/core/a.ts", "../ports/clock.js"],
    ["ports know no gateway", "src/ports/a.ts", "../gateway/gateway.js"],
    ["host reaches the gateway through the dispatcher port only", "src/host/a.ts", "../gateway/gateway.js"],
    ["host does not know the dispatchers", "src/host/a.ts", "../dispatch/in-process.js"],
    ["gateway does not know the host", "src/gateway/a.ts", "../host/host.js"],
    ["gateway does not know the runs", "src/gateway/a.ts", "../runs/directory.js"],
    ["a door does not reach up to app", "src/http/a.ts", "../app/app.js"],
    ["app does not reach the command line", "src/app/a.ts", "../cli/main.js"],
    ["only app sees the registry", "src/http/a.ts", "../../adapters/registry.js"],
    ["nobody but the registry sees an adapter", "src/app/a.ts", "../../adapters/channels/slack/index.js"],
    ["the registry sees an adapter's door only", "adapters/registry.ts", "./channels/slack/client.js"],
    ["adapters never import each other", "adapters/channels/slack/a.ts", "../discord/limits.js"],
    ["an adapter does not know the host", "adapters/channels/slack/a.ts", "../../../src/host/host.js"],
    ["testing knows no gateway", "src/testing/a.ts", "../gateway/gateway.js"],
    ["product code does not import tests", "src/app/a.ts", "../../test/app/bench.js"],
    ["types count too", "src/core/a.ts", "../ports/store.js"],
  ])("can fail: %s", (_rule, from, specifier) => {
    expect(directionFaults(sample({ [from]: `import type { A } from "${specifier}";` }))).toHaveLength(1);
    expect(directionFaults(sample({ [from]: `export const a = await import("${specifier}");` }))).toHaveLength(1);
  });

  it("can fail: the client may name the gateway's types, and bring none of its code", () => {
    const importing = (text: string): string[] => directionFaults(sample({ "src/client/a.ts": text }));
    expect(importing('import type { A } from "../gateway/calls.js";')).toEqual([]);
    expect(importing('import { type A } from "../gateway/calls.js";')).toHaveLength(1);
  });

  it("can fail: an unknown room", () => {
    expect(directionFaults(sample({ "src/things/a.ts": "" }))).toHaveLength(1);
  });

  it("lets through what the drawing allows", () => {
    const good = {
      "src/app/bridge.ts": 'import { a } from "../../adapters/registry.js"; import { b } from "../http/server.js";',
      "src/host/inbox.ts": 'import type { A } from "../ports/dispatcher.js"; import { E } from "../errors.js";',
      "adapters/registry.ts": 'export const slack = await import("./channels/slack/index.js");',
      "adapters/channels/slack/inbound.ts": 'import { a } from "../../../src/core/input.js"; import { b } from "./limits.js";',
    };
    expect(directionFaults(sample(good))).toEqual([]);
  });
});

describe("import cycles", () => {
  it("there are none, imports of types included", () => {
    expect(cycleFaults(repository())).toEqual([]);
  });

  it("can fail: a ring of three, one link a type", () => {
    const ring = {
      "src/core/a.ts": 'import { b } from "./b.js";',
      "src/core/b.ts": 'import type { C } from "./c.js";',
      "src/core/c.ts": 'export { a } from "./a.js";',
    };
    expect(cycleFaults(sample(ring))).toEqual(["import cycle: src/core/a.ts -> src/core/b.ts -> src/core/c.ts -> src/core/a.ts"]);
  });
});

describe("targets of imports", () => {
  it("exist and end in .js", () => {
    expect(missingFaults(repository())).toEqual([]);
  });

  it("can fail: a missing file, a missing ending", () => {
    expect(missingFaults(sample({ "src/core/a.ts": 'import "./b.js"; import "./a";' }))).toHaveLength(2);
  });
});

describe("packages", () => {
  it("an SDK has one user, core has zod alone", () => {
    expect(packageFaults(repository())).toEqual([]);
  });

  it.each([
    ["an SDK in a pure part", "adapters/channels/slack/outbound.ts", 'import { WebClient } from "@slack/web-api";'],
    ["an SDK's type outside its client", "adapters/channels/telegram/inbound.ts", 'import type { Context } from "grammy";'],
    ["an SDK of another platform", "adapters/channels/slack/client.ts", 'import { Client } from "discord.js";'],
    ["an SDK loaded late", "src/app/bridge.ts", 'const sdk = await import("grammy");'],
    ["a value of a type package", "adapters/channels/discord/inbound.ts", 'import { ButtonStyle } from "discord-api-types/v10";'],
    ["an inline type import, which stays at run time", "adapters/channels/slack/inbound.ts", 'import { type A } from "@slack/types";'],
    ["a platform's type in the host", "src/host/inbox.ts", 'import type { Block } from "@slack/types";'],
    ["an engine in the gateway", "src/gateway/store.ts", 'import Database from "better-sqlite3";'],
    ["anything but zod in core", "src/core/ids.ts", 'import { randomBytes } from "node:crypto";'],
    ["the test runner at a door that is not the contract's", "src/testing/index.ts", 'import { it } from "vitest";'],
  ])("can fail: %s", (_rule, path, text) => {
    expect(packageFaults(sample({ [path]: text }))).toHaveLength(1);
  });

  it("lets a client load its SDK, and the pure parts use a platform's types", () => {
    const good = {
      "adapters/channels/slack/client.ts": 'import { WebClient } from "@slack/web-api";',
      "adapters/channels/slack/outbound.ts": 'import type { KnownBlock } from "@slack/types";',
      "adapters/stores/sqlite/index.ts": 'import Database from "better-sqlite3";',
      "src/testing/sim/slack/state.ts": 'import type { KnownBlock } from "@slack/types";',
      "src/core/question.ts": 'import { z } from "zod";',
    };
    expect(packageFaults(sample(good))).toEqual([]);
  });
});
