/** Durations as an asker's code writes them, without loading the schema library. */

const PATTERN = /^(\d{1,6})(s|m|h|d)$/;
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** Milliseconds of "55s", "15m", "2h", "3d"; undefined for any other text and for zero. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = PATTERN.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS.get(unit ?? "") ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}
