/** Checks of approximate order: by how much keys may be out of order, and that none is lost. */

import { bitsOf, copyOf, type Order } from '@keysweep/core';
import type { Random } from '@keysweep/core/random';
import { type Check, type Subject, some, turn } from '../check.js';
import { fillSpecial } from '../data/distributions.js';
import { serve } from '../request/verify.js';
import { assertNoFault, assertSameBits } from '../verify/asserts.js';
import { faultOfGather } from '../verify/faults.js';
import { ORDERS } from './inputs.js';

/** Values within this distance of zero; a useful bound is a small part of it. */
const SPREAD = 500;
/** Of 24 bits, some are lost to rounding. */
const LARGEST_BOUND = SPREAD / 2 ** 20;

interface Case {
  readonly name: string;
  readonly fill: (keys: Float32Array, random: Random) => void;
  readonly largestBound: number;
}

const CASES: readonly Case[] = [
  {
    name: 'values',
    fill: (keys, random) => {
      for (let i = 0; i < keys.length; i++) keys[i] = (random.unit() - 0.5) * 2 * SPREAD;
    },
    largestBound: LARGEST_BOUND,
  },
  {
    name: 'one value',
    fill: (keys) => {
      keys.fill(0.1);
    },
    largestBound: LARGEST_BOUND,
  },
  {
    name: 'subnormal values and the least others',
    fill: (keys, random) => {
      for (let i = 0; i < keys.length; i++) keys[i] = (random.unit() - 0.5) * 2 ** -124;
    },
    largestBound: 2 ** -144,
  },
  {
    name: 'zeros, infinities and NaNs',
    fill: fillSpecial,
    largestBound: Number.MAX_VALUE,
  },
];

const sortedBits = (keys: Float32Array): Uint32Array =>
  Uint32Array.from(bitsOf(keys) as Uint32Array).sort();

/**
 * Throws when a key stands behind one that it should precede by more than `bound`, or a NaN not at
 * its end.
 */
export function assertWithin(what: string, keys: Float32Array, bound: number, order: Order): void {
  const ascending = order === 'ascending' ? keys : keys.slice().reverse();
  let largest = Number.NEGATIVE_INFINITY;
  let nan = false;
  for (const key of ascending) {
    if (nan && !Number.isNaN(key)) throw new Error(`${what}: ${key} stands behind a NaN`);
    if (Number.isNaN(key)) nan = true;
    else if (key < largest && !(largest - key <= bound)) {
      throw new Error(`${what}: ${key} stands behind ${largest}, bound ${bound}`);
    } else if (key > largest) largest = key;
  }
}

async function checkCase(
  { backend, random }: Subject,
  length: number,
  { name, fill, largestBound }: Case,
  order: Order,
): Promise<void> {
  const what = `approximate ${order} sort of ${length} (${name})`;
  const keys = new Float32Array(length);
  fill(keys, random);
  const variation = { approximate: true, order };
  const assertBound = (bound: number): number => {
    if (bound <= largestBound) return bound;
    throw new Error(`${what}: the bound ${bound} says nothing`);
  };

  const sorted = copyOf(keys);
  const { bound } = await serve(backend, 'sort', [sorted], variation);
  assertWithin(what, sorted, assertBound(bound), order);
  assertSameBits(`${what}: the keys`, sortedBits(sorted), sortedBits(keys));

  const argsort = await serve(backend, 'argsort', [keys], variation);
  const permutation = argsort.permutation as Uint32Array;
  const indices = Uint32Array.from({ length }, (_, i) => i);
  assertSameBits(`${what}: indices`, permutation.slice().sort(), indices);
  const gathered = Float32Array.from(permutation, (index) => keys[index] as number);
  assertWithin(`${what}, as argsort`, gathered, assertBound(argsort.bound), order);

  const pairKeys = copyOf(keys);
  const pairs = await serve(backend, 'sortPairs', [pairKeys], { ...variation, values: indices });
  assertWithin(`${what}, as pairs`, pairKeys, assertBound(pairs.bound), order);
  assertNoFault(`${what}: pairs`, faultOfGather(pairKeys, keys, indices));
  assertSameBits(`${what}: values`, indices.slice().sort(), permutation.slice().sort());
}

export const approximateCheck: Check = {
  name: 'sorts approximately: out of order by no more than the bound, no bit lost',
  async run(subject) {
    const { lengths, random, effort } = subject;
    const first = random.below(2);
    for (const length of [1000, ...some(subject, [0, 1, 2], 1), ...some(subject, lengths, 1)]) {
      for (const [i, example] of CASES.entries()) {
        const orders = effort === 'sample' ? [turn(ORDERS, first + i)] : ORDERS;
        for (const order of orders) await checkCase(subject, length, example, order);
      }
    }
  },
};
