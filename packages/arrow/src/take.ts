/** New rows of a table, column by column. */

import {
  type Data,
  DataType,
  type RecordBatch,
  type Struct,
  type Table,
  type TypeMap,
  type Union,
} from 'apache-arrow';
import { assertTable, describe } from './check.js';
import { joinChunks } from './join.js';
import { layoutOf } from './layout.js';
import {
  isSet,
  makeRows,
  NO_NULLS,
  newBits,
  newOffsets,
  offsetLimit,
  offsetsOf,
  type Parts,
  setBit,
  type Validity,
  type Values,
  validBitsOf,
  valuesOf,
} from './rows.js';

/**
 * A new table whose row i is row `permutation[i]` of `table`: in another order, some rows, or some
 * of them several times. Schema and types stay, nested columns too, and all rows are one batch. A
 * table without batches is returned as it is.
 *
 * ```ts
 * const table = tableFromArrays({ name: ['b', 'a', 'c'], size: Int32Array.of(5, 7, 6) });
 * take(table, Uint32Array.of(1, 0)).toString();
 * // [ {"name": "a", "size": 7}, {"name": "b", "size": 5} ]
 * ``` Takes as much time and memory as the new rows are large. Dictionaries and the buffers of
 * views are not copied. If a column has several chunks, they are first copied into one, one column
 * at a time.
 * @throws TypeError if `table` is not a table, or `permutation` not a Uint32Array; RangeError for a
 *   row that the table does not have, or if the new rows have more bytes or elements than their
 *   offsets can count.
 */
export function take<T extends TypeMap>(table: Table<T>, permutation: Uint32Array): Table<T> {
  assertTable(table);
  if (!(permutation instanceof Uint32Array)) {
    throw new TypeError(`permutation must be a Uint32Array of rows, got ${describe(permutation)}`);
  }
  const { numRows, schema } = table;
  const wrong = permutation.findIndex((row) => row >= numRows);
  if (wrong >= 0) {
    throw new RangeError(
      `permutation must hold rows below the table's ${numRows}, ` +
        `but element ${wrong} is ${permutation[wrong]}`,
    );
  }
  const [batch] = table.batches;
  // A table without rows may have no batch.
  if (batch === undefined) return table;
  const children = schema.fields.map((_, column) =>
    takeRows(joinChunks(table.getChildAt(column)?.data ?? []), permutation),
  );
  const data = makeRows(batch.data, permutation.length, { children }) as Data<Struct<T>>;
  // By its own classes: a program may have several copies of apache-arrow.
  const [Batch, Rows] = [
    batch.constructor as typeof RecordBatch,
    table.constructor as typeof Table,
  ];
  return new Rows(schema, new Batch<T>(schema, data));
}

/** The rows `rows` of `data`, in this order. */
function takeRows(data: Data, rows: Uint32Array): Data {
  const { dictionary } = data;
  const parts = takeParts(data, rows);
  const validity = takeValidity(data, rows);
  return makeRows(data, rows.length, { ...parts, validity, ...(dictionary && { dictionary }) });
}

function takeParts(data: Data, rows: Uint32Array): Parts {
  const { type, stride, children } = data;
  switch (layoutOf(type)) {
    case 'none':
      return {};
    case 'bits':
      return { values: takeBits(data.values, data.offset, rows) };
    case 'fixed':
      return { values: takeValues(valuesOf(data), stride, rows) };
    case 'views': {
      const values = takeValues(valuesOf(data), stride, rows);
      return { values, buffers: data.variadicBuffers };
    }
    case 'bytes':
      return takeBytes(data, rows);
    case 'list':
      return takeLists(data, rows);
    case 'fixed-list':
      return { children: [takeRows(data.children[0] as Data, repeatRows(rows, stride))] };
    case 'struct':
      return { children: children.map((child) => takeRows(child, rows)) };
    case 'sparse-union':
      return {
        typeIds: takeValues(data.typeIds, 1, rows) as Int8Array,
        children: children.map((child) => takeRows(child, rows)),
      };
    case 'dense-union':
      return takeDenseUnion(data, rows);
  }
}

function takeValidity(data: Data, rows: Uint32Array): Validity {
  if (DataType.isNull(data.type)) return { bits: undefined, nulls: rows.length };
  const source = validBitsOf(data);
  if (source === undefined) return NO_NULLS;
  const bits = takeBits(source, data.offset, rows);
  let nulls = rows.length;
  for (let i = 0; i < rows.length; i++) if (isSet(bits, i)) nulls--;
  return { bits, nulls };
}

