import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, FRAME_MAX_BYTES, type Frame, FrameReader } from "../../src/client/frames.js";

function encoded(value: unknown): Buffer {
  const frame = encodeFrame(value);
  if (frame === undefined) throw new Error("too long");
  return frame;
}

describe("frames", () => {
  it("are read as written, however the stream is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (values, sizes) => {
          const bytes = Buffer.concat(values.map(encoded));
          const reader = new FrameReader();
          const frames: Frame[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            frames.push(...reader.push(bytes.subarray(at, at + size)));
            at += size;
          }
          expect(reader.end()).toBeUndefined();
          expect(frames).toEqual(values.map((value) => ({ kind: "value", value: JSON.parse(JSON.stringify(value)) })));
        },
      ),
    );
  });
  it("F2 a body that is no JSON, or no UTF-8, spoils only itself", () => {
    const reader = new FrameReader();
    const bad = Buffer.from([0, 0, 0, 2, 0x22, 0xff, 0, 0, 0, 0]);
    expect(reader.push(Buffer.concat([bad, encoded({ ok: true })])).map(({ kind }) => kind)).toEqual(["malformed", "malformed", "value"]);
  });
  it("F3 a length over the limit ends the reading, without taking memory for it", () => {
    const reader = new FrameReader();
    expect(reader.push(Buffer.from([0xff, 0xff, 0xff, 0xff])).map(({ kind }) => kind)).toEqual(["broken"]);
    expect(reader.push(encoded(1))).toEqual([]);
    expect(reader.end()).toBeUndefined();
  });
  it("says what was cut short at the end", () => {
    const reader = new FrameReader();
    reader.push(encoded("hello").subarray(0, 6));
    expect(reader.end()).toEqual({ kind: "broken", reason: "the stream ended within a frame, after 6 bytes of it" });
  });
  it("F1 counts bytes, not characters", () => {
    expect(encodeFrame("x".repeat(FRAME_MAX_BYTES - 2))?.length).toBe(FRAME_MAX_BYTES + 4);
    expect(encodeFrame("x".repeat(FRAME_MAX_BYTES - 1))).toBeUndefined();
    expect(encodeFrame("é".repeat(FRAME_MAX_BYTES / 2))).toBeUndefined();
  });
});
