/** Some rows of a column of a Parquet file. */

import type { MemoryBudget } from '../memory.js';
import type { ByteSource } from '../source.js';
import { memoryOfStored, type Stored, type StoredColumn } from '../stored/column.js';
import { takeFromParts } from '../stored/join.js';
import { takeRows, withoutDictionary } from '../stored/take.js';
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
  { memory, place }: { readonly memory: MemoryBudget; readonly place: number },
): Promise<StoredColumn> {
  let kept = 0;
  const readPart = async (chunks: readonly Chunk[], own: Uint32Array): Promise<StoredColumn> => {
    const isWanted: IsWanted = (from, count) => hasBetween(own, from, from + count);
    let part: Stored | undefined;
    const column = await memory.column(
      place,
      { expected: kept },
      (account) => readField(source, { ...field, chunks }, account, { isWanted }),
      (column) => {
        part = withoutDictionary(takeRows(column, own));
        kept += memoryOfStored(part);
        return kept;
      },
    );
    return { ...column, ...(part as Stored) };
  };
  const { chunks } = field;
  const sizes = chunks.map(({ rows }) => rows);
  const taken = await takeFromParts(sizes, wanted, (part, own) =>
    readPart([chunks[part] as Chunk], own),
  );
  return { ...(await readPart([], new Uint32Array())), ...taken };
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
