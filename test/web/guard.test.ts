import { describe, expect, it } from "vitest";
import { refusal } from "../../src/web/guard.js";

const own = { host: "127.0.0.1:8484" };
const json = { "content-type": "application/json; charset=utf-8" };

describe("who may talk to the page", () => {
  it.each([
    ["the page, typed into the address bar", "GET", { ...own, "sec-fetch-site": "none" }],
    ["the page under localhost", "GET", { host: "localhost:8484" }],
    ["its own events", "GET", { ...own, "sec-fetch-site": "same-origin" }],
    ["its own action", "POST", { ...own, ...json, origin: "http://127.0.0.1:8484", "sec-fetch-site": "same-origin" }],
    ["a script on this machine", "POST", { ...own, ...json }],
  ])("G1 to G3 let %s pass", (_, method, headers) => {
    expect(refusal({ method, port: 8484, headers })).toBeUndefined();
  });

  it.each([
    ["no host", "GET", {}],
    ["a host without our port", "GET", { host: "127.0.0.1" }],
    ["a name that rebinds", "GET", { host: "handraise.evil.example:8484" }],
    ["another scheme", "POST", { ...own, ...json, origin: "https://127.0.0.1:8484" }],
    ["localhost claiming to be 127.0.0.1", "POST", { ...own, ...json, origin: "http://localhost:8484" }],
    ["a page of the same site on another port", "POST", { ...own, ...json, "sec-fetch-site": "same-site" }],
    ["a form", "POST", { ...own, "content-type": "application/x-www-form-urlencoded" }],
    ["a body without a type", "POST", own],
    ["a preflight", "OPTIONS", own],
  ])("G1 to G3 refuse %s", (_, method, headers) => {
    expect(refusal({ method, port: 8484, headers })).toMatch(/\.$|\)\.$/);
  });
});
