/** More records than one binding holds: bindings of a device are made short, and so all of them. */

import './software-gpu.js';
import { verifyAll, verifyArgsort } from '@keysweep/conformance';
import {
  DISTRIBUTIONS,
  isThorough,
  Random,
  randomKeys,
  runSeed,
  sample,
  THOROUGH_ONLY,
} from '@keysweep/conformance/data';
import { checkOf, runCheck, type Sort, SPECIAL } from '@keysweep/conformance/gpu';
import { assertSorted, makeRequest, randomPairs } from '@keysweep/conformance/suite';
import { tileOf } from '@keysweep/kernels/wgsl';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { webgpu } from '../src/backend.js';
import { BufferUsage, MapMode } from '../src/device/usage.js';
import { chainedTuning, setTuning, tuningOf } from '../src/sorter/tuning/tuning.js';
import { chained, createTrusted, hybrid } from './chained-devices.js';
import { watchedAdapters } from './watched-adapters.js';
import { sharedWatchedDevice, type WatchedDevice } from './watched-device.js';

const seed = runSeed();

/** Bytes of a binding: more than one workgroup sorts, and little, so that chunks are many. */
const BOUND = 32_768;

/** Records of a chunk, by words of a key or value. */
const maxRecordsOf = (words: 1 | 2): number => BOUND / (4 * words);

interface Type extends Pick<Sort, 'keyType' | 'valueType'> {
  readonly words: 1 | 2;
}

/** Those that all variants are tried with come first. */
const TYPES: readonly Type[] = [
  { keyType: 'f32', valueType: 'index', words: 1 },
  { keyType: 'u64', words: 2 },
  { keyType: 'u32', words: 1 },
  { keyType: 'f32', valueType: 'u32', words: 1 },
  { keyType: 'i32', valueType: 'u64', words: 2 },
  { keyType: 'i64', valueType: 'u64', words: 2 },
  { keyType: 'f64', valueType: 'u32', words: 2 },
];

/** A device without features, whose bindings are short. */
async function portable(): Promise<WatchedDevice> {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  setTuning(device, { ...chainedTuning(device), chained: undefined, maxBound: BOUND });
  return watched;
}

/** Chained scans take a software GPU long: a run draws some sorts of a type. */
const VARIANTS = [
  {
    name: 'portable kernels',
    open: portable,
    types: sample(TYPES, 1, seed),
    lengths: 5,
  },
  {
    name: 'chained scans',
    open: () => chained({ maxBound: BOUND }),
    types: TYPES.slice(0, isThorough ? 4 : 1),
    lengths: isThorough ? 5 : 0,
  },
  {
    name: 'hybrid chained scans',
    open: () => chained({ ...hybrid(true), maxBound: BOUND }),
    types: TYPES.slice(0, isThorough ? 2 : 0),
    lengths: 5,
  },
] as const;

/** All in one bucket of 16 bits, but for a few. */
const ONE_BUCKET: Sort['distribution'] = {
  name: 'one bucket',
  fill: (keys, random) => {
    const words = keys.BYTES_PER_ELEMENT / 4;
    const bits = new Uint32Array(keys.buffer, keys.byteOffset, words * keys.length);
    for (let i = 0; i < bits.length; i++) {
      const isFree = i % words !== words - 1 || random.below(100) === 0;
      bits[i] = isFree ? random.bits() : 0x12340000 + random.below(9);
    }
  },
};

const named = (name: string): (typeof DISTRIBUTIONS)[number] =>
  DISTRIBUTIONS.find((one) => one.name === name) as (typeof DISTRIBUTIONS)[number];

const ORDERED = ['all equal', 'sorted bits', 'reversed bits', 'two values', '16 distinct'].map(
  named,
);

/** Verifies `sort` on a device. */
function verify({ device }: WatchedDevice, sort: Sort): Promise<void> {
  const subject = {
    device,
    create: createTrusted,
    random: new Random(seed + sort.count),
    tile: { 4: tileOf(1), 8: tileOf(2) },
    scratch: { share: 1.4, bytes: 160 * 1024 },
    maxLength: sort.count,
    thorough: false,
  };
  return runCheck(checkOf(sort), subject, seed);
}

const either = <T>(random: Random, ...choices: readonly T[]): T =>
  choices[random.below(choices.length)] as T;

describe.each(VARIANTS.filter(({ types }) => types.length > 0))('chunks by $name', (variant) => {
  const { open, lengths } = variant;
  let watched: WatchedDevice;

  beforeAll(async () => {
    watched = await open();
  });

  afterAll(async () => {
    await watched.assertClean();
    watched.device.destroy();
  });

  for (const { words, ...type } of variant.types) {
    const { keyType, valueType = 'no' } = type;
    const what = `${keyType} keys, ${valueType} values`;
    const most = maxRecordsOf(words);
    const random = new Random(seed);
    const order = (): Sort['order'] => either(random, 'ascending', 'descending');

    it(`${what}: lengths around whole chunks`, async () => {
      const around = [1, 2, 3, 4].flatMap((chunks) =>
        [-65, -64, -63, -1, 0, 1, 63, 64, 65].map((more) => chunks * most + more),
      );
      for (const count of [2 * most + 1, ...sample(around, lengths, seed + most)]) {
        const offset = either(random, 0, 1, 63, 64, 129);
        const behind = random.below(100);
        const sort = { ...type, order: order(), count, offset, behind };
        await verify(watched, { ...sort, distribution: SPECIAL });
      }
    });

    it(`${what}: ties, order and one bucket`, async () => {
      for (const distribution of sample([...ORDERED, ONE_BUCKET], 1 + lengths, seed + 1)) {
        const count = most + 1 + random.below(4 * most);
        await verify(watched, { ...type, order: order(), count, distribution });
      }
    });

    it(`${what}: bits that decide, and counts in a buffer`, async () => {
      const maxCount = 2 * most + 1 + random.below(most);
      const bits = keyType.endsWith('64') ? 64 : 32;
      const keyBits = { begin: bits - 20, end: bits - 3 };
      const sort = { ...type, order: order(), maxCount, distribution: SPECIAL } as const;
      await verify(watched, { ...sort, count: maxCount, offset: 7, keyBits });
      const values = [0, 1, 2, most - 7, most + 1, 2 * most, maxCount, maxCount + 5];
      for (const value of sample(values, 1 + lengths, seed + 2)) {
        const count = Math.min(value, maxCount);
        const behind = maxCount - count;
        await verify(watched, { ...sort, count, counted: { value, at: 260 }, offset: 71, behind });
      }
    });
  }
});

