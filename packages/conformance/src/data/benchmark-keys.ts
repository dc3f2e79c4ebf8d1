/**
 * Keys for benchmarks: over the whole range of their type, and without NaNs. Keys for tests, with
 * the values at which sorts go wrong, are in distributions.ts.
 */

import { bitsOf, type KeyArray, type KeyType, type TypedArray, traitsOf } from '@keysweep/core';
import type { Random } from '@keysweep/core/random';
import { classOf } from './arrays.js';

/** How keys lie in their array before the sort. */
export type BenchmarkDistribution =
  | 'random'
  | 'sorted'
  | 'reversed'
  | 'nearly-sorted'
  | 'few'
  | 'zipf'
  | 'equal';

/**
 * `length` keys of `keyType`.
 *
 * - 'random': `fillUniform`; with `words` above 1, the bitwise and of as many random words.
 *   Thearling and Smith's benchmark lowers the entropy of keys in this way.
 * - 'sorted', 'reversed': random keys, sorted; 'nearly-sorted': then one pair exchanged per 200
 *   keys.
 * - 'few': 16 random keys, each again and again; 'equal': one.
 * - 'zipf': small whole numbers, each as likely as it is small.
 */
export function makeKeys(
  keyType: KeyType,
  length: number,
  distribution: BenchmarkDistribution,
  random: Random,
  words = 1,
): KeyArray {
  const keys = classOf(keyType).create(length);
  switch (distribution) {
    case 'few':
      return fillChosen(keys, 16, random);
    case 'equal':
      return fillChosen(keys, 1, random);
    case 'zipf':
      return fillZipf(keys, random);
    default:
      fillUniform(keys, random, distribution === 'random' ? words : 1);
  }
  if (distribution !== 'random') keys.sort();
  if (distribution === 'reversed') keys.reverse();
  if (distribution === 'nearly-sorted') exchange(keys, random);
  return keys;
}

/**
 * Sets integers to any bits. Sets floats to whole numbers between -2^31 and 2^31, of Float64Array
 * with 32 bits of fraction, of Float16Array between -2^15 and 2^15.
 */
export function fillUniform<T extends TypedArray>(keys: T, random: Random, words = 1): T {
  const { kind, bits } = traitsOf(keys);
  const word = wordsAnded(random, words);
  if (kind === 'float') {
    const target = keys as Float64Array;
    const [whole, fraction] = [Math.min(bits, 32), bits === 64 ? 2 ** -32 : 0];
    for (let i = 0; i < target.length; i++) {
      target[i] = (word() >>> (32 - whole)) - 2 ** (whole - 1) + (fraction && word() * fraction);
    }
    return keys;
  }
  const target = bitsOf(keys);
  if (words === 1) random.fill(target);
  else for (let i = 0; i < target.length; i++) target[i] = word();
  return keys;
}

/** What draws the bitwise and of `words` random words. */
function wordsAnded(random: Random, words: number): () => number {
  if (words === 1) return () => random.bits();
  return () => {
    let word = random.bits();
    for (let i = 1; i < words; i++) word &= random.bits();
    return word >>> 0;
  };
}

/** Sets each key to one of `count` random ones. */
function fillChosen(keys: KeyArray, count: number, random: Random): KeyArray {
  const chosen = fillUniform(classOf(traitsOf(keys).keyType).create(count), random);
  for (let i = 0; i < keys.length; i++) keys[i] = chosen[random.below(count)] as never;
  return keys;
}

/** Sets the keys to whole numbers up to 2^15, or half the range of a narrow type. */
function fillZipf(keys: KeyArray, random: Random): KeyArray {
  const limit = 2 ** (Math.min(traitsOf(keys).bits, 16) - 1);
  const isBig = keys instanceof BigInt64Array || keys instanceof BigUint64Array;
  const target = keys as unknown as (number | bigint)[];
  for (let i = 0; i < keys.length; i++) {
    const number = Math.floor(limit ** random.unit()) - 1;
    target[i] = isBig ? BigInt(number) : number;
  }
  return keys;
}

/** Exchanges one pair of keys for every 200. */
function exchange(keys: KeyArray, random: Random): void {
  const target = keys as unknown as unknown[];
  for (let i = 0; i < keys.length / 200; i++) {
    const [a, b] = [random.below(keys.length), random.below(keys.length)];
    [target[a], target[b]] = [target[b], target[a]];
  }
}
