/** Checks of every type of key: at every length, and of every distribution. */

import type { Order } from '@keysweep/core';
import { type Check, type Subject, some, turn } from '../check.js';
import { ARRAY_CLASSES, type ArrayClass } from '../data/arrays.js';
import {
  type Distribution,
  distributionsFor,
  fillSpecial,
  fillWithBits,
  LENGTH_KINDS,
  LENGTHS,
  LONG_LENGTHS,
} from '../data/distributions.js';
import { verifyAll } from '../request/verify.js';
import { keysOf, ORDERS, PAYLOADS, payload } from './inputs.js';

/** Types of key that are tried at long lengths too: one of each width. */
const LONG_CLASSES = ['Uint8Array', 'Int16Array', 'Float32Array', 'BigUint64Array'];

/** The lengths that a type is tried at. `place` is the type's among all, moved on by the seed. */
function lengthsOf(subject: Subject, { name }: ArrayClass, place: number): readonly number[] {
  const { effort, lengths, random } = subject;
  const long = LONG_CLASSES.includes(name) ? some(subject, LONG_LENGTHS, 1) : [];
  if (effort === 'all') return [...LENGTHS, ...long, ...lengths];
  if (effort === 'most') {
    const quarter = random.below(4);
    return [...LENGTHS.filter((_, i) => i % 4 === quarter), ...long, ...lengths];
  }
  // Each of the backend's own lengths is the turn of some type.
  const own = lengths.length > 0 ? [turn(lengths, place)] : [];
  return [...LENGTH_KINDS.flatMap((kind) => some(subject, kind, 1)), ...long, ...own];
}

/** Whether a length is one more than a power of two, from 33 on. */
const isOneOver = (length: number): boolean => length > 32 && Math.log2(length - 1) % 1 === 0;

const byLength = (arrayClass: ArrayClass, typeIndex: number): Check => ({
  name: `sorts ${arrayClass.name} keys of every length`,
  async run(subject, seed) {
    const { backend, random, effort } = subject;
    const first = random.below(2);
    // Few lengths have few keys of random bits that are special.
    const fills = effort === 'sample' ? [fillWithBits, fillSpecial] : [fillWithBits];
    for (const [i, length] of lengthsOf(subject, arrayClass, seed + typeIndex).entries()) {
      const keys = keysOf(arrayClass, length, { fill: turn(fills, i) }, random);
      const values = payload(turn(PAYLOADS, i), length, random);
      // A last key that is forgotten may be where it belongs in one order, not in both.
      const orders = isOneOver(length) ? ORDERS : [turn(ORDERS, first + (i >> 1))];
      for (const order of orders) await verifyAll(backend, keys, [values], { order });
    }
  },
});

/** A distribution in an order, with the lengths to try. */
interface Case {
  readonly distribution: Distribution;
  readonly order: Order;
  readonly lengths: readonly number[];
}

/** Distributions without which some mistake would not be seen. */
const NEEDED = ['random bits', 'two values', '24-bit range', 'special floats'];

/** All, or the needed distributions in both orders and four more in one, each at one length. */
function casesOf(subject: Subject, distributions: readonly Distribution[]): Case[] {
  const { effort, lengths, random } = subject;
  const longest = Math.max(0, ...lengths.filter((length) => length <= 70_000));
  const kinds = (): number[] => [20 + random.below(60), 1 + random.below(4000), longest];
  if (effort !== 'sample') {
    return distributions.flatMap((distribution, i) =>
      ORDERS.map((order, j) => {
        const all = kinds();
        return { distribution, order, lengths: effort === 'all' ? all : [turn(all, i + j)] };
      }),
    );
  }
  const isNeeded = ({ name }: Distribution): boolean => NEEDED.includes(name);
  const others = distributions.filter((one) => !isNeeded(one));
  const first = random.below(2);
  return [
    // Both orders, and long enough for ties of narrow keys and of doubles close to wide ones.
    ...distributions
      .filter(isNeeded)
      .flatMap((distribution) =>
        ORDERS.map((order) => ({ distribution, order, lengths: [1000 + random.below(1000)] })),
      ),
    ...some(subject, others, 4).map((distribution, i) => ({
      distribution,
      order: turn(ORDERS, first + i),
      lengths: [turn(kinds(), i)],
    })),
  ];
}

const byDistribution = (arrayClass: ArrayClass): Check => ({
  name: `sorts ${arrayClass.name} keys of every distribution, in both orders`,
  async run(subject) {
    const { backend, random } = subject;
    for (const [i, one] of casesOf(subject, distributionsFor(arrayClass)).entries()) {
      for (const length of one.lengths) {
        const keys = keysOf(arrayClass, length, one.distribution, random);
        const values = payload(turn(PAYLOADS, i), length, random);
        await verifyAll(backend, keys, [values], { order: one.order });
      }
    }
  },
});

export const TYPE_CHECKS: readonly Check[] = ARRAY_CLASSES.flatMap((arrayClass, i) => [
  byLength(arrayClass, i),
  byDistribution(arrayClass),
]);
