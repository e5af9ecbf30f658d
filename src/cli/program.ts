/**
 * The command line (api.md, section 4): what may be written, and which module carries it out. Those modules are loaded only when
 * their command runs, so that help comes at once.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { AskBase, AskInput, Duration } from "../client/types.js";
import { EXIT, EXIT_HELP } from "./exit-codes.js";
import { fail } from "./failure.js";
import { addProofCommands } from "./proof-commands.js";
import type { Terminal } from "./terminal.js";

/**
 * Runs one command.
 * @param args the arguments after the program's name.
 * @returns the exit code.
 */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.done;
  const run = async (json: boolean, work: () => Promise<number>): Promise<void> => {
    try {
      code = await work();
    } catch (error) {
      code = fail(error, terminal, { json });
    }
  };
  const program = programFor(terminal, run);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help that was asked for is no failure; everything else that commander says is about how the command was written.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

type Run = (json: boolean, work: () => Promise<number>) => Promise<void>;

function programFor(terminal: Terminal, run: Run): Command {
  const program = new Command("handraise")
    .description("Your agent raises its hand; a person answers in Slack, Discord or Telegram.")
    .version(version(), "-V, --version")
    .showHelpAfterError("(handraise --help shows the commands)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.replace(/\n$/, "")),
      writeErr: (text) => terminal.err(text.replace(/\n$/, "")),
      getOutHasColors: () => terminal.outIsScreen && terminal.colour,
      getErrHasColors: () => terminal.colour,
    })
    .addHelpText("after", EXIT_HELP);
  addBridgeCommands(program, { terminal, run });
  addAsk(program, { terminal, run });
  addConfirm(program, { terminal, run });
  addRefCommands(program, { terminal, run });
  addProofCommands(program, { terminal, run });
  return program;
}

type Around = { readonly terminal: Terminal; readonly run: Run };
type Options = Readonly<Record<string, unknown>>;

function addBridgeCommands(program: Command, { terminal, run }: Around): void {
  program
    .command("start")
    .description("run the bridge until Ctrl-C")
    .option("--config <file>", "the config file (default: handraise.yaml)")
    .option("--simulated", "simulated Slack, Discord and Telegram in your browser: no accounts, no tokens")
    .option("--port <number>", "port of the page and of HTTP (default: the config's listen, else 8484)", portOf)
    .option("--data <folder>", "the data folder (default: the config's store, else ./data)")
    .option("--json", "one line on stdout when ready")
    .action((options: Options) =>
      run(flag(options, "json"), async () => {
        const { runStart } = await import("../app/start.js");
        const data = text(options, "data");
        return runStart({
          ...optional("config", text(options, "config")),
          ...optional("port", number(options, "port")),
          ...optional("data", data === undefined ? undefined : resolve(data)),
          simulated: flag(options, "simulated"),
          json: flag(options, "json"),
          signal: terminal.interrupted,
        });
      }),
    );
  program
    .command("demo")
    .description("a scripted person answers in all three simulated chats, in this terminal")
    .option("--json", "one line per chat on stdout")
    .action((options: Options) =>
      run(flag(options, "json"), async () => {
        const { runDemo } = await import("../app/demo.js");
        return runDemo({ json: flag(options, "json") });
      }),
    );
  program
    .command("doctor")
    .description("check config, folders, tokens and rights; each failure with its remedy")
    .option("--config <file>", "the config file (default: handraise.yaml)")
    .option("--data <folder>", "the data folder (default: the config's store, else ./data)")
    .option("--json", "one line on stdout")
    .action((options: Options) =>
      run(flag(options, "json"), async () => {
        const { runDoctor } = await import("./doctor-command.js");
        const named = { ...optional("config", text(options, "config")), ...optional("data", text(options, "data")) };
        return runDoctor({ ...named, json: flag(options, "json") }, terminal);
      }),
    );
}

/** Options that `ask` and `confirm` share. */
function askCommand(program: Command, name: string): Command {
  return program
    .command(name)
    .argument("<text>", "what is asked")
    .option("--to <name>", "a person, role, route or place; may be repeated (default: the config's)", collect)
    .option("--audience <name>", "who may answer; may be repeated (default: the people and roles in --to)", collect)
    .option("--title <text>", "a short title")
    .option("--timeout <duration>", 'how long it is open: 90s, 15m, 2h, 3d, or "none" (default: the config\'s)', timeoutOf)
    .option("--deliver-within <duration>", "how long a chat that is down is tried (default: the timeout, 10m at most)", durationOf)
    .option("--key <key>", "the same key and question again: the same answer, no second prompt")
    .option("--session <name>", "groups questions")
    .option("--agent <name>", "shown as who asks")
    .option("--private", "only the audience reads the answer")
    .option("--detach", "do not wait; print the question's id and end with 14")
    .option("--json", "one line on stdout: the outcome")
    .addOption(socketOption())
    .addHelpText("after", EXIT_HELP);
}

function addAsk(program: Command, { terminal, run }: Around): void {
  askCommand(program, "ask")
    .description("ask a person and print the answer on stdout")
    .option("--option <value>", "an answer to pick; may be repeated (default: a typed answer)", collect)
    .option("--other", "beside the options, the person may type an answer of their own")
    .action((question: string, options: Options) =>
      run(flag(options, "json"), async () => {
        const { runAsk } = await import("./question-commands.js");
        const input: AskInput = {
          ...askBase(question, options),
          ...optional("options", list(options, "option")),
          ...(flag(options, "other") ? { other: true } : {}),
        };
        return runAsk(input, { ...common(options), detach: flag(options, "detach") }, terminal);
      }),
    );
}

