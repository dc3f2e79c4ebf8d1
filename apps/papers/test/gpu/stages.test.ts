/**
 * Every dispatch of every paper's sort, against the twin of its kernel on the same buffers: a wrong
 * kernel is found by its stage.
 */

import '../../../../packages/webgpu/test/software-gpu.js';
import { isThorough, runSeed } from '@keysweep/conformance/data';
import { ALGORITHMS, type Algorithm, CONSTANTS, PaperSorter } from '@keysweep/papers';
import { memoryOf, runTwin } from '@keysweep/papers/twins';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BufferUsage, MapMode } from '../../../../packages/webgpu/src/device/usage.js';
import {
  sharedWatchedDevice,
  type WatchedDevice,
} from '../../../../packages/webgpu/test/watched-device.js';
import { testRandom } from '../../../../tools/test/random.js';

const seed = runSeed();
const random = testRandom();
const { COPY_DST, COPY_SRC, MAP_READ, STORAGE } = BufferUsage;

let watched: WatchedDevice;

beforeAll(async () => {
  watched = await sharedWatchedDevice();
});

afterAll(async () => {
  await watched.assertClean();
  watched.device.destroy();
});

function bufferWith(words: Uint32Array<ArrayBuffer>): GPUBuffer {
  const usage = STORAGE | COPY_SRC | COPY_DST;
  const buffer = watched.device.createBuffer({ size: words.byteLength, usage });
  watched.device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

/** Runs dispatch after dispatch, and compares all buffers with the twin's after each. */
async function compare(algorithm: Algorithm, keys: Uint32Array<ArrayBuffer>, hasValues: boolean) {
  const { device } = watched;
  const values = Uint32Array.from(keys, (_, i) => i ^ 0xa55a5aa5);
  const args = { keys: bufferWith(keys), ...(hasValues && { values: bufferWith(values) }) };
  const sorter = PaperSorter.create(device, algorithm, { count: keys.length, hasValues });
  const { dispatches } = sorter.plan;
  const expected = memoryOf(sorter.plan, keys, hasValues ? values : undefined);
  for (const [i, dispatch] of dispatches.entries()) {
    const { kernel, entryPoint, buffers } = dispatch;
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    sorter.encodeDispatch(pass, i, args);
    pass.end();
    const read = Object.entries(buffers).map(([variable, name]) => {
      const words = expected.get(name) as Uint32Array;
      const size = words.byteLength;
      const staging = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
      encoder.copyBufferToBuffer(sorter.bufferOf(name, args), 0, staging, 0, size);
      return { variable, name, words, staging };
    });
    device.queue.submit([encoder.finish()]);
    runTwin(dispatch, expected, CONSTANTS);
    for (const { variable, name, words, staging } of read) {
      await staging.mapAsync(MapMode.READ);
      const actual = new Uint32Array(staging.getMappedRange());
      const wrong = words.findIndex((word, at) => word !== actual[at]);
      const where = `${kernel}, ${entryPoint}, dispatch ${i}: ${variable} (${name})`;
      expect([where, wrong, actual[wrong], seed]).toEqual([where, -1, undefined, seed]);
      staging.destroy();
    }
  }
  sorter.destroy();
  args.keys.destroy();
  args.values?.destroy();
  const { result } = sorter.plan;
  expect(expected.get(result.keys)?.slice(0, keys.length)).toEqual(keys.slice().sort());
}

/** Random keys; of few values; and those whose highest digits alone differ. */
const MAKERS: readonly (() => number)[] = [
  () => random.bits(),
  () => random.below(5),
  () => (random.bits() & 0xf0000000) >>> 0,
];

/** Some of each. */
const mixed = (): number => (MAKERS[random.below(MAKERS.length)] as () => number)();

describe.each(ALGORITHMS)('$name', (algorithm) => {
  it('does at every dispatch what its twin does', async () => {
    const { isForPairs = false, isStable, maxLength } = algorithm;
    const isSlow = algorithm.name === 'odd-even-transposition';
    const most = Math.min(maxLength, isSlow ? 300 : 5000);
    for (const make of isThorough ? [...MAKERS, mixed] : [mixed]) {
      const keys = Uint32Array.from({ length: most - random.below(most / 4) }, make);
      await compare(algorithm, keys, isStable);
      if (isThorough && isStable && !isForPairs) await compare(algorithm, keys, false);
    }
  });
});
