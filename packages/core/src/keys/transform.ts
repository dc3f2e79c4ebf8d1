/**
 * Key transforms: the bits of a key to an unsigned word of the same width whose order as a plain
 * binary number is the key's order, and back. Every transform is a bijection, so no bit pattern is
 * lost.
 *
 *   unsigned  word = bits
 *   signed    word = bits ^ sign                       moves negative numbers below positive ones
 *   float     word = flip(bits) - flip(−Infinity)      modulo 2^width
 *
 * `flip` is the usual float order (Herf, "Radix Tricks", 2001): all bits of a negative number are
 * inverted, only the sign of a positive one. It leaves NaNs with the sign bit set below −Infinity.
 * Subtracting the image of −Infinity rotates just those to the top: −Infinity becomes 0, −0 comes
 * right before +0, +Infinity is followed by every NaN of either sign.
 *
 * All NaNs are ties in ECMAScript's order. `ceiling` is the word of the first NaN: an order that
 * compares min(word, ceiling) has them equal, while the word itself still holds their payload.
 */

import { bitsOf, type KeyArray, type KeyTraits, type KeyType, keyTraits } from '../elements.js';

/**
 * A key transform as numbers, for kernels that apply it:
 * `word = (bits ^ (negative(bits) ? negative : positive)) - bias`, modulo 2^width.
 */
export interface KeyTransform {
  /** Exclusive-or mask for keys whose sign bit is set. */
  readonly negative: bigint;
  /** Exclusive-or mask for all other keys. */
  readonly positive: bigint;
  /** Subtracted after the masks. */
  readonly bias: bigint;
  /** The largest word that differs in order from the words below it: words above it are ties. */
  readonly ceiling: bigint;
}

/** Exponent bits of each float width: the image of an infinity follows from them. */
const EXPONENT_BITS: Readonly<Record<number, number>> = { 16: 5, 32: 8, 64: 11 };

/** The transform of a key type. */
export function keyTransform(keyType: KeyType): KeyTransform {
  const { kind, bits } = keyTraits(keyType);
  const all = (1n << BigInt(bits)) - 1n;
  const sign = 1n << BigInt(bits - 1);
  if (kind === 'unsigned') return { negative: 0n, positive: 0n, bias: 0n, ceiling: all };
  if (kind === 'signed') return { negative: sign, positive: sign, bias: 0n, ceiling: all };
  const exponentBits = EXPONENT_BITS[bits] as number;
  const infinity = ((1n << BigInt(exponentBits)) - 1n) << BigInt(bits - 1 - exponentBits);
  const bias = all ^ (sign | infinity);
  // One above +Infinity's word: (infinity ^ sign) - bias + 1.
  return { negative: all, positive: sign, bias, ceiling: (infinity | sign) - bias + 1n };
}

const splitWords = (value: bigint): [low: number, high: number] => [
  Number(value & 0xffffffffn),
  Number(value >> 32n),
];

/**
 * Order-preserving words of `keys`, in a new array: one word of the key's own width for keys of up
 * to 32 bits, two 32-bit words (low first) for 64-bit keys. O(n).
 */
export function keysToWords(keys: KeyArray, traits: KeyTraits): Uint32Array {
  return traits.bits === 64 ? toWords64(keys, traits) : toWords32(keys, traits);
}

function toWords32(keys: KeyArray, { keyType, bits }: KeyTraits): Uint32Array {
  const { negative, positive, bias } = keyTransform(keyType);
  const [ifNegative, ifPositive, subtract] = [Number(negative), Number(positive), Number(bias)];
  const sign = 2 ** (bits - 1);
  const all = 2 ** bits - 1;
  const source = bitsOf(keys);
  const words = new Uint32Array(source.length);
  for (let i = 0; i < words.length; i++) {
    const raw = source[i] as number;
    words[i] = ((raw ^ (raw & sign ? ifNegative : ifPositive)) - subtract) & all;
  }
  return words;
}

function toWords64(keys: KeyArray, { keyType }: KeyTraits): Uint32Array {
  const { negative, positive, bias } = keyTransform(keyType);
  const [negativeLow, negativeHigh] = splitWords(negative);
  const [positiveLow, positiveHigh] = splitWords(positive);
  const [biasLow, biasHigh] = splitWords(bias);
  const source = bitsOf(keys);
  const words = new Uint32Array(source.length);
  for (let i = 0; i < words.length; i += 2) {
    const isNegative = (source[i + 1] as number) >>> 31 !== 0;
    const low = ((source[i] as number) ^ (isNegative ? negativeLow : positiveLow)) >>> 0;
    const high = (source[i + 1] as number) ^ (isNegative ? negativeHigh : positiveHigh);
    words[i] = low - biasLow;
    words[i + 1] = high - biasHigh - (low < biasLow ? 1 : 0);
  }
  return words;
}

/**
 * The inverse of `keysToWords`: writes the keys whose words are `words` into `keys`. O(n).
 */
export function wordsToKeys(words: Uint32Array, keys: KeyArray, traits: KeyTraits): void {
  if (traits.bits === 64) fromWords64(words, keys, traits);
  else wordsToNarrowKeys(words, keys, traits);
}

/** Writes the keys of up to 32 bits whose words are `words` into `keys`. O(n). */
export function wordsToNarrowKeys(
  words: Uint32Array,
  keys: KeyArray,
  { keyType, bits }: KeyTraits,
): void {
  const { negative, positive, bias } = keyTransform(keyType);
  const [ifNegative, ifPositive, add] = [Number(negative), Number(positive), Number(bias)];
  const sign = 2 ** (bits - 1);
  const target = bitsOf(keys);
  // Both masks flip the sign bit, or neither does: a set bit after the mask means a positive key
  // (signed, float), or tells nothing that matters (unsigned: both masks are 0).
  for (let i = 0; i < target.length; i++) {
    const masked = (words[i] as number) + add;
    target[i] = masked ^ (masked & sign ? ifPositive : ifNegative);
  }
}

function fromWords64(words: Uint32Array, keys: KeyArray, { keyType }: KeyTraits): void {
  const { negative, positive, bias } = keyTransform(keyType);
  const [negativeLow, negativeHigh] = splitWords(negative);
  const [positiveLow, positiveHigh] = splitWords(positive);
  const [biasLow, biasHigh] = splitWords(bias);
  const target = bitsOf(keys);
  for (let i = 0; i < target.length; i += 2) {
    const low = (words[i] as number) + biasLow;
    const high = (words[i + 1] as number) + biasHigh + (low > 0xffffffff ? 1 : 0);
    const isPositive = (high & 0x80000000) !== 0;
    target[i] = low ^ (isPositive ? positiveLow : negativeLow);
    target[i + 1] = high ^ (isPositive ? positiveHigh : negativeHigh);
  }
}
