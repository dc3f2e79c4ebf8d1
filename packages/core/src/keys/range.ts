/**
 * The range limiter: the smallest digit range that a set of keys needs ("range limiter" in Ha,
 * Krüger and Silva, "Implicit radix sorting on GPUs", 2.3), and its division into digits.
 */

import { type KeyType, keyTraits } from '../elements.js';
import type { KeyBits } from './order.js';
import { keyTransform } from './transform.js';

/** Words sort by their bits [begin, end) after `bias` is subtracted. */
export interface DigitRange {
  /** Subtracted from each word first. */
  readonly bias: bigint;
  /** The lowest bit that decides. */
  readonly begin: number;
  /** One past the highest bit that decides. */
  readonly end: number;
}

/** One digit: bits [shift, shift + width) of a word. */
export interface Digit {
  /** Its lowest bit in the word. */
  readonly shift: number;
  /** How many bits it has. */
  readonly width: number;
}

const { clz32 } = Math;

/**
 * How many low bits of words from `least` to `most` need not be looked at for a precision: keys
 * that agree in the others agree in the `precision` leading bits of the range, and are no further
 * from each other than 2^-precision of the distance from the least key to the largest.
 *
 * An integer takes one bit more than the precision, because a range may be half of what its bits
 * could hold. Neighbouring doubles differ by different amounts. The largest difference in the range
 * decides how many of them may be taken for one; 2^52 such steps lie between two powers of two.
 * Another bit is for keys on both sides of a power of two. Infinities and NaNs have no distance:
 * then no bit is left out, nor of narrower floats, which would keep nearly all.
 */
export function skippedBits(
  keyType: KeyType,
  least: bigint,
  most: bigint,
  precision: number | undefined,
): number {
  const { kind, bits } = keyTraits(keyType);
  const isFloat = kind === 'float';
  const isExact =
    isFloat && (bits < 64 || least === 0n || most > keyTransform(keyType).ceiling - 2n);
  if (precision === undefined || isExact) return 0;
  const skipped = bitLength(most - least) - precision - 1;
  return Math.max(0, isFloat ? Math.min(skipped - 1, 51 - precision) : skipped);
}

/** Number of bits needed to write `value`, which is below 2^64: 0 for 0n, 8 for 255n. */
export function bitLength(value: bigint): number {
  const high = value >> 32n;
  return high > 0n ? 64 - clz32(Number(high)) : 32 - clz32(Number(value));
}

/**
 * The digit range of words between `minimum` and `maximum`. Keys from 1000 to 1255 need 8 bits once
 * 1000 is taken away, whatever their width; equal keys need none.
 *
 * With `keyBits` only the shared leading bits can be left out: taking a bias away would carry
 * across the bits that were asked for. They stay in when minimum and maximum agree above them.
 */
export function limitRange(minimum: bigint, maximum: bigint, keyBits?: KeyBits): DigitRange {
  if (keyBits === undefined) {
    return { bias: minimum, begin: 0, end: bitLength(maximum - minimum) };
  }
  const end = Math.min(keyBits.end, bitLength(minimum ^ maximum));
  return { bias: 0n, begin: keyBits.begin, end: Math.max(end, keyBits.begin) };
}

/**
 * Divides bits [begin, end) into the fewest digits of at most `maxWidth` bits, as even as possible,
 * least significant first. An empty range has no digits.
 */
export function splitDigits(begin: number, end: number, maxWidth: number): Digit[] {
  const count = Math.ceil((end - begin) / maxWidth);
  const digits: Digit[] = [];
  let shift = begin;
  for (let left = count; left > 0; left--) {
    const width = Math.ceil((end - shift) / left);
    digits.push({ shift, width });
    shift += width;
  }
  return digits;
}
