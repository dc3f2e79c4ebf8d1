/** The trial of the kernels for segments: wrong ones never serve, right ones without a word. */

import './software-gpu.js';
import { runSeed, sample } from '@keysweep/conformance/data';
import type { SortWarning } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { BufferUsage, MapMode } from '../src/device/usage.js';
import type { RadixSorterOptions } from '../src/sorter/arguments/options.js';
import { RadixSorter } from '../src/sorter/radix-sorter.js';
import { tuningOf } from '../src/sorter/tuning/tuning.js';
import { chained, withMiddle } from './chained-devices.js';
import { spoil } from './spoil.js';
import type { WatchedDevice } from './watched-device.js';

const seed = runSeed();
const random = testRandom();

const MAX_COUNT = 9000;
const KEYS = { keyType: 'u32', maxCount: MAX_COUNT, maxSegments: 400 } as const;
const PAIRS = { ...KEYS, valueType: 'u32' } as const;

const RANK = 'let place_1 = first_1 + below_1;';
const UNSTABLE_RANK = 'let place_1 = rank_1 + atomicLoad(&pool[digit_1]);';

/** Mistakes, each in a kernel of its own. */
const WRONG: readonly (readonly [
  kernel: string,
  options: RadixSorterOptions,
  change: readonly [part: string, by: string],
])[] = [
  ['findWindows', PAIRS, ['longest = max(longest, next - at);', 'longest = next - at;']],
  ['evenSort', KEYS, ['pool[ownAt + 0u] = item_0;', 'pool[ownAt + 0u] = item_1;']],
  ['evenSort', PAIRS, ['pool[ownAt + 1u] = moved_1;', 'pool[ownAt + 1u] = moved_0;']],
  ['shortSort', KEYS, ['let sorted_1 = wordIn(item_1);', 'let sorted_1 = wordIn(item_0);']],
  [
    'shortSort',
    PAIRS,
    ['let segment_1 = latest + countOneBits(begun & (~0u >> (31u - 1u)));', 'let segment_1 = 0u;'],
  ],
  ['evenSingles', KEYS, ['pool[ownAt + 0u] = item_0;', 'pool[ownAt + 0u] = item_1;']],
  ['fewerSort', PAIRS, [RANK, 'let place_1 = first_1;']],
  ['middleSort', KEYS, [RANK, 'let place_1 = first_1 + population(peers_1) - 1u;']],
  ['countLong', KEYS, ['if (count > 0u) {', 'if (count > 1u) {']],
  ['longFirstSweep', KEYS, [UNSTABLE_RANK, 'let place_1 = rank_1;']],
  ['longSweep', PAIRS, [RANK, 'let place_1 = first_1 + population(peers_1) - 1u - below_1;']],
  ['shortSort', PAIRS, ['let segment_1 = latest', 'let segment_1 = nothing']],
];

/** What is wrong with a sort of segments of every kind by `sorter`; undefined if nothing is. */
async function faultOf(
  { device }: WatchedDevice,
  sorter: RadixSorter,
  { valueType }: RadixSorterOptions,
): Promise<string | undefined> {
  const lengths = [3, 0, 700, 17, 1, 2500, 40, 5000, ...Array(30).fill(9)];
  const places = [0];
  for (const length of lengths) places.push((places.at(-1) as number) + length);
  const count = places.at(-1) as number;
  // Few keys, so that there are ties.
  const words = Uint32Array.from({ length: count }, () => random.below(300) * 0x01000193);
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;
  const bufferOf = (content: Uint32Array<ArrayBuffer>): GPUBuffer => {
    const usage = STORAGE | COPY_SRC | COPY_DST;
    const buffer = device.createBuffer({ size: content.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, content);
    return buffer;
  };
  const keys = bufferOf(words);
  const values = valueType && bufferOf(Uint32Array.from({ length: count }, (_, i) => i));
  const buffer = bufferOf(Uint32Array.from(places));
  const readback = device.createBuffer({ size: 8 * count, usage: MAP_READ | COPY_DST });
  const encoder = device.createCommandEncoder();
  sorter.encode(encoder, { keys, values, segments: { buffer, count: lengths.length } });
  encoder.copyBufferToBuffer(keys, 0, readback, 0, 4 * count);
  if (values) encoder.copyBufferToBuffer(values, 0, readback, 4 * count, 4 * count);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(MapMode.READ);
  const found = new Uint32Array(readback.getMappedRange().slice(0));
  for (const made of [keys, values, buffer, readback]) made?.destroy();
  for (const [i, end] of places.slice(1).entries()) {
    const start = places[i] as number;
    const order = Array.from({ length: end - start }, (_, at) => start + at).sort(
      (a, b) => (words[a] as number) - (words[b] as number) || a - b,
    );
    for (const [at, row] of order.entries()) {
      const place = start + at;
      const isRight =
        found[place] === words[row] && (values === undefined || found[count + place] === row);
      if (!isRight) return `record ${at} of segment ${i}, seed ${seed}`;
    }
  }
  return undefined;
}

describe('a device whose kernels for segments are wrong', () => {
  it.each(sample(WRONG, 1, seed))(
    'sorts them by portable ones, and says so once: %s',
    async (kernel, options, change) => {
      const watched = await chained();
      const { device } = watched;
      withMiddle(device);
      spoil(device, change, kernel);
      const warnings: SortWarning[] = [];
      const onWarning = (warning: SortWarning): unknown => warnings.push(warning);
      const made = await Promise.all([
        RadixSorter.create(device, { ...options, onWarning }),
        RadixSorter.create(device, { ...options, onWarning }),
      ]);
      expect(warnings.map(({ code }) => code)).toEqual(['gpu-not-trusted']);
      expect(warnings[0]?.message).toMatch(/segments/);
      expect(warnings[0]?.cause).toBeInstanceOf(Error);
      // Whole arrays are sorted by other kernels, which were right.
      expect(tuningOf(device).chained).toBeDefined();
      for (const sorter of made) {
        expect(await faultOf(watched, sorter, options)).toBeUndefined();
        sorter.destroy();
      }
      await watched.assertClean();
      device.destroy();
    },
  );
});

it('right kernels for segments are tried once for each kind, without a warning', async () => {
  const watched = await chained();
  const { device, calls } = watched;
  const onWarning = ({ message }: SortWarning): never => {
    throw new Error(message);
  };
  /** The pieces of work that making a sorter submits. */
  const submits = async (options: RadixSorterOptions): Promise<number> => {
    const before = calls.submit;
    const sorter = await RadixSorter.create(device, { ...options, onWarning });
    const made = calls.submit - before;
    expect(await faultOf(watched, sorter, options)).toBeUndefined();
    sorter.destroy();
    return made;
  };
  const { maxSegments: _, ...whole } = PAIRS;
  (await RadixSorter.create(device, { ...whole, onWarning })).destroy();
  expect(await submits(PAIRS), 'segments').toBe(1);
  expect(await submits({ ...PAIRS, maxCount: MAX_COUNT - 1 }), 'segments again').toBe(0);
  expect(await submits({ ...PAIRS, label: 'rows' }), 'a label').toBe(0);
  await watched.assertClean();
  device.destroy();
});
