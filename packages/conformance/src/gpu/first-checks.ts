/** Checks of the first keys of segments in GPU memory: every length, number, order and type. */

import type { KeyBits, Order } from '@keysweep/core';
import type { Check } from '../check.js';
import { type Distribution, fillWithBits } from '../data/distributions.js';
import type { Bench } from './bench.js';
import { SEGMENT_TYPES, shuffled, totalOf, wrongPlaces } from './segment-places.js';
import { ORDERS, recordsFor, SPECIAL } from './sorts.js';
import { describeType, keyBytes, type RecordType } from './subject.js';

/** Most keys that may be wanted of a segment. */
const MOST = 1024;

/** Around what workgroups keep, and take at a time; and up to where segments are cut. */
const LENGTHS = [0, 1, 2, 3, 63, 64, 65, 127, 129, 511, 513, 1023, 1024, 1025, 1026, 2049, 4097];
const LONG = [8193, 16_383, 16_384, 16_385, 20_001, 40_000];

const NUMBERS = [0, 1, 2, 8, 63, 64, 127, 128, 129, 257, 512, 1000, MOST - 1, MOST];

const randomBits: Distribution = { name: 'random bits', fill: fillWithBits };

/** Each key comes after all earlier ones, so that the bound never changes, or before them. */
const ascending: Distribution = {
  name: 'in ascending order',
  fill: (keys, random) => {
    fillWithBits(keys, random);
    keys.sort();
  },
};

const descending: Distribution = {
  name: 'in descending order',
  fill: (keys, random) => {
    fillWithBits(keys, random);
    keys.sort().reverse();
  },
};

const equal: Distribution = { name: 'all equal', fill: (keys) => void keys.fill(keys[0] as never) };

const DISTRIBUTIONS = [randomBits, SPECIAL, ascending, descending, equal];

interface Case {
  readonly type: RecordType;
  readonly order: Order;
  readonly keyBits?: KeyBits | undefined;
  readonly distribution: Distribution;
  readonly lengths: readonly number[];
  readonly first: number;
  /** What the GPU's count says, where it is read from a buffer. */
  readonly counted?: number;
}

async function verifyCase(bench: Bench, given: Case): Promise<void> {
  const { random } = bench.subject;
  const { type, order, keyBits, distribution, lengths, first, counted } = given;
  const [front, behind, skipped] = [random.below(70), random.below(70), random.below(150)];
  const count = totalOf(lengths);
  const records = recordsFor(bench, { ...type, order, count, distribution, offset: front, behind });
  const places = [front];
  const parts = [];
  for (const [i, length] of lengths.entries()) {
    const offset = places.at(-1) as number;
    places.push(offset + length);
    if (length === 0 || first === 0 || i >= (counted ?? lengths.length)) continue;
    parts.push({ offset, count: length, order, first, ...(keyBits && { keyBits }) });
  }
  const options = { ...type, order, maxCount: count + random.below(9), maxSegments: 3000 };
  const sorter = await bench.sorter({ ...options, ...(keyBits && { keyBits }) });
  const buffer = bench.buffer(Uint32Array.from([...Array(skipped).fill(5), ...places, 3]));
  const gpuCount = counted === undefined ? undefined : bench.buffer(Uint32Array.of(9, counted));
  const segments = {
    buffer,
    offset: 4 * skipped,
    count: gpuCount === undefined ? lengths.length : { buffer: gpuCount, offset: 4 },
    first,
  };
  const { keys, values } = records;
  bench.submit((encoder) => sorter.encode(encoder, { keys, values, segments }));
  const bits = keyBits ? `, bits ${keyBits.begin} to ${keyBits.end}` : '';
  const what = `${describeType(type)}, ${order}${bits}, ${distribution.name}, first at ${front}`;
  await records.verify(what, parts);
  bench.free();
}

/** Lengths in a random order, of no more keys than the subject takes. */
const fitting = (bench: Bench, lengths: readonly number[]): number[] =>
  shuffled(bench, lengths, bench.subject.maxLength);

const byType = (type: RecordType): Check<Bench> => ({
  name: `first keys of segments, ${describeType(type)}`,
  async run(bench) {
    const { random } = bench.subject;
    const bits = 8 * keyBytes(type.keyType);
    for (const first of bench.some(NUMBERS, 2)) {
      const order = bench.any(ORDERS);
      const keyBits = bench.any([undefined, { begin: random.below(bits / 2), end: bits - 3 }]);
      const distribution = bench.any(DISTRIBUTIONS);
      const lengths = fitting(bench, [...LENGTHS, first, first + 1]);
      await verifyCase(bench, { type, order, keyBits, distribution, lengths, first });
      const long = [bench.any(LONG), bench.any(LENGTHS), bench.any(LONG), first];
      const given = { lengths: fitting(bench, long), distribution: bench.any(DISTRIBUTIONS) };
      await verifyCase(bench, { type, order, keyBits, first, ...given });
    }
  },
});

const PAIR: RecordType = { keyType: 'f32', valueType: 'u32' };

const counts: Check<Bench> = {
  name: 'first keys of many segments, and of as many as the GPU says',
  async run(bench) {
    const { random, maxLength } = bench.subject;
    const short = Array.from({ length: 2000 }, () => random.below(12));
    const order = 'descending';
    const rest = { type: PAIR, order, distribution: SPECIAL, first: 5 } as const;
    await verifyCase(bench, { ...rest, lengths: short });
    await verifyCase(bench, { ...rest, lengths: Array(2500).fill(0) });
    const mixed = fitting(bench, [...short.slice(0, 300), Math.floor(maxLength / 2), 5000]);
    const counted = random.below(mixed.length);
    await verifyCase(bench, { ...rest, lengths: mixed, counted });
    await verifyCase(bench, { ...rest, lengths: mixed, counted: 0 });
    await verifyCase(bench, { ...rest, lengths: [Math.floor(maxLength)], first: MOST });
  },
};

const ofWrongPlaces = wrongPlaces({
  name: 'first keys of segments whose places are wrong: nothing outside the buffers is written',
  type: PAIR,
  first: 70,
  sizesOf: () => ({
    length: 40_000,
    maxCount: 30_000,
    nearEnd: 20_000,
    right: [0, 10, 9000, 27_000],
  }),
});

export const FIRST_CHECKS: readonly Check<Bench>[] = [
  counts,
  ofWrongPlaces,
  ...SEGMENT_TYPES.map(byType),
];
