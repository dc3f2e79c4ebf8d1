/** Some rows of a column of a Parquet file. */

import type { Memory } from '../memory.js';
import type { ByteSource } from '../source.js';
import { memoryOfStored, type Stored, type StoredColumn } from '../stored/column.js';
import { joinRows, takeRows, withoutDictionary } from '../stored/take.js';
import { readField } from './column.js';
import type { Chunk, Field } from './footer.js';
import type { IsWanted } from './pages.js';

/**
 * The rows `wanted` of `field`, in their order. Only the chunks are read, and of these the pages
 * decoded, that have one of them. `memory` counts what that takes for the column at `place`.
 * @throws FileError and Error like `readField`
 */
export async function readSomeRows(
  source: ByteSource,
  field: Field,
  wanted: Uint32Array,
  { memory, place }: { readonly memory: Memory; readonly place: number },
): Promise<StoredColumn> {
  const byRow = Uint32Array.from(wanted.keys()).sort(
    (a, b) => (wanted[a] as number) - (wanted[b] as number),
  );
  const parts: Stored[] = [];
  // Where each row is among those of all parts.
  const places = new Uint32Array(wanted.length);
  let kept = 0;
  const readPart = async (chunks: readonly Chunk[], own: Uint32Array): Promise<StoredColumn> => {
    const isWanted: IsWanted = (from, count) => hasBetween(own, from, from + count);
    let part: Stored | undefined;
    const column = await memory.column(
      place,
      { expected: kept },
      (share) => readField(source, { ...field, chunks }, share, { isWanted }),
      (column) => {
        part = withoutDictionary(takeRows(column, own));
        kept += memoryOfStored(part);
        return kept;
      },
    );
    return { ...column, ...(part as Stored) };
  };
  let first = 0;
  let next = 0;
  for (const chunk of field.chunks) {
    const from = next;
    const own: number[] = [];
    for (; next < byRow.length; next++) {
      const row = (wanted[byRow[next] as number] as number) - first;
      if (row >= chunk.rows) break;
      places[byRow[next] as number] = next;
      own.push(row);
    }
    if (next > from) parts.push(await readPart([chunk], Uint32Array.from(own)));
    first += chunk.rows;
  }
  if (next < wanted.length) throw new Error(`it has ${first} rows, and none of the number asked`);
  const none = await readPart([], new Uint32Array());
  return { ...none, ...(parts.length === 0 ? {} : takeRows(joinRows(parts), places)) };
}

/** Whether one of `sorted`, numbers in order, is `from` or more and below `to`. */
function hasBetween(sorted: Uint32Array, from: number, to: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  return low < sorted.length && (sorted[low] as number) < to;
}
