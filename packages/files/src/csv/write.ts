/** Writes rows of a text with the bytes that they have. */

import { type ByteSink, giveTo } from '../source.js';
import type { Threads, ThreadTask } from '../threads.js';
import { CR, LF } from './dialect.js';
import { gatherLines } from './gather.js';
import type { Lines } from './scan.js';

/** Bytes that are handed over in one write, if no row has more. A core's own cache holds them. */
const PIECE = 1 << 20;

/** The end that the last line gets if it has none: that of the first line. */
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
  const before = Uint32Array.from({ length: first }, (_, row) => row);
  if (first > 0) await giveTo(sink, gatherLines(from, before));
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
