/** Writes rows of a text with the bytes that they have. */

import { type ByteSink, giveTo } from '../source.js';
import { allocateBytes } from '../stored/take.js';
import type { Threads, ThreadTask } from '../threads.js';
import { CR, LF } from './dialect.js';
import type { Lines } from './scan.js';

/** Bytes that are handed over in one write, if no row has more. */
const PIECE = 4 << 20;
/** If a row has as many bytes, a call is quicker than a loop. What the call makes is garbage. */
const LONG = 128;
/** Rows that are looked up together: see `gatherLines`. */
const BLOCK = 64;

/** What is gathered: rows of a text, of which the last one may get an end. */
export interface Gathered extends Pick<Lines, 'bytes' | 'starts' | 'rows'> {
  /** The end of the last line, if it has none: that of the first line. */
  readonly ending: Uint8Array | undefined;
}

function missingEnd({ bytes, starts, rows }: Lines): Uint8Array | undefined {
  if (rows === 0 || bytes[bytes.length - 1] === LF) return undefined;
  // The first row may have line ends in quotes, so its end is what counts.
  const end = starts[1] as number;
  const isCrlf = rows > 1 && bytes[end - 2] === CR;
  return isCrlf ? Uint8Array.of(CR, LF) : Uint8Array.of(LF);
}

/**
 * Writes the first `first` rows, which stay where they are, with whatever is before them, and then
 * `first` + i for each i of `order`. `onWritten` is told how many of `order` are written. `threads`
 * gather the rows if the text is in memory that they share: some pieces at a time, two more than
 * there are threads.
 */
export async function writeLines(
  sink: ByteSink,
  lines: Lines,
  first: number,
  order: Uint32Array,
  onWritten: (completed: number) => void,
  threads?: Threads,
): Promise<void> {
  const { bytes, starts, rows } = lines;
  const ending = missingEnd(lines);
  const from = { bytes, starts, rows, ending };
  const isMarked = (starts[0] as number) > 0;
  if (isMarked) await sink.write(bytes.slice(0, starts[0]));
  if (first > 0)
    await giveTo(
      sink,
      gatherLines(
        from,
        Uint32Array.from({ length: first }, (_, i) => i),
      ),
    );
  const gather = async (part: Uint32Array): Promise<Uint8Array<ArrayBuffer>> => {
    const own = first === 0 ? part.slice() : part.map((row) => first + row);
    const here = (): Uint8Array<ArrayBuffer> => gatherLines(from, own);
    if (threads === undefined) return here();
    const task: ThreadTask = { kind: 'gather', from, rows: own };
    return (threads.run(task) as Promise<{ readonly pieces: readonly Uint8Array<ArrayBuffer>[] }>)
      .then(({ pieces: [piece] }) => piece as Uint8Array<ArrayBuffer>)
      .catch(here);
  };
  // While one piece is written, each thread gathers one, and has the next one waiting.
  const ahead = threads === undefined ? 0 : threads.count + 1;
  const pieces: { readonly end: number; readonly piece: Promise<Uint8Array<ArrayBuffer>> }[] = [];
  let written: Promise<void> = Promise.resolve();
  for (let next = 0; next < order.length || pieces.length > 0; ) {
    while (next < order.length && pieces.length <= ahead) {
      const end = endOfPiece(lines, first, order, next);
      const piece = gather(order.subarray(next, end));
      // What fails is thrown when it is its turn.
      piece.catch(() => {});
      pieces.push({ end, piece });
      next = end;
    }
    const { end, piece } = pieces.shift() as (typeof pieces)[0];
    const whole = await piece;
    await written;
    written = giveTo(sink, whole);
    written.catch(() => {});
    onWritten(end);
  }
  await written;
}

/** Where the piece ends that begins with `order[from]`. */
function endOfPiece({ starts }: Lines, first: number, order: Uint32Array, from: number): number {
  let [end, size] = [from, 0];
  while (end < order.length && size < PIECE) {
    const row = first + (order[end++] as number);
    size += (starts[row + 1] as number) - (starts[row] as number);
  }
  return end;
}

/** The bytes of `rows`, one after the other. */
export function gatherLines(
  { bytes, starts, rows: count, ending }: Gathered,
  rows: Uint32Array,
): Uint8Array<ArrayBuffer> {
  const last = ending === undefined ? -1 : count - 1;
  let size = rows.includes(last) ? (ending?.length ?? 0) : 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    size += (starts[row + 1] as number) - (starts[row] as number);
  }
  const out = allocateBytes(size);
  let at = 0;
  for (let from = 0; from < rows.length; from += BLOCK) {
    const to = Math.min(from + BLOCK, rows.length);
    // The processor waits for all of these loads at once, and the copies below find their lines in
    // its cache. That is four times as fast.
    let seen = 0;
    for (let i = from; i < to; i++) {
      seen ^= bytes[starts[rows[i] as number] as number] as number;
    }
    for (let i = from; i < to; i++) {
      seen ^= bytes[(starts[(rows[i] as number) + 1] as number) - 1] as number;
    }
    lastSeen = seen;
    for (let i = from; i < to; i++) {
      const row = rows[i] as number;
      const [start, end] = [starts[row] as number, starts[row + 1] as number];
      if (end - start >= LONG) {
        out.set(bytes.subarray(start, end), at);
        at += end - start;
      } else for (let j = start; j < end; ) out[at++] = bytes[j++] as number;
      if (row === last && ending !== undefined) {
        out.set(ending, at);
        at += ending.length;
      }
    }
  }
  return out;
}

/** @public Loads whose value is not kept would be left out. */
export let lastSeen = 0;
