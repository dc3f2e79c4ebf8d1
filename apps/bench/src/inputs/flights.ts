/**
 * Real data: three million flights of the United States in 2001, from the vega-datasets package.
 */

import { fileURLToPath } from 'node:url';
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

/** The numeric columns of the table, one element a flight. */
export interface Flights {
  /** Departure in microseconds since 1970, as the file has it. */
  readonly date: BigInt64Array;
  /** Minutes late on arrival; negative when early. */
  readonly delay: BigInt64Array;
  /** Miles. */
  readonly distance: BigInt64Array;
}

/**
 * Reads the flights. The file keeps all three columns as 64-bit integers, so they stay that.
 * @throws Error when the file is missing, or a flight lacks a value.
 */
export async function readFlights(): Promise<Flights> {
  const path = fileURLToPath(
    new URL('../data/flights-3m.parquet', import.meta.resolve('vega-datasets')),
  );
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const rows = Number(metadata.num_rows);
  const flights: Flights = {
    date: new BigInt64Array(rows),
    delay: new BigInt64Array(rows),
    distance: new BigInt64Array(rows),
  };
  let missing = 0;
  await parquetRead({
    file,
    metadata,
    compressors,
    columns: Object.keys(flights),
    parsers: { timestampFromMicroseconds: (micros) => micros },
    onChunk({ columnName, columnData, rowStart }) {
      const column = flights[columnName as keyof Flights];
      for (let i = 0; i < columnData.length; i++) {
        const value = columnData[i];
        if (typeof value === 'bigint') column[rowStart + i] = value;
        else missing++;
      }
    },
  });
  if (missing > 0) throw new Error(`${missing} values of ${path} are missing`);
  return flights;
}
