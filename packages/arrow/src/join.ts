/** The chunks of a column as one: a table of several batches has one chunk in each. */

import { type Data, DataType, type Union, type Vector } from 'apache-arrow';
import { layoutOf } from './layout.js';
import {
  childOf,
  INLINE,
  isSet,
  makeRows,
  NO_NULLS,
  newBits,
  newOffsets,
  type Offsets,
  offsetLimit,
  offsetsOf,
  type Parts,
  setBit,
  type Validity,
  type Values,
  VIEW,
  validBitsOf,
  valuesOf,
} from './rows.js';

/**
 * All rows of chunks of one type. A chunk that has all rows is returned as it is, without a copy.
 * @throws RangeError if together they have more than their offsets or codes can count.
 */
export function joinChunks(given: readonly Data[]): Data {
  const filled = given.filter(({ length }) => length > 0);
  const chunks = filled.length > 0 ? filled : given.slice(0, 1);
  const [first] = chunks;
  if (first === undefined) throw new TypeError('a column has at least one chunk');
  if (chunks.length === 1) return first;
  const { type } = first;
  const length = sum(chunks.map(({ length }) => length));
  const parts = DataType.isDictionary(type) ? joinCodes(chunks) : joinParts(chunks);
  return makeRows(first, length, { ...parts, validity: joinValidity(chunks, length) });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

type Chunks = readonly Data[];

function joinParts(chunks: Chunks): Parts {
  const { type, stride, children } = chunks[0] as Data;
  switch (layoutOf(type)) {
    case 'none':
      return {};
    case 'bits':
      return { values: joinBits(chunks, ({ values }) => values) };
    case 'fixed':
      return { values: joinArrays(chunks.map(valuesOf)) };
    case 'views':
      return joinViews(chunks);
    case 'bytes': {
      const offsets = chunks.map(offsetsOf);
      const values = chunks.map(({ values }, i) => within(values, offsets[i] as Offsets));
      return { offsets: joinOffsets(type, offsets), values: joinArrays(values) };
    }
    case 'list': {
      const offsets = chunks.map(offsetsOf);
      const elements = chunks.map(({ children }, i) => {
        const [from, to] = rangeOf(offsets[i] as Offsets);
        return (children[0] as Data).slice(from, to - from);
      });
      return { offsets: joinOffsets(type, offsets), children: [joinChunks(elements)] };
    }
    case 'fixed-list': {
      const elements = chunks.map((chunk) => childOf(chunk, 0, stride * chunk.length));
      return { children: [joinChunks(elements)] };
    }
    case 'struct':
      return { children: joinChildren(chunks, children.length) };
    case 'sparse-union':
      return { typeIds: joinTypeIds(chunks), children: joinChildren(chunks, children.length) };
    case 'dense-union':
      return joinDenseUnions(chunks);
  }
}

function joinArrays<T extends Values>(arrays: readonly T[]): T {
  const ArrayType = (arrays[0] as T).constructor as new (length: number) => T;
  const joined = new ArrayType(sum(arrays.map(({ length }) => length)));
  let at = 0;
  for (const array of arrays) {
    joined.set(array as never, at);
    at += array.length;
  }
  return joined;
}

function joinBits(chunks: Chunks, bitsOf: (chunk: Data) => Uint8Array | undefined): Uint8Array {
  const joined = newBits(sum(chunks.map(({ length }) => length)));
  let at = 0;
  for (const chunk of chunks) {
    const bits = bitsOf(chunk);
    for (let row = 0; row < chunk.length; row++, at++) {
      if (bits === undefined || isSet(bits, chunk.offset + row)) setBit(joined, at);
    }
  }
  return joined;
}

function joinValidity(chunks: Chunks, length: number): Validity {
  if (DataType.isNull((chunks[0] as Data).type)) return { bits: undefined, nulls: length };
  if (chunks.every((chunk) => validBitsOf(chunk) === undefined)) return NO_NULLS;
  const bits = joinBits(chunks, validBitsOf);
  return { bits, nulls: sum(chunks.map(({ nullCount }) => nullCount)) };
}

const rangeOf = (offsets: Offsets): [number, number] => [
  Number(offsets[0]),
  Number(offsets[offsets.length - 1]),
];

const within = (values: Uint8Array | undefined, offsets: Offsets): Uint8Array =>
  (values ?? new Uint8Array()).subarray(...rangeOf(offsets));

function joinOffsets(type: DataType, all: readonly Offsets[]): Offsets {
  const joined = newOffsets(type, sum(all.map(({ length }) => length - 1)));
  const isWide = joined instanceof BigInt64Array;
  let [row, end] = [0, 0];
  for (const offsets of all) {
    const [from, to] = rangeOf(offsets);
    const moved = end - from;
    end += to - from;
    if (end > offsetLimit(joined)) {
      throw new RangeError(
        `a column of type ${type} is over ${offsetLimit(joined)} long in all its batches, ` +
          'which its offsets cannot count: sort slices of the table, or use a Large type',
      );
    }
    for (let i = 1; i < offsets.length; i++) {
      const offset = Number(offsets[i]) + moved;
      joined[++row] = isWide ? BigInt(offset) : offset;
    }
  }
  return joined;
}

/** A buffer that several chunks share is taken over once. */
function joinViews(chunks: Chunks): Parts {
  const values = joinArrays(chunks.map(valuesOf)) as Uint8Array;
  const views = new DataView(values.buffer, values.byteOffset, values.byteLength);
  const places = new Map<Uint8Array, number>();
  let at = 0;
  for (const { length, variadicBuffers } of chunks) {
    for (const buffer of variadicBuffers) {
      if (!places.has(buffer)) places.set(buffer, places.size);
    }
    for (const end = at + VIEW * length; at < end; at += VIEW) {
      if (views.getInt32(at, true) <= INLINE) continue;
      const buffer = variadicBuffers[views.getInt32(at + 8, true)] as Uint8Array;
      views.setInt32(at + 8, places.get(buffer) as number, true);
    }
  }
  return { values, buffers: [...places.keys()] };
}

const joinChildren = (chunks: Chunks, count: number): Data[] =>
  Array.from({ length: count }, (_, i) =>
    joinChunks(chunks.map((chunk) => childOf(chunk, i, chunk.length))),
  );

const joinTypeIds = (chunks: Chunks): Int8Array =>
  joinArrays(chunks.map(({ typeIds, length }) => (typeIds as Int8Array).subarray(0, length)));

function joinDenseUnions(chunks: Chunks): Parts {
  const [{ type, children }] = chunks as [Data];
  const { typeIdToChildIndex } = type as Union;
  const typeIds = joinTypeIds(chunks);
  const offsets = new Int32Array(typeIds.length);
  const starts = children.map(() => 0);
  let at = 0;
  for (const chunk of chunks) {
    for (let row = 0; row < chunk.length; row++, at++) {
      const start = starts[typeIdToChildIndex[typeIds[at] as number] as number] as number;
      offsets[at] = start + chunk.valueOffsets[row];
    }
    chunk.children.forEach(({ length }, i) => {
      starts[i] = (starts[i] as number) + length;
    });
  }
  const joined = children.map((_, i) =>
    joinChunks(chunks.map((chunk) => chunk.children[i] as Data)),
  );
  return { typeIds, offsets, children: joined };
}

/** One dictionary for all chunks, and for each chunk where its own dictionary begins in it. */
export interface Dictionaries {
  readonly dictionary: Vector;
  readonly starts: readonly number[];
}

/**
 * If each dictionary continues the one before, as in a stream that grows, the longest serves for
 * all. Others are concatenated.
 */
export function joinDictionaries(chunks: Chunks): Dictionaries {
  const longest: Vector[] = [];
  const places = chunks.map(({ dictionary }) => {
    const own = dictionary as Vector;
    const place = longest.findIndex((other) => begins(own, other) || begins(other, own));
    if (place < 0) return longest.push(own) - 1;
    if (begins(longest[place] as Vector, own)) longest[place] = own;
    return place;
  });
  const before = [0];
  for (const { length } of longest) before.push((before.at(-1) ?? 0) + length);
  const [first, ...others] = longest as [Vector, ...Vector[]];
  return {
    dictionary: others.length === 0 ? first : first.concat(...others),
    starts: places.map((place) => before[place] as number),
  };
}

/** Whether a dictionary is another, or its first chunks are those of the other. */
const begins = (start: Vector, whole: Vector): boolean =>
  start.data.length <= whole.data.length && start.data.every((chunk, i) => chunk === whole.data[i]);

function joinCodes(chunks: Chunks): Parts {
  const { dictionary, starts } = joinDictionaries(chunks);
  // Of 64 bits they are not: no vector reads such codes.
  const codes = joinArrays(chunks.map(valuesOf)) as Int32Array;
  let at = 0;
  chunks.forEach((chunk, i) => {
    const start = starts[i] as number;
    for (let row = 0; row < chunk.length; row++, at++) {
      if (start === 0 || !chunk.getValid(row)) continue;
      const code = (codes[at] as number) + start;
      codes[at] = code;
      if (codes[at] === code) continue;
      throw new RangeError(
        `a column of type ${chunk.type} has dictionaries that differ from batch to batch: ` +
          `its codes cannot count all ${dictionary.length} values`,
      );
    }
  });
  return { values: codes, dictionary };
}
