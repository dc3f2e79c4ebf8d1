/** Files as records: bare numbers are records whose key is all of them. */

import { type KeyArray, type KeyType, keyTraits, type Order } from '@keysweep/core';

/** A part of a record to sort by. */
export interface Key {
  readonly at: number;
  readonly bytes: number;
  /** undefined for bytes in the order of bytes. */
  readonly type: KeyType | undefined;
  readonly order: Order;
}

export interface Layout {
  /** Bytes of a record. */
  readonly width: number;
  /** Most significant first, at least one. */
  readonly keys: readonly Key[];
  /** The type of bare numbers; undefined for records. */
  readonly numbers: KeyType | undefined;
}

export const bytesOf = (type: KeyType): number => keyTraits(type).bits / 8;

/** Makes views of numbers. */
export type NumberArrayClass = new (
  buffer: ArrayBuffer,
  byteOffset: number,
  length: number,
) => KeyArray;

const CLASSES: Readonly<Record<KeyType, string>> = {
  u8: 'Uint8Array',
  i8: 'Int8Array',
  u16: 'Uint16Array',
  i16: 'Int16Array',
  f16: 'Float16Array',
  u32: 'Uint32Array',
  i32: 'Int32Array',
  f32: 'Float32Array',
  u64: 'BigUint64Array',
  i64: 'BigInt64Array',
  f64: 'Float64Array',
};

/** The class of arrays of `type`; undefined for 'f16' where the runtime has none. */
export const numberArrayClass = (type: KeyType): NumberArrayClass | undefined =>
  (globalThis as unknown as Record<string, NumberArrayClass | undefined>)[CLASSES[type]];

/** Records in the largest units that they are whole numbers of: 4, 2 or 1 bytes. */
export function inUnits(
  { buffer, byteOffset, length }: Uint8Array,
  width: number,
): Uint32Array | Uint16Array | Uint8Array {
  const unit = ([4, 2, 1] as const).find((size) => width % size === 0) as 4 | 2 | 1;
  const UnitArray = { 4: Uint32Array, 2: Uint16Array, 1: Uint8Array }[unit];
  return new UnitArray(buffer as ArrayBuffer, byteOffset, length / unit);
}
