/** Checks of approximate order: by how much keys may be out of order, and that none is lost. */

import { bitsOf, type TypedArray } from '@keysweep/core';
import type { Check } from '../check.js';
import { type Distribution, fillSpecial, fillWithBits } from '../data/distributions.js';
import { assertWithin } from '../order/approximate.js';
import { assertNoFault, assertSameBits } from '../verify/asserts.js';
import { faultOfGather } from '../verify/faults.js';
import type { Bench } from './bench.js';
import { Records } from './records.js';
import { describeSort, ORDERS, optionsFor, type Sort } from './sorts.js';
import { GPU_VALUE_TYPES } from './subject.js';

/** Of the largest finite magnitude: keys closer to each other may be out of order. */
const BOUND = 2 ** -21;

const numbers = (name: string, number: (unit: number) => number): Distribution => ({
  name,
  fill: (keys, random) => {
    for (let i = 0; i < keys.length; i++) keys[i] = number(random.unit());
  },
});

const DISTRIBUTIONS: readonly Distribution[] = [
  numbers('numbers around 0', (unit) => (unit - 0.5) * 1000),
  numbers('positive numbers', (unit) => 3 + unit),
  numbers('negative numbers', (unit) => -1e30 * unit),
  numbers('subnormal numbers', (unit) => (unit - 0.5) * 2 ** -130),
  numbers('subnormal numbers and the least others', (unit) => (unit - 0.5) * 2 ** -124),
  numbers('one number', () => -0.1),
  numbers('the largest numbers', (unit) => (unit < 0.5 ? -1 : 1) * 3.4028234663852886e38),
  numbers('zeros of both signs', (unit) => (unit < 0.5 ? -0 : 0)),
  numbers('infinities', (unit) => (unit < 0.5 ? -1 : 1) * Number.POSITIVE_INFINITY),
  numbers('NaNs', () => Number.NaN),
  { name: 'random bits', fill: fillWithBits },
  { name: 'special values', fill: fillSpecial },
  {
    name: 'infinities and NaNs among numbers',
    fill: (keys, random) => {
      const others = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NaN];
      for (let i = 0; i < keys.length; i++) keys[i] = others[random.below(40)] ?? random.unit();
    },
  },
];

/** Throws unless keys of the same bits kept their order. */
function assertStable(what: string, keys: Float32Array, indices: Uint32Array): void {
  const last = new Map<number, number>();
  for (const [i, pattern] of bitsOf(keys).entries()) {
    const index = indices[i] as number;
    if (index < (last.get(pattern) ?? -1)) throw new Error(`${what}: equal keys changed places`);
    last.set(pattern, index);
  }
}

/** Sorts `count` keys of a longer buffer: keys outside must not count for the scale. */
async function verifyApproximate(bench: Bench, sort: Sort): Promise<void> {
  const { count, order, distribution } = sort;
  const what = `approximate ${describeSort(sort)}`;
  const { random } = bench.subject;
  const [front, behind] = [random.below(70), random.below(70)];
  const before = new Float32Array(front + count + behind);
  distribution.fill(before.subarray(front, front + count), random);
  // Larger than any other: a scale of theirs would tell nothing apart.
  before.fill(3e38, 0, front).fill(-3e38, front + count);
  const sorter = await bench.sorter({ ...optionsFor(sort), approximate: true });
  const records = new Records(bench, sort, before);
  bench.submit((encoder) => sorter.encode(encoder, records.args(count, front)));

  const { keys, indices } = await records.read(what);
  const [sorted, input] = [keys, before].map((all) => all.subarray(front, front + count)) as [
    Float32Array,
    Float32Array,
  ];
  const finite = input.filter(Number.isFinite).map(Math.abs);
  const largest = finite.reduce((a, b) => Math.max(a, b), 0);
  assertWithin(what, sorted, largest * BOUND, order);
  assertSameBits(`${what}: bit patterns`, patternsOf(keys), patternsOf(before));
  assertSameBits(`${what}: in front`, keys.subarray(0, front), before.subarray(0, front));
  assertSameBits(`${what}: behind`, keys.subarray(front + count), before.subarray(front + count));
  if (indices !== undefined) {
    const all = Uint32Array.from(indices, (_, i) => i);
    assertSameBits(`${what}: values`, indices.slice().sort(), all);
    assertNoFault(`${what}: keys of values`, faultOfGather(keys, before, indices));
    assertStable(what, sorted, indices.subarray(front, front + count));
  }
  bench.free();
}

const patternsOf = (keys: TypedArray): Uint32Array => Uint32Array.from(bitsOf(keys)).sort();

/** The check of approximate order. */
export const GPU_APPROXIMATE_CHECKS: readonly Check<Bench>[] = DISTRIBUTIONS.map(
  (distribution, i): Check<Bench> => ({
    name: `approximate order: ${distribution.name}`,
    async run(bench) {
      const { random, tile, maxLength, thorough } = bench.subject;
      const lengths = [1 + random.below(500), tile[4] + 1 + random.below(tile[4])];
      if (thorough) lengths.push(Math.min(maxLength, 2 ** 20 + 17));
      for (const count of lengths) {
        for (const order of thorough ? ORDERS : [bench.any(ORDERS)]) {
          const types = thorough ? GPU_VALUE_TYPES : [GPU_VALUE_TYPES[i % GPU_VALUE_TYPES.length]];
          for (const valueType of types) {
            await verifyApproximate(bench, {
              keyType: 'f32',
              valueType,
              order,
              count,
              distribution,
            });
          }
        }
      }
    },
  }),
);
