/** The columns that an Arrow schema declares. */

import { KEY_TYPES, type KeyType } from '@keysweep/core';
import type { FlatTable } from './flatbuffer.js';

/** A column, or one below a column. */
export interface Field {
  readonly name: string;
  /** As messages name it: `Int32`, `Timestamp`. */
  readonly type: string;
  /** The type of its keys; undefined for a type that has no order of numbers. */
  readonly keyType: KeyType | undefined;
  /** Its nodes and buffers in each batch, with those below it. */
  readonly nodes: number;
  readonly buffers: number;
  /** Those of its columns that have more buffers in each batch, as many as the batch says. */
  readonly views: number;
  /** Whether it, or one below it, has its values in a dictionary. */
  readonly hasDictionary: boolean;
}

/** Types by their number in the format: name, and buffers of a column of it. */
const TYPES: readonly (readonly [name: string, buffers: number])[] = [
  ['None', 0],
  ['Null', 0],
  ['Int', 2],
  ['Float', 2],
  ['Binary', 3],
  ['Utf8', 3],
  ['Bool', 2],
  ['Decimal', 2],
  ['Date', 2],
  ['Time', 2],
  ['Timestamp', 2],
  ['Interval', 2],
  ['List', 2],
  ['Struct', 1],
  ['Union', 1],
  ['FixedSizeBinary', 2],
  ['FixedSizeList', 1],
  ['Map', 2],
  ['Duration', 2],
  ['LargeBinary', 3],
  ['LargeUtf8', 3],
  ['LargeList', 2],
  ['RunEndEncoded', 0],
  ['BinaryView', 2],
  ['Utf8View', 2],
  ['ListView', 3],
  ['LargeListView', 3],
];

const INT = 2;
const FLOAT = 3;
const DATE = 8;
const TIME = 9;
const TIMESTAMP = 10;
const UNION = 14;
const DURATION = 18;
const BINARY_VIEW = 23;
const UTF8_VIEW = 24;

/** The columns of the table `Schema`, which is of that version of the metadata. */
export function fieldsOf(schema: FlatTable, version: number): Field[] {
  return schema.tables(1).map((field) => fieldOf(field, version));
}

function fieldOf(field: FlatTable, version: number): Field {
  const name = field.text(0);
  const number = field.uint8(2, 0);
  const [title, ownBuffers] = TYPES[number] ?? [];
  const type = field.table(3);
  if (title === undefined || ownBuffers === undefined || type === undefined) {
    throw new Error(`column '${name}' has the type ${number}, which cannot be read`);
  }
  // Batches have the places in the dictionary.
  if (field.table(4) !== undefined) {
    const type = `Dictionary<${title}>`;
    return { name, type, keyType: undefined, nodes: 1, buffers: 2, views: 0, hasDictionary: true };
  }
  const below = field.tables(5).map((child) => fieldOf(child, version));
  const sum = (of: 'nodes' | 'buffers' | 'views'): number =>
    below.reduce((total, child) => total + child[of], 0);
  // A dense union has places, too, and one of an older version which rows are null.
  const isDense = number === UNION && type.int16(0, 0) === 1;
  const more = number === UNION ? (isDense ? 1 : 0) + (version < 4 ? 1 : 0) : 0;
  const { keyType, suffix } = numbersOf(number, type);
  return {
    name,
    type: `${keyType?.startsWith('u') ? 'Uint' : title}${suffix}`,
    keyType,
    nodes: 1 + sum('nodes'),
    buffers: ownBuffers + more + sum('buffers'),
    views: (number === BINARY_VIEW || number === UTF8_VIEW ? 1 : 0) + sum('views'),
    hasDictionary: below.some((child) => child.hasDictionary),
  };
}

/** The key type with the bits and the order of a type, and the width in its name. */
function numbersOf(number: number, type: FlatTable): Pick<Field, 'keyType'> & { suffix: string } {
  switch (number) {
    case INT: {
      const bits = type.int32(0, 0);
      const name = `${type.uint8(1, 0) === 0 ? 'u' : 'i'}${bits}`;
      const keyType = KEY_TYPES.find((candidate) => candidate === name);
      if (keyType === undefined) throw new Error(`it has integers of ${bits} bits`);
      return { keyType, suffix: `${bits}` };
    }
    case FLOAT: {
      const bits = [16, 32, 64][type.int16(0, 0)];
      if (bits === undefined) throw new Error('it has floats of an unknown precision');
      return { keyType: `f${bits}` as KeyType, suffix: `${bits}` };
    }
    case DATE: {
      const isDay = type.int16(0, 1) === 0;
      return { keyType: isDay ? 'i32' : 'i64', suffix: isDay ? '32' : '64' };
    }
    case TIME: {
      const bits = type.int32(1, 32);
      if (bits !== 32 && bits !== 64) throw new Error(`it has times of ${bits} bits`);
      return { keyType: `i${bits}`, suffix: `${bits}` };
    }
    case TIMESTAMP:
    case DURATION:
      return { keyType: 'i64', suffix: '' };
    default:
      return { keyType: undefined, suffix: '' };
  }
}
