/** Writes test/cases.md from the tests' names and the lists in test/fixtures: `npx tsx config/cases.ts`. A test compares them. */
import { writeFileSync } from "node:fs";
import { caseLists, casesDocument } from "../test/policy/rules/cases.js";
import { repository } from "../test/policy/rules/tree.js";

writeFileSync(new URL("../test/cases.md", import.meta.url), casesDocument(repository(), caseLists(repository())));
