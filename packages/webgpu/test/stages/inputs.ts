/** Random inputs of the stages' tests, and what goes into their buffers. */

import { isThorough, type Random, runSeed } from '@keysweep/conformance/data';
import type { KeyBits, KeyType, Order } from '@keysweep/core';
import {
  type Constants,
  constantsFor,
  type Kernel,
  type Specialization,
  THREADS,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { testRandom } from '../../../../tools/test/random.js';
import { orderBuffer } from '../../src/sorter/recording/uniforms.js';
import { type KeyOrder, keyOrder, type Records } from '../twins/order.js';
import { numbersFrom, wordsFrom } from './gpu-stage.js';

export const seed: number = runSeed();
export const random: Random = testRandom();

/** Inputs of each stage and width. */
export const ROUNDS = isThorough ? 12 : 4;

/**
 * Keys a thread, of kernels that are not those of a chained scan; undefined: as many as sorts
 * have.
 */
const KEYS = isThorough ? undefined : 3;

export const WIDTHS: readonly Widths[] = ([1, 2] as const).flatMap((keyWords) =>
  ([0, 1, 2] as const).map((valueWords) => ({ keyWords, valueWords, approximate: false })),
);
export const APPROXIMATE: Widths = { keyWords: 1, valueWords: 0, approximate: true };

/** What is sorted in one round. */
export interface Input {
  readonly what: string;
  readonly keyType: KeyType;
  readonly direction: Order;
  readonly keyBits: KeyBits | undefined;
  readonly precision: number | undefined;
  readonly order: KeyOrder;
  readonly records: Records;
  readonly count: number;
  readonly offset: number;
}

/** One of `items`. */
export const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;

const randomBits = (bits: number): bigint =>
  BigInt.asUintN(bits, (BigInt(random.bits()) << 32n) | BigInt(random.bits()));

/** Keys of one of several distributions. */
function randomKeys(
  count: number,
  keyType: KeyType,
  order: KeyOrder,
  { approximate, hasNaNs }: { readonly approximate: boolean; readonly hasNaNs: boolean },
): bigint[] {
  const { bits } = order;
  const any = (): bigint => randomBits(bits);
  const base = any();
  const few = Array.from({ length: 5 }, any);
  const exponents = keyType === 'f64' ? 0x7ffn << 52n : 0xffn << 23n;
  const makers: (() => bigint)[] = [
    any,
    () => pick(few),
    // A narrow range, and bits with gaps between them.
    () => BigInt.asUintN(bits, base + BigInt(random.below(3000))),
    () => base ^ (any() & 0x0000_0f00_0070_1003n & ((1n << BigInt(bits)) - 1n)),
  ];
  if (keyType.startsWith('f')) {
    // Subnormal numbers and zeros, with some of the least normal ones.
    const tiny = exponents & -exponents;
    const least = (): bigint => (any() & ~exponents) | (random.below(3) > 0 ? 0n : tiny);
    // Codes of floats treat these apart.
    makers.push(...Array(approximate ? 4 : 1).fill(least));
    // NaNs of both signs and infinities, among others.
    makers.push(() => (random.below(3) > 0 ? any() : any() | exponents));
  }
  const make = hasNaNs ? (makers.at(-1) as () => bigint) : pick(makers);
  return Array.from({ length: count }, make);
}

/** A random sort of `maxCount` keys at most; with `hasNaNs` of floats, some of which are NaNs. */
export function randomInput(
  { keyWords, valueWords, approximate }: Widths,
  maxCount: number,
  hasNaNs = false,
): Input {
  const types: readonly KeyType[] = keyWords === 1 ? ['u32', 'i32', 'f32'] : ['u64', 'i64', 'f64'];
  const float = keyWords === 1 ? 'f32' : 'f64';
  const keyType = approximate || hasNaNs ? float : pick(types);
  const direction = pick(['ascending', 'descending'] as const);
  const begin = random.below(16 * keyWords);
  const keyBits =
    !approximate && !hasNaNs && random.below(3) === 0
      ? { begin, end: begin + 1 + random.below(16 * keyWords) }
      : undefined;
  const precision = random.below(2) === 0 ? pick([16, 24]) : undefined;
  const order = keyOrder(keyType, direction, keyBits, precision);
  const count = random.below(8) === 0 ? random.below(3) : 1 + random.below(maxCount);
  const records = {
    keys: randomKeys(count, keyType, order, { approximate, hasNaNs }),
    values: Array.from({ length: count }, () => randomBits(32 * Math.max(1, valueWords))),
  };
  const offset = random.below(64);
  const bits = keyBits ? `, bits ${keyBits.begin} to ${keyBits.end}` : '';
  const range = precision ? `, ${precision} bits of the range` : '';
  const what = `${count} ${keyType} keys, ${direction}${bits}${range}, at ${offset}, seed ${seed}`;
  return { what, keyType, direction, keyBits, precision, order, records, count, offset };
}

/** The constants of `kernel`, with few keys a thread. */
export function constantsOf(specialization: Specialization, kernel: Kernel): Constants {
  const constants = constantsFor(specialization, kernel);
  if (KEYS === undefined || specialization.chained !== undefined) return constants;
  return { ...constants, KEYS, TILE: THREADS * KEYS };
}

/** The uniform `Order` of `input`. */
export function orderOf(
  device: GPUDevice,
  input: Input,
  limits?: Parameters<typeof orderBuffer>[2],
): GPUBuffer {
  const { keyType, direction, keyBits, precision, count } = input;
  const options = { keyType, order: direction, keyBits, precision, maxCount: Math.max(1, count) };
  return orderBuffer(device, options, limits);
}

/** Numbers behind `offset` others, as words; at least one, for no binding is empty. */
export function placed(numbers: readonly bigint[], offset: number, wordsPer: number): Uint32Array {
  const padding = new Array<bigint>(offset).fill(7n);
  return wordsFrom([...padding, ...numbers, ...(numbers.length === 0 ? [9n] : [])], wordsPer);
}

/** The group of a pass: keys from and to, values from and to. */
export function pingPong(
  { keyWords, valueWords }: Widths,
  source: Records,
  sourceOffset: number,
  targetOffset: number,
): Record<number, Uint32Array> {
  const empty = source.keys.map(() => 0n);
  const keys = {
    0: placed(source.keys, sourceOffset, keyWords),
    1: placed(empty, targetOffset, keyWords),
  };
  if (valueWords === 0) return keys;
  return {
    ...keys,
    2: placed(source.values, sourceOffset, valueWords),
    3: placed(empty, targetOffset, valueWords),
  };
}

/** The records that a pass has written. */
export function movedBy(
  { keyWords, valueWords }: Widths,
  group: readonly Uint32Array[] | undefined,
  targetOffset: number,
  count: number,
): Records {
  const from = (words: Uint32Array | undefined, wordsPer: number): bigint[] =>
    numbersFrom(words ?? new Uint32Array(), wordsPer).slice(targetOffset, targetOffset + count);
  return {
    keys: from(group?.[1], keyWords),
    values: valueWords === 0 ? [] : from(group?.[3], valueWords),
  };
}

/** Records without the values that `widths` has none of. */
export const withValues = ({ valueWords }: Widths, { keys, values }: Records): Records => ({
  keys,
  values: valueWords === 0 ? [] : values,
});
