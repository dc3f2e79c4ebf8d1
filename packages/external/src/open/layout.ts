/** Files as records: bare numbers are records whose key is all of them. */

import { arrayNameOf, type KeyArray, type KeyType, keyTraits, type Order } from '@keysweep/core';

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

/** The class of arrays of `type`; undefined for 'f16' where the runtime has none. */
export const numberArrayClass = (type: KeyType): NumberArrayClass | undefined =>
  (globalThis as unknown as Record<string, NumberArrayClass | undefined>)[arrayNameOf(type)];

/** Records in the largest units that they are whole numbers of: 4, 2 or 1 bytes. */
export function inUnits(
  { buffer, byteOffset, length }: Uint8Array,
  width: number,
): Uint32Array | Uint16Array | Uint8Array {
  const unit = ([4, 2, 1] as const).find((size) => width % size === 0) as 4 | 2 | 1;
  const UnitArray = { 4: Uint32Array, 2: Uint16Array, 1: Uint8Array }[unit];
  return new UnitArray(buffer as ArrayBuffer, byteOffset, length / unit);
}
