/** What the checks of the order sort: keys, payloads, segments. */

import type { Order, TypedArray } from '@keysweep/core';
import type { Random } from '@keysweep/core/random';
import { ARRAY_CLASSES, type ArrayClass, classNamed } from '../data/arrays.js';
import {
  type Distribution,
  distributionsFor,
  fillSpecial,
  fillWithBits,
} from '../data/distributions.js';

export const ORDERS: readonly Order[] = ['ascending', 'descending'];

/** Payloads of every width; floats would show if numbers were copied instead of bits. */
export const PAYLOADS: readonly string[] = [
  'Uint8Array',
  'Int16Array',
  'Uint32Array',
  'Float32Array',
  'BigInt64Array',
  'Float64Array',
];

/** `length` new keys of a distribution. */
export function keysOf(
  arrayClass: ArrayClass,
  length: number,
  { fill }: Pick<Distribution, 'fill'>,
  random: Random,
): TypedArray {
  const keys = arrayClass.create(length);
  fill(keys, random);
  return keys;
}

/** `length` new keys of random bits. */
export const randomBits = (arrayClass: ArrayClass, length: number, random: Random): TypedArray =>
  keysOf(arrayClass, length, { fill: fillWithBits }, random);

/** `length` values of the class of that name. */
export const payload = (name: string, length: number, random: Random): TypedArray =>
  keysOf(classNamed(name), length, { fill: fillSpecial }, random);

/** Start offsets: long and short segments, and empty ones in front, between and at the end. */
export function segmentCases(length: number, random: Random): readonly Uint32Array[] {
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

export const anyOf = <T>(choices: readonly T[], random: Random): T =>
  choices[random.below(choices.length)] as T;

/** Columns of any types and distributions; with `ties`, of two values, so that each decides. */
export function mixedColumns(
  length: number,
  count: number,
  ties: boolean,
  random: Random,
): TypedArray[] {
  return Array.from({ length: count }, () => {
    const arrayClass = anyOf(ARRAY_CLASSES, random);
    const distributions = distributionsFor(arrayClass);
    const few = distributions.filter(({ name }) => name === 'two values');
    return keysOf(arrayClass, length, anyOf(ties ? few : distributions, random), random);
  });
}
