/** The table of a kill run: points by chats. */
import type { ChatKind } from "../../src/testing/sim/simulator.js";
import { CHATS, type KillPoint } from "./points.js";
import type { Round } from "./rig.js";

/** Rounds of one point on one chat. */
export type Cell = { rounds: number; lost: number; doubled: number; leftOpen: number; extra: number; ms: number };
/** All cells, by point and chat. */
export type Cells = Map<string, Cell>;

const key = (point: string, chat: ChatKind): string => `${point}|${chat}`;

/** Adds one round. */
export function addRound(
  cells: Cells,
  { point, chat, round }: { readonly point: string; readonly chat: ChatKind; readonly round: Round },
): void {
  const cell = cells.get(key(point, chat)) ?? { rounds: 0, lost: 0, doubled: 0, leftOpen: 0, extra: 0, ms: 0 };
  cells.set(key(point, chat), {
    rounds: cell.rounds + 1,
    lost: cell.lost + round.lost,
    doubled: cell.doubled + round.doubled,
    leftOpen: cell.leftOpen + round.leftOpen,
    extra: cell.extra + round.extra,
    ms: cell.ms + round.ms,
  });
}

/** One line per point: rounds, then lost/doubled/left open/extra copies for each chat; sums at the end. */
export function formatTable(cells: Cells, points: readonly KillPoint[]): string {
  const shown = (cell: Cell | undefined): string =>
    (cell === undefined ? "-" : `${cell.rounds}: ${cell.lost}/${cell.doubled}/${cell.leftOpen}/${cell.extra}`).padEnd(14);
  const width = Math.max(...points.map(({ name }) => name.length)) + 2;
  const lines = points.map(({ name }) => `${name.padEnd(width)}${CHATS.map((chat) => shown(cells.get(key(name, chat)))).join("")}`);
  const all = [...cells.values()];
  const sum = (of: (cell: Cell) => number): number => all.reduce((total, cell) => total + of(cell), 0);
  const rounds = sum((cell) => cell.rounds);
  return [
    `${"rounds: lost/doubled/left open/extra".padEnd(width)}${CHATS.map((chat) => chat.padEnd(14)).join("")}`,
    ...lines,
    `${points.length} points, ${rounds} rounds: ${sum((cell) => cell.lost)} lost, ${sum((cell) => cell.doubled)} doubled, ${sum((cell) => cell.leftOpen)} left open, ` +
      `${sum((cell) => cell.extra)} extra copies; ${Math.round(sum((cell) => cell.ms) / Math.max(rounds, 1))} ms a round`,
  ].join("\n");
}
