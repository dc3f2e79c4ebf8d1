/** Frames of an engine, whose orders are compared with those of JavaScript's own sort. */

/** Buffers of all devices that are not destroyed yet. */
const live = new Set();

const { createBuffer } = GPUDevice.prototype;
GPUDevice.prototype.createBuffer = function (descriptor) {
  const buffer = createBuffer.call(this, descriptor);
  live.add(buffer);
  return buffer;
};

const { destroy } = GPUBuffer.prototype;
GPUBuffer.prototype.destroy = function () {
  live.delete(this);
  return destroy.call(this);
};

/** Keys of a frame, and words that a workgroup of 64 writes. */
export const COUNT = 5000;
export const WORKGROUPS = Math.ceil(COUNT / 64);

/** WGSL: the engine's own pass makes the keys, so the sort has to come after it. */
export const NEGATE = `
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> depths: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&depths)) { depths[id.x] = -source[id.x]; }
}`;

/** Numbers from 0 to 1, the same for a seed (xorshift: Marsaglia, 2003). */
function randomNumbers(seed) {
  let state = seed || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export const random = randomNumbers(Number(new URLSearchParams(location.search).get('seed')));

/** Floats of both signs, some of which are equal; no zeros, whose signs the oracle cannot see. */
export const randomFloats = (length) =>
  Float32Array.from({ length }, () => (Math.floor(4000 * random() - 2000) + 0.5) / 8);

/** Places of `keys` from the largest to the smallest; equal ones keep their order. */
export const orderOf = (keys) =>
  Uint32Array.from(keys.keys()).sort((a, b) => keys[b] - keys[a] || a - b);

/**
 * Plays some frames. `play()` has an engine make an order, and resolves to `[actual, expected]`;
 * `dispose` then gives back what the recipe made.
 */
export async function playFrames(play, dispose) {
  const wrong = [];
  const buffers = [];
  for (let frame = 0; frame < 5; frame++) {
    const [actual, expected] = await play();
    const at = expected.findIndex((index, i) => actual[i] !== index);
    if (at >= 0) wrong.push(`frame ${frame}: ${actual[at]} at ${at}, not ${expected[at]}`);
    buffers.push(live.size);
  }
  await dispose();
  const left = [...live].map(({ label }) => label).filter((label) => /keysweep/.test(label));
  // Engines make some buffers when a frame first needs them.
  globalThis.outcome = { wrong, grown: buffers.at(-1) - buffers[1], left };
}

/** The same for an engine that sorts depths: `play(source)` resolves to the order of -`source`. */
export function playDepths(play, dispose) {
  const playOnce = async () => {
    const source = randomFloats(COUNT);
    const order = await play(source);
    return [new Uint32Array(order), orderOf(source.map((depth) => -depth))];
  };
  return playFrames(playOnce, dispose);
}