describe('a device of short bindings', () => {
  let watched: WatchedDevice;

  beforeAll(async () => {
    watched = await portable();
  });

  afterAll(async () => {
    await watched.assertClean();
    watched.device.destroy();
  });

  it('sorts in an exact order in chunks, though it may be approximate', async () => {
    const { device } = watched;
    const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;
    const count = maxRecordsOf(1) + 1;
    // Closer to each other than codes of 24 bits tell apart.
    const keys = Float32Array.from({ length: count }, (_, i) => (i % 2) + (i % 99) * 2 ** -30);
    const size = keys.byteLength;
    const sorter = await createTrusted(device, {
      ...{ keyType: 'f32', approximate: true, maxCount: count },
    });
    const buffer = device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
    const read = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
    device.queue.writeBuffer(buffer, 0, keys);
    const encoder = device.createCommandEncoder();
    sorter.encode(encoder, { keys: buffer, count });
    encoder.copyBufferToBuffer(buffer, 0, read, 0, size);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(MapMode.READ);
    expect(new Float32Array(read.getMappedRange())).toEqual(keys.sort());
    for (const made of [sorter, buffer, read]) made.destroy();
  });

  it('says how many records it can sort, and why no more', async () => {
    const { device } = watched;
    const create = (maxCount: number): Promise<unknown> =>
      createTrusted(device, { keyType: 'u64', maxCount });
    const refused = (maxCount: number, most: number, why: string): Promise<void> =>
      expect(create(maxCount)).rejects.toThrow(
        `maxCount ${maxCount} is over the ${most} records of this kind that this device sorts: ` +
          `${why}. Request a larger maxBufferSize and maxStorageBufferBindingSize, where `,
      );
    const inBindings = 63 * maxRecordsOf(2) - 64;
    const bindings = `more are over 63 bindings of ${maxRecordsOf(2)} records`;
    await refused(inBindings + 1, inBindings, bindings);
    const { maxBufferSize } = device.limits;
    const inBuffer = maxBufferSize / 8;
    await refused(inBuffer + 1, inBindings, bindings);
    setTuning(device, { ...tuningOf(device), maxBound: undefined });
    const buffer = `scratch for more is over the ${maxBufferSize} bytes of its largest buffer`;
    await refused(inBuffer + 1, inBuffer, buffer);
    setTuning(device, { ...tuningOf(device), maxBound: BOUND });
  });

  it('sorts as many as 63 bindings hold', async ({ skip }) => {
    skip(!isThorough, THOROUGH_ONLY);
    const count = 63 * maxRecordsOf(1) - 64;
    const sort = { keyType: 'u32', order: 'ascending', distribution: SPECIAL } as const;
    await verify(watched, { ...sort, count, offset: 63 });
  });
});

describe('a backend on a device of short bindings', () => {
  const adapters = watchedAdapters(({ device }) => {
    setTuning(device, { ...chainedTuning(device), chained: undefined, maxBound: BOUND });
  });
  const backend = webgpu({ requestAdapter: adapters.requestAdapter });
  const random = testRandom();

  afterAll(async () => {
    await backend.close();
    await adapters.assertClean();
  });

  it('sorts keys, pairs and indices in one go that are more than one binding holds', async () => {
    const keys = randomKeys(2 * maxRecordsOf(1) + random.below(9000), random);
    const order = either(random, 'ascending', 'descending');
    await verifyAll(backend, keys, [keys.slice()], { order });
    const onProgress = vi.fn();
    const pairs = randomPairs(3 * maxRecordsOf(1), random);
    await backend.sort(
      makeRequest('sortPairs', [pairs.keys], { values: pairs.values, onProgress }),
    );
    assertSorted('pairs', pairs);
    expect(onProgress.mock.calls.filter(([{ phase }]) => phase === 'upload').length).toBe(1);
  });

  it('sorts columns and segments in parts', async () => {
    const length = maxRecordsOf(1) + 1000;
    const columns = [1, 2].map(() => Uint32Array.from({ length }, () => random.below(50)));
    await verifyArgsort(backend, columns);
    const segments = Uint32Array.of(0, 100, maxRecordsOf(2), maxRecordsOf(1), maxRecordsOf(1) + 1);
    await verifyArgsort(backend, columns.slice(1), { segments });
    // Each fits a workgroup, and all of them one binding.
    const some = randomKeys(maxRecordsOf(2), random);
    await verifyAll(backend, some, [], { segments: Uint32Array.of(0, 2000, 4000) });
  });
});
