/** Turns a column of Apache Arrow into columns that `argsort` of keysweep can sort. */

import {
  type Data,
  DataType,
  type Interval,
  IntervalUnit,
  Precision,
  type Vector,
} from 'apache-arrow';
import { type ArgsortOptions, argsort, type ColumnOptions, type StringColumn } from 'keysweep';
import { joinChunks, joinDictionaries } from './join.js';
import { layoutOf } from './layout.js';
import { INLINE, isSet, offsetsOf, VIEW, validBitsOf, valuesOf } from './rows.js';

/** How a column orders rows: see `SortColumn`. */
export type Ordering = Pick<ColumnOptions, 'order' | 'nulls' | 'nans' | 'zeros'>;

/** What the ranks of a dictionary are sorted with. */
export type Controls = Pick<ArgsortOptions, 'backend' | 'signal'>;

/** A type whose values have no order. */
export class NoOrderError extends TypeError {}

/**
 * The columns that order rows as the chunks of one Arrow column do. A single chunk of numbers,
 * UTF-8 or binary values is used in place, with its validity; anything else is copied.
 * @throws TypeError for a type whose values have no order.
 */
export async function keysOf(
  chunks: readonly Data[],
  ordering: Ordering,
  controls: Controls,
): Promise<ColumnOptions[]> {
  const { type } = chunks[0] as Data;
  if (DataType.isDictionary(type)) return [await ranksOf(chunks, ordering, controls)];
  assertOrder(type);
  const data = joinChunks(chunks);
  const valid = validBitsOf(data);
  const validity = valid && { valid, validOffset: data.offset };
  return arraysOf(data).map((keys) => ({ ...keys, ...ordering, ...validity }));
}

/** @throws NoOrderError for types whose values have no order. */
function assertOrder(type: DataType): void {
  const layout = layoutOf(type);
  const isNested = !['none', 'bits', 'fixed', 'bytes', 'views'].includes(layout);
  // Days and milliseconds cannot be compared: a day has no fixed number of milliseconds.
  const isMixed = DataType.isInterval(type) && (type as Interval).unit !== IntervalUnit.YEAR_MONTH;
  if (isNested || isMixed) throw new NoOrderError(`values of type ${type} have no order`);
}

type Keys = Pick<ColumnOptions, 'keys' | 'as'>;

/** The values of a column, in parts if they are long: the part that decides first comes first. */
function arraysOf(data: Data): Keys[] {
  const { type, length } = data;
  const layout = layoutOf(type);
  // Nulls, or binary values of no bytes: all are equal.
  if (layout === 'none' || data.stride === 0) return [{ keys: new Uint8Array(length) }];
  if (layout === 'bits') return [{ keys: bytesOfBits(data) }];
  if (layout === 'bytes') {
    return [{ keys: { offsets: offsetsOf(data), bytes: data.values ?? new Uint8Array() } }];
  }
  if (layout === 'views') return [{ keys: bytesOfViews(data) }];
  const values = valuesOf(data);
  if (DataType.isFixedSizeBinary(type)) {
    return [{ keys: { width: type.byteWidth, bytes: values as Uint8Array } }];
  }
  if (DataType.isDecimal(type)) return wordsOfDecimals(values as Uint32Array, data.stride);
  const isHalf = DataType.isFloat(type) && type.precision === Precision.HALF;
  return [isHalf ? { keys: values, as: 'f16' } : { keys: values }];
}

function bytesOfBits({ values, offset, length }: Data): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let row = 0; row < length; row++) bytes[row] = isSet(values, offset + row) ? 1 : 0;
  return bytes;
}

