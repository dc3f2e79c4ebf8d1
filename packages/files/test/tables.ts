/** Small tables with every type that is carried, with nulls and without. */

import type { Random } from '@keysweep/conformance/data';
import {
  Binary,
  BinaryView,
  Bool,
  DateDay,
  DateMillisecond,
  Dictionary,
  DurationMillisecond,
  FixedSizeBinary,
  Float64,
  Int8,
  Int32,
  Int64,
  LargeUtf8,
  Table,
  TimeMicrosecond,
  TimestampMicrosecond,
  tableToIPC,
  Uint16,
  Utf8,
  Utf8View,
  vectorFromArray,
} from 'apache-arrow';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { TableFormat } from '../src/index.js';

/** A whole file. */
export interface TableSample {
  readonly name: string;
  readonly how: TableFormat;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const ROWS = 60;
const WORDS = ['', 'a', 'é', 'a\u0000b', 'twelve bytes', 'x'.repeat(40), 'AA'];
const bytesFrom = (text: string): Uint8Array => new TextEncoder().encode(text);

/** `ROWS` of these, about a tenth of them null where there may be nulls. */
function drawn<T>(from: readonly T[], random: Random, hasNulls: boolean): (T | null)[] {
  return Array.from({ length: ROWS }, () =>
    hasNulls && random.below(10) === 0 ? null : (from[random.below(from.length)] as T),
  );
}

const ELEMENTS: readonly (readonly [Partial<SchemaElement>, readonly unknown[]])[] = [
  [{ type: 'BOOLEAN' }, [true, false]],
  [{ type: 'INT32', converted_type: 'INT_8' }, [-128, -1, 0, 127]],
  [{ type: 'INT64' }, [-(2n ** 63n), 5n, 2n ** 63n - 1n]],
  [{ type: 'DOUBLE' }, [0.5, -0, Number.NaN, 1 / 3]],
  [{ type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }, [-1, 11_000]],
  [
    { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 11, converted_type: 'DECIMAL', precision: 25 },
    [-(10n ** 24n), -1n, 0n, 10n ** 24n],
  ],
  [{ type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }, WORDS],
  [{ type: 'BYTE_ARRAY' }, WORDS.map(bytesFrom)],
  [{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 3 }, [bytesFrom('abc'), bytesFrom('abd')]],
];

function parquetTable(random: Random, hasNulls: boolean): TableSample {
  const repetition_type = hasNulls ? 'OPTIONAL' : 'REQUIRED';
  const schema = ELEMENTS.map(([element], i) => ({ name: `c${i}`, repetition_type, ...element }));
  const bytes = parquetWriteBuffer({
    columnData: ELEMENTS.map(([, values], i) => ({
      name: `c${i}`,
      data: drawn(values, random, hasNulls) as never,
    })),
    schema: [{ name: 'root', num_children: schema.length }, ...schema] as SchemaElement[],
    rowGroupSize: 40,
    codec: 'UNCOMPRESSED',
  });
  const name = `Parquet table, nulls: ${hasNulls}`;
  return { name, how: { format: 'parquet' }, bytes: new Uint8Array(bytes) };
}

function arrowTable(random: Random, kind: 'file' | 'stream', areViews: boolean): TableSample {
  const some = <T>(values: readonly T[]): (T | null)[] => drawn(values, random, true);
  const bytes = WORDS.map(bytesFrom);
  const views = {
    textView: vectorFromArray(some(WORDS), new Utf8View()),
    byteView: vectorFromArray(some(bytes), new BinaryView()),
  };
  const others = {
    flag: vectorFromArray(some([true, false]), new Bool()),
    tiny: vectorFromArray(some([-128, 127, 0]), new Int8()),
    word: vectorFromArray(drawn([0, 65535], random, false), new Uint16()),
    big: vectorFromArray(some([-1n, 2n ** 62n]), new Int64()),
    double: vectorFromArray(some([1 / 3, -0]), new Float64()),
    day: vectorFromArray(some([new Date(0), new Date(864e5 * 11_000)]), new DateDay()),
    moment: vectorFromArray(some([new Date(0), new Date(864e5)]), new DateMillisecond()),
    stamp: vectorFromArray(some([0, 1e12]), new TimestampMicrosecond('Europe/Berlin')),
    clock: vectorFromArray(some([1n, 86_399_999_999n]), new TimeMicrosecond()),
    span: vectorFromArray(some([1n, 5n]), new DurationMillisecond()),
    text: vectorFromArray(some(WORDS), new Utf8()),
    large: vectorFromArray(some(WORDS), new LargeUtf8()),
    bytes: vectorFromArray(some(bytes), new Binary()),
    fixed: vectorFromArray(some([Uint8Array.of(1, 2, 3)]), new FixedSizeBinary(3)),
    word8: vectorFromArray(some(WORDS), new Dictionary(new Utf8(), new Int8())),
    word32: vectorFromArray(drawn(WORDS, random, false), new Dictionary(new Utf8(), new Int32())),
  };
  // apache-arrow slices views wrongly: they are in one batch.
  const table: Table = areViews ? new Table(views) : new Table(others);
  const split = areViews ? table : table.slice(0, 25).concat(table.slice(25));
  return {
    name: `Arrow ${kind} of ${areViews ? 'views' : 'all types'}`,
    how: { format: 'arrow' },
    bytes: new Uint8Array(tableToIPC(split, kind)),
  };
}

export const parquetTables = (random: Random): TableSample[] => [
  parquetTable(random, true),
  parquetTable(random, false),
];

export const arrowTables = (random: Random): TableSample[] =>
  (['file', 'stream'] as const).flatMap((kind) => [
    arrowTable(random, kind, false),
    arrowTable(random, kind, true),
  ]);
