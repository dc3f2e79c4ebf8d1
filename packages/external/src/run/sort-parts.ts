/** Sorts parts one after the other: one is read and one is written while another is sorted. */

import { carve, type MemoryPlan, type Room } from '../divide/memory-plan.js';
import { ExternalError } from '../error.js';
import { later, type Run } from '../open/run.js';
import type { ByteSink } from '../options.js';
import { compareKeys, recordAt, type SortedPart, sortPart } from '../sort/sort-part.js';
import { Notes, type Written } from '../write/notes.js';
import { bytesOf, writePart } from '../write/write-part.js';

/** Records that fit into memory. */
export interface Loadable {
  /** In bytes. */
  readonly size: number;
  /** Whether they are read through the system's cache, into memory wherever it begins. */
  readonly isCached: boolean;
  /** Fills `room` with them, as soon as there is room. */
  load(room: Promise<Uint8Array>): Promise<void>;
}

/** Parts that may be written without being noted. */
const MAX_AHEAD = 4;

/** Where parts are written, and what was written there before them. */
export interface PartsOutput {
  readonly sink: ByteSink;
  /** Where they begin in the file. */
  readonly position?: number;
  /** The record right before that. */
  readonly before?: Uint8Array | undefined;
  /** Called with how much of them is written, but not after every part. */
  note(written: Written): Promise<void>;
}

/**
 * Sorts `parts`, whose keys ascend from part to part, and writes them in their order.
 * @throws ExternalError if keys do not ascend, because blocks of the input have changed
 */
export async function sortParts(
  run: Run,
  parts: readonly Loadable[],
  memoryPlan: MemoryPlan,
  { buffer }: Room,
  output: PartsOutput,
): Promise<void> {
  const { sink, position = 0, before } = output;
  const { pieceBytes, partBytes, columnsBytes, alignment } = memoryPlan;
  const take = carve(buffer, alignment);
  // The output bypasses the system's cache, so its bytes must have the same offset from a block in
  // memory as in the file. They are read to such a place if it is known by then, or moved there.
  const slots = Array.from({ length: 3 }, () => take(partBytes + alignment));
  const pieces = [take(pieceBytes + alignment), take(pieceBytes + alignment)] as const;
  const columns = take(columnsBytes);
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  const isInPlace = run.layout.numbers !== undefined && !run.unique;
  const starts: number[] = [];
  parts.reduce((start, { size, isCached }) => {
    starts.push(isInPlace && isCached ? start % alignment : 0);
    return start + size;
  }, position);
  const slotOf = (i: number): Uint8Array => {
    const start = starts[i] as number;
    return (slots[i % 3] as Uint8Array).subarray(start, start + (parts[i] as Loadable).size);
  };
  let writing: Promise<unknown> = Promise.resolve();
  const loading: Promise<void>[] = [];
  // A part takes the slot of the third one before it, when that is written.
  const load = (i: number, free: Promise<unknown>): void => {
    const part = parts[i];
    if (part !== undefined) loading.push(later(part.load(later(free.then(() => slotOf(i))))));
  };
  const notes = new Notes(async (written) => {
    await output.note(written);
    const completed = parts.slice(0, written.parts).reduce((sum, { size }) => sum + size, 0);
    run.tell('sort', completed, total);
  });
  let end = position;
  let last = before;
  try {
    load(0, writing);
    load(1, writing);
    for (const i of parts.keys()) {
      // The files of a part are open before there is room: a sort leaves the event loop few turns.
      load(i + 2, writing);
      await loading[i];
      const sorted = await sortPart(run, slotOf(i), columns, last);
      const [least, greatest] = endsOf(sorted, run.layout.width);
      if (last !== undefined && least !== undefined && compareKeys(run, least, last) < 0) {
        throw new ExternalError('the input was changed while it was sorted');
      }
      last = greatest ?? last;
      const start = end;
      end += bytesOf(sorted, run.layout.width);
      const write = async (written: Written): Promise<void> => {
        await writePart(run, sorted, start % alignment, { sink, memoryPlan, pieces });
        notes.add(written);
      };
      const written = { parts: i + 1, bytes: end - position };
      writing = later(writing.then(() => write(written)));
      await notes.keepUp(MAX_AHEAD);
    }
    await writing;
    await notes.keepUp(0);
  } finally {
    await Promise.allSettled([...loading, writing]);
    await notes.end().catch(() => {});
  }
}

/** Copies of the first and the last record of a part; an empty list if it has no records. */
function endsOf({ records, order }: SortedPart, width: number): Uint8Array[] {
  const count = order === undefined ? records.length / width : order.length;
  if (count === 0) return [];
  return [0, count - 1].map((i) => recordAt(records, width, order?.[i] ?? i));
}
