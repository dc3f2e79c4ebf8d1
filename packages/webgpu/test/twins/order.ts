/**
 * The order of keys in plain TypeScript: the twin of kernels/wgsl/fragments/order.wgsl, for the
 * twins of the kernels. Tests run each GPU stage and its twin on the same input. A twin is written
 * to be read, not to be fast: keys are bigints of 32 or 64 bits.
 */

import { type KeyBits, type KeyType, keyTraits, keyTransform, type Order } from '@keysweep/core';
import { CONSTANTS } from '@keysweep/kernels/wgsl';

/** How keys of one type are ordered. */
export interface KeyOrder {
  /** Bits of a word: 32 or 64. */
  readonly bits: number;
  readonly negative: bigint;
  readonly positive: bigint;
  readonly bias: bigint;
  readonly isDescending: boolean;
  /** The words of all keys that are no NaN. */
  readonly lowest: bigint;
  readonly highest: bigint;
  /** Bits that decide the order. */
  readonly mask: bigint;
  /** Whether digits may be cut by range. */
  readonly mayShift: boolean;
  /** Bits of the range that decide, the highest ones. */
  readonly precision: number;
}

/** One pass: digit = bits [shift, shift + width) of (word - bias). */
export interface Pass {
  readonly bias: bigint;
  readonly shift: number;
  readonly width: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly sourceOffset: number;
  readonly targetOffset: number;
  readonly scale?: Scale | undefined;
}

/** How floats become codes of 24 bits. */
export interface Scale {
  readonly floor: number;
  readonly exponent: number;
  readonly shift: number;
  readonly top: number;
}

/** What is known before the first pass. */
export interface Plan {
  readonly count: number;
  readonly offset: number;
  readonly tilesPerBlock: number;
  readonly blocks: number;
  readonly spineLanes: number;
  readonly passesSkipped: number;
  readonly passes: readonly Pass[];
}

/** Keys, and their values if there are any. */
export interface Records {
  readonly keys: bigint[];
  readonly values: bigint[];
}

/** The order of keys of a type that fills its words. */
export function keyOrder(
  keyType: KeyType,
  direction: Order,
  { begin, end }: KeyBits = { begin: 0, end: keyTraits(keyType).bits },
  precision = 64,
): KeyOrder {
  const { bits } = keyTraits(keyType);
  const { negative, positive, bias, ceiling } = keyTransform(keyType);
  const isDescending = direction === 'descending';
  const all = (1n << BigInt(bits)) - 1n;
  return {
    ...{ bits, negative, positive, bias, isDescending },
    lowest: isDescending ? all - ceiling : 0n,
    highest: isDescending ? all : ceiling,
    mask: (1n << BigInt(end)) - (1n << BigInt(begin)),
    mayShift: end - begin === bits,
    precision,
  };
}

/** The word of a key's raw bits. */
export function wordOf(key: bigint, order: KeyOrder): bigint {
  const isNegative = key >> BigInt(order.bits - 1) === 1n;
  const masked = key ^ (isNegative ? order.negative : order.positive);
  const word = BigInt.asUintN(order.bits, masked - order.bias);
  return order.isDescending ? BigInt.asUintN(order.bits, ~word) : word;
}

/** The raw bits of a word. */
export function bitsOf(word: bigint, order: KeyOrder): bigint {
  const ascending = order.isDescending ? BigInt.asUintN(order.bits, ~word) : word;
  const masked = BigInt.asUintN(order.bits, ascending + order.bias);
  const asNegative = masked ^ order.negative;
  const isNegative = asNegative >> BigInt(order.bits - 1) === 1n;
  return isNegative ? asNegative : masked ^ order.positive;
}

/** A word in whose place NaNs are all alike. */
export function clampWord(word: bigint, { lowest, highest }: KeyOrder): bigint {
  if (word < lowest) return lowest;
  return word > highest ? highest : word;
}

/** The pass's digit of a word. */
export function digitOf(word: bigint, order: KeyOrder, pass: Pass): number {
  const code =
    pass.scale === undefined
      ? clampWord(word, order) - pass.bias
      : BigInt(codeOf(word, order, pass.scale));
  return Number(BigInt.asUintN(pass.width, code >> BigInt(pass.shift)));
}

/** A finite float of `bits` in fixed point, rounded towards 0. */
export function fixedOf(bits: bigint, exponent: number): number {
  const own = Number((bits >> 23n) & 255n);
  const mantissa = Number(bits & 0x7fffffn) + (own === 0 ? 0 : 2 ** 23);
  const steps = Math.min(exponent - Math.max(own, 1), 31);
  const magnitude = Math.floor((mantissa * 2 ** CONSTANTS.FIXED_POINT_BITS) / 2 ** steps);
  return bits >> 31n === 1n ? -magnitude : magnitude;
}

/** The 24-bit code of a float. */
function codeOf(word: bigint, order: KeyOrder, { floor, exponent, shift, top }: Scale): number {
  const bits = bitsOf(word, order);
  const magnitude = bits & 0x7fffffffn;
  const code =
    magnitude > 0x7f800000n
      ? top
      : magnitude < 0x7f800000n
        ? 1 + Math.floor((fixedOf(bits, exponent) - floor) / 2 ** shift)
        : bits >> 31n === 1n
          ? 0
          : top - 1;
  return order.isDescending ? top - code : code;
}

/** The number of bits up to the highest that is set; 0 for 0. */
export const bitLength = (value: bigint): number => (value === 0n ? 0 : value.toString(2).length);

/** The number of the lowest bit that is set at `from` or above; undefined if there is none. */
export function nextBit(bits: bigint, from: number): number | undefined {
  for (let bit = from; bit < 64; bit++) if ((bits >> BigInt(bit)) & 1n) return bit;
  return undefined;
}
