/**
 * One sort of random records, with everything around it that must not matter, held against the
 * oracle.
 */

import { bitsOf, type KeyBits, type Order } from '@keysweep/core';
import { classOf } from '../data/arrays.js';
import {
  type Distribution,
  distributionsFor,
  fillSpecial,
  fillWithBits,
} from '../data/distributions.js';
import type { Bench } from './bench.js';
import { Records } from './records.js';
import {
  describeType,
  type GpuSortArguments,
  type GpuSorterOptions,
  keyBytes,
  type RecordType,
} from './subject.js';

export const ORDERS: readonly Order[] = ['ascending', 'descending'];

/** Of floats, many that have rules of their own; of integers, random bits. */
export const SPECIAL: Distribution = { name: 'special values', fill: fillSpecial };

/** Bits that vary far apart, so that digits begin elsewhere than in other arrays. */
const sparseBits: Distribution = {
  name: 'six bits vary',
  fill: (keys, random) => {
    const bits = bitsOf(keys);
    const words = keys.BYTES_PER_ELEMENT / 4;
    const pattern = [random.bits(), random.bits()];
    const mask = [0, 0];
    for (let i = 0; i < 6; i++) {
      const word = random.below(words);
      mask[word] = (mask[word] as number) | (1 << random.below(32));
    }
    for (let i = 0; i < bits.length; i++) {
      const word = i % words;
      bits[i] = (pattern[word] as number) ^ (random.bits() & (mask[word] as number));
    }
  },
};

/**
 * Neighbouring numbers whose high bits vary, too, because they lie on both sides of a round one.
 */
const narrowRange: Distribution = {
  name: 'a narrow range across a round number',
  fill: (keys, random) => {
    const isWide = keys.BYTES_PER_ELEMENT === 8;
    const words = bitsOf(keys);
    const bits = isWide
      ? new BigUint64Array(words.buffer as ArrayBuffer, words.byteOffset, keys.length)
      : words;
    const middle = BigInt(1 + random.below(2 ** 8 - 1)) << (isWide ? 56n : 24n);
    for (let i = 0; i < keys.length; i++) {
      const key = middle + BigInt(random.below(300) - 150);
      bits[i] = isWide ? key : Number(key);
    }
  },
};

const highBits: Distribution = {
  name: 'the highest byte varies',
  fill: (keys, random) => {
    const bits = bitsOf(keys);
    const words = keys.BYTES_PER_ELEMENT / 4;
    for (let i = words - 1; i < bits.length; i += words) bits[i] = random.bits() & 0xff000000;
  },
};

/** NaNs are ties whatever their bits. These differ from Infinity in a single bit. */
const notFinite: Distribution = {
  name: 'Infinity and NaN',
  fill: (keys, random) => {
    const [infinity, nan] =
      keys.BYTES_PER_ELEMENT === 8 ? [0x7ff00000, 0x7ff80000] : [0x7f800000, 0x7fc00000];
    const bits = bitsOf(keys).fill(0);
    const words = keys.BYTES_PER_ELEMENT / 4;
    for (let i = words - 1; i < bits.length; i += words) bits[i] = random.below(2) ? infinity : nan;
  },
};

/** Distributions that have a sorter choose its digits differently. */
export const digitDistributionsOf = ({ keyType }: RecordType): readonly Distribution[] => [
  sparseBits,
  narrowRange,
  highBits,
  ...(keyType.startsWith('f') ? [notFinite] : []),
];

/** Every distribution that makes sense for keys of a type. */
export const distributionsOf = (type: RecordType): readonly Distribution[] => [
  ...distributionsFor(classOf(type.keyType)),
  ...digitDistributionsOf(type),
];

/** A count that the sort reads from a buffer: what the buffer says, at which byte. */
export interface Counted {
  readonly value: number;
  readonly at: number;
}

/** One sort. */
export interface Sort extends RecordType {
  readonly order: Order;
  readonly keyBits?: KeyBits;
  /** Records to be sorted: an argument of the sorter unless there is `counted`. */
  readonly count: number;
  readonly counted?: Counted;
  /** Default: count. */
  readonly maxCount?: number;
  readonly distribution: Distribution;
  /** Records in front of those to be sorted, and behind them. */
  readonly offset?: number;
  readonly behind?: number;
}

export function describeSort(sort: Sort): string {
  const { order, keyBits, count, counted, maxCount = count, offset = 0, distribution } = sort;
  return [
    `${order} sort of ${count} at ${offset}`,
    describeType(sort),
    `maxCount ${maxCount}`,
    distribution.name,
    ...(keyBits ? [`bits ${keyBits.begin} to ${keyBits.end}`] : []),
    ...(counted ? [`count ${counted.value} in a buffer at byte ${counted.at}`] : []),
  ].join(', ');
}

/** Records of a distribution, amid others of random bits. */
export function recordsFor(bench: Bench, sort: Sort): Records {
  const { random } = bench.subject;
  const { count, offset = 0, behind = 0 } = sort;
  const keys = classOf(sort.keyType).create(offset + count + behind);
  fillWithBits(keys, random);
  sort.distribution.fill(keys.subarray(offset, offset + count), random);
  return new Records(bench, sort, keys);
}

/** The options of a sorter for `sort`. */
export function optionsFor(sort: Sort): GpuSorterOptions {
  const { keyType, valueType, order, keyBits, count, maxCount = count } = sort;
  return { keyType, valueType, order, maxCount, ...(keyBits && { keyBits }) };
}

/** A buffer with a count, and with numbers around it that are none. */
export function countBuffer(bench: Bench, { value, at }: Counted): GpuSortArguments['count'] {
  const words = new Uint32Array(at / 4 + 1 + bench.subject.random.below(3)).fill(7);
  words[at / 4] = value;
  return { buffer: bench.buffer(words), offset: at };
}

/**
 * Sorts once with a sorter of its own.
 * @throws Error when the result is wrong, or when other records were touched.
 */
export async function verifySort(bench: Bench, sort: Sort): Promise<void> {
  const sorter = await bench.sorter(optionsFor(sort));
  const records = recordsFor(bench, sort);
  const count = sort.counted ? countBuffer(bench, sort.counted) : sort.count;
  bench.submit((encoder) => sorter.encode(encoder, records.args(count, sort.offset)));
  await records.verify(describeSort(sort), [{ offset: 0, ...sort }]);
  bench.free();
}

/**
 * Lengths at which sorters change their method: around what a workgroup holds, and around whole
 * numbers of tiles that a workgroup may work through.
 */
export function lengthsFor(
  { subject }: Bench,
  { keyType }: RecordType,
): { readonly small: readonly number[]; readonly large: readonly number[] } {
  const tile = subject.tile[keyBytes(keyType)];
  const around = (tiles: number): number[] => [tiles * tile - 1, tiles * tile, tiles * tile + 1];
  const large = [tile + 1, ...[2, 3, 4, 6, 8].flatMap(around), 10_007, 31_337, 65_537];
  return {
    small: [0, 1, 2, 3, 255, 256, 257, 1021, tile - 1, tile],
    large: large.filter((length) => length <= subject.maxLength),
  };
}
