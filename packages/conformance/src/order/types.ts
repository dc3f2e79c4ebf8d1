/** Checks of the order: all key types, lengths, distributions, segments, key bits, columns. */

import { type KeyBits, keyTraits, type Order, type TypedArray } from '@keysweep/core';
import { Random } from '@keysweep/core/random';
import fc from 'fast-check';
import { approximateCheck } from './approximate-checks.js';
import type { Check, Subject } from './checks.js';
import { ARRAY_CLASSES, type ArrayClass, classNamed } from './data/arrays.js';
import {
  type Distribution,
  distributionsFor,
  fillSpecial,
  fillWithBits,
  LENGTHS,
  LONG_LENGTHS,
} from './data/distributions.js';
import { verifyAll, verifyArgsort } from './request/verify.js';

const ORDERS: readonly Order[] = ['ascending', 'descending'];

/** Payloads of every width; floats would show if numbers were copied instead of bits. */
const PAYLOADS = [
  'Uint8Array',
  'Int16Array',
  'Uint32Array',
  'Float32Array',
  'BigInt64Array',
  'Float64Array',
];

/** Types of key that are tried at long lengths too: one of each width. */
const LONG_CLASSES = ['Uint8Array', 'Int16Array', 'Float32Array', 'BigUint64Array'];

function fresh(
  arrayClass: ArrayClass,
  length: number,
  distribution: Distribution,
  random: Random,
): TypedArray {
  const keys = arrayClass.create(length);
  distribution.fill(keys, random);
  return keys;
}

function randomBits({ create }: ArrayClass, length: number, random: Random): TypedArray {
  const keys = create(length);
  fillWithBits(keys, random);
  return keys;
}

function payload(name: string, length: number, random: Random): TypedArray {
  const values = classNamed(name).create(length);
  fillSpecial(values, random);
  return values;
}

function byLength(arrayClass: ArrayClass): Check {
  return {
    name: `${arrayClass.name}: every length`,
    async run({ backend, random, lengths, thorough }) {
      const long = LONG_CLASSES.includes(arrayClass.name) ? LONG_LENGTHS : [];
      const quarter = random.below(4);
      const short = thorough ? LENGTHS : LENGTHS.filter((_, i) => i % 4 === quarter);
      for (const [i, length] of [...short, ...long, ...lengths].entries()) {
        const keys = randomBits(arrayClass, length, random);
        const name = PAYLOADS[i % PAYLOADS.length] as string;
        const order = ORDERS[random.below(2)] as Order;
        await verifyAll(backend, keys, [payload(name, length, random)], { order });
      }
    },
  };
}

function byDistribution(arrayClass: ArrayClass): Check {
  return {
    name: `${arrayClass.name}: every distribution, both orders`,
    async run({ backend, random, lengths, thorough }) {
      const longest = Math.max(0, ...lengths.filter((length) => length <= 70_000));
      for (const [i, distribution] of distributionsFor(arrayClass).entries()) {
        for (const [j, order] of ORDERS.entries()) {
          const all = [20 + random.below(60), 1 + random.below(4000), longest];
          for (const length of thorough ? all : all.slice((i + j) % 3).slice(0, 1)) {
            const keys = fresh(arrayClass, length, distribution, random);
            const name = PAYLOADS[(i + j) % PAYLOADS.length] as string;
            await verifyAll(backend, keys, [payload(name, length, random)], { order });
          }
        }
      }
    },
  };
}

/** Start offsets: long and short, and empty ones in front, between and at the end. */
function segmentCases(length: number, random: Random): readonly Uint32Array[] {
  const cuts = (count: number): Uint32Array =>
    Uint32Array.from({ length: count }, (_, i) => (i === 0 ? 0 : random.below(length + 1))).sort();
  const half = length >>> 1;
  return [
    Uint32Array.of(0),
    Uint32Array.of(0, 0, half, half, half, length, length),
    cuts(3),
    cuts(Math.max(1, length >>> 4)),
    Uint32Array.from({ length: length + 1 }, (_, i) => i),
    Uint32Array.of(0, ...Array.from({ length: 50 }, (_, i) => Math.min(length, half + i * 3))),
  ];
}

const segmentsCheck: Check = {
  name: 'segments, each sorted on its own',
  async run({ backend, random, lengths }) {
    const names = ['Uint8Array', 'Float32Array', 'BigInt64Array'];
    for (const [i, length] of [0, 1, 100, 3000, ...lengths].entries()) {
      for (const segments of segmentCases(length, random)) {
        const arrayClass = classNamed(names[i % names.length] as string);
        const keys = randomBits(arrayClass, length, random);
        const order = ORDERS[random.below(2)] as Order;
        await verifyAll(backend, keys, [payload('Uint32Array', length, random)], {
          order,
          segments,
        });
      }
    }
  },
};

