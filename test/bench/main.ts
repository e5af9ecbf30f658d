/**
 * `npm run bench`: every figure beside the floor of the same run; only the ratios travel. `npm run bench -- quick` measures shorter,
 * `-- store` the store alone.
 * Figures and what bounds them are explained in docs/performance.md.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type CycleFigures, measureCycles } from "./cycles.js";
import { fdatasyncPerSecond, plainCyclesPerSecond, plainRowsPerSecond } from "./floor.js";
import { type IdleFigures, measureIdle, measureRestart, type RestartFigures } from "./idle.js";
import { benchStore } from "./store.js";

const HERE = fileURLToPath(import.meta.url);
/** Commits that one cycle needs one after another at one wait: ask, claim, shown, input, answer; closing and notices run beside the next. */
const COMMITS_IN_ROW = 5;

function line(name: string, figure: string, note = ""): void {
  process.stdout.write(`${name.padEnd(58)}${figure.padStart(14)}  ${note}\n`);
}

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
const ratio = (value: number, floor: number): string => `${(value / floor).toFixed(2)} of floor`;
const ms = (value: number): string => `${value.toFixed(2)} ms`;

/** A measurement in a process of its own, so that one does not disturb the heap of the next. */
function alone<T>(what: string, count: number): T {
  const printed = execFileSync(process.execPath, ["--expose-gc", HERE, what, String(count)], { encoding: "utf8", maxBuffer: 1 << 24 });
  return JSON.parse(printed.trim().split("\n").at(-1) ?? "{}") as T;
}

async function cycles(seconds: number): Promise<void> {
  const single = plainRowsPerSecond({ group: 1 });
  line("raw fdatasync of 4 KiB, a second", whole(fdatasyncPerSecond()));
  line("bare FULL commits of one row, a second", whole(single));
  for (const waits of [1, 64, 1_024]) {
    const floor = plainCyclesPerSecond({ group: waits });
    const ours: CycleFigures = await measureCycles({ waits, seconds });
    line(`plain loop, the same rows, ${waits} cycles a commit`, whole(floor), "cycles a second");
    line(`ask to answer, ${waits} waits at a time`, whole(ours.perSecond), `${ratio(ours.perSecond, floor)}`);
    if (waits === 1) {
      const bound = single / COMMITS_IN_ROW;
      line(
        "  of single-row commits / commits in a row",
        (ours.perSecond / bound).toFixed(2),
        `${COMMITS_IN_ROW} commits one after another`,
      );
      line(
        "  press to waiter woken, in bare commits",
        `${((ours.wakeP50Ms * single) / 1_000).toFixed(1)} / ${((ours.wakeP99Ms * single) / 1_000).toFixed(1)}`,
        "p50 / p99",
      );
    }
    line("  press to waiter woken", `${ms(ours.wakeP50Ms)}`, `p99 ${ms(ours.wakeP99Ms)}`);
    line("  event loop delay p99", ms(ours.loopP99Ms), `max ${ms(ours.loopMaxMs)}`);
  }
}

function idle(): void {
  for (const count of [10_000, 100_000]) {
    const figures = alone<IdleFigures>("idle", count);
    line(
      `heap per idle wait, ${whole(count)} waits`,
      `${whole(figures.heapPerWait)} B`,
      `per open question nobody awaits ${whole(figures.heapPerOpen)} B`,
    );
    line("  CPU while all are idle", `${(figures.cpuShare * 100).toFixed(2)} %`);
  }
  const restart = alone<RestartFigures>("restart", 100_000);
  line("restart with 100,000 open questions", ms(restart.openMs), `first answer handed over after ${ms(restart.firstAnswerMs)}`);
}

function startTime(): void {
  const cli = fileURLToPath(new URL("../../../../../dist/src/cli/main.js", import.meta.url));
  const times = (args: readonly string[]): number => {
    const runs = Array.from({ length: 7 }, () => {
      const startMs = performance.now();
      execFileSync(process.execPath, [...args], { stdio: "ignore" });
      return performance.now() - startMs;
    });
    return runs.sort((a, b) => a - b)[3] ?? 0;
  };
  line("handraise ask --help", ms(times([cli, "ask", "--help"])), `node alone ${ms(times(["-e", "0"]))}`);
}

async function main([what, count]: readonly string[]): Promise<void> {
  if (what === "idle") process.stdout.write(`${JSON.stringify(await measureIdle(Number(count)))}\n`);
  else if (what === "restart") process.stdout.write(`${JSON.stringify(await measureRestart(Number(count)))}\n`);
  else if (what === "store") await benchStore();
  else {
    process.stdout.write("Ratios are to the floor of this run; the machine is shared, so absolute figures do not travel.\n\n");
    await cycles(what === "quick" ? 2 : 5);
    idle();
    startTime();
    await benchStore();
  }
}

await main(process.argv.slice(2));
