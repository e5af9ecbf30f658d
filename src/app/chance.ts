/** Random bytes of the system, drawn in blocks: ids need a few bytes each, and a draw costs the same for 4,096. */
import { randomFillSync } from "node:crypto";
import type { RandomBytes } from "../core/ids.js";

const BLOCK_BYTES = 4_096;

/** Chance for ids and nonces; every byte is handed out once. */
export function systemRandom(): RandomBytes {
  const block = new Uint8Array(BLOCK_BYTES);
  let used = BLOCK_BYTES;
  return (count) => {
    if (count > BLOCK_BYTES) return randomFillSync(new Uint8Array(count));
    if (used + count > BLOCK_BYTES) {
      randomFillSync(block);
      used = 0;
    }
    used += count;
    return block.slice(used - count, used);
  };
}