const keyBitsCheck: Check = {
  name: 'key bits of unsigned keys: only they decide, ties keep their order',
  async run({ backend, random, lengths }) {
    for (const arrayClass of ARRAY_CLASSES) {
      const { kind, bits } = keyTraits(arrayClass.keyType);
      if (kind !== 'unsigned') continue;
      const begin = random.below(bits);
      const cases: readonly KeyBits[] = [
        { begin: 0, end: bits },
        { begin: 0, end: 0 },
        { begin: bits, end: bits },
        { begin: bits - 1, end: bits },
        { begin: bits >>> 2, end: 3 * (bits >>> 2) },
        { begin, end: begin + random.below(bits - begin + 1) },
      ];
      for (const keyBits of cases) {
        for (const length of [1, 39, 1 + random.below(4000), ...lengths.slice(0, 2)]) {
          const keys = randomBits(arrayClass, length, random);
          const order = ORDERS[random.below(2)] as Order;
          const values = payload('Uint16Array', length, random);
          await verifyAll(backend, keys, [values], { order, keyBits });
        }
      }
    }
  },
};

const anyOf = <T>(choices: readonly T[], random: Random): T =>
  choices[random.below(choices.length)] as T;

/** Columns of any types and distributions; with `ties`, of few values, so that every one decides. */
function mixedColumns(length: number, count: number, ties: boolean, random: Random): TypedArray[] {
  return Array.from({ length: count }, () => {
    const arrayClass = anyOf(ARRAY_CLASSES, random);
    const distributions = distributionsFor(arrayClass);
    const few = distributions.filter(({ name }) => name === 'two values');
    return fresh(arrayClass, length, anyOf(ties ? few : distributions, random), random);
  });
}

const columnsCheck: Check = {
  name: 'argsort of several columns, most significant first',
  async run({ backend, random, lengths }) {
    for (const length of [0, 1, 2, 100, 3000, ...lengths]) {
      for (let count = 2; count <= 4; count++) {
        for (const ties of [true, false]) {
          const columns = mixedColumns(length, count, ties, random);
          const segments = segmentCases(length, random)[2 + random.below(2)];
          for (const order of ORDERS) {
            await verifyArgsort(backend, columns, { order });
            await verifyArgsort(backend, columns, { order, segments });
          }
        }
      }
    }
  },
};

const orderedColumnsCheck: Check = {
  name: 'argsort of columns of which some are in order already',
  async run({ backend, random, lengths }) {
    // A pass that has nothing to do must not lose what the passes before it did.
    for (const length of [65, 3000, ...lengths]) {
      for (const { create } of ARRAY_CLASSES) {
        const equal = create(length);
        const other = anyOf(ARRAY_CLASSES, random);
        const column = randomBits(other, length, random);
        await verifyArgsort(backend, [equal, column]);
        await verifyArgsort(backend, [column, equal]);
        await verifyArgsort(backend, [equal, column, equal], { order: 'descending' });
      }
    }
  },
};

/** Anything at all, in combination: what the other checks did not think of. */
const propertyCheck: Check = {
  name: 'any type, length, distribution and option (property)',
  async run({ backend, random }: Subject) {
    const index = fc.nat({ max: 1000 });
    const property = fc.asyncProperty(
      fc.record({
        type: index,
        length: fc.nat({ max: 2500 }),
        distribution: index,
        payload: index,
        descending: fc.boolean(),
        segments: fc.option(fc.array(fc.nat({ max: 2500 }), { maxLength: 40 })),
        seed: fc.nat(),
      }),
      async (drawn) => {
        // Of the example's own seed, so that fast-check can shrink and repeat it.
        const data = new Random(drawn.seed);
        const arrayClass = ARRAY_CLASSES[drawn.type % ARRAY_CLASSES.length] as ArrayClass;
        const distributions = distributionsFor(arrayClass);
        const distribution = distributions[drawn.distribution % distributions.length];
        const keys = fresh(arrayClass, drawn.length, distribution as Distribution, data);
        const offsets = drawn.segments?.map((offset) => Math.min(offset, drawn.length));
        const segments = offsets && Uint32Array.of(0, ...offsets).sort();
        const order = drawn.descending ? 'descending' : 'ascending';
        const name = PAYLOADS[drawn.payload % PAYLOADS.length] as string;
        await verifyAll(backend, keys, [payload(name, drawn.length, data)], { order, segments });
      },
    );
    await fc.assert(property, { numRuns: 150, seed: random.seed | 0 });
  },
};

/** The checks of what order a backend makes. */
export const ORDER_CHECKS: readonly Check[] = [
  ...ARRAY_CLASSES.flatMap((arrayClass) => [byLength(arrayClass), byDistribution(arrayClass)]),
  segmentsCheck,
  keyBitsCheck,
  columnsCheck,
  orderedColumnsCheck,
  approximateCheck,
  propertyCheck,
];
