/** Checks of chained scans: waiting for other tiles, shapes, and lanes of wide subgroups. */

import {
  classOf,
  distributionsFor,
  isThorough,
  NOT_DRAWN,
  Random,
  runSeed,
  sample,
} from '@keysweep/conformance/data';
import { checkOf, type GpuSubject, runCheck, SPECIAL } from '@keysweep/conformance/gpu';
import {
  CONSTANTS,
  constantsFor,
  KERNELS,
  LAYOUTS,
  maxPassesOf,
  maxSampled,
  shader,
  tileOf,
} from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { fewer } from '../../../tools/test/draw-tests.js';
import { storageOf } from '../../../tools/test/workgroup-storage.js';
import { BufferUsage, MapMode } from '../src/device/usage.js';
import { fitBatch, fitShape } from '../src/sorter/tuning/fit-shapes.js';
import type { Shape, Tuning } from '../src/sorter/tuning/tuning.js';
import {
  BY_SAMPLING,
  chain,
  chained,
  createTrusted,
  hybrid,
  mapped,
  SOFTWARE_SAMPLING,
} from './chained-devices.js';
import { expectedLaneSets, laneSets } from './chained-lanes.js';
import { fault } from './fault.js';
import { countedPlaces, strideOf } from './twins/hybrid/bucket-rooms.js';
import type { WatchedDevice } from './watched-device.js';

const seed = runSeed();

/** Tiles whose counts come late or never: the sort has to be right all the same. */
const WAITS: readonly { readonly name: string; readonly changes: Partial<Tuning> }[] = [
  { name: 'no tile waits: every tile before is counted again', changes: { lookLimit: 0 } },
  { name: 'the first tile never publishes its counts', changes: { lookLimit: 8, stalledTile: 0 } },
  {
    name: 'a tile in the middle never publishes its counts',
    changes: { lookLimit: 8, stalledTile: 3 },
  },
];

/** Keys whose words are not their bits, or two words; in floats there are NaNs and zeros. */
const RECOUNTED = (['f32', 'i32', 'u64', 'i64', 'f64'] as const).flatMap((keyType) =>
  (['ascending', 'descending'] as const).map((order) => ({
    keyType,
    valueType: 'u32' as const,
    order,
  })),
);

/** Other ways to meet the same subgroups. */
const SUBGROUPS: readonly (readonly [string, Partial<Shape>])[] = [
  ['pinned to the size that the device has anyway', { needsSizeControl: true }],
  ['that number themselves', { hasSubgroupId: false }],
];

/** How a sort may be hybrid: whether each is, and whether by a map or by counts. */
const KINDS: readonly (readonly [name: string, isForced: boolean, isMapped: boolean])[] = [
  ['as the sample says', false, true],
  ['as the counts say', false, false],
  ['whatever the sample says', true, true],
  ['whatever the counts say', true, false],
];

/** Each kind compiles for seconds: a quick run draws one, for one of two tests. */
const TRIALS = KINDS.flatMap((kind) => [0, 1].map((test) => ({ test, kind })));
const trials = sample(TRIALS, 1, seed);
const drawn = (own: number): typeof KINDS =>
  trials.filter(({ test }) => test === own).map(({ kind }) => kind);

/** Where keys whose buckets spill are sorted, which compiles for seconds, too. */
const SPILLING = ['by chained scans', 'without subgroups'] as const;
const spilling = fewer([...SPILLING, undefined, undefined], 1, seed + 1);

/** Keys of a sample. */
const SAMPLED = CONSTANTS.SAMPLE_GROUPS * CONSTANTS.SAMPLES;

/** Records of every width. */
const TYPES = (['u32', 'i32', 'f32', 'u64', 'i64', 'f64'] as const).flatMap((keyType) =>
  ([undefined, 'u32', 'u64'] as const).map((valueType) => ({ keyType, valueType })),
);

/** What is checked of the sorts of a device. */
const subjectOf = ({ device }: WatchedDevice, random: Random, maxLength: number): GpuSubject => ({
  device,
  create: createTrusted,
  random,
  tile: { 4: tileOf(1), 8: tileOf(2) },
  scratch: { share: 1.4, bytes: 160 * 1024 },
  maxLength,
  thorough: false,
});