function addConfirm(program: Command, { terminal, run }: Around): void {
  askCommand(program, "confirm")
    .description("get a person's approval; 0 only when it was given")
    .addOption(new Option("--command <text>", "the exact command that is approved").conflicts("subject"))
    .option("--subject <type>", "what is approved is read from stdin, exactly: command, diff, json or text", subjectTypeOf)
    .action((question: string, options: Options) =>
      run(flag(options, "json"), async () => {
        const { runAsk } = await import("./question-commands.js");
        const input: AskInput = {
          ...askBase(question, options),
          kind: "approval",
          ...optional("subject", await subjectOf(options, terminal)),
        };
        return runAsk(input, { ...common(options), detach: flag(options, "detach") }, terminal);
      }),
    );
}

function addRefCommands(program: Command, { terminal, run }: Around): void {
  refCommand(program, "wait")
    .description("go on waiting for an earlier question")
    .option("--within <duration>", "wait at most this long, then end with 14", durationOf)
    .action((ref: string | undefined, options: Options) =>
      run(flag(options, "json"), async () => {
        const { runWait } = await import("./question-commands.js");
        return runWait(refOf(ref, options), { ...common(options), ...optional("within", duration(options, "within")) }, terminal);
      }),
    );
  refCommand(program, "cancel")
    .description("withdraw a question; ends with 12, or with the code of the answer that was faster")
    .option("--reason <text>", "shown to the people who were asked")
    .action((ref: string | undefined, options: Options) =>
      run(flag(options, "json"), async () => {
        const { runCancel } = await import("./question-commands.js");
        return runCancel(refOf(ref, options), { ...common(options), ...optional("reason", text(options, "reason")) }, terminal);
      }),
    );
  program
    .command("list")
    .description("open questions, oldest first")
    .option("--session <name>", "of this session only")
    .option("--json", "one line on stdout: the records")
    .addOption(socketOption())
    .action((options: Options) =>
      run(flag(options, "json"), async () => {
        const { runList } = await import("./question-commands.js");
        return runList({ ...common(options), ...optional("session", text(options, "session")) }, terminal);
      }),
    );
}

function refCommand(program: Command, name: string): Command {
  return program
    .command(name)
    .argument("[question]", "its id (q_…) or the short code of an open one")
    .option("--key <key>", "in place of the id: the key it was asked with")
    .option("--session <name>", "the session of that key")
    .option("--json", "one line on stdout: the outcome")
    .addOption(socketOption())
    .addHelpText("after", EXIT_HELP);
}

function socketOption(): Option {
  return new Option("--socket <path>", "the bridge's socket, or its data folder (default: HANDRAISE_SOCKET, else ./data)");
}

function askBase(question: string, options: Options): AskBase {
  const timeout = text(options, "timeout");
  return {
    text: question,
    ...optional("to", list(options, "to")),
    ...optional("audience", list(options, "audience")),
    ...optional("title", text(options, "title")),
    ...optional("timeout", timeout === undefined ? undefined : timeoutOf(timeout)),
    ...optional("deliverWithin", duration(options, "deliverWithin")),
    ...optional("key", text(options, "key")),
    ...optional("session", text(options, "session")),
    ...optional("agent", text(options, "agent")),
    ...(flag(options, "private") ? { visibility: "private" } : {}),
  };
}

type Subject = { type: "command" | "diff" | "json" | "text"; body: string };

async function subjectOf(options: Options, terminal: Terminal): Promise<Subject | undefined> {
  const command = text(options, "command");
  if (command !== undefined) return { type: "command", body: command };
  const type = text(options, "subject");
  return type === undefined ? undefined : { type: subjectTypeOf(type), body: await terminal.readInput() };
}

function refOf(ref: string | undefined, options: Options): { ref?: string; key?: string; session?: string } {
  return { ...optional("ref", ref), ...optional("key", text(options, "key")), ...optional("session", text(options, "session")) };
}

function common(options: Options): { json: boolean; socket?: string } {
  return { json: flag(options, "json"), ...optional("socket", text(options, "socket")) };
}

// What commander collected, read with its type.
function text(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

function number(options: Options, name: string): number | undefined {
  const value = options[name];
  return typeof value === "number" ? value : undefined;
}

function flag(options: Options, name: string): boolean {
  return options[name] === true;
}

function list(options: Options, name: string): readonly string[] | undefined {
  const value = options[name];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : undefined;
}

function duration(options: Options, name: string): Duration | undefined {
  const value = text(options, name);
  return value === undefined ? undefined : durationOf(value);
}

function optional<Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };
}

// Parsers of single values; what they refuse ends with the usage code.
function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function durationOf(value: string): Duration {
  if (!isDuration(value)) throw new InvalidArgumentError("Write a duration like 90s, 15m, 2h or 3d.");
  return value;
}

function timeoutOf(value: string): Duration | "none" {
  return value === "none" ? value : durationOf(value);
}

function isDuration(value: string): value is Duration {
  return /^\d{1,6}[smhd]$/.test(value);
}

function portOf(value: string): number {
  const port = Number(value);
  if (!/^\d{1,5}$/.test(value) || port > 65_535) throw new InvalidArgumentError("Write a number from 0 to 65535.");
  return port;
}

function subjectTypeOf(value: string): Subject["type"] {
  if (value === "command" || value === "diff" || value === "json" || value === "text") return value;
  throw new InvalidArgumentError("Write command, diff, json or text.");
}

/** This program's version, from the package it was installed with: two folders up in the source, three in the build. */
function version(): string {
  for (const up of ["../../package.json", "../../../package.json"]) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), "utf8"));
      if (typeof parsed === "object" && parsed !== null && "version" in parsed) return String(parsed.version);
    } catch {
      // Not there: the next one is.
    }
  }
  return "unknown";
}
