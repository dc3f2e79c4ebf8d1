/** A request in the form that the engine takes: words, and how they are ordered. */

import { type KeyBits, type KeyType, keyTraits, keyTransform, type Order } from '@keysweep/core';

/**
 * The order of a column's keys: the arguments of kernels/webgl2/load.glsl and store.glsl of these
 * names, 32 bits each, as signed numbers.
 */
export interface KeyOrder {
  readonly negativeHigh: number;
  readonly negativeLow: number;
  readonly positiveHigh: number;
  readonly positiveLow: number;
  readonly biasHigh: number;
  readonly biasLow: number;
  readonly ceilingHigh: number;
  readonly ceilingLow: number;
  readonly maskHigh: number;
  readonly maskLow: number;
  readonly flip: number;
}

/** A column of keys. */
export interface Column {
  /**
   * Bits of the keys: one word a key, narrow keys in its high bits; or two words, the low one
   * first.
   */
  readonly words: Uint32Array<ArrayBuffer>;
  readonly wordsPer: 1 | 2;
  readonly order: KeyOrder;
}

/** What to sort, and what to return. */
export interface Job {
  readonly length: number;
  /**
   * 'keys': the words of the only column, one a key, in order. Equal words are the same, so that
   * the sort need not be stable. 'permutation': the stable order of the rows by the columns, the
   * most significant first.
   */
  readonly wanted: 'keys' | 'permutation';
  readonly columns: readonly [Column, ...Column[]];
}

/** The result of a job. */
export interface Sorted {
  /** Keys or permutation, one word each. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** Passes of the network over all elements. */
  readonly passes: number;
}

const ALL = (1n << 64n) - 1n;

/**
 * The order of `keyType` keys in a job. All NaNs tie in a permutation. If the keys themselves are
 * wanted, they don't, because the words have to hold all bits of a key.
 */
export function keyOrder(
  keyType: KeyType,
  order: Order,
  wanted: Job['wanted'],
  keyBits?: KeyBits,
): KeyOrder {
  const { bits } = keyTraits(keyType);
  const { negative, positive, bias, ceiling } = keyTransform(keyType);
  // A key is in the high bits of 64.
  const up = BigInt(64 - bits);
  const { begin, end } = keyBits ?? { begin: 0, end: bits };
  const mask = keyBits === undefined ? ALL : ((1n << BigInt(end)) - (1n << BigInt(begin))) << up;
  const high = (value: bigint): number => Number(BigInt.asIntN(32, value >> 32n));
  const low = (value: bigint): number => Number(BigInt.asIntN(32, value));
  const top = wanted === 'keys' ? ALL : ceiling << up;
  return {
    negativeHigh: high(negative << up),
    negativeLow: low(negative << up),
    positiveHigh: high(positive << up),
    positiveLow: low(positive << up),
    biasHigh: high(bias << up),
    biasLow: low(bias << up),
    ceilingHigh: high(top),
    ceilingLow: low(top),
    maskHigh: high(mask),
    maskLow: low(mask),
    flip: order === 'descending' ? -1 : 0,
  };
}