/** Where a plan of 32-bit keys has the number of heavy values, in words. */
const HEAVY_COUNT_AT = (LAYOUTS.Plan.size + maxPassesOf(1) * LAYOUTS.Pass.scale) / 4;

/** What a sorter makes of `keys`, by how many passes, and how many values were heavy. */
async function sortedBy(
  { device }: WatchedDevice,
  keys: Uint32Array<ArrayBuffer>,
): Promise<{ readonly keys: Uint32Array; readonly passesRun: number; readonly heavy: number }> {
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;
  const sorter = await createTrusted(device, { keyType: 'u32', maxCount: keys.length });
  const buffer = device.createBuffer({
    size: keys.byteLength,
    usage: STORAGE | COPY_SRC | COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, keys);
  const encoder = device.createCommandEncoder();
  sorter.encode(encoder, { keys: buffer, count: keys.length });
  const found = [buffer, sorter.plan as GPUBuffer].map((source) => {
    const read = device.createBuffer({ size: source.size, usage: COPY_DST | MAP_READ });
    encoder.copyBufferToBuffer(source, 0, read, 0, source.size);
    return read;
  });
  device.queue.submit([encoder.finish()]);
  const [sorted, plan] = await Promise.all(
    found.map(async (read) => {
      await read.mapAsync(MapMode.READ);
      const words = new Uint32Array(read.getMappedRange().slice(0));
      read.destroy();
      return words;
    }),
  );
  buffer.destroy();
  sorter.destroy();
  const [passesRun = 0, heavy = 0] = [LAYOUTS.Plan.passesRun / 4, HEAVY_COUNT_AT].map(
    (at) => (plan as Uint32Array)[at],
  );
  return { keys: sorted as Uint32Array, passesRun, heavy };
}

/** A device whose tiles are so long that there is a spilled key's room for most keys only. */
async function longTiles(): Promise<WatchedDevice> {
  const watched = await chained(hybrid(true));
  const { chained: shapes } = chain(watched.device, hybrid(true));
  if (shapes === undefined) throw new Error('no shapes');
  const many = { ...shapes[1].many, keys: 7 };
  chain(watched.device, { ...hybrid(true), chained: { ...shapes, 1: { ...shapes[1], many } } });
  return watched;
}

/** Declares the checks. */
export function describeChained(where: string): void {
  describe(`a chained scan ${where}`, () => {
    it.each(WAITS)('is right where $name', async ({ changes }) => {
      const watched = await chained(changes);
      const tuning = chain(watched.device, changes);
      const random = new Random(seed);
      const { few, middle, many } = tuning.chained?.[1] ?? {};
      const shapes = [
        { shape: few, most: tileOf(1) },
        { shape: middle, most: tuning.maxFew },
        { shape: many, most: tuning.maxMiddle },
      ];
      for (const { shape, most } of sample(shapes, 1, seed)) {
        const tile = (shape?.threads ?? 0) * (shape?.keys ?? 0);
        // More than one workgroup sorts.
        const length = most + 6 * tile + random.below(tile);
        expect(await fault(watched, random, length, 32)).toBeUndefined();
        expect(await fault(watched, random, length, 3)).toBeUndefined();
      }
      await watched.assertClean();
      watched.device.destroy();
    });

    it.each(drawn(0))('is right where it may be hybrid, %s', async (_, isForced, isMapped) => {
      const watched = await chained(hybrid(isForced, isMapped));
      const random = new Random(seed);
      // All keys are different; or equal in most bits, so that batches are long or cells crowded.
      for (const bits of [32, ...sample([1, 9, 17, 25], 2, seed)]) {
        // So many that all keys of a sample are different ones.
        const least = isMapped && !isForced && bits === 32 ? SAMPLED : tileOf(1) + 1;
        const length = least + random.below(12_000);
        expect(await fault(watched, random, length, bits)).toBeUndefined();
      }
      await watched.assertClean();
      watched.device.destroy();
    });

    it.each(drawn(1))('sorts any records where it may be hybrid, %s', async (_, ...kind) => {
      const watched = await chained(hybrid(...kind));
      const random = new Random(seed);
      const subject = subjectOf(watched, random, 3 * tileOf(1));
      for (const type of sample(TYPES, 1, random.below(2 ** 32))) {
        const distributions = [...distributionsFor(classOf(type.keyType)), SPECIAL];
        for (const distribution of sample(distributions, 4, random.below(2 ** 32))) {
          const order = random.below(2) === 0 ? 'ascending' : 'descending';
          const count = tileOf(1) + 1 + random.below(2 * tileOf(1) - 9);
          const sort = { ...type, order, count, offset: 5, behind: 3, distribution } as const;
          await runCheck(checkOf(sort), subject, seed);
        }
      }
      await watched.assertClean();
      watched.device.destroy();
    });

    it.for(SPILLING)(
      'sorts keys whose buckets spill some, too many, or none, %s',
      async (where, { skip }) => {
        skip(!spilling.includes(where), NOT_DRAWN);
        const watched = where === 'by chained scans' ? await longTiles() : await mapped(true);
        const random = new Random(seed);
        const count = 260_000 + random.below(1000);
        const some = Uint32Array.from({ length: count }, () => random.bits());
        // Buckets get room by these keys alone: one of 32 buckets gets half of what it needs.
        const counted = countedPlaces(count, strideOf(count, 256), 1);
        for (const [i, at] of counted.entries()) {
          const isHalf = i % 32 === 0 && (i >> 8) % 2 === 1;
          some[at] = ((((i & 255) + (isHalf ? 1 : 0)) << 24) | (random.bits() >>> 8)) >>> 0;
        }
        // They say that all keys are in one.
        const misled = some.slice();
        for (const at of counted) misled[at] = 5;
        const sorted = some.slice().sort();
        expect(await sortedBy(watched, some)).toMatchObject({ keys: sorted, passesRun: 2 });
        const given = await sortedBy(watched, misled);
        expect(given).toMatchObject({ keys: misled.slice().sort(), passesRun: 4 });
        expect(await sortedBy(watched, sorted)).toMatchObject({ keys: sorted, passesRun: 0 });
        await watched.assertClean();
        watched.device.destroy();
      },
    );

    it('leaves copies of heavy values out of the sweeps, and writes them at the end', async () => {
      const watched = await chained(hybrid(false));
      const random = new Random(seed);
      const count = 9000 + random.below(999);
      // Bits in which keys differ: of four digits, of three, and of one, the highest.
      for (const mask of [~0, 0xffffff, 0xff000000]) {
        const word = (): number => (random.bits() & mask) >>> 0;
        // The least word and the greatest are among the values that most keys have.
        const values = [0, mask >>> 0, ...Array.from({ length: 8 + random.below(200) }, word)];
        const isAny = mask === ~0 ? 3 : 20;
        const keys = Uint32Array.from({ length: count }, () =>
          random.below(isAny) === 0 ? word() : (values[random.below(values.length)] as number),
        );
        const found = await sortedBy(watched, keys);
        expect(found.heavy, `of ${values.length} values, seed ${seed}`).toBeGreaterThan(4);
        expect(found.keys).toEqual(keys.slice().sort());
      }
      await watched.assertClean();
      watched.device.destroy();
    });

    it.each(sample(TYPES, 1, seed + 2))(
      'sorts some thousand records by regular sampling: $keyType, $valueType',
      async (type) => {
        const watched = await chained(BY_SAMPLING);
        const random = new Random(seed);
        const most = maxSampled(SOFTWARE_SAMPLING);
        const subject = subjectOf(watched, random, most);
        const distributions = [...distributionsFor(classOf(type.keyType)), SPECIAL];
        for (const distribution of sample(distributions, 4, seed)) {
          const order = random.below(2) === 0 ? 'ascending' : 'descending';
          const count = most - random.below(most - tileOf(1) - 9);
          const sort = { ...type, order, count, offset: 5, behind: 3, distribution } as const;
          await runCheck(checkOf(sort), subject, seed);
        }
        await watched.assertClean();
        watched.device.destroy();
      },
    );

    it.each(sample(RECOUNTED, 1, seed))('counts tiles of $keyType keys again', async (type) => {
      // Of 64-bit keys, too, whole tiles of the shape for many.
      const watched = await chained({ lookLimit: 0, maxFew: 0, maxMiddle: 0 });
      const count = 4 * tileOf(1) + new Random(seed).below(1000);
      const check = checkOf({ ...type, count, offset: 5, behind: 3, distribution: SPECIAL });
      await runCheck(check, subjectOf(watched, new Random(seed), count), seed);
      await watched.assertClean();
      watched.device.destroy();
    });

    it.each(sample(SUBGROUPS, 1, seed))('is right in subgroups %s', async (_, changes) => {
      const watched = await chained();
      const { chained: shapes } = chain(watched.device);
      if (shapes === undefined) throw new Error('no shapes');
      const few = { ...shapes[1].few, ...changes };
      const one = { ...shapes[1].one, ...changes };
      chain(watched.device, { chained: { ...shapes, 1: { one, few, middle: few, many: few } } });
      for (const length of [one.threads * one.keys - 9, tileOf(1) + 5 * few.threads * few.keys]) {
        expect(await fault(watched, new Random(seed), length, 32)).toBeUndefined();
      }
      await watched.assertClean();
      watched.device.destroy();
    });

    it('is right for many random lengths, one after the other', async () => {
      const watched = await chained();
      const random = new Random(seed);
      for (let i = 0; i < (isThorough ? 60 : 20); i++) {
        const length = 1 + random.below(2 ** (1 + random.below(14)));
        expect(await fault(watched, random, length, 1 + random.below(32))).toBeUndefined();
      }
      await watched.assertClean();
      watched.device.destroy();
    });

    it.each([64, 128])('counts lanes in subgroups of %i', async (subgroup) => {
      const watched = await chained();
      expect(await laneSets(watched, subgroup)).toEqual(expectedLaneSets(subgroup));
      await watched.assertClean();
      watched.device.destroy();
    });
  });
}

describe('the shape of a chained scan', () => {
  const AIM = { threads: 512, keys: 23, groups: 264 };

  it.each([4, 8, 16, 32, 64, 128])('fits devices with subgroups of %i', (subgroup) => {
    for (const storage of [16_384, 32_768, 49_152, 65_536]) {
      for (const invocations of [128, 256, 512, 1024]) {
        const what = `${storage} bytes, ${invocations} invocations`;
        const shape = fitShape(AIM, {
          subgroup,
          needsSizeControl: false,
          hasSubgroupId: true,
          invocations,
          storage,
        });
        if (shape === undefined) {
          // Less than one subgroup, or a row of counters for each, is not to be had.
          expect(subgroup, what).toBe(128);
          continue;
        }
        const { threads, keys } = shape;
        const rows = threads / subgroup;
        expect(Number.isInteger(rows), what).toBe(true);
        expect(threads, what).toBeLessThanOrEqual(invocations);
        expect(threads >= 256 ? threads % 256 : 256 % threads, what).toBe(0);
        const words = Math.max(threads * keys, 256 * rows) + 256 + rows + 8;
        expect(4 * words, what).toBeLessThanOrEqual(storage);
        expect(keys, what).toBeGreaterThan(0);
      }
    }
  });

  it.each([0, 8, 32, 64])('leaves room for the tables of splits, subgroups of %i', (subgroup) => {
    const kernels = ['splitBuckets', 'splitBins', 'batchSort'] as const;
    for (const storage of [16_384, 32_768]) {
      const limits = { invocations: 256, storage };
      const budget = { subgroup, needsSizeControl: false, hasSubgroupId: true, ...limits };
      const shape = fitShape(AIM, budget) as Shape;
      for (const keyWords of [1, 2] as const) {
        const widths = { keyWords, valueWords: 0, approximate: false } as const;
        const target = { threads: 256, keys: 19, isMapped: true, least: 1, most: 1 };
        const waits = { lookLimit: 1, stalledTile: undefined, hasNanTies: false };
        const chained = { ...shape, ...waits, batch: fitBatch(target, keyWords, budget) };
        for (const kernel of kernels) {
          const constants = constantsFor({ ...widths, chained }, kernel);
          const bytes = storageOf(shader(KERNELS[kernel].file, constants));
          const what = `${kernel}, ${keyWords} words a key`;
          expect(bytes, what).toBeLessThanOrEqual(storage);
          expect(bytes, what).toBeGreaterThan(2048);
        }
      }
    }
  });
});
