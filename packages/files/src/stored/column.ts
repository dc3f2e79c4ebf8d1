/** A column with all that it holds: values of any type that is carried, and nulls. */

/** The unit of times. */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

/** What the values mean, whatever format they come from. */
export type ColumnType =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'integer'; readonly bits: 8 | 16 | 32 | 64; readonly isSigned: boolean }
  | { readonly kind: 'float'; readonly bits: 16 | 32 | 64 }
  | {
      readonly kind: 'decimal';
      readonly bits: 32 | 64 | 128;
      readonly precision: number;
      readonly scale: number;
    }
  | { readonly kind: 'date'; readonly unit: 'day' | 'ms' }
  | { readonly kind: 'time'; readonly unit: TimeUnit; readonly isUtc: boolean }
  | { readonly kind: 'timestamp'; readonly unit: TimeUnit; readonly zone: string | undefined }
  | { readonly kind: 'duration'; readonly unit: TimeUnit }
  | { readonly kind: 'text' }
  | { readonly kind: 'binary' }
  | { readonly kind: 'fixed binary'; readonly width: number; readonly isOrdered: boolean };

/** Values of one width, one a row; numbers are little-endian, booleans a byte of 0 or 1. */
export interface FixedValues {
  readonly kind: 'fixed';
  readonly width: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Row i has the bytes from `offsets[i]` up to `offsets[i + 1]`. */
export interface VariableValues {
  readonly kind: 'variable';
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Row i has the entry `places[i]` of a dictionary. */
export interface DictionaryValues {
  readonly kind: 'dictionary';
  readonly places: FixedValues;
  readonly arePlacesSigned: boolean;
  /** The entries' values, and which of them are not null. */
  readonly entries: Stored;
}

export type Values = FixedValues | VariableValues | DictionaryValues;

/** Rows of values, some of which may be null. */
export interface Stored {
  readonly rows: number;
  readonly values: Values;
  /** Bit i of byte i >> 3 is 1 where row i has a value; undefined where all have one. */
  readonly valid: Uint8Array<ArrayBuffer> | undefined;
}

/** A column of a table. */
export interface StoredColumn extends Stored {
  /** Its name in the file. */
  readonly name: string;
  /** What its values are. */
  readonly type: ColumnType;
  /** Whether the file allows nulls, though there may be none. */
  readonly isNullable: boolean;
}

/** Bytes of a value; undefined for values of any length. */
export function widthOf(type: ColumnType): number | undefined {
  switch (type.kind) {
    case 'boolean':
      return 1;
    case 'integer':
    case 'float':
    case 'decimal':
      return type.bits / 8;
    case 'date':
      return type.unit === 'day' ? 4 : 8;
    case 'time':
      return type.unit === 's' || type.unit === 'ms' ? 4 : 8;
    case 'timestamp':
    case 'duration':
      return 8;
    case 'fixed binary':
      return type.width;
    default:
      return undefined;
  }
}

/** Whether other threads see the memory that rows take. */
export function isShared({ values, valid }: Stored): boolean {
  const arrays = values.kind === 'variable' ? [values.offsets, values.bytes] : [];
  if (values.kind === 'fixed') arrays.push(values.bytes);
  if (values.kind === 'dictionary') arrays.push(values.places.bytes);
  if (valid !== undefined) arrays.push(valid);
  const areHere = arrays.some(({ buffer }) => (buffer as object) instanceof ArrayBuffer);
  return !areHere && (values.kind !== 'dictionary' || isShared(values.entries));
}

/** Bytes that rows take in memory. */
export function memoryOfStored({ values, valid }: Stored): number {
  const bits = valid?.length ?? 0;
  if (values.kind === 'fixed') return values.bytes.length + bits;
  if (values.kind === 'variable') return values.offsets.byteLength + values.bytes.length + bits;
  return values.places.bytes.length + memoryOfStored(values.entries) + bits;
}

/** Bytes of a bitmap of `rows` bits. */
export const bitmapBytes = (rows: number): number => (rows + 7) >> 3;

/** Whether row `row` has a value. */
export const isValid = (valid: Uint8Array | undefined, row: number): boolean =>
  valid === undefined || ((valid[row >> 3] as number) & (1 << (row & 7))) !== 0;

/** How many of `rows` rows are null. */
export function countNulls(valid: Uint8Array | undefined, rows: number): number {
  if (valid === undefined) return 0;
  let nulls = 0;
  for (let row = 0; row < rows; row++) {
    if (row % 8 === 0 && valid[row >> 3] === 0xff) row += 7;
    else if (!isValid(valid, row)) nulls++;
  }
  return nulls;
}

/** The first row that is null, or −1. */
export function firstNull(valid: Uint8Array | undefined, rows: number): number {
  if (valid === undefined) return -1;
  for (let row = 0; row < rows; row++) {
    if (row % 8 === 0 && valid[row >> 3] === 0xff) row += 7;
    else if (!isValid(valid, row)) return row;
  }
  return -1;
}

/** A bit for a byte of 0 or 1. */
export function packed(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(bitmapBytes(bytes.length));
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 1) (out[i >> 3] as number) |= 1 << (i & 7);
  }
  return out;
}
