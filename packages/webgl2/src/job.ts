/** What the backend asks of the GPU, in a form that can be sent to a worker. */

import { type KeyBits, type KeyType, keyTraits, keyTransform, type Order } from '@keysweep/core';

/**
 * The order of a column's keys: arguments of kernels/webgl2/load.glsl and store.glsl, by their names there. 32 bits each, as
 * signed numbers.
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
  /** Bits of the keys: one word a key, narrow ones at the top; or two words, low one first. */
  readonly words: Uint32Array<ArrayBuffer>;
  readonly wordsPer: 1 | 2;
  readonly order: KeyOrder;
}

/** What to sort, and what is wanted of it. */
export interface Job {
  readonly length: number;
  /**
   * 'keys': the words of the only column, of one word a key, in order; equal ones are told apart by nothing, so that the order
   * need not be stable. 'permutation': of the rows, by the columns, most significant first; stable.
   */
  readonly wanted: 'keys' | 'permutation';
  readonly columns: readonly [Column, ...Column[]];
}

/** What came of it. */
export interface Sorted {
  /** Keys or permutation, one word each. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** Passes of the network over all elements. */
  readonly passes: number;
}

const ALL = (1n << 64n) - 1n;

/**
 * The order of `keyType` keys. Where keys alone are sorted (`asKeys`), NaNs are not ties: they keep their bits, which have to
 * be found again.
 */
export function keyOrder(
  keyType: KeyType,
  order: Order,
  keyBits: KeyBits | undefined,
  asKeys: boolean,
): KeyOrder {
  const { bits } = keyTraits(keyType);
  const { negative, positive, bias, ceiling } = keyTransform(keyType);
  // Keys are at the top of 64 bits.
  const up = BigInt(64 - bits);
  const { begin, end } = keyBits ?? { begin: 0, end: bits };
  const mask = keyBits === undefined ? ALL : ((1n << BigInt(end)) - (1n << BigInt(begin))) << up;
  const high = (value: bigint): number => Number(BigInt.asIntN(32, value >> 32n));
  const low = (value: bigint): number => Number(BigInt.asIntN(32, value));
  const top = asKeys ? ALL : ceiling << up;
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
