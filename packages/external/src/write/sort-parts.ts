/** Sorts parts one after the other: one is read and one is written while another is sorted. */

import { carve, type Division, type Room } from '../divide/memory.js';
import { ExternalError } from '../error.js';
import { inUnits } from '../open/layout.js';
import { later, type Run } from '../open/run.js';
import type { ByteSink } from '../options.js';
import { compareKeys, recordAt, type SortedPart, sortPart } from '../sort/sort-part.js';

/** Records that fit into memory. */
export interface Loadable {
  /** In bytes. */
  readonly size: number;
  /** Whether they are read through the system's cache, into memory wherever it begins. */
  readonly isCached: boolean;
  /** Fills `room` with them, as soon as there is room. */
  load(room: Promise<Uint8Array>): Promise<void>;
}

/** What is written of the parts of a sort. */
export interface Written {
  /** The first so many parts. */
  readonly parts: number;
  /** As so many bytes. */
  readonly bytes: number;
}

/** Parts that may be written without being noted. */
const MOST_AHEAD = 4;

/** Notes what is written while more is sorted: one note at a time, each of the latest state. */
export class Notes {
  readonly #note: (written: Written) => Promise<void>;
  #latest: Written = { parts: 0, bytes: 0 };
  #noted = this.#latest;
  #noting: Promise<void> | undefined;
  #hasFailed = false;

  constructor(note: (written: Written) => Promise<void>) {
    this.#note = note;
  }

  add(written: Written): void {
    this.#latest = written;
    this.#noting ??= later(this.#noteAll());
  }

  /** Waits while too much is not noted. @throws what a note threw */
  async keepUp(most: number): Promise<void> {
    while (this.#hasFailed || this.#latest.parts - this.#noted.parts > most) await this.#noting;
  }

  async #noteAll(): Promise<void> {
    try {
      while (this.#noted !== this.#latest) {
        const written = this.#latest;
        await this.#note(written);
        this.#noted = written;
      }
      this.#noting = undefined;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Resolves when no note is under way. */
  async end(): Promise<void> {
    await this.#noting;
  }
}

/**
 * Sorts `parts`, whose keys ascend from part to part, and writes them to `sink` in their order.
 * `position` is the place in the file that they begin at, and `before` the record there in front.
 * `note` is told what of them is written, if not after every part.
 * @throws ExternalError where keys do not ascend: blocks in the input are not what they were
 */
export async function sortParts(
  run: Run,
  parts: readonly Loadable[],
  division: Division,
  { buffer }: Room,
  sink: ByteSink,
  note: (written: Written) => Promise<void>,
  position = 0,
  before?: Uint8Array,
): Promise<void> {
  const { pieceBytes, partBytes, columnsBytes, alignment } = division;
  const take = carve(buffer, alignment);
  // What is written lies in memory as far behind a block as in the file: it is moved there, or read
  // to that place where that is known and free to choose.
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
    await note(written);
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
        await writePart(run, sorted, start % alignment, division, pieces, sink);
        notes.add(written);
      };
      const written = { parts: i + 1, bytes: end - position };
      writing = later(writing.then(() => write(written)));
      await notes.keepUp(MOST_AHEAD);
    }
    await writing;
    await notes.keepUp(0);
  } finally {
    await Promise.allSettled([...loading, writing]);
    await notes.end().catch(() => {});
  }
}

function bytesOf({ records, order }: SortedPart, width: number): number {
  return order === undefined ? records.length : order.length * width;
}

/** Copies of the first and the last record of a part; none where it has none. */
function endsOf({ records, order }: SortedPart, width: number): Uint8Array[] {
  const count = order === undefined ? records.length / width : order.length;
  if (count === 0) return [];
  return [0, count - 1].map((i) => recordAt(records, width, order?.[i] ?? i));
}

/** Writes a part from memory that lies `offset` behind a multiple of the alignment. */
export async function writePart(
  run: Run,
  sorted: SortedPart,
  offset: number,
  division: Division,
  pieces: readonly [Uint8Array, Uint8Array],
  sink: ByteSink,
): Promise<void> {
  const { records, order } = sorted;
  if (order !== undefined) {
    await writeInOrder(run, records, order, offset, division, pieces, sink);
  } else {
    const at = records.byteOffset;
    const begin = at - (at % division.alignment) + offset;
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
  { pieceBytes, alignment }: Division,
  pieces: readonly [Uint8Array, Uint8Array],
  sink: ByteSink,
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