function bytesOfViews(data: Data): StringColumn {
  const { length, variadicBuffers } = data;
  const values = valuesOf(data) as Uint8Array;
  const views = new DataView(values.buffer, values.byteOffset, values.byteLength);
  const valid = validBitsOf(data);
  const sizeOf = (row: number): number => {
    const isNull = valid !== undefined && !isSet(valid, data.offset + row);
    return isNull ? 0 : views.getInt32(VIEW * row, true);
  };
  const offsets = new BigInt64Array(length + 1);
  let end = 0;
  for (let row = 0; row < length; row++) {
    end += sizeOf(row);
    offsets[row + 1] = BigInt(end);
  }
  const bytes = new Uint8Array(end);
  for (let row = 0, to = 0; row < length; row++) {
    const at = VIEW * row;
    const size = sizeOf(row);
    const isInline = size <= INLINE;
    const buffer = isInline ? values : variadicBuffers[views.getInt32(at + 8, true)];
    const from = isInline ? at + 4 : views.getInt32(at + 12, true);
    for (let i = 0; i < size; i++) bytes[to++] = buffer?.[from + i] as number;
  }
  return { offsets, bytes };
}

/**
 * Decimals are in two's complement, as 32-bit words with the lowest first. The highest 64 bits hold
 * the sign; the lower ones decide only if the higher ones are equal.
 */
function wordsOfDecimals(values: Uint32Array, stride: number): Keys[] {
  const { buffer, byteOffset, length } = values;
  if (stride === 1) return [{ keys: new Int32Array(buffer, byteOffset, length) }];
  return Array.from({ length: stride / 2 }, (_, i) => {
    const low = stride - 2 - 2 * i;
    const halves = new Uint32Array((2 * length) / stride);
    for (let at = low, to = 0; at < length; at += stride) {
      halves[to++] = values[at] as number;
      halves[to++] = values[at + 1] as number;
    }
    const Words = i === 0 ? BigInt64Array : BigUint64Array;
    return { keys: new Words(halves.buffer) };
  });
}

/** A dictionary's column: the ranks of the values that its codes stand for. */
async function ranksOf(
  chunks: readonly Data[],
  ordering: Ordering,
  controls: Controls,
): Promise<ColumnOptions> {
  const { dictionary, starts } = joinDictionaries(chunks);
  const ranks = await rankValues(dictionary, ordering, controls);
  const nullRank = ordering.nulls === 'first' ? 0 : dictionary.length + 1;
  for (let i = 0; i < ranks.length; i++) if (!dictionary.isValid(i)) ranks[i] = nullRank;
  const keys = new Uint32Array(chunks.reduce((rows, { length }) => rows + length, 0));
  let at = 0;
  chunks.forEach((chunk, i) => {
    const [codes, valid, start] = [valuesOf(chunk), validBitsOf(chunk), starts[i] as number];
    for (let row = 0; row < chunk.length; row++, at++) {
      const isNull = valid !== undefined && !isSet(valid, chunk.offset + row);
      const rank = isNull ? nullRank : ranks[start + Number(codes[row])];
      if (rank === undefined) {
        throw new RangeError(`code ${codes[row]} of row ${at} is not in the dictionary`);
      }
      keys[at] = rank;
    }
  });
  return { keys, order: 'ascending' };
}

/** By value of a dictionary its rank among all, from 1 on; equal values have the same. */
async function rankValues(
  dictionary: Vector,
  ordering: Ordering,
  controls: Controls,
): Promise<Uint32Array> {
  const columns = await keysOf(dictionary.data, ordering, controls);
  const { length } = dictionary;
  const backwards = Uint32Array.from({ length }, (_, i) => length - 1 - i);
  const order = await argsort(columns, controls);
  const orderBackwards = await argsort(columns, { ...controls, indices: backwards });
  const ranks = new Uint32Array(length);
  // Both orders have a run of equal values in the same places. The first value of a run in one
  // order is its last in the other, for ties keep the order that they are given in.
  let rank = 0;
  let first: number | undefined;
  for (let i = 0; i < length; i++) {
    const value = order[i] as number;
    if (first === undefined) {
      first = value;
      rank++;
    }
    ranks[value] = rank;
    if (orderBackwards[i] === first) first = undefined;
  }
  return ranks;
}
