/**
 * The parts of Arrow's `Data`, read and made the same way everywhere. `Data` itself may hold longer
 * arrays than its rows need, and leaves out arrays that are empty.
 */

import { type Data, DataType, type Vector } from 'apache-arrow';

/** Arrays of numbers that Arrow keeps values in. */
export type Values =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** Places of values that have no fixed size. */
export type Offsets = Int32Array | BigInt64Array;

/** Which rows have a value, as Arrow keeps it, and how many have none. */
export interface Validity {
  readonly bits: Uint8Array | undefined;
  readonly nulls: number;
}

/** The parts of rows; what a type does not have is left out. */
export interface Parts {
  readonly validity?: Validity;
  readonly values?: Values;
  readonly offsets?: Offsets;
  readonly typeIds?: Int8Array;
  readonly children?: Data[];
  readonly dictionary?: Vector;
  readonly buffers?: readonly Uint8Array[];
}

/** `length` rows of the type of `like`, from their parts, by the same copy of apache-arrow. */
export function makeRows(like: Data, length: number, parts: Parts): Data {
  const { validity, values, offsets, typeIds, children, dictionary, buffers } = parts;
  const arrays = [offsets, values, validity?.bits, typeIds] as never;
  const nulls = validity?.nulls ?? 0;
  const Rows = like.constructor as typeof Data;
  return new Rows(like.type, 0, length, nulls, arrays, children, dictionary, buffers);
}

/** The elements of exactly these rows, because memory from a file may be longer. Not for bits. */
export function valuesOf({ values, stride, length, type }: Data): Values {
  return (values ?? new type.ArrayType(0)).subarray(0, stride * length);
}

/**
 * The offsets of exactly these rows, one more than there are rows. Arrow may have none for none.
 */
export function offsetsOf({ valueOffsets, type, length }: Data): Offsets {
  const offsets = (valueOffsets ?? []) as Offsets;
  return offsets.length > length ? offsets.subarray(0, length + 1) : new type.OffsetArrayType(1);
}

/** Offsets of `rows` values of `type`, all 0. */
export function newOffsets(type: DataType, rows: number): Offsets {
  return new type.OffsetArrayType(rows + 1);
}

/** The largest offset that such an array can hold. */
export const offsetLimit = (offsets: Offsets): number =>
  offsets instanceof Int32Array ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;

export const NO_NULLS: Validity = { bits: undefined, nulls: 0 };

/**
 * The bitmap of the rows that have a value, which begins at bit `offset`; undefined if there is no
 * null. Unions have no bitmap of their own.
 */
export function validBitsOf({ type, nullBitmap, nullCount }: Data): Uint8Array | undefined {
  return !DataType.isUnion(type) && nullCount > 0 ? nullBitmap : undefined;
}

/**
 * Bytes of a view. The first 4 are the size of the value. A value of up to `INLINE` bytes follows
 * right there; otherwise its first 4 bytes follow, the number of its buffer, and its place there.
 */
export const VIEW = 16;
export const INLINE = 12;

/** A child with exactly as many rows, because the children of structs may be longer. */
export function childOf({ children }: Data, index: number, rows: number): Data {
  const child = children[index] as Data;
  return child.length === rows ? child : child.slice(0, rows);
}

export const isSet = (bits: Uint8Array, bit: number): boolean =>
  (((bits[Math.floor(bit / 8)] as number) >> (bit % 8)) & 1) === 1;

export const setBit = (bits: Uint8Array, bit: number): void => {
  const byte = Math.floor(bit / 8);
  bits[byte] = (bits[byte] as number) | (1 << (bit % 8));
};

/** A bitmap of zeros. */
export const newBits = (count: number): Uint8Array => new Uint8Array(Math.ceil(count / 8));
