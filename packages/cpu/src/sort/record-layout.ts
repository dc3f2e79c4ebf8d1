/**
 * How a request lies in memory: which record layout serves it, and in what format keys and payloads
 * enter and leave.
 */

import {
  bitsOf,
  type KeyType,
  keyTraits,
  type RequestShape,
  type TypedArray,
  traitsOf,
} from '@keysweep/core';
import { Format, Layout } from '@keysweep/kernels/cpu';

/** The layout of one column's records. */
export interface RecordPlan {
  /** A `Layout`, FLOAT added where it applies. */
  readonly layout: number;
  /** Bytes of a record. */
  readonly stride: 4 | 8 | 16;
  readonly keyFormat: number;
  readonly keyBytes: 4 | 8;
  readonly valueFormat: number;
  /** Bytes of a payload where the host hands it in or takes it out; an index is made in place. */
  readonly valueBytes: 0 | 4 | 8;
}

/** Chooses the narrowest record for a column of `keyType` and the payload of `shape`. */
export function planRecords(shape: RequestShape, keyType: KeyType): RecordPlan {
  const { bits, kind } = keyTraits(keyType);
  const keyBytes = bits === 64 ? 8 : 4;
  const narrowFormat = kind === 'unsigned' ? Format.UNSIGNED_32 : Format.SIGNED_32;
  const keyFormat = bits === 64 ? Format.WORDS_64 : narrowFormat;
  const float = kind === 'float' ? Layout.FLOAT : 0;
  if (shape.operation === 'sort') {
    const layout = bits === 64 ? Layout.KEYS_64 : Layout.KEYS_32;
    const stride = keyBytes;
    return { layout: layout | float, stride, keyFormat, keyBytes, valueFormat: 0, valueBytes: 0 };
  }
  const valueBytes = shape.valueBytes === 8 ? 8 : 4;
  const wide = keyBytes === 8 || valueBytes === 8;
  return {
    layout: (wide ? Layout.PAIRS_64 : Layout.PAIRS_32) | float,
    stride: wide ? 16 : 8,
    keyFormat,
    keyBytes,
    valueFormat: valueBytes === 8 ? Format.WORDS_64 : Format.UNSIGNED_32,
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
