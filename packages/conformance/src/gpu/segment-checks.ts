/** Checks of segments in GPU memory: every length, place and type, and what is no right place. */

import type { KeyBits, Order } from '@keysweep/core';
import type { Check } from '../check.js';
import type { Bench } from './bench.js';
import type { Part } from './records.js';
import { SEGMENT_TYPES, shuffled, totalOf, wrongPlaces } from './segment-places.js';
import { ORDERS, recordsFor, SPECIAL } from './sorts.js';
import { describeType, type GpuSorter, keyBytes, type RecordType } from './subject.js';

/** Segments to sort, and what is around them. */
interface Case {
  readonly name: string;
  readonly lengths: readonly number[];
  /** What the GPU's count says, where the sort reads it from a buffer. */
  readonly counted?: number;
}

/** A sorter, and what it was made for. */
interface Made {
  readonly sorter: GpuSorter;
  readonly type: RecordType;
  readonly order: Order;
  readonly keyBits?: KeyBits | undefined;
}

/** Most segments of a sorter under test. */
const MAX_SEGMENTS = 6000;

const repeat = (length: number, times: number): number[] => Array(times).fill(length);

/** Segments around what a workgroup of `tile` keys sorts. */
function casesOf(bench: Bench, tile: number): readonly Case[] {
  const { random } = bench.subject;
  const around = [tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1];
  const short = Array.from({ length: 1200 }, () => random.below(12));
  const mixed = shuffled(bench, [3 * tile + random.below(tile), ...short]);
  return [
    { name: 'every length', lengths: shuffled(bench, [0, 0, 0, 1, 1, 2, 3, 255, 257, ...around]) },
    { name: 'most of them in order', lengths: [0, 1, 2, ...around, 0] },
    { name: 'one segment of one tile', lengths: [tile] },
    { name: 'one long segment of all keys', lengths: [4 * tile + random.below(tile)] },
    { name: 'two long ones, empty ones between', lengths: [tile + 5, ...repeat(0, 300), tile + 9] },
    {
      name: 'thousands of empty ones',
      lengths: shuffled(bench, [...repeat(0, MAX_SEGMENTS - 60), ...repeat(2, 50), tile + 3, 90]),
    },
    { name: 'only empty ones', lengths: repeat(0, 700) },
    { name: 'segments of one key', lengths: repeat(1, 3000) },
    { name: 'many short ones', lengths: short },
    { name: 'a long one amid short ones', lengths: mixed },
    { name: 'as many as there may be', lengths: repeat(3, MAX_SEGMENTS) },
    { name: 'no segments', lengths: [] },
    { name: 'a count on the GPU', lengths: mixed, counted: mixed.length },
    { name: 'a smaller count on the GPU', lengths: mixed, counted: 1 + random.below(600) },
    { name: 'a count on the GPU of 0', lengths: mixed, counted: 0 },
    {
      name: 'a larger count on the GPU than there may be',
      lengths: repeat(3, MAX_SEGMENTS),
      counted: MAX_SEGMENTS + 1 + random.below(9),
    },
    { name: 'a larger count on the GPU than there are places', lengths: short, counted: 5000 },
  ];
}

/** Of the cases that are not too long the first one, and some others. */
function someOf(bench: Bench, cases: readonly Case[]): readonly Case[] {
  const { maxLength } = bench.subject;
  const [first, ...others] = cases.filter((one) => totalOf(one.lengths) <= maxLength);
  return [...(first ? [first] : []), ...bench.some(others, 5)];
}

/** Sorts the segments of `given`, and verifies each, and what is around them. */
async function verifyCase(bench: Bench, made: Made, given: Case): Promise<void> {
  const { random } = bench.subject;
  const { sorter, type, order, keyBits } = made;
  const { lengths, counted } = given;
  const total = totalOf(lengths);
  const [front, behind] = [random.below(70), random.below(70)];
  const records = recordsFor(bench, {
    ...type,
    order,
    count: total,
    distribution: SPECIAL,
    offset: front,
    behind,
  });
  const parts: Part[] = [];
  const places = [front];
  for (const count of lengths.slice(0, counted)) {
    const offset = places.at(-1) as number;
    parts.push({ offset, count, order, ...(keyBits && { keyBits }) });
    places.push(offset + count);
  }
  // A count that is too large has nothing after the last place.
  const others = (counted ?? 0) > lengths.length ? [] : [7, 0xffffffff, 0];
  const skipped = random.below(150);
  const words = Uint32Array.from([...repeat(5, skipped), ...places, ...others]);
  const segments = {
    buffer: exactBuffer(bench, words),
    offset: 4 * skipped,
    count:
      counted === undefined
        ? lengths.length
        : { buffer: bench.buffer(Uint32Array.of(9, counted)), offset: 4 },
  };
  const { keys, values } = records;
  bench.submit((encoder) => sorter.encode(encoder, { keys, values, segments }));
  const what = `${given.name}, ${order}, ${describeType(type)}, first at ${front}`;
  await records.verify(
    what,
    parts.filter(({ count }) => count > 0),
  );
}

