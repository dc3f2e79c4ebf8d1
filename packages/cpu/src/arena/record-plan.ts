/** The records of a column: which ones are moved, and how keys and payloads become them. */

import {
  bitsOf,
  type KeyType,
  keyTraits,
  type RequestShape,
  type TypedArray,
  traitsOf,
} from '@keysweep/core';
import {
  ABSENT,
  FLOAT,
  KEYS_32,
  KEYS_64,
  PAIRS_32,
  PAIRS_64,
  SIGNED_32,
  UNSIGNED_32,
  WORDS_64,
} from '@keysweep/kernels/cpu';

/** How one column's keys and payloads lie in memory. */
export interface RecordPlan {
  /** The record layout, FLOAT added where it applies: see kernels/cpu/constants.ts. */
  readonly variant: number;
  /** Bytes of a record. */
  readonly stride: 4 | 8 | 16;
  readonly keyFormat: number;
  readonly keyBytes: 4 | 8;
  /** ABSENT for keys alone. */
  readonly valueFormat: number;
  /** Bytes of a payload where the host stages it or takes it out; an index is made in place. */
  readonly valueBytes: 0 | 4 | 8;
}

/** Chooses the narrowest record for a column of `keyType` and the payload of `shape`. */
export function planRecords(shape: RequestShape, keyType: KeyType): RecordPlan {
  const { bits, kind } = keyTraits(keyType);
  const keyBytes = bits === 64 ? 8 : 4;
  const narrowFormat = kind === 'unsigned' ? UNSIGNED_32 : SIGNED_32;
  const keyFormat = bits === 64 ? WORDS_64 : narrowFormat;
  const float = kind === 'float' ? FLOAT : 0;
  if (shape.operation === 'sort') {
    const variant = (bits === 64 ? KEYS_64 : KEYS_32) | float;
    return { variant, stride: keyBytes, keyFormat, keyBytes, valueFormat: ABSENT, valueBytes: 0 };
  }
  const valueBytes = shape.valueBytes === 8 ? 8 : 4;
  const isWide = keyBytes === 8 || valueBytes === 8;
  return {
    variant: (isWide ? PAIRS_64 : PAIRS_32) | float,
    stride: isWide ? 16 : 8,
    keyFormat,
    keyBytes,
    valueFormat: valueBytes === 8 ? WORDS_64 : UNSIGNED_32,
    valueBytes,
  };
}

/**
 * The integers to copy into 32-bit slots so that each key keeps its sign: what
 * `Int32Array.prototype.set` widens. Bits of 32- and 64-bit keys are copied as they are.
 */
export function widening(array: TypedArray): Int8Array | Int16Array | ReturnType<typeof bitsOf> {
  const { kind } = traitsOf(array);
  const { buffer, byteOffset, length } = array;
  if (kind === 'unsigned' || array.BYTES_PER_ELEMENT > 2) return bitsOf(array);
  return array.BYTES_PER_ELEMENT === 1
    ? new Int8Array(buffer, byteOffset, length)
    : new Int16Array(buffer, byteOffset, length);
}
