/** A cloud of translucent points: where they are, how far away, and how they are painted. Pure. */

import { Random } from '@keysweep/conformance/data';

/** Numbers of a point: x, y and z in −1 to 1, and its colour as the bits of a word. */
const STRIDE = 4;

/** Points in no order, each of STRIDE words. */
export interface Cloud {
  readonly count: number;
  readonly numbers: Float32Array;
  /** The same memory; a colour is 0xBBGGRR. */
  readonly words: Uint32Array;
}

/** Winds of the knot about its axis, and through its middle. */
const [ALONG, AROUND] = [2, 3];

/** Points about a trefoil knot. Colours change along the knot, there and back. */
export function makeCloud(count: number, seed: number): Cloud {
  const random = new Random(seed, count);
  const numbers = new Float32Array(STRIDE * count);
  const words = new Uint32Array(numbers.buffer);
  for (let at = 0; at < numbers.length; at += STRIDE) {
    const turn = 2 * Math.PI * random.unit();
    const ring = 0.58 + 0.24 * Math.cos(AROUND * turn);
    // Most points are near the middle of the tube.
    const off = 0.17 * Math.sqrt(random.unit()) * random.unit();
    const [side, height] = [2 * Math.PI * random.unit(), 2 * random.unit() - 1];
    const flat = Math.sqrt(1 - height * height);
    numbers[at] = ring * Math.cos(ALONG * turn) + off * flat * Math.cos(side);
    numbers[at + 1] = ring * Math.sin(ALONG * turn) + off * flat * Math.sin(side);
    numbers[at + 2] = 0.34 * Math.sin(AROUND * turn) + off * height;
    words[at + 3] = colourAt(Math.abs(1 - turn / Math.PI), 0.75 + 0.25 * random.unit());
  }
  return { count, numbers, words };
}

/** Blue, white, orange. */
const COLOURS = [
  [70, 140, 255],
  [236, 236, 242],
  [255, 138, 40],
] as const;

/** A colour between the first (0) and the last (1). */
function colourAt(share: number, light: number): number {
  const place = share * (COLOURS.length - 1);
  const before = Math.min(COLOURS.length - 2, Math.floor(place));
  const [from, to] = [COLOURS[before], COLOURS[before + 1]] as [Colour, Colour];
  const part = (i: 0 | 1 | 2): number => light * (from[i] + (to[i] - from[i]) * (place - before));
  return part(0) | (part(1) << 8) | (part(2) << 16);
}

type Colour = (typeof COLOURS)[number];

/** The view: turned about the upright axis, and leaned towards the eye. */
interface View {
  readonly sine: number;
  readonly cosine: number;
}

export const viewAt = (angle: number): View => ({ sine: Math.sin(angle), cosine: Math.cos(angle) });

const LEAN: View = viewAt(0.5);
/** From the eye to the middle of the cloud. */
const DISTANCE = 3.2;

/** Writes the depth of every point: the greater, the farther from the eye. */
export function writeDepths(
  { numbers }: Cloud,
  { sine, cosine }: View,
  depths: Float32Array,
): void {
  for (let i = 0, at = 0; i < depths.length; i++, at += STRIDE) {
    const deep = (numbers[at] as number) * sine + (numbers[at + 2] as number) * cosine;
    depths[i] = deep * LEAN.cosine - (numbers[at + 1] as number) * LEAN.sine;
  }
}

/** The background, 0xAABBGGRR. */
export const BACKGROUND = 0xff1a120d;

/** Of 256: the most of a point's colour that is seen, and what is left of the colour behind it. */
const COVER = 150;
const KEEP = 256 - COVER;
const RED_BLUE = 0xff00ff;
const GREEN = 0x00ff00;
const OPAQUE = 0xff000000;

/** Paints points in the order given, each over those before, into `size` × `size` pixels. */
export function paint(
  { numbers, words }: Cloud,
  { sine, cosine }: View,
  order: Uint32Array,
  pixels: Uint32Array,
  size: number,
): void {
  pixels.fill(BACKGROUND);
  const scale = size * 1.42;
  const half = size / 2;
  const wide = order.length <= 150_000 ? 3 : order.length <= 600_000 ? 2 : 1;
  const most = size - wide;
  for (let i = 0; i < order.length; i++) {
    const at = STRIDE * (order[i] as number);
    const x = numbers[at] as number;
    const y = numbers[at + 1] as number;
    const z = numbers[at + 2] as number;
    const deep = x * sine + z * cosine;
    const depth = deep * LEAN.cosine - y * LEAN.sine;
    const near = scale / (DISTANCE + depth);
    const left = (half + (x * cosine - z * sine) * near) | 0;
    const top = (half - (deep * LEAN.sine + y * LEAN.cosine) * near) | 0;
    if (left < 0 || top < 0 || left > most || top > most) continue;
    const colour = words[at + 3] as number;
    // What is farther is darker.
    const cover = (COVER * Math.min(1, 0.9 - 0.45 * depth)) | 0;
    const redBlue = Math.imul(colour & RED_BLUE, cover);
    const green = Math.imul(colour & GREEN, cover);
    for (let row = 0; row < wide; row++) {
      const from = (top + row) * size + left;
      for (let place = from; place < from + wide; place++) {
        const below = pixels[place] as number;
        pixels[place] =
          OPAQUE |
          (((redBlue + Math.imul(below & RED_BLUE, KEEP)) >>> 8) & RED_BLUE) |
          (((green + Math.imul(below & GREEN, KEEP)) >>> 8) & GREEN);
      }
    }
  }
}
