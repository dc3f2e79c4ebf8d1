/** The columns that an Arrow schema declares. */

import { KEY_TYPES, type KeyType } from '@keysweep/core';
import type { StepAccount } from '../memory.js';
import type { ColumnType, TimeUnit } from '../stored/column.js';
import type { FlatTable } from './flatbuffer.js';
import { SLOT } from './slots.js';

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
  readonly isNullable: boolean;
  /** The type of its values, or of its dictionary's; undefined for one that is not carried. */
  readonly stored: ColumnType | undefined;
  /** How values of any length are kept: with offsets of 32 or of 64 bits, or as views. */
  readonly text: 'usual' | 'large' | 'views' | undefined;
  readonly dictionary: DictionaryField | undefined;
}

/** A dictionary, and the integers that are the places in it. */
export interface DictionaryField {
  readonly id: number;
  readonly width: number;
  readonly isSigned: boolean;
  readonly entries: Field;
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
const BINARY = 4;
const UTF8 = 5;
const BOOL = 6;
const DECIMAL = 7;
const DATE = 8;
const TIME = 9;
const TIMESTAMP = 10;
const UNION = 14;
const FIXED_SIZE_BINARY = 15;
const DURATION = 18;
const LARGE_BINARY = 19;
const LARGE_UTF8 = 20;
const BINARY_VIEW = 23;
const UTF8_VIEW = 24;

/** Bytes of memory that a field takes, and one character of its name, with its text in JSON. */
const FIELD_BYTES = 768;
const CHARACTER_BYTES = 4;

/** The columns of the table `Schema`, which is of that version of the metadata. */
export function fieldsOf(schema: FlatTable, version: number, account: StepAccount): Field[] {
  return fieldsBelow(schema, SLOT.schema.fields, version, account);
}

/**
 * The fields in a list. Several lists may have the same field, and fields the same name, in the
 * bytes of a small file: so each is counted before it is read.
 */
function fieldsBelow(
  table: FlatTable,
  list: number,
  version: number,
  account: StepAccount,
): Field[] {
  account.take(FIELD_BYTES * table.count(list, 4));
  return table.tables(list).map((field) => fieldOf(field, version, account));
}

function fieldOf(field: FlatTable, version: number, account: StepAccount): Field {
  const dictionary = field.table(SLOT.field.dictionary);
  account.take(CHARACTER_BYTES * field.count(SLOT.field.name, 1));
  const values = valuesOf(field, version, account);
  if (dictionary === undefined) return values;
  // Batches have the places in the dictionary, which are signed integers of 32 bits by default.
  const places = dictionary.table(SLOT.dictionary.indexType);
  const own = {
    id: dictionary.int64(SLOT.dictionary.id),
    width: (places?.int32(SLOT.integer.bitWidth, 0) ?? 32) / 8,
    isSigned: places === undefined || places.uint8(SLOT.integer.isSigned, 0) !== 0,
    entries: values,
  };
  if (![1, 2, 4, 8].includes(own.width)) {
    throw new Error(`column '${values.name}' has places of ${own.width} bytes in a dictionary`);
  }
  return {
    ...values,
    type: `Dictionary<${values.title}>`,
    keyType: undefined,
    nodes: 1,
    buffers: 2,
    views: 0,
    hasDictionary: true,
    dictionary: own,
  };
}

/** A column without its dictionary. */
function valuesOf(
  field: FlatTable,
  version: number,
  account: StepAccount,
): Field & { readonly title: string } {
  const name = field.text(SLOT.field.name);
  const number = field.uint8(SLOT.field.typeNumber, 0);
  const [title, ownBuffers] = TYPES[number] ?? [];
  const type = field.table(SLOT.field.type);
  if (title === undefined || ownBuffers === undefined || type === undefined) {
    throw new Error(`column '${name}' has the type ${number}, which cannot be read`);
  }
  const below = fieldsBelow(field, SLOT.field.children, version, account);
  const sum = (of: 'nodes' | 'buffers' | 'views'): number =>
    below.reduce((total, child) => total + child[of], 0);
  // A dense union has places, too, and one of an older version which rows are null.
  const isDense = number === UNION && type.int16(0, 0) === 1;
  const more = number === UNION ? (isDense ? 1 : 0) + (version < 4 ? 1 : 0) : 0;
  const { keyType, suffix } = numbersOf(number, type);
  return {
    title,
    name,
    type: `${keyType?.startsWith('u') ? 'Uint' : title}${suffix}`,
    keyType,
    nodes: 1 + sum('nodes'),
    buffers: ownBuffers + more + sum('buffers'),
    views: (number === BINARY_VIEW || number === UTF8_VIEW ? 1 : 0) + sum('views'),
    hasDictionary: below.some((child) => child.hasDictionary),
    isNullable: field.uint8(SLOT.field.nullable, 0) !== 0,
    stored: storedTypeOf(number, type, keyType),
    text: TEXTS[number],
    dictionary: undefined,
  };
}

/** The key type with the bits and the order of a type, and the width in its name. */
function numbersOf(number: number, type: FlatTable): Pick<Field, 'keyType'> & { suffix: string } {
  switch (number) {
    case INT: {
      const bits = type.int32(SLOT.integer.bitWidth, 0);
      const name = `${type.uint8(SLOT.integer.isSigned, 0) === 0 ? 'u' : 'i'}${bits}`;
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

const TEXTS: Readonly<Record<number, Field['text']>> = {
  [BINARY]: 'usual',
  [UTF8]: 'usual',
  [LARGE_BINARY]: 'large',
  [LARGE_UTF8]: 'large',
  [BINARY_VIEW]: 'views',
  [UTF8_VIEW]: 'views',
};

const UNITS: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns'];

function unitOf(type: FlatTable, absent: number): TimeUnit {
  const unit = UNITS[type.int16(0, absent)];
  if (unit === undefined) throw new Error('it has times in an unknown unit');
  return unit;
}

/** The type of a column's values, or undefined for one that is not carried. */
function storedTypeOf(
  number: number,
  type: FlatTable,
  keyType: KeyType | undefined,
): ColumnType | undefined {
  switch (number) {
    case INT: {
      const bits = type.int32(0, 0) as 8 | 16 | 32 | 64;
      return { kind: 'integer', bits, isSigned: keyType?.startsWith('i') === true };
    }
    case FLOAT:
      return { kind: 'float', bits: Number(keyType?.slice(1)) as 16 | 32 | 64 };
    case BOOL:
      return { kind: 'boolean' };
    case DECIMAL: {
      const bits = type.int32(2, 128);
      if (bits !== 32 && bits !== 64 && bits !== 128) return undefined;
      return { kind: 'decimal', bits, precision: type.int32(0, 0), scale: type.int32(1, 0) };
    }
    case DATE:
      return { kind: 'date', unit: keyType === 'i32' ? 'day' : 'ms' };
    case TIME: {
      const unit = unitOf(type, 1);
      const isNarrow = unit === 's' || unit === 'ms';
      return isNarrow === (keyType === 'i32') ? { kind: 'time', unit, isUtc: false } : undefined;
    }
    case TIMESTAMP: {
      const zone = type.text(1);
      return { kind: 'timestamp', unit: unitOf(type, 0), zone: zone === '' ? undefined : zone };
    }
    case DURATION:
      return { kind: 'duration', unit: unitOf(type, 1) };
    case BINARY:
    case LARGE_BINARY:
    case BINARY_VIEW:
      return { kind: 'binary' };
    case UTF8:
    case LARGE_UTF8:
    case UTF8_VIEW:
      return { kind: 'text' };
    case FIXED_SIZE_BINARY: {
      const width = type.int32(0, 0);
      return width < 1 ? undefined : { kind: 'fixed binary', width, isOrdered: true };
    }
    default:
      return undefined;
  }
}

/** The numbers of the types that columns from other formats are written as. */
export const TYPE_NUMBERS: Readonly<Record<ColumnType['kind'], number>> = {
  integer: INT,
  float: FLOAT,
  boolean: BOOL,
  decimal: DECIMAL,
  date: DATE,
  time: TIME,
  timestamp: TIMESTAMP,
  duration: DURATION,
  binary: BINARY,
  text: UTF8,
  'fixed binary': FIXED_SIZE_BINARY,
};
