/** Sorts parts one after the other: one is read and written while another is sorted. */

import { inUnits } from './layout.js';
import { carve, type Division } from './memory.js';
import type { ByteSink } from './options.js';
import { later, type Run } from './run.js';
import { recordAt, type SortedPart, sortPart } from './sort-part.js';

/** Records that fit into memory. */
export interface Loadable {
  /** In bytes. */
  readonly size: number;
  /** Fills `into` with them. */
  load(into: Uint8Array): Promise<void>;
  /** Called when they are written, with the bytes that they were written as. */
  written(bytes: number): Promise<void>;
}

/**
 * Sorts `parts`, whose keys ascend from part to part, and writes them to `sink` in their order.
 * `before` is the last record of the part in front of them, if there is one.
 */
export async function sortParts(
  run: Run,
  parts: readonly Loadable[],
  division: Division,
  buffer: ArrayBuffer,
  sink: ByteSink,
  before?: Uint8Array,
): Promise<void> {
  const { pieceBytes, partBytes, columnsBytes } = division;
  const take = carve(buffer);
  const slots = [take(partBytes), take(partBytes)];
  const pieces = [take(pieceBytes), take(pieceBytes)] as const;
  const columns = take(columnsBytes);
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  const slotOf = (i: number): Uint8Array =>
    (slots[i % 2] as Uint8Array).subarray(0, parts[i]?.size);
  let loading = later(parts[0]?.load(slotOf(0)) ?? Promise.resolve());
  let writing = Promise.resolve();
  let completed = 0;
  let last = before;
  try {
    for (const [i, part] of parts.entries()) {
      await loading;
      // The next part takes the slot of the one before this one, when that is written.
      const earlier = writing;
      const next = parts[i + 1];
      if (next !== undefined) loading = later(earlier.then(() => next.load(slotOf(i + 1))));
      const sorted = await sortPart(run, slotOf(i), columns, last);
      if (run.unique) last = lastOf(sorted, run.layout.width) ?? last;
      const write = async (): Promise<void> => {
        await part.written(await writePart(run, sorted, pieces, sink));
        completed += part.size;
        run.tell('sort', completed, total);
      };
      writing = later(earlier.then(write));
    }
    await writing;
  } finally {
    await Promise.allSettled([loading, writing]);
  }
}

/** A copy of the last record of a part; undefined where it has none. */
function lastOf({ records, order }: SortedPart, width: number): Uint8Array | undefined {
  const count = order === undefined ? records.length / width : order.length;
  if (count === 0) return undefined;
  return recordAt(records, width, order === undefined ? count - 1 : (order[count - 1] as number));
}

/** Writes a sorted part. Resolves to the bytes written. */
export async function writePart(
  run: Run,
  { records, order }: SortedPart,
  pieces: readonly [Uint8Array, Uint8Array],
  sink: ByteSink,
): Promise<number> {
  const bytes = order === undefined ? records.length : order.length * run.layout.width;
  if (order === undefined) await sink.write(records);
  else await writeInOrder(run, records, order, pieces, sink);
  run.count.written += bytes;
  return bytes;
}

/** Puts records in order piece by piece: one is written while the next is made. */
async function writeInOrder(
  { layout: { width }, sorter }: Run,
  records: Uint8Array,
  order: Uint32Array,
  pieces: readonly [Uint8Array, Uint8Array],
  sink: ByteSink,
): Promise<void> {
  const source = inUnits(records, width);
  const stride = (source.length * width) / records.length;
  const step = pieces[0].length / width;
  let writing = Promise.resolve();
  try {
    for (let from = 0, turn = 0; from < order.length; from += step, turn = 1 - turn) {
      const some = order.subarray(from, from + step);
      const into = (pieces[turn] as Uint8Array).subarray(0, some.length * width);
      await sorter.gather(source, some, { stride, into: inUnits(into, width) });
      await writing;
      writing = later(sink.write(into));
    }
    await writing;
  } finally {
    await Promise.allSettled([writing]);
  }
}