/** A buffer that ends with its words. */
function exactBuffer(bench: Bench, words: Uint32Array): GPUBuffer {
  const buffer = bench.buffer(words);
  if (buffer.size === words.byteLength) return buffer;
  return exactBuffer(bench, words);
}

/** Segments of every kind, by one sorter of a type. */
const byKind = (type: RecordType): Check<Bench> => ({
  name: `segments, ${describeType(type)}: every length and count`,
  async run(bench) {
    const { random, tile } = bench.subject;
    const own = tile[keyBytes(type.keyType)];
    const maxCount = Math.min(bench.subject.maxLength, 12 * own + random.below(own));
    for (const order of bench.some(ORDERS, 1)) {
      const bits = 8 * keyBytes(type.keyType);
      const keyBits = bench.any([undefined, { begin: random.below(bits / 2), end: bits - 3 }]);
      const options = { ...type, order, maxCount, maxSegments: MAX_SEGMENTS };
      const sorter = await bench.sorter({ ...options, ...(keyBits && { keyBits }) });
      for (const given of someOf(bench, casesOf(bench, own))) {
        await verifyCase(bench, { sorter, type, order, keyBits }, given);
      }
    }
    // A sorter that can have no long segments.
    const [order] = bench.some(ORDERS, 1) as [Order];
    const sorter = await bench.sorter({ ...type, order, maxCount: own, maxSegments: 40 });
    const lengths = shuffled(bench, [own - 300, 0, 1, 100, 0, 199]);
    await verifyCase(bench, { sorter, type, order }, { name: 'within one tile', lengths });
  },
});

const PAIR: RecordType = { keyType: 'u32', valueType: 'u32' };

const ofWrongPlaces = wrongPlaces({
  name: 'segments whose places are wrong: nothing outside the buffers and maxCount is written',
  type: PAIR,
  sizesOf({ subject: { tile } }) {
    const own = tile[4];
    const [length, maxCount] = [5 * own, 3 * own];
    const right = [0, 10, 10 + own, 12 + 2 * own, 3 * own];
    return { length, maxCount, nearEnd: length - own - 40, right };
  },
});

const conduct: Check<Bench> = {
  name: 'segments: sorts of several sets of buffers and of all keys, in one pass',
  async run(bench) {
    const tile = bench.subject.tile[4];
    const order = 'descending';
    const count = 3 * tile;
    const sort = { ...PAIR, order, count, distribution: SPECIAL } as const;
    const sorter = await bench.sorter({ ...PAIR, order, maxCount: count, maxSegments: 10 });
    const sets = [0, 1, 2, 3, 4, 5].map((set) => {
      const middle = tile + 200 * set + 1;
      const places = Uint32Array.of(0, 5 * set, middle, middle, count);
      return { records: recordsFor(bench, sort), places, buffer: bench.buffer(places) };
    });
    const whole = recordsFor(bench, sort);
    bench.submit((encoder) => {
      const pass = encoder.beginComputePass();
      for (const { records, buffer } of sets) {
        const { keys, values } = records;
        sorter.encode(pass, { keys, values, segments: { buffer, count: 4 } });
      }
      sorter.encode(pass, whole.args(count));
      pass.end();
    });
    for (const [set, { records, places }] of sets.entries()) {
      const parts = Array.from(places.subarray(1), (end, i) => {
        const offset = places[i] as number;
        return { offset, count: end - offset, order } as const;
      });
      await records.verify(
        `set ${set}`,
        parts.filter((part) => part.count > 0),
      );
    }
    await whole.verify('all keys', [{ offset: 0, count, order }]);
  },
};

/** All checks of segments. Each type of records takes long to compile on a software GPU. */
export const SEGMENT_CHECKS: readonly Check<Bench>[] = [
  ofWrongPlaces,
  conduct,
  ...SEGMENT_TYPES.map(byKind),
];
