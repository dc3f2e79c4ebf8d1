/** Writes a sorted part, in its order. */

import type { MemoryPlan } from '../divide/memory-plan.js';
import { inUnits } from '../open/layout.js';
import { later, type Run } from '../open/run.js';
import type { ByteSink } from '../options.js';
import type { SortedPart } from '../sort/sort-part.js';

/** Bytes of a part when it is written: repeats may have been left out. */
export function bytesOf({ records, order }: SortedPart, width: number): number {
  return order === undefined ? records.length : order.length * width;
}

/** Where sorted parts go, and by which memory. */
export interface PartOutput {
  readonly sink: ByteSink;
  readonly memoryPlan: MemoryPlan;
  /** Room for records in their order: one is filled while the other is written. */
  readonly pieces: readonly [Uint8Array, Uint8Array];
}

/** Writes a part from memory that lies `offset` bytes after a multiple of the alignment. */
export async function writePart(
  run: Run,
  sorted: SortedPart,
  offset: number,
  output: PartOutput,
): Promise<void> {
  const { records, order } = sorted;
  const { sink, memoryPlan } = output;
  if (order !== undefined) {
    await writeInOrder(run, records, order, offset, output);
  } else {
    const at = records.byteOffset;
    const begin = at - (at % memoryPlan.alignment) + offset;
    const moved = new Uint8Array(records.buffer, begin, records.length);
    if (begin !== at) moved.set(records);
    await sink.write(moved);
  }
  run.count.written += bytesOf(sorted, run.layout.width);
}

/** Puts records in order piece by piece: one is written while the next is made. */
async function writeInOrder(
  { layout: { width }, sorter }: Run,
  records: Uint8Array,
  order: Uint32Array,
  offset: number,
  { memoryPlan: { pieceBytes, alignment }, pieces, sink }: PartOutput,
): Promise<void> {
  const source = inUnits(records, width);
  const stride = (source.length * width) / records.length;
  const step = pieceBytes / width;
  let writing = Promise.resolve();
  try {
    for (let from = 0, turn = 0; from < order.length; from += step, turn = 1 - turn) {
      const some = order.subarray(from, from + step);
      const start = (offset + from * width) % alignment;
      const into = (pieces[turn] as Uint8Array).subarray(start, start + some.length * width);
      await sorter.gather(source, some, { stride, into: inUnits(into, width) });
      await writing;
      writing = later(sink.write(into));
    }
    await writing;
  } finally {
    await Promise.allSettled([writing]);
  }
}
