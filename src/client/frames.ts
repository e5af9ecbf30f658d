/**
 * Frames of the socket: 4 bytes of length, big-endian, then that many bytes of JSON in UTF-8. Pure.
 *
 * F1  A frame is at most 1 MiB, so that no peer can fill the other's memory.
 * F2  A body that is no JSON spoils only itself: where the next frame begins is still known.
 * F3  A length over the limit means that the frames are lost: nothing further can be read, what runs goes on.
 */

/** Longest body in bytes. */
export const FRAME_MAX_BYTES = 1_048_576;
const HEADER_BYTES = 4;

/** What was read: a value, a body that is no JSON, or a stream in which frames can no longer be told apart. */
export type Frame =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "malformed"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string };

/** The bytes of one frame; undefined when the value is longer than a frame may be. */
export function encodeFrame(value: unknown): Buffer | undefined {
  const body = Buffer.from(JSON.stringify(value), "utf8");
  if (body.length > FRAME_MAX_BYTES) return undefined;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, HEADER_BYTES);
  return frame;
}

/** Puts frames together from chunks of any size. */
export class FrameReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #chunks: Buffer[] = [];
  #size = 0;
  #broken = false;

  /** Frames that are whole now; [] after the stream has broken. */
  push(chunk: Buffer): readonly Frame[] {
    if (this.#broken) return [];
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) {
      frames.push(frame);
      if (frame.kind === "broken") break;
    }
    return frames;
  }

  /** The end of the stream: a frame that was cut short, if one was begun. */
  end(): Frame | undefined {
    if (this.#broken || this.#size === 0) return undefined;
    return { kind: "broken", reason: `the stream ended within a frame, after ${this.#size} bytes of it` };
  }

  #next(): Frame | undefined {
    if (this.#size < HEADER_BYTES) return undefined;
    const length = this.#take(HEADER_BYTES, "look").readUInt32BE(0);
    if (length > FRAME_MAX_BYTES) {
      this.#broken = true;
      this.#chunks = [];
      this.#size = 0;
      return { kind: "broken", reason: `a frame of ${length} bytes is longer than ${FRAME_MAX_BYTES}; nothing further is read here` };
    }
    if (this.#size < HEADER_BYTES + length) return undefined;
    this.#take(HEADER_BYTES, "keep");
    return this.#parse(this.#take(length, "keep"));
  }

  /** The next `count` bytes in one piece; `look` leaves them in place. */
  #take(count: number, mode: "look" | "keep"): Buffer {
    const [first] = this.#chunks;
    if (first === undefined || first.length < count) this.#chunks = [Buffer.concat(this.#chunks)];
    const [whole] = this.#chunks;
    if (whole === undefined || mode === "look") return whole ?? Buffer.alloc(0);
    this.#size -= count;
    if (whole.length === count) this.#chunks.shift();
    else this.#chunks[0] = whole.subarray(count);
    return whole.subarray(0, count);
  }

  #parse(body: Buffer): Frame {
    try {
      return { kind: "value", value: JSON.parse(this.#decoder.decode(body)) };
    } catch {
      return { kind: "malformed", reason: `a frame of ${body.length} bytes is not JSON in UTF-8` };
    }
  }
}
