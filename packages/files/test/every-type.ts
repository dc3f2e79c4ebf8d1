/** Parquet files that have a column of every type. */

import type { Random } from '@keysweep/conformance/data';
import { parquetReadObjects, type SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';

export const WORDS: readonly string[] = [
  ...['', 'a', 'é', '\u{1f600}', 'a\u0000b', 'twelve bytes', 'x'.repeat(40), 'AA', 'WN'],
];
export const bytesFrom = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What JSON has no word for, as text. */
export const plain = (value: unknown): unknown => {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Date) return value.getTime();
  if (ArrayBuffer.isView(value)) return [...(value as unknown as Iterable<number | bigint>)].join();
  return Object.is(value, -0) ? '-0' : value;
};

/** `rows` values drawn from `from`, a tenth of them null where `hasNulls`. */
export const draw = <T>(
  random: Random,
  rows: number,
  from: readonly T[],
  hasNulls: boolean,
): (T | null)[] =>
  Array.from({ length: rows }, () =>
    hasNulls && random.below(10) === 0 ? null : (from[random.below(from.length)] as T),
  );

const elements = (
  random: Random,
  rows: number,
): Readonly<Record<string, [Partial<SchemaElement>, readonly unknown[]]>> => ({
  flag: [{ type: 'BOOLEAN' }, [true, false]],
  tiny: [{ type: 'INT32', converted_type: 'INT_8' }, [-128, -1, 0, 127]],
  word: [
    { type: 'INT32', logical_type: { type: 'INTEGER', bitWidth: 16, isSigned: false } },
    [0, 1, 65535],
  ],
  count: [{ type: 'INT32' }, [-(2 ** 31), 7, 2 ** 31 - 1]],
  big: [{ type: 'INT64' }, [-(2n ** 63n), 5n, 2n ** 63n - 1n]],
  real: [{ type: 'FLOAT' }, [0.5, -0, Number.NaN, Number.NEGATIVE_INFINITY]],
  double: [{ type: 'DOUBLE' }, Array.from({ length: rows }, () => random.below(2 ** 30) / 7)],
  day: [{ type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }, [-1, 11_000]],
  time: [
    {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' },
    },
    [-1n, 1_600_000_000_123_456_789n],
  ],
  price: [
    { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 11, converted_type: 'DECIMAL', precision: 25 },
    [-(10n ** 24n), -1n, 0n, 10n ** 24n],
  ],
  text: [{ type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }, WORDS],
  bytes: [{ type: 'BYTE_ARRAY' }, [bytesFrom(''), Uint8Array.of(0, 255), bytesFrom('abc')]],
  distinct: [
    { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    Array.from({ length: rows }, (_, i) => `${i} ${random.below(1e9)}`),
  ],
  fixed: [{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 3 }, [bytesFrom('abc'), bytesFrom('abd')]],
});

/** A file of random rows, in groups of `groupRows`. */
export function everyType(
  random: Random,
  { rows, groupRows, hasNulls }: { rows: number; groupRows: number; hasNulls: boolean },
): Uint8Array {
  const columns = Object.entries(elements(random, rows));
  const schema = columns.map(([name, [element]]) => ({
    name,
    repetition_type: hasNulls ? ('OPTIONAL' as const) : ('REQUIRED' as const),
    ...element,
  }));
  const buffer = parquetWriteBuffer({
    columnData: columns.map(([name, [, values]]) => ({
      name,
      data: draw(random, rows, values, hasNulls) as never,
    })),
    schema: [{ name: 'root', num_children: schema.length }, ...schema] as SchemaElement[],
    rowGroupSize: groupRows,
    kvMetadata: [{ key: 'who', value: 'the writer' }],
  });
  return new Uint8Array(buffer);
}

/** All rows of a Parquet file, or some columns of them, as another library reads them. */
export async function rowsOf(bytes: Uint8Array, columns?: string[]): Promise<unknown[]> {
  const file = new Uint8Array(bytes).buffer;
  const rows = await parquetReadObjects({ file, utf8: false, ...(columns && { columns }) });
  return rows.map((row) => Object.entries(row).map(([name, value]) => [name, plain(value)]));
}
