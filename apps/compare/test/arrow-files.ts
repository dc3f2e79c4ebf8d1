/** Arrow files of numbers. */

import {
  makeVector,
  RecordBatchStreamWriter,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';

/** Rows with the columns `single` (f32), `long` (i64) and `text`. */
export function rowsOf(numbers: readonly number[]): Table {
  return new Table({
    single: makeVector(Float32Array.from(numbers)),
    long: makeVector(longsOf(numbers)),
    text: vectorFromArray(
      numbers.map((number) => `${number}`),
      new Utf8(),
    ),
  });
}

/** The column `long` of `numbers`: integers with bits above the lower half. */
const longsOf = (numbers: readonly number[]): BigInt64Array =>
  BigInt64Array.from(numbers, (number) => BigInt(Math.trunc(number)) << 40n);

export const fileOf = (table: Table): Buffer => Buffer.from(tableToIPC(table, 'file'));

/** A stream with a batch of the rows up to each of `ends`. */
export function streamOf(numbers: readonly number[], ends: readonly number[]): Buffer {
  const batches = ends.flatMap(
    (end, i) => rowsOf(numbers.slice(i === 0 ? 0 : ends[i - 1], end)).batches,
  );
  return Buffer.from(RecordBatchStreamWriter.writeAll(batches).toUint8Array(true));
}
