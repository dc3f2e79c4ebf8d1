/** Checks of the order: every type, length, distribution, and range of key bits. */

import type { KeyBits } from '@keysweep/core';
import type { Check } from '../check.js';
import type { Distribution } from '../data/distributions.js';
import type { Bench } from './bench.js';
import {
  digitDistributionsOf,
  distributionsOf,
  lengthsFor,
  ORDERS,
  SPECIAL,
  verifySort,
} from './sorts.js';
import {
  describeType,
  GPU_KEY_TYPES,
  GPU_VALUE_TYPES,
  type GpuKeyType,
  keyBytes,
  type RecordType,
} from './subject.js';

export const RECORD_TYPES: readonly RecordType[] = GPU_KEY_TYPES.flatMap((keyType) =>
  GPU_VALUE_TYPES.map((valueType) => ({ keyType, valueType })),
);

const byLength = (type: RecordType): Check<Bench> => ({
  name: `${describeType(type)}: every length`,
  async run(bench) {
    const { random } = bench.subject;
    const { small, large } = lengthsFor(bench, type);
    const [least = 0, ...others] = large;
    for (const count of [...small, least, ...bench.some(others, 1)]) {
      for (const order of bench.some(ORDERS, 1)) {
        const maxCount = count + bench.any([0, 1, random.below(3 * least)]);
        const [offset, behind] = [random.below(3), random.below(3)];
        const distribution = SPECIAL;
        await verifySort(bench, { ...type, order, count, maxCount, offset, behind, distribution });
      }
    }
  },
});

const byDistribution = (keyType: GpuKeyType): Check<Bench> => ({
  name: `${keyType} keys: every distribution, both orders`,
  async run(bench) {
    const { random, tile } = bench.subject;
    const sort = async (distribution: Distribution, count: number): Promise<void> => {
      for (const order of bench.some(ORDERS, 1)) {
        const valueType = bench.any(GPU_VALUE_TYPES);
        await verifySort(bench, { keyType, valueType, order, count, distribution });
      }
    };
    const own = tile[keyBytes(keyType)];
    const distributions = distributionsOf({ keyType });
    for (const distribution of distributions) await sort(distribution, 20 + random.below(600));
    for (const distribution of [
      ...bench.some(distributions, 3),
      ...digitDistributionsOf({ keyType }),
    ]) {
      await sort(distribution, own + 1 + random.below(2 * own));
    }
  },
});

/**
 * Lengths that show what few keys can't: many blocks, several tiles a block, surveys of several
 * chunks.
 */
const LONG_LENGTHS = [100_003, 2 ** 20 + 17, 2 ** 22 + 1, 2 ** 24 + 3];

const longCheck: Check<Bench> = {
  name: 'long arrays',
  async run(bench) {
    // Whatever the width of the records, a device must be able to bind as many.
    const { maxStorageBufferBindingSize, maxBufferSize } = bench.device.limits;
    const most = Math.min(
      bench.subject.maxLength,
      maxStorageBufferBindingSize / 8,
      maxBufferSize / 8,
    );
    for (const count of LONG_LENGTHS.filter((length) => length <= most)) {
      for (const type of bench.some(count < 2 ** 22 ? RECORD_TYPES : LONG_TYPES, 1)) {
        const distribution = bench.any(distributionsOf(type));
        for (const order of bench.some(ORDERS, 1)) {
          await verifySort(bench, { ...type, order, count, distribution: SPECIAL });
          if (!bench.subject.thorough) continue;
          await verifySort(bench, { ...type, order, count, distribution });
        }
      }
    }
  },
};

const manyBlocksCheck: Check<Bench> = {
  name: 'a long array of few values',
  async run(bench) {
    // One digit varies: even a slow device has time for it.
    const distribution: Distribution = {
      name: 'few values',
      fill: (keys, random) => {
        for (let i = 0; i < keys.length; i++) keys[i] = random.below(200);
      },
    };
    const sort = { keyType: 'u32', valueType: 'u32', count: 900_001, distribution } as const;
    await verifySort(bench, { ...sort, order: bench.any(ORDERS) });
  },
};

/** One of every width at least. */
const LONG_TYPES: readonly RecordType[] = [
  { keyType: 'u32' },
  { keyType: 'f32', valueType: 'u32' },
  { keyType: 'i32', valueType: 'u64' },
  { keyType: 'i64' },
  { keyType: 'f64', valueType: 'u32' },
  { keyType: 'u64', valueType: 'u64' },
];

function keyBitsFor(bits: number, bench: Bench): readonly KeyBits[] {
  const { random } = bench.subject;
  const begin = random.below(bits);
  const ranges = [
    [0, bits],
    [0, 0],
    [bits, bits],
    [0, 1],
    [5, 6],
    [bits - 1, bits],
    [3, 13],
    [8, 24],
    [1, bits],
    [begin, begin + random.below(bits - begin + 1)],
  ];
  // On either side of the border between two words, and across it.
  const border = [
    [31, 32],
    [32, 33],
    [31, 33],
    [24, 40],
    [20, 52],
    [0, 32],
    [32, 64],
  ];
  return [...ranges, ...(bits === 64 ? border : [])].map(
    ([first = 0, end = 0]): KeyBits => ({ begin: first, end }),
  );
}

const keyBitsOf = (keyType: GpuKeyType): Check<Bench> => ({
  name: `key bits of ${keyType} keys: only they decide, ties keep their order`,
  async run(bench) {
    const { random, tile } = bench.subject;
    const [bits, own] = [8 * keyBytes(keyType), tile[keyBytes(keyType)]];
    const sort = async (
      keyBits: KeyBits,
      count: number,
      distribution: Distribution,
    ): Promise<void> => {
      for (const order of bench.some(ORDERS, 1)) {
        for (const valueType of bench.some(GPU_VALUE_TYPES, 1)) {
          await verifySort(bench, { keyType, valueType, order, keyBits, count, distribution });
        }
      }
    };
    const ranges = keyBitsFor(bits, bench);
    for (const keyBits of ranges) await sort(keyBits, 20 + random.below(600), SPECIAL);
    for (const keyBits of bench.some(ranges, 5)) {
      await sort(keyBits, own + 1 + random.below(2 * own), SPECIAL);
    }
    // All bits but one: nothing that is left out may decide.
    for (const distribution of digitDistributionsOf({ keyType })) {
      await sort({ begin: 1, end: bits }, own + 1 + random.below(own), distribution);
    }
  },
});

/** The checks of what order a sorter makes. */
export const GPU_ORDER_CHECKS: readonly Check<Bench>[] = [
  ...RECORD_TYPES.map(byLength),
  ...GPU_KEY_TYPES.map(byDistribution),
  ...GPU_KEY_TYPES.map(keyBitsOf),
  longCheck,
  manyBlocksCheck,
];
