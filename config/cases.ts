/** Writes test/cases.md from the tests' names and the two lists in test/fixtures: `npx tsx config/cases.ts`. A test compares them. */
import { readFileSync, writeFileSync } from "node:fs";
import { type CaseIds, type CasesLeft, casesDocument } from "../test/policy/rules/cases.js";
import { repository } from "../test/policy/rules/tree.js";

const ids: CaseIds = JSON.parse(readFileSync(new URL("../test/fixtures/case-ids.json", import.meta.url), "utf8"));
const left: CasesLeft = JSON.parse(readFileSync(new URL("../test/fixtures/cases-left.json", import.meta.url), "utf8"));
writeFileSync(new URL("../test/cases.md", import.meta.url), casesDocument(repository(), ids, left));
