#!/usr/bin/env node
/** The `handraise` program. Everything else is loaded by the command that needs it. */
import { runProgram } from "./program.js";
import { processTerminal } from "./terminal.js";

const terminal = processTerminal();
process.exitCode = await runProgram(process.argv.slice(2), terminal);
terminal.end();