function takeBits(source: Uint8Array, offset: number, rows: Uint32Array): Uint8Array {
  const bits = newBits(rows.length);
  for (let i = 0; i < rows.length; i++) {
    if (isSet(source, offset + (rows[i] as number))) setBit(bits, i);
  }
  return bits;
}

const WORDS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const;
type Width = keyof typeof WORDS;
type Words = Uint8Array | Uint16Array | Uint32Array;

/** Elements `stride` at a time, whatever they mean: as the widest words that both arrays allow. */
function takeValues(source: Values, stride: number, rows: Uint32Array): Values {
  const ArrayType = source.constructor as new (length: number) => Values;
  const target = new ArrayType(stride * rows.length);
  const bytes = stride * source.BYTES_PER_ELEMENT;
  const fits = (width: Width) => bytes % width === 0 && source.byteOffset % width === 0;
  const width = ([4, 2] as const).find(fits) ?? 1;
  takeWords(wordsOf(source, width), wordsOf(target, width), rows);
  return target;
}

function wordsOf({ buffer, byteOffset, byteLength }: Values, width: Width): Words {
  return new WORDS[width](buffer as ArrayBuffer, byteOffset, byteLength / width);
}

function takeWords(source: Words, target: Words, rows: Uint32Array): void {
  const stride = target.length / rows.length;
  if (stride === 1) {
    for (let i = 0; i < rows.length; i++) target[i] = source[rows[i] as number] as number;
    return;
  }
  for (let i = 0, to = 0; i < rows.length; i++) {
    const from = stride * (rows[i] as number);
    for (let at = from; at < from + stride; at++) target[to++] = source[at] as number;
  }
}

/** Offsets of the rows taken. */
function takeOffsets(data: Data, rows: Uint32Array): Parts['offsets'] & {} {
  const source = offsetsOf(data);
  const target = newOffsets(data.type, rows.length);
  const isWide = target instanceof BigInt64Array;
  const limit = offsetLimit(target);
  let end = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    end += Number(source[row + 1]) - Number(source[row]);
    if (end > limit) {
      throw new RangeError(`the rows of a column of type ${data.type} are over ${limit} long`);
    }
    target[i + 1] = isWide ? BigInt(end) : end;
  }
  return target;
}

/** Values longer than this are copied by `set`, which takes longer to begin. */
const SHORT = 48;

function takeBytes(data: Data, rows: Uint32Array): Parts {
  const source: Uint8Array = data.values;
  const starts = offsetsOf(data);
  const offsets = takeOffsets(data, rows);
  const values = new Uint8Array(Number(offsets[rows.length]));
  for (let i = 0; i < rows.length; i++) {
    const from = Number(starts[rows[i] as number]);
    const to = Number(offsets[i]);
    const length = Number(offsets[i + 1]) - to;
    if (length > SHORT) values.set(source.subarray(from, from + length), to);
    else for (let at = 0; at < length; at++) values[to + at] = source[from + at] as number;
  }
  return { offsets, values };
}

function takeLists(data: Data, rows: Uint32Array): Parts {
  const starts = offsetsOf(data);
  const offsets = takeOffsets(data, rows);
  const elements = new Uint32Array(Number(offsets[rows.length]));
  for (let i = 0, to = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const end = Number(starts[row + 1]);
    for (let at = Number(starts[row]); at < end; at++) elements[to++] = at;
  }
  return { offsets, children: [takeRows(data.children[0] as Data, elements)] };
}

/** The elements of lists of `size` elements each. */
function repeatRows(rows: Uint32Array, size: number): Uint32Array {
  const elements = new Uint32Array(size * rows.length);
  for (let i = 0; i < elements.length; i++) {
    elements[i] = size * (rows[Math.floor(i / size)] as number) + (i % size);
  }
  return elements;
}

function takeDenseUnion(data: Data, rows: Uint32Array): Parts {
  const { children, valueOffsets } = data;
  const { typeIdToChildIndex } = data.type as Union;
  const typeIds = takeValues(data.typeIds, 1, rows) as Int8Array;
  const offsets = new Int32Array(rows.length);
  const taken: number[][] = children.map(() => []);
  for (let i = 0; i < rows.length; i++) {
    const list = taken[typeIdToChildIndex[typeIds[i] as number] as number] as number[];
    offsets[i] = list.length;
    list.push(valueOffsets[rows[i] as number]);
  }
  return {
    typeIds,
    offsets,
    children: children.map((child, i) => takeRows(child, Uint32Array.from(taken[i] ?? []))),
  };
}
